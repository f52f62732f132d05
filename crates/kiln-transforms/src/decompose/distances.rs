//! Expands distances between rows to norms of their differences, which have one more axis.
//!
//! ```kiln
//! decompose none distances
//! graph "distances" {
//!   input tensor "a" [0, 1]
//!   input tensor "b" [0, 1]
//!   output tensor
//!   block b0 (%0 "a": f32[3, 4], %1 "b": f32[2, 4]) {
//!     %2: f32[3, 2] = distances %0, %1 {p=2.0}
//!     return %2
//!   }
//! }
//! ---
//! graph "distances" {
//!   input tensor "a" [0, 1]
//!   input tensor "b" [0, 1]
//!   output tensor
//!   block b0 (%0 "a": f32[3, 4], %1 "b": f32[2, 4]) {
//!     %2: f32[3, 1, 4] = move %0 {movement=(a:3 b:4 -> a 1 b)}
//!     %3: f32[1, 2, 4] = move %1 {movement=(a:2 b:4 -> 1 a b)}
//!     %4: f32[3, 2, 4] = binary %2, %3 {f=sub}
//!     %5: f32[3, 2, 4] = unary %4 {f=square}
//!     %6: f32[3, 2, 1] = reduce %5 {f=sum, axes=[2]}
//!     %7: f32[3, 2, 1] = unary %6 {f=sqrt}
//!     %8: f32[3, 2] = move %7 {movement=(a:3 b:2 1 -> a b)}
//!     return %8
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::guards;
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, NodeId, ValueId};

guards! {
    /// A maximum is of at least one element.
    HAS_ELEMENTS;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "distances",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Distances);
    let operands = emitter.graph().node(node).operands.clone();
    let rank = emitter.rank(operands[0]);
    let a = emitter.unsqueeze(operands[0], &[rank - 1])?;
    let b = emitter.unsqueeze(operands[1], &[rank - 2])?;
    let differences = emitter.binary(BinaryFn::Sub, a, b)?;
    let norms = norm(emitter, op.p, differences, rank)?;
    only(emitter.squeeze(norms, &[rank]))
}

/// The norm along an axis, which stays with size 1.
fn norm(emitter: &mut Emitter<'_, '_>, p: f64, x: ValueId, axis: usize) -> Emitted {
    if p == 0.0 {
        let dtype = emitter.ty(x).dtype;
        let differ = emitter.cast(x, DType::Bool)?;
        let ones = emitter.cast(differ, dtype)?;
        return emitter.reduce(ReduceFn::Sum, ones, [axis], true);
    }
    if p == 2.0 {
        let squares = emitter.unary(Simple::Square, x)?;
        let sum = emitter.reduce(ReduceFn::Sum, squares, [axis], true)?;
        return emitter.unary(Simple::Sqrt, sum);
    }
    let sizes = emitter.unary(Simple::Abs, x)?;
    if p == 1.0 {
        return emitter.reduce(ReduceFn::Sum, sizes, [axis], true);
    }
    if p.is_infinite() {
        // The maximum norm of no elements is 0, and the greatest of none is no number.
        let width = emitter.shape(x)[axis].clone();
        let sizes = match HAS_ELEMENTS.holds(emitter.symbols().is_positive(&width)) {
            true => sizes,
            false => emitter.pad_axis(sizes, axis, 0, 1, 0.0)?,
        };
        return emitter.reduce(ReduceFn::Max, sizes, [axis], true);
    }
    let powers = emitter.with(BinaryFn::Pow, sizes, p)?;
    let sum = emitter.reduce(ReduceFn::Sum, powers, [axis], true)?;
    emitter.with(BinaryFn::Pow, sum, 1.0 / p)
}
