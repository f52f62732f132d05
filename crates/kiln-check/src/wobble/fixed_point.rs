//! How far fixed-point arithmetic errs, for comparisons with programs of CMSIS-NN's functions and Kiln's own (`kiln_nn`).
//!
//! A real of an op on integers may be off by so much before it is rounded to the result's integers:
//!
//! | kernel | error, in steps of the result |
//! |---|---|
//! | a function of one integer, by a table with an entry for each | 0 |
//! | extremes, requantisations, sums and means along axes, resizes, quotients, products of repeated operands: one rounding | 0 |
//! | layers, products and sums of windows: a rounding to `2^-e` of a step before that to a step, where the factor shifts by `e` to the right | `2^-(e + 1)`, at most 1/4; 0 without a shift |
//! | the same with sums of 64 bits: a multiplier of 16 bits | what the multiplier is off by, at most `2^-15` of the result |
//! | sums and differences of two operands | the roundings of the operands to a common unit, and the second one of the sum |
//! | averages that are brought to another step | half of the unit that they are rounded to first |
//! | softmax | the error of its exponentials and of their sum, and a rounding to its own step if the result has another |
//! | a function of a 16-bit integer by a table of fewer entries | 1, which the lowering guarantees |
//!
//! To each comes what the factor or f32 is off by: `2^-31` of the result, `2^-24` where a scale is rounded to f32, and `2^-21` where the
//! entries of a table are computed in f32. So little decides only where a real is in the middle of two integers.
//! A bias is a whole number of units of its sums, which are known, so the error is what it differs by.
//!
//! The kernels are those that the lowering of Cortex-M emits for C projects (`kiln-cortex-m/src/lower`); it refuses other ops, which are
//! decomposed to floats.

mod averages;
mod factor;
mod functions;
mod pairs;
mod softmax;
mod sums;
#[cfg(test)]
mod tests;
mod weights;

use super::reals::evaluated;
use crate::numbers::{numbers, with_numbers};
use factor::Factor;
use kiln_eval::Tensor;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Dequantize, Meaning, PoolFn, ReduceFn, Unary, UnaryFn};
use kiln_ir::{DType, Graph, Op, Quant, Scalar, TensorData, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::quotient::Exact;
use kiln_quantised::step::Step;
use kiln_transforms::analysis::constants::is_constant;
use std::sync::Arc;

/// What a multiplier of 31 bits is off by, as a part of the factor.
const MULTIPLIER: f64 = 1.0 / (1u64 << 31) as f64;

/// What a scale in f32 is off by, as a part of it.
const SINGLE: f64 = 1.0 / (1 << 24) as f64;

/// What an entry of a table is off by that f32 computes, as a part of the greater of operand and result: four units for the function, and
/// three for the quantisation, which multiplies by a reciprocal.
const FUNCTION: f64 = 8.0 * SINGLE;

/// One element of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The exact real.
    pub exact: f64,
    /// How far it may be off before it is rounded.
    pub error: f64,
    /// What the library's integer stands for.
    pub library: f64,
}

impl Element {
    /// An element that is computed without an error but for a part of it.
    fn nearly(exact: f64, part: f64) -> Element {
        Element {
            exact,
            error: part * exact.abs(),
            library: exact,
        }
    }

    /// The real with a part of its error. Infinities have none: they saturate in fixed-point arithmetic, too.
    pub fn moved(self, part: f64) -> f64 {
        match self.exact.is_finite() && !self.error.is_nan() {
            true => self.exact + part * self.error,
            false => self.exact,
        }
    }

    /// The library's real, within the error.
    pub fn of_library(self) -> f64 {
        let ends = [self.moved(-1.0), self.moved(1.0)];
        match self.library.is_nan() || ends.iter().any(|end| end.is_nan()) {
            true => self.exact,
            false => self.library.clamp(ends[0], ends[1]),
        }
    }
}

/// What quantised integers of a result are.
pub(super) struct Goal<'c> {
    quant: &'c Arc<Quant>,
    dtype: DType,
    step: Step,
}

/// An op on quantised values.
pub(super) struct Computation<'c> {
    graph: &'c Graph,
    /// On reals.
    op: &'c Op,
    /// As integers, or floats that are known.
    operands: &'c [Tensor],
    /// The operands of the node, and which of them are known.
    values: &'c [ValueId],
    known: Vec<bool>,
    result: &'c Tensor,
    /// The op has the quantisation of its operand, and no other one.
    is_carried: bool,
    to: Goal<'c>,
    /// Factors are written so that the library rounds once, as it is where readers enlarge a step.
    pub is_once: bool,
}

impl<'c> Computation<'c> {
    /// What a node computes of quantised values; `None` if its results are not computed, or are no integers of one scale.
    pub fn of(
        graph: &'c Graph,
        node: &'c Node,
        operands: &'c [Tensor],
        result: &'c Tensor,
    ) -> Option<Computation<'c>> {
        let op = match &node.op {
            Op::Quantised(op) => &*op.op,
            Op::Requantize(_) => &node.op,
            op if op.on_quantised() == Meaning::Computed => op,
            _ => return None,
        };
        let ty = graph.ty(*node.results.first()?);
        let (quant, dtype) = (ty.quant.as_ref()?, ty.dtype);
        let step = Step::of(quant)?;
        let known = node.operands.iter();
        Some(Computation {
            graph,
            op,
            operands,
            values: &node.operands,
            known: known.map(|&value| is_constant(graph, value)).collect(),
            result,
            is_carried: !matches!(node.op, Op::Quantised(_) | Op::Requantize(_)),
            to: Goal { quant, dtype, step },
            is_once: false,
        })
    }

    /// The elements of the result; `None` where the integers are exact.
    pub fn elements(&self) -> Option<Vec<Element>> {
        match self.op {
            Op::Requantize(_) => self.requantised(),
            Op::Conv(_) | Op::Linear(_) | Op::MatMul(_) => sums::layer(self),
            // The integers are clamped by those of the bounds.
            Op::Unary(Unary {
                f: UnaryFn::Clamp { .. },
            }) if self.is_carried => self.nearly(),
            Op::Unary(_) => functions::function(self, 0),
            Op::Binary(op) => pairs::pair(self, op.f),
            Op::Reduce(op) => match op.f {
                ReduceFn::Max | ReduceFn::Min => self.picked(),
                _ => averages::reduction(self, op),
            },
            Op::Pool(op) => match op.f {
                PoolFn::Avg { .. } => averages::pool(self, op),
                PoolFn::Max | PoolFn::MaxWithIndices => self.picked(),
            },
            Op::Resize(op) => averages::resize(self, op),
            Op::Softmax(op) => softmax::softmax(self, op),
            _ => None,
        }
    }

    /// The integers of reals, as a result.
    pub fn integers(&self, reals: impl Iterator<Item = f64>) -> Tensor {
        let Goal { quant, dtype, step } = &self.to;
        let one = |real: f64| {
            let zero_point = step.zero_point.into();
            let integer = Exact::from(real).integer(step.scale, zero_point, quant.min, quant.max);
            Scalar::Int(integer)
        };
        let sizes = self.result.sizes().to_vec();
        let data = TensorData::from_scalars(*dtype, sizes, reals.map(one));
        Tensor::from(data).with_quant(Some((*quant).clone()))
    }

    fn step(&self, operand: usize) -> Option<Step> {
        Step::of(self.operands.get(operand)?.quant()?)
    }

    fn dtype(&self, operand: usize) -> DType {
        self.operands[operand].dtype()
    }

    /// Whether operands and the result have one type of 8 or 16 bits, as kernels have.
    fn has_one_type(&self, operands: &[usize]) -> bool {
        let is_of_result = |&i: &usize| self.dtype(i) == self.to.dtype;
        matches!(self.to.dtype, DType::I8 | DType::I16) && operands.iter().all(is_of_result)
    }

    /// How far the integers of an operand are from their zero point at most.
    fn reach(&self, operand: usize) -> Option<Reach> {
        let (least, greatest) = self.dtype(operand).int_range()?;
        let zero_point = self.step(operand)?.zero_point.into();
        Some(Reach::of_integers(least, greatest, zero_point).max(Reach(1)))
    }

    /// The distances of an operand's integers from their zero point, in f64.
    fn distances(&self, operand: usize) -> Option<Tensor> {
        let tensor = self.operands.get(operand)?;
        let zero = *tensor.quant()?.scheme.zero_points().first()? as f64;
        let found: Vec<f64> = numbers(tensor).into_iter().map(|x| x - zero).collect();
        Some(Tensor::new(tensor.sizes().to_vec(), found))
    }

    /// What an op gives of tensors in f64, as numbers.
    fn evaluated(&self, op: &Op, operands: &[Tensor]) -> Option<Vec<f64>> {
        evaluated(self.graph, op, operands).map(|found| numbers(&found))
    }

    /// The reals of the operands in f64, as the interpreter takes them.
    fn reals(&self) -> Option<Vec<Tensor>> {
        let is_steep = self.op.is_steep();
        let in_f64 = |tensor: &Tensor| {
            let found = numbers(tensor);
            Tensor::new(tensor.sizes().to_vec(), found)
        };
        let real = |tensor: &Tensor| {
            let dtype = if is_steep { DType::F32 } else { DType::F64 };
            let own = std::slice::from_ref(tensor);
            match tensor.quant() {
                Some(_) => {
                    let found = evaluated(self.graph, &Dequantize { dtype }.into(), own)?;
                    Some(in_f64(&found))
                }
                None => Some(in_f64(tensor)),
            }
        };
        self.operands.iter().map(real).collect()
    }

    /// The exact reals of the result.
    fn exact(&self) -> Option<Vec<f64>> {
        self.evaluated(self.op, &self.reals()?)
    }

    /// Distances of an operand from its zero point, brought to the result's steps with one rounding.
    fn brought(&self, operand: usize, distances: &[f64]) -> Option<Vec<f64>> {
        let from = self.step(operand)?;
        let reach = match from.zero_point {
            0 => self.reach(operand)?.min(Reach(i32::MAX as u128)),
            _ => self.reach(operand)?,
        };
        let factor = self.to.factor(from.scale, reach).map(Factor::once)?;
        let steps = distances.iter().map(|&d| self.to.real(factor.steps(d)));
        Some(steps.collect())
    }

    fn requantised(&self) -> Option<Vec<Element>> {
        let reals = evaluated(
            self.graph,
            &Dequantize { dtype: DType::F64 }.into(),
            &self.operands[..1],
        )?;
        self.rounded_once(numbers(&reals), &numbers(&self.distances(0)?))
    }

    fn nearly(&self) -> Option<Vec<Element>> {
        let one = |exact| Element::nearly(exact, MULTIPLIER);
        Some(self.exact()?.into_iter().map(one).collect())
    }

    /// The greatest or the least of elements, in their own step, and brought to the result's.
    fn picked(&self) -> Option<Vec<Element>> {
        let own = self.evaluated(self.op, &[self.distances(0)?])?;
        self.rounded_once(self.exact()?, &own)
    }

    /// Reals, and the distances of the first operand that are brought to the result's step.
    fn rounded_once(&self, exact: Vec<f64>, distances: &[f64]) -> Option<Vec<Element>> {
        let library = self.brought(0, distances).unwrap_or_else(|| exact.clone());
        let pairs = exact.into_iter().zip(library);
        let one = |(exact, library)| Element {
            library,
            ..Element::nearly(exact, MULTIPLIER)
        };
        Some(pairs.map(one).collect())
    }
}

/// The tensor with other numbers in f64.
fn in_f64(like: &Tensor, numbers: impl Iterator<Item = f64>) -> Tensor {
    let sizes = like.sizes().to_vec();
    with_numbers(&Tensor::new(sizes, vec![0f64; like.len()]), numbers)
}
