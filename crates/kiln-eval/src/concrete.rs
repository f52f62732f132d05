//! Ops with the sizes in their attributes evaluated.

use crate::bindings::Bindings;
use crate::error::Cause;
use kiln_ir::movement::{AxisFactors, Movement};
use kiln_ir::ops::{
    AdaptivePool, Broadcast, DimValue, Iota, Move, Pad, Quantised, Resize, Slice, SliceUpdate, TopK,
};
use kiln_ir::types::Shape;
use kiln_ir::{Dim, Op};

/// The op with every size a known one.
///
/// # Errors
/// If a size has no value.
pub fn concrete(op: &Op, bindings: &Bindings) -> Result<Op, Cause> {
    let dim = |d: &Dim| bindings.value(d).map(Dim::constant);
    let dims = |all: &[Dim]| all.iter().map(dim).collect::<Result<Vec<Dim>, Cause>>();
    Ok(match op {
        Op::DimValue(op) => DimValue { dim: dim(&op.dim)? }.into(),
        Op::Iota(op) => Iota {
            len: dim(&op.len)?,
            ..*op
        }
        .into(),
        Op::Move(op) => Move {
            movement: movement(&op.movement, bindings)?,
        }
        .into(),
        Op::Broadcast(op) => Broadcast {
            shape: Shape::from(dims(&op.shape)?),
        }
        .into(),
        Op::Slice(op) => Slice {
            start: dim(&op.start)?,
            len: dim(&op.len)?,
            ..*op
        }
        .into(),
        Op::Pad(op) => Pad {
            low: dims(&op.low)?,
            high: dims(&op.high)?,
            mode: op.mode,
        }
        .into(),
        Op::SliceUpdate(op) => SliceUpdate {
            start: dim(&op.start)?,
            ..*op
        }
        .into(),
        Op::TopK(op) => TopK {
            k: dim(&op.k)?,
            ..*op
        }
        .into(),
        Op::AdaptivePool(op) => AdaptivePool {
            output: dims(&op.output)?,
            f: op.f,
        }
        .into(),
        Op::Resize(op) => Resize {
            output: dims(&op.output)?,
            ..op.clone()
        }
        .into(),
        Op::Quantised(op) => Quantised {
            op: Box::new(concrete(&op.op, bindings)?),
            ..op.clone()
        }
        .into(),
        Op::Constant(_)
        | Op::ReadState(_)
        | Op::BindSymbol(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Cast(_)
        | Op::Reverse(_)
        | Op::Concat(_)
        | Op::Reduce(_)
        | Op::ArgReduce(_)
        | Op::Scan(_)
        | Op::Sort(_)
        | Op::NonZero(_)
        | Op::MatMul(_)
        | Op::Linear(_)
        | Op::Conv(_)
        | Op::Pool(_)
        | Op::GridSample(_)
        | Op::Gather(_)
        | Op::Index(_)
        | Op::Scatter(_)
        | Op::IndexPut(_)
        | Op::Softmax(_)
        | Op::Normalize(_)
        | Op::Attention(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_)
        | Op::If(_)
        | Op::While(_) => op.clone(),
    })
}

fn movement(movement: &Movement, bindings: &Bindings) -> Result<Movement, Cause> {
    let size = |d: &Dim| bindings.size(d).map(|n| Dim::constant(n as i64));
    let sizes: Vec<Dim> = movement
        .sizes()
        .iter()
        .map(size)
        .collect::<Result<_, _>>()?;
    let places = |axes: &[AxisFactors]| -> Vec<Vec<usize>> {
        let axis = |factors: &AxisFactors| factors.iter().map(|f| f.index()).collect();
        axes.iter().map(axis).collect()
    };
    Movement::from_parts(sizes, places(movement.source()), places(movement.result()))
        .map_err(|e| Cause::Misfit(e.to_string()))
}
