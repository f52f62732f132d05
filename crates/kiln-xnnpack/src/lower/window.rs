//! Lowering of pools, and of depthwise convolutions that stand in for them.

use super::image_guard::image_guard;
use super::nan_witnesses::witnesses;
use super::pool::{GUARD, Plan, Window};
use super::window_sum::{sum, sum_of_any};
use super::{Lowering, Problem, ordered_average};
use crate::payload::{
    BinaryOp, Datatype, Padding2d, PoolKind, PoolParams, UnaryOp, ValueId as Tensor, XnnOp, flags,
};
use crate::support::is_not_negative;
use kiln_ir::graph::Node;
use kiln_ir::ops::Pool;
use kiln_ir::{DType, NodeId, TensorData, TensorType, ValueId};
use kiln_transforms::layout::Order;

/// Height and width; a row has width 1.
pub(crate) fn image<T: Copy>(spatial: &[T], width: T) -> [T; 2] {
    match spatial {
        [height] => [*height, width],
        [height, width, ..] => [*height, *width],
        [] => [width, width],
    }
}

/// A window of one element along an axis.
pub(crate) const UNIT: Window = Window {
    kernel: 1,
    stride: 1,
    low: 0,
    high: 0,
    dilation: 1,
};

pub(super) fn padding([h, w]: [Window; 2]) -> Padding2d {
    Padding2d {
        top: h.low,
        right: w.high,
        bottom: h.high,
        left: w.low,
    }
}

impl Lowering<'_> {
    pub(super) fn pool(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Pool,
        order: &Order,
    ) -> Result<(), Problem> {
        let ty = self.graph.ty(node.operands[0]);
        let plan = super::pool::plan(&ty.shape, op).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        let flags = flags::KEEP_DIMS;
        match plan {
            Plan::Max(windows) => {
                let windows = image(&windows, UNIT);
                let output = self.target(id, order);
                if windows.iter().all(|w| w.kernel == 1) {
                    return self.pick(input, output, windows, ty);
                }
                self.max_pool(node.operands[0], input, output, windows)
            }
            Plan::Global => {
                let output = self.target(id, order);
                self.push(XnnOp::GlobalAveragePool {
                    input,
                    output,
                    flags,
                });
                Ok(())
            }
            Plan::Sum { windows, factor } => {
                let output = self.target(id, order);
                let ordered = ordered_average::windows(self.graph, node, &windows, factor);
                if let Some((windows, divisor)) = ordered {
                    return self.ordered_average(input, output, windows, divisor);
                }
                let stages = sum(image(&windows, UNIT), &ty.shape).map_err(|r| r.to_string())?;
                self.window_sum(input, output, &stages, factor)
            }
            Plan::Counted { windows, factors } => {
                let output = self.target(id, order);
                let added = self.like(output);
                let stages = sum(image(&windows, UNIT), &ty.shape).map_err(|r| r.to_string())?;
                self.window_sum(input, added, &stages, 1.0)?;
                let factors = self.tensors.constant(&product(&factors))?;
                self.push_binary(BinaryOp::Multiply, [added, factors], output);
                Ok(())
            }
        }
    }

    /// A maximum over windows of one element, which the library refuses.
    fn pick(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
        ty: &TensorType,
    ) -> Result<(), Problem> {
        if windows.iter().all(|w| w.stride == 1) && padding(windows) == Padding2d::default() {
            self.push_unary(UnaryOp::Copy, input, output);
            return Ok(());
        }
        let stages = sum(windows, &ty.shape).map_err(|reason| reason.to_string())?;
        self.window_sum(input, output, &stages, 1.0)
    }

    /// The maximum over windows of a value; it keeps NaN.
    fn max_pool(
        &mut self,
        value: ValueId,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
    ) -> Result<(), Problem> {
        let [h, w] = windows;
        let params = PoolParams {
            padding: padding(windows),
            kernel: [h.kernel, w.kernel],
            stride: [h.stride, w.stride],
            dilation: [h.dilation, w.dilation],
        };
        let is_guarded = self.tensors.datatype(input) == Datatype::Fp32;
        let keeps_nan = is_guarded && !self.options.fast_nan;
        let greatest = if keeps_nan { self.like(output) } else { output };
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
            return Ok(());
        }
        let guard = self.pool_guard(value, input, output, windows)?;
        self.push_binary(BinaryOp::Subtract, [greatest, guard], output);
        self.tensors.count_guards(before);
        Ok(())
    }

    /// What is NaN where a window of the value has one, and else changes nothing when it is subtracted from the greatest.
    fn pool_guard(
        &mut self,
        value: ValueId,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
    ) -> Result<Tensor, Problem> {
        let by_image = image_guard(self.graph, value, windows).filter(|_| !self.options.strict_nan);
        if let Some(by_image) = by_image
            && let Some(guard) = self.guard_by_image(&by_image)?
        {
            return Ok(guard);
        }
        let not_negative = if is_not_negative(self.graph, value) {
            input
        } else {
            self.not_negative(input)?
        };
        let ty = self.graph.ty(value);
        let few = witnesses(self.graph, value, windows);
        let few = few.filter(|few| few.show_all || !self.options.strict_nan);
        let windows = few.map_or(windows, |few| few.windows);
        let stages = sum_of_any(windows, &ty.shape).map_err(|reason| reason.to_string())?;
        let guard = self.like(output);
        self.window_sum(not_negative, guard, &stages, GUARD)?;
        Ok(guard)
    }
}

/// `[1, height, width, 1]`, the product of one factor by row and one by column.
fn product(factors: &[Vec<f64>]) -> TensorData {
    let one = vec![1.0];
    let (rows, columns) = match factors {
        [rows] => (rows, &one),
        [rows, columns, ..] => (rows, columns),
        [] => (&one, &one),
    };
    let all = rows
        .iter()
        .flat_map(|r| columns.iter().map(move |c| kiln_ir::Scalar::Float(r * c)));
    TensorData::from_scalars(DType::F32, vec![1, rows.len(), columns.len(), 1], all)
}
