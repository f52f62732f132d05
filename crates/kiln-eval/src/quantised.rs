//! Ops on quantised operands.
//!
//! Which ops take the integers, which compute with the reals, is [`Op::on_quantised`]'s to say; shape rules have refused
//! the others, and operands that do not fit. Reals are f64, and round half to even, saturated.

use crate::error::{Cause, misfit};
use crate::kernels;
use crate::kernels::quantise::{dequantize, nearest};
use crate::tensor::Tensor;
use kiln_ir::ops::Meaning;
use kiln_ir::types::TensorType;
use kiln_ir::{DType, Op};

/// Runs an op of which at least one operand is quantised, and which takes such.
///
/// # Errors
/// As the op's kernel.
pub fn run(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    match op.on_quantised() {
        Meaning::Carried | Meaning::Compared | Meaning::Plain | Meaning::Own => {
            kernels::run(op, operands, types, sizes)
        }
        Meaning::Computed => with_reals(op, operands, types, sizes),
        Meaning::Refused => misfit!("{} takes no quantised operands", op.name()),
    }
}

fn with_reals(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    let real = |operand: &Tensor| match operand.quant() {
        Some(_) => dequantize(operand, DType::F64),
        None => Ok(operand.clone()),
    };
    let reals: Vec<Tensor> = operands.iter().map(real).collect::<Result<_, _>>()?;
    let real_types: Vec<TensorType> = types.iter().map(|t| t.with_dtype(DType::F64)).collect();
    let results = kernels::run(op, &reals, &real_types, sizes)?;
    let back = results.iter().zip(types);
    back.map(|(r, ty)| match &ty.quant {
        Some(quant) => nearest(r, quant, ty.dtype),
        None => Ok(r.clone()),
    })
    .collect()
}
