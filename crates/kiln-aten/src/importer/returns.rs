//! The results of the import of a call, before they become variables.

use crate::call::error::Problem;
use crate::call::{Arg, Tensor};
use crate::importer::view::View;
use kiln_ir::ValueId;

/// A result of an import.
#[derive(Clone, Debug)]
pub(crate) enum Return {
    /// A tensor with storage of its own.
    Value(ValueId),
    /// A list of tensors, each with storage of its own.
    Values(Vec<ValueId>),
    /// A view of an argument.
    View(Tensor, Vec<View>),
    /// A view of an argument, or a copy of it. The memory order of the argument decides which.
    MaybeView(Tensor, Vec<View>),
    /// A list of views.
    Views(Tensor, Vec<Vec<View>>),
    /// A result that is no tensor, or a tensor that exists already.
    Arg(Arg),
}

impl From<ValueId> for Return {
    fn from(value: ValueId) -> Return {
        Return::Value(value)
    }
}

/// The results of the import of a call.
pub(crate) type Returns = Vec<Return>;

/// One result with storage of its own.
pub(crate) fn one(value: ValueId) -> Result<Returns, Problem> {
    Ok(vec![Return::Value(value)])
}

/// One result that is a view.
pub(crate) fn view(of: Tensor, steps: Vec<View>) -> Result<Returns, Problem> {
    Ok(vec![Return::View(of, steps)])
}
