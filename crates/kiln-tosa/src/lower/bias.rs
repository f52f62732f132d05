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
use kiln_transforms::framework::target::Reason;
use std::ops::Range;

/// What may be left out of a bias, in steps of the result: it decides for one sum of a million.
const LEAST_REST: f64 = 1e-6;
/// What f32 does not tell of a bias, and a factor: integers whose scale is the product of two others' in f32 have no rest.
const NOISE: f64 = 4.0 * f32::EPSILON as f64;
/// Words below it can be shifted up to it (TOSA 1.0, `apply_scale_32`), and a unit be added there.
const MOST_SHIFTED: f64 = (1u32 << 29) as f64;

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
        let exact: Vec<f64> = reals.iter().zip(&scales).map(|(r, s)| r / s).collect();
        let whole = |units: &f64| (units.round_ties_even() as i64).clamp(least, greatest);
        let whole: Vec<i64> = exact.iter().map(whole).collect();
        let rest = exact.iter().zip(&whole).map(|(e, &w)| e - w as f64);
        let is_noise = |(rest, exact): (f64, &f64)| rest.abs() <= exact.abs() * NOISE;
        let told = |pair: (f64, &f64)| if is_noise(pair) { 0.0 } else { pair.0 };
        let mut rest: Vec<f64> = rest.zip(&exact).map(told).collect();
        let matters =
            |(rest, &scale): (&f64, &f64)| to.exact_steps(scale) * rest.abs() > LEAST_REST;
        // Sums of 48 bits are not added to, and of steps as fine as theirs none matters.
        let is_kept = acc == TosaDtype::I32 && !self.parts.machine().spares_words;
        if !is_kept || !rest.iter().zip(&scales).any(matters) {
            rest.clear();
        }
        Ok((Bias::Known(acc, whole), Units { scales, rest }))
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
        let parts = (MOST_SHIFTED / (reach + 1.0)).log2().floor().exp2();
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
