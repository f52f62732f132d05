//! The biases of dense ops: integers of the accumulator's type, or floats.
//!
//! A sum of integers takes a bias in whole units of the accumulator. The rest of the bias is less than one step of the
//! result, but it decides how some sums are rounded, and such errors of one step grow from layer to layer. So sums are
//! rescaled to finer units, as far as RESCALE is predictable, and the rest is added there. [`kiln_quantised::bias`] has
//! the arithmetic.

use super::conv::accumulator;
use super::rescale::To;
use super::step::Goal;
use super::weights::Weight;
use super::{Lowering, Parts};
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_ir::ValueId;
use kiln_quantised::bias::UnitBias;
use kiln_quantised::tosa::headroom;
use kiln_transforms::framework::target::Reason;
use std::ops::Range;

/// The bias of the output channels.
#[derive(Clone)]
pub(crate) enum Bias {
    /// Known integers of the accumulator's type.
    Known(TosaDtype, Vec<i64>),
    /// Floats, known or computed.
    Floats(Weight),
}

/// The units of the accumulator, by output channel.
pub(crate) struct Units {
    pub(crate) scales: Vec<f64>,
    /// The rest of the bias beyond whole units, by output channel. It is empty if it does not matter.
    pub(crate) rest: Vec<f64>,
}

impl Lowering<'_, '_> {
    /// The bias in whole units of `scales`, and the rest. No bias is a bias of zeros.
    pub(super) fn bias_in_units(
        &mut self,
        x: TensorId,
        bias: Option<ValueId>,
        scales: Vec<f64>,
        to: &Goal,
    ) -> Result<(Bias, Units), Reason> {
        let acc = accumulator(self.parts.dtype(x));
        let reals = match bias {
            None => vec![0.0; scales.len()],
            Some(bias) => self.reals(bias)?,
        };
        let (least, greatest) = acc.int_range().unwrap_or((i64::MIN, i64::MAX));
        let mut units = reals.iter().zip(&scales).map(|(real, scale)| real / scale);
        if let Some(beyond) = units.find(|units| units.abs() > greatest as f64) {
            let rule = "a bias counts in steps of the products, in the accumulator's integers";
            let found = format!("{beyond:.3e} steps, where there are {greatest}");
            let reason = Reason::new(rule, found);
            return Err(reason.advise(
                "give the weights of that channel a larger scale: raise the eps of their observer",
            ));
        }
        let bias = UnitBias::of(&reals, &scales, least, greatest);
        let factors = scales.iter().map(|&scale| to.exact_steps(scale));
        // Nothing can be added to sums of 48 bits; their steps are so fine that no rest matters.
        let is_kept = acc == TosaDtype::I32 && !self.parts.machine().spares_words;
        let rest = match is_kept && bias.matters(factors) {
            true => bias.rest,
            false => Vec::new(),
        };
        Ok((Bias::Known(acc, bias.whole), Units { scales, rest }))
    }

    /// Adds the rest of the bias to the sums of some channels, and brings them to the result's integers.
    pub(super) fn settle_biased(
        &mut self,
        sum: TensorId,
        reach: f64,
        units: &Units,
        channels: Range<usize>,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let scales = &units.scales[channels.clone()];
        let parts = headroom(reach);
        if units.rest.is_empty() || parts < 2.0 {
            return self.settle_products(sum, reach, scales, to);
        }
        let fine = self.rescale(sum, 0, &[parts], To::WORDS)?;
        let rest = units.rest[channels].iter();
        let rest: Vec<i64> = rest.map(|rest| (rest * parts).round() as i64).collect();
        let mut shape = vec![1; self.parts.shape(fine).len()];
        if let Some(last) = shape.last_mut() {
            *last = rest.len();
        }
        let rest = self.parts.integers(TosaDtype::I32, &shape, &rest)?;
        let sum = self.parts.op(TosaOp::Add, &[fine, rest])?;
        let scales: Vec<f64> = scales.iter().map(|scale| scale / parts).collect();
        self.settle_products(sum, (reach + 1.0) * parts, &scales, to)
    }
}

impl Bias {
    /// The number of output channels.
    pub(crate) fn len(&self, parts: &Parts<'_, '_>) -> usize {
        match self {
            Bias::Known(_, integers) => integers.len(),
            Bias::Floats(floats) => floats.sizes(parts).iter().product(),
        }
    }

    /// The greatest distance of the integers from zero; infinite for floats.
    pub(crate) fn greatest(&self) -> f64 {
        match self {
            Bias::Known(_, integers) => {
                let sizes = integers.iter().map(|i| i.unsigned_abs() as f64);
                sizes.fold(0.0, f64::max)
            }
            Bias::Floats(_) => f64::INFINITY,
        }
    }

    /// The biases of a run of channels.
    ///
    /// # Errors
    /// If there are fewer channels.
    pub(crate) fn rows(
        &self,
        parts: &mut Parts<'_, '_>,
        from: usize,
        len: usize,
    ) -> Result<Bias, Reason> {
        match self {
            Bias::Known(dtype, integers) => {
                let rows = integers.get(from..from + len);
                let fewer =
                    || Reason::new("a bias is of every channel", integers.len().to_string());
                Ok(Bias::Known(*dtype, rows.ok_or_else(fewer)?.to_vec()))
            }
            Bias::Floats(floats) => floats.rows(parts, from, len).map(Bias::Floats),
        }
    }

    /// The bias as a tensor.
    ///
    /// # Errors
    /// If TOSA has no type for it.
    pub(crate) fn tensor(&self, parts: &mut Parts<'_, '_>) -> Result<TensorId, Reason> {
        match self {
            Bias::Known(dtype, integers) => parts.integers(*dtype, &[integers.len()], integers),
            Bias::Floats(floats) => floats.tensor(parts),
        }
    }
}
