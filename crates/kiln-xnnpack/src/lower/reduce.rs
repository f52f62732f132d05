//! Lowering of sums, means, minima and maxima along axes.
//!
//! Adjacent axes are reduced together. A mean or sum along the innermost axes is a fully connected layer with one
//! output; along other axes it is a global average pool. A minimum or maximum is a maximum pool. The pool skips NaN, so
//! a mean that is NaN if any element is, and 0 otherwise, is added, unless the maximum only shifts a softmax.

use super::softmax_shift::is_softmax_shift;
use super::{Lowering, Problem};
use crate::orders::MOVERS;
use crate::orders::ROWS;
use crate::payload::{
    BinaryOp, MAX_RANK, Padding2d, PoolKind, PoolParams, UnaryOp, ValueId as Tensor, XnnOp, flags,
};
use crate::weights::{self, MAX_REPEATED, check_elements};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Reduce, ReduceFn};
use kiln_ir::{DType, Dim, NodeId, Shape};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;
use std::ops::Range;

/// The memory order in which to reduce, and the runs of adjacent axes (as positions there) to reduce one after the
/// other, the last first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) order: Order,
    pub(crate) runs: Vec<Range<usize>>,
}

/// How to reduce a tensor of that shape.
pub(crate) fn plan(shape: &Shape, op: &Reduce) -> Result<Plan, Reason> {
    let order = order(shape, &op.axes);
    let mut positions: Vec<usize> = op.axes.iter().map(|&a| order.position(a, ROWS)).collect();
    positions.sort_unstable();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for position in positions {
        match runs.last_mut().filter(|run| run.end == position) {
            Some(run) => run.end += 1,
            None => runs.push(position..position + 1),
        }
    }
    runs.reverse();
    let mut dims = order.dims(shape, ROWS);
    for run in &runs {
        check(&dims, run, op.f)?;
        dims[run.clone()].fill(Dim::constant(1));
    }
    Ok(Plan { order, runs })
}

/// The memory order: channels last for spatial means and reductions over channels inside an image network, where this
/// avoids transposes; plain elsewhere.
fn order(shape: &Shape, axes: &[usize]) -> Order {
    let spatial = axes.iter().copied().eq(2..shape.rank());
    if matches!(shape.rank(), 3 | 4)
        && (spatial && shape.rank() == 4 || axes == [1] && shape.rank() == 4)
    {
        return Order::channels_last(shape.rank());
    }
    Order::plain(shape.rank())
}

fn check(dims: &[Dim], run: &Range<usize>, f: ReduceFn) -> Result<(), Reason> {
    let folded: Dim = dims[run.clone()].iter().cloned().product();
    if folded.as_const().is_some_and(|n| n > 1 << 24) {
        return Err(Reason::new(
            "at most 2^24 elements fold into one",
            format!("{folded}"),
        ));
    }
    let innermost = averages_innermost(dims, run, f);
    if folded.as_const().is_none() && f != ReduceFn::Mean {
        let rule = "XNNPACK reduces a known number of elements here";
        return Err(Reason::new(rule, format!("{folded}")));
    }
    let averages = matches!(f, ReduceFn::Mean | ReduceFn::Sum);
    if averages && is_image(dims, run) || innermost && run.len() == 1 {
        return Ok(());
    }
    if !innermost {
        return check_stretched(dims, run);
    }
    let mut merged = dims.to_vec();
    merged.splice(run.clone(), [folded]);
    check_reshapes(dims, run, &merged)
}

/// Refuses sizes with which the library cannot reshape to [`stretched`] dims and back.
pub(super) fn check_stretched(dims: &[Dim], run: &Range<usize>) -> Result<(), Reason> {
    check_reshapes(dims, run, &stretched(dims, run))
}

/// Refuses sizes with which the library cannot reshape to a form and, behind the reduction, back.
fn check_reshapes(dims: &[Dim], run: &Range<usize>, form: &[Dim]) -> Result<(), Reason> {
    let mut kept = dims.to_vec();
    kept[run.clone()].fill(Dim::constant(1));
    if MOVERS.can_reshape(form) && MOVERS.can_reshape(&kept) {
        return Ok(());
    }
    let rule = "XNNPACK reshapes with at most one size that is not known";
    Err(Reason::new(rule, format!("{dims:?}")))
}

/// True if the run is the whole of an image's height and width.
pub(super) fn is_image(dims: &[Dim], run: &Range<usize>) -> bool {
    dims.len() == 4 && *run == (1..3)
}

/// True if the reduction can be a fully connected layer, whose weights are a constant.
fn averages_innermost(dims: &[Dim], run: &Range<usize>, f: ReduceFn) -> bool {
    let sizes: Option<Vec<i64>> = dims[run.clone()].iter().map(Dim::as_const).collect();
    let is_small = |sizes| check_elements("weights of a sum", MAX_REPEATED, sizes).is_ok();
    run.end == dims.len()
        && matches!(f, ReduceFn::Mean | ReduceFn::Sum)
        && sizes.is_some_and(is_small)
}

/// The dims as outer, reduced, 1, inner.
pub(crate) fn stretched(dims: &[Dim], run: &Range<usize>) -> Vec<Dim> {
    let product = |dims: &[Dim]| dims.iter().cloned().product::<Dim>();
    vec![
        product(&dims[..run.start]),
        product(&dims[run.clone()]),
        Dim::constant(1),
        product(&dims[run.end..]),
    ]
}

/// Sums of more elements than this are sums of sums: a layer adds one product after the other to one accumulator, so
/// that the error grows with the count, and the sum of 127,872 elements was 78 dB from the right one.
const MAX_ROW: i64 = 4096;

/// The number of parts, about as many as each has elements, in which to add up so many elements. `None` if one sum does,
/// or if the count has no such divisor.
fn parts_of(count: i64) -> Option<i64> {
    if count <= MAX_ROW {
        return None;
    }
    let root = (count as f64).sqrt() as i64;
    (count / MAX_ROW + 1..=root.max(2))
        .rev()
        .find(|parts| count % parts == 0)
}

impl Lowering<'_> {
    pub(super) fn reduce(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Reduce,
        order: &Order,
    ) -> Result<(), Problem> {
        let ty = self.graph.ty(node.operands[0]);
        let plan = plan(&ty.shape, op).map_err(|reason| reason.to_string())?;
        if plan.order != *order {
            return Err("a reduction in another order than planned".into());
        }
        let mut tensor = self.tensors.operand(node.operands[0], order)?;
        if plan.runs.is_empty() {
            let output = self.target(id, order);
            self.push_unary(UnaryOp::Copy, tensor, output);
            return Ok(());
        }
        let is_float = ty.dtype.is_float() && !self.options.fast_nan;
        let keeps_nan = is_float && !is_softmax_shift(self.graph, id);
        let last = plan.runs.len() - 1;
        for (i, run) in plan.runs.iter().enumerate() {
            let mut dims = self.tensors.dims(tensor).to_vec();
            dims[run.clone()].fill(Dim::constant(1));
            let output = if i == last {
                self.target(id, order)
            } else {
                let elements = self.tensors.elements(tensor);
                self.tensors.add(elements, dims)
            };
            match op.f {
                ReduceFn::Max => self.maximum(tensor, output, run, keeps_nan)?,
                f => self.reduce_run(tensor, output, run, f)?,
            }
            tensor = output;
        }
        Ok(())
    }

    fn reduce_run(
        &mut self,
        input: Tensor,
        output: Tensor,
        run: &Range<usize>,
        f: ReduceFn,
    ) -> Result<(), Problem> {
        let dims = self.tensors.dims(input).to_vec();
        let folded: Dim = dims[run.clone()].iter().cloned().product();
        let count = folded.as_const();
        match f {
            ReduceFn::Mean | ReduceFn::Sum if averages_innermost(&dims, run, f) => {
                let count = count.ok_or("a sum of an unknown number of elements")?;
                let weight = if f == ReduceFn::Mean {
                    1.0 / count as f64
                } else {
                    1.0
                };
                self.weighted_sum(input, output, run, count, weight)
            }
            ReduceFn::Mean => {
                self.average(input, output, run);
                Ok(())
            }
            ReduceFn::Sum => {
                let mean = self.like(output);
                self.average(input, mean, run);
                let count = self.number(
                    input,
                    count.ok_or("a sum of an unknown number of elements")? as f64,
                )?;
                self.push_binary(BinaryOp::Multiply, [mean, count], output);
                Ok(())
            }
            ReduceFn::Min => {
                let (negative, greatest) = (self.like(input), self.like(output));
                self.push_unary(UnaryOp::Negate, input, negative);
                self.maximum(negative, greatest, run, !self.options.fast_nan)?;
                self.push_unary(UnaryOp::Negate, greatest, output);
                Ok(())
            }
            other => Err(format!("{other:?}")),
        }
    }

    /// The sum of `count` elements of the innermost dims, each times the weight.
    fn weighted_sum(
        &mut self,
        input: Tensor,
        output: Tensor,
        run: &Range<usize>,
        count: i64,
        weight: f64,
    ) -> Result<(), Problem> {
        let mut dims = self.tensors.dims(input).to_vec();
        let parts = parts_of(count).filter(|_| dims.len() - run.len() + 2 <= MAX_RANK);
        let part = count / parts.unwrap_or(1);
        let rows = parts.into_iter().chain([part]).map(Dim::constant);
        dims.splice(run.clone(), rows);
        let mut sum = self.tensors.reshape(input, &dims);
        if parts.is_some() {
            let partial = self.row_sums(sum, part, weight)?;
            dims.pop();
            sum = self.tensors.reshape(partial, &dims);
        }
        let weight = if parts.is_some() { 1.0 } else { weight };
        let count = parts.unwrap_or(count);
        if run.len() == 1 {
            return self.push_row_sums(sum, output, count, weight);
        }
        let whole = self.row_sums(sum, count, weight)?;
        self.tensors.push_reshape(whole, output);
        Ok(())
    }

    /// The weighted sum of each row, whose axis stays with size 1.
    fn row_sums(&mut self, rows: Tensor, count: i64, weight: f64) -> Result<Tensor, Problem> {
        let mut dims = self.tensors.dims(rows).to_vec();
        *dims.last_mut().ok_or("a sum without axes")? = Dim::constant(1);
        let elements = self.tensors.elements(rows);
        let output = self.tensors.add(elements, dims);
        self.push_row_sums(rows, output, count, weight)?;
        Ok(output)
    }

    fn push_row_sums(
        &mut self,
        input: Tensor,
        output: Tensor,
        count: i64,
        weight: f64,
    ) -> Result<(), Problem> {
        let weights = weights::splat(DType::F32, &[1, count as usize], weight);
        let filter = self.tensors.constant(&weights)?;
        let (bias, flags) = (None, 0);
        self.push(XnnOp::FullyConnected {
            input,
            filter,
            bias,
            output,
            flags,
        });
        Ok(())
    }

    fn average(&mut self, input: Tensor, output: Tensor, run: &Range<usize>) {
        let dims = self.tensors.dims(input).to_vec();
        let flags = flags::KEEP_DIMS;
        if is_image(&dims, run) {
            self.push(XnnOp::GlobalAveragePool {
                input,
                output,
                flags,
            });
            return;
        }
        let (input, mean) = self.stretch(input, run);
        self.push(XnnOp::GlobalAveragePool {
            input,
            output: mean,
            flags,
        });
        self.tensors.push_reshape(mean, output);
    }

    /// The input as an image of one column, and a tensor for its reduction.
    fn stretch(&mut self, input: Tensor, run: &Range<usize>) -> (Tensor, Tensor) {
        let mut dims = stretched(self.tensors.dims(input), run);
        let column = self.tensors.reshape(input, &dims);
        dims[1] = Dim::constant(1);
        let elements = self.tensors.elements(input);
        (column, self.tensors.add(elements, dims))
    }

    fn maximum(
        &mut self,
        input: Tensor,
        output: Tensor,
        run: &Range<usize>,
        keeps_nan: bool,
    ) -> Result<(), Problem> {
        let (input, greatest) = self.stretch(input, run);
        let count = self.tensors.dims(input)[1]
            .as_const()
            .ok_or("a maximum of an unknown number of elements")?;
        if count == 1 {
            self.tensors.push_reshape(input, output);
            return Ok(());
        }
        let params = PoolParams {
            padding: Padding2d::default(),
            kernel: [count as u32, 1],
            stride: [count as u32, 1],
            dilation: [1, 1],
        };
        let (kind, flags) = (PoolKind::Max, 0);
        let before = self.tensors.operators();
        self.push(XnnOp::Pool {
            kind,
            params,
            input,
            output: greatest,
            flags,
        });
        if !keeps_nan {
            self.tensors.push_reshape(greatest, output);
            return Ok(());
        }
        let zero = self.zero_or_nan(input)?;
        let zeros = self.like(greatest);
        let flags = flags::KEEP_DIMS;
        self.push(XnnOp::GlobalAveragePool {
            input: zero,
            output: zeros,
            flags,
        });
        // Subtracting a zero keeps the sign of zero.
        let kept = self.like(greatest);
        self.push_binary(BinaryOp::Subtract, [greatest, zeros], kept);
        self.tensors.count_guards(before);
        self.tensors.push_reshape(kept, output);
        Ok(())
    }
}
