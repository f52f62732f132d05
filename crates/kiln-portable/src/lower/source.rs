//! Families that make values without operands, or from symbols or state.

use super::context::Lower;
use super::elementwise::cast_tensor;
use kiln_ir::ops::{BindSymbol, DimValue, Iota};
use kiln_ir::{DType, NodeId, TensorData};
use kiln_transforms::framework::target::Reason;

pub(super) fn dim_value(cx: &mut Lower<'_, '_>, id: NodeId, op: &DimValue) -> Result<(), Reason> {
    if let Some(known) = op.dim.as_const() {
        let tensor = cx.literal(TensorData::from_i64(Vec::new(), &[known]));
        cx.bind_tensor(cx.graph.node(id).results[0], tensor);
        return Ok(());
    }
    let (sizes, value) = (cx.draft.int_list(Vec::new()), cx.size(&op.dim)?);
    let out = cx.result(id, 0)?;
    cx.draft.call("aten::full.out", &[sizes, value], &[out]);
    Ok(())
}

pub(super) fn bind_symbol(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &BindSymbol,
) -> Result<(), Reason> {
    let tensor = cx.tensor(cx.graph.node(id).operands[0])?;
    Lower::bind_symbol(cx, op.symbol, tensor);
    Ok(())
}

pub(super) fn iota(cx: &mut Lower<'_, '_>, id: NodeId, op: &Iota) -> Result<(), Reason> {
    let (start, end, step) = (cx.draft.int(0), cx.size(&op.len)?, cx.draft.int(1));
    let out = cx.result(id, 0)?;
    let counted = match op.dtype {
        // The kernel does not make bf16.
        DType::BF16 => cx.temporary(DType::I64, std::slice::from_ref(&op.len))?,
        _ => out,
    };
    cx.draft
        .call("aten::arange.start_out", &[start, end, step], &[counted]);
    if counted != out {
        cast_tensor(cx, counted, out);
    }
    Ok(())
}
