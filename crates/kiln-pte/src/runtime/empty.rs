//! What the stock runtime's kernels make of tensors without elements where that is not ATen's meaning (measured on
//! 1.5.1), so that a program which relies on the meaning is wrong here too.

use super::error::Fault;
use super::{Cell, Runtime};
use crate::ValueIndex;

/// What becomes of the result of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is written.
    Written,
    /// It takes its sizes, and keeps the bytes that were there.
    Kept,
    /// It has no elements, and takes these sizes.
    Sized(Vec<usize>),
}

/// What becomes of the result.
///
/// # Errors
/// Where the kernel ends the process.
pub(super) fn outcome(
    runtime: &Runtime<'_>,
    key: &str,
    args: &[ValueIndex],
) -> Result<Outcome, Fault> {
    let sizes = |at: usize| Ok(runtime.slot(args[at])?.sizes.as_slice());
    Ok(match key {
        "aten::mm.out" | "aten::bmm.out" if adds_nothing(sizes(0)?) => Outcome::Kept,
        "aten::linear.out" if adds_nothing(sizes(0)?) && !has_tensor(runtime, args[2]) => {
            Outcome::Kept
        }
        "aten::amax.out" | "aten::amin.out" if sizes(0)?.contains(&0) => {
            return Err(ends("a tensor without elements", sizes(0)?));
        }
        "aten::_log_softmax.out" if size_along(runtime, sizes(0)?, args[1])? == Some(0) => {
            return Err(ends("an axis of size 0", sizes(0)?));
        }
        "aten::cat.out" => joined(runtime, args)?,
        _ => Outcome::Written,
    })
}

fn adds_nothing(sizes: &[usize]) -> bool {
    sizes.last() == Some(&0)
}

fn has_tensor(runtime: &Runtime<'_>, index: ValueIndex) -> bool {
    matches!(runtime.cells[index.index()], Cell::Tensor(_))
}

fn ends(of: &str, sizes: &[usize]) -> Fault {
    Fault(format!(
        "the stock runtime's kernel ends the process for {of}; found sizes {sizes:?}"
    ))
}

/// An axis as the argument names it, counted from the front.
fn axis(runtime: &Runtime<'_>, rank: usize, index: ValueIndex) -> Result<usize, Fault> {
    match &runtime.cells[index.index()] {
        Cell::Int(axis) if *axis >= 0 => usize::try_from(*axis).map_err(Fault::of),
        Cell::Int(axis) => usize::try_from(*axis + rank as i64).map_err(Fault::of),
        other => Err(Fault(format!("{other:?} is no axis"))),
    }
}

fn size_along(
    runtime: &Runtime<'_>,
    sizes: &[usize],
    index: ValueIndex,
) -> Result<Option<usize>, Fault> {
    let axis = axis(runtime, sizes.len(), index)?;
    Ok(sizes.get(axis).copied())
}

/// Only parts with elements count along the axis; the other sizes are those of the last part that is no empty vector.
fn joined(runtime: &Runtime<'_>, args: &[ValueIndex]) -> Result<Outcome, Fault> {
    let Cell::TensorList(parts) = &runtime.cells[args[0].index()] else {
        return Ok(Outcome::Written);
    };
    let parts = parts.iter().map(|&part| Ok(&*runtime.slot(part)?.sizes));
    let parts: Vec<&[usize]> = parts.collect::<Result<_, Fault>>()?;
    if parts.iter().any(|sizes| !sizes.contains(&0)) {
        return Ok(Outcome::Written);
    }
    let last = parts.iter().rfind(|sizes| sizes.len() != 1);
    let Some(mut sizes) = last.map(|sizes| sizes.to_vec()) else {
        return Ok(Outcome::Written);
    };
    let axis = axis(runtime, sizes.len(), args[1])?;
    if let Some(size) = sizes.get_mut(axis) {
        *size = 0;
    }
    Ok(Outcome::Sized(sizes))
}
