//! How far fixed-point arithmetic errs, for comparisons with executors that compute so.
//!
//! CMSIS-NN multiplies a sum by a multiplier of 31 bits and a shift, `arm_nn_requantize`: the product is rounded to `2^-e` of a step,
//! where `e` is the shift to the right, and that to a step. The first rounding errs by `2^-(e + 1)` of a step: a quarter at most, as it
//! is exact without a shift. The factor of sums is `m * 2^-e` with `m` from 1/2 to 1, so the error is at most one unit of the sums, too.
//! Biases are whole units of sums, which adds half such a unit. Sums of 64 bits, which operands of 16 bits have, are multiplied by the
//! upper 16 bits of the multiplier, rounded (`REDUCE_MULTIPLIER`): it is at least `2^14`, so half a unit of it is `2^-15` of the result at
//! most, and there is one rounding. Averages of 8-bit integers in 16 bits are rounded to 1/128 of their step first. Functions by tables
//! and polynomials are within a step: softmax, and tables of 16-bit integers, which an op with a known number is, too.

use super::reals::evaluated;
use crate::numbers::{numbers, with_numbers};
use kiln_eval::Tensor;
use kiln_ir::ops::{Binary, BinaryFn, Pool, PoolFn, Quantised};
use kiln_ir::{DType, Graph, Op, Quant};
use kiln_quantised::cmsis::{requantize, requantize_once, requantize_wide};
use kiln_quantised::multiplier::Multiplier;

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

/// The parts of a step of 8 bits that averages of 16 bits are rounded to, before they are brought to the result's step: as many as leave
/// room for the integers.
const PARTS: f64 = 128.0;

/// Whether a result has 16 bits, and its operand 8.
fn is_widened(op: &Quantised, x: &Tensor) -> bool {
    op.dtype == DType::I16 && x.dtype() == DType::I8
}

/// Whether an op is a function of one 16-bit integer, which a table of fewer entries may have within a step: the other operand is known,
/// and one number.
fn is_of_words(operands: &[Tensor], known: &[bool]) -> bool {
    let is_number = |i: usize| {
        let all = numbers(&operands[i]);
        known[i] && all.windows(2).all(|pair| pair[0] == pair[1])
    };
    let is_word = |i: usize| operands[i].dtype() == DType::I16;
    operands.len() == 2 && (0..2).any(|i| is_word(i) && is_number(1 - i))
}

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

    /// Of one real. An infinity has none: it saturates in fixed-point arithmetic, too. A part of it would be NaN, also the part 0.
    pub fn of(self, real: f64) -> f64 {
        match real.is_infinite() {
            true => 0.0,
            false => self.fixed + self.relative * real.abs(),
        }
    }
}

/// Whether the sums of an op have 64 bits.
fn is_wide(op: &Quantised, operands: &[Tensor]) -> bool {
    let [x, weight, ..] = operands else {
        return false;
    };
    let taps = |axis: usize| weight.len() / weight.sizes().get(axis).copied().unwrap_or(1).max(1);
    // A factor of 1 or more shifts to the left, for which 32 bits have no room.
    let scales = |tensor: &Tensor| tensor.quant().map(|q| q.scheme.scales().to_vec());
    let greatest = |tensor| scales(tensor)?.into_iter().reduce(f64::max);
    let unit = greatest(x).unwrap_or(0.0) * greatest(weight).unwrap_or(0.0);
    let is_raised = unit >= step(&op.quant);
    x.dtype() == DType::I16
        && match &*op.op {
            Op::Conv(conv) => {
                is_raised || conv.groups > 1 || taps(usize::from(conv.transposed)) >= FITTING
            }
            Op::Linear(_) => is_raised || taps(0) >= FITTING,
            Op::MatMul(_) => true,
            _ => false,
        }
}

/// How far the reals of an op on quantised values, some of them known, may be off before they are rounded; `None` where the integers are
/// only moved.
pub(super) fn errors(op: &Quantised, operands: &[Tensor], known: &[bool]) -> Option<Error> {
    let fixed = fixed_errors(op, operands, known)?;
    let relative = if is_wide(op, operands) { REDUCED } else { 0.0 };
    Some(Error { fixed, relative })
}

fn fixed_errors(op: &Quantised, operands: &[Tensor], known: &[bool]) -> Option<f64> {
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
        (
            Op::Pool(Pool {
                f: PoolFn::Avg { .. },
                ..
            }),
            [x, ..],
        ) if is_widened(op, x) => Some(ROUNDINGS * step + 0.5 * greatest(x)? / PARTS),
        (Op::Binary(_), _) if is_of_words(operands, known) => Some(step),
        (Op::Binary(_) | Op::Reduce(_) | Op::Pool(_), _) => Some(ROUNDINGS * step),
        _ => Some(step),
    }
}

/// The sums of an op on integers, with their units.
struct Sums {
    /// In units, without biases; row-major.
    sums: Vec<f64>,
    /// One, or one for each channel along an axis of the result.
    units: Vec<f64>,
    /// The elements of a channel that lie side by side, and the channels.
    inner: usize,
    channels: usize,
    /// In whole units, by channel; none without a bias.
    biases: Vec<f64>,
}

impl Sums {
    /// Of an op whose operands and result are given in integers and in reals; `None` if it adds up no products.
    fn of(
        graph: &Graph,
        op: &Quantised,
        operands: &[Tensor],
        reals: &[Tensor],
        result: &Tensor,
    ) -> Option<Sums> {
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
        let whole =
            |(channel, bias): (usize, f64)| (bias / units[channel % units.len()]).round_ties_even();
        let biases = reals.get(2).map(numbers).unwrap_or_default();
        // Sums of integers are exact in f64.
        let sums = evaluated(graph, &op.op, &[distances(first)?, distances(second)?])?;
        Some(Sums {
            sums: numbers(&sums),
            inner: sizes.get(axis + 1..)?.iter().product(),
            channels: sizes.get(axis).copied().unwrap_or(1),
            biases: biases.into_iter().enumerate().map(whole).collect(),
            units,
        })
    }
}

/// The distances of integers from their zero point.
fn distances(tensor: &Tensor) -> Option<Tensor> {
    let zero = *tensor.quant()?.scheme.zero_points().first()? as f64;
    let found: Vec<f64> = numbers(tensor).into_iter().map(|x| x - zero).collect();
    Some(Tensor::new(tensor.sizes().to_vec(), found))
}

/// The reals of an op as the library's integers stand for them: sums times a multiplier, rounded twice, as `arm_nn_requantize` does, or
/// once, with `is_once`. Sums of 64 bits are multiplied by 16 bits. The reals are within [`errors`] of the exact ones. `None` if the op
/// adds up no products, or its sums do not fit.
pub(super) fn as_library(
    graph: &Graph,
    op: &Quantised,
    (operands, reals): (&[Tensor], &[Tensor]),
    result: &Tensor,
    is_once: bool,
) -> Option<Tensor> {
    let of = Sums::of(graph, op, operands, reals, result)?;
    let step = step(&op.quant);
    let factors = of.units.iter().map(|unit| Multiplier::of(unit / step));
    let factors: Vec<Multiplier> = factors.collect::<Result<_, _>>().ok()?;
    let is_wide = is_wide(op, operands);
    let one = |(i, &sum): (usize, &f64)| {
        let channel = i / of.inner.max(1) % of.channels.max(1);
        let by = factors[channel % factors.len()];
        let sum = (sum + of.biases.get(channel).unwrap_or(&0.0)) as i64;
        if is_wide {
            let fits = sum.unsigned_abs() < 1 << 47 && by.shift <= 14;
            return fits.then(|| requantize_wide(sum, by));
        }
        let shifted = sum.checked_mul(1 << by.shift.max(0))?;
        i32::try_from(shifted).ok().filter(|_| by.shift <= 30)?;
        Some(match is_once {
            true => requantize_once(sum as i32, by),
            false => requantize(sum as i32, by),
        })
    };
    let integers = of.sums.iter().enumerate().map(one);
    let integers: Vec<i32> = integers.collect::<Option<_>>()?;
    let found = integers.into_iter().map(|q| f64::from(q) * step);
    Some(with_numbers(result, found))
}
