//! Which reals integers stand for, and how many steps of other integers those are.

use super::dtype_of;
use super::rescale::To;
use crate::dialect::TosaDtype;
use kiln_ir::ops::Quantised;
use kiln_ir::{DType, Quant};
pub(crate) use kiln_quantised::step::Step;
use kiln_transforms::framework::target::Reason;

/// That of a whole tensor.
pub(super) fn step_of(quant: &Quant) -> Result<Step, Reason> {
    Step::of(quant).ok_or_else(|| Reason::new("values have one scale", "scales by channel"))
}

/// What integers a result has.
pub(super) struct Goal {
    pub(super) step: Step,
    pub(super) dtype: DType,
    /// Least and greatest, where the dtype has more.
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

    /// How many steps a real is, as PyTorch has it: times the inverse scale in f32. Where the exact result lies between
    /// two integers, that number tells to which of them PyTorch rounds; words are compared, and are exact.
    pub(super) fn steps(&self, real: f64) -> f64 {
        match self.dtype {
            DType::I32 => real / self.step.scale,
            _ => real * f64::from((1.0 / self.step.scale) as f32),
        }
    }

    /// How many steps a real is. Sums of products lie between two integers by chance only, and PyTorch's, which are added up
    /// in f32, are farther from the exact ones than both inverses are from one another: by counts the exact one is as near.
    pub(super) fn exact_steps(&self, real: f64) -> f64 {
        real / self.step.scale
    }

    /// How many steps one of those is.
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
