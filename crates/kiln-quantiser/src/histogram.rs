//! How often a value had which numbers, and the range that leaves the least error.

use crate::ranges::Range;

/// Bins on each side of 0.
const HALF: usize = 1024;
/// The parts of each end of a range that are tried.
const PARTS: usize = 40;
/// The least number of bins in a range.
const LEAST_BINS: f64 = 128.0;
/// The least part.
const LEAST_PART: f64 = 0.2;

/// Counts of numbers in bins of one width, which doubles when a number lies beyond them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    /// A power of 2; 0 before the first number other than 0.
    width: f64,
    /// From the least number to the greatest; empty before the first number other than 0, which is not counted.
    counts: Vec<u32>,
}

impl Histogram {
    /// Counts numbers; those that are 0 or not finite have no part.
    pub(crate) fn extend(&mut self, numbers: impl Iterator<Item = f64> + Clone) {
        let finite = numbers.filter(|number| number.is_finite() && *number != 0.0);
        let largest = finite
            .clone()
            .fold(0f64, |most, number| most.max(number.abs()));
        if largest == 0.0 {
            return;
        }
        self.widen(largest);
        let scale = 1.0 / self.width;
        for number in finite {
            let bin = (number * scale).floor() as i64 + HALF as i64;
            let count = &mut self.counts[bin.clamp(0, 2 * HALF as i64 - 1) as usize];
            *count = count.saturating_add(1);
        }
    }

    /// Makes the bins so wide that they reach a number.
    fn widen(&mut self, largest: f64) {
        if self.counts.is_empty() {
            self.counts = vec![0; 2 * HALF];
            self.width = (largest / HALF as f64)
                .log2()
                .ceil()
                .exp2()
                .max(f64::MIN_POSITIVE);
        }
        while largest > self.width * HALF as f64 {
            let mut wide = vec![0u32; 2 * HALF];
            for (bin, count) in self.counts.iter().enumerate() {
                let bin = HALF / 2 + bin / 2;
                wide[bin] = wide[bin].saturating_add(*count);
            }
            self.counts = wide;
            self.width *= 2.0;
        }
    }

    /// The part of a range for which rounding to as many steps, and clamping, has the least squared error.
    pub(crate) fn least_error(&self, range: Range, steps: f64) -> Range {
        // Too few bins say nothing about what lies within the range.
        let bins = (range.max - range.min) / self.width;
        if self.counts.is_empty() || bins.is_nan() || bins < LEAST_BINS {
            return range;
        }
        let sums = Sums::of(self);
        let parts = |end: f64| {
            let count = if end == 0.0 { 1 } else { PARTS };
            (0..count).map(move |i| end * (1.0 - (1.0 - LEAST_PART) * i as f64 / PARTS as f64))
        };
        let mut best = (sums.error(range, steps), range);
        for min in parts(range.min) {
            for max in parts(range.max) {
                let range = Range { min, max };
                let error = sums.error(range, steps);
                if error < best.0 {
                    best = (error, range);
                }
            }
        }
        best.1
    }
}

/// Sums over all bins below each bin: of counts, of numbers and of their squares.
struct Sums {
    width: f64,
    below: Vec<[f64; 3]>,
}

impl Sums {
    fn of(histogram: &Histogram) -> Sums {
        let mut below = vec![[0.0; 3]];
        let mut sum = [0.0; 3];
        for (bin, &count) in histogram.counts.iter().enumerate() {
            let number = (bin as f64 + 0.5 - HALF as f64) * histogram.width;
            let count = f64::from(count);
            sum = [
                sum[0] + count,
                sum[1] + count * number,
                sum[2] + count * number * number,
            ];
            below.push(sum);
        }
        Sums {
            width: histogram.width,
            below,
        }
    }

    /// The squared error of numbers that are clamped to a range and rounded to so many steps of it.
    fn error(&self, range: Range, steps: f64) -> f64 {
        let bin = |number: f64| {
            ((number / self.width).round() + HALF as f64).clamp(0.0, 2.0 * HALF as f64) as usize
        };
        let (low, high) = (self.below[bin(range.min)], self.below[bin(range.max)]);
        let all = self.below[2 * HALF];
        let clamped = |[count, sum, squares]: [f64; 3], end: f64| {
            squares - 2.0 * end * sum + end * end * count
        };
        let above = [all[0] - high[0], all[1] - high[1], all[2] - high[2]];
        let step = (range.max - range.min) / steps;
        clamped(low, range.min).max(0.0)
            + clamped(above, range.max).max(0.0)
            + (high[0] - low[0]).max(0.0) * step * step / 12.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1, evenly.
    fn even(count: usize) -> impl Iterator<Item = f64> + Clone {
        (0..count).map(move |i| (i as f64 + 0.5) / count as f64 * 2.0 - 1.0)
    }

    fn seen(parts: &[Vec<f64>]) -> (Histogram, Range) {
        let mut histogram = Histogram::default();
        for part in parts {
            histogram.extend(part.iter().copied());
        }
        (histogram, Range::of(parts.iter().flatten().copied()))
    }

    /// The squared error of rounding to 255 steps of a range, number by number.
    fn error(numbers: &[f64], range: Range) -> f64 {
        let (scale, zero_point) = range.parameters(-128, 127);
        let rounded = |number: f64| {
            let integer = (number / scale).round_ties_even() + zero_point as f64;
            scale * (integer.clamp(-128.0, 127.0) - zero_point as f64)
        };
        numbers.iter().map(|&x| (x - rounded(x)).powi(2)).sum()
    }

    #[test]
    fn even_numbers_keep_their_range() {
        let (histogram, range) = seen(&[even(10_000).collect()]);
        let found = histogram.least_error(range, 255.0);
        assert!(found.max > 0.97 && found.min < -0.97, "{found:?}");
    }

    #[test]
    fn one_far_number_of_many_is_clamped() {
        let numbers: Vec<f64> = even(300_000).chain([12.0]).collect();
        let (histogram, range) = seen(std::slice::from_ref(&numbers));
        let found = histogram.least_error(range, 255.0);
        assert!(found.max < 9.0 && found.min < -0.9, "{found:?}");
        let (all, part) = (error(&numbers, range), error(&numbers, found));
        assert!(part < 0.8 * all, "{part} {all}");
    }

    #[test]
    fn one_far_number_of_few_is_not() {
        let numbers: Vec<f64> = even(20).chain([12.0]).collect();
        let (histogram, range) = seen(&[numbers]);
        assert!(histogram.least_error(range, 255.0).max > 11.0);
    }

    #[test]
    fn zeros_take_no_steps() {
        let dense: Vec<f64> = even(2000).map(f64::abs).chain([6.0; 2]).collect();
        let zeros = std::iter::repeat_n(0.0, 1_000_000);
        let mixed: Vec<f64> = dense.iter().copied().chain(zeros).collect();
        let (without, range) = seen(&[dense]);
        let (with, _) = seen(&[mixed]);
        assert_eq!(
            with.least_error(range, 255.0),
            without.least_error(range, 255.0)
        );
    }

    #[test]
    fn a_range_of_few_bins_stays() {
        let numbers: Vec<f64> = even(1000).map(|x| 5.0 + 5.0 * x).chain([-1e4]).collect();
        let (histogram, _) = seen(&[numbers]);
        let range = Range {
            min: 0.0,
            max: 10.0,
        };
        assert_eq!(histogram.least_error(range, 255.0), range);
    }

    #[test]
    fn bins_widen_without_losing_numbers() {
        let parts: Vec<Vec<f64>> = [1e-6, 1.0, 3e4]
            .iter()
            .map(|scale| even(1000).map(|x| x * scale).collect())
            .collect();
        let (histogram, range) = seen(&parts);
        let count: u64 = histogram.counts.iter().map(|&count| u64::from(count)).sum();
        assert_eq!(count, 3000);
        assert!(histogram.width * HALF as f64 >= range.max);
        let nothing = Histogram::default();
        assert_eq!(nothing.least_error(range, 255.0), range);
    }
}
