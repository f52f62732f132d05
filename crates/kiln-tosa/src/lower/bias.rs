//! Biases: known integers of any width, floats that are known or computed.
//!
//! Sums of integers take biases in whole units of theirs. What a bias has beyond is less than a step of the result, and
//! yet it decides to which integer some sums are rounded; such a step off grows from layer to layer. So sums are shifted to
//! finer units, as far as they stay predictable, and the rest is added there.

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

/// What is added to the sums of each output channel.
#[derive(Clone)]
pub(crate) enum Bias {
    /// Integers of the type of the sums.
    Known(TosaDtype, Vec<i64>),
    /// Floats.
    Floats(Weight),
}

/// The units of sums of products, by output channel.
pub(crate) struct Units {
    pub(crate) scales: Vec<f64>,
    /// What the bias has beyond whole units; empty where that is left out.
    pub(crate) rest: Vec<f64>,
}

impl Lowering<'_, '_> {
    /// A bias, or zeros, in whole units of sums, and what it has beyond.
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
        let bias = UnitBias::of(&reals, &scales, least, greatest);
        let factors = scales.iter().map(|&scale| to.exact_steps(scale));
        // Sums of 48 bits are not added to, and of steps as fine as theirs none matters.
        let is_kept = acc == TosaDtype::I32 && !self.parts.machine().spares_words;
        let rest = match is_kept && bias.matters(factors) {
            true => bias.rest,
            false => Vec::new(),
        };
        Ok((Bias::Known(acc, bias.whole), Units { scales, rest }))
    }

    /// Sums of some channels as the result's integers, with the rest of their bias.
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
    /// How many output channels there are.
    pub(crate) fn len(&self, parts: &Parts<'_, '_>) -> usize {
        match self {
            Bias::Known(_, integers) => integers.len(),
            Bias::Floats(floats) => floats.sizes(parts).iter().product(),
        }
    }

    /// How far integers are from zero, at most; infinitely for floats.
    pub(crate) fn greatest(&self) -> f64 {
        match self {
            Bias::Known(_, integers) => {
                let sizes = integers.iter().map(|i| i.unsigned_abs() as f64);
                sizes.fold(0.0, f64::max)
            }
            Bias::Floats(_) => f64::INFINITY,
        }
    }

    /// Those of some channels.
    ///
    /// # Errors
    /// If there are fewer.
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

    /// The tensor.
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
