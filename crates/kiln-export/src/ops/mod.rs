//! How each family of ops is written.

mod contraction;
mod data;
mod elementwise;
mod indexing;
mod normalise;
mod order;
mod quantise;
mod reduce;
mod sample;
mod source;
mod unary;
mod window;

use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::{Op, TensorType};

/// The names of the tensors of a node's results.
type Tensors = Result<Vec<String>, Unwritten>;

/// Writes an op on operands, whose results have these types. Gives the names of their tensors.
pub(crate) fn write(w: &mut Writer<'_>, op: &Op, x: &[Operand], y: &[TensorType]) -> Tensors {
    match op {
        Op::Move(op) => data::movement(w, op, x, y),
        Op::Broadcast(_) => data::broadcast(w, x, y),
        Op::Slice(op) => data::slice(w, op, x, y),
        Op::Reverse(op) => data::reverse(w, op, x, y),
        Op::Pad(op) => data::pad(w, op, x, y),
        Op::Concat(op) => data::concat(w, op, x, y),
        Op::SliceUpdate(op) => data::slice_update(w, op, x, y),
        Op::Binary(op) => elementwise::binary(w, op, x, y),
        Op::Compare(op) => elementwise::compare(w, op, x, y),
        Op::Select(_) => elementwise::select(w, x, y),
        Op::Cast(op) => elementwise::cast(w, op, x, y),
        Op::Unary(op) => unary::unary(w, op, x, y),
        Op::MatMul(_) => contraction::matmul(w, x, y),
        Op::Linear(_) => contraction::linear(w, x, y),
        Op::Conv(op) => contraction::conv(w, op, x, y),
        Op::Distances(op) => contraction::distances(w, op, x, y),
        Op::Reduce(op) => reduce::reduce(w, op, x, y),
        Op::ArgReduce(op) => reduce::arg_reduce(w, op, x, y),
        Op::Scan(op) => order::scan(w, op, x, y),
        Op::Sort(op) => order::sort(w, op, x, y),
        Op::TopK(op) => order::top_k(w, op, x, y),
        Op::Index(op) => indexing::index(w, op, x, y),
        Op::IndexPut(op) => indexing::index_put(w, op, x, y),
        Op::Gather(op) => indexing::gather(w, op, x, y),
        Op::Scatter(op) => indexing::scatter(w, op, x, y),
        Op::Softmax(op) => normalise::softmax(w, op, x, y),
        Op::Normalize(op) => normalise::normalize(w, op, x, y),
        Op::Attention(op) => normalise::attention(w, op, x, y),
        Op::Pool(op) => window::pool(w, op, x, y),
        Op::AdaptivePool(op) => window::adaptive_pool(w, op, x, y),
        Op::Resize(op) => window::resize(w, op, x, y),
        Op::GridSample(op) => sample::grid_sample(w, op, x, y),
        Op::Quantize(op) => quantise::quantize(w, op, x, y),
        Op::Dequantize(op) => quantise::dequantize(w, op, x, y),
        Op::FakeQuantize(op) => quantise::fake_quantize(w, op, x, y),
        Op::Dequantised(op) => quantise::dequantised(w, op, x, y),
        Op::Iota(op) => source::iota(w, op, y),
        Op::DimValue(op) => source::dim_value(w, op, y),
        Op::ReadState(op) => {
            let state = w.state(op.cell)?;
            Ok(vec![w.copied(&state, result(y)?)])
        }
        Op::Constant(_) | Op::BindSymbol(_) => Ok(Vec::new()),
        Op::Requantize(_) | Op::Quantised(_) => Err(Unwritten::new(
            "it computes with integers; an archive has floats between dequantisation and quantisation",
        )),
        Op::NonZero(_) => Err(Unwritten::new(
            "the number of its results follows from data while running",
        )),
        Op::If(_) | Op::While(_) => Err(Unwritten::new(
            "an archive cannot hold branches and loops, which layers of more than 4,096 time steps are too; quantise when \
             compiling (kiln compile --quantize), which leaves them in floats",
        )),
        Op::Foreign(op) => Err(Unwritten::new(format!(
            "{} is a kernel that only your runtime has",
            op.kernel.0
        ))),
    }
}

/// The only operand's tensor, and the only result's type.
fn single<'y>(
    w: &mut Writer<'_>,
    x: &[Operand],
    y: &'y [TensorType],
) -> Result<(String, &'y TensorType), Unwritten> {
    Ok((w.tensor(operand(x, 0)?)?, result(y)?))
}

fn operand(x: &[Operand], i: usize) -> Result<&Operand, Unwritten> {
    x.get(i)
        .ok_or_else(|| Unwritten::new(format!("it has no operand {i}")))
}

fn result(y: &[TensorType]) -> Result<&TensorType, Unwritten> {
    y.first().ok_or_else(|| Unwritten::new("it has no result"))
}
