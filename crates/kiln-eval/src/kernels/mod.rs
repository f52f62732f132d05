//! The kernels, by op family.
//!
//! The caller has run the family's shape rule for the actual sizes, so a kernel relies on what that rule checks. It
//! checks the rest itself.

mod attention;
mod binary;
mod cascade;
pub mod cast;
mod conv;
mod data;
mod distance;
mod functions;
mod grid_sample;
mod indexing;
mod matmul;
pub mod matrix;
pub mod non_zero;
mod normalise;
mod order;
mod pad;
mod pool;
pub mod quantise;
mod reduce;
mod resize;
mod rows;
mod softmax;
mod spatial;
mod unary;

use crate::dispatch::{with_element, with_float, with_number};
use crate::error::Cause;
use crate::tensor::Tensor;
use kiln_ir::types::TensorType;
use kiln_ir::{DType, Op};

/// A tensor without elements.
pub fn empty(dtype: DType, sizes: Vec<usize>) -> Tensor {
    with_element!(dtype, T, Tensor::new(sizes, Vec::<T>::new()))
}

/// Evaluates an op without symbols. `types` and `sizes` are those of the results, at least one of which has elements.
///
/// # Errors
/// If the op has no value for these operands.
pub fn run(
    op: &Op,
    operands: &[Tensor],
    types: &[TensorType],
    sizes: &[Vec<usize>],
) -> Result<Vec<Tensor>, Cause> {
    match op {
        Op::Pool(op) => pool::pool(op, &operands[0], &sizes[0]),
        Op::AdaptivePool(op) => pool::adaptive_pool(op, &operands[0], &sizes[0]),
        Op::Sort(op) => {
            let sorted = order::ordered(op.axis, op.descending, &operands[0], &sizes[0]);
            Ok(sorted.into())
        }
        Op::TopK(op) => {
            let best = order::ordered(op.axis, op.largest, &operands[0], &sizes[0]);
            Ok(best.into())
        }
        _ => one(op, operands, &types[0], &sizes[0]).map(|result| vec![result]),
    }
}

/// Evaluates an op with one result.
fn one(op: &Op, x: &[Tensor], ty: &TensorType, sizes: &[usize]) -> Result<Tensor, Cause> {
    let dtype = x.first().map_or(ty.dtype, Tensor::dtype);
    match op {
        Op::DimValue(op) => op
            .dim
            .as_const()
            .map(Tensor::scalar)
            .ok_or_else(|| Cause::Misfit("a size without a value".into())),
        Op::Iota(op) => data::iota(sizes[0], op.dtype),
        Op::Unary(op) => unary::unary(op.f, &x[0]),
        Op::Binary(op) => binary::binary(op.f, &x[0], &x[1], sizes),
        Op::Compare(op) => Ok(binary::compare(op.f, &x[0], &x[1], sizes)),
        Op::Select(_) => Ok(binary::select(&x[0], &x[1], &x[2], sizes)),
        Op::Cast(op) => Ok(cast::cast(&x[0], op.to)),
        Op::Move(op) => data::move_(&op.movement, &x[0], sizes),
        Op::Broadcast(_) => Ok(data::broadcast(&x[0], sizes)),
        Op::Slice(op) => data::slice(op, &x[0], sizes),
        Op::Reverse(op) => Ok(data::reverse(op, &x[0])),
        Op::Pad(op) => pad::pad(op, &x[0], sizes),
        Op::Concat(op) => Ok(data::concat(op.axis, x, sizes)),
        Op::SliceUpdate(op) => data::slice_update(op, &x[0], &x[1]),
        Op::Reduce(op) => reduce::reduce(op, &x[0], sizes),
        Op::ArgReduce(op) => reduce::arg_reduce(op.f, op.axis, &x[0], sizes),
        Op::Scan(op) => reduce::scan(op.f, op.axis, &x[0]),
        Op::MatMul(_) => with_number!(dtype, T, Ok(matmul::matmul::<T>(&x[0], &x[1], sizes))),
        Op::Linear(_) => {
            with_number!(
                dtype,
                T,
                Ok(matmul::linear::<T>(&x[0], &x[1], x.get(2), sizes))
            )
        }
        Op::Conv(op) => with_number!(dtype, T, conv::conv::<T>(op, x, sizes)),
        Op::Distances(op) => {
            with_float!(
                dtype,
                T,
                Ok(distance::distances::<T>(op, &x[0], &x[1], sizes))
            )
        }
        Op::Resize(op) => resize::resize(op, &x[0], sizes),
        Op::GridSample(op) => grid_sample::grid_sample(op, &x[0], &x[1], sizes),
        Op::Gather(op) => indexing::gather(op, &x[0], &x[1]),
        Op::Index(op) => indexing::index(op, x, sizes),
        Op::Scatter(op) => indexing::scatter(op, &x[0], &x[1], &x[2]),
        Op::IndexPut(op) => indexing::index_put(op, x),
        Op::Softmax(op) => softmax::softmax(op, &x[0]),
        Op::Normalize(op) => normalise::normalize(op, x),
        Op::Attention(op) => with_float!(dtype, T, attention::attention::<T>(op, x, sizes)),
        Op::Quantize(op) => quantise::quantize(&x[0], &op.quant, op.dtype),
        Op::Dequantize(op) => quantise::dequantize(&x[0], op.dtype),
        Op::Requantize(op) => quantise::requantize(&x[0], &op.quant, op.dtype),
        Op::FakeQuantize(op) => crate::dynamic::fake_quantize(op, &x[0]),
        Op::Pool(_)
        | Op::AdaptivePool(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::Constant(_)
        | Op::ReadState(_)
        | Op::BindSymbol(_)
        | Op::NonZero(_)
        | Op::Quantised(_)
        | Op::Dequantised(_)
        | Op::Foreign(_)
        | Op::If(_)
        | Op::While(_) => Err(Cause::Unsupported(format!("{} has no kernel", op.name()))),
    }
}
