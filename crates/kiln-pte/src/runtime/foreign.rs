//! Kernels that are not the stock runtime's. Other crates implement them.

use super::error::Fault;
use super::{Cell, Runtime};
use crate::ValueIndex;
use kiln_eval::Tensor;

/// A library of kernels beside the stock runtime's.
pub trait Kernels: Sync {
    /// Calls the kernel of this key (`NAMESPACE::NAME.OVERLOAD`) on its arguments in the order of its schema; the last is the tensor
    /// that it writes. Gives that tensor's new content. `None` if the library has no such kernel.
    ///
    /// # Errors
    /// A message, if the kernel refuses its arguments.
    fn call(&self, key: &str, arguments: &[Argument]) -> Option<Result<Tensor, String>>;
}

/// An argument of a kernel.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `None`.
    None,
    /// An integer.
    Int(i64),
    /// A float.
    Double(f64),
    /// A bool.
    Bool(bool),
    /// Integers.
    Ints(Vec<i64>),
    /// A tensor.
    Tensor(Stored),
}

/// A tensor as it lies in memory.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The elements, with axes in the order of memory.
    pub data: Tensor,
    /// The sizes of its axes.
    pub sizes: Vec<usize>,
    /// The order of axes in memory, outermost first.
    pub dim_order: Vec<usize>,
}

/// Calls a kernel of one of the libraries. False if none has it.
pub(super) fn call(
    runtime: &mut Runtime<'_>,
    key: &str,
    args: &[ValueIndex],
) -> Result<bool, Fault> {
    // The last value is what the kernel returns: the tensor in front of it.
    let Some((_, args)) = args.split_last() else {
        return Ok(false);
    };
    let libraries = runtime.libraries;
    if libraries.is_empty() {
        return Ok(false);
    }
    let given = args.iter().map(|&index| argument(runtime, index));
    let given: Option<Vec<Argument>> = given.collect::<Result<_, Fault>>()?;
    let Some(given) = given else {
        return Ok(false);
    };
    let mut found = libraries.iter().filter_map(|l| l.call(key, &given));
    let (Some(result), Some(&out)) = (found.next(), args.last()) else {
        return Ok(false);
    };
    let mut slot = runtime.slot(out)?.clone();
    runtime
        .memory
        .write_as_stored(&mut slot, &result.map_err(Fault)?)?;
    runtime.cells[out.index()] = Cell::Tensor(slot);
    Ok(true)
}

/// The argument at an index. `None` for one that kernels of libraries do not take.
fn argument(runtime: &Runtime<'_>, index: ValueIndex) -> Result<Option<Argument>, Fault> {
    Ok(Some(match &runtime.cells[index.index()] {
        Cell::None => Argument::None,
        Cell::Int(v) => Argument::Int(*v),
        Cell::Bool(v) => Argument::Bool(*v),
        Cell::Double(v) => Argument::Double(*v),
        Cell::IntList(_) => Argument::Ints(super::primitive::int_list(runtime, index)?),
        Cell::Tensor(slot) => Argument::Tensor(Stored {
            data: runtime.memory.read_as_stored(slot)?,
            sizes: slot.sizes.clone(),
            dim_order: slot.dim_order.clone(),
        }),
        Cell::Text(_)
        | Cell::DoubleList(_)
        | Cell::BoolList(_)
        | Cell::TensorList(_)
        | Cell::OptionalTensorList(_) => return Ok(None),
    }))
}
