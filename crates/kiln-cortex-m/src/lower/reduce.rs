//! Reductions along any axes, in any memory order. Axes that are not neighbours in memory are first moved together, so that a sum
//! is rounded only once.
//!
//! A mean with the scale of its operand is often a tie, which goes where PyTorch's floats go.

use super::goal::Goal;
use super::parts::{TensorId, dims, int};
use super::{Lowering, Order};
use crate::dialect::{
    Activation, AxisArgmax, AxisMean, AxisSum, Dtype, Function, Mean, Pool, PoolParams, Scaling,
    Tile,
};
use crate::orders::ROWS;
use kiln_ir::DType;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, ArgFn, ReduceFn};
use kiln_quantised::accumulator::Reach;
use kiln_transforms::framework::target::Reason;

/// The most elements of a mean that PyTorch adds up in one turn.
const MOST_IN_A_ROW: usize = 511;

impl Lowering<'_> {
    /// The operand with the reduced axes together, as sizes in front of them, along them and behind them; and the sizes of the
    /// result in memory.
    pub(super) fn gathered(
        &mut self,
        node: &Node,
        axes: &[usize],
        order: &Order,
    ) -> Result<(TensorId, [usize; 3], Vec<usize>), Reason> {
        let x = self.operand(node.operands[0], order)?;
        let sizes = self.parts.sizes(x).to_vec();
        let mut axes: Vec<usize> = axes.iter().map(|&a| order.position(a, ROWS)).collect();
        axes.sort_unstable();
        let mut result = sizes.clone();
        axes.iter().for_each(|&axis| result[axis] = 1);
        let (Some(&first), Some(&last)) = (axes.first(), axes.last()) else {
            return Ok((x, [sizes.iter().product(), 1, 1], result));
        };
        let count = axes.iter().map(|&axis| sizes[axis]).product();
        let between = (first..=last).filter(|axis| !axes.contains(axis));
        let (before, after): (usize, usize) = (
            sizes[..first].iter().product(),
            sizes[last + 1..].iter().product(),
        );
        let between: Vec<usize> = between.filter(|&axis| sizes[axis] > 1).collect();
        if between.is_empty() {
            return Ok((x, [before, count, after], result));
        }
        let others = (0..sizes.len()).filter(|axis| !axes.contains(axis));
        let permutation: Vec<usize> = others.chain(axes.iter().copied()).collect();
        let moved = self.parts.transpose(x, &permutation)?;
        let rest = sizes.iter().product::<usize>() / count;
        Ok((moved, [rest, count, 1], result))
    }

    pub(super) fn quantised_reduce(
        &mut self,
        node: &Node,
        op: &ops::Reduce,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.step(node.operands[0])?;
        let (x, [outer, n, inner], sizes) = self.gathered(node, &op.axes, order)?;
        let divisor = match op.f {
            ReduceFn::Mean => n as f64,
            ReduceFn::Sum => 1.0,
            ReduceFn::Max | ReduceFn::Min => {
                let extreme = self.fold_extreme(x, op.f, [outer, n, inner])?;
                let extreme = self.brought(extreme, node.operands[0], to)?;
                return Ok(self.parts.view(extreme, &sizes));
            }
            other => {
                return Err(Reason::new(
                    "no function in integers computes the op",
                    other.text(),
                ));
            }
        };
        if self.parts.dtype(x) != to.dtype {
            return Err(Reason::new("a sum has its operand's type", to.dtype.name()));
        }
        let reach = Reach::of_products(n, self.reach(node.operands[0]), Reach(1));
        if !reach.fits(32) {
            return Err(Reason::new("a sum fits 32 bits", format!("{n} elements")));
        }
        let is_mean = op.f == ReduceFn::Mean && from == to.step;
        if is_mean && self.is_row(node, &op.axes) && self.has_ties(n) && n <= MOST_IN_A_ROW {
            return self.mean(x, [outer, n, inner], to, &sizes);
        }
        let factor = to.factor(from.single() / divisor, reach)?;
        let sum = AxisSum {
            scaling: Scaling {
                input_offset: -from.zero_point,
                multiplier: factor.multiplier,
                shift: factor.shift,
                output_offset: to.step.zero_point,
                activation: to.range.clone(),
            },
            outer: int(outer)?,
            n: int(n)?,
            inner: int(inner)?,
        };
        let function = match to.dtype {
            Dtype::I16 => Function::KilnSumS16,
            _ => Function::KilnSumS8,
        };
        let y = self.parts.temporary(to.dtype, &sizes);
        self.parts.call(function, sum, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// Whether the axes are the last ones of a tensor of 8-bit integers, whose elements PyTorch adds up as a row.
    fn is_row(&self, node: &Node, axes: &[usize]) -> bool {
        let ty = self.graph.ty(node.operands[0]);
        let first = ty.rank() - axes.len();
        ty.dtype == DType::I8 && axes.iter().all(|&axis| axis >= first)
    }

    fn mean(
        &mut self,
        x: TensorId,
        [outer, n, inner]: [usize; 3],
        to: &Goal,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let mean = AxisMean {
            mean: Mean {
                zero_point: to.step.zero_point,
                scale: to.step.single() as f32,
                inverse: (1.0 / to.step.scale) as f32,
                activation: to.range.clone(),
            },
            outer: int(outer)?,
            n: int(n)?,
            inner: int(inner)?,
        };
        let y = self.parts.temporary(to.dtype, sizes);
        self.parts
            .call(Function::KilnMeanS8, mean, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// The greatest or the least element along axes, with the operand's scale and zero point.
    pub(super) fn reduce_extreme(
        &mut self,
        node: &Node,
        op: &ops::Reduce,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, parts, sizes) = self.gathered(node, &op.axes, order)?;
        let made = self.fold_extreme(x, op.f, parts)?;
        Ok(self.parts.view(made, &sizes))
    }

    /// The greatest element, by a pool whose windows are as high as the image; or the least, by the greatest of the integers in
    /// reversed order.
    fn fold_extreme(
        &mut self,
        x: TensorId,
        f: ReduceFn,
        [outer, n, inner]: [usize; 3],
    ) -> Result<TensorId, Reason> {
        let x = if f == ReduceFn::Min {
            self.turned(x)?
        } else {
            x
        };
        let dtype = self.parts.dtype(x);
        let function = match dtype {
            Dtype::I8 => Function::MaxPoolS8,
            Dtype::I16 => Function::MaxPoolS16,
            other => return Err(Reason::new("a maximum is of integers", other.name())),
        };
        let (low, high) = dtype.range().unwrap_or((0, 0));
        let pool = Pool {
            pool_params: PoolParams {
                stride: Tile { w: 1, h: 1 },
                padding: Tile { w: 0, h: 0 },
                activation: Activation {
                    min: low as i32,
                    max: high as i32,
                },
            },
            input_dims: dims([outer, n, 1, inner])?,
            filter_dims: dims([1, n, 1, 1])?,
            output_dims: dims([outer, 1, 1, inner])?,
        };
        let y = self.parts.temporary(dtype, &[outer, inner]);
        self.parts.call(function, pool, &[Some(x), Some(y)])?;
        if f == ReduceFn::Min {
            self.turned(y)
        } else {
            Ok(y)
        }
    }

    /// `-1 - x` of each 8-bit integer, which reverses their order.
    fn turned(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        if self.parts.dtype(x) != Dtype::I8 {
            let found = self.parts.dtype(x).name();
            return Err(Reason::new("a minimum is of 8-bit integers", found));
        }
        let entries: Vec<u8> = (-128..=127i32).map(|x| (-1 - x) as i8 as u8).collect();
        let table = self.parts.constant("turned", Dtype::I8, &[256], entries);
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(Dtype::I8, &sizes);
        let size = int(self.parts.elements(x))?;
        let slots = [Some(table), Some(x), Some(y)];
        let own = crate::dialect::Table { size };
        self.parts.call(Function::KilnTableS8, own, &slots)?;
        Ok(y)
    }

    /// The index of the first greatest or least element along an axis.
    pub(super) fn argmax(
        &mut self,
        node: &Node,
        op: &ops::ArgReduce,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, [outer, n, inner], sizes) = self.gathered(node, &[op.axis], order)?;
        let function = match (op.f, self.parts.dtype(x)) {
            (ArgFn::Max, Dtype::I8) => Function::KilnArgmaxS8,
            (ArgFn::Max, Dtype::I16) => Function::KilnArgmaxS16,
            (ArgFn::Max, Dtype::F32) => Function::KilnArgmaxF32,
            (ArgFn::Min, Dtype::F32) => Function::KilnArgminF32,
            _ => return Err(self.no_kernel(node)),
        };
        let places = AxisArgmax {
            outer: int(outer)?,
            n: int(n)?,
            inner: int(inner)?,
        };
        let y = self.parts.temporary(Dtype::I32, &sizes);
        self.parts.call(function, places, &[Some(x), Some(y)])?;
        self.as_type(y, DType::I32, self.graph.ty(node.result()).dtype)
    }
}
