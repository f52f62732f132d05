//! Look-ups in a table of quantised rows, by the runtime's own kernels.
//!
//! `embedding_byte` reads rows of bytes, `embedding_4bit` rows of two integers to a byte, the first in the upper half. Both take scales by
//! row or by group of a row, and give f32 (`kernels/quantized/cpu/op_embedding.cpp`, `embeddingxb.cpp`).

use super::context::Lower;
use super::elementwise::cast_tensor;
use super::indexing::looked_up;
use kiln_ir::content::LowHalf;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Dequantised, Index};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData, TensorType};
use kiln_pte::ValueIndex;
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

/// Refuses look-ups for which there is no kernel.
pub(super) fn check(graph: &Graph, node: &Node, op: &Dequantised) -> Result<(), Reason> {
    let rule = "a kernel looks up rows of a constant matrix of 8-bit integers";
    let refused = |found: String| Err(Reason::new(rule, found));
    let (Op::Index(Index { axis: 0, .. }), &[table, _], None) =
        (&*op.op, &node.operands[..], &op.activation)
    else {
        return refused(format!("{} on quantised operands", op.op.name()));
    };
    let ty = graph.ty(table);
    let is_table = ty.rank() == 2 && matches!(ty.dtype, DType::I8 | DType::U8);
    let is_known = ty.shape.as_static().is_some() && constant_of(graph, table).is_some();
    if !is_table || !is_known || parameters(ty).is_none() {
        return refused(format!("{ty:?}"));
    }
    match op.dtype {
        DType::F32 | DType::F16 | DType::BF16 => Ok(()),
        other => refused(format!("rows of {other}")),
    }
}

/// The scales and zero points of a table, whose rows each have one pair, or one for each group.
fn parameters(ty: &TensorType) -> Option<(Vec<f64>, Vec<i64>)> {
    let quant = ty.quant.as_ref()?;
    let (scales, zero_points) = (quant.scheme.scales(), quant.scheme.zero_points());
    match &quant.scheme {
        QuantScheme::PerChannel { axis: 0, .. } | QuantScheme::PerGroup { .. } => {
            Some((scales.to_vec(), zero_points.to_vec()))
        }
        QuantScheme::PerTensor { scale, zero_point } => {
            let rows = usize::try_from(ty.shape[0].as_const()?).ok()?;
            Some((vec![*scale; rows], vec![*zero_point; rows]))
        }
        QuantScheme::PerChannel { .. } => None,
    }
}

/// True if two integers of the table fit a byte.
fn is_packed(ty: &TensorType, quant: &Quant) -> bool {
    let is_even = ty.shape[1].as_const().is_some_and(|n| n % 2 == 0);
    ty.dtype == DType::I8 && quant.min >= -8 && quant.max <= 7 && is_even
}

pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let node = cx.graph.node(id).clone();
    let Op::Dequantised(Dequantised { op, .. }) = &node.op else {
        return Err(Reason::new("a table is looked up", node.op.name()));
    };
    let Op::Index(op) = &**op else {
        return Err(Reason::new("a table is looked up", op.name()));
    };
    let result = cx.graph.ty(node.result()).dtype;
    let (kernel, arguments) = table_arguments(cx, node.operands[0])?;
    looked_up(cx, id, op, |cx, indices, shape, out| {
        let rows = match result {
            DType::F32 => out,
            _ => cx.temporary(DType::F32, shape)?,
        };
        let arguments = [&arguments[..], &[indices]].concat();
        cx.draft.call(kernel, &arguments, &[rows]);
        if rows != out {
            cast_tensor(cx, rows, out);
        }
        Ok(())
    })
}

/// The kernel, and its arguments in front of the indices.
fn table_arguments(
    cx: &mut Lower<'_, '_>,
    table: kiln_ir::ValueId,
) -> Result<(&'static str, Vec<ValueIndex>), Reason> {
    let missing = || Reason::new("a table is a quantised constant", "another value");
    let ty = cx.graph.ty(table).clone();
    let quant = ty.quant.as_ref().ok_or_else(missing)?;
    let data = constant_of(cx.graph, table).ok_or_else(missing)?;
    let (scales, zero_points) = parameters(&ty).ok_or_else(missing)?;
    let rows = data.sizes()[0];
    let shape = match scales.len() / rows.max(1) {
        1 => vec![rows],
        groups => vec![rows, groups],
    };
    let reals = |numbers: Vec<f64>| {
        let scalars = numbers.into_iter().map(Scalar::Float);
        TensorData::from_scalars(DType::F32, shape.clone(), scalars)
    };
    let zero_point = match zero_points.iter().all(|&z| z == 0) {
        true => cx.draft.none(),
        false => cx.literal(reals(zero_points.iter().map(|&z| z as f64).collect())),
    };
    let scale = cx.literal(reals(scales.to_vec()));
    let (kernel, weight) = match is_packed(&ty, quant) {
        false => ("quantized_decomposed::embedding_byte.out", cx.literal(data)),
        true => {
            let packed = data.packed(LowHalf::Second);
            let packed =
                packed.ok_or_else(|| Reason::new("rows have pairs of integers", "others"))?;
            (
                "quantized_decomposed::embedding_4bit.out",
                cx.literal(packed),
            )
        }
    };
    let (min, max) = (cx.draft.int(quant.min), cx.draft.int(quant.max));
    Ok((kernel, vec![weight, scale, zero_point, min, max]))
}
