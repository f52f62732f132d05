//! Softmax and its logarithm.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{CompareFn, ReduceFn, Softmax};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| softmax(cx, a, false),
        &["aten.softmax.int(self, dim, dtype=None)"],
    ),
    Row::new(
        |cx, a| softmax(cx, a, true),
        &["aten.log_softmax.int(self, dim, dtype=None)"],
    ),
    Row::new(
        |cx, a| internal(cx, a, false),
        &["aten._softmax.default(self, dim, half_to_float)"],
    ),
    Row::new(
        |cx, a| internal(cx, a, true),
        &["aten._log_softmax.default(self, dim, half_to_float)"],
    ),
    Row::new(
        safe_softmax,
        &["aten._safe_softmax.default(self, dim, dtype=None)"],
    ),
];

/// Softmax along an axis. A scalar counts as a row of one element.
pub(crate) fn softmax_of(
    cx: &mut Importer<'_>,
    x: ValueId,
    dim: i64,
    log: bool,
) -> Result<ValueId, Problem> {
    let rank = cx.rank(x);
    let axis = axis(dim, rank)?;
    if rank > 0 {
        return cx.value(Softmax { axis, log }, &[x]);
    }
    let row = cx.unsqueeze(x, &[0])?;
    let y = cx.value(Softmax { axis, log }, &[row])?;
    cx.squeeze(y, &[0])
}

fn operand(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let x = a.tensor("self")?;
    match a.optional_dtype("dtype")? {
        Some(dtype) => cx.cast(x, dtype),
        None => Ok(x),
    }
}

fn softmax(cx: &mut Importer<'_>, a: &Args<'_>, log: bool) -> Result<Returns, Problem> {
    let x = operand(cx, a)?;
    one(softmax_of(cx, x, a.int("dim")?, log)?)
}

fn internal(cx: &mut Importer<'_>, a: &Args<'_>, log: bool) -> Result<Returns, Problem> {
    let mut x = a.tensor("self")?;
    if a.bool("half_to_float")? {
        x = cx.cast(x, DType::F32)?;
    }
    one(softmax_of(cx, x, a.int("dim")?, log)?)
}

/// Gives zeros in place of NaN where a row is all minus infinity.
fn safe_softmax(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = operand(cx, a)?;
    let y = softmax_of(cx, x, a.int("dim")?, false)?;
    if cx.rank(x) == 0 {
        return one(y);
    }
    let along = axis(a.int("dim")?, cx.rank(x))?;
    let greatest = cx.reduce(ReduceFn::Max, x, [along], true)?;
    let masked = cx.compare_with(CompareFn::Eq, greatest, f64::NEG_INFINITY)?;
    let zero = cx.scalar_like(Scalar::Int(0), y);
    one(cx.select(masked, zero, y)?)
}
