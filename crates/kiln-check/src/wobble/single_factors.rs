//! How far XNNPACK's kernels of integers err before they round, beside what floats err.
//!
//! The kernels requantise by factors in f32, and compute functions of one integer in f32, where the zero point is added before the result
//! is rounded (`kiln_quantised::xnnpack`). So little decides only where a real is in the middle of two integers. Two errors are
//! greater: sums and differences of two operands have ratios of scales as fractions of at least 20 bits, and a bias is a whole number of
//! units of its sums.

use super::{Wobble, unit};
use crate::numbers::{numbers, with_numbers};
use kiln_eval::Tensor;
use kiln_ir::ops::BinaryFn;
use kiln_ir::types::Quant;
use kiln_ir::{DType, Op};
use kiln_quantised::parameters::Parameters;

/// The error of a zero point of 8 bits in f32 and of the number of steps that it is added to, in steps.
const ZERO_POINT: f64 = 1.0 / (1u64 << 15) as f64;

/// The error of a fraction of a ratio of scales, as a part of the greatest ratio.
const RATIO: f64 = 1.0 / (1u64 << 20) as f64;

/// The most steps of 8 bits.
const STEPS: f64 = 255.0;

impl Wobble<'_> {
    /// The reals of an op on quantised values, moved as far as the kernels err.
    pub(super) fn moved_by_kernels(
        &mut self,
        op: &Op,
        operands: &[Tensor],
        reals: &Tensor,
        quant: &Quant,
    ) -> Tensor {
        let error = greatest_scale(quant) * ZERO_POINT + ratios(op, operands) * STEPS * RATIO;
        let whole = super::UNITS * unit(reals.dtype());
        let reals = match rests(op, operands) {
            None => reals.clone(),
            Some(rests) => self.with_biases(op, reals, &rests),
        };
        self.moved_by(&reals, |_, real| error / whole + real.abs())
    }

    /// The reals of a layer with the library's bias or with the model's, each channel as a whole: what the library's bias is off by is known.
    fn with_biases(&mut self, op: &Op, reals: &Tensor, rests: &[Rest]) -> Tensor {
        let inner = match op {
            Op::Conv(_) => reals.sizes().iter().skip(2).product::<usize>(),
            _ => 1,
        };
        let off: Vec<f64> = rests
            .iter()
            .map(|rest| rest.either(self.random.bits()))
            .collect();
        let each = numbers(reals).into_iter().enumerate();
        let moved = each.map(|(i, real)| real + off[i / inner.max(1) % off.len()]);
        with_numbers(reals, moved)
    }
}

/// What a whole number of units is off by from a bias.
#[derive(Clone, Copy)]
struct Rest {
    off: f64,
    unit: f64,
}

impl Rest {
    /// Nothing, or what the bias is off by. A bias in the middle of two numbers becomes either, because f32 decides.
    fn either(self, bits: u64) -> f64 {
        let is_middle = self.off.abs() > 0.499 * self.unit;
        match bits & 3 {
            0 | 1 => 0.0,
            2 if is_middle => self.off - self.unit.copysign(self.off),
            _ => self.off,
        }
    }
}

fn greatest_scale(quant: &Quant) -> f64 {
    quant.scheme.scales().iter().copied().fold(0.0, f64::max)
}

/// The greater scale of the operands of a sum or a difference; numbers have their own size as scale.
fn ratios(op: &Op, operands: &[Tensor]) -> f64 {
    let Op::Binary(op) = op else { return 0.0 };
    if !matches!(op.f, BinaryFn::Add | BinaryFn::Sub) {
        return 0.0;
    }
    let scale = |operand: &Tensor| match operand.quant() {
        Some(quant) => greatest_scale(quant),
        None => numbers(operand)
            .into_iter()
            .map(f64::abs)
            .fold(0.0, f64::max),
    };
    operands.iter().map(scale).fold(0.0, f64::max)
}

/// What the library's biases of a layer are off by, by output channel.
fn rests(op: &Op, operands: &[Tensor]) -> Option<Vec<Rest>> {
    let [x, weight, bias] = operands else {
        return None;
    };
    if !matches!(op, Op::Conv(_) | Op::Linear(_)) || weight.dtype() != DType::I8 {
        return None;
    }
    let own = greatest_scale(x.quant()?);
    let scales = weight.quant()?.scheme.scales().to_vec();
    let reals = match bias.quant() {
        Some(quant) => Parameters::of(quant, bias.sizes())
            .ok()?
            .reals(bias.scalars().iter().map(|s| s.as_i64())),
        None => numbers(bias),
    };
    let rest = |(channel, real): (usize, f64)| {
        let unit = own * scales[channel % scales.len()];
        let off = (real / unit).round_ties_even() * unit - real;
        let off = if off.is_finite() { off } else { 0.0 };
        Rest { off, unit }
    };
    let rests: Vec<Rest> = reals.into_iter().enumerate().map(rest).collect();
    (!rests.is_empty()).then_some(rests)
}
