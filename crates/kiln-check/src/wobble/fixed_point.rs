//! How far fixed-point arithmetic errs, for comparisons with executors that compute so.
//!
//! CMSIS-NN multiplies a sum by a multiplier of 31 bits and a shift, `arm_nn_requantize`: the product is rounded to `2^-e` of a step,
//! where `e` is the shift to the right, and that to a step. The first rounding errs by `2^-(e + 1)` of a step: a quarter at most, as it
//! is exact without a shift. The factor of sums is `m * 2^-e` with `m` from 1/2 to 1, so the error is at most one unit of the sums, too.
//! Biases are whole units of sums, which adds half such a unit. Sums of 64 bits, which operands of 16 bits have, are multiplied by the
//! upper 16 bits of the multiplier, rounded (`REDUCE_MULTIPLIER`): it is at least `2^14`, so half a unit of it is `2^-15` of the result at
//! most, and there is one rounding. Functions by tables and polynomials (softmax, 16-bit tables) are within
//! a step.

use crate::numbers::{numbers, with_numbers};
use kiln_eval::Tensor;
use kiln_ir::ops::{Binary, BinaryFn, Quantised};
use kiln_ir::{DType, Op, Quant};

/// What rounding twice adds to rounding once, in steps.
pub const ROUNDINGS: f64 = 0.25;

/// The step of a result; the least of several.
pub fn step(quant: &Quant) -> f64 {
    let scales = quant.scheme.scales().iter().copied();
    scales.fold(f64::INFINITY, f64::min)
}

/// What 16 bits of a multiplier are off by, as a part of the result.
const REDUCED: f64 = 1.0 / (1 << 15) as f64;

/// The products of 16 and 8 bits whose sum fits 32 bits.
const FITTING: usize = 1 << 9;

/// How far a real may be off before it is rounded.
#[derive(Clone, Copy)]
pub(super) struct Error {
    /// Of each real.
    pub fixed: f64,
    /// As a part of the real.
    pub relative: f64,
}

impl Error {
    pub fn fixed(fixed: f64) -> Error {
        let relative = 0.0;
        Error { fixed, relative }
    }
}

/// Whether the sums of an op have 64 bits.
fn is_wide(op: &Quantised, operands: &[Tensor]) -> bool {
    let [x, weight, ..] = operands else {
        return false;
    };
    let taps = |axis: usize| weight.len() / weight.sizes().get(axis).copied().unwrap_or(1).max(1);
    x.dtype() == DType::I16
        && match &*op.op {
            Op::Conv(conv) => conv.groups > 1 || taps(usize::from(conv.transposed)) >= FITTING,
            Op::Linear(_) => taps(0) >= FITTING,
            Op::MatMul(_) => true,
            _ => false,
        }
}

/// How far the reals of an op on quantised values may be off before they are rounded; `None` where the integers are only moved.
pub(super) fn errors(op: &Quantised, operands: &[Tensor]) -> Option<Error> {
    let fixed = fixed_errors(op, operands)?;
    let relative = if is_wide(op, operands) { REDUCED } else { 0.0 };
    Some(Error { fixed, relative })
}

fn fixed_errors(op: &Quantised, operands: &[Tensor]) -> Option<f64> {
    let step = step(&op.quant);
    let greatest = |tensor: &Tensor| {
        let scales = tensor.quant()?.scheme.scales().iter().copied();
        Some(scales.fold(0.0, f64::max))
    };
    match (&*op.op, operands) {
        (Op::Linear(_) | Op::Conv(_), [x, weight, rest @ ..]) => {
            let unit = greatest(x)? * greatest(weight)?;
            let bias = if rest.is_empty() { 0.0 } else { 0.5 * unit };
            Some(unit.min(ROUNDINGS * step) + bias)
        }
        (Op::MatMul(_), [a, b]) => {
            let unit = greatest(a)? * greatest(b)?;
            Some(unit.min(ROUNDINGS * step))
        }
        (Op::Binary(_) | Op::Reduce(_) | Op::Pool(_), _) => Some(ROUNDINGS * step),
        _ => Some(step),
    }
}

/// The units of the sums of an op: one, or one for each channel along an axis of the result; and the unit's rounded biases.
struct Units {
    units: Vec<f64>,
    /// The elements of a channel that lie side by side, and the channels.
    inner: usize,
    channels: usize,
    /// What rounding a bias to whole units adds to it, by channel; none without a bias.
    biases: Vec<f64>,
}

impl Units {
    /// Of an op whose operands and result are given in integers and in reals; `None` if it adds up no products.
    fn of(op: &Quantised, operands: &[Tensor], reals: &[Tensor], result: &Tensor) -> Option<Units> {
        let scales = |tensor: &Tensor| Some(tensor.quant()?.scheme.scales().to_vec());
        let [first, second, ..] = operands else {
            return None;
        };
        let (x, weights) = (*scales(first)?.first()?, scales(second)?);
        let axis = match &*op.op {
            Op::Conv(_) => 1,
            Op::Linear(_) | Op::MatMul(_) => result.rank() - 1,
            Op::Binary(Binary { f: BinaryFn::Mul }) => 0,
            _ => return None,
        };
        let sizes = result.sizes();
        let units: Vec<f64> = weights.iter().map(|w| w * x).collect();
        let whole = |(channel, bias): (usize, f64)| {
            let unit = units[channel % units.len()];
            (bias / unit).round_ties_even() * unit - bias
        };
        let biases = reals.get(2).map(numbers).unwrap_or_default();
        Some(Units {
            inner: sizes.get(axis + 1..)?.iter().product(),
            channels: sizes.get(axis).copied().unwrap_or(1),
            biases: biases.into_iter().enumerate().map(whole).collect(),
            units,
        })
    }
}

/// The reals of an op as `arm_nn_requantize` rounds them the first time: to `2^-e` of a step, halves up, and beyond halves of a step so
/// that the second rounding goes away from 0. They are within [`errors`]. `None` if the op adds up no products, or in 64 bits.
pub(super) fn rounded_once(
    op: &Quantised,
    operands: &[Tensor],
    reals: &[Tensor],
    result: &Tensor,
) -> Option<Tensor> {
    /// What the f32 of a result in steps keeps.
    const LEAST: f64 = 1.0 / (1 << 14) as f64;
    if is_wide(op, operands) {
        return None;
    }
    let (step, of) = (step(&op.quant), Units::of(op, operands, reals, result)?);
    let one = |(i, value): (usize, f64)| {
        let channel = i / of.inner.max(1) % of.channels.max(1);
        let unit = of.units[channel % of.units.len()];
        let steps = (value + of.biases.get(channel).unwrap_or(&0.0)) / step;
        let fine = -((unit / step).log2().floor() + 1.0);
        if fine <= 0.0 {
            return (steps + LEAST) * step;
        }
        let parts = fine.exp2();
        // Where scales are short fractions, many sums are at halves, and f32 has them just below.
        let rounded = (steps * parts + 0.5 + LEAST).floor() / parts;
        (rounded + (0.25 / parts).max(LEAST).copysign(rounded)) * step
    };
    let found = numbers(result).into_iter().enumerate().map(one);
    Some(with_numbers(result, found))
}
