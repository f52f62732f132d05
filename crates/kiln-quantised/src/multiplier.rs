//! Real factors as fixed-point numbers: an integer and a power of two.

/// A real factor that no fixed-point number of the form stands for.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a factor of {0}; it is positive, finite, and fits the shift")]
pub struct OutOfRange(pub f64);

/// `multiplier * 2^(shift - 31)`, the form of CMSIS-NN and TFLite. The multiplier is at least `2^30`, unless the factor
/// is 0.
///
/// The relative error to the real factor is at most `2^-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// The significant bits in Q0.31: from `2^30` to `2^31 - 1`, or 0.
    pub multiplier: i32,
    /// The shift: to the left if positive, to the right if negative.
    pub shift: i32,
}

impl Multiplier {
    /// The factor 0.
    pub const ZERO: Multiplier = Multiplier {
        multiplier: 0,
        shift: 0,
    };

    /// The multiplier nearest to a real factor, ties to even: `quantize_multiplier_aot` of ExecuTorch's Cortex-M backend, and
    /// TFLite's `QuantizeMultiplier` but for its ties, which go away from 0.
    ///
    /// A factor below `2^-32` becomes [`Multiplier::ZERO`], as in TFLite: it brings every integer of 32 bits to 0, and
    /// the kernels' shifts are not defined for it.
    ///
    /// # Errors
    /// If the factor is negative or not finite, or if it is `2^31` or more, for which the kernels' shifts are not
    /// defined.
    ///
    /// ```
    /// use kiln_quantised::multiplier::Multiplier;
    /// assert_eq!(Multiplier::of(0.5), Ok(Multiplier { multiplier: 1 << 30, shift: 0 }));
    /// assert_eq!(Multiplier::of(3.0), Ok(Multiplier { multiplier: 3 << 29, shift: 2 }));
    /// assert_eq!(Multiplier::of(0.0), Ok(Multiplier::ZERO));
    /// ```
    pub fn of(real: f64) -> Result<Multiplier, OutOfRange> {
        if real == 0.0 {
            return Ok(Multiplier::ZERO);
        }
        let (mantissa, exponent) = significand(real, 31).ok_or(OutOfRange(real))?;
        match exponent {
            ..-31 => Ok(Multiplier::ZERO),
            -31..=31 => Ok(Multiplier {
                multiplier: mantissa as i32,
                shift: exponent,
            }),
            _ => Err(OutOfRange(real)),
        }
    }

    /// The real value of the fixed-point number, exactly.
    pub fn real(self) -> f64 {
        f64::from(self.multiplier) * f64::from(self.shift - 31).exp2()
    }

    /// The multiplier in 16 bits, for sums of 64 bits: CMSIS-NN's `REDUCE_MULTIPLIER`. Its relative error is at most
    /// `2^-15`.
    pub fn reduced(self) -> i16 {
        match self.multiplier < 0x7FFF_0000 {
            true => ((self.multiplier + (1 << 15)) >> 16) as i16,
            false => 0x7FFF,
        }
    }
}

/// The integer of `bits` bits and the exponent for which `integer * 2^(exponent - bits)` is nearest to the number, ties
/// to even. `None` if the number is not positive and finite.
fn significand(real: f64, bits: i32) -> Option<(i64, i32)> {
    if !(real.is_finite() && real > 0.0) {
        return None;
    }
    // A subnormal number is made normal first.
    let (real, moved) = match real < f64::MIN_POSITIVE {
        true => (real * 64f64.exp2(), 64),
        false => (real, 0),
    };
    let exponent = ((real.to_bits() >> 52) & 0x7FF) as i32 - 1022;
    let fraction = f64::from_bits((real.to_bits() & ((1 << 52) - 1)) | (1022 << 52));
    let integer = (fraction * f64::from(bits).exp2()).round_ties_even() as i64;
    match integer == 1 << bits {
        true => Some((integer / 2, exponent - moved + 1)),
        false => Some((integer, exponent - moved)),
    }
}

/// `multiplier / 2^shift` with a shift from 2 to 62: the form of TOSA's RESCALE and `apply_scale`.
///
/// The relative error to the real factor is at most `2^-bits`. Factors below `2^(bits - 62)` lose their lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The multiplier: 31 bits, or 15 bits for operands of 48.
    pub multiplier: i32,
    /// The shift to the right.
    pub shift: i8,
}

impl Scale {
    /// The scale nearest to a real factor, with a multiplier of `bits` bits: 31 for operands of 32 bits, 15 for
    /// operands of 48.
    ///
    /// # Errors
    /// If the factor is not positive and finite, or so great that the shift would be less than 2.
    pub fn of(real: f64, bits: i32) -> Result<Scale, OutOfRange> {
        let (mut multiplier, exponent) = significand(real, bits).ok_or(OutOfRange(real))?;
        let mut shift = bits - exponent;
        if shift > 62 {
            multiplier >>= (shift - 62).min(bits);
            shift = 62;
        }
        match i8::try_from(shift) {
            Ok(shift) if shift >= 2 => Ok(Scale {
                multiplier: multiplier as i32,
                shift,
            }),
            _ => Err(OutOfRange(real)),
        }
    }

    /// The real value of the fixed-point number, exactly.
    pub fn real(self) -> f64 {
        f64::from(self.multiplier) / f64::from(self.shift).exp2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmsis::requantize;
    use proptest::prelude::*;

    #[test]
    fn ends() {
        assert_eq!(
            Multiplier::of(1.0 - 1e-12).map(|m| (m.multiplier, m.shift)),
            Ok((1 << 30, 1))
        );
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e10] {
            assert!(Multiplier::of(wrong).is_err(), "{wrong}");
        }
        for vanishing in [0.0, -0.0, 5e-324, 1e-300, 2f64.powi(-33)] {
            assert_eq!(Multiplier::of(vanishing), Ok(Multiplier::ZERO));
        }
        let least = Multiplier::of(2f64.powi(-32)).expect("in range");
        assert_eq!((least.multiplier, least.shift), (1 << 30, -31));
        for end in [i32::MIN, i32::MAX] {
            assert_eq!(requantize(end, Multiplier::ZERO), 0);
        }
        assert_eq!(
            Scale::of(1.0, 31),
            Ok(Scale {
                multiplier: 1 << 30,
                shift: 30
            })
        );
        assert!(Scale::of(0.0, 31).is_err() && Scale::of(1e12, 31).is_err());
        assert_eq!(Scale::of(1e-300, 31).map(|s| s.multiplier), Ok(0));
    }

    proptest! {
        #[test]
        fn factors_are_near(mantissa in 1.0f64..2.0, exponent in -31i32..29) {
            let real = mantissa * f64::from(exponent).exp2();
            let near = Multiplier::of(real).expect("in range");
            prop_assert!(near.multiplier >= 1 << 30);
            prop_assert!((near.real() / real - 1.0).abs() <= 31f64.exp2().recip());
            let reduced = f64::from(near.reduced()) * f64::from(near.shift - 15).exp2();
            let error = 15f64.exp2().recip() + 31f64.exp2().recip();
            prop_assert!((reduced / real - 1.0).abs() <= error);
            let scale = Scale::of(real, 31).expect("in range");
            prop_assert!((scale.real() / real - 1.0).abs() <= 31f64.exp2().recip());
            let narrow = Scale::of(real / 65536.0, 15).expect("in range");
            prop_assert!((narrow.real() * 65536.0 / real - 1.0).abs() <= 15f64.exp2().recip());
        }
    }
}
