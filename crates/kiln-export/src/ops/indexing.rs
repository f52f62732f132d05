//! Look-ups, and writes at positions that are known only while running.

use super::elementwise::converted;
use super::{Tensors, operand, result};
use crate::call::{Call, text};
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Gather, Index, IndexPut, Scatter, ScatterFn};
use kiln_ir::{DType, TensorType};
use kiln_pt2::Argument;

/// The indices of consecutive axes, the first of which is `axis`.
fn indices(w: &mut Writer<'_>, axis: usize, x: &[Operand]) -> Result<Argument, Unwritten> {
    let mut all = vec![None; axis];
    for index in x {
        all.push(Some(integers(w, index)?));
    }
    Ok(Argument::OptionalTensors(all))
}

/// The tensor of an index. Narrow ones are flags for ATen.
fn integers(w: &mut Writer<'_>, index: &Operand) -> Result<String, Unwritten> {
    let tensor = w.tensor(index)?;
    Ok(match index.ty.dtype {
        DType::I64 | DType::I32 => tensor,
        _ => converted(w, &tensor, &index.ty.with_dtype(DType::I64)),
    })
}

pub(super) fn index(w: &mut Writer<'_>, op: &Index, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (table, ty) = (operand(x, 0)?, result(y)?);
    let tensor = w.tensor(table)?;
    if op.from_start && op.axis == 0 && x.len() == 2 && table.rank() == 2 {
        let index = integers(w, operand(x, 1)?)?;
        let call = Call::new("aten.embedding.default").arg("weight", tensor);
        return Ok(vec![w.emit(call.arg("indices", index), ty)]);
    }
    if op.axis == 0 && x.len() == 2 {
        let index = integers(w, operand(x, 1)?)?;
        let indices = Argument::Tensors(vec![index]);
        let call = Call::new("aten.index.Tensor").arg("self", tensor);
        return Ok(vec![w.emit(call.arg("indices", indices), ty)]);
    }
    let indices = indices(w, op.axis, &x[1..])?;
    let call = Call::new("aten.index.Tensor").arg("self", tensor);
    Ok(vec![w.emit(call.arg("indices", indices), ty)])
}

pub(super) fn index_put(
    w: &mut Writer<'_>,
    op: &IndexPut,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let [base, values, index @ ..] = x else {
        return Err(Unwritten::new("it takes elements, values and indices"));
    };
    let (base, values) = (w.tensor(base)?, w.tensor(values)?);
    let indices = indices(w, op.axis, index)?;
    let call = Call::new("aten.index_put.default")
        .arg("self", base)
        .arg("indices", indices)
        .arg("values", values)
        .arg("accumulate", op.accumulate);
    Ok(vec![w.emit(call, result(y)?)])
}

/// The tensor of an index of `gather` and `scatter`, which have 64 bits.
fn wide(w: &mut Writer<'_>, index: &Operand) -> Result<String, Unwritten> {
    let tensor = w.tensor(index)?;
    Ok(match index.ty.dtype {
        DType::I64 => tensor,
        _ => converted(w, &tensor, &index.ty.with_dtype(DType::I64)),
    })
}

pub(super) fn gather(w: &mut Writer<'_>, op: &Gather, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, index) = (w.tensor(operand(x, 0)?)?, wide(w, operand(x, 1)?)?);
    let call = Call::new("aten.gather.default")
        .arg("self", tensor)
        .arg("dim", op.axis)
        .arg("index", index);
    Ok(vec![w.emit(call, result(y)?)])
}

pub(super) fn scatter(
    w: &mut Writer<'_>,
    op: &Scatter,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (base, index) = (w.tensor(operand(x, 0)?)?, wide(w, operand(x, 1)?)?);
    let source = w.tensor(operand(x, 2)?)?;
    let (target, reduce) = match op.f {
        ScatterFn::Set => ("aten.scatter.src", None),
        ScatterFn::Add => ("aten.scatter_add.default", None),
        ScatterFn::Mul => ("aten.scatter_reduce.two", Some("prod")),
        ScatterFn::Max => ("aten.scatter_reduce.two", Some("amax")),
        ScatterFn::Min => ("aten.scatter_reduce.two", Some("amin")),
    };
    let mut call = Call::new(target)
        .arg("self", base)
        .arg("dim", op.axis)
        .arg("index", index)
        .arg("src", source);
    if let Some(reduce) = reduce {
        call = call.arg("reduce", text(reduce));
    }
    Ok(vec![w.emit(call, result(y)?)])
}
