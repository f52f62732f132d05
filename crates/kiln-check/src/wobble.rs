//! How far rounding alone can carry results: runs in which every op that rounds rounds a little
//! differently.
//!
//! In a wobbly run each float that an op rounds is moved by up to [`UNITS`] units in its last place, at
//! random; a zero takes either sign, and so does a zero that is an extreme; a comparison of numbers that
//! close goes either way. For ops that add up many terms a unit is that of the sum of the terms' magnitudes, since
//! another order of the terms errs by as much; what only moves or picks elements stays exact. The
//! spread of some such runs around the plain one is the graph's own sensitivity to rounding: it is large
//! behind a cancellation and nought where everything is exact. Where the error reaches zero the result is
//! zero in some of the runs, since what is chosen by it (a truth, a divisor) has a value of its own there.
//!
//! What the meaning of an op leaves open takes its other value in some of the runs (the `open` module), and
//! in half of them what passes a type's range is held, all of it or some (the `wide` module).

mod open;
mod picks;
mod wide;

use crate::numbers::{Numbers, numbers, with_numbers};
use crate::random::Random;
use crate::run::{Ran, run_observed};
use kiln_eval::{Bindings, Observer, Tensor, evaluate_op};
use kiln_ir::ops::{Binary, BinaryFn, InnerRounding, Rounding, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, TensorData};
use open::Open;
use std::ops::Range;
use wide::Wide;

/// Units in the last place by which a result moves at most.
pub const UNITS: f64 = 8.0;

/// The distance of neighbouring numbers around 1, halved: the relative error of one rounding.
pub fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F32 => 2f64.powi(-24),
        DType::F64 => 2f64.powi(-53),
        DType::Bool | DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => 0.0,
    }
}

/// The least number with all its digits; those below are rounded as it is.
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
    /// What it left.
    pub ran: Ran,
    /// True if some of what overflows was held and some was not: an infinity may stand in it beside finite numbers from
    /// which rounding would never come to one.
    pub mixes: bool,
}

/// The wobbly runs of these seeds; those that fail are left out.
pub fn wobbly_runs(graph: &Graph, inputs: &[Tensor], seeds: Range<u64>) -> Vec<Wobbly> {
    let one = |seed| {
        let mut wobble = Wobble {
            random: Random::new(seed),
            wide: Wide::of_run(seed),
            open: Open::of_run(graph, seed),
        };
        let ran = run_observed(graph, inputs, &mut wobble).ok()?;
        let mixes = wobble.wide.is_some_and(|w| w.mixed());
        Some(Wobbly { ran, mixes })
    };
    seeds.filter_map(one).collect()
}

struct Wobble {
    random: Random,
    /// In half of the runs.
    wide: Option<Wide>,
    open: Open,
}

impl Observer for Wobble {
    fn observe(&mut self, _: &Graph, _: NodeId, _: &[Tensor]) {}

    fn alters(&self) -> bool {
        true
    }

    /// What an op of several steps computes on is moved: the rounding between its steps counts as much as that of what
    /// they work on.
    fn operands(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
    ) -> Option<Vec<Tensor>> {
        let node = graph.node(node);
        let InnerRounding::Rounded { least } = node.op.facts().inner_rounding else {
            return None;
        };
        let wide = self.wide.as_ref();
        if wide.is_some_and(|w| w.holds_any(&node.operands)) {
            return None;
        }
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
            *first = self.undecided(graph, first, a, b);
        } else if first.dtype().is_float() && rounds(op, from) {
            if let Some(found) = self.of_other_order(graph, op, operands, first) {
                *first = found;
            }
            let magnitudes = magnitudes(graph, op, operands, first);
            *first = self.moved(first, &magnitudes);
            if let Some(wide) = &mut self.wide {
                wide.moved(&mut self.random, graph.node(node).results[0], first);
            }
            if let Some(found) = without_phase(op, operands, first) {
                *first = found;
            }
        } else if first.dtype().is_float() && op.facts().rounding == Rounding::Extreme {
            *first = self.moved(first, &Magnitudes::All(0.0));
        }
        let random = &mut self.random;
        let other = self.open.result(random, graph, node, operands, first);
        if let Some(found) = other {
            *first = found;
        }
        self.open.note(graph, node, operands, &results);
        results
    }
}

impl Wobble {
    /// A tensor with every element moved by up to [`UNITS`] units of the given magnitudes, else of its own;
    /// zeros of either sign. Magnitudes of 0 leave all else as it is.
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
        let mut one = |i: usize, value: f64| {
            let bits = self.random.bits();
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
            } else if bits & 6 == 0 && value.abs() <= reach && value != 0.0 {
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

    /// A product whose factors may pass what a float holds on the way, whose order then decides: what another order
    /// gives, or the result itself.
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
            // A factor that rounding alone keeps from 0 is a zero among them.
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

    /// The truths of a comparison, those of neighbouring numbers at random.
    fn undecided(&mut self, graph: &Graph, truths: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        if !a.dtype().is_float() {
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
        let one = |(i, s): (usize, Scalar)| {
            let is_near = distances[i].abs() <= near * sizes[i];
            if is_near {
                Scalar::Bool(self.random.chance(50))
            } else {
                s
            }
        };
        let values: Vec<Scalar> = truths.scalars().into_iter().enumerate().map(one).collect();
        let sizes = truths.sizes().to_vec();
        Tensor::from(TensorData::from_scalars(DType::Bool, sizes, values))
    }
}

/// By the units of what elements are moved.
enum Magnitudes {
    /// Of the element itself.
    Own,
    /// Of one number.
    All(f64),
    /// Of another tensor's elements.
    Each(Tensor),
}

/// The sum of the magnitudes of the terms of each element.
fn magnitudes(graph: &Graph, op: &Op, operands: &[Tensor], result: &Tensor) -> Magnitudes {
    let of_terms = || {
        let positive: Vec<Tensor> = operands.iter().map(absolute).collect();
        let mut bindings = Bindings::new(&graph.symbols);
        let found = evaluate_op(op, &positive, &mut bindings, 4 << 30).ok()?;
        found.into_iter().next().map(Magnitudes::Each)
    };
    match (op.facts().rounding, operands.first()) {
        (Rounding::Terms | Rounding::Product, _) => of_terms().unwrap_or(Magnitudes::Own),
        // Integers below the mantissa's reach are floats as they are.
        (Rounding::Conversion, Some(from)) if from.dtype().is_int() => {
            let exact = 1.0 / unit(result.dtype());
            let one = |v: f64| if v.abs() <= exact { 0.0 } else { v };
            Magnitudes::Each(with_numbers(result, Numbers::of(from).iter().map(one)))
        }
        (Rounding::Mean, Some(operand)) => {
            let greatest = |t: &Tensor| {
                let all = Numbers::of(t);
                let finite = all.iter().filter(|v| v.is_finite());
                finite.fold(0.0, |m: f64, v| m.max(v.abs()))
            };
            Magnitudes::All(greatest(result).max(greatest(operand)))
        }
        _ => Magnitudes::Own,
    }
}

/// NaN, which says that anything may stand here, where rounding leaves too little of the phase of a tangent to tell
/// how near a pole is.
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

fn absolute(tensor: &Tensor) -> Tensor {
    if !tensor.dtype().is_float() {
        return tensor.clone();
    }
    with_numbers(tensor, Numbers::of(tensor).iter().map(f64::abs))
}

/// True if the op's floats are rounded, and not merely moved or picked.
fn rounds(op: &Op, from: Option<DType>) -> bool {
    match (op.facts().rounding, op) {
        (Rounding::Conversion, Op::Cast(op)) => {
            from.is_some_and(|from| unit(op.to) > unit(from) || from.is_int())
        }
        (rounding, _) => !rounding.is_exact(),
    }
}
