//! Expands a softmax along an inner axis to one along the last axis, if the target has that. Otherwise expands it into
//! arithmetic, after subtracting the maximum.
//!
//! ```kiln
//! decompose none softmax
//! graph "softmax" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[2, 3] = softmax %0 {axis=0, log=false}
//!     %2: f32[2, 3] = softmax %0 {axis=1, log=true}
//!     return %1, %2
//!   }
//! }
//! ---
//! graph "softmax" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[1, 3] = reduce %0 {f=max, axes=[0]}
//!     %2: f32[2, 3] = binary %0, %1 {f=sub}
//!     %3: f32[2, 3] = unary %2 {f=exp}
//!     %4: f32[1, 3] = reduce %3 {f=sum, axes=[0]}
//!     %5: f32[2, 3] = binary %3, %4 {f=div}
//!     %6: f32[2, 1] = reduce %0 {f=max, axes=[1]}
//!     %7: f32[2, 3] = binary %0, %6 {f=sub}
//!     %8: f32[2, 3] = unary %7 {f=exp}
//!     %9: f32[2, 1] = reduce %8 {f=sum, axes=[1]}
//!     %10: f32[2, 1] = unary %9 {f=log}
//!     %11: f32[2, 3] = binary %7, %10 {f=sub}
//!     return %5, %11
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple, Softmax};
use kiln_ir::{Builder, NodeId, ValueId};

guards! {
    /// A maximum is of at least one element.
    HAS_ELEMENTS;
}

/// The rule that moves the axis to the end.
pub const MOVED: Expansion = Expansion {
    name: "softmax_along_last",
    rounds: Rounds::AsTheOp,
    expand: moved,
};
/// The rule that computes by arithmetic.
pub const ARITHMETIC: Expansion = Expansion {
    name: "softmax",
    rounds: Rounds::Often,
    expand,
};

fn moved(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Softmax);
    let x = operand(emitter, node, 0);
    let last = emitter.rank(x) - 1;
    let moved = emitter.transpose(x, op.axis, last)?;
    let along_last = Softmax {
        axis: last,
        log: op.log,
    };
    if op.axis == last || !emitter.runs(along_last.clone(), &[moved]) {
        return Err(Reason::new(
            "the target has a softmax along the last axis",
            "none",
        ));
    }
    let value = emitter.value(along_last, &[moved])?;
    only(emitter.transpose(value, op.axis, last))
}

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Softmax);
    let x = operand(emitter, node, 0);
    only(arithmetic(emitter, x, &op))
}

fn arithmetic(emitter: &mut Emitter<'_, '_>, x: ValueId, op: &Softmax) -> Emitted {
    let size = emitter.shape(x)[op.axis].clone();
    if size.is(0) {
        return Ok(x);
    }
    if !HAS_ELEMENTS.holds(emitter.symbols().is_positive(&size)) {
        let found = kiln_ir::dim::DimNames(&size, &emitter.graph().symbols).to_string();
        return Err(Reason::new("a maximum needs at least one element", found));
    }
    let greatest = emitter.reduce(ReduceFn::Max, x, [op.axis], true)?;
    let shifted = emitter.binary(BinaryFn::Sub, x, greatest)?;
    let grown = emitter.unary(Simple::Exp, shifted)?;
    let sum = emitter.reduce(ReduceFn::Sum, grown, [op.axis], true)?;
    if op.log {
        let log = emitter.unary(Simple::Log, sum)?;
        return emitter.binary(BinaryFn::Sub, shifted, log);
    }
    emitter.binary(BinaryFn::Div, grown, sum)
}
