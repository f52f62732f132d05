//! Softmax and normalisations. Their kernels also write statistics, which need memory even if nothing reads them.

use super::context::Lower;
use super::contraction::optional;
use super::dtypes::DTypes;
use super::empty;
use kiln_ir::graph::Node;
use kiln_ir::ops::{NormKind, Normalize, Softmax};
use kiln_ir::{DType, Dim, Graph, NodeId, Scalar, TensorType};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

pub(super) fn check_softmax(graph: &Graph, node: &Node, op: &Softmax) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    match op.log {
        true => DTypes::FLOATS
            .but(DType::F64)
            .check("aten::_log_softmax.out", dtype),
        false => DTypes::FLOATS.check("aten::_softmax.out", dtype),
    }
}

pub(super) fn softmax(cx: &mut Lower<'_, '_>, id: NodeId, op: &Softmax) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let (axis, half_to_float) = (cx.draft.int(op.axis as i64), cx.draft.bool(false));
    let out = cx.result(id, 0)?;
    let args = [x, axis, half_to_float];
    if !op.log {
        cx.draft.call("aten::_softmax.out", &args, &[out]);
        return Ok(());
    }
    let shape = cx.graph.ty(node.operands[0]).shape.clone();
    empty::unless_zero(
        cx,
        &shape[op.axis..],
        |cx| cx.draft.call("aten::_log_softmax.out", &args, &[out]),
        |cx| empty::fill(cx, out, &shape, Scalar::Int(0)),
    )
}

pub(super) fn check_normalize(graph: &Graph, node: &Node, op: &Normalize) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    // Their sums are in f32, also of f64 (`reduce_add` and `vec_powerf` of ExecuTorch's `vec_ops.h`).
    let summed_in_f32 = DTypes::FLOATS.but(DType::F64);
    match op.kind {
        NormKind::Layer { .. } => summed_in_f32.check("aten::native_layer_norm.out", dtype),
        NormKind::Group { .. } => summed_in_f32.check("aten::native_group_norm.out", dtype),
        NormKind::Batch => Ok(()),
        NormKind::Rms { .. } => Err(Reason::new(
            "a normalisation by the mean square has no kernel",
            "rms",
        )),
    }
}

pub(super) fn normalize(cx: &mut Lower<'_, '_>, id: NodeId, op: &Normalize) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let operands = node.operands.clone();
    let ty = cx.graph.ty(operands[0]).clone();
    let x = cx.tensor(operands[0])?;
    let (weight, bias) = op.affine_operands(operands.len());
    let weight = optional(cx, weight.map(|i| &operands[i]))?;
    let bias = optional(cx, bias.map(|i| &operands[i]))?;
    match op.kind {
        NormKind::Layer { axes } => layer(cx, id, op.eps, [x, weight, bias], &ty, axes),
        NormKind::Group { groups } => group(cx, id, op.eps, [x, weight, bias], &ty, groups),
        NormKind::Batch => {
            let (mean, variance) = (cx.tensor(operands[1])?, cx.tensor(operands[2])?);
            let (momentum, eps) = (cx.draft.double(0.0), cx.draft.double(op.eps));
            let out = cx.result(id, 0)?;
            let nothing = [Dim::constant(0)];
            let saved = [
                cx.temporary(ty.dtype, &nothing)?,
                cx.temporary(ty.dtype, &nothing)?,
            ];
            let args = [x, weight, bias, mean, variance, momentum, eps];
            cx.draft.call(
                "aten::_native_batch_norm_legit_no_training.out",
                &args,
                &[out, saved[0], saved[1]],
            );
            Ok(())
        }
        NormKind::Rms { .. } => super::unreachable_after_check(),
    }
}

fn layer(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    eps: f64,
    [x, weight, bias]: [ValueIndex; 3],
    ty: &TensorType,
    axes: usize,
) -> Result<(), Reason> {
    let outer = ty.rank() - axes;
    let normalized = cx.sizes(&ty.shape[outer..])?;
    let mut statistics = ty.shape.to_vec();
    statistics[outer..].fill(Dim::constant(1));
    let eps = cx.draft.double(eps);
    let out = cx.result(id, 0)?;
    let saved = [
        cx.temporary(ty.dtype, &statistics)?,
        cx.temporary(ty.dtype, &statistics)?,
    ];
    cx.draft.call(
        "aten::native_layer_norm.out",
        &[x, normalized, weight, bias, eps],
        &[out, saved[0], saved[1]],
    );
    Ok(())
}

fn group(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    eps: f64,
    [x, weight, bias]: [ValueIndex; 3],
    ty: &TensorType,
    groups: usize,
) -> Result<(), Reason> {
    let inner: Dim = ty.shape[2..].iter().cloned().product();
    let sizes = [
        cx.size(&ty.shape[0])?,
        cx.size(&ty.shape[1])?,
        cx.size(&inner)?,
    ];
    let (count, eps) = (cx.draft.int(groups as i64), cx.draft.double(eps));
    let statistics = [ty.shape[0].clone(), Dim::constant(groups as i64)];
    let out = cx.result(id, 0)?;
    let saved = [
        cx.temporary(ty.dtype, &statistics)?,
        cx.temporary(ty.dtype, &statistics)?,
    ];
    let args = [x, weight, bias, sizes[0], sizes[1], sizes[2], count, eps];
    cx.draft.call(
        "aten::native_group_norm.out",
        &args,
        &[out, saved[0], saved[1]],
    );
    Ok(())
}
