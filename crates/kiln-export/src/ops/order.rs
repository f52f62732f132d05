//! Scans, sorts and extremes in order.

use super::{Tensors, operand, single};
use crate::call::Call;
use crate::error::Unwritten;
use crate::tensors::scalar_type;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Scan, ScanFn, Sort, TopK};
use kiln_ir::{DType, TensorType};

pub(super) fn scan(w: &mut Writer<'_>, op: &Scan, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let target = match op.f {
        ScanFn::Sum => "aten.cumsum.default",
        ScanFn::Prod => "aten.cumprod.default",
        ScanFn::Max => "aten.cummax.default",
        ScanFn::Min => "aten.cummin.default",
    };
    let mut call = Call::new(target).arg("self", tensor).arg("dim", op.axis);
    match op.f {
        ScanFn::Sum | ScanFn::Prod => {
            if !ty.dtype.is_float() {
                call = call.keyword("dtype", scalar_type(ty.dtype));
            }
            Ok(vec![w.emit(call, ty)])
        }
        ScanFn::Max | ScanFn::Min => {
            let [values, _] = w.emit_all(call, [ty, &ty.with_dtype(DType::I64)]);
            Ok(vec![values])
        }
    }
}

fn pair(y: &[TensorType]) -> Result<[&TensorType; 2], Unwritten> {
    match y {
        [values, indices] => Ok([values, indices]),
        _ => Err(Unwritten::new("it gives elements and indices")),
    }
}

pub(super) fn sort(w: &mut Writer<'_>, op: &Sort, x: &[Operand], y: &[TensorType]) -> Tensors {
    let call = Call::new("aten.sort.stable")
        .arg("self", w.tensor(operand(x, 0)?)?)
        .keyword("stable", true)
        .keyword("dim", op.axis)
        .keyword("descending", op.descending);
    Ok(w.emit_all(call, pair(y)?).into())
}

pub(super) fn top_k(w: &mut Writer<'_>, op: &TopK, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, k) = (w.tensor(operand(x, 0)?)?, w.size(&op.k)?);
    let call = Call::new("aten.topk.default")
        .arg("self", tensor)
        .arg("k", k)
        .arg("dim", op.axis)
        .arg("largest", op.largest)
        .arg("sorted", true);
    Ok(w.emit_all(call, pair(y)?).into())
}
