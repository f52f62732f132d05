//! Ops that move, repeat, pick or join elements.

use super::{Tensors, operand, result, single};
use crate::call::{Call, text};
use crate::constants::literal;
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Concat, Move, Pad, PadMode, Reverse, Slice, SliceUpdate};
use kiln_ir::{DType, Dim, Scalar, TensorType};
use kiln_pt2::Argument;

/// A permutation if every axis stays whole; else a split, a permutation and a merge, each where it changes something.
pub(super) fn movement(w: &mut Writer<'_>, op: &Move, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (mut tensor, ty) = single(w, x, y)?;
    let movement = &op.movement;
    if let Some(order) = movement.as_permutation() {
        if order.is_sorted() {
            return Ok(vec![tensor]);
        }
        return Ok(vec![permuted(w, &tensor, &order, ty)]);
    }
    let realisation = movement.realise();
    let mut shape = movement.source_shape();
    if !realisation.permutation.is_sorted() {
        let split = realisation.split_shape;
        if split != shape {
            tensor = reshaped(w, &tensor, &ty.with_shape(split.clone()))?;
        }
        let order = &realisation.permutation;
        shape = order.iter().map(|&axis| split[axis].clone()).collect();
        tensor = permuted(w, &tensor, order, &ty.with_shape(shape.clone()));
    }
    if shape != realisation.result_shape {
        tensor = reshaped(w, &tensor, ty)?;
    }
    Ok(vec![tensor])
}

/// The tensor with its axes in this order.
pub(super) fn permuted(
    w: &mut Writer<'_>,
    tensor: &str,
    order: &[usize],
    ty: &TensorType,
) -> String {
    let call = Call::new("aten.permute.default").arg("self", tensor);
    w.emit(call.arg("dims", order), ty)
}

/// The tensor in another shape: that of the type.
pub(super) fn reshaped(
    w: &mut Writer<'_>,
    tensor: &str,
    ty: &TensorType,
) -> Result<String, Unwritten> {
    let shape = w.sizes(ty.shape.iter())?;
    let call = Call::new("aten.reshape.default").arg("self", tensor);
    Ok(w.emit(call.arg("shape", shape), ty))
}

pub(super) fn broadcast(w: &mut Writer<'_>, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let size = w.sizes(ty.shape.iter())?;
    let call = Call::new("aten.expand.default").arg("self", tensor);
    Ok(vec![w.emit(call.arg("size", size), ty)])
}

/// The end of a slice: one more than its last index.
fn end(start: &Dim, len: &Dim, step: i64) -> Dim {
    start + (len - 1) * step + 1
}

pub(super) fn slice(w: &mut Writer<'_>, op: &Slice, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let start = w.size(&op.start)?;
    let is_known = op.start.as_const().is_some() && op.len.as_const().is_some();
    let call = match is_known || op.step != 1 {
        true => {
            let end = w.size(&end(&op.start, &op.len, op.step))?;
            Call::new("aten.slice.Tensor")
                .arg("self", tensor)
                .arg("dim", op.axis)
                .arg("start", start)
                .arg("end", end)
                .arg("step", op.step)
        }
        false => {
            let length = w.size(&op.len)?;
            Call::new("aten.narrow.default")
                .arg("self", tensor)
                .arg("dim", op.axis)
                .arg("start", start)
                .arg("length", length)
        }
    };
    Ok(vec![w.emit(call, ty)])
}

pub(super) fn reverse(
    w: &mut Writer<'_>,
    op: &Reverse,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let call = Call::new("aten.flip.default").arg("self", tensor);
    Ok(vec![w.emit(call.arg("dims", op.axes.as_slice()), ty)])
}

pub(super) fn pad(w: &mut Writer<'_>, op: &Pad, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let (rank, is_padded) = (ty.rank(), |i: &usize| {
        !op.low[*i].is(0) || !op.high[*i].is(0)
    });
    let Some(first) = (0..rank).find(is_padded) else {
        return Ok(vec![tensor]);
    };
    let from = match op.mode {
        PadMode::Constant(_) => first,
        // Other modes pad all axes behind the first one or two.
        _ if first == 0 => {
            return Err(Unwritten::new(
                "PyTorch does not pad the first axis in this mode",
            ));
        }
        _ => first.min(2),
    };
    let axes = (from..rank).rev();
    let pad = w.sizes(axes.flat_map(|i| [&op.low[i], &op.high[i]]))?;
    let call = match op.mode {
        PadMode::Constant(value) => Call::new("aten.constant_pad_nd.default")
            .arg("self", tensor)
            .arg("pad", pad)
            .arg("value", literal(number_of(ty.dtype, value))),
        mode => Call::new("aten.pad.default")
            .arg("self", tensor)
            .arg("pad", pad)
            .arg("mode", text(name(mode))),
    };
    Ok(vec![w.emit(call, ty)])
}

/// A number as one of this dtype: a whole one for integers.
fn number_of(dtype: DType, value: Scalar) -> Scalar {
    match (dtype.is_float(), value) {
        (false, Scalar::Float(number)) => Scalar::Int(number as i64),
        (_, value) => value,
    }
}

fn name(mode: PadMode) -> &'static str {
    match mode {
        PadMode::Constant(_) => "constant",
        PadMode::Reflect => "reflect",
        PadMode::Replicate => "replicate",
        PadMode::Circular => "circular",
    }
}

pub(super) fn concat(w: &mut Writer<'_>, op: &Concat, x: &[Operand], y: &[TensorType]) -> Tensors {
    let tensors: Result<Vec<String>, Unwritten> = x.iter().map(|x| w.tensor(x)).collect();
    let call = Call::new("aten.cat.default").arg("tensors", Argument::Tensors(tensors?));
    Ok(vec![w.emit(call.arg("dim", op.axis), result(y)?)])
}

pub(super) fn slice_update(
    w: &mut Writer<'_>,
    op: &SliceUpdate,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (base, source) = (w.tensor(operand(x, 0)?)?, w.tensor(operand(x, 1)?)?);
    let len = &operand(x, 1)?.ty.shape[op.axis];
    let start = w.size(&op.start)?;
    let end = w.size(&end(&op.start, len, op.step))?;
    let call = Call::new("aten.slice_scatter.default")
        .arg("self", base)
        .arg("src", source)
        .arg("dim", op.axis)
        .arg("start", start)
        .arg("end", end)
        .arg("step", op.step);
    Ok(vec![w.emit(call, result(y)?)])
}
