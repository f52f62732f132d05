//! Look-ups in a table of quantised rows, by the runtime's own kernels.
//!
//! `embedding_byte` reads rows of bytes, `embedding_4bit` rows of two integers to a byte, the first in the upper half. Both take scales by
//! row or by group of a row, and compute in f32 (`kernels/quantized/cpu/op_embedding.cpp`, `embeddingxb.cpp`). Their forms `dtype_out` round the
//! rows to the result's dtype.
//!
//! At an index that is negative or too large, `embedding_byte` ends the process. `embedding_4bit` looks at no index and would read outside
//! of its table. So a look-up of scales by the same indices stands in front of it, by a kernel that gives an error; except where
//! all indices are known to be of rows.

use super::context::Lower;
use super::elementwise::cast_tensor;
use super::indexing::{is_within, looked_up, rows};
use kiln_ir::content::LowHalf;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Dequantised, Index};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, Scalar, TensorData, TensorType, ValueId};
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
    let table = Table::of(cx, node.operands[0])?;
    let is_unchecked = table.is_packed && !is_within(cx, op, node.operands[1], table.sizes[0]);
    looked_up(cx, id, op, |cx, indices, shape, out| {
        if is_unchecked {
            let scales = [shape[0].clone(), Dim::constant(table.sizes[1] as i64)];
            let scales = cx.temporary(DType::F32, &scales)?;
            rows(cx, table.scale, indices, scales);
        }
        let found = match result {
            DType::F32 => out,
            // The kernel reads zero points, which it wants in the result's dtype, as numbers of the scales' dtype.
            DType::F16 | DType::BF16 if table.zero_point.is_none() => out,
            _ => cx.temporary(DType::F32, shape)?,
        };
        let is_rounded = found == out && result != DType::F32;
        table.call(cx, indices, found, is_rounded);
        if found != out {
            cast_tensor(cx, found, out);
        }
        Ok(())
    })
}

/// A table as a kernel's arguments.
struct Table {
    weight: ValueIndex,
    scale: ValueIndex,
    /// None where all are 0.
    zero_point: Option<ValueIndex>,
    /// The least and the greatest integer.
    range: (i64, i64),
    /// Rows, and scales of each.
    sizes: [usize; 2],
    /// True for two integers to a byte.
    is_packed: bool,
}

impl Table {
    fn of(cx: &mut Lower<'_, '_>, table: ValueId) -> Result<Table, Reason> {
        let missing = || Reason::new("a table is a quantised constant", "another value");
        let ty = cx.graph.ty(table).clone();
        let quant = ty.quant.as_ref().ok_or_else(missing)?;
        let data = constant_of(cx.graph, table).ok_or_else(missing)?;
        let (scales, zero_points) = parameters(&ty).ok_or_else(missing)?;
        let rows = data.sizes()[0];
        let sizes = [rows, (scales.len() / rows.max(1)).max(1)];
        let reals = |numbers: Vec<f64>| {
            let scalars = numbers.into_iter().map(Scalar::Float);
            TensorData::from_scalars(DType::F32, sizes.to_vec(), scalars)
        };
        let is_packed = is_packed(&ty, quant);
        let weight = match is_packed {
            false => Some(data),
            true => data.packed(LowHalf::Second),
        };
        let weight = weight.ok_or_else(|| Reason::new("rows have pairs of integers", "others"))?;
        Ok(Table {
            weight: cx.literal(weight),
            zero_point: match zero_points.iter().all(|&z| z == 0) {
                true => None,
                false => {
                    let reals = reals(zero_points.iter().map(|&z| z as f64).collect());
                    Some(cx.literal(reals))
                }
            },
            scale: cx.literal(reals(scales)),
            range: (quant.min, quant.max),
            sizes,
            is_packed,
        })
    }

    /// Writes the rows. With `is_rounded`, `rows` has a dtype of its own, and the kernel rounds its products in f32 to that.
    fn call(
        &self,
        cx: &mut Lower<'_, '_>,
        indices: ValueIndex,
        rows: ValueIndex,
        is_rounded: bool,
    ) {
        let kernel = match (self.is_packed, is_rounded) {
            (false, false) => "quantized_decomposed::embedding_byte.out",
            (false, true) => "quantized_decomposed::embedding_byte.dtype_out",
            (true, false) => "quantized_decomposed::embedding_4bit.out",
            (true, true) => "quantized_decomposed::embedding_4bit.dtype_out",
        };
        let zero_point = self.zero_point.unwrap_or_else(|| cx.draft.none());
        let (min, max) = (cx.draft.int(self.range.0), cx.draft.int(self.range.1));
        let mut arguments = vec![self.weight, self.scale, zero_point, min, max, indices];
        if is_rounded {
            arguments.push(cx.draft.none());
        }
        cx.draft.call(kernel, &arguments, &[rows]);
    }
}
