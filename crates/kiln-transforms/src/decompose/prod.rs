//! Expands a product along axes: multiplies the two halves of an axis until one element is left.
//!
//! ```kiln
//! decompose none reduce.prod
//! graph "prod" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 2]) {
//!     %1: f32[1, 2] = reduce %0 {f=prod, axes=[0]}
//!     return %1
//!   }
//! }
//! ---
//! graph "prod" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 2]) {
//!     %1: f32[1, 2] = slice %0 {axis=0, start=4, len=1, step=1}
//!     %2: f32[2, 2] = slice %0 {axis=0, start=0, len=2, step=1}
//!     %3: f32[2, 2] = slice %0 {axis=0, start=2, len=2, step=1}
//!     %4: f32[2, 2] = binary %2, %3 {f=mul}
//!     %5: f32[1, 2] = slice %4 {axis=0, start=0, len=1, step=1}
//!     %6: f32[1, 2] = slice %4 {axis=0, start=1, len=1, step=1}
//!     %7: f32[1, 2] = binary %5, %6 {f=mul}
//!     %8: f32[1, 2] = binary %7, %1 {f=mul}
//!     return %8
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Reduce, ReduceFn};
use kiln_ir::{Builder, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "prod",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Reduce);
    let x = operand(emitter, node, 0);
    let last = op.axes.last().copied().unwrap_or(0);
    let by_one = |axis| Reduce {
        f: ReduceFn::Prod,
        axes: vec![axis],
    };
    let has_one = op.axes.len() > 1 && emitter.runs(by_one(last), &[x]);
    only(op.axes.iter().rev().try_fold(x, |x, &axis| {
        if has_one {
            emitter.value(by_one(axis), &[x])
        } else {
            along_axis(emitter, x, axis)
        }
    }))
}

fn along_axis(emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize) -> Emitted {
    let size = emitter.shape(x)[axis].clone();
    let mut size = emitter.known(&size, "the product is of a known number of elements")?;
    if size == 0 {
        return Err(Reason::new("a product needs at least one element", "none"));
    }
    let (mut x, mut odd): (ValueId, Option<ValueId>) = (x, None);
    while size > 1 {
        let half = size / 2;
        if size % 2 == 1 {
            let rest = emitter.slice(x, axis, size - 1, 1, 1)?;
            odd = Some(match odd {
                Some(odd) => emitter.binary(BinaryFn::Mul, odd, rest)?,
                None => rest,
            });
        }
        let low = emitter.slice(x, axis, 0, half, 1)?;
        let high = emitter.slice(x, axis, half, half, 1)?;
        x = emitter.binary(BinaryFn::Mul, low, high)?;
        size = half;
    }
    match odd {
        Some(odd) => emitter.binary(BinaryFn::Mul, x, odd),
        None => Ok(x),
    }
}
