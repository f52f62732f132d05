//! The steps of results, and the factors that bring sums to them.

use super::Lowering;
use super::parts::dtype_of;
use crate::dialect::{Activation, Dtype};
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Quant, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::channel::{MAX_APART, limited, vanishes};
use kiln_quantised::cmsis::rounded_once;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::parameters::WeightScales;
use kiln_quantised::step::Step;
use kiln_target::operands;
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

pub(super) use kiln_target::operands::step_of;

/// The most that a sum of 64 bits may be after its factor: a multiplier of 16 bits is off by 2^-15 of it at most, and the
/// function computes twice the result in 32 bits.
const MAX_WIDE: f64 = (1u64 << 30) as f64 * (1.0 - 1.0 / (1 << 14) as f64);

/// The result's quantisation: its step, type and range.
#[derive(Clone)]
pub(super) struct Goal {
    pub(super) step: Step,
    pub(super) dtype: Dtype,
    /// The least and the greatest integer.
    pub(super) range: Activation,
    /// The result is rounded once where the library has a form for it ([`super::exact`]).
    pub(super) is_exact: bool,
}

impl Goal {
    pub(super) fn of(q: &Quantised) -> Result<Goal, Reason> {
        Goal::new(&q.quant, q.dtype)
    }

    pub(super) fn new(quant: &Quant, dtype: DType) -> Result<Goal, Reason> {
        let dtype = dtype_of(dtype)?;
        let (low, high) = dtype.range().unwrap_or((0, 0));
        Ok(Goal {
            step: step_of(quant)?,
            dtype,
            range: Activation {
                min: quant.min.max(low) as i32,
                max: quant.max.min(high) as i32,
            },
            is_exact: false,
        })
    }

    /// The same, rounded once where the library has a form for it.
    pub(super) fn exact(&self) -> Goal {
        Goal {
            is_exact: true,
            ..self.clone()
        }
    }

    /// The factor of sums whose unit is such a real, and which are so far from 0 at most.
    ///
    /// It is [`limited`], so that shifted sums fit 32 bits more often.
    ///
    /// # Errors
    /// If the sums, shifted, may not fit 32 bits.
    pub(super) fn factor(&self, unit: f64, reach: Reach) -> Result<Multiplier, Reason> {
        fixed(self.limited(unit), reach)
    }

    fn limited(&self, unit: f64) -> f64 {
        limited(unit / self.step.scale, self.dtype == Dtype::I8)
    }

    /// The factor of sums of 64 bits, which [`kiln_quantised::cmsis::requantize_wide`] multiplies.
    ///
    /// # Errors
    /// If the sums do not fit 48 bits, or a result, with one bit more, may not fit 32: it would wrap.
    pub(super) fn wide_factor(&self, unit: f64, reach: Reach) -> Result<Multiplier, Reason> {
        let factor = self.limited(unit);
        if !reach.fits(48) || reach.size() * factor > MAX_WIDE {
            let found = format!("sums of up to {} with a factor of {factor}", reach.size());
            return Err(Reason::new("sums of 64 bits are scaled to 32", found));
        }
        if vanishes(factor) && reach.size() * factor > MAX_APART {
            let rule = "the factor of sums of 64 bits is at least 2^-32";
            return Err(Reason::new(rule, factor.to_string()));
        }
        fixed(factor, Reach(1))
    }

    /// The factor of the sums of a layer of Kiln's own, by the type of its operand: those of 16 bits may be multiplied in 64 bits.
    ///
    /// # Errors
    /// As those of [`Goal::exact_factor`] and [`Goal::wide_factor`].
    pub(super) fn layer_factor(
        &self,
        operand: Dtype,
        unit: f64,
        reach: Reach,
    ) -> Result<Multiplier, Reason> {
        match operand {
            Dtype::I16 => self.wide_factor(unit, reach),
            _ => self.exact_factor(unit, reach),
        }
    }

    /// As [`Goal::factor`], for a function of the library that requantises sums to 8 bits. It rounds twice, unless the result is to be
    /// exact and the factor has a form that rounds once.
    ///
    /// # Errors
    /// As those of [`Goal::factor`].
    pub(super) fn library_factor(&self, unit: f64, reach: Reach) -> Result<Multiplier, Reason> {
        match self.is_exact {
            true => self.exact_factor(unit, reach),
            false => self.factor(unit, reach),
        }
    }

    /// As [`Goal::library_factor`], of a result that is to be exact.
    ///
    /// # Errors
    /// As those of [`Goal::factor`].
    pub(super) fn exact_factor(&self, unit: f64, reach: Reach) -> Result<Multiplier, Reason> {
        let factor = self.factor(unit, reach)?;
        let zero = self.step.zero_point;
        let most = [self.range.min, self.range.max].map(|end| end.abs_diff(zero));
        // A result beyond the range by less than half a step may be within it.
        let once = rounded_once(factor, most[0].max(most[1]) + 1);
        Ok(once.filter(|_| self.dtype == Dtype::I8).unwrap_or(factor))
    }
}

/// A factor of integers that are so far from 0 at most.
///
/// # Errors
/// If the integers, shifted, may not fit 32 bits.
pub(super) fn fixed(factor: f64, reach: Reach) -> Result<Multiplier, Reason> {
    let found = Multiplier::of(factor);
    let found = found
        .map_err(|_| Reason::new("factors are positive and fit the shift", factor.to_string()))?;
    let shifted = Reach(reach.0.saturating_mul(1 << found.shift.max(0)));
    match shifted.fits(32) {
        true => Ok(found),
        false => {
            let found = format!("a factor of {factor}");
            Err(Reason::new("sums are scaled within 32 bits", found))
        }
    }
}

impl Lowering<'_> {
    pub(super) fn quant(&self, value: ValueId) -> Result<&Arc<Quant>, Reason> {
        operands::quant_of(self.graph, value)
    }

    /// The scale and the zero point of a value.
    pub(super) fn step(&self, value: ValueId) -> Result<Step, Reason> {
        operands::step(self.graph, value)
    }

    /// The greatest distance of a quantised value's integers from its zero point.
    pub(super) fn reach(&self, value: ValueId) -> Reach {
        operands::reach(self.graph, value)
    }

    /// The scales of a weight by output channel, and its one zero point.
    pub(super) fn weight_scales(
        &self,
        value: ValueId,
        axis: usize,
        outputs: usize,
    ) -> Result<WeightScales, Reason> {
        operands::weight_scales(self.graph, value, axis, outputs)
    }

    /// The reals of a known value.
    pub(super) fn reals(&self, value: ValueId) -> Result<Vec<f64>, Reason> {
        operands::reals(self.graph, value)
    }

    /// The real of a known value whose elements are all equal.
    pub(super) fn one_number(&self, value: ValueId) -> Option<f32> {
        operands::one_number(self.graph, value)
    }
}
