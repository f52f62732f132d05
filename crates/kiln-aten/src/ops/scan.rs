//! Running sums and products, and differences of neighbours.

use super::join::promoted;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::promotion::sum_type;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Scan, ScanFn};
use kiln_ir::{DType, ValueId};

/// How often `diff` may be applied: each time takes nodes.
const MAX_DIFFERENCES: i64 = 1024;

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
    Row::new(
        diff,
        &["aten.diff.default(self, n=1, dim=-1, prepend=None, append=None)"],
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

/// Each element less the one before it, `n` times over; of bools, whether they differ.
fn diff(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return Err(Problem::unsupported("differences of a scalar"));
    }
    let times = match a.int("n")? {
        n if n < 1 => return one(x),
        n if n <= MAX_DIFFERENCES => n,
        n => return Err(Problem::unsupported(format!("n={n} differences"))),
    };
    let joined: Vec<ValueId> = [
        a.optional_tensor("prepend")?,
        Some(x),
        a.optional_tensor("append")?,
    ]
    .into_iter()
    .flatten()
    .collect();
    let joined = promoted(cx, &joined)?;
    let mut x = cx.concat(axis, &joined)?;
    let f = if cx.dtype(x) == DType::Bool {
        BinaryFn::BitXor
    } else {
        BinaryFn::Sub
    };
    for _ in 0..times {
        let size = cx.size(x, axis)?;
        let len = cx.greatest(&(size - 1), &0.into());
        let start = cx.least(&1.into(), &cx.size(x, axis)?);
        let later = cx.slice(x, axis, &start, &len, 1)?;
        let earlier = cx.slice(x, axis, &0.into(), &len, 1)?;
        x = cx.binary(f, later, earlier)?;
        if len.is(0) {
            break;
        }
    }
    one(x)
}
