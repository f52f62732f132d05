//! The steps of results, and the factors that bring sums to them.

use super::Lowering;
use super::parts::dtype_of;
use crate::dialect::{Activation, Dtype};
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Quant, QuantScheme, Scalar, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::multiplier::Multiplier;
use kiln_quantised::parameters::{NotByChannel, Parameters, WeightScales};
use kiln_quantised::step::Step;
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::framework::target::Reason;
use std::sync::Arc;

/// The scale and the zero point of a whole tensor.
pub(super) fn step_of(quant: &Quant) -> Result<Step, Reason> {
    Step::of(quant).ok_or_else(|| Reason::new("values have one scale", "scales by channel"))
}

/// The result's quantisation: its step, type and range.
pub(super) struct Goal {
    pub(super) step: Step,
    pub(super) dtype: Dtype,
    /// The least and the greatest integer.
    pub(super) range: Activation,
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
        })
    }

    /// The factor of sums whose unit is such a real, and which are so far from 0 at most.
    ///
    /// A factor that brings every integer but 0 beyond the range may be any such factor, so it is limited. Kernels shift to the left
    /// before they multiply, in 32 bits.
    ///
    /// # Errors
    /// If the sums, shifted, may not fit 32 bits.
    pub(super) fn factor(&self, unit: f64, reach: Reach) -> Result<Multiplier, Reason> {
        let most = match self.dtype {
            Dtype::I8 => f64::from(1u32 << 10),
            _ => f64::from(1u32 << 18),
        };
        fixed((unit / self.step.scale).min(most), reach)
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
        let ty = self.graph.ty(value);
        let quant = ty.quant.as_ref();
        quant.ok_or_else(|| Reason::new("the operand is quantised", format!("{ty:?}")))
    }

    /// The scale and the zero point of a value. CMSIS-NN takes 16-bit integers only with the zero point 0.
    pub(super) fn step(&self, value: ValueId) -> Result<Step, Reason> {
        let step = step_of(self.quant(value)?)?;
        if step.zero_point != 0 && self.graph.ty(value).dtype == DType::I16 {
            let found = step.zero_point.to_string();
            return Err(Reason::new("16-bit integers have the zero point 0", found));
        }
        Ok(step)
    }

    /// The greatest distance of a quantised value's integers from its zero point.
    pub(super) fn reach(&self, value: ValueId) -> Reach {
        let ty = self.graph.ty(value);
        let (least, greatest) = ty.dtype.int_range().unwrap_or((0, 0));
        let zeros = ty.quant.iter().flat_map(|q| q.scheme.zero_points());
        let far = |&z: &i64| Reach::of_integers(least, greatest, z);
        zeros.map(far).fold(Reach(1), Reach::max)
    }

    /// The scales of a weight by output channel, and its one zero point.
    pub(super) fn weight_scales(
        &self,
        value: ValueId,
        channels: usize,
        outputs: usize,
    ) -> Result<WeightScales, Reason> {
        let scheme = &self.quant(value)?.scheme;
        WeightScales::of(scheme, channels, outputs).map_err(|why| match why {
            NotByChannel::ZeroPoints => Reason::new("a weight has one zero point", "several"),
            NotByChannel::Scales => {
                let rule = "a weight has scales by output channel";
                Reason::new(rule, format!("{scheme:?}"))
            }
        })
    }

    /// The reals of a known value.
    pub(super) fn reals(&self, value: ValueId) -> Result<Vec<f64>, Reason> {
        let data = constant_of(self.graph, value)
            .ok_or_else(|| Reason::new("a bias is known", "one that is computed"))?;
        let Some(quant) = &self.graph.ty(value).quant else {
            return Ok(data.scalars().map(Scalar::as_f64).collect());
        };
        if let QuantScheme::PerGroup { .. } = quant.scheme {
            let rule = "a known value has one scale, or one by channel";
            return Err(Reason::new(rule, format!("{:?}", quant.scheme)));
        }
        let found = Parameters::of(quant, data.sizes()).map_err(|misfit| {
            Reason::new("a known value has its parameters", misfit.to_string())
        })?;
        Ok(found.reals(data.scalars().map(Scalar::as_i64)))
    }

    /// The real of a known value whose elements are all equal.
    pub(super) fn one_number(&self, value: ValueId) -> Option<f32> {
        if !is_constant(self.graph, value) {
            return None;
        }
        let reals = self.reals(value).ok()?;
        let (&first, rest) = reals.split_first()?;
        rest.iter().all(|&r| r == first).then_some(first as f32)
    }
}
