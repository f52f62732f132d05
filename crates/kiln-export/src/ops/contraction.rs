//! Products of matrices, convolutions and distances.

use super::{Tensors, operand, result};
use crate::call::Call;
use crate::constants::literal;
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Conv, Distances};
use kiln_ir::{Dim, Scalar, TensorType};
use kiln_pt2::Argument;

pub(super) fn matmul(w: &mut Writer<'_>, x: &[Operand], y: &[TensorType]) -> Tensors {
    let call = Call::new("aten.matmul.default")
        .arg("self", w.tensor(operand(x, 0)?)?)
        .arg("other", w.tensor(operand(x, 1)?)?);
    Ok(vec![w.emit(call, result(y)?)])
}

/// The tensor of an operand that may be absent.
pub(super) fn optional(w: &mut Writer<'_>, x: Option<&Operand>) -> Result<Argument, Unwritten> {
    Ok(match x {
        Some(x) => Argument::Tensor(w.tensor(x)?),
        None => Argument::None,
    })
}

pub(super) fn linear(w: &mut Writer<'_>, x: &[Operand], y: &[TensorType]) -> Tensors {
    let mut call = Call::new("aten.linear.default")
        .arg("input", w.tensor(operand(x, 0)?)?)
        .arg("weight", w.tensor(operand(x, 1)?)?);
    if let Some(bias) = x.get(2) {
        call = call.arg("bias", w.tensor(bias)?);
    }
    Ok(vec![w.emit(call, result(y)?)])
}

pub(super) fn conv(w: &mut Writer<'_>, op: &Conv, x: &[Operand], y: &[TensorType]) -> Tensors {
    let spatial = op.spatial();
    if !(1..=3).contains(&spatial) {
        return Err(Unwritten::new(format!(
            "ATen has no convolution over {spatial} axes"
        )));
    }
    let (mut input, weight) = (w.tensor(operand(x, 0)?)?, w.tensor(operand(x, 1)?)?);
    let bias = optional(w, x.get(2))?;
    let mut padding = op.pad_low.clone();
    let mut output_padding = op.output_padding.clone();
    if op.pad_low != op.pad_high {
        match op.transposed {
            true => widen(op, &mut output_padding)?,
            false => {
                input = padded(w, op, operand(x, 0)?, &input).0;
                padding = vec![0; spatial];
            }
        }
    }
    let call = match op.transposed {
        true => {
            let overload = if spatial == 1 { "default" } else { "input" };
            Call::new(format!("aten.conv_transpose{spatial}d.{overload}"))
                .arg("input", input)
                .arg("weight", weight)
                .arg("bias", bias)
                .arg("stride", op.stride.as_slice())
                .arg("padding", padding.as_slice())
                .arg("output_padding", output_padding.as_slice())
                .arg("groups", op.groups)
                .arg("dilation", op.dilation.as_slice())
        }
        false => Call::new(format!("aten.conv{spatial}d.default"))
            .arg("input", input)
            .arg("weight", weight)
            .arg("bias", bias)
            .arg("stride", op.stride.as_slice())
            .arg("padding", padding.as_slice())
            .arg("dilation", op.dilation.as_slice())
            .arg("groups", op.groups),
    };
    Ok(vec![w.emit(call, result(y)?)])
}

/// Adds the zeros of a convolution whose padding differs between the sides: the tensor and its type.
pub(super) fn padded(
    w: &mut Writer<'_>,
    op: &Conv,
    x: &Operand,
    input: &str,
) -> (String, TensorType) {
    let (mut shape, mut pad) = (x.ty.shape.clone(), Vec::new());
    for i in 0..op.spatial() {
        shape[i + 2] = &shape[i + 2] + &Dim::constant(op.pad_low[i] + op.pad_high[i]);
    }
    for i in (0..op.spatial()).rev() {
        pad.extend([op.pad_low[i], op.pad_high[i]]);
    }
    let call = Call::new("aten.constant_pad_nd.default")
        .arg("self", input)
        .arg("pad", pad.as_slice())
        .arg("value", literal(Scalar::Float(0.0)));
    let ty = x.ty.with_shape(shape);
    (w.emit(call, &ty), ty)
}

/// Less cropped behind is more added behind.
fn widen(op: &Conv, output_padding: &mut [i64]) -> Result<(), Unwritten> {
    for (i, added) in output_padding.iter_mut().enumerate() {
        *added += op.pad_low[i] - op.pad_high[i];
        if !(0..op.stride[i].max(op.dilation[i])).contains(added) {
            return Err(Unwritten::new(format!(
                "a transposed convolution is cropped by {} and {}",
                op.pad_low[i], op.pad_high[i]
            )));
        }
    }
    Ok(())
}

/// Without products of matrices, which round otherwise.
const BY_DIFFERENCES: i64 = 2;

pub(super) fn distances(
    w: &mut Writer<'_>,
    op: &Distances,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let call = Call::new("aten.cdist.default")
        .arg("x1", w.tensor(operand(x, 0)?)?)
        .arg("x2", w.tensor(operand(x, 1)?)?)
        .arg("p", op.p)
        .arg("compute_mode", BY_DIFFERENCES);
    Ok(vec![w.emit(call, result(y)?)])
}
