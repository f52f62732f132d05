//! Ops on quantised operands.
//!
//! What moves, picks or orders elements works on the integers. What computes with them, and has a
//! quantised result, does so with the reals that they stand for, in f64; the result is rounded half to
//! even and saturated. What computes without a quantised result is refused: its operands would have to
//! be dequantised.

use crate::error::{Cause, misfit};
use crate::kernels;
use crate::kernels::quantise::{dequantize, quantize};
use crate::tensor::Tensor;
use kiln_ir::ops::{PoolFn, ReduceFn, ResizeMode, ScatterFn};
use kiln_ir::types::TensorType;
use kiln_ir::{DType, Op};

/// Runs an op of which at least one operand is quantised.
///
/// # Errors
/// As the op's kernel, and if it takes reals only.
pub fn run(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    if works_on_integers(op) {
        return kernels::run(op, operands, types, sizes);
    }
    let reals: Vec<Tensor> = operands.iter().map(real).collect::<Result<_, _>>()?;
    let real_types: Vec<TensorType> = types.iter().map(|t| t.with_dtype(DType::F64)).collect();
    if types.iter().any(|t| t.quant.is_none()) {
        misfit!("{} takes reals, found quantised operands", op.name());
    }
    let results = kernels::run(op, &reals, &real_types, sizes)?;
    let back = results.iter().zip(types);
    back.map(|(r, ty)| match &ty.quant {
        Some(quant) => quantize(r, quant, ty.dtype),
        None => Ok(r.clone()),
    })
    .collect()
}

fn real(operand: &Tensor) -> Result<Tensor, Cause> {
    match operand.quant() {
        Some(_) => dequantize(operand, DType::F64),
        None => Ok(operand.clone()),
    }
}

fn works_on_integers(op: &Op) -> bool {
    match op {
        Op::Constant(_)
        | Op::ReadState(_)
        | Op::DimValue(_)
        | Op::BindSymbol(_)
        | Op::Iota(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Cast(_)
        | Op::Move(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Reverse(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::SliceUpdate(_)
        | Op::ArgReduce(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::NonZero(_)
        | Op::Gather(_)
        | Op::Index(_)
        | Op::Dequantize(_)
        | Op::Requantize(_)
        | Op::If(_)
        | Op::While(_) => true,
        Op::Reduce(op) => matches!(op.f, ReduceFn::Max | ReduceFn::Min),
        Op::Pool(op) => op.f == PoolFn::Max || op.f == PoolFn::MaxWithIndices,
        Op::AdaptivePool(op) => op.f == PoolFn::Max || op.f == PoolFn::MaxWithIndices,
        Op::Resize(op) => op.mode == ResizeMode::Nearest,
        Op::Scatter(op) => op.f == ScatterFn::Set,
        Op::IndexPut(op) => !op.accumulate,
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Scan(_)
        | Op::MatMul(_)
        | Op::Linear(_)
        | Op::Conv(_)
        | Op::Softmax(_)
        | Op::Normalize(_)
        | Op::Attention(_)
        | Op::Quantize(_) => false,
    }
}
