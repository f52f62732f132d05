//! The steps of results: how many steps of a result a real or another step is.

use super::dtype_of;
use super::rescale::To;
use crate::dialect::TosaDtype;
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Quant};
pub(crate) use kiln_quantised::step::Step;
use kiln_transforms::framework::target::Reason;

pub(super) use kiln_target::operands::step_of;

/// The result's quantisation: its step, dtype and range.
pub(super) struct Goal {
    pub(super) step: Step,
    pub(super) dtype: DType,
    /// The least and the greatest integer, if the dtype has more.
    pub(super) narrow: Option<(i64, i64)>,
}

impl Goal {
    pub(super) fn of(q: &Quantised) -> Result<Goal, Reason> {
        Goal::new(&q.quant, q.dtype)
    }

    pub(super) fn new(quant: &Quant, dtype: DType) -> Result<Goal, Reason> {
        let range = dtype.int_range();
        let own = Some((quant.min, quant.max));
        Ok(Goal {
            step: step_of(quant)?,
            dtype,
            narrow: own.filter(|_| range != own),
        })
    }

    /// The steps that a real is, as PyTorch computes them: the product with the inverse scale in f32. For a result in
    /// the middle between two integers, this product tells to which of them PyTorch rounds. 32-bit results are
    /// compared, not rounded, so for them the quotient is exact.
    pub(super) fn steps(&self, real: f64) -> f64 {
        match self.dtype {
            DType::I32 => real / self.step.scale,
            _ => real * f64::from((1.0 / self.step.scale) as f32),
        }
    }

    /// The steps that a real is, exactly. For sums of products: they lie between two integers by chance only, and
    /// PyTorch's own sums in f32 are off by more than the inverse scale is.
    pub(super) fn exact_steps(&self, real: f64) -> f64 {
        real / self.step.scale
    }

    /// The steps that one step of another quantisation is.
    pub(super) fn steps_of(&self, from: Step) -> f64 {
        match self.dtype {
            _ if from.scale == self.step.scale => 1.0,
            DType::I32 => self.steps(from.scale),
            _ => self.steps(from.single()),
        }
    }

    pub(super) fn target(&self) -> To {
        let dtype = dtype_of(self.dtype).unwrap_or(TosaDtype::I8);
        To {
            dtype,
            zero_point: self.step.zero_point,
        }
    }
}
