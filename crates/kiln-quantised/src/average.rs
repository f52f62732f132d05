//! Averages of integers in their own steps: a sum divided by a count, and where a tie goes.
//!
//! TOSA rounds ties up ([`crate::tosa::reciprocal_scale`]), CMSIS-NN away from 0, PyTorch to even after the mean was multiplied
//! by an inverse scale in f32, which moves some ties to this side and some to that.

use crate::step::Step;

/// `sum / count`, ties away from 0: CMSIS-NN's average pools (`arm_avgpool_s8.c`). The sum is of the integers themselves, with
/// their zero point, and so ties go by the sign of the integers.
pub fn away(sum: i32, count: i32) -> i32 {
    let half = if sum > 0 { count / 2 } else { -(count / 2) };
    (sum + half) / count
}

/// `sum / count`, ties up.
pub fn up(sum: i64, count: i64) -> i64 {
    (2 * sum + count).div_euclid(2 * count)
}

/// Where PyTorch rounds an average in the middle of an integer and the one below: `upper`, or that less 1. It dequantises,
/// averages and quantises in f32 with the same step on both sides.
pub fn from_middle(upper: i32, step: Step) -> i32 {
    let steps = f64::from(upper - step.zero_point) - 0.5;
    let mean = (steps * step.single()) as f32;
    let rounded = (mean * (1.0 / step.scale) as f32).round_ties_even();
    match f64::from(rounded) > steps {
        true => upper,
        false => upper - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
