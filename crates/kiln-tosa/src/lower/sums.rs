//! Requantisation: sums of products become the result's integers.
//!
//! RESCALE multiplies sums of 48 bits by a multiplier of 15 bits, so 16-bit results may be off by one. If the reach of
//! the sums allows it, they are first narrowed to 32 bits, exactly or with an error far below a step of the result, and
//! multiplied by 31 bits.

use super::Lowering;
use super::bias::Bias;
use super::rescale::{From, To};
use super::step::Goal;
use super::weights::Weight;
use crate::dialect::{TensorId, TosaDtype};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Op, Scalar, ValueId};
use kiln_quantised::accumulator::Reach;
use kiln_quantised::sums::{Channels, reaches};
use kiln_quantised::tosa::narrow_unit;
use kiln_transforms::framework::target::Reason;

/// The error that narrowing may add to a result, in its steps.
const LEAST_LOSS: f64 = 1.0 / 32.0;

impl Lowering<'_, '_> {
    /// Requantises sums with units `scales`, whose greatest distance from zero is `reach`.
    pub(super) fn settle(
        &mut self,
        sum: TensorId,
        reach: f64,
        scales: &[f64],
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let factors: Vec<f64> = scales.iter().map(|&scale| to.steps(scale)).collect();
        self.settle_by(sum, reach, &factors, to)
    }

    /// As [`Lowering::settle`], for sums of products of two integers, with the exact factors.
    pub(super) fn settle_products(
        &mut self,
        sum: TensorId,
        reach: f64,
        scales: &[f64],
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let factors: Vec<f64> = scales.iter().map(|&scale| to.exact_steps(scale)).collect();
        self.settle_by(sum, reach, &factors, to)
    }

    /// Requantises sums by factors: the result's steps per unit of the sum.
    fn settle_by(
        &mut self,
        sum: TensorId,
        reach: f64,
        factors: &[f64],
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let (sum, unit) = self.cut(sum, reach, factors)?;
        let is_one = factors.iter().all(|&f| f == factors[0]);
        let factors = if is_one { &factors[..1] } else { factors };
        let factors: Vec<f64> = factors.iter().map(|&f| f * unit).collect();
        let from = From {
            zero_point: 0,
            reach: reach / unit,
        };
        self.saturated(sum, from, &factors, to.target())
    }

    /// Narrows sums of 48 bits to 32, if that takes next to nothing from the result, and gives the unit of the narrow
    /// sums.
    fn cut(
        &mut self,
        sum: TensorId,
        reach: f64,
        factors: &[f64],
    ) -> Result<(TensorId, f64), Reason> {
        let unit = narrow_unit(reach);
        let loses = |&factor: &f64| factor * unit / 2.0 > LEAST_LOSS;
        if self.parts.dtype(sum) != TosaDtype::I48 || factors.iter().any(loses) {
            return Ok((sum, 1.0));
        }
        let words = self.rescale(sum, 0, &[1.0 / unit], To::WORDS)?;
        Ok((words, unit))
    }

    /// The greatest distance of a quantised value's integers from its zero point.
    pub(super) fn reach(&self, value: ValueId) -> Reach {
        kiln_target::operands::reach(self.graph, value)
    }

    /// The reach of a dense op's sums: every weight of an output channel may take part. If `closely`, it is found from
    /// the weights themselves, if they are known.
    pub(super) fn reach_of_products(
        &self,
        node: &Node,
        weight: &Weight,
        bias: &Bias,
        closely: bool,
    ) -> f64 {
        let Op::Quantised(q) = &node.op else {
            return f64::INFINITY;
        };
        let axis = usize::from(matches!(&*q.op, Op::Conv(conv) if conv.transposed));
        let sizes = weight.sizes(&self.parts);
        let is_wide = self.graph.ty(node.operands[0]).dtype == DType::I16;
        let (x, w) = (node.operands[0], node.operands[1]);
        let sums = match weight {
            Weight::Known(data) if is_wide || closely => {
                let zero_points = self.quant(w).map(|q| q.scheme.zero_points());
                let zero_point = zero_points.map_or(0, |z| z[0]);
                let integers = data.scalars().map(Scalar::as_i64);
                let channels = Channels::along(&sizes, axis);
                let reaches = reaches(self.reach(x), integers, zero_point, channels);
                reaches.into_iter().max().unwrap_or(Reach(0))
            }
            _ => {
                let taps = sizes.iter().product::<usize>() / sizes[axis].max(1);
                Reach::of_products(taps, self.reach(x), self.reach(w))
            }
        };
        sums.size() + bias.greatest()
    }
}
