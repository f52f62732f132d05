//! Replaces values without elements by constants, and sums of products over empty axes by zeros or the bias.
//!
//! Kernels of targets do not agree on results to which no element contributes.
//!
//! ```kiln
//! clean
//! graph "empty" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 0], %1 "y": f32[0, 3]) {
//!     %2: f32[2, 3] = matmul %0, %1 {}
//!     %3: f32[2, 0] = unary %0 {f=exp}
//!     return %2, %3
//!   }
//! }
//! ---
//! graph "empty" {
//!   constant c0 "broadcast" f32[2, 3] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
//!   constant c1 "" f32[2, 0] = []
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 0], %1 "y": f32[0, 3]) {
//!     %2: f32[2, 3] = constant {value=c0}
//!     %3: f32[2, 0] = constant {value=c1}
//!     return %2, %3
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Builder, NodeId, Op, Scalar, TensorData};

guards! {
    /// Each element of the product is a sum of no terms.
    NO_TERMS;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "empty",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let node = emitter.graph().node(id);
    let [result] = node.results[..] else {
        return Ok(None);
    };
    if matches!(node.op, Op::Constant(_)) || emitter.ty(result).quant.is_some() {
        return Ok(None);
    }
    let (op, operands) = (node.op.clone(), node.operands.clone());
    let ty = emitter.ty(result).clone();
    if let Some(sizes) = ty.shape.as_static()
        && sizes.contains(&0)
    {
        let nothing = TensorData::splat(ty.dtype, sizes, Scalar::Int(0));
        return Ok(Some(emitter.constant("", nothing)));
    }
    let inner = emitter.shape(*operands.first().unwrap_or(&result));
    let contracts_nothing = || NO_TERMS.holds(inner.last().is_some_and(|d| d.is(0)));
    match op {
        Op::MatMul(_) if contracts_nothing() => {
            let zero = emitter.scalar(0, ty.dtype, ty.rank());
            emitter.broadcast(zero, ty.shape).map(Some)
        }
        Op::Linear(_) if contracts_nothing() => {
            let start = match operands.get(2) {
                // An empty sum is 0, and `0 + -0` is 0, so the bias is added to 0.
                Some(&bias) => emitter.with(BinaryFn::Add, bias, 0.0)?,
                None => emitter.scalar(0, ty.dtype, 1),
            };
            let leading: Vec<usize> = (0..ty.rank() - 1).collect();
            let row = emitter.unsqueeze(start, &leading)?;
            emitter.broadcast(row, ty.shape).map(Some)
        }
        _ => Ok(None),
    }
}
