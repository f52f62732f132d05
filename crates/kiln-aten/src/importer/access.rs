//! Reads through a view, and writes through a view to its base.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::view::View;
use kiln_ir::Builder;
use kiln_ir::ValueId;
use kiln_ir::ops::{self, SliceUpdate};

impl View {
    /// The value of the view when `base` has this value.
    pub(crate) fn get(&self, cx: &mut Importer<'_>, base: ValueId) -> Result<ValueId, Problem> {
        match self {
            View::Move(movement) => cx.movement(base, movement.clone()),
            View::Slice {
                axis,
                start,
                len,
                step,
            } => cx.slice(base, *axis, start, len, *step),
            View::Broadcast(shape) => cx.broadcast(base, shape.clone()),
            View::Pick(index) => {
                let flat = cx.flatten(base)?;
                cx.value(ops::Index::new(0), &[flat, *index])
            }
        }
    }

    /// True if [`View::put`] reads the old value of the base. (Otherwise the view covers the whole base.)
    fn is_partial(&self) -> bool {
        matches!(self, View::Slice { .. } | View::Pick(_))
    }

    /// The value of the base after `new` was written to the view.
    fn put(&self, cx: &mut Importer<'_>, base: ValueId, new: ValueId) -> Result<ValueId, Problem> {
        match self {
            View::Move(movement) => cx.movement(new, movement.inverse()),
            View::Slice {
                axis, start, step, ..
            } => {
                let (axis, start, step) = (*axis, start.clone(), *step);
                cx.value(SliceUpdate { axis, start, step }, &[base, new])
            }
            View::Broadcast(_) => Err(Problem::unsupported(
                "writes in place to an expanded tensor; clone it first",
            )),
            View::Pick(index) => {
                let shape = cx.shape(base);
                let flat = cx.flatten(base)?;
                let op = ops::IndexPut {
                    axis: 0,
                    accumulate: false,
                };
                let written = cx.value(op, &[flat, new, *index])?;
                cx.reshape(written, &shape)
            }
        }
    }
}

/// The value of the view at the end of a chain of steps from `base`.
pub(crate) fn get_all(
    cx: &mut Importer<'_>,
    base: ValueId,
    steps: &[View],
) -> Result<ValueId, Problem> {
    steps
        .iter()
        .try_fold(base, |value, step| step.get(cx, value))
}

/// The value of the base after `new` was written to the view at the end of a chain of steps.
pub(crate) fn put_all(
    cx: &mut Importer<'_>,
    base: ValueId,
    steps: &[View],
    new: ValueId,
) -> Result<ValueId, Problem> {
    let read = steps.iter().rposition(View::is_partial).unwrap_or(0);
    let mut bases = vec![base];
    for step in &steps[..read] {
        let last = bases[bases.len() - 1];
        bases.push(step.get(cx, last)?);
    }
    let mut value = new;
    for (i, step) in steps.iter().enumerate().rev() {
        value = step.put(cx, bases.get(i).copied().unwrap_or(base), value)?;
    }
    Ok(value)
}
