//! Averages of integers: a sum divided by a count, and how ties round.
//!
//! If operand and result have the same step, an average is a quotient of integers, and ties are frequent. TOSA rounds
//! ties up ([`crate::tosa::reciprocal_scale`]), CMSIS-NN away from 0. PyTorch multiplies the mean by an inverse scale
//! in f32 and rounds to even: the product of a tie lies above or below it, depending on the integer and the scale.

use crate::step::Step;

/// `sum / count`, ties away from 0: CMSIS-NN's average pools (`arm_avgpool_s8.c`). The sum is of the integers as they
/// are, zero point included, so a tie rounds by the sign of the integer, not by that of the real.
pub fn away(sum: i32, count: i32) -> i32 {
    let half = if sum > 0 { count / 2 } else { -(count / 2) };
    (sum + half) / count
}

/// `sum / count`, ties up.
pub fn up(sum: i64, count: i64) -> i64 {
    (2 * sum + count).div_euclid(2 * count)
}

/// PyTorch's result for an average in the middle between `upper - 1` and `upper`: one of the two. PyTorch dequantises,
/// averages and quantises in f32, with the same step on both sides.
pub fn from_middle(upper: i32, step: Step) -> i32 {
    let steps = f64::from(upper - step.zero_point) - 0.5;
    let mean = (steps * step.single()) as f32;
    let rounded = (mean * (1.0 / step.scale) as f32).round_ties_even();
    match f64::from(rounded) > steps {
        true => upper,
        false => upper - 1,
    }
}

/// Fractions as fixed-point numbers with a common shift. A factor is `fraction * 2^shift`, rounded. The greatest has 31
/// bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fractions {
    /// The factors: positive, below `2^31`.
    pub factors: Vec<i32>,
    /// The shift to the right, from 1 to 63.
    pub shift: u8,
}

/// The products of sums and fractions may not fit.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("averages of up to {0} steps; they are within 29 bits of the result's steps")]
pub struct TooFar(pub f64);

impl Fractions {
    /// The factors of sums by position, for windows that cover different numbers of elements (TOSA's MUL with a shift).
    /// `fractions` are the steps of the result per unit of a sum, all positive; `reach` bounds the sums.
    ///
    /// A factor is off by at most 1/2, so an average is off by at most `reach / 2^(shift + 1)` before it is rounded.
    ///
    /// # Errors
    /// If an average may reach `2^29`, or if the shift is not from 1 to 63.
    ///
    /// ```
    /// use kiln_quantised::average::Fractions;
    /// let found = Fractions::of(&[0.25, 1.0 / 9.0], 9.0 * 255.0)?;
    /// assert_eq!((found.shift, found.factors), (32, vec![1 << 30, 477_218_588]));
    /// # Ok::<(), kiln_quantised::average::TooFar>(())
    /// ```
    pub fn of(fractions: &[f64], reach: f64) -> Result<Fractions, TooFar> {
        let most = fractions.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let shift = 30 - most.log2().floor() as i64;
        if reach * most >= f64::from(1u32 << 29) || !(1..=63).contains(&shift) {
            return Err(TooFar(reach * most));
        }
        let one = (shift as f64).exp2();
        // A fraction just below a power of two would round up to the power, which has one bit more.
        let factor = |f: &f64| (f * one).round().min(f64::from(i32::MAX)) as i32;
        Ok(Fractions {
            factors: fractions.iter().map(factor).collect(),
            shift: shift as u8,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_where_their_rule_says() {
        assert_eq!(
            [away(3, 2), away(-3, 2), away(5, 2), away(4, 3)],
            [2, -2, 3, 1]
        );
        assert_eq!([up(3, 2), up(-3, 2), up(-5, 3), up(4, 3)], [2, -1, -2, 1]);
        for sum in -100..100 {
            for count in 1..12 {
                let exact = f64::from(sum) / f64::from(count);
                assert!((f64::from(away(sum, count)) - exact).abs() <= 0.5);
                assert!((up(sum.into(), count.into()) as f64 - exact).abs() <= 0.5);
            }
        }
    }

    #[test]
    fn a_middle_goes_to_even_where_the_scale_is_exact() {
        let step = Step {
            scale: 0.25,
            zero_point: 0,
        };
        assert_eq!(
            [1, 2, 3, 0, -1].map(|upper| from_middle(upper, step)),
            [0, 2, 2, 0, -2]
        );
    }

    #[test]
    fn fractions_that_do_not_fit_are_refused() {
        assert!(Fractions::of(&[1.0], 2f64.powi(29)).is_err());
        assert!(Fractions::of(&[], 1.0).is_err());
        assert!(Fractions::of(&[0.0], 1.0).is_err());
        assert!(Fractions::of(&[2f64.powi(-34)], 1.0).is_err());
        let below = Fractions::of(&[1.0 - 1e-12], 100.0).expect("it fits");
        assert_eq!((below.factors[0], below.shift), (i32::MAX, 31));
    }

    proptest! {
        #[test]
        fn fractions_are_near(counts in proptest::collection::vec(1u32..100, 1..9), step in 1e-3f64..1e3, sum in -100_000i64..100_000) {
            let reals: Vec<f64> = counts.iter().map(|&n| step / f64::from(n)).collect();
            let found = Fractions::of(&reals, 1e5).expect("they fit");
            for (&factor, &real) in found.factors.iter().zip(&reals) {
                let unit = f64::from(found.shift).exp2().recip();
                prop_assert!(factor > 0 && (f64::from(factor) * unit - real).abs() <= unit);
                let made = (sum * i64::from(factor) + (1i64 << (found.shift - 1))) >> found.shift;
                prop_assert!((made as f64 - sum as f64 * real).abs() <= 0.5 + 1e5 * unit);
            }
        }
    }
}
