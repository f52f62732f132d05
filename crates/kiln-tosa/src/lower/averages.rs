//! Average pools of quantised integers.
//!
//! If operand and result have the same scale and zero point, TOSA's AVG_POOL2D computes the average, rounded once, ties
//! up. In three other cases a convolution with ones sums each window, and the sums are rescaled: if ties are frequent,
//! if the result has another scale, or if the divisor is not the window's size. Windows that cover different numbers of
//! elements are divided by a factor for each position.

use super::Lowering;
use super::bias::Bias;
use super::conv::{Convolution, Finish, accumulator};
use super::parts::check_written;
use super::rescale::To;
use super::step::{Goal, Step};
use super::weights::Weight;
use super::window::Axis;
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, PoolFn};
use kiln_ir::{DType, Scalar, TensorData};
use kiln_quantised::average::{Fractions, TooFar};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    pub(super) fn quantised_pool(
        &mut self,
        node: &Node,
        op: &ops::Pool,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.step(node.operands[0])?;
        let PoolFn::Avg {
            count_include_pad,
            divisor,
        } = op.f
        else {
            let greatest = self.pool(node, op, order)?;
            return self.brought(greatest, node.operands[0], to);
        };
        if op.spatial() > 2 {
            let found = format!("{} spatial axes", op.spatial());
            return Err(Reason::new("TOSA pools images", found));
        }
        let x = self.operand(node.operands[0], order)?;
        let (axes, count) = (self.pool_axes(node, op)?, (count_include_pad, divisor));
        let (x, axes) = self.framed(x, op, axes, count, from.zero_point)?;
        let is_own = from == to.step && self.parts.dtype(x) == to.target().dtype;
        let area = (axes[0].kernel * axes[1].kernel) as i64;
        let is_whole = axes.iter().all(|axis| axis.fitted().0 == [0, 0]);
        if is_own && divisor.is_none() && is_whole && self.has_ties(x, area as usize) {
            return self.sum_of_windows(x, &axes, from, &|this, sum, _| {
                this.tied(sum, area as usize, from)
            });
        }
        if is_own && divisor.is_none() {
            return self.mean(x, &axes, from.zero_point);
        }
        let part = from.single() / divisor.unwrap_or(area) as f64;
        let reach = area as f64 * self.reach(node.operands[0]).size();
        match is_whole {
            true => self.sum_of_windows(x, &axes, from, &|this, sum, _| {
                this.settle(sum, reach, &[part], to)
            }),
            false => self.sum_of_windows(x, &axes, from, &|this, sum, _| {
                this.divided(sum, reach, &axes, from, to)
            }),
        }
    }

    /// Sums each window by a depthwise convolution with ones, and passes the sums to `finish`.
    fn sum_of_windows(
        &mut self,
        x: TensorId,
        axes: &[Axis; 2],
        from: Step,
        finish: Finish<'_>,
    ) -> Result<TensorId, Reason> {
        let channels = self.parts.shape(x).last().copied().unwrap_or(1);
        let acc = accumulator(self.parts.dtype(x));
        let [height, width] = axes.map(|axis| axis.kernel);
        let sizes = vec![channels, 1, height, width];
        check_written("ones of a window", &sizes)?;
        let ones = TensorData::splat(DType::I8, sizes, Scalar::Int(1));
        let x = self.fitted(x, axes)?;
        let sizes = |of: fn(&Axis) -> usize| axes.iter().map(|a| of(a) as i64).collect();
        let conv = Convolution {
            op: &ops::Conv {
                stride: sizes(|axis| axis.stride),
                pad_low: sizes(|axis| axis.pad[0]),
                pad_high: sizes(|axis| axis.pad[1]),
                dilation: vec![1; 2],
                groups: channels as i64,
                transposed: false,
                output_padding: vec![0; 2],
            },
            weight: Weight::Known(ones),
            bias: Bias::Known(acc, vec![0; channels]),
            zero_points: [from.zero_point, 0],
            finish,
            first: 0,
        };
        self.depthwise(x, &conv, axes)
    }

    /// Divides each sum by the number of elements of its window, and brings it to the result's integers: a product with
    /// a factor for each position ([`Fractions`]).
    fn divided(
        &mut self,
        sum: TensorId,
        reach: f64,
        axes: &[Axis; 2],
        from: Step,
        to: &Goal,
    ) -> Result<TensorId, Reason> {
        let places = axes.map(|axis| axis.windows());
        check_written("factors of averages", &places)?;
        let mut fractions = Vec::new();
        for rows in axes[0].seen() {
            let columns = axes[1].seen();
            fractions.extend(columns.map(|c| to.steps(from.single() / (rows * c) as f64)));
        }
        let rule = "averages are within 29 bits of the result's steps";
        let fractions = Fractions::of(&fractions, reach)
            .map_err(|TooFar(reach)| Reason::new(rule, reach.to_string()))?;
        let sum = match self.parts.dtype(sum) {
            TosaDtype::I48 => self.rescale(sum, 0, &[1.0], To::WORDS)?,
            _ => sum,
        };
        let [height, width] = places;
        let shape = [1, height, width, 1];
        let factors: Vec<i64> = fractions.factors.iter().map(|&f| f.into()).collect();
        let factors = self.parts.integers(TosaDtype::I32, &shape, &factors)?;
        let shift = fractions.shift;
        let means = self.parts.op(TosaOp::Mul { shift }, &[sum, factors])?;
        self.rescale(means, 0, &[1.0], to.target())
    }
}
