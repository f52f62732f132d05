//! The exact quotient of a real and a scale, rounded half to even.
//!
//! The reference interpreter quantises with it: reals that were computed exactly, or in f64, become integers with one rounding. A
//! quotient in f64 is rounded before it is rounded to an integer, and so misses ties and finds false ones.

/// A real as the unevaluated sum of two floats, of which the second is at most half a unit in the last place of the first.
///
/// A product of two floats is exact in this form, unless its size is below `2^-969`: there the second float underflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact {
    high: f64,
    low: f64,
}

impl From<f64> for Exact {
    fn from(real: f64) -> Exact {
        Exact {
            high: real,
            low: 0.0,
        }
    }
}

impl Exact {
    /// `a * b`, exactly.
    #[inline]
    pub fn product(a: f64, b: f64) -> Exact {
        let high = a * b;
        Exact {
            high,
            low: libm::fma(a, b, -high),
        }
    }

    /// `self / scale` rounded half to even, as a float that is an integer.
    ///
    /// From `2^52` on it is the quotient in f64, which is an integer of its own. A scale of 0 gives an infinity, and of the real
    /// 0 NaN.
    ///
    /// ```
    /// use kiln_quantised::quotient::Exact;
    /// let scale = f64::from(0.1f32);
    /// assert_eq!(Exact::product(2.5, scale).quotient(scale), 2.0);
    /// assert_eq!(Exact::product(3.5, scale).quotient(scale), 4.0);
    /// ```
    #[inline]
    pub fn quotient(self, scale: f64) -> f64 {
        let quotient = self.high / scale;
        if quotient.abs() >= 4503599627370496.0 || quotient.is_nan() {
            return quotient;
        }
        let whole = quotient.floor();
        let middle = Exact::product(whole + 0.5, scale);
        let beyond = (self.high - middle.high) + (self.low - middle.low);
        if beyond == 0.0 {
            2.0 * libm::rint((whole + 0.5) / 2.0)
        } else if beyond > 0.0 {
            whole + 1.0
        } else {
            whole
        }
    }

    /// The integer of `min..=max` that stands for the real: the quotient and the zero point, saturated. NaN gives 0, or the
    /// end of the range that is nearest to 0.
    #[inline]
    pub fn integer(self, scale: f64, zero_point: i64, min: i64, max: i64) -> i64 {
        let steps = self.quotient(scale);
        if steps.is_nan() {
            return 0i64.clamp(min, max);
        }
        (steps as i64).saturating_add(zero_point).clamp(min, max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `numerator / denominator` rounded half to even.
    fn half_even(numerator: i128, denominator: i128) -> i128 {
        let (floor, rest) = (
            numerator.div_euclid(denominator),
            numerator.rem_euclid(denominator),
        );
        match (2 * rest).cmp(&denominator) {
            std::cmp::Ordering::Less => floor,
            std::cmp::Ordering::Greater => floor + 1,
            std::cmp::Ordering::Equal => floor + floor.rem_euclid(2),
        }
    }

    #[test]
    fn a_quotient_beside_a_tie_is_no_tie() {
        let scale = f64::from(0.1f32);
        let below = Exact {
            high: 1.5 * scale,
            low: -1e-30,
        };
        assert_eq!(below.quotient(scale), 1.0);
        assert_eq!(Exact::product(1.5, scale).quotient(scale), 2.0);
        assert_eq!(Exact::product(2.5, scale).quotient(scale), 2.0);
    }

    #[test]
    fn scales_of_zero_and_great_reals_saturate() {
        let integer = |real: f64, scale| Exact::from(real).integer(scale, 3, -128, 127);
        assert_eq!(integer(1.0, 0.0), 127);
        assert_eq!(integer(-1.0, 0.0), -128);
        assert_eq!(integer(0.0, 0.0), 0);
        assert_eq!(integer(f64::NAN, 1.0), 0);
        assert_eq!(integer(1e300, 1e-300), 127);
        assert_eq!(integer(f64::NEG_INFINITY, 1.0), -128);
        let ends = Exact::from(1e30).integer(1.0, i64::MAX, i64::MIN, i64::MAX);
        assert_eq!(ends, i64::MAX);
        assert_eq!(Exact::from(f64::NAN).integer(1.0, 0, 5, 9), 5);
    }

    proptest! {
        /// Against integers of 128 bits: scales of 53 bits, and quotients that are ties, beside ties and anything else.
        #[test]
        fn quotients_are_exact(
            steps in -(1i64 << 20)..(1 << 20),
            (a, b) in (1u64 << 52..1 << 53, 1u64 << 52..1 << 53),
            (kind, shift) in (0u32..4, -12i32..12),
        ) {
            // A scale `a * 2^shift`, in units of `b` or of what makes the quotient a tie or lie beside one.
            let (a, steps) = match kind {
                0 => (b, steps),
                1 => (b + 1, steps),
                2 => (b - u64::from(b > 1 << 52), steps),
                _ => (a, steps),
            };
            let value = Exact::product(steps as f64, a as f64 * f64::from(shift).exp2());
            let wide = |n: i128, shift: i32| n << shift.max(0);
            let exact = half_even(wide(i128::from(steps) * i128::from(a), shift), wide(b.into(), -shift));
            prop_assert_eq!(value.quotient(b as f64) as i128, exact);
        }
    }
}
