//! Running sums and products.

use crate::arguments::Args;
use crate::build::axis;
use crate::error::Problem;
use crate::importer::Importer;
use crate::promotion::sum_type;
use crate::table::Row;
use crate::variable::{Returns, one};
use kiln_ir::ops::{Scan, ScanFn};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| scan(cx, a, ScanFn::Sum),
        &["aten.cumsum.default(self, dim, *, dtype=None)"],
    ),
    Row::new(
        |cx, a| scan(cx, a, ScanFn::Prod),
        &["aten.cumprod.default(self, dim, *, dtype=None)"],
    ),
];

fn scan(cx: &mut Importer<'_>, a: &Args<'_>, f: ScanFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(sum_type(cx.dtype(x)));
    let x = cx.cast(x, dtype)?;
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return one(x);
    }
    one(cx.value(Scan { f, axis }, &[x])?)
}
