//! Expands a shift by an arbitrary distance to a shift by a distance in range, and a select for other distances.
//!
//! A left shift out of range gives 0. A right shift out of range gives the sign bit in all places.
//!
//! ```kiln
//! decompose none binary.shl
//! graph "shift" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": i32[3], %1 "y": i32[3]) {
//!     %2: i32[3] = binary %0, %1 {f=shl}
//!     return %2
//!   }
//! }
//! ---
//! graph "shift" {
//!   constant c0 "" i32[1] = [0]
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": i32[3], %1 "y": i32[3]) {
//!     %2: i32[3] = unary %1 {f=clamp[0, 31]}
//!     %3: bool[3] = compare %1, %2 {f=eq}
//!     %4: i32[3] = binary %0, %2 {f=shl}
//!     %5: i32[1] = constant {value=c0}
//!     %6: i32[3] = select %3, %4, %5 {}
//!     return %6
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::analysis::ranges::Ranges;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, UnaryFn};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, ValueId};

guards! {
    /// Shifted to the right for ever, a signed integer becomes its sign; bytes become 0.
    SIGNED;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "shift_in_range",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let node = emitter.graph().node(node);
    let (x, by) = (node.operands[0], node.operands[1]);
    let f = match &node.op {
        Op::Binary(op) => op.f,
        other => return Err(Reason::new("the op is a shift", other.name())),
    };
    if is_within(emitter.graph(), by) {
        return Err(Reason::new(
            "the target has shifts by distances in range",
            "it does not",
        ));
    }
    only(shifted(emitter, f, x, by))
}

/// True for distances that are known to be in range: of a clamp, whether or not that has been taken apart.
fn is_within(graph: &Graph, by: ValueId) -> bool {
    let widest = i128::from(widest(graph.ty(by).dtype));
    let range = Ranges::new(graph).of(by).integers();
    range.is_some_and(|range| range.low >= 0 && range.high <= widest)
}

/// The greatest distance in range.
fn widest(dtype: DType) -> i64 {
    dtype.size() as i64 * 8 - 1
}

fn shifted(emitter: &mut Emitter<'_, '_>, f: BinaryFn, x: ValueId, by: ValueId) -> Emitted {
    let dtype = emitter.ty(x).dtype;
    let widest = widest(dtype);
    let range = UnaryFn::Clamp {
        min: Some(Scalar::Int(0)),
        max: Some(Scalar::Int(widest)),
    };
    let within = emitter.unary(range, by)?;
    let f_eq = Compare { f: CompareFn::Eq };
    let is_within = emitter.value(f_eq, &[by, within])?;
    let near = emitter.binary(f, x, within)?;
    let far = if f == BinaryFn::Shr && SIGNED.holds(dtype != DType::U8) {
        emitter.with(f, x, widest)?
    } else {
        emitter.scalar_like(0, near)
    };
    emitter.select(is_within, near, far)
}
