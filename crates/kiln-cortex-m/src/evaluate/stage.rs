//! The last stage of a layer: from an accumulator to a result.

use crate::dialect::Activation;
use kiln_quantised::cmsis::{requantize, requantize_once, requantize_wide};
use kiln_quantised::multiplier::Multiplier;

/// A factor.
pub(super) fn factor(multiplier: i32, shift: i32) -> Multiplier {
    Multiplier { multiplier, shift }
}

/// The last stage: `clamp(accumulator * factor + offset)`.
pub(super) struct Stage {
    /// One factor, or one for each channel.
    factors: Vec<Multiplier>,
    offset: i32,
    min: i32,
    max: i32,
}

impl Stage {
    pub fn new(multipliers: &[i32], shifts: &[i32], offset: i32, range: &Activation) -> Stage {
        let pairs = multipliers.iter().zip(shifts);
        Stage {
            factors: pairs
                .map(|(&multiplier, &shift)| factor(multiplier, shift))
                .collect(),
            offset,
            min: range.min,
            max: range.max,
        }
    }

    fn factor(&self, channel: usize) -> Multiplier {
        match self.factors.as_slice() {
            [one] => *one,
            all => all[channel],
        }
    }

    /// The result for a 32-bit accumulator.
    pub fn of(&self, channel: usize, sum: i32) -> i32 {
        self.limited(requantize(sum, self.factor(channel)))
    }

    /// The result for an accumulator of Kiln's own kernels, which round once.
    pub fn of_own(&self, sum: i32) -> i32 {
        self.limited(requantize_once(sum, self.factor(0)))
    }

    /// The result for a 64-bit accumulator.
    pub fn of_wide(&self, channel: usize, sum: i64) -> i32 {
        self.limited(requantize_wide(sum, self.factor(channel)))
    }

    /// The clamped result. As in the library, the upper limit wins over the lower.
    fn limited(&self, x: i32) -> i32 {
        x.wrapping_add(self.offset).max(self.min).min(self.max)
    }
}

/// The sum of products, modulo 2^32.
pub(super) fn dot(a: &[i32], b: &[i32]) -> i32 {
    a.iter()
        .zip(b)
        .fold(0, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

/// The sum of products in 64 bits.
pub(super) fn dot_wide(a: &[i32], b: &[i32]) -> i64 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| i64::from(a) * i64::from(b))
        .sum()
}

/// The elements of the input in the window at a position, along one axis.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub input: i32,
    pub window: i32,
    pub stride: i32,
    pub padding: i32,
    pub dilation: i32,
}

impl Axis {
    /// The places of each element: in the window, and in the input.
    pub fn taps(self, position: usize) -> impl Iterator<Item = (usize, usize)> {
        let first = position as i64 * i64::from(self.stride) - i64::from(self.padding);
        let all = (0..i64::from(self.window))
            .map(move |tap| (tap, first + tap * i64::from(self.dilation)));
        all.filter(move |(_, place)| (0..i64::from(self.input)).contains(place))
            .map(|(tap, place)| (tap as usize, place as usize))
    }
}
