//! Which reals integers stand for: a tensor's scale and zero point, the qparams of a range, and the common step of two
//! operands of a sum.

use kiln_ir::types::{Quant, QuantScheme};

/// The scale and the zero point of a tensor: `real = scale * (integer - zero_point)`. The scale is positive and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The difference of the reals of two neighbouring integers.
    pub scale: f64,
    /// The integer that stands for 0.
    pub zero_point: i32,
}

impl Step {
    /// The step of a whole tensor. `None` if channels or groups have their own.
    pub fn of(quant: &Quant) -> Option<Step> {
        match &quant.scheme {
            QuantScheme::PerTensor { scale, zero_point } => Some(Step {
                scale: *scale,
                zero_point: *zero_point as i32,
            }),
            QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
        }
    }

    /// The scale rounded to f32, as PyTorch multiplies by it.
    pub fn single(self) -> f64 {
        f64::from(self.scale as f32)
    }

    /// The real of an integer.
    pub fn real(self, integer: i64) -> f64 {
        (integer - i64::from(self.zero_point)) as f64 * self.scale
    }

    /// The integer nearest to a real, ties to even, within `min..=max`. NaN becomes 0, or the end that is nearest to 0.
    pub fn integer(self, real: f64, min: i64, max: i64) -> i64 {
        if real.is_nan() {
            return 0i64.clamp(min, max);
        }
        let steps = (real / self.scale).round_ties_even() as i64;
        steps.saturating_add(self.zero_point.into()).clamp(min, max)
    }

    /// The step for integers of `min..=max` whose reals hold `low..=high` and 0 exactly: PyTorch's affine
    /// `MinMaxObserver`. The range of 0 alone gets the scale 1.
    ///
    /// ```
    /// use kiln_quantised::step::Step;
    /// assert_eq!(Step::affine(0.0, 1.0, -128, 127), Step { scale: 1.0 / 255.0, zero_point: -128 });
    /// ```
    pub fn affine(low: f64, high: f64, min: i32, max: i32) -> Step {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let scale = (high - low) / f64::from(max - min);
        if scale <= f64::MIN_POSITIVE {
            return Step {
                scale: 1.0,
                zero_point: 0.clamp(min, max),
            };
        }
        let zero_point = f64::from(min) - (low / scale).round_ties_even();
        Step {
            scale,
            zero_point: (zero_point as i32).clamp(min, max),
        }
    }

    /// The step for weights whose greatest size is `magnitude`: the integers `-max..=max` about the zero point 0.
    pub fn symmetric(magnitude: f64, max: i32) -> Step {
        let scale = magnitude / f64::from(max);
        let scale = if scale <= f64::MIN_POSITIVE {
            1.0
        } else {
            scale
        };
        Step {
            scale,
            zero_point: 0,
        }
    }
}

/// The common step of two quantised operands that meet in a sum, a difference, a maximum or a minimum.
///
/// Each operand's distance from its zero point is shifted to the left by `left_shift` and multiplied by its factor. Both then
/// count the same unit, and their sum is multiplied into the result's steps. The unit is `2 * greater scale / 2^left_shift`, so
/// that a factor is at most 1/2: the coarser operand's is 1/2 exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommonStep {
    /// The bits by which distances are shifted to the left.
    pub left_shift: u32,
    /// The factor of each operand behind its shift, at most 1/2.
    pub operands: [f64; 2],
    /// The real of one unit of the sum.
    pub unit: f64,
}

impl CommonStep {
    /// The common step of CMSIS-NN's and TFLite's kernels (`arm_elementwise_add_s8.c`; TFLite `add.cc`). They shift operands of 8
    /// bits by 20 and operands of 16 bits about 0 by 15. Kiln's TOSA shifts the latter by 12.
    ///
    /// A distance of `d` bits takes `d + left_shift - 1` bits, and the sum one more: 9 bits and a shift of 20 make 29.
    /// [`CommonStep::reach`] is the exact bound.
    ///
    /// The greater scale is positive. An operand of scale 0 has the factor 0.
    ///
    /// ```
    /// use kiln_quantised::step::{CommonStep, Step};
    /// let step = |scale| Step { scale, zero_point: 0 };
    /// let common = CommonStep::of([step(0.5), step(0.125)], 20);
    /// assert_eq!((common.operands, common.unit), ([0.5, 0.125], 2f64.powi(-20)));
    /// assert_eq!(common.result(step(0.25)), 2f64.powi(-18));
    /// ```
    pub fn of(operands: [Step; 2], left_shift: u32) -> CommonStep {
        let common = 2.0 * operands[0].scale.max(operands[1].scale);
        CommonStep {
            left_shift,
            operands: operands.map(|operand| operand.scale / common),
            unit: common / f64::from(left_shift).exp2(),
        }
    }

    /// Whether the sum forgets an operand that counts: a unit of the sum is more than a step of that operand, and more than a step of
    /// the result, whose scale is `step`. One operand's scale is some million times the other's then, and the result's is near the lesser.
    pub fn forgets(&self, step: f64) -> bool {
        self.unit > step && self.units().iter().any(|&units| 0.0 < units && units < 1.0)
    }

    /// The units of one step of each operand, its shift and its factor in one: for RESCALE, which has no shift before it.
    pub fn units(&self) -> [f64; 2] {
        self.operands
            .map(|factor| factor * f64::from(self.left_shift).exp2())
    }

    /// The factor that brings the sum to a result's steps.
    pub fn result(&self, result: Step) -> f64 {
        self.unit / result.scale
    }

    /// How far the sum is from 0 at most, in units, for operands of these reaches, but for what rounding both adds: less than 2.
    pub fn reach(&self, reaches: [f64; 2]) -> f64 {
        let [a, b] = self.units();
        reaches[0] * a + reaches[1] * b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmsis::requantize;
    use crate::multiplier::Multiplier;
    use proptest::prelude::*;

    #[test]
    fn an_operand_of_scale_zero_adds_nothing() {
        let step = |scale| Step {
            scale,
            zero_point: 0,
        };
        let common = CommonStep::of([step(0.0), step(0.5)], 20);
        assert_eq!(common.operands, [0.0, 0.5]);
        assert_eq!(Multiplier::of(common.operands[0]), Ok(Multiplier::ZERO));
    }

    proptest! {
        #[test]
        fn reals_come_back(low in -1e3f64..0.0, high in 1e-3f64..1e3, integer in -128i64..128) {
            let step = Step::affine(low, high, -128, 127);
            prop_assert_eq!(step.integer(step.real(integer), -128, 127), integer);
            prop_assert_eq!(step.integer(0.0, -128, 127), i64::from(step.zero_point));
            let reach = [low, high].map(|real| step.real(step.integer(real, -128, 127)) - real);
            // Half a step, and the rounding of quotients of up to 2^8 steps.
            prop_assert!(reach.iter().all(|error| error.abs() <= step.scale * (0.5 + 2f64.powi(-40))));
        }

        /// The sum that CMSIS-NN computes is the exact one's nearest integer, or beside it.
        #[test]
        fn common_steps_are_fine_enough(a in -128i32..128, b in -128i32..128, sa in 0.01f64..1.0, sb in 0.01f64..1.0, sr in 0.02f64..2.0) {
            let step = |scale| Step { scale, zero_point: 0 };
            let common = CommonStep::of([step(sa), step(sb)], 20);
            let by = |factor| Multiplier::of(factor).expect("in range");
            let part = |x: i32, factor| requantize(x << common.left_shift, by(factor));
            let sum = part(a, common.operands[0]) + part(b, common.operands[1]);
            let result = common.result(step(sr));
            let found = f64::from(requantize(sum, by(result)));
            prop_assert!(f64::from(sum).abs() <= common.reach([a, b].map(|x| f64::from(x.abs()))) + 2.0);
            let exact = (f64::from(a) * sa + f64::from(b) * sb) / sr;
            // A part of at most 2^26 is rounded twice, by a factor that is off by 2^-31 of itself, and so is the sum of both.
            let part_error = 1.0 + 2f64.powi(26 - 31);
            let carried = 2.0 * part_error * result + exact.abs() * 2f64.powi(-31);
            let first_rounding = 0.5 * f64::from(by(result).shift.min(0)).exp2();
            let bound = 0.5 + first_rounding + carried;
            prop_assert!((found - exact).abs() <= bound, "{} {} {}", found, exact, bound);
        }

        /// No sum of 8 or 16 bits overflows 32, the zero points at the ends of the type.
        #[test]
        fn common_steps_fit(sa in 1e-6f64..1.0, sb in 1e-6f64..1.0, zero in -128i32..128) {
            let step = |scale, zero_point| Step { scale, zero_point };
            let bytes = CommonStep::of([step(sa, zero), step(sb, -128)], 20);
            prop_assert!(bytes.reach([255.0, 255.0]) < 2f64.powi(28));
            prop_assert_eq!(bytes.operands[0].max(bytes.operands[1]), 0.5);
            let words = CommonStep::of([step(sa, 0), step(sb, 0)], 15);
            prop_assert!(words.reach([32_768.0, 32_768.0]) <= 2f64.powi(30));
        }
    }
}
