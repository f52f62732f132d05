//! Results of layers as straight lines of their sums, which CMSIS-NN follows with one rounding.
//!
//! A layer's result is `(sum + bias) * factor`, rounded to an integer. [`requantize`](crate::cmsis::requantize) takes a whole bias and a
//! shift to the right of `e` bits, and errs twice: by the rest of the bias, which is up to half a unit of the sum, and by its first
//! rounding, which is up to `2^-(e + 1)` of a step. Of results that are positive, its first rounding is a constant: halves go away from
//! 0 twice, so it rounds the product and `2^-(e + 1)` once, halves up. Both errors are constants, then, and what takes off constants is
//! a bias, but a whole one is too coarse.
//!
//! So the results are *lifted* by many steps, which the output's offset takes off again. The line crosses 0 far from the sums that
//! occur. With another multiplier it turns about that point, and where the sums are it moves by less than a whole bias moves it.
//! [`lifted`] looks for the bias and the multiplier whose line is nearest to the exact one. A call has the same instructions as before.

use crate::accumulator::Reach;
use crate::multiplier::Multiplier;

/// The most steps by which results are lifted. A multiplier of 31 bits moves the line by `2^-32` of them, and the line turns by half a unit
/// of a sum in as many steps: for factors near `2^-7` both are `2^-16` of a step.
const MOST: i32 = 1 << 15;

/// The least: it is greater than any result of 8 bits, with a zero point of 8 bits.
const LEAST: i32 = 1 << 9;

/// A bias has 30 bits at most, so that sums have as much room.
const MOST_BIAS: f64 = (1u32 << 29) as f64;

/// The factor of a sum that is always the same.
const OF_CONSTANTS: f64 = 1.0 / 256.0;

/// A channel: results are `(sum + bias) * factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Steps of the result for a unit of the sum.
    pub factor: f64,
    /// In units of the sum.
    pub bias: f64,
}

/// What [`requantize`](crate::cmsis::requantize) takes for a channel: `(sum + bias) * by`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    /// A whole bias.
    pub bias: i64,
    /// The factor.
    pub by: Multiplier,
}

/// Channels whose results are some steps too great.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifted {
    /// By channel.
    pub channels: Vec<Fixed>,
    /// How many steps.
    pub lift: i32,
    /// How far a result is from the exact one before it is rounded, in steps, at most.
    pub error: f64,
}

impl Line {
    /// How far results of `low..=high` steps are from exact ones before they are rounded, at most, in steps.
    ///
    /// ```
    /// use kiln_quantised::line::{Fixed, Line};
    /// use kiln_quantised::multiplier::Multiplier;
    /// let line = Line { factor: 1.0 / 128.0, bias: 7.25 };
    /// let by = Multiplier::of(line.factor)?;
    /// // A quarter of a unit of the bias, and the first rounding with a shift of 6 bits.
    /// assert_eq!(line.error(Fixed { bias: 7, by }, [-128, 127]), 0.25 / 128.0 + 1.0 / 128.0);
    /// # Ok::<(), kiln_quantised::multiplier::OutOfRange>(())
    /// ```
    pub fn error(self, fixed: Fixed, [low, high]: [i32; 2]) -> f64 {
        let first = first_rounding(fixed.by);
        let rest = (self.bias - fixed.bias as f64).abs() * self.factor;
        let most = f64::from(low.abs().max(high.abs()));
        let turned = (fixed.by.real() / self.factor - 1.0).abs();
        match turned.is_nan() {
            true => 0.0,
            false => first + rest + turned * most,
        }
    }

    /// The nearest line whose results are `lift` steps greater, and how far results of `low..=high` steps are from exact ones.
    fn lifted(self, [low, high]: [i32; 2], lift: i32) -> Option<(Fixed, f64)> {
        let usual = Multiplier::of(self.factor).ok()?;
        let [low, high] = [low, high].map(f64::from);
        let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0 + 0.5);
        let goal = middle + f64::from(lift) - first_rounding(usual);
        let sum = middle / self.factor - self.bias;
        let crossing = goal / self.factor - sum;
        let unit = f64::from(31 - usual.shift).exp2();
        let near = |bias: f64| {
            let multiplier = (goal / (sum + bias) * unit).round();
            if !(1.0..=f64::from(i32::MAX)).contains(&multiplier) {
                return None;
            }
            let by = Multiplier {
                multiplier: multiplier as i32,
                shift: usual.shift,
            };
            let moved = (by.real() * (sum + bias) - goal).abs();
            let turned = (by.real() / self.factor - 1.0).abs() * half;
            let bias = bias as i64;
            Some((Fixed { bias, by }, moved + turned))
        };
        let found = [crossing.floor(), crossing.ceil()].into_iter();
        found
            .filter_map(near)
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
    }
}

/// What the first of two roundings errs by at most, in steps of the result.
fn first_rounding(by: Multiplier) -> f64 {
    match by.shift {
        0.. => 0.0,
        right => f64::from(right - 1).exp2(),
    }
}

/// The channels of a layer, lifted by the same number of steps. `reaches` are of their sums without a bias; `low..=high` are the
/// results that do not saturate, from the zero point. `None` if a line cannot be lifted so far, or sums would not fit 32 bits.
///
/// ```
/// use kiln_quantised::accumulator::Reach;
/// use kiln_quantised::cmsis::requantize;
/// use kiln_quantised::line::{Line, lifted};
/// let line = Line { factor: 0.00713, bias: 1234.4375 };
/// let found = lifted(&[line], &[Reach(1 << 20)], [-128, 127]).expect("it fits");
/// let one = found.channels[0];
/// for sum in -19_000..16_500 {
///     let exact = (f64::from(sum) + line.bias) * line.factor;
///     let result = requantize(sum + one.bias as i32, one.by) - found.lift;
///     assert!((f64::from(result) - exact).abs() <= 0.5 + found.error);
/// }
/// assert!(found.error < 2f64.powi(-14));
/// ```
pub fn lifted(lines: &[Line], reaches: &[Reach], range: [i32; 2]) -> Option<Lifted> {
    let [low, high] = range;
    if low <= -LEAST / 2 || high >= LEAST / 2 || low > high {
        return None;
    }
    let lines: Vec<Line> = lines
        .iter()
        .zip(reaches)
        .map(|(&line, &reach)| line.of_constants(reach, range))
        .collect();
    let least = lines.iter().map(|line| line.factor);
    let least = least.fold(f64::INFINITY, f64::min);
    let room = (MOST_BIAS * least).log2().floor().exp2();
    let lift = room.clamp(0.0, MOST.into()) as i32;
    if lift < LEAST {
        return None;
    }
    let mut found = Lifted {
        channels: Vec::with_capacity(lines.len()),
        lift,
        error: 0.0,
    };
    for (line, reach) in lines.iter().zip(reaches) {
        let (fixed, error) = line.lifted(range, lift)?;
        let far = Reach(reach.with_bias(fixed.bias).0 << fixed.by.shift.max(0));
        if !far.fits(32) {
            return None;
        }
        found.error = found.error.max(error);
        found.channels.push(fixed);
    }
    Some(found)
}

impl Line {
    /// The same line, if its only sum is 0, with a factor that leaves room. What saturates may be any number beyond the range.
    fn of_constants(self, reach: Reach, [low, high]: [i32; 2]) -> Line {
        if reach.0 != 0 {
            return self;
        }
        let real = self.bias * self.factor;
        let result = real.clamp(f64::from(low) - 1.0, f64::from(high) + 1.0);
        Line {
            factor: OF_CONSTANTS,
            bias: result / OF_CONSTANTS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmsis::requantize;
    use proptest::prelude::*;

    /// Of results that do not saturate, and of some that do.
    fn worst(line: Line, found: &Lifted, [low, high]: [i32; 2]) -> f64 {
        let one = found.channels[0];
        let sum_of = |result: f64| (result / line.factor - line.bias).round() as i64;
        let (first, last) = (
            sum_of(f64::from(low) - 0.5) - 2,
            sum_of(f64::from(high) + 0.5) + 2,
        );
        let by = ((last - first) / 5_000).max(1) as usize;
        let sums = (first..=last).step_by(by);
        let errors = sums.map(|sum| {
            let exact = (sum as f64 + line.bias) * line.factor;
            let made = requantize((sum + one.bias) as i32, one.by) - found.lift;
            let limited = f64::from(made.clamp(low, high));
            (limited - exact.clamp(f64::from(low), f64::from(high))).abs()
        });
        errors.fold(0.0, f64::max)
    }

    proptest! {
        /// A result is the nearest integer, but within the error of a tie.
        #[test]
        fn results_are_rounded_once(factor in 1e-5f64..2.0, bias in -1e4f64..1e4, zero in -128i32..128, is_relu: bool) {
            let line = Line { factor, bias };
            let range = if is_relu { [0, 127 - zero] } else { [-128 - zero, 127 - zero] };
            let range = [range[0].min(range[1]), range[1]];
            let found = lifted(&[line], &[Reach(1 << 20)], range);
            let found = found.filter(|found| found.error < 0.25);
            prop_assume!(found.is_some());
            let found = found.expect("assumed");
            prop_assert!(worst(line, &found, range) <= 0.5 + found.error + 1e-9);
        }

        /// The usual factors of convolutions of 8 bits: the error of the lifted line is hundreds of times less.
        #[test]
        fn lines_are_near(factor in 1e-3f64..0.02, bias in -1e4f64..1e4) {
            let line = Line { factor, bias };
            let found = lifted(&[line], &[Reach(1 << 20)], [-128, 127]).expect("it fits");
            prop_assert!(found.error < 6e-5, "{}", found.error);
            let usual = Fixed { bias: bias.round() as i64, by: Multiplier::of(factor).expect("in range") };
            prop_assert!(line.error(usual, [-128, 127]) > 4e-4);
        }

        /// A channel without weights gives its bias, however small its factor is.
        #[test]
        fn constants_are_rounded(exponent in -60i32..0, result in -300f64..300.0) {
            let factor = f64::from(exponent).exp2();
            let constant = Line { factor, bias: result / factor };
            let other = Line { factor: 0.01, bias: 0.0 };
            let found = lifted(&[constant, other], &[Reach(0), Reach(1 << 20)], [-128, 127]).expect("it fits");
            let one = found.channels[0];
            let made = (requantize(one.bias as i32, one.by) - found.lift).clamp(-128, 127);
            prop_assert!((f64::from(made) - result.clamp(-128.0, 127.0)).abs() <= 0.5 + found.error);
        }
    }

    #[test]
    fn lines_without_room_are_refused() {
        let far = |factor: f64, reach: u128| {
            let line = Line { factor, bias: 0.0 };
            lifted(&[line], &[Reach(reach)], [-128, 127])
        };
        assert!(far(1e-7, 1 << 20).is_none());
        assert!(far(1e-2, 1 << 31).is_none());
        assert!(far(0.0, 1 << 20).is_none());
        assert!(far(1e-5, 1 << 20).is_some_and(|found| found.lift < MOST));
        let line = Line {
            factor: 0.01,
            bias: 0.0,
        };
        assert!(lifted(&[line], &[Reach(1)], [-40_000, 40_000]).is_none());
    }
}
