//! Real biases as integers in the units of accumulators.
//!
//! A channel's sum of products counts units of `input.scale * weight.scale`. Its bias is `real / unit`, rounded half to even: 32
//! bits for 8-bit operands (TOSA, CMSIS-NN, XNNPACK's `qcint32` of scale `input.scale * weight.scale` and zero point 0), 48 or 64
//! bits for 16-bit operands (TOSA, CMSIS-NN's `s16` kernels). XNNPACK's kernels of 4-bit weights multiply the bias by 16 when they
//! pack it, so there it has 28 bits.
//!
//! What rounding leaves is less than one step of the result, and yet it decides to which integer some sums are rounded. A target
//! that can add to sums in finer units adds the rest there.

/// The rest that may be left out, in steps of the result: it decides for one sum of a million.
const LEAST_REST: f64 = 1e-6;

/// The part of a quotient of f32 numbers that is noise: a bias whose scale is the product of two others in f32 has no rest.
const NOISE: f64 = 4.0 * f32::EPSILON as f64;

/// A bias in units of the sums, by output channel.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitBias {
    /// Whole units.
    pub whole: Vec<i64>,
    /// What the bias has beyond whole units, from -1/2 to 1/2 where the whole ones do not saturate.
    pub rest: Vec<f64>,
}

impl UnitBias {
    /// Reals in units of `scales`, within `least..=greatest`, the range of the accumulator. There are as many reals as scales.
    ///
    /// A scale of 0 saturates, of a real 0 it gives 0; neither has a rest.
    ///
    /// ```
    /// use kiln_quantised::bias::UnitBias;
    /// let bias = UnitBias::of(&[0.25, -3.0], &[0.1, 0.5], i32::MIN.into(), i32::MAX.into());
    /// assert_eq!(bias.whole, [2, -6]);
    /// assert!((bias.rest[0] - 0.5).abs() < 1e-9 && bias.rest[1] == 0.0);
    /// ```
    pub fn of(reals: &[f64], scales: &[f64], least: i64, greatest: i64) -> UnitBias {
        let pairs = reals.iter().zip(scales);
        let split = pairs.map(|(&real, &scale)| split(real, scale, least, greatest));
        let (whole, rest) = split.unzip();
        UnitBias { whole, rest }
    }

    /// True if the rest of some channel decides how results are rounded. `factors` are the steps of the result that one unit
    /// of each channel is.
    pub fn matters(&self, factors: impl IntoIterator<Item = f64>) -> bool {
        let mut pairs = self.rest.iter().zip(factors);
        pairs.any(|(rest, factor)| factor * rest.abs() > LEAST_REST)
    }
}

/// The whole units of one channel, and its rest: as [`UnitBias::of`] gives them of many.
pub fn split(real: f64, scale: f64, least: i64, greatest: i64) -> (i64, f64) {
    let exact = real / scale;
    let whole = (exact.round_ties_even() as i64).clamp(least, greatest);
    let rest = exact - whole as f64;
    let is_noise = rest.abs() <= exact.abs() * NOISE;
    (whole, if is_noise || rest.is_nan() { 0.0 } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

    #[test]
    fn biases_saturate_and_scales_of_zero_have_no_rest() {
        let found = UnitBias::of(
            &[1e30, -1e30, 1.0, 0.0],
            &[1.0, 1.0, 0.0, 0.0],
            WORDS.0,
            WORDS.1,
        );
        assert_eq!(found.whole, [WORDS.1, WORDS.0, WORDS.1, 0]);
        assert_eq!(found.rest[2..], [0.0, 0.0]);
        let wide = UnitBias::of(&[1e12], &[1.0], -(1 << 47), (1 << 47) - 1);
        assert_eq!((wide.whole[0], wide.rest[0]), (1_000_000_000_000, 0.0));
        let none = UnitBias::of(&[], &[], WORDS.0, WORDS.1);
        assert!(none.whole.is_empty() && !none.matters([]));
    }

    #[test]
    fn a_scale_that_is_a_product_in_f32_leaves_no_rest() {
        let (x, w) = (0.0173f32, 0.00291f32);
        let unit = f64::from(x) * f64::from(w);
        for integer in [1, -77, 12_345, -1_000_003] {
            let real = f64::from(integer) * f64::from(x * w);
            let found = UnitBias::of(&[real], &[unit], WORDS.0, WORDS.1);
            assert_eq!((found.whole[0], found.rest[0]), (i64::from(integer), 0.0));
        }
    }

    proptest! {
        #[test]
        fn whole_units_and_rests_are_the_bias(real in -1e3f64..1e3, unit in 1e-4f64..1.0, factor in 1e-9f64..1.0) {
            let found = UnitBias::of(&[real], &[unit], WORDS.0, WORDS.1);
            let (whole, rest) = (found.whole[0] as f64, found.rest[0]);
            prop_assert!(rest.abs() <= 0.5);
            let error = (whole + rest) * unit - real;
            prop_assert!(error.abs() <= real.abs() * 2.0 * NOISE);
            prop_assert_eq!(found.matters([factor]), rest.abs() * factor > LEAST_REST);
        }
    }
}
