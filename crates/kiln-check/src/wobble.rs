//! Measures how far rounding alone can change results. In a wobbly run, every op that rounds does so a little
//! differently.
//!
//! A wobbly run moves each float that an op rounds by up to [`UNITS`] units in its last place, at random. A zero takes
//! either sign, and so does a zero that is an extreme. A comparison of numbers that are this close goes either way. For
//! ops that add up many terms, a unit is that of the sum of the terms' magnitudes, because another order of the terms
//! errs by as much. Ops that only move or select elements stay exact. The spread of some such runs around the plain run
//! is the graph's own sensitivity to rounding: it is large behind a cancellation, and zero where everything is exact.
//! Where the error reaches zero, the result is zero in some runs, because a choice (a truth, a divisor) has a value of
//! its own there. In a quarter of the runs all such results are zero: numbers that cancel in one place often cancel in all.
//!
//! What the meaning of an op leaves open takes its other values in some runs (module `open`). In half of the runs, all
//! or some of the values beyond a type's range are kept in a wider type (module `wide`).

mod choices;
mod dynamic;
pub mod fixed_point;
mod means;
mod open;
mod picks;
mod quantised;
mod reals;
mod single_factors;
pub(crate) mod stepwise;
mod wide;

use crate::close::Close;
use crate::numbers::{Numbers, numbers, with_numbers};
use crate::random::Random;
use crate::run::{Ran, run_observed};
use choices::Spreads;
use kiln_eval::{Bindings, Observer, Tensor, evaluate_op};
use kiln_ir::ops::{Binary, BinaryFn, Cast, InnerRounding, Rounding, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use open::Open;
use quantised::Errs;
use rustc_hash::FxHashMap;
use std::ops::Range;
use wide::Wide;

/// The greatest movement of a result, in units in the last place.
pub const UNITS: f64 = 8.0;

/// Half the distance of neighbouring numbers around 1: the relative error of one rounding.
pub fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F32 => 2f64.powi(-24),
        DType::F64 => 2f64.powi(-53),
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0.0,
    }
}

/// The least normal number. Smaller numbers are rounded by the same absolute error.
fn least_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => 2f64.powi(-126),
        DType::F64 => f64::MIN_POSITIVE,
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0.0,
    }
}

/// A wobbly run.
#[derive(Clone, Debug)]
pub struct Wobbly {
    /// Its results.
    pub ran: Ran,
    /// True if some of the overflowing values were kept and others were not. An infinity may then stand beside finite
    /// values that rounding alone would never bring to infinity.
    pub mixes: bool,
}

/// Values that are known, whatever the nodes that compute them would give.
pub type Given = FxHashMap<ValueId, Tensor>;

/// The value that takes the place of a node's result; `None` if it is not given, or is of another type.
fn given_value(given: &Given, graph: &Graph, node: NodeId, results: &[Tensor]) -> Option<Tensor> {
    let [result] = results else { return None };
    let value = graph.node(node).results[0];
    let found = given.get(&value)?;
    let is_like = (found.dtype(), found.sizes()) == (result.dtype(), result.sizes());
    is_like.then(|| found.clone().with_quant(graph.ty(value).quant.clone()))
}

/// The wobbly runs of these seeds, with these values in place of what nodes compute. A run fails where comparisons that are decided one by one contradict each other: the
/// places of a sort that come of them may be no places. Such a run is repeated with comparisons as they are, and left out if
/// it fails again.
pub fn wobbly_runs(
    graph: &Graph,
    inputs: &[Tensor],
    seeds: Range<u64>,
    close: Close,
    given: &Given,
) -> Vec<Wobbly> {
    let mut spreads = Spreads::default();
    let mut one = |seed, decides| {
        let mut wobble = Wobble {
            spreads: &mut spreads,
            given,
            random: Random::new(seed),
            cancels: seed % 4 == 3,
            alike: seed % 5 == 2,
            is_fixed_point: close == Close::FixedPoint,
            has_single_factors: close == Close::SingleFactors,
            errs: Errs::of_run(seed),
            decides,
            wide: Wide::of_run(seed),
            open: Open::of_run(graph, seed),
        };
        let ran = run_observed(graph, inputs, &mut wobble).ok()?;
        let mixes = wobble.wide.is_some_and(|w| w.mixed());
        Some(Wobbly { ran, mixes })
    };
    seeds
        .filter_map(|seed| one(seed, true).or_else(|| one(seed, false)))
        .collect()
}

struct Wobble<'r> {
    /// Of all runs so far.
    spreads: &'r mut Spreads,
    given: &'r Given,
    random: Random,
    /// True if each result becomes zero whose error reaches zero. In the other runs one of four does.
    cancels: bool,
    /// True if equal elements of a tensor move alike. Where many reals are in the middle of two integers, an op rounds equal ones the same
    /// way, and sums show that.
    alike: bool,
    /// True if the reals of ops on quantised values move as far as fixed-point arithmetic errs.
    is_fixed_point: bool,
    /// True if integers are requantised as XNNPACK's kernels do.
    has_single_factors: bool,
    errs: Errs,
    /// True if comparisons of neighbouring numbers go either way.
    decides: bool,
    /// True in half of the runs.
    wide: Option<Wide>,
    open: Open,
}

impl Observer for Wobble<'_> {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    /// Moves the operands of an op that computes in several steps: the rounding between its steps counts as much as
    /// that of its operands. No integer divisor becomes zero (module `choices`).
    fn operands(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
    ) -> Option<Vec<Tensor>> {
        let node = graph.node(node);
        let wide = self.wide.as_ref();
        if wide.is_some_and(|w| w.holds_any(&node.operands)) {
            return None;
        }
        let InnerRounding::Rounded { least } = node.op.facts().inner_rounding else {
            return choices::divisible(&node.op, operands);
        };
        let moved = operands.iter().map(|t| match t.dtype().is_float() {
            true => self.moved_by(t, |_, value| value.abs().max(least)),
            false => t.clone(),
        });
        Some(moved.collect())
    }

    fn alter(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        results: Vec<Tensor>,
    ) -> Vec<Tensor> {
        let op = &graph.node(node).op;
        let from = operands.first().map(Tensor::dtype);
        let mut results = results;
        let Some(first) = results.first_mut() else {
            return results;
        };
        let wide = self.wide.as_mut();
        let random = &mut self.random;
        if let Some(found) = wide.and_then(|w| w.result(random, graph, node, operands, first)) {
            *first = found;
        }
        if let (Op::Compare(_), [a, b]) = (op, operands) {
            *first = self.undecided((graph, node), first, a, b);
        } else if let (Op::Cast(Cast { to: DType::Bool }), [x]) = (op, operands) {
            *first = self.undecided_truth(node, first, x);
        } else if let Some(found) = self.in_fixed_point(graph, node, operands, first) {
            *first = found;
        } else if matches!(op, Op::Quantised(_) | Op::Requantize(_)) {
            if let Some(found) = self.of_moved_reals(graph, op, operands) {
                *first = found;
            }
        } else if let Op::Quantize(own) = op {
            if let Some(found) = self.of_single_scale((graph, node), own, operands) {
                *first = found;
            }
        } else if let Op::Dequantised(own) = op {
            self.on_reals(graph, (node, own), operands, first);
        } else if first.dtype().is_float() && rounds(op, from) {
            self.round(graph, (node, op), operands, first);
        } else if first.dtype().is_float() && op.facts().rounding == Rounding::Extreme {
            *first = self.moved(first, &Magnitudes::All(0.0));
        }
        let random = &mut self.random;
        let other = self.open.result(random, graph, node, operands, first);
        if let Some(found) = other {
            *first = found;
        }
        let counts = self.spreads.counts(random, (node, op), operands, first);
        if let Some(found) = counts {
            *first = found;
        }
        if let Some(given) = given_value(self.given, graph, node, &results) {
            results = vec![given];
        }
        self.open.note(graph, node, operands, &results);
        results
    }
}

impl Wobble<'_> {
    /// Moves a float result by what other roundings, other orders of its sums and other formulas make of it.
    fn round(
        &mut self,
        graph: &Graph,
        (node, op): (NodeId, &Op),
        operands: &[Tensor],
        first: &mut Tensor,
    ) {
        if let Some(found) = self.of_other_order(graph, op, operands, first) {
            *first = found;
        }
        let magnitudes = magnitudes(graph, op, operands, first);
        *first = self.moved(first, &magnitudes);
        let relative = UNITS * unit(first.dtype());
        let means = means::with_moved_means(&mut self.random, op, operands, first, relative);
        if let Some(found) = means {
            *first = found;
        }
        if self.cancels
            && let Some(found) = self.spreads.cancelled(graph, (node, op), operands, first)
        {
            *first = found;
        }
        if let Some(wide) = &mut self.wide {
            wide.moved(&mut self.random, graph.node(node).results[0], first);
        }
        if let Some(found) = without_phase(op, operands, first) {
            *first = found;
        }
        if let Some(found) = with_tail(&mut self.random, op, operands, first) {
            *first = found;
        }
    }

    /// A tensor with every element moved by up to [`UNITS`] units of the given magnitudes, or else of its own
    /// magnitude. Zeros take either sign. Elements whose given magnitude is 0 stay as they are.
    fn moved(&mut self, tensor: &Tensor, magnitudes: &Magnitudes) -> Tensor {
        match magnitudes {
            Magnitudes::Own => self.moved_by(tensor, |_, value| value.abs()),
            Magnitudes::All(by) => self.moved_by(tensor, |_, _| *by),
            Magnitudes::Each(by) => match by.elements::<f32>() {
                Some(by) => self.moved_by(tensor, |i, _| f64::from(by[i])),
                None => {
                    let by = numbers(by);
                    self.moved_by(tensor, |i, _| by[i])
                }
            },
        }
    }

    fn moved_by(&mut self, tensor: &Tensor, by: impl Fn(usize, f64) -> f64) -> Tensor {
        let step = UNITS * unit(tensor.dtype());
        let normal = least_normal(tensor.dtype());
        let cancels = self.cancels;
        let alike = self.alike.then(|| self.random.bits());
        let mut one = |i: usize, value: f64| {
            let bits = match alike {
                Some(salt) => Random::new(salt ^ value.to_bits()).bits(),
                None => self.random.bits(),
            };
            if value == 0.0 && bits & 1 == 1 {
                return -value;
            }
            let by = by(i, value);
            let mut reach = by * step;
            if value.abs() < normal && value != 0.0 && by > 0.0 {
                reach = reach.max(step * normal);
            }
            let unit = (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
            let off = reach * (2.0 * unit - 1.0);
            if !off.is_finite() {
                value
            } else if (cancels || bits & 6 == 0) && value.abs() <= reach && value != 0.0 {
                0f64.copysign(value + off)
            } else {
                value + off
            }
        };
        match tensor.elements::<f32>() {
            Some(elements) => {
                let each = elements.iter().enumerate();
                let moved: Vec<f32> = each.map(|(i, &v)| one(i, f64::from(v)) as f32).collect();
                Tensor::new(tensor.sizes(), moved)
            }
            None => {
                let each = numbers(tensor).into_iter().enumerate();
                with_numbers(tensor, each.map(|(i, v)| one(i, v)))
            }
        }
    }

    /// A product whose partial products may overflow or underflow, so that the order of factors decides: the result of
    /// another order, or the result itself.
    fn of_other_order(
        &mut self,
        graph: &Graph,
        op: &Op,
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        let is_product = op.facts().rounding == Rounding::Product;
        let factors = operands.first().filter(|_| is_product)?;
        let product = |of: fn(f64) -> f64| {
            let mapped = with_numbers(factors, numbers(factors).into_iter().map(of));
            let mut bindings = Bindings::new(&graph.symbols);
            let found = evaluate_op(op, &[mapped], &mut bindings, 4 << 30).ok()?;
            Some(numbers(found.first()?))
        };
        let large = product(|v| v.abs().max(1.0))?;
        let small = product(|v| if v == 0.0 { 1.0 } else { v.abs().min(1.0) })?;
        let zeros = product(|v| if v == 0.0 { 0.0 } else { 1.0 })?;
        let one = |(i, value): (usize, f64)| {
            let (has_zero, overflows, vanishes) =
                (zeros[i] == 0.0, large[i].is_infinite(), small[i] == 0.0);
            let mut all = vec![value];
            // A factor that rounding alone keeps from 0 counts as a zero.
            if overflows {
                all.push(f64::NAN);
            }
            if overflows && !has_zero {
                all.push(f64::INFINITY.copysign(value));
            }
            if vanishes {
                all.push(0f64.copysign(value));
            }
            *self.random.pick(&all)
        };
        let own = numbers(result).into_iter().enumerate();
        Some(with_numbers(result, own.map(one)))
    }

    /// The truths of a comparison. Those of neighbouring numbers are random.
    fn undecided(
        &mut self,
        (graph, node): (&Graph, NodeId),
        truths: &Tensor,
        a: &Tensor,
        b: &Tensor,
    ) -> Tensor {
        if !self.decides || !a.dtype().is_float() {
            return truths.clone();
        }
        let near = 2.0 * UNITS * unit(a.dtype());
        let binary = |f: BinaryFn, a: Tensor, b: Tensor| {
            let op = Op::from(Binary { f });
            let mut bindings = Bindings::new(&graph.symbols);
            let found = evaluate_op(&op, &[a, b], &mut bindings, 4 << 30).ok()?;
            found.first().map(numbers)
        };
        let distances = binary(BinaryFn::Sub, a.clone(), b.clone());
        let sizes = binary(BinaryFn::Max, absolute(a), absolute(b));
        let (Some(distances), Some(sizes)) = (distances, sizes) else {
            return truths.clone();
        };
        let turns = self.spreads.around_zero((node, 0), &distances);
        let is_open = |i: usize| turns[i] || distances[i].abs() <= near * sizes[i];
        self.at_random(truths, is_open)
    }

    /// Whether numbers are zero. Where rounding brings a number to zero in some runs, or past it, that is random.
    fn undecided_truth(&mut self, node: NodeId, truths: &Tensor, x: &Tensor) -> Tensor {
        if !self.decides || !x.dtype().is_float() {
            return truths.clone();
        }
        let turns = self.spreads.around_zero((node, 0), &numbers(x));
        self.at_random(truths, |i| turns[i])
    }

    /// Truths of which those that are open are random. In some runs all of them agree or stay as they are, because a reduction of
    /// many random truths has only one outcome.
    fn at_random(&mut self, truths: &Tensor, is_open: impl Fn(usize) -> bool) -> Tensor {
        let percent = *self.random.pick(&[None, Some(0), Some(50), Some(100)]);
        let one = |(i, s): (usize, Scalar)| match percent {
            Some(percent) if is_open(i) => Scalar::Bool(self.random.chance(percent)),
            _ => s,
        };
        let values: Vec<Scalar> = truths.scalars().into_iter().enumerate().map(one).collect();
        let sizes = truths.sizes().to_vec();
        Tensor::from(TensorData::from_scalars(DType::Bool, sizes, values))
    }
}

/// The magnitudes whose units elements are moved by.
enum Magnitudes {
    /// The element's own.
    Own,
    /// One number for all elements.
    All(f64),
    /// The elements of another tensor.
    Each(Tensor),
}

/// For each element, the sum of the magnitudes of its terms.
fn magnitudes(graph: &Graph, op: &Op, operands: &[Tensor], result: &Tensor) -> Magnitudes {
    let of_terms = || {
        let positive: Vec<Tensor> = operands.iter().map(absolute).collect();
        let mut bindings = Bindings::new(&graph.symbols);
        let found = evaluate_op(op, &positive, &mut bindings, 4 << 30).ok()?;
        let terms = found.into_iter().next()?;
        let errors = errors_of_scan(op, result);
        let numbers = Numbers::of(&terms);
        let each = with_numbers(&terms, numbers.iter().map(|v| v * errors));
        Some(Magnitudes::Each(each))
    };
    match (op.facts().rounding, operands.first()) {
        (Rounding::Terms | Rounding::Product, _) => of_terms().unwrap_or(Magnitudes::Own),
        // Integers that the mantissa holds are exact as floats.
        (Rounding::Conversion, Some(from)) if from.dtype().is_int() => {
            let exact = 1.0 / unit(result.dtype());
            let one = |v: f64| if v.abs() <= exact { 0.0 } else { v };
            Magnitudes::Each(with_numbers(result, Numbers::of(from).iter().map(one)))
        }
        // `x / 2 + x / 2 * erf(x / sqrt(2))`, and the same by a tangent: terms of at most half of `x` each, which cancel below 0.
        (_, Some(operand)) if is_gelu(op) => Magnitudes::Each(absolute(operand)),
        (Rounding::Mean, Some(operand)) => {
            let greatest = |t: &Tensor| {
                let all = Numbers::of(t);
                let finite = all.iter().filter(|v| v.is_finite());
                finite.fold(0.0, |m: f64, v| m.max(v.abs()))
            };
            let greatest = greatest(result).max(greatest(operand));
            let greatest = greatest * (errors_of_mean(op, operand, result) / UNITS).max(1.0);
            // Parts of one, however large the operands are.
            let is_of_parts = matches!(op, Op::Softmax(op) if !op.log);
            Magnitudes::All(if is_of_parts {
                greatest.min(1.0)
            } else {
                greatest
            })
        }
        _ => Magnitudes::Own,
    }
}

/// By how many units of the greatest element f32 errs in an element of a mean. The weights of a resize follow from coordinates, which err
/// by units of their size. The roundings of a sum of `n` terms add up to some `sqrt(n)` units of it.
fn errors_of_mean(op: &Op, operand: &Tensor, result: &Tensor) -> f64 {
    match op {
        Op::Resize(_) => {
            let sizes = operand.sizes().iter().skip(2);
            2.0 * sizes.copied().max().unwrap_or(1) as f64
        }
        Op::Pool(_) | Op::AdaptivePool(_) | Op::Reduce(_) => {
            let terms = operand.len() as f64 / result.len().max(1) as f64;
            4.0 * terms.sqrt()
        }
        _ => 1.0,
    }
}

/// How many times [`UNITS`] a running sum or product may err: by half a unit in each step. Equal terms err alike, so that the errors add up.
fn errors_of_scan(op: &Op, result: &Tensor) -> f64 {
    match op {
        Op::Scan(scan) => {
            let steps = result.sizes().get(scan.axis).copied().unwrap_or(1);
            (steps as f64 / 2.0 / UNITS).max(1.0)
        }
        _ => 1.0,
    }
}

fn is_gelu(op: &Op) -> bool {
    let function = |f| matches!(f, UnaryFn::Simple(Simple::Gelu | Simple::GeluTanh));
    matches!(op, Op::Unary(op) if function(op.f))
}

/// NaN where rounding leaves too little of a tangent's phase to tell how near a pole is. NaN accepts any value there.
fn without_phase(op: &Op, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    const LEAST_KNOWN: f64 = 1.0 / 256.0;
    let is_tangent = matches!(op, Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Tan));
    let angles = numbers(operands.first().filter(|_| is_tangent)?);
    let error = UNITS * unit(result.dtype());
    let one = |(value, angle): (f64, f64)| match angle.abs() * error > LEAST_KNOWN {
        true => f64::NAN,
        false => value,
    };
    let pairs = numbers(result).into_iter().zip(angles);
    Some(with_numbers(result, pairs.map(one)))
}

/// The tail of a sigmoid: `1 / (1 + e^-x)` is zero as soon as `e^-x` overflows, while `e^x / (1 + e^x)` still has subnormal
/// numbers there. Either is within the error of a subnormal number, but only one of them is zero. A silu multiplies it by `x`.
fn with_tail(random: &mut Random, op: &Op, operands: &[Tensor], result: &Tensor) -> Option<Tensor> {
    let factor: fn(f64) -> f64 = match op {
        Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Sigmoid) => |_| 1.0,
        Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Silu) => |x| x,
        _ => return None,
    };
    let operands = numbers(operands.first()?);
    let least = least_normal(result.dtype());
    let subnormal = 2.0 * unit(result.dtype()) * least;
    let one = |(value, x): (f64, f64)| {
        if x >= 0.0 || x.exp() >= least || random.chance(50) {
            return value;
        }
        let rounding = *random.pick(&[-1.0, 0.0, 1.0]) * subnormal;
        let tail = factor(x) * (x.exp() + rounding).max(0.0);
        *random.pick(&[0f64.copysign(tail), tail])
    };
    let pairs = numbers(result).into_iter().zip(operands);
    Some(with_numbers(result, pairs.map(one)))
}

fn absolute(tensor: &Tensor) -> Tensor {
    if !tensor.dtype().is_float() {
        return tensor.clone();
    }
    with_numbers(tensor, Numbers::of(tensor).iter().map(f64::abs))
}

/// True if the op rounds its floats, and does not only move or select them.
fn rounds(op: &Op, from: Option<DType>) -> bool {
    match (op.facts().rounding, op) {
        // The numbers of a bool are exact in all floats. `magnitudes` says which integers are.
        (Rounding::Conversion, Op::Cast(op)) => {
            from.is_some_and(|from| from != DType::Bool && unit(op.to) > unit(from))
        }
        (rounding, _) => !rounding.is_exact(),
    }
}
