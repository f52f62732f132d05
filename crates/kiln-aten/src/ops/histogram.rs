//! Histograms: the number or the weight of the elements in each of equal bins. Every element is added at the position
//! of its bin.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, IndexPut, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        histogram,
        &["aten.histc.default(self, bins=100, min=0, max=0)"],
    ),
    Row::new(
        bincount,
        &["aten.bincount.default(self, weights=None, minlength=0)"],
    ),
];

fn histogram(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, bins) = (a.tensor("self")?, a.int("bins")?);
    if limits::elements(&[bins])? == 0 {
        return Err(Problem::unsupported("takes at least 1 bin"));
    }
    let (own, flat) = (cx.dtype(x), cx.flatten(x)?);
    if !own.is_float() {
        return Err(Problem::unsupported("takes floats"));
    }
    let [low, high] = bounds(cx, a, flat)?;
    let (from_low, span) = (cx.sub(flat, low)?, cx.sub(high, low)?);
    let scaled = cx.scale(from_low, Scalar::Int(bins))?;
    let place = cx.binary(BinaryFn::Div, scaled, span)?;
    let place = cx.unary(Simple::Floor, place)?;
    let last = cx.scalar_like(Scalar::Int(bins - 1), place);
    // The last bin includes its upper bound.
    let place = cx.binary(BinaryFn::Min, place, last)?;
    let above = cx.compare(CompareFn::Ge, flat, low)?;
    let below = cx.compare(CompareFn::Le, flat, high)?;
    let inside = cx.binary(BinaryFn::BitAnd, above, below)?;
    // Elements outside of all bins are counted in an extra bin, which is cut off.
    let outside = cx.scalar_like(Scalar::Int(bins), place);
    let place = cx.select(inside, place, outside)?;
    let place = cx.cast(place, DType::I64)?;
    let ones = cx.full(&cx.shape(flat), own, Scalar::Int(1))?;
    let counts = sums(cx, Dim::constant(bins + 1), ones, place)?;
    one(cx.slice(counts, 0, 0, bins, 1)?)
}

/// The sum of the values at each of `bins` positions.
fn sums(
    cx: &mut Importer<'_>,
    bins: Dim,
    values: ValueId,
    places: ValueId,
) -> Result<ValueId, Problem> {
    let (shape, dtype) = (Shape::from(vec![bins]), cx.dtype(values));
    let zeros = cx.full(&shape, dtype, Scalar::Int(0))?;
    let op = IndexPut {
        axis: 0,
        accumulate: true,
    };
    cx.value(op, &[zeros, values, places])
}

/// One bin for each number from 0 to the greatest element, and at least `minlength` bins.
fn bincount(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.rank(x) != 1 || !cx.dtype(x).is_int() {
        return Err(Problem::unsupported("takes a vector of integers"));
    }
    let places = cx.cast(x, DType::I64)?;
    let values = match a.optional_tensor("weights")? {
        Some(weights) if cx.dtype(weights) == DType::F32 => weights,
        Some(weights) => cx.cast(weights, DType::F64)?,
        None => cx.full(&cx.shape(x), DType::I64, Scalar::Int(1))?,
    };
    let last = cx.scalar(Scalar::Int(a.int("minlength")? - 1), DType::I64, 1);
    let all = cx.concat(&[places, last], 0)?;
    let greatest = cx.reduce(ReduceFn::Max, all, [0], false)?;
    let one_more = cx.scalar_like(Scalar::Int(1), greatest);
    let count = cx.add(greatest, one_more)?;
    let declared = a.declared_shape().and_then(|s| s.first());
    let bins = cx.int_of(count, declared)?;
    one(sums(cx, bins, values, places)?)
}

/// The lower and upper bound of the bins. Equal bounds are replaced by the least and the greatest element. If these are
/// equal too, the bounds are one below and one above.
fn bounds(cx: &mut Importer<'_>, a: &Args<'_>, x: ValueId) -> Result<[ValueId; 2], Problem> {
    let (low, high) = (a.float("min")?, a.float("max")?);
    if !(low.is_finite() && high.is_finite() && low <= high) {
        return Err(Problem::unsupported(format!("bins from {low} to {high}")));
    }
    if low < high {
        return Ok([low, high].map(|bound| cx.scalar_like(Scalar::Float(bound), x)));
    }
    let low = cx.reduce(ReduceFn::Min, x, [0], true)?;
    let high = cx.reduce(ReduceFn::Max, x, [0], true)?;
    let equal = cx.compare(CompareFn::Eq, low, high)?;
    let unit = cx.scalar_like(Scalar::Int(1), low);
    let (under, over) = (cx.sub(low, unit)?, cx.add(high, unit)?);
    Ok([cx.select(equal, under, low)?, cx.select(equal, over, high)?])
}
