//! TOSA's fixed point (TOSA 1.0: `apply_scale_32`, `apply_scale_16`, `reciprocal_scale`).

use crate::multiplier::Scale;

/// A number for which TOSA says nothing of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unpredictable {
    /// The value has too many bits for the shift.
    #[error("unpredictable: {value} is shifted by {shift}")]
    Value {
        /// The value.
        value: i64,
        /// The shift to the right.
        shift: i8,
    },
    /// The result has more than 32 bits.
    #[error("unpredictable: {value} scales to {result}")]
    Result {
        /// The value.
        value: i64,
        /// What it would become.
        result: i64,
    },
}

/// `value * multiplier / 2^shift` rounded once, ties up: `apply_scale_32` of a value of 32 bits.
///
/// `doubly` is TOSA's `DOUBLE_ROUND`: beyond a shift of 31 half of a unit of the 31st bit is added away from 0 first, as by
/// gemmlowp's two steps; so the result may be one step further from 0 than the nearest.
///
/// # Errors
/// If the value is not within `-2^(shift - 1)..2^(shift - 1)`.
pub fn apply_scale_32(value: i64, by: Scale, doubly: bool) -> Result<i64, Unpredictable> {
    let shift = by.shift;
    let half = 1i64 << (shift - 1);
    if !(-half..half).contains(&value) {
        return Err(Unpredictable::Value { value, shift });
    }
    let mut round = i128::from(half);
    if doubly && shift > 31 {
        round += if value >= 0 { 1 << 30 } else { -(1 << 30) };
    }
    let product = i128::from(value) * i128::from(by.multiplier) + round;
    Ok((product >> shift) as i64)
}

/// As [`apply_scale_32`] rounded once, for values of 48 bits and multipliers of 15.
///
/// # Errors
/// If the result has more than 32 bits.
pub fn apply_scale_16(value: i64, by: Scale) -> Result<i64, Unpredictable> {
    let product = i128::from(value) * i128::from(by.multiplier) + (1i128 << (by.shift - 1));
    let result = (product >> by.shift) as i64;
    match i32::try_from(result) {
        Ok(_) => Ok(result),
        Err(_) => Err(Unpredictable::Result { value, result }),
    }
}

/// What divides by a count of at least 1: `reciprocal_scale`.
///
/// ```
/// use kiln_quantised::tosa::{apply_scale_32, reciprocal_scale};
/// assert_eq!(apply_scale_32(25, reciprocal_scale(10), false), Ok(3));
/// ```
pub fn reciprocal_scale(count: u32) -> Scale {
    let bits = 32 - (count - 1).leading_zeros();
    let numerator = ((1i64 << 30) + 1) << bits;
    Scale {
        multiplier: (numerator / i64::from(count)) as i32,
        shift: (30 + bits) as i8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scale(multiplier: i32, shift: i8) -> Scale {
        Scale { multiplier, shift }
    }

    #[test]
    fn half_is_rounded_up_and_doubly_away_from_zero() {
        assert_eq!(apply_scale_32(3, scale(1 << 30, 31), false), Ok(2));
        assert_eq!(apply_scale_32(-3, scale(1 << 30, 31), false), Ok(-1));
        assert_eq!(apply_scale_32(-5, scale(1 << 30, 33), false), Ok(-1));
        assert!(apply_scale_32(1 << 20, scale(1 << 30, 10), false).is_err());
        assert_eq!(apply_scale_16(-3, scale(1 << 14, 15)), Ok(-1));
        assert!(apply_scale_16(1 << 40, scale(1 << 14, 15)).is_err());
    }

    #[test]
    fn reciprocals_divide() {
        for count in 1..200 {
            let n = i64::from(count);
            assert_eq!(
                apply_scale_32(100 * n, reciprocal_scale(count), false),
                Ok(100),
                "{count}"
            );
        }
    }

    proptest! {
        /// Against the exact quotient: once at most half a unit off, doubly half of a unit of 31 bits more.
        #[test]
        fn results_are_near(value in any::<i32>(), multiplier in 1i32.., shift in 33i8..=62, wide in -(1i64 << 47)..(1 << 47)) {
            let (by, unit) = (scale(multiplier, shift), 1i128 << shift);
            let exact = i128::from(value) * i128::from(multiplier);
            let once = i128::from(apply_scale_32(value.into(), by, false).expect("in range")) * unit - exact;
            prop_assert!(-unit < 2 * once && 2 * once <= unit);
            let twice = i128::from(apply_scale_32(value.into(), by, true).expect("in range")) * unit - exact;
            prop_assert!(2 * twice.abs() <= unit + (1 << 31));
            let narrow = scale(multiplier & 0x7FFF, shift);
            let exact = i128::from(wide) * i128::from(narrow.multiplier);
            let found = i128::from(apply_scale_16(wide, narrow).expect("in range")) * unit - exact;
            prop_assert!(-unit < 2 * found && 2 * found <= unit);
        }
    }
}
