//! Reductions.

use super::{Tensors, operand, result, single};
use crate::call::Call;
use crate::tensors::scalar_type;
use crate::writer::{Operand, Writer};
use kiln_ir::TensorType;
use kiln_ir::ops::{ArgFn, ArgReduce, Reduce, ReduceFn};

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

/// ATen has products over one axis.
fn product(w: &mut Writer<'_>, op: &Reduce, x: &Operand, y: &TensorType) -> Tensors {
    let (mut tensor, mut ty) = (w.tensor(x)?, x.ty.clone());
    for &axis in &op.axes {
        ty.shape[axis] = 1.into();
        let mut call = Call::new("aten.prod.dim_int")
            .arg("self", tensor)
            .arg("dim", axis)
            .arg("keepdim", true);
        if !y.dtype.is_float() {
            call = call.keyword("dtype", scalar_type(y.dtype));
        }
        tensor = w.emit(call, &ty);
    }
    Ok(vec![tensor])
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
