//! Quantised types. Kernels convert between them and floats, and move their integers. No kernel computes with them.

use super::context::Lower;
use super::dtypes::DTypes;
use super::elementwise::cast_tensor;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Dequantize, Quantize, Requantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// Refuses a family that would compute with quantised integers.
pub(super) fn refuse_quantised(graph: &Graph, node: &Node, family: &str) -> Result<(), Reason> {
    let mut values = node.operands.iter().chain(&node.results);
    match values.find(|&&v| graph.ty(v).quant.is_some()) {
        None => Ok(()),
        Some(_) => Err(Reason::new(
            "kernels compute on floats and plain integers",
            format!("a quantised {family}"),
        )
        .advise("dequantize before it and quantize behind it")),
    }
}

const QUANTISED: DTypes = DTypes::INTS.but(DType::I64);

pub(super) fn check(graph: &Graph, node: &Node) -> Result<(), Reason> {
    for &value in node.operands.iter().chain(&node.results) {
        let ty = graph.ty(value);
        match &ty.quant {
            None => {
                DTypes::FLOATS.check("quantized_decomposed::quantize_per_tensor.out", ty.dtype)?
            }
            Some(quant) => {
                QUANTISED.check("quantized_decomposed::quantize_per_tensor.out", ty.dtype)?;
                check_scheme(quant)?;
            }
        }
    }
    // A requantisation through real numbers would round twice.
    match node.op {
        Op::Requantize(_) => Err(Reason::new("a requantisation has no kernel", "one")),
        _ => Ok(()),
    }
}

fn check_scheme(quant: &Quant) -> Result<(), Reason> {
    match quant.scheme {
        QuantScheme::PerTensor { .. } | QuantScheme::PerChannel { .. } => Ok(()),
        QuantScheme::PerGroup { .. } => Err(Reason::new(
            "kernels quantise per tensor or per channel",
            "per group",
        )),
    }
}

pub(super) fn quantize(cx: &mut Lower<'_, '_>, id: NodeId, op: &Quantize) -> Result<(), Reason> {
    let operand = cx.graph.node(id).operands[0];
    let ty = cx.graph.ty(operand).clone();
    let mut x = cx.tensor(operand)?;
    if ty.dtype == DType::BF16 {
        // The kernels do not take this type.
        let wide = cx.temporary(DType::F32, &ty.shape)?;
        cast_tensor(cx, x, wide);
        x = wide;
    }
    let (suffix, mut args) = parameters(cx, &op.quant, x);
    args.push(cx.draft.dtype(op.dtype));
    let out = cx.result(id, 0)?;
    let kernel = format!("quantized_decomposed::quantize_{suffix}.out");
    cx.draft.call(&kernel, &args, &[out]);
    Ok(())
}

pub(super) fn dequantize(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &Dequantize,
) -> Result<(), Reason> {
    let operand = cx.graph.node(id).operands[0];
    let ty = cx.graph.ty(operand).clone();
    let quant = ty
        .quant
        .ok_or_else(|| Reason::new("the operand is quantised", "a plain one"))?;
    let x = cx.tensor(operand)?;
    let (suffix, mut args) = parameters(cx, &quant, x);
    let out = cx.result(id, 0)?;
    let (dtype, reals) = match op.dtype {
        DType::BF16 => (DType::F32, cx.temporary(DType::F32, &ty.shape)?),
        dtype => (dtype, out),
    };
    args.extend([cx.draft.dtype(ty.dtype), cx.draft.dtype(dtype)]);
    let kernel = format!("quantized_decomposed::dequantize_{suffix}.out");
    cx.draft.call(&kernel, &args, &[reals]);
    if reals != out {
        cast_tensor(cx, reals, out);
    }
    Ok(())
}

pub(super) fn requantize(_: &mut Lower<'_, '_>, _: NodeId, _: &Requantize) -> Result<(), Reason> {
    super::unreachable_after_check()
}

/// The suffix of the kernel's name, and its arguments before the integer range.
fn parameters(
    cx: &mut Lower<'_, '_>,
    quant: &Quant,
    x: ValueIndex,
) -> (&'static str, Vec<ValueIndex>) {
    let range = [cx.draft.int(quant.min), cx.draft.int(quant.max)];
    match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => {
            let (scale, zero_point) = (cx.draft.double(*scale), cx.draft.int(*zero_point));
            ("per_tensor", vec![x, scale, zero_point, range[0], range[1]])
        }
        QuantScheme::PerChannel {
            axis,
            scales,
            zero_points,
        } => {
            let reals = scales.iter().map(|&s| Scalar::Float(s));
            let scales = TensorData::from_scalars(DType::F64, vec![scales.len()], reals);
            let zero_points = TensorData::from_i64(vec![zero_points.len()], zero_points);
            let (scales, zero_points) = (cx.literal(scales), cx.literal(zero_points));
            let axis = cx.draft.int(*axis as i64);
            (
                "per_channel",
                vec![x, scales, zero_points, axis, range[0], range[1]],
            )
        }
        QuantScheme::PerGroup { .. } => ("per_group", Vec::new()),
    }
}
