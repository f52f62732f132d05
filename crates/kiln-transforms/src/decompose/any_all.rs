//! Expands `any` to the maximum of numbers, and `all` to the negation of `any` on negated operands.
//!
//! ```kiln
//! decompose none reduce.all reduce.any
//! graph "any_all" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": bool[3]) {
//!     %1: bool[1] = reduce %0 {f=all, axes=[0]}
//!     return %1
//!   }
//! }
//! ---
//! graph "any_all" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": bool[3]) {
//!     %1: i32[3] = cast %0 {to=i32}
//!     %2: i32[1] = reduce %1 {f=min, axes=[0]}
//!     %3: bool[1] = cast %2 {to=bool}
//!     return %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{Reduce, ReduceFn, Simple};
use kiln_ir::{Builder, DType, NodeId, ShapeNames};

guards! {
    /// A maximum is of at least one element.
    HAS_ELEMENTS;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "any_all",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Reduce);
    let x = operand(emitter, node, 0);
    let any = Reduce {
        f: ReduceFn::Any,
        axes: op.axes.clone(),
    };
    if op.f == ReduceFn::All && emitter.runs(any.clone(), &[x]) {
        let opposite = emitter.unary(Simple::BitNot, x)?;
        let value = emitter.value(any, &[opposite])?;
        return only(emitter.unary(Simple::BitNot, value));
    }
    let shape = emitter.shape(x);
    let is_positive = |&a: &usize| emitter.symbols().is_positive(&shape[a]);
    if !HAS_ELEMENTS.holds(op.axes.iter().all(is_positive)) {
        return Err(Reason::new(
            "a maximum needs at least one element",
            ShapeNames(&shape, emitter.symbols()).to_string(),
        ));
    }
    let f = if op.f == ReduceFn::All {
        ReduceFn::Min
    } else {
        ReduceFn::Max
    };
    let numbers = emitter.cast(x, DType::I32)?;
    let value = emitter.reduce(f, numbers, op.axes, true)?;
    only(emitter.cast(value, DType::Bool))
}
