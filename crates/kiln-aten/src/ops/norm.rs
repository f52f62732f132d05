//! The norm of vectors, which several ops share.

use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, ValueId};

/// The norm of order `p` over ascending axes, which stay with size 1 or go. Half types are computed in f32.
pub(super) fn norm_along(
    cx: &mut Importer<'_>,
    x: ValueId,
    p: f64,
    axes: &[usize],
    keep: bool,
) -> Result<ValueId, Problem> {
    let own = cx.dtype(x);
    let x = widened(cx, x)?;
    let found = if p == 0.0 {
        let set = cx.cast(x, DType::Bool)?;
        let dtype = cx.dtype(x);
        let ones = cx.cast(set, dtype)?;
        cx.reduce(ReduceFn::Sum, ones, axes, keep)?
    } else if p == 2.0 {
        let square = cx.unary(Simple::Square, x)?;
        let sum = cx.reduce(ReduceFn::Sum, square, axes, keep)?;
        cx.unary(Simple::Sqrt, sum)?
    } else {
        let size = cx.unary(Simple::Abs, x)?;
        of_sizes(cx, size, p, axes, keep)?
    };
    cx.cast(found, own)
}

fn of_sizes(
    cx: &mut Importer<'_>,
    size: ValueId,
    p: f64,
    axes: &[usize],
    keep: bool,
) -> Result<ValueId, Problem> {
    if p.is_infinite() {
        let f = if p > 0.0 {
            ReduceFn::Max
        } else {
            ReduceFn::Min
        };
        return cx.reduce(f, size, axes, keep);
    }
    if p == 1.0 {
        return cx.reduce(ReduceFn::Sum, size, axes, keep);
    }
    let power = cx.with(BinaryFn::Pow, size, p)?;
    let sum = cx.reduce(ReduceFn::Sum, power, axes, keep)?;
    cx.with(BinaryFn::Pow, sum, 1.0 / p)
}

/// The tensor in the dtype in which PyTorch sums: f32 for half types.
///
/// # Errors
/// If the dtype is no float dtype.
pub(super) fn widened(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    match cx.dtype(x) {
        DType::F16 | DType::BF16 => cx.cast(x, DType::F32),
        DType::F32 | DType::F64 => Ok(x),
        other => Err(Problem::unsupported(format!("takes floats, found {other}"))),
    }
}
