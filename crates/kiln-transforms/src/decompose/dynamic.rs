//! Expands fake quantisation into arithmetic, and an op on quantised weights into a dequantisation and the op.
//!
//! ```kiln
//! decompose none dequantised none fake_quantize
//! graph "unfold" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: f32[3, 2] = dequantised %0, %1 {op=linear {}, dtype=f32, activation=symmetric_by_end over 1 in [-127, 127] eps 1e-5 scale f32}
//!     return %2
//!   }
//! }
//! ---
//! graph "unfold" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   constant c1 "" f32[1, 1] = [0.0]
//!   constant c2 "" f32[1, 1] = [127.0]
//!   constant c3 "broadcast" f32[3, 1] = [0.0, 0.0, 0.0]
//!   constant c4 "" f32[1, 1] = [1.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[3, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: f32[3, 1] = reduce %0 {f=min, axes=[1]}
//!     %3: f32[3, 1] = reduce %0 {f=max, axes=[1]}
//!     %4: f32[1, 1] = constant {value=c1}
//!     %5: f32[3, 1] = binary %2, %4 {f=min}
//!     %6: f32[3, 1] = binary %3, %4 {f=max}
//!     %7: f32[3, 1] = unary %5 {f=neg}
//!     %8: f32[3, 1] = binary %7, %6 {f=max}
//!     %9: f32[1, 1] = constant {value=c2}
//!     %10: f32[3, 1] = binary %8, %9 {f=div}
//!     %11: f32[3, 1] = unary %10 {f=clamp[1e-5, none]}
//!     %12: f32[3, 1] = constant {value=c3}
//!     %13: f32[1, 1] = constant {value=c4}
//!     %14: f32[3, 1] = binary %13, %11 {f=div}
//!     %15: f32[3, 2] = binary %0, %14 {f=mul}
//!     %16: f32[3, 2] = unary %15 {f=round}
//!     %17: f32[3, 2] = binary %16, %12 {f=add}
//!     %18: f32[3, 2] = unary %17 {f=clamp[-127, 127]}
//!     %19: f32[3, 2] = binary %18, %12 {f=sub}
//!     %20: f32[3, 2] = binary %19, %11 {f=mul}
//!     %21: f32[2, 2] = dequantize %1 {dtype=f32}
//!     %22: f32[3, 2] = linear %20, %21 {}
//!     return %22
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use kiln_ir::dynamic_quant::fake_quantized;
use kiln_ir::ops::Dequantize;
use kiln_ir::{Builder, NodeId, ValueId};

/// The rule for a fake quantisation. Its arithmetic is in the dtype of its operand.
pub const FAKE_QUANTIZE: Expansion = Expansion {
    name: "fake_quantize",
    rounds: Rounds::AsTheOp,
    expand: arithmetic,
};

/// The rule for an op on quantised weights.
pub const DEQUANTISED: Expansion = Expansion {
    name: "dequantised",
    rounds: Rounds::AsTheOp,
    expand: on_reals,
};

fn arithmetic(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, FakeQuantize);
    let x = emitter.graph().node(node).operands[0];
    only(fake_quantized(emitter, x, &op.quant, op.dtype))
}

fn on_reals(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Dequantised);
    let operands = emitter.graph().node(node).operands.clone();
    let mut reals = Vec::with_capacity(operands.len());
    for (i, &operand) in operands.iter().enumerate() {
        let real: Result<ValueId, Reason> = match (i, op.rounding()) {
            (0, Some(rounding)) => emitter.unfolded(rounding, &[operand]),
            _ if emitter.ty(operand).quant.is_some() => {
                let dtype = op.dtype;
                emitter.unfolded(Dequantize { dtype }, &[operand])
            }
            _ => Ok(operand),
        };
        reals.push(real?);
    }
    only(emitter.value(*op.op, &reals))
}
