//! Ops on quantised operands.

use crate::error::Cause;
use crate::kernels;
use crate::tensor::Tensor;
use kiln_ir::Op;
use kiln_ir::types::TensorType;

/// Runs an op of which at least one operand is quantised.
///
/// # Errors
/// As the op's kernel.
pub fn run(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    kernels::run(op, operands, types, sizes)
}
