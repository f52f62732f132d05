//! Sums and means along axes, averages of windows, and resizes.

use super::factor::Factor;
use super::sums::{Sum, ways};
use super::{Computation, Element, MULTIPLIER, SINGLE};
use crate::numbers::numbers;
use kiln_ir::DType;
use kiln_ir::ops::{Pool, PoolFn, Reduce, ReduceFn, Resize, ResizeMode};
use kiln_quantised::accumulator::Reach;

/// The units of a step of 8 bits that averages in 16 bits are rounded to, before they are brought to the result's step.
const FINE: f64 = 128.0;

/// The most elements of a window of an even number for which ties are handled.
const MOST_TIED: i64 = 16;

/// How far the weights of a resize may be from multiples of a fraction.
const NOISE: f64 = 1e-5;

/// What a resize of 16 bits in two steps has as the greatest number of units of both axes together: more fit no 32 bits.
const MOST_UNITS: f64 = (1 << 16) as f64;

/// A sum or a mean along axes: requantised once, by a scale in f32.
pub(super) fn reduction(of: &Computation<'_>, op: &Reduce) -> Option<Vec<Element>> {
    if of.dtype(0) != of.to.dtype || !matches!(op.f, ReduceFn::Sum | ReduceFn::Mean) {
        return None;
    }
    let exact = of.exact()?;
    let sum = Reduce {
        f: ReduceFn::Sum,
        axes: op.axes.clone(),
    };
    let sums = of.evaluated(&sum.into(), &[of.distances(0)?])?;
    let axes = op.axes.iter().map(|&axis| of.operands[0].sizes()[axis]);
    let count = axes.product::<usize>();
    let divisor = if op.f == ReduceFn::Mean { count } else { 1 };
    let reach = Reach::of_products(count, of.reach(0)?, Reach(1));
    let factor = of.to.factor(of.step(0)?.single() / divisor as f64, reach)?;
    let factor = Factor::once(factor);
    let tie = match op.f == ReduceFn::Mean && of.step(0)? == of.to.step {
        true => of.to.step.scale * of_tie(count as f64),
        false => 0.0,
    };
    let one = |(exact, sum): (f64, f64)| Element {
        exact,
        error: (MULTIPLIER + SINGLE) * exact.abs() + tie,
        library: of.to.real(factor.steps(sum)),
    };
    Some(exact.into_iter().zip(sums).map(one).collect())
}

/// Less than what a mean of whole numbers that is no tie is from the middle of two integers: half a part of the divisor.
fn of_tie(divisor: f64) -> f64 {
    0.25 / divisor
}

/// The averages of windows.
struct Averages {
    /// In steps of the operand.
    means: Vec<f64>,
    exact: Vec<f64>,
    divisor: Option<i64>,
    counts_pad: bool,
    /// Some window goes beyond the operand.
    is_padded: bool,
    area: i64,
}

pub(super) fn pool(of: &Computation<'_>, op: &Pool) -> Option<Vec<Element>> {
    let averages = Averages::of(of, op)?;
    let Averages {
        divisor,
        area,
        is_padded,
        ..
    } = averages;
    let from = of.step(0)?;
    let is_own = from == of.to.step && of.dtype(0) == of.to.dtype;
    if is_own && (divisor.is_none() || divisor == Some(area) && !is_padded) {
        return Some(averages.in_own_step(of, None));
    }
    let counts_all = divisor.is_some() || !is_padded || averages.counts_pad && !op.ceil;
    if counts_all
        && of.dtype(0) == of.to.dtype
        && let Some(made) = averages.summed(of)
    {
        return Some(made);
    }
    match is_own {
        true => Some(averages.in_own_step(of, divisor)),
        false => averages.brought(of),
    }
}

impl Averages {
    fn of(of: &Computation<'_>, op: &Pool) -> Option<Averages> {
        let PoolFn::Avg {
            count_include_pad,
            divisor,
        } = op.f
        else {
            return None;
        };
        let (from, to) = (of.operands[0].sizes(), of.result.sizes());
        let goes_beyond = |i: usize| {
            let size = |sizes: &[usize]| sizes[i + 2] as i64;
            let end = (size(to) - 1) * op.stride[i] + op.kernel[i];
            op.pad_low[i] > 0 || end > size(from) + op.pad_low[i]
        };
        Some(Averages {
            means: of.evaluated(of.op, &[of.distances(0)?])?,
            exact: of.exact()?,
            divisor: divisor.map(|d| d.max(1)),
            counts_pad: count_include_pad,
            is_padded: (0..op.spatial()).any(goes_beyond),
            area: op.kernel.iter().product(),
        })
    }

    /// A mean as a whole number. The library rounds ties of integers away from 0. Kiln's own kernel rounds them as floats do, mostly to
    /// even; the element's error allows either.
    fn rounded(&self, mean: f64, zero_point: i32, divisor: Option<i64>) -> f64 {
        let has_ties = self.area % 2 == 0 && self.area <= MOST_TIED;
        let counts_pad = self.counts_pad && self.is_padded;
        let zero_point = f64::from(zero_point);
        match counts_pad || divisor.is_some() || has_ties {
            true => mean.round_ties_even(),
            false => (mean + zero_point).round() - zero_point,
        }
    }

    /// Rounded once. Only a tie goes either way: sums are whole numbers.
    fn in_own_step(&self, of: &Computation<'_>, divisor: Option<i64>) -> Vec<Element> {
        let zero_point = of.to.step.zero_point;
        let greatest = self.divisor.unwrap_or(1).max(self.area);
        let error = of.to.step.scale * of_tie(greatest as f64);
        let one = |(&exact, &mean): (&f64, &f64)| Element {
            exact,
            error,
            library: of.to.real(self.rounded(mean, zero_point, divisor)),
        };
        self.exact.iter().zip(&self.means).map(one).collect()
    }

    /// As a depthwise convolution with ones.
    fn summed(&self, of: &Computation<'_>) -> Option<Vec<Element>> {
        let divisor = self.divisor.unwrap_or(self.area) as f64;
        let unit = of.step(0)?.single() / divisor;
        let taps = usize::try_from(self.area).ok()?;
        let reach = Reach::of_products(taps, of.reach(0)?, Reach(1));
        let by = of.to.factor(unit, reach)?;
        let is_depthwise = of.operands[0].sizes()[1] > 1;
        let factor = *ways(of, &[(by, reach)], is_depthwise).first()?;
        let one = |(&exact, &mean): (&f64, &f64)| {
            let sum = (mean * divisor).round();
            let rest = SINGLE * exact.abs();
            Sum { sum, factor, rest }.element(of, exact)
        };
        Some(self.exact.iter().zip(&self.means).map(one).collect())
    }

    /// In a fine step of 16 bits, or the own one of 16 bits, and brought to the result's.
    fn brought(&self, of: &Computation<'_>) -> Option<Vec<Element>> {
        let parts = if of.dtype(0) == DType::I8 { FINE } else { 1.0 };
        let unit = of.step(0)?.scale / parts;
        let by = of.to.factor(unit, Reach(1 << 15)).map(Factor::once)?;
        let one = |(&exact, &mean): (&f64, &f64)| {
            let sum = self.rounded(mean * parts, 0, self.divisor);
            Element {
                exact,
                error: 0.5 * unit + MULTIPLIER * exact.abs(),
                library: of.to.real(by.steps(sum)),
            }
        };
        Some(self.exact.iter().zip(&self.means).map(one).collect())
    }
}

/// A weighted sum along two axes, rounded once. Weights are multiples of a fraction as nearly as f32 has them.
pub(super) fn resize(of: &Computation<'_>, op: &Resize) -> Option<Vec<Element>> {
    let exact = of.exact()?;
    let from = of.step(0)?;
    let far = numbers(&of.distances(0)?);
    let far = far.iter().fold(0.0, |most: f64, d| most.max(d.abs())) * from.scale;
    // Each weight along an axis is off by that much at most; those of four neighbours add up to less than 2.
    let weights = match op.mode {
        ResizeMode::Nearest => 0.0,
        ResizeMode::Linear => 2.0 * 2.0 * NOISE,
        _ => 2.0 * 4.0 * 2.0 * NOISE,
    };
    let sizes = of.result.sizes().iter().skip(2);
    let units: f64 = sizes.map(|&size| 2.0 * size as f64).product();
    let is_apart = of.dtype(0) != of.to.dtype || of.dtype(0) == DType::I16 && units >= MOST_UNITS;
    // Axis by axis, the first in the operand's own step, the second by a layer of the library.
    let apart = match is_apart {
        true => 0.5 * from.scale + 0.25 * of.to.step.scale,
        false => 0.0,
    };
    let one = |exact: f64| Element {
        exact,
        error: apart + weights * far + MULTIPLIER * exact.abs(),
        library: exact,
    };
    Some(exact.into_iter().map(one).collect())
}
