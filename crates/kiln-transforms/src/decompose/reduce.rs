//! Expands reductions to those that the target has: a sum by the mean, a mean by the sum, a minimum by the maximum of
//! negatives, and several axes one after the other.
//!
//! ```kiln
//! decompose none reduce.sum reduce.min
//! graph "reduce" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[1, 1] = reduce %0 {f=sum, axes=[0, 1]}
//!     %2: f32[2, 1] = reduce %0 {f=min, axes=[1]}
//!     return %1, %2
//!   }
//! }
//! ---
//! graph "reduce" {
//!   constant c0 "" f32[1, 1] = [6.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[1, 1] = reduce %0 {f=mean, axes=[0, 1]}
//!     %2: f32[1, 1] = constant {value=c0}
//!     %3: f32[1, 1] = binary %1, %2 {f=mul}
//!     %4: f32[2, 3] = unary %0 {f=neg}
//!     %5: f32[2, 1] = reduce %4 {f=max, axes=[1]}
//!     %6: f32[2, 1] = unary %5 {f=neg}
//!     return %3, %6
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{ArgFn, ArgReduce, BinaryFn, Reduce, ReduceFn, Simple};
use kiln_ir::{Builder, Dim, NodeId, ShapeNames, ValueId};

guards! {
    /// Every number has a negative; the least integer and bytes have none.
    HAS_NEGATIVES;
    /// A mean is of at least one element; the sum of none is 0.
    HAS_ELEMENTS;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "reduce",
    rounds: Rounds::Often,
    expand,
};
/// The rule for the index of the minimum.
pub const ARG_RULE: Expansion = Expansion {
    name: "arg_reduce",
    rounds: Rounds::AsTheOp,
    expand: expand_arg,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Reduce);
    let x = operand(emitter, node, 0);
    if let [first, .., last] = op.axes[..] {
        let by_one = |axis| Reduce {
            f: op.f,
            axes: vec![axis],
        };
        if emitter.runs(by_one(last), &[x]) && emitter.runs(by_one(first), &[x]) {
            return only(
                op.axes
                    .iter()
                    .rev()
                    .try_fold(x, |x, &axis| emitter.value(by_one(axis), &[x])),
            );
        }
    }
    let by = |f| Reduce {
        f,
        axes: op.axes.clone(),
    };
    let is_float = emitter.ty(x).dtype.is_float();
    only(match op.f {
        ReduceFn::Sum if is_float && emitter.runs(by(ReduceFn::Mean), &[x]) => {
            let count = count(emitter, x, &op.axes)?;
            let mean = emitter.value(by(ReduceFn::Mean), &[x])?;
            scale(emitter, BinaryFn::Mul, mean, &count)
        }
        ReduceFn::Mean if emitter.runs(by(ReduceFn::Sum), &[x]) => {
            let count = emitter
                .shape(x)
                .iter()
                .enumerate()
                .filter(|(a, _)| op.axes.contains(a))
                .map(|(_, d)| d.clone())
                .product();
            let sum = emitter.value(by(ReduceFn::Sum), &[x])?;
            scale(emitter, BinaryFn::Div, sum, &count)
        }
        ReduceFn::Min if HAS_NEGATIVES.holds(is_float) && emitter.runs(by(ReduceFn::Max), &[x]) => {
            negated(emitter, x, by(ReduceFn::Max))
        }
        ReduceFn::Max if HAS_NEGATIVES.holds(is_float) && emitter.runs(by(ReduceFn::Min), &[x]) => {
            negated(emitter, x, by(ReduceFn::Min))
        }
        f => Err(Reason::new(
            "the target has a reduction that can replace this one",
            f.text(),
        )),
    })
}

fn negated(emitter: &mut Emitter<'_, '_>, x: ValueId, op: Reduce) -> Emitted {
    let negative = emitter.unary(Simple::Neg, x)?;
    let value = emitter.value(op, &[negative])?;
    emitter.unary(Simple::Neg, value)
}

/// The number of elements along the axes. It must be positive, since a sum of no elements is 0, but their mean is NaN.
fn count(emitter: &Emitter<'_, '_>, x: ValueId, axes: &[usize]) -> Result<Dim, Reason> {
    let shape = emitter.shape(x);
    let is_positive = |&a: &usize| emitter.symbols().is_positive(&shape[a]);
    if !HAS_ELEMENTS.holds(axes.iter().all(is_positive)) {
        return Err(Reason::new(
            "a mean needs at least one element",
            ShapeNames(&shape, emitter.symbols()).to_string(),
        ));
    }
    Ok(axes.iter().map(|&a| shape[a].clone()).product())
}

fn scale(emitter: &mut Emitter<'_, '_>, f: BinaryFn, x: ValueId, by: &Dim) -> Emitted {
    let (dtype, rank) = (emitter.ty(x).dtype, emitter.rank(x));
    let by = emitter.dim(by, dtype, rank)?;
    emitter.binary(f, x, by)
}

fn expand_arg(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, ArgReduce);
    let x = operand(emitter, node, 0);
    let opposite = match op.f {
        ArgFn::Max => ArgFn::Min,
        ArgFn::Min => ArgFn::Max,
    };
    let other = ArgReduce {
        f: opposite,
        axis: op.axis,
    };
    if !HAS_NEGATIVES.holds(emitter.ty(x).dtype.is_float()) || !emitter.runs(other.clone(), &[x]) {
        return Err(Reason::new("the target has argmin or argmax", op.f.text()));
    }
    let negative = emitter.unary(Simple::Neg, x)?;
    only(emitter.value(other, &[negative]))
}
