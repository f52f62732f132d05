//! Ops that order elements: sorts, order statistics and running extremes.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{
    ArgFn, ArgReduce, BinaryFn, CompareFn, Gather, ReduceFn, Scan, ScanFn, Simple, Sort, TopK,
};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        sort,
        &[
            "aten.sort.default(self, dim=-1, descending=False)",
            "aten.sort.stable(self, *, stable, dim=-1, descending=False)",
        ],
    ),
    Row::new(
        argsort,
        &[
            "aten.argsort.default(self, dim=-1, descending=False)",
            "aten.argsort.stable(self, *, stable, dim=-1, descending=False)",
        ],
    ),
    Row::new(msort, &["aten.msort.default(self)"]),
    Row::new(
        top_k,
        &["aten.topk.default(self, k, dim=-1, largest=True, sorted=True)"],
    ),
    Row::new(
        kth_value,
        &["aten.kthvalue.default(self, k, dim=-1, keepdim=False)"],
    ),
    Row::new(mode, &["aten.mode.default(self, dim=-1, keepdim=False)"]),
    Row::new(median, &["aten.median.default(self)"]),
    Row::new(median_along, &["aten.median.dim(self, dim, keepdim=False)"]),
    Row::new(nan_median, &["aten.nanmedian.default(self)"]),
    Row::new(
        nan_median_along,
        &["aten.nanmedian.dim(self, dim, keepdim=False)"],
    ),
    Row::new(
        |cx, a| running(cx, a, ScanFn::Max),
        &["aten.cummax.default(self, dim)"],
    ),
    Row::new(
        |cx, a| running(cx, a, ScanFn::Min),
        &["aten.cummin.default(self, dim)"],
    ),
    Row::new(log_cumulative, &["aten.logcumsumexp.default(self, dim)"]),
];

/// A value with at least one axis, and which one is meant; a scalar counts as a row of one.
struct Line {
    x: ValueId,
    axis: usize,
    scalar: bool,
}

impl Line {
    fn of(cx: &mut Importer<'_>, x: ValueId, dim: i64) -> Result<Line, Problem> {
        let scalar = cx.rank(x) == 0;
        let axis = axis(dim, cx.rank(x))?;
        let x = if scalar { cx.unsqueeze(x, &[0])? } else { x };
        Ok(Line { x, axis, scalar })
    }

    /// The operand `self` along its `dim`.
    fn named(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Line, Problem> {
        Line::of(cx, a.tensor("self")?, a.int("dim")?)
    }

    fn len(&self, cx: &Importer<'_>) -> Result<Dim, Problem> {
        cx.size(self.x, self.axis)
    }

    /// A result of the operand's shape, without the axis that a scalar lent.
    fn whole(&self, cx: &mut Importer<'_>, v: ValueId) -> Result<ValueId, Problem> {
        if self.scalar {
            cx.squeeze(v, &[0])
        } else {
            Ok(v)
        }
    }

    /// A result with size 1 along the axis, which stays if `keep`.
    fn folded(&self, cx: &mut Importer<'_>, v: ValueId, keep: bool) -> Result<ValueId, Problem> {
        if keep && !self.scalar {
            Ok(v)
        } else {
            cx.squeeze(v, &[self.axis])
        }
    }

    fn sorted(&self, cx: &mut Importer<'_>, descending: bool) -> Result<[ValueId; 2], Problem> {
        let axis = self.axis;
        let results = cx.results(Sort { axis, descending }, &[self.x])?;
        Ok([results[0], results[1]])
    }

    /// Index `at` along the axis, with size 1.
    fn at(&self, cx: &mut Importer<'_>, v: ValueId, at: &Dim) -> Result<ValueId, Problem> {
        cx.slice(v, self.axis, at, 1, 1)
    }
}

fn sort(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let [values, indices] = row.sorted(cx, a.bool("descending")?)?;
    Ok(vec![
        row.whole(cx, values)?.into(),
        row.whole(cx, indices)?.into(),
    ])
}

fn argsort(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    Ok(sort(cx, a)?.split_off(1))
}

fn msort(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let row = Line::of(cx, a.tensor("self")?, 0)?;
    let [values, _] = row.sorted(cx, false)?;
    one(row.whole(cx, values)?)
}

fn top_k(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let op = TopK {
        axis: row.axis,
        k: a.dim("k")?,
        largest: a.bool("largest")?,
    };
    let results = cx.results(op, &[row.x])?;
    Ok(vec![
        row.whole(cx, results[0])?.into(),
        row.whole(cx, results[1])?.into(),
    ])
}

fn kth_value(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let (at, keep) = (a.dim("k")? - 1, a.bool("keepdim")?);
    let mut results = Vec::new();
    for sorted in row.sorted(cx, false)? {
        let picked = row.at(cx, sorted, &at)?;
        results.push(row.folded(cx, picked, keep)?.into());
    }
    Ok(results)
}

/// The least of the most frequent elements, and the index of its last occurrence: every element is compared with all.
fn mode(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (row, keep) = (Line::named(cx, a)?, a.bool("keepdim")?);
    let (axis, rank) = (row.axis, cx.rank(row.x));
    let [down, across] = [axis, axis + 1].map(|at| cx.unsqueeze(row.x, &[at]));
    let equal = cx.compare(CompareFn::Eq, down?, across?)?;
    let equal = cx.cast(equal, DType::I64)?;
    let count = cx.reduce(ReduceFn::Sum, equal, [axis + 1], false)?;
    let most = cx.reduce(ReduceFn::Max, count, [axis], true)?;
    let frequent = cx.compare(CompareFn::Eq, count, most)?;
    // The sorted order of what is frequent begins with its least.
    let place = positions(cx, &row.len(cx)?, axis, rank)?;
    let [values, indices] = row.sorted(cx, false)?;
    let frequent = cx.cast(frequent, DType::I64)?;
    let frequent = cx.value(Gather { axis }, &[frequent, indices])?;
    let f = ArgFn::Max;
    let first = cx.value(ArgReduce { f, axis }, &[frequent])?;
    let value = cx.value(Gather { axis }, &[values, first])?;
    let same = cx.compare(CompareFn::Eq, row.x, value)?;
    let none = cx.scalar(Scalar::Int(0), DType::I64, rank);
    let place = cx.select(same, place, none)?;
    let index = cx.reduce(ReduceFn::Max, place, [axis], true)?;
    Ok(vec![
        row.folded(cx, value, keep)?.into(),
        row.folded(cx, index, keep)?.into(),
    ])
}

/// The lower of the two middle elements and its index, with size 1 along the axis; the first NaN, if
/// there is one.
fn middle(cx: &mut Importer<'_>, row: &Line) -> Result<[ValueId; 2], Problem> {
    let at = (row.len(cx)? - 1).floor_div(&2.into());
    let [values, indices] = row.sorted(cx, false)?;
    let value = row.at(cx, values, &at)?;
    let index = row.at(cx, indices, &at)?;
    if !cx.dtype(row.x).is_float() {
        return Ok([value, index]);
    }
    let last = row.at(cx, values, &(row.len(cx)? - 1))?;
    let spoilt = cx.unary(Simple::IsNan, last)?;
    let (f, axis) = (ArgFn::Max, row.axis);
    let first = cx.value(ArgReduce { f, axis }, &[row.x])?;
    Ok([
        cx.select(spoilt, last, value)?,
        cx.select(spoilt, first, index)?,
    ])
}

/// The lower middle of the elements that are not NaN, and its index; a NaN where there are no others (the
/// index is then the first, where PyTorch's is that of any).
fn middle_of_numbers(cx: &mut Importer<'_>, row: &Line) -> Result<[ValueId; 2], Problem> {
    if !cx.dtype(row.x).is_float() {
        return middle(cx, row);
    }
    let nan = cx.unary(Simple::IsNan, row.x)?;
    let number = cx.unary(Simple::BitNot, nan)?;
    let number = cx.cast(number, DType::I64)?;
    let count = cx.reduce(ReduceFn::Sum, number, [row.axis], true)?;
    let unit = cx.scalar_like(Scalar::Int(1), count);
    let before = cx.sub(count, unit)?;
    let zero = cx.scalar_like(Scalar::Int(0), count);
    let before = cx.binary(BinaryFn::Max, before, zero)?;
    let two = cx.scalar_like(Scalar::Int(2), count);
    let at = cx.binary(BinaryFn::FloorDiv, before, two)?;
    let mut found = row.sorted(cx, false)?;
    for v in &mut found {
        *v = cx.value(Gather { axis: row.axis }, &[*v, at])?;
    }
    Ok(found)
}

type Middle = fn(&mut Importer<'_>, &Line) -> Result<[ValueId; 2], Problem>;

fn of_all(cx: &mut Importer<'_>, a: &Args<'_>, middle: Middle) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let flat = cx.flatten(x)?;
    if cx.size(flat, 0)?.is(0) {
        return of_none(cx, x);
    }
    let row = Line::of(cx, flat, 0)?;
    let [value, _] = middle(cx, &row)?;
    one(cx.squeeze(value, &[0])?)
}

/// Of no elements: NaN.
fn of_none(cx: &mut Importer<'_>, x: ValueId) -> Result<Returns, Problem> {
    let dtype = cx.dtype(x);
    if !dtype.is_float() {
        return Err(Problem::unsupported("there is no median of no integers"));
    }
    one(cx.scalar(f64::NAN, dtype, 0))
}

fn along(cx: &mut Importer<'_>, a: &Args<'_>, middle: Middle) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let keep = a.bool("keepdim")?;
    let [value, index] = middle(cx, &row)?;
    Ok(vec![
        row.folded(cx, value, keep)?.into(),
        row.folded(cx, index, keep)?.into(),
    ])
}

fn median(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    of_all(cx, a, middle)
}

fn median_along(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    along(cx, a, middle)
}

fn nan_median(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    of_all(cx, a, middle_of_numbers)
}

fn nan_median_along(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    along(cx, a, middle_of_numbers)
}

/// `0, 1, ..` along an axis, of rank `rank` with the other sizes 1.
fn positions(
    cx: &mut Importer<'_>,
    len: &Dim,
    axis: usize,
    rank: usize,
) -> Result<ValueId, Problem> {
    let iota = cx.iota(len, DType::I64)?;
    let units: Vec<usize> = (0..rank).filter(|&i| i != axis).collect();
    cx.unsqueeze(iota, &units)
}

/// The running extreme, and the index of the last element that reached it; every NaN does.
fn running(cx: &mut Importer<'_>, a: &Args<'_>, f: ScanFn) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let (own, axis) = (cx.dtype(row.x), row.axis);
    let x = match own {
        DType::Bool => cx.cast(row.x, DType::U8)?,
        _ => row.x,
    };
    let best = cx.value(Scan { f, axis }, &[x])?;
    let mut reached = cx.compare(CompareFn::Eq, x, best)?;
    if own.is_float() {
        let nan = cx.unary(Simple::IsNan, x)?;
        reached = cx.binary(BinaryFn::BitOr, reached, nan)?;
    }
    let (len, rank) = (row.len(cx)?, cx.rank(x));
    let position = positions(cx, &len, axis, rank)?;
    let none = cx.scalar(Scalar::Int(0), DType::I64, rank);
    let index = cx.select(reached, position, none)?;
    let f = ScanFn::Max;
    let index = cx.value(Scan { f, axis }, &[index])?;
    let best = cx.cast(best, own)?;
    Ok(vec![
        row.whole(cx, best)?.into(),
        row.whole(cx, index)?.into(),
    ])
}

/// Every prefix is folded on its own, around its own maximum: no running sum that could lose what came
/// before a greater element.
fn log_cumulative(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let row = Line::named(cx, a)?;
    let (axis, rank) = (row.axis, cx.rank(row.x));
    let (x, len) = (row.x, row.len(cx)?);
    let terms = cx.unsqueeze(x, &[axis])?;
    let end = positions(cx, &len, axis, rank + 1)?;
    let term = positions(cx, &len, axis + 1, rank + 1)?;
    let seen = cx.compare(CompareFn::Le, term, end)?;
    let nothing = cx.scalar_like(Scalar::Float(f64::NEG_INFINITY), terms);
    let prefixes = cx.select(seen, terms, nothing)?;
    let folded = super::distance::log_sum(cx, prefixes, &[axis + 1], false)?;
    one(row.whole(cx, folded)?)
}
