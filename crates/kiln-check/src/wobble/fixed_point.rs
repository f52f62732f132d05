//! How far fixed-point arithmetic errs, for comparisons with executors that compute so.
//!
//! CMSIS-NN multiplies a sum by a multiplier of 31 bits, rounds, shifts, and rounds again (`arm_nn_requantize`). With a shift of one
//! bit, the first rounding adds half a unit of twice the resolution: a quarter of a step. Biases are whole units of sums, which adds
//! half such a unit. Functions by tables and polynomials (softmax, 16-bit tables) are within a step.

use kiln_eval::Tensor;
use kiln_ir::ops::Quantised;
use kiln_ir::{Op, Quant};

/// What rounding twice adds to rounding once, in steps.
pub const ROUNDINGS: f64 = 0.25;

/// The step of a result; the least of several.
pub fn step(quant: &Quant) -> f64 {
    let scales = quant.scheme.scales().iter().copied();
    scales.fold(f64::INFINITY, f64::min)
}

/// How far the reals of an op on quantised values may be off before they are rounded; `None` where the integers are only moved.
pub(super) fn errors(op: &Quantised, operands: &[Tensor]) -> Option<f64> {
    let step = step(&op.quant);
    let greatest = |tensor: &Tensor| {
        let scales = tensor.quant()?.scheme.scales().iter().copied();
        Some(scales.fold(0.0, f64::max))
    };
    match (&*op.op, operands) {
        (Op::Linear(_) | Op::Conv(_), [x, weight, rest @ ..]) => {
            let bias = match rest {
                [] => 0.0,
                _ => 0.5 * greatest(x)? * greatest(weight)?,
            };
            Some(ROUNDINGS * step + bias)
        }
        (Op::Binary(_) | Op::MatMul(_) | Op::Reduce(_) | Op::Pool(_), _) => Some(ROUNDINGS * step),
        _ => Some(step),
    }
}
