//! Softmax, normalisations and attention.

use super::contraction::optional;
use super::{Tensors, operand, result, single};
use crate::call::Call;
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::TensorType;
use kiln_ir::ops::{Attention, NormKind, Normalize, Softmax};

/// What running statistics would take in; inference does not.
const MOMENTUM: f64 = 0.1;

pub(super) fn softmax(
    w: &mut Writer<'_>,
    op: &Softmax,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let target = match op.log {
        true => "aten.log_softmax.int",
        false => "aten.softmax.int",
    };
    let call = Call::new(target).arg("self", tensor).arg("dim", op.axis);
    Ok(vec![w.emit(call, ty)])
}

pub(super) fn normalize(
    w: &mut Writer<'_>,
    op: &Normalize,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (input, ty) = (w.tensor(operand(x, 0)?)?, result(y)?);
    let (weight, bias) = op.affine_operands(x.len());
    let weight = optional(w, weight.and_then(|i| x.get(i)))?;
    let has_bias = bias.is_some();
    let bias = optional(w, bias.and_then(|i| x.get(i)))?;
    let rows = |axes: usize| &ty.shape[ty.rank() - axes..];
    let call = match op.kind {
        NormKind::Layer { axes } => {
            let shape = w.sizes(rows(axes))?;
            Call::new("aten.layer_norm.default")
                .arg("input", input)
                .arg("normalized_shape", shape)
                .arg("weight", weight)
                .arg("bias", bias)
                .arg("eps", op.eps)
        }
        NormKind::Rms { .. } if has_bias => {
            return Err(Unwritten::new("PyTorch's norm by mean squares has no bias"));
        }
        NormKind::Rms { axes } => {
            let shape = w.sizes(rows(axes))?;
            Call::new("aten.rms_norm.default")
                .arg("input", input)
                .arg("normalized_shape", shape)
                .arg("weight", weight)
                .arg("eps", op.eps)
        }
        NormKind::Group { groups } => Call::new("aten.group_norm.default")
            .arg("input", input)
            .arg("num_groups", groups)
            .arg("weight", weight)
            .arg("bias", bias)
            .arg("eps", op.eps),
        NormKind::Batch => Call::new("aten.batch_norm.default")
            .arg("input", input)
            .arg("weight", weight)
            .arg("bias", bias)
            .arg("running_mean", statistics(w, operand(x, 1)?)?)
            .arg("running_var", statistics(w, operand(x, 2)?)?)
            .arg("training", false)
            .arg("momentum", MOMENTUM)
            .arg("eps", op.eps)
            .arg("cudnn_enabled", false),
    };
    Ok(vec![w.emit(call, ty)])
}

/// Running statistics. Where they equal a parameter, the graph has both as one constant, and PyTorch refuses statistics that could have
/// gradients.
fn statistics(w: &mut Writer<'_>, x: &Operand) -> Result<String, Unwritten> {
    let tensor = w.tensor(x)?;
    if !w.has_gradient(&tensor) {
        return Ok(tensor);
    }
    let call = Call::new("aten.detach.default").arg("self", tensor);
    Ok(w.emit(call, &x.ty))
}

pub(super) fn attention(
    w: &mut Writer<'_>,
    op: &Attention,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    if op.causal && x.len() > 3 {
        return Err(Unwritten::new(
            "PyTorch takes a mask or is_causal, not both",
        ));
    }
    let mut call = Call::new("aten.scaled_dot_product_attention.default")
        .arg("query", w.tensor(operand(x, 0)?)?)
        .arg("key", w.tensor(operand(x, 1)?)?)
        .arg("value", w.tensor(operand(x, 2)?)?)
        .arg("attn_mask", optional(w, x.get(3))?)
        .arg("dropout_p", 0.0)
        .arg("is_causal", op.causal);
    if let Some(scale) = op.scale {
        call = call.keyword("scale", scale);
    }
    if op.grouped {
        call = call.keyword("enable_gqa", true);
    }
    Ok(vec![w.emit(call, result(y)?)])
}
