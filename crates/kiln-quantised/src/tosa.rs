//! The fixed-point arithmetic of TOSA (TOSA 1.0: `apply_scale_32`, `apply_scale_16`, `reciprocal_scale`), and its
//! bounds.

use crate::multiplier::Scale;

/// TOSA leaves the result of these numbers open.
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
        /// The scaled value.
        result: i64,
    },
}

/// `value * multiplier / 2^shift` for a value of 32 bits, rounded once, ties up: `apply_scale_32`.
///
/// `doubly` is TOSA's `DOUBLE_ROUND`. For shifts above 31 it first adds half of a unit of the 31st bit away from 0, as
/// gemmlowp's two steps do; the result may be one step further from 0 than the nearest integer.
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

/// `value * multiplier / 2^shift` for a value of 48 bits and a multiplier of 15, rounded once, ties up:
/// `apply_scale_16`.
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

/// The scale that divides by a count of at least 1: `reciprocal_scale`.
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

/// The least distance from 0 for which RESCALE by a factor is not predictable: `2^(29 - floor(log2(factor)))`.
///
/// A factor's [`Scale`] has a multiplier of 31 bits and the shift `30 - floor(log2(factor))`, and [`apply_scale_32`]
/// takes values below `2^(shift - 1)`. For factors from 1/2 on, some integers of 32 bits are not among these.
pub fn unpredictable_from(factor: f64) -> f64 {
    (29.0 - factor.log2().floor()).exp2()
}

/// The greatest power of two by which RESCALE may multiply sums of a reach, so that one unit may be added before:
/// `(reach + 1) * headroom` is at most `2^29`. A value below 1 says that there is no headroom.
///
/// ```
/// use kiln_quantised::tosa::headroom;
/// assert_eq!(headroom(1000.0), 2f64.powi(19));
/// ```
pub fn headroom(reach: f64) -> f64 {
    (f64::from(1u32 << 29) / (reach + 1.0))
        .log2()
        .floor()
        .exp2()
}

/// A factor that brings every integer but 0 beyond 16 bits. Where results saturate, greater factors may be replaced by
/// it.
pub const SATURATING: f64 = 131_072.0;

/// The least integer that a factor brings beyond 16 bits, at most `2^31 - 1`. Where results saturate, integers may be
/// limited to it before they are multiplied.
pub fn saturating_from(factor: f64) -> i32 {
    ((SATURATING / factor).ceil() as i64).min(i32::MAX.into()) as i32
}

/// The unit in which sums of 48 bits of a reach fit 32 bits: a power of two, at least 1. The rounding of the sums is
/// allowed for.
pub fn narrow_unit(reach: f64) -> f64 {
    const MOST: f64 = (i32::MAX - 1) as f64;
    (reach / MOST).log2().ceil().max(0.0).exp2()
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

    #[test]
    fn sums_of_nothing_have_all_the_headroom() {
        assert_eq!(headroom(0.0), 2f64.powi(29));
        assert!(headroom(2f64.powi(31)) < 1.0);
        assert_eq!(narrow_unit(0.0), 1.0);
        assert_eq!(narrow_unit(2f64.powi(47)), 2f64.powi(17));
        assert_eq!(saturating_from(1e-9), i32::MAX);
        assert_eq!(saturating_from(SATURATING), 1);
    }

    proptest! {
        /// What lies below the bound is predicted, and what lies there is not.
        #[test]
        fn bounds_are_those_of_apply_scale(mantissa in 1.0f64..2.0, exponent in -1i32..28, reach in 0.0f64..2e9) {
            let factor = mantissa * f64::from(exponent).exp2();
            let by = Scale::of(factor, 31).expect("in range");
            // A multiplier that is rounded up to the next power of two has one bit of shift less.
            prop_assume!(by.real().log2().floor() == factor.log2().floor());
            let bound = unpredictable_from(factor) as i64;
            for sign in [1, -1] {
                prop_assert!(apply_scale_32(sign * (bound - 1), by, false).is_ok());
            }
            prop_assert!(apply_scale_32(bound, by, false).is_err());
            let room = headroom(reach);
            if room >= 1.0 {
                let by = Scale::of(room, 31).expect("in range");
                let made = apply_scale_32(reach as i64, by, false);
                prop_assert!(made.is_ok_and(|sum| sum < 1 << 29));
                prop_assert!((reach + 1.0) * room * 2.0 > 2f64.powi(29));
            }
        }

        /// Limited integers saturate where the others do.
        #[test]
        fn limits_do_not_change_what_saturates(factor in 1e-4f64..1e5, value in -i32::MAX..) {
            let limit = f64::from(saturating_from(factor));
            let of = |value: f64| (value * factor).round().clamp(-32_768.0, 32_767.0);
            let value = f64::from(value);
            prop_assert_eq!(of(value.clamp(-limit, limit)), of(value));
        }

        #[test]
        fn narrow_sums_fit_words(sum in -(1i64 << 47)..(1 << 47)) {
            let unit = narrow_unit(sum.unsigned_abs() as f64);
            let narrow = (sum as f64 / unit + 0.5).floor();
            prop_assert!(narrow.abs() <= f64::from(i32::MAX));
            prop_assert!(unit == 1.0 || sum.unsigned_abs() as f64 / (unit / 2.0) > f64::from(i32::MAX - 1));
        }

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
