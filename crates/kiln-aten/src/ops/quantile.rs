//! Quantiles: elements of the sorted operand at fractional positions, with an interpolation between neighbours.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Gather, ReduceFn, Simple, Sort};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| quantile(cx, a, false),
        &[
            "aten.quantile.default(self, q, dim=None, keepdim=False, *, interpolation=\"linear\")",
            "aten.quantile.scalar(self, q, dim=None, keepdim=False, *, interpolation=\"linear\")",
        ],
    ),
    Row::new(
        |cx, a| quantile(cx, a, true),
        &[
            "aten.nanquantile.default(self, q, dim=None, keepdim=False, *, interpolation=\"linear\")",
            "aten.nanquantile.scalar(self, q, dim=None, keepdim=False, *, interpolation=\"linear\")",
        ],
    ),
];

/// The operand, sorted along the last axis.
struct Sorted {
    values: ValueId,
    /// The position of the last element of each row that takes part, with size 1 along the last axis.
    last: ValueId,
    /// True for rows whose quantiles are all NaN, because they have a NaN.
    spoilt: Option<ValueId>,
}

fn quantile(cx: &mut Importer<'_>, a: &Args<'_>, skips_nan: bool) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if !cx.dtype(x).is_float() {
        return Err(Problem::unsupported("takes floats"));
    }
    let q = a.operand("q")?;
    let dtype = cx.dtype(x);
    let listed = matches!(q, Operand::Tensor(v) if cx.rank(v) == 1);
    let q = cx.materialise(&q, dtype, usize::from(listed))?;
    let q = cx.with_rank(q, 1)?;
    let (rank, dim) = (cx.rank(x), a.optional_int("dim")?);
    let (row, along) = match dim {
        Some(dim) if rank > 0 => (x, axis(dim, rank)?),
        _ => (cx.flatten(x)?, 0),
    };
    let last_axis = cx.rank(row) - 1;
    let order: Vec<usize> = (0..=last_axis)
        .filter(|&i| i != along)
        .chain([along])
        .collect();
    let row = cx.permute(row, &order)?;
    let sorted = sorted(cx, row, skips_nan)?;
    let found = at_places(cx, &sorted, q, a.text("interpolation")?)?;
    let found = placed(cx, found, listed)?;
    if !a.bool("keepdim")? {
        return one(found);
    }
    let front = usize::from(listed);
    one(match dim {
        Some(_) if rank > 0 => cx.unsqueeze(found, &[front + along])?,
        _ => cx.unsqueeze(found, &(front..front + rank).collect::<Vec<_>>())?,
    })
}

/// The quantiles, which are the last axis, as the first axis. The axis goes if `q` is a number and no list.
fn placed(cx: &mut Importer<'_>, found: ValueId, listed: bool) -> Result<ValueId, Problem> {
    let last = cx.rank(found) - 1;
    if !listed {
        return cx.squeeze(found, &[last]);
    }
    let order: Vec<usize> = [last].into_iter().chain(0..last).collect();
    cx.permute(found, &order)
}

fn sorted(cx: &mut Importer<'_>, row: ValueId, skips_nan: bool) -> Result<Sorted, Problem> {
    let (axis, dtype) = (cx.rank(row) - 1, cx.dtype(row));
    let descending = false;
    let values = cx.results(Sort { axis, descending }, &[row])?[0];
    let nan = cx.unary(Simple::IsNan, row)?;
    if skips_nan {
        let number = cx.unary(Simple::BitNot, nan)?;
        let number = cx.cast(number, dtype)?;
        let count = cx.reduce(ReduceFn::Sum, number, [axis], true)?;
        let unit = cx.scalar_like(Scalar::Int(1), count);
        let before = cx.sub(count, unit)?;
        let zero = cx.scalar_like(Scalar::Int(0), count);
        let last = cx.binary(BinaryFn::Max, before, zero)?;
        let spoilt = None;
        return Ok(Sorted {
            values,
            last,
            spoilt,
        });
    }
    let spoilt = Some(cx.reduce(ReduceFn::Any, nan, [axis], true)?);
    let last = cx.size(row, axis)? - 1;
    let last = cx.materialise(&Operand::Symbolic(last), dtype, axis + 1)?;
    Ok(Sorted {
        values,
        last,
        spoilt,
    })
}

/// The quantiles of sorted rows: the elements at the fractions `q` of the way to the last element, along the last axis.
fn at_places(
    cx: &mut Importer<'_>,
    sorted: &Sorted,
    q: ValueId,
    interpolation: &str,
) -> Result<ValueId, Problem> {
    let mut place = cx.mul(sorted.last, q)?;
    if let Some(spoilt) = sorted.spoilt {
        place = cx.select(spoilt, sorted.last, place)?;
    }
    let below = cx.unary(Simple::Floor, place)?;
    match interpolation {
        "lower" => return picked(cx, sorted.values, below),
        "higher" => {
            let above = cx.unary(Simple::Ceil, place)?;
            return picked(cx, sorted.values, above);
        }
        "nearest" => {
            let nearest = cx.unary(Simple::Round, place)?;
            return picked(cx, sorted.values, nearest);
        }
        _ => {}
    }
    let above = cx.unary(Simple::Ceil, place)?;
    let (low, high) = (
        picked(cx, sorted.values, below)?,
        picked(cx, sorted.values, above)?,
    );
    let weight = match interpolation {
        "midpoint" => cx.scalar_like(Scalar::Float(0.5), place),
        "linear" => cx.sub(place, below)?,
        other => {
            return Err(Problem::unsupported(format!(
                "interpolation={other:?}; linear, lower, higher, midpoint and nearest are known"
            )));
        }
    };
    between(cx, low, high, weight)
}

/// `low + weight * (high - low)`, computed from the nearer end.
fn between(
    cx: &mut Importer<'_>,
    low: ValueId,
    high: ValueId,
    weight: ValueId,
) -> Result<ValueId, Problem> {
    let span = cx.sub(high, low)?;
    let part = cx.mul(weight, span)?;
    let from_low = cx.add(low, part)?;
    let unit = cx.scalar_like(Scalar::Int(1), weight);
    let rest = cx.sub(unit, weight)?;
    let part = cx.mul(rest, span)?;
    let from_high = cx.sub(high, part)?;
    let is_low = cx.compare_with(CompareFn::Lt, weight, 0.5)?;
    cx.select(is_low, from_low, from_high)
}

/// The elements at integer positions along the last axis.
fn picked(cx: &mut Importer<'_>, values: ValueId, place: ValueId) -> Result<ValueId, Problem> {
    let axis = cx.rank(values) - 1;
    let index = cx.cast(place, DType::I64)?;
    let mut shape = cx.shape(values);
    shape[axis] = cx.size(index, cx.rank(index) - 1)?;
    let index = cx.expand(index, &shape)?;
    cx.value(Gather { axis }, &[values, index])
}
