//! Ranges of reductions, scans, sums of products and windows.

use super::floats::{Floats, ends, relative_error};
use super::{Integers, Range};
use kiln_ir::DType;
use kiln_ir::dim::{Dim, Symbols};
use kiln_ir::ops::{Pool, PoolFn, ReduceFn, ScanFn};

/// The number of terms of a sum: the least and the greatest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Count {
    /// The product of sizes; `None` if it has no upper bound.
    pub(super) fn of<'d>(symbols: &Symbols, sizes: impl Iterator<Item = &'d Dim>) -> Option<Count> {
        let one = Count { least: 1, most: 1 };
        sizes.into_iter().try_fold(one, |count, size| {
            let bounds = symbols.bounds(size);
            Some(Count {
                least: count.least.checked_mul(bounds.lo?.max(0))?,
                most: count.most.checked_mul(bounds.hi?.max(0))?,
            })
        })
    }
}

/// The range of a sum of floats, accumulated in the dtype or a wider one. A partial sum beyond the greatest finite
/// number gives infinities, and infinities of both signs give NaN.
pub(super) fn float_sum(term: Floats, count: Option<Count>, dtype: DType) -> Floats {
    let count = count.unwrap_or(Count {
        least: 0,
        most: i64::MAX,
    });
    let times = |end: f64, n: i64| match end == 0.0 || n == 0 {
        true => 0.0,
        false => end * n as f64,
    };
    let exact = Floats {
        low: times(
            term.low,
            if term.low < 0.0 {
                count.most
            } else {
                count.least
            },
        ),
        high: times(
            term.high,
            if term.high > 0.0 {
                count.most
            } else {
                count.least
            },
        ),
        nan: term.nan,
    };
    settled_sum(
        exact,
        times(term.magnitude(), count.most),
        count.most,
        dtype,
    )
}

/// The greatest error of a sum of `steps` terms, relative to the sum of their absolute values. It is at most 1: the
/// error of a step is no greater than its term, since the sum without the term is representable.
fn error_of_steps(dtype: DType, steps: i64) -> f64 {
    relative_error(dtype, steps).min(1.0)
}

/// The dtype in which sums accumulate.
fn compute_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        other => other,
    }
}

/// The range of a rounded sum. `exact` is the range of the exact sum, and `size` bounds the absolute value of all
/// partial sums, to which the error of each step is proportional.
fn settled_sum(exact: Floats, size: f64, steps: i64, dtype: DType) -> Floats {
    let is_of_one_sign = exact.low >= 0.0 || exact.high <= 0.0;
    let error = size * error_of_steps(dtype, steps);
    if size + error > ends(compute_dtype(dtype)).1 {
        return Floats {
            low: if exact.low >= 0.0 {
                0.0
            } else {
                f64::NEG_INFINITY
            },
            high: if exact.high <= 0.0 {
                0.0
            } else {
                f64::INFINITY
            },
            nan: exact.nan || !is_of_one_sign,
        };
    }
    let wide = exact.widened(dtype, error, error);
    // A sum of numbers that are at least 0 is so too, however it is rounded.
    match (exact.low >= 0.0, exact.high <= 0.0) {
        (true, _) => wide.within(0.0, f64::INFINITY),
        (_, true) => wide.within(f64::NEG_INFINITY, 0.0),
        (false, false) => wide,
    }
}

/// The range of a sum of products, plus a bias. `padded` means that some products may be absent.
pub(super) fn float_products(
    a: Floats,
    b: Floats,
    bias: Option<Floats>,
    count: Option<Count>,
    padded: bool,
    dtype: DType,
) -> Floats {
    let product = a.product(b);
    // An infinity in one operand may be multiplied by the zeros of padding, or meet an infinity of the other sign.
    let nan = product.nan || !a.is_finite() || !b.is_finite();
    let count = count.map(|c| Count {
        least: if padded { 0 } else { c.least },
        ..c
    });
    let sum = float_sum(product.with_nan(nan), count, dtype);
    match bias {
        Some(bias) => sum.sum(bias).rounded(dtype),
        None => sum,
    }
}

/// As [`float_products`], for integers.
pub(super) fn integer_products(
    a: Integers,
    b: Integers,
    bias: Option<Integers>,
    count: Option<Count>,
    padded: bool,
) -> Option<Integers> {
    let count = count?;
    let least = if padded { 0 } else { count.least };
    let sum = a.product(b).summed(least, count.most)?;
    match bias {
        Some(bias) => sum.binary(kiln_ir::ops::BinaryFn::Add, bias),
        None => Some(sum),
    }
}

/// The range of a reduction over `count` elements.
pub(super) fn reduce(f: ReduceFn, x: Range, count: Option<Count>, dtype: DType) -> Option<Range> {
    match (f, x) {
        (ReduceFn::Max | ReduceFn::Min | ReduceFn::Any | ReduceFn::All, x) => Some(match x {
            Range::Integers(range) if dtype == DType::Bool => {
                // `any` and `all` of no elements are constants.
                range.joined(Integers::between(0, 1)).into()
            }
            other => other,
        }),
        (ReduceFn::Sum, Range::Integers(x)) => Some(x.summed(count?.least, count?.most)?.into()),
        (ReduceFn::Sum, Range::Floats(x)) => {
            let sum = float_sum(x, count, dtype);
            Some(kept_sign(sum, x).into())
        }
        (ReduceFn::Mean, Range::Floats(x)) => Some(mean(x, count, dtype).into()),
        (ReduceFn::Prod, x) => product(x),
        (ReduceFn::Mean, Range::Integers(_)) => None,
    }
}

/// Terms of one sign have a sum of that sign, whatever the rounding.
fn kept_sign(sum: Floats, term: Floats) -> Floats {
    match (term.low >= 0.0, term.high <= 0.0) {
        (true, _) => sum.within(0.0, f64::INFINITY),
        (_, true) => sum.within(f64::NEG_INFINITY, 0.0),
        _ => sum,
    }
}

/// The range of a mean. The mean of no elements is NaN.
fn mean(x: Floats, count: Option<Count>, dtype: DType) -> Floats {
    let most = count.map_or(i64::MAX, |c| c.most);
    let is_empty = count.is_none_or(|c| c.least == 0);
    let sum = kept_sign(float_sum(x, count, compute_dtype(dtype)), x);
    if !sum.is_finite() {
        return sum.with_nan(is_empty);
    }
    let error = x.magnitude() * error_of_steps(dtype, most);
    kept_sign(x.widened(dtype, error, error), x).with_nan(is_empty)
}

/// The range of a product: within -1 and 1 if the factors are, not negative if the factors are not. The product of no
/// elements is 1.
fn product(x: Range) -> Option<Range> {
    match x {
        Range::Integers(x) if x.low >= 0 && x.high <= 1 => Some(Integers::between(0, 1).into()),
        Range::Integers(x) if x.low >= -1 && x.high <= 1 => Some(Integers::between(-1, 1).into()),
        Range::Integers(_) => None,
        Range::Floats(x) if x.magnitude() <= 1.0 => {
            let low = if x.low >= 0.0 { 0.0 } else { -1.0 };
            Some(
                Floats {
                    low,
                    high: 1.0,
                    nan: x.nan,
                }
                .into(),
            )
        }
        Range::Floats(x) => Some(
            Floats {
                low: if x.low >= 0.0 { 0.0 } else { f64::NEG_INFINITY },
                ..Floats::ANY
            }
            .into(),
        ),
    }
}

/// The range of a scan, which reduces each prefix along an axis.
pub(super) fn scan(f: ScanFn, x: Range, count: Option<Count>, dtype: DType) -> Option<Range> {
    let part = count.map(|count| Count { least: 1, ..count });
    match f {
        ScanFn::Max | ScanFn::Min => Some(x),
        ScanFn::Sum => reduce(ReduceFn::Sum, x, part, dtype),
        ScanFn::Prod => reduce(ReduceFn::Prod, x, part, dtype),
    }
}

/// The windows of a pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    pub(super) taps: i64,
    pub(super) may_be_empty: bool,
}

impl Windows {
    /// The windows of a pool over images of these sizes.
    pub(super) fn of(op: &Pool, sizes: &[Dim], symbols: &Symbols) -> Windows {
        let may_be_empty = (0..op.spatial()).any(|i| {
            let (dilation, low, high) = (op.dilation[i], op.pad_low[i], op.pad_high[i]);
            let reach = (op.kernel[i] - 1).saturating_mul(dilation);
            // The first tap after the padding lies less than one dilation inside of the image.
            let holds_first =
                reach >= low && (low <= 0 || is_at_least(symbols, &sizes[i], dilation));
            let holds_last = reach >= high;
            !(holds_first && holds_last && is_at_least(symbols, &sizes[i], 1))
        });
        let taps = op.kernel.iter().try_fold(1i64, |n, &k| n.checked_mul(k));
        Windows {
            taps: taps.unwrap_or(i64::MAX),
            may_be_empty,
        }
    }
}

fn is_at_least(symbols: &Symbols, size: &Dim, least: i64) -> bool {
    symbols.bounds(size).lo.is_some_and(|lo| lo >= least)
}

/// The range of a pool.
pub(super) fn pool(f: PoolFn, x: Range, windows: Windows, dtype: DType) -> Option<Range> {
    let PoolFn::Avg {
        count_include_pad,
        divisor,
    } = f
    else {
        let nothing: Range = match Range::of_dtype(dtype) {
            Range::Floats(_) => Floats::between(f64::NEG_INFINITY, f64::NEG_INFINITY).into(),
            Range::Integers(all) => Integers::between(all.low, all.low).into(),
        };
        return match windows.may_be_empty {
            true => x.joined(nothing),
            false => Some(x),
        };
    };
    let count = Count {
        least: 0,
        most: windows.taps,
    };
    match (x, divisor) {
        (Range::Floats(x), Some(divisor)) if divisor != 0 => {
            let sum = kept_sign(float_sum(x, Some(count), dtype), x);
            let divisor = Floats::between(divisor as f64, divisor as f64);
            Some(sum.quotient(divisor).rounded(dtype).into())
        }
        (Range::Floats(x), None) => {
            let x = match count_include_pad || windows.may_be_empty {
                true => x.joined(Floats::between(0.0, 0.0).with_nan(x.nan)),
                false => x,
            };
            Some(mean(x, Some(Count { least: 1, ..count }), dtype).into())
        }
        (Range::Integers(x), divisor) if divisor.is_none_or(|d| d > 0) => {
            let sum = x.summed(0, windows.taps)?;
            let limits = Integers::of_dtype(dtype);
            let zero = Integers::between(0, 0);
            match divisor {
                _ if !limits.holds(sum) => None,
                None => Some(x.joined(zero).into()),
                Some(_) => Some(sum.joined(zero).into()),
            }
        }
        _ => None,
    }
}
