//! Reductions.

use super::data::{permuted, reshaped};
use super::{Tensors, operand, result, single};
use crate::call::Call;
use crate::tensors::scalar_type;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{ArgFn, ArgReduce, Reduce, ReduceFn};
use kiln_ir::{Dim, TensorType};

pub(super) fn reduce(w: &mut Writer<'_>, op: &Reduce, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    // ATen takes no axes for all axes.
    if op.axes.is_empty() {
        return Ok(vec![tensor]);
    }
    let target = match op.f {
        ReduceFn::Sum => "aten.sum.dim_IntList",
        ReduceFn::Mean => "aten.mean.dim",
        ReduceFn::Max => "aten.amax.default",
        ReduceFn::Min => "aten.amin.default",
        ReduceFn::Any => "aten.any.dims",
        ReduceFn::All => "aten.all.dims",
        ReduceFn::Prod => return product(w, op, operand(x, 0)?, result(y)?),
    };
    let mut call = Call::new(target)
        .arg("self", tensor)
        .arg("dim", op.axes.as_slice())
        .arg("keepdim", true);
    // Sums of integers have 64 bits otherwise.
    if op.f == ReduceFn::Sum && !ty.dtype.is_float() {
        call = call.keyword("dtype", scalar_type(ty.dtype));
    }
    Ok(vec![w.emit(call, ty)])
}

/// ATen has products over one axis: the others are moved behind and merged with it, in the order in which they are multiplied.
fn product(w: &mut Writer<'_>, op: &Reduce, x: &Operand, y: &TensorType) -> Tensors {
    let mut tensor = w.tensor(x)?;
    let kept: Vec<usize> = (0..x.rank())
        .filter(|axis| !op.axes.contains(axis))
        .collect();
    if let [axis] = op.axes.as_slice() {
        return Ok(vec![w.emit(product_call(tensor, *axis, true, y), y)]);
    }
    let order = [kept.as_slice(), &op.axes].concat();
    let dims = |axes: &[usize]| -> Vec<Dim> {
        axes.iter().map(|&axis| x.ty.shape[axis].clone()).collect()
    };
    if !order.is_sorted() {
        tensor = permuted(w, &tensor, &order, &x.ty.with_shape(dims(&order)));
    }
    let mut rows = dims(&kept);
    rows.push(dims(&op.axes).into_iter().product());
    let tensor = reshaped(w, &tensor, &x.ty.with_shape(rows))?;
    let call = product_call(tensor, kept.len(), false, y);
    let tensor = w.emit(call, &y.with_shape(dims(&kept)));
    Ok(vec![reshaped(w, &tensor, y)?])
}

fn product_call(tensor: String, axis: usize, keep: bool, y: &TensorType) -> Call {
    let call = Call::new("aten.prod.dim_int")
        .arg("self", tensor)
        .arg("dim", axis)
        .arg("keepdim", keep);
    match y.dtype.is_float() {
        true => call,
        false => call.keyword("dtype", scalar_type(y.dtype)),
    }
}

pub(super) fn arg_reduce(
    w: &mut Writer<'_>,
    op: &ArgReduce,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let target = match op.f {
        ArgFn::Max => "aten.argmax.default",
        ArgFn::Min => "aten.argmin.default",
    };
    let call = Call::new(target)
        .arg("self", tensor)
        .arg("dim", op.axis)
        .arg("keepdim", true);
    Ok(vec![w.emit(call, ty)])
}
