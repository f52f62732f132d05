//! Results of the stock runtime's kernels for tensors without elements, where these differ from ATen (measured on
//! 1.5.1). So a program that relies on ATen's meaning gives wrong results here too.

use super::error::Fault;
use super::{Cell, Runtime};
use crate::ValueIndex;

/// The effect of a kernel on its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The kernel writes the result.
    Written,
    /// The result gets its sizes, but keeps its old bytes.
    Kept,
    /// The result has no elements, and gets these sizes.
    Sized(Vec<usize>),
}

/// The effect of a kernel call.
///
/// # Errors
/// If the kernel would abort the process.
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

/// The axis that an argument names, counted from the front.
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

/// Along the axis, only parts with elements count. The other sizes are those of the last part that is no empty vector.
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
