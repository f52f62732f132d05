//! Numbers in order, and sizes as tensors.

use super::{Tensors, result};
use crate::call::Call;
use crate::tensors::{cpu, scalar_type};
use crate::writer::Writer;
use kiln_ir::TensorType;
use kiln_ir::ops::{DimValue, Iota};
use kiln_pt2::Argument;

pub(super) fn iota(w: &mut Writer<'_>, op: &Iota, y: &[TensorType]) -> Tensors {
    let end = w.size(&op.len)?;
    let call = Call::new("aten.arange.default")
        .arg("end", end)
        .keyword("dtype", scalar_type(op.dtype))
        .keyword("device", Argument::Device(Box::new(cpu())))
        .keyword("pin_memory", false);
    Ok(vec![w.emit(call, result(y)?)])
}

pub(super) fn dim_value(w: &mut Writer<'_>, op: &DimValue, y: &[TensorType]) -> Tensors {
    let (size, ty) = (w.size(&op.dim)?, result(y)?);
    let call = Call::new("aten.scalar_tensor.default")
        .arg("s", size)
        .keyword("dtype", scalar_type(ty.dtype));
    Ok(vec![w.emit(call, ty)])
}
