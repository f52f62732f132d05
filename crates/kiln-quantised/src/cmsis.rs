//! The arithmetic of CMSIS-NN (`Include/arm_nnsupportfunctions.h`). All cores give the same bits.
//!
//! [`requantize`] brings sums of 32 bits to a result's integers. A library built with `CMSIS_NN_USE_SINGLE_ROUNDING`
//! computes [`requantize_once`] instead, which gives other bits. [`requantize_wide`] is for sums of 64 bits: operands
//! of 16 bits with a bias of 64.

use crate::gemmlowp::{divide_by_power_of_two, doubling_high_multiply, multiply_by_power_of_two};
use crate::multiplier::Multiplier;

/// The upper 32 bits of `2 * a * b`, ties up: `arm_nn_doubling_high_mult_no_sat`. `b` must not be negative.
pub fn doubling_high_multiply_up(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b) + (1 << 30)) >> 31) as i32
}

/// `value * by`: `arm_nn_requantize` of the default build. It rounds twice: ties up when it multiplies, ties away from
/// 0 when it shifts to the right.
///
/// The result differs from the exact product rounded once by at most one step, and only within `2^-(shift + 1)` steps
/// of a tie for a shift to the right of `shift` bits. The shift to the left wraps: `value * 2^shift` has to fit 32
/// bits.
pub fn requantize(value: i32, by: Multiplier) -> i32 {
    let left = by.shift.max(0) as u32;
    let product = doubling_high_multiply_up(value.wrapping_shl(left), by.multiplier);
    divide_by_power_of_two(product, (-by.shift).max(0) as u32)
}

/// `value * by`, rounded once, ties up: `arm_nn_requantize` of a build with `CMSIS_NN_USE_SINGLE_ROUNDING`. The shift
/// is at most 30.
pub fn requantize_once(value: i32, by: Multiplier) -> i32 {
    let product = i64::from(value) * i64::from(by.multiplier);
    (((product >> (30 - by.shift)) + 1) >> 1) as i32
}

/// The factor in a form that [`requantize`] rounds once: with a multiplier of fewer bits and no shift to the right. `None`
/// where it would bring results nearer to the exact ones no more than the factor does, or has no such shift.
///
/// Of a shift to the right of `n` bits, the first rounding errs by `2^-(n + 1)` of a step. Without the shift, the multiplier
/// `m` becomes `m' = m / 2^n`, rounded, and a result of `r` steps errs by `|r| * |m' * 2^n - m| / m`, which is at most
/// `|r| * 2^(n - 31)`. `most` is the greatest `|r|`: behind it results saturate. The second error is the lesser one for shifts
/// up to 11 bits where results have 8 bits, and up to 7 where they have 16.
///
/// ```
/// use kiln_quantised::cmsis::{requantize, rounded_once};
/// use kiln_quantised::multiplier::Multiplier;
/// // The product is 44.497, which the first rounding makes 44.5.
/// let by = Multiplier { multiplier: (1 << 30) - (1 << 16), shift: -6 };
/// let once = rounded_once(by, 255).expect("a shift of 6 bits");
/// assert_eq!((requantize(5696, by), requantize(5696, once)), (45, 44));
/// ```
pub fn rounded_once(by: Multiplier, most: u32) -> Option<Multiplier> {
    let right = u32::try_from(-by.shift)
        .ok()
        .filter(|n| (1..=30).contains(n))?;
    let full = i64::from(by.multiplier);
    let multiplier = (full + (1 << (right - 1))) >> right;
    let lost = u128::from((multiplier << right).abs_diff(full));
    let is_nearer = (u128::from(most) * lost) << (right + 1) < full as u128;
    is_nearer.then_some(Multiplier {
        multiplier: multiplier as i32,
        shift: 0,
    })
}

/// A sum of 64 bits times the factor, rounded once, ties up: `arm_nn_requantize_s64` with `REDUCE_MULTIPLIER`, a
/// multiplier of 16 bits. The sum has to fit 48 bits. The shift is at most 14. A result beyond 32 bits wraps.
pub fn requantize_wide(value: i64, by: Multiplier) -> i32 {
    let product = value.wrapping_mul(by.reduced().into());
    let twice = (product >> (14 - by.shift)) as i32;
    twice.wrapping_add(1) >> 1
}

/// `exp(x)` as Q0.31, for `x` in Q5.26 that is at most 0: `arm_nn_exp_on_negative_values`.
pub fn exp_of_negative(x: i32) -> i32 {
    /// `exp(-2^i)` in Q0.31, for `i` from -2 on.
    const POWERS: [i32; 7] = [
        1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242,
    ];
    /// `exp(-1/8)` and 1/3, in Q0.31.
    const START: i32 = 1895147668;
    const THIRD: i32 = 715827883;
    if x == 0 {
        return i32::MAX;
    }
    let multiply = doubling_high_multiply;
    // The part in (-1/4, 0] by the Taylor series around -1/8, the rest by products of powers.
    let part = (x & ((1 << 24) - 1)) - (1 << 24);
    let rest = part.wrapping_sub(x);
    let t = (part << 5).wrapping_add(1 << 28);
    let t2 = multiply(t, t);
    let fourth = divide_by_power_of_two(multiply(t2, t2), 2);
    let high = multiply(fourth.wrapping_add(multiply(t2, t)), THIRD).wrapping_add(t2);
    let row = t.wrapping_add(divide_by_power_of_two(high, 1));
    let start = START.wrapping_add(multiply(START, row));
    let powers = POWERS.iter().enumerate();
    powers.fold(start, |found, (i, &power)| match rest & (1 << (24 + i)) {
        0 => found,
        _ => multiply(found, power),
    })
}

/// `1 / (1 + x)` as Q0.31, for `x` from 0 to 1 in Q0.31: `arm_nn_one_over_one_plus_x_for_x_in_0_1`.
pub fn one_over_one_plus(x: i32) -> i32 {
    let multiply = doubling_high_multiply;
    let sum = i64::from(x) + i64::from(i32::MAX);
    let half = ((sum + if sum >= 0 { 1 } else { -1 }) / 2) as i32;
    // Three Newton steps from 48/17 - 32/17 d.
    let mut found = 1515870810i32.wrapping_add(multiply(half, -1010580540));
    for _ in 0..3 {
        let error = (1i32 << 29).wrapping_sub(multiply(half, found));
        found = found.wrapping_add(multiply_by_power_of_two(multiply(found, error), 2));
    }
    multiply_by_power_of_two(found, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the exact product: an error of at most 1/2, and where it rounds twice of 1/2 more than a unit before the
        /// last shift.
        #[test]
        fn results_are_near(value in -(1i32 << 24)..(1 << 24), real in 1e-6f64..16.0) {
            let by = Multiplier::of(real).expect("in range");
            let fits = (i64::from(value) << by.shift.max(0)).abs() < 1 << 31;
            prop_assume!(fits);
            let exact = i128::from(value) * i128::from(by.multiplier);
            let unit = 1i128 << (31 - by.shift);
            let once = i128::from(requantize_once(value, by)) * unit - exact;
            prop_assert!(-unit < 2 * once && 2 * once <= unit);
            let twice = (i128::from(requantize(value, by)) * unit - exact).abs();
            let first = 1i128 << (31 - by.shift.max(0));
            prop_assert!(2 * twice <= unit + first);
        }

        /// Against the exact product: an error of at most 1/2, and of less than the first rounding's where it rounds twice.
        #[test]
        fn results_without_a_shift_are_nearer(result in -255f64..255.0, real in 1e-4f64..1.0) {
            let by = Multiplier::of(real).expect("in range");
            let once = rounded_once(by, 255);
            prop_assert!(once.is_some() || !(-11..0).contains(&by.shift));
            prop_assume!(once.is_some());
            let value = (result / real) as i32;
            let exact = i128::from(value) * i128::from(by.multiplier);
            let unit = 1i128 << (31 - by.shift);
            let error = (i128::from(requantize(value, once.expect("assumed"))) * unit - exact).abs();
            prop_assert!(2 * error < unit + (1 << 31));
        }

        #[test]
        fn wide_results_are_near(value in -(1i64 << 40)..(1 << 40), real in 1e-8f64..1e-4) {
            let by = Multiplier::of(real).expect("in range");
            let exact = i128::from(value) * i128::from(by.reduced());
            let unit = 1i128 << (15 - by.shift);
            let error = i128::from(requantize_wide(value, by)) * unit - exact;
            prop_assert!(-unit < 2 * error && 2 * error <= unit);
        }

        #[test]
        fn functions_are_near(x in 0i32..i32::MAX) {
            let of = |q: i32, bits: i32| f64::from(q) / f64::from(bits).exp2();
            let exp = of(exp_of_negative(-x), 31);
            // Taylor's row ends with the fourth power of at most 1/8. Behind it 13 products, and the constants they are of,
            // are rounded.
            let (rest, unit) = (0.125f64.powi(5) / 120.0, 31f64.exp2().recip());
            prop_assert!((exp - of(-x, 26).exp()).abs() <= rest + 13.0 * unit);
            let inverse = of(one_over_one_plus(x), 31);
            // Three of Newton's steps from an error of 1/17, the last of which computes in units of 2^-29 of twice the
            // result: one of the error times up to 2, and its own, four times less fine.
            let rest = 17f64.powi(-8) + 8.0 * unit;
            prop_assert!((inverse - 1.0 / (1.0 + of(x, 31))).abs() <= rest);
        }
    }
}
