//! The two parts of gemmlowp's requantisation (gemmlowp, `fixedpoint/fixedpoint.h`).

/// The upper 32 bits of `2 * a * b`: `SaturatingRoundingDoublingHighMul`. Ties go up, for positive and for negative
/// products. Only `i32::MIN` squared saturates.
pub fn doubling_high_multiply(a: i32, b: i32) -> i32 {
    if a == i32::MIN && b == i32::MIN {
        return i32::MAX;
    }
    let product = i64::from(a) * i64::from(b);
    let nudge = if (a ^ b) >= 0 { 1 << 30 } else { 1 - (1 << 30) };
    ((product + nudge) / (1 << 31)) as i32
}

/// `x / 2^exponent`, ties away from 0: `RoundingDivideByPOT`, for exponents from 0 to 31.
pub fn divide_by_power_of_two(x: i32, exponent: u32) -> i32 {
    let mask = (1i64 << exponent) - 1;
    let rest = i64::from(x) & mask;
    let threshold = (mask >> 1) + i64::from(x < 0);
    let quotient = (i64::from(x) >> exponent) as i32;
    quotient + i32::from(rest > threshold)
}

/// `x * 2^exponent`, saturated: `SaturatingRoundingMultiplyByPOT` for positive exponents, below 31.
pub fn multiply_by_power_of_two(x: i32, exponent: u32) -> i32 {
    let wide = i64::from(x) << exponent;
    wide.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties() {
        assert_eq!(
            [divide_by_power_of_two(3, 1), divide_by_power_of_two(-3, 1)],
            [2, -2]
        );
        assert_eq!(
            [
                divide_by_power_of_two(5, 0),
                divide_by_power_of_two(i32::MIN, 31)
            ],
            [5, -1]
        );
        assert_eq!(doubling_high_multiply(i32::MIN, i32::MIN), i32::MAX);
        assert_eq!(
            [
                doubling_high_multiply(1, 1 << 30),
                doubling_high_multiply(-1, 1 << 30)
            ],
            [1, 0]
        );
    }

    proptest! {
        #[test]
        fn both_are_nearest(a in any::<i32>(), b in any::<i32>(), exponent in 0u32..32) {
            let exact = i64::from(a) * i64::from(b);
            let found = i64::from(doubling_high_multiply(a, b)) << 31;
            prop_assert!((exact - found).abs() <= 1 << 30 || (a == i32::MIN && b == i32::MIN));
            let found = i64::from(divide_by_power_of_two(a, exponent)) << exponent;
            let error = (i64::from(a) - found).abs();
            prop_assert!(2 * error <= 1 << exponent);
            // A tie rounds away from 0.
            prop_assert!(2 * error < 1 << exponent || exponent == 0 || found.abs() > i64::from(a).abs());
        }
    }
}
