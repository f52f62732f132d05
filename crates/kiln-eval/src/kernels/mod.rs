//! The kernels, by op family.
//!
//! A kernel is called behind the family's own shape rule at the sizes found, so it relies on what that
//! rule checks; what the rule does not check, the kernel does.

pub mod non_zero;

use crate::element::with_element;
use crate::error::Cause;
use crate::tensor::Tensor;
use kiln_ir::types::TensorType;
use kiln_ir::{DType, Op};

/// A tensor without elements.
pub fn empty(dtype: DType, sizes: Vec<usize>) -> Tensor {
    with_element!(dtype, T, Tensor::new(sizes, Vec::<T>::new()))
}

/// Runs an op whose attributes have no symbols, for results of `types` with the given sizes, at least
/// one of which has elements.
///
/// # Errors
/// If the operands have no value under the op.
pub fn run(
    op: &Op,
    _operands: &[Tensor],
    _types: &[TensorType],
    _sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    Err(Cause::Unsupported(op.name().into()))
}
