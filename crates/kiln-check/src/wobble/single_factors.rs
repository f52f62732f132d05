//! How far XNNPACK's kernels of integers err before they round, beside what floats err.
//!
//! The kernels requantise by factors in f32, and compute functions of one integer in f32, where the zero point is added before the result
//! is rounded (`kiln_quantised::xnnpack`). So little decides only where a real is in the middle of two integers. Two errors are
//! greater: sums and differences of two operands have ratios of scales as fractions of at least 20 bits, and a bias is a whole number of
//! units of its sums.

use super::{Wobble, unit};
use crate::numbers::numbers;
use kiln_eval::Tensor;
use kiln_ir::ops::BinaryFn;
use kiln_ir::types::Quant;
use kiln_ir::{DType, Op};

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
        let errors = errors(op, operands, reals, quant);
        let whole = super::UNITS * unit(reals.dtype());
        self.moved_by(reals, |i, real| errors[i] / whole + real.abs())
    }
}

/// The errors of a result's elements, as reals.
fn errors(op: &Op, operands: &[Tensor], reals: &Tensor, quant: &Quant) -> Vec<f64> {
    let step = greatest_scale(quant);
    let all = step * ZERO_POINT + ratios(op, operands) * STEPS * RATIO;
    match biases(op, operands) {
        None => vec![all; reals.len()],
        Some(units) => {
            let inner = match op {
                Op::Conv(_) => reals.sizes().iter().skip(2).product::<usize>(),
                _ => 1,
            };
            let of = |i: usize| all + units[i / inner.max(1) % units.len()] / 2.0;
            (0..reals.len()).map(of).collect()
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

/// The units of the biases of a layer, by output channel.
fn biases(op: &Op, operands: &[Tensor]) -> Option<Vec<f64>> {
    let [x, weight, bias] = operands else {
        return None;
    };
    if !matches!(op, Op::Conv(_) | Op::Linear(_)) || weight.dtype() != DType::I8 {
        return None;
    }
    let own = greatest_scale(x.quant()?);
    let scales = weight.quant()?.scheme.scales().to_vec();
    let of = |channel: usize| own * scales[channel % scales.len()];
    Some((0..bias.len().max(1)).map(of).collect())
}
