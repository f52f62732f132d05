//! The arguments of a kernel call, and the types of its results.

use super::super::error::Fault;
use super::super::primitive::int_list;
use super::super::{Cell, Runtime};
use crate::ValueIndex;
use kiln_eval::Tensor;
use kiln_ir::DType;

/// One call of a kernel.
pub(in super::super) struct Arguments<'r, 'p> {
    pub runtime: &'r Runtime<'p>,
    /// Inputs in the order of the kernel's schema.
    pub args: &'r [ValueIndex],
    /// Sizes of each result.
    pub sizes: Vec<Vec<usize>>,
    /// Element type of the first out argument.
    pub dtype: DType,
}

impl Arguments<'_, '_> {
    fn cell(&self, i: usize) -> &Cell {
        &self.runtime.cells[self.args[i].index()]
    }

    /// Argument `i`, which is a tensor.
    pub fn tensor(&self, i: usize) -> Result<Tensor, Fault> {
        self.runtime.load_tensor(self.args[i])
    }

    /// Argument `i`, a tensor or nothing.
    pub fn optional_tensor(&self, i: usize) -> Result<Option<Tensor>, Fault> {
        match self.cell(i) {
            Cell::Tensor(_) => self.tensor(i).map(Some),
            _ => Ok(None),
        }
    }

    /// Argument `i` as a number; `None` where it is none.
    pub fn number(&self, i: usize) -> Option<f64> {
        match self.cell(i) {
            Cell::Int(n) => Some(*n as f64),
            Cell::Double(x) => Some(*x),
            Cell::Bool(b) => Some(f64::from(u8::from(*b))),
            _ => None,
        }
    }

    /// Argument `i` as an integer; `None` where it is none.
    pub fn int(&self, i: usize) -> Option<i64> {
        match self.cell(i) {
            Cell::Int(n) => Some(*n),
            Cell::Bool(b) => Some(i64::from(*b)),
            _ => None,
        }
    }

    /// Argument `i`, a list of numbers; `None` where it is none.
    pub fn numbers(&self, i: usize) -> Option<Vec<f64>> {
        match self.cell(i) {
            Cell::DoubleList(numbers) => Some(numbers.clone()),
            _ => None,
        }
    }

    /// The members of argument `i`, a list of tensors or nothing; empty where it is no such list.
    pub fn optional_tensors(&self, i: usize) -> Result<Vec<Option<Tensor>>, Fault> {
        let Cell::OptionalTensorList(items) = self.cell(i) else {
            return Ok(Vec::new());
        };
        let load =
            |item: &Option<ValueIndex>| item.map(|i| self.runtime.load_tensor(i)).transpose();
        items.iter().map(load).collect()
    }

    /// True if argument `i` is the text.
    pub fn is_text(&self, i: usize, text: &str) -> bool {
        matches!(self.cell(i), Cell::Text(found) if **found == *text)
    }

    /// Argument `i`, a list of integers; empty where it is nothing.
    pub fn ints(&self, i: usize) -> Result<Vec<i64>, Fault> {
        match self.cell(i) {
            Cell::None => Ok(Vec::new()),
            _ => int_list(self.runtime, self.args[i]),
        }
    }

    /// Axes of a tensor of this rank that argument `i` lists, counted from the front; `None` where it lists none or one that the
    /// tensor does not have.
    pub fn axes(&self, i: usize, rank: usize) -> Result<Option<Vec<usize>>, Fault> {
        let listed = match self.cell(i) {
            Cell::Int(axis) => vec![*axis],
            _ => self.ints(i)?,
        };
        let from_front = |axis: i64| match axis < 0 {
            true => usize::try_from(axis + rank as i64).ok(),
            false => usize::try_from(axis).ok().filter(|&a| a < rank),
        };
        let axes: Option<Vec<usize>> = listed.into_iter().map(from_front).collect();
        Ok(axes.filter(|axes| !axes.is_empty()))
    }
}
