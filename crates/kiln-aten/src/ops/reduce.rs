//! Reductions along axes: sums, products, extremes, and positions of extremes.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::{axes, axis};
use crate::importer::promotion::sum_type;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{ArgFn, ArgReduce, BinaryFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| total(cx, a, ReduceFn::Sum),
        &[
            "aten.sum.default(self, *, dtype=None)",
            "aten.sum.dim_IntList(self, dim, keepdim=False, *, dtype=None)",
        ],
    ),
    Row::new(
        |cx, a| total(cx, a, ReduceFn::Prod),
        &[
            "aten.prod.default(self, *, dtype=None)",
            "aten.prod.dim_int(self, dim, keepdim=False, *, dtype=None)",
        ],
    ),
    Row::new(
        nansum,
        &["aten.nansum.default(self, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        nanmean,
        &["aten.nanmean.default(self, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        mean,
        &[
            "aten.mean.default(self, *, dtype=None)",
            "aten.mean.dim(self, dim, keepdim=False, *, dtype=None)",
        ],
    ),
    Row::new(
        |cx, a| extreme(cx, a, ReduceFn::Max),
        &[
            "aten.amax.default(self, dim=[], keepdim=False)",
            "aten.max.default(self)",
        ],
    ),
    Row::new(
        |cx, a| extreme(cx, a, ReduceFn::Min),
        &[
            "aten.amin.default(self, dim=[], keepdim=False)",
            "aten.min.default(self)",
        ],
    ),
    Row::new(
        aminmax,
        &["aten.aminmax.default(self, *, dim=None, keepdim=False)"],
    ),
    Row::new(
        |cx, a| with_position(cx, a, ReduceFn::Max, ArgFn::Max),
        &["aten.max.dim(self, dim, keepdim=False)"],
    ),
    Row::new(
        |cx, a| with_position(cx, a, ReduceFn::Min, ArgFn::Min),
        &["aten.min.dim(self, dim, keepdim=False)"],
    ),
    Row::new(
        |cx, a| position(cx, a, ArgFn::Max),
        &["aten.argmax.default(self, dim=None, keepdim=False)"],
    ),
    Row::new(
        |cx, a| position(cx, a, ArgFn::Min),
        &["aten.argmin.default(self, dim=None, keepdim=False)"],
    ),
    Row::new(
        |cx, a| logical(cx, a, ReduceFn::Any),
        &[
            "aten.any.default(self)",
            "aten.any.dim(self, dim, keepdim=False)",
            "aten.any.dims(self, dim=None, keepdim=False)",
        ],
    ),
    Row::new(
        |cx, a| logical(cx, a, ReduceFn::All),
        &[
            "aten.all.default(self)",
            "aten.all.dim(self, dim, keepdim=False)",
            "aten.all.dims(self, dim=None, keepdim=False)",
        ],
    ),
    Row::new(
        count_nonzero,
        &[
            "aten.count_nonzero.default(self, dim=None)",
            "aten.count_nonzero.dim_IntList(self, dim)",
        ],
    ),
    Row::new(sum_to_size, &["aten.sum_to_size.default(self, size)"]),
    Row::new(
        logsumexp,
        &["aten.logsumexp.default(self, dim, keepdim=False)"],
    ),
];

/// The axes that `dim` names (all axes if it names none), and `keepdim`.
pub(crate) fn folded_axes(
    cx: &Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
) -> Result<(Vec<usize>, bool), Problem> {
    let dims = if a.has("dim") {
        a.optional_ints("dim")?.unwrap_or_default()
    } else {
        Vec::new()
    };
    let keep = a.has("keepdim") && a.bool("keepdim")?;
    Ok((axes(&dims, cx.rank(x))?, keep))
}

fn total(cx: &mut Importer<'_>, a: &Args<'_>, f: ReduceFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(sum_type(cx.dtype(x)));
    let (axes, keep) = folded_axes(cx, a, x)?;
    if dtype == DType::Bool {
        // A sum of bools in dtype bool is `any`, a product is `all`.
        let f = if f == ReduceFn::Sum {
            ReduceFn::Any
        } else {
            ReduceFn::All
        };
        let x = cx.cast(x, dtype)?;
        return one(cx.reduce(f, x, &axes, keep)?);
    }
    let x = cx.cast(x, dtype)?;
    one(cx.reduce(f, x, &axes, keep)?)
}

/// The operand with zeros in place of NaN, and a mask that is 1 where it was not NaN.
fn without_nan(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<(ValueId, Option<ValueId>), Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(sum_type(cx.dtype(x)));
    let x = cx.cast(x, dtype)?;
    if !dtype.is_float() {
        return Ok((x, None));
    }
    let nan = cx.unary(Simple::IsNan, x)?;
    let zero = cx.scalar_like(Scalar::Int(0), x);
    let cleaned = cx.select(nan, zero, x)?;
    let number = cx.unary(Simple::BitNot, nan)?;
    Ok((cleaned, Some(cx.cast(number, dtype)?)))
}

fn nansum(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, _) = without_nan(cx, a)?;
    let (axes, keep) = folded_axes(cx, a, x)?;
    one(cx.reduce(ReduceFn::Sum, x, &axes, keep)?)
}

fn nanmean(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, Some(number)) = without_nan(cx, a)? else {
        return Err(Problem::unsupported(
            "the mean of integers; cast to floats first",
        ));
    };
    let (axes, keep) = folded_axes(cx, a, x)?;
    let sum = cx.reduce(ReduceFn::Sum, x, &axes, keep)?;
    let count = cx.reduce(ReduceFn::Sum, number, &axes, keep)?;
    one(cx.binary(BinaryFn::Div, sum, count)?)
}

fn mean(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(cx.dtype(x));
    if !dtype.is_float() {
        return Err(Problem::unsupported(format!(
            "the mean of {dtype}; cast to floats first"
        )));
    }
    let x = cx.cast(x, dtype)?;
    let (axes, keep) = folded_axes(cx, a, x)?;
    one(cx.reduce(ReduceFn::Mean, x, &axes, keep)?)
}

fn extreme(cx: &mut Importer<'_>, a: &Args<'_>, f: ReduceFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (axes, keep) = folded_axes(cx, a, x)?;
    one(cx.reduce(f, x, &axes, keep)?)
}

fn aminmax(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut results = extreme(cx, a, ReduceFn::Min)?;
    results.extend(extreme(cx, a, ReduceFn::Max)?);
    Ok(results)
}

/// The i64 position of the extreme along an axis.
fn arg_reduce(
    cx: &mut Importer<'_>,
    x: ValueId,
    f: ArgFn,
    axis: usize,
    keep: bool,
) -> Result<ValueId, Problem> {
    if cx.rank(x) == 0 {
        return Ok(cx.scalar(Scalar::Int(0), DType::I64, 0));
    }
    let found = cx.value(ArgReduce { f, axis }, &[x])?;
    if keep {
        Ok(found)
    } else {
        cx.squeeze(found, &[axis])
    }
}

fn with_position(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    f: ReduceFn,
    arg: ArgFn,
) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (axis, keep) = (axis(a.int("dim")?, cx.rank(x))?, a.bool("keepdim")?);
    let along: &[usize] = if cx.rank(x) == 0 { &[] } else { &[axis] };
    let value = cx.reduce(f, x, along, keep)?;
    let index = arg_reduce(cx, x, arg, axis, keep)?;
    Ok(vec![value.into(), index.into()])
}

/// Without `dim`: the position among all elements, in row-major order.
fn position(cx: &mut Importer<'_>, a: &Args<'_>, f: ArgFn) -> Result<Returns, Problem> {
    let (x, keep) = (a.tensor("self")?, a.bool("keepdim")?);
    let rank = cx.rank(x);
    if let Some(dim) = a.optional_int("dim")? {
        let axis = axis(dim, rank)?;
        return one(arg_reduce(cx, x, f, axis, keep)?);
    }
    let flat = cx.flatten(x)?;
    let found = arg_reduce(cx, flat, f, 0, false)?;
    one(if keep {
        cx.with_rank(found, rank)?
    } else {
        found
    })
}

/// The result has dtype u8 if the operand has, else bool.
fn logical(cx: &mut Importer<'_>, a: &Args<'_>, f: ReduceFn) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let own = cx.dtype(x);
    let (axes, keep) = folded_axes(cx, a, x)?;
    let x = cx.cast(x, DType::Bool)?;
    let found = cx.reduce(f, x, &axes, keep)?;
    one(if own == DType::U8 {
        cx.cast(found, own)?
    } else {
        found
    })
}

fn count_nonzero(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (axes, _) = folded_axes(cx, a, x)?;
    let set = cx.cast(x, DType::Bool)?;
    let ones = cx.cast(set, DType::I64)?;
    one(cx.reduce(ReduceFn::Sum, ones, &axes, false)?)
}

/// Sums over the axes along which a tensor of that size would be repeated.
fn sum_to_size(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, size) = (a.tensor("self")?, a.dims("size")?);
    let shape = cx.shape(x);
    let Some(added) = shape.rank().checked_sub(size.len()) else {
        return Err(Problem::unsupported("a size of higher rank"));
    };
    let is_folded = |i: &usize| *i < added || (size[i - added].is(1) && !shape[*i].is(1));
    let axes: Vec<usize> = (0..shape.rank()).filter(is_folded).collect();
    if axes.is_empty() {
        return one(x);
    }
    let own = cx.dtype(x);
    let x = cx.cast(x, sum_type(own))?;
    let sum = cx.reduce(ReduceFn::Sum, x, &axes, true)?;
    one(cx.squeeze(sum, &(0..added).collect::<Vec<_>>())?)
}

/// The maximum is subtracted before the exponentials, unless it is infinite.
fn logsumexp(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let (axes, keep) = folded_axes(cx, a, x)?;
    let greatest = cx.reduce(ReduceFn::Max, x, &axes, true)?;
    let infinite = cx.unary(Simple::IsInf, greatest)?;
    let zero = cx.scalar_like(Scalar::Int(0), greatest);
    let shift = cx.select(infinite, zero, greatest)?;
    let shifted = cx.sub(x, shift)?;
    let powers = cx.unary(Simple::Exp, shifted)?;
    let sum = cx.reduce(ReduceFn::Sum, powers, &axes, true)?;
    let log = cx.unary(Simple::Log, sum)?;
    let result = cx.add(log, shift)?;
    one(if keep {
        result
    } else {
        cx.squeeze(result, &axes)?
    })
}
