//! Pools, and depthwise convolutions that stand for them.

use super::pool::{Plan, Window, out_size};
use super::{Lowering, Problem};
use crate::order::Order;
use crate::payload::{
    BinaryOp, ConvKind, ConvParams, Padding2d, PoolKind, PoolParams, UnaryOp, ValueId as Tensor,
    XnnOp, flags,
};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::Pool;
use kiln_ir::{DType, NodeId, TensorData};

/// The most taps of a depthwise kernel for which XNNPACK has a fast path (measured: 5x5 is fast, 7x7 is 9
/// times slower per tap).
pub(super) const FAST_TAPS: u32 = 25;

/// Height and width; a row has width 1.
pub(super) fn image<T: Copy>(spatial: &[T], width: T) -> [T; 2] {
    match spatial {
        [height] => [*height, width],
        [height, width, ..] => [*height, *width],
        [] => [width, width],
    }
}

const UNIT: Window = Window {
    kernel: 1,
    stride: 1,
    low: 0,
    high: 0,
    dilation: 1,
};

fn padding([h, w]: [Window; 2]) -> Padding2d {
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
            Plan::Max(windows) => self.max_pool(id, input, image(&windows, UNIT), ty.dtype, order),
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
                self.window_sum(input, output, image(&windows, UNIT), factor, ty.dtype)
            }
            Plan::Counted { windows, factors } => {
                let output = self.target(id, order);
                let sum = self.like(output);
                self.window_sum(input, sum, image(&windows, UNIT), 1.0, ty.dtype)?;
                let factors = self.tensors.constant(&product(&factors, ty.dtype))?;
                self.push_binary(BinaryOp::Multiply, [sum, factors], output);
                Ok(())
            }
        }
    }

    fn max_pool(
        &mut self,
        id: NodeId,
        input: Tensor,
        windows: [Window; 2],
        dtype: DType,
        order: &Order,
    ) -> Result<(), Problem> {
        let output = self.target(id, order);
        let [h, w] = windows;
        if h.kernel * w.kernel == 1 {
            // The library refuses windows of one element.
            return match [h.stride, w.stride] {
                [1, 1] if padding(windows) == Padding2d::default() => {
                    self.push_unary(UnaryOp::Copy, input, output);
                    Ok(())
                }
                _ => self.window_sum(input, output, windows, 1.0, dtype),
            };
        }
        let params = PoolParams {
            padding: padding(windows),
            kernel: [h.kernel, w.kernel],
            stride: [h.stride, w.stride],
            dilation: [h.dilation, w.dilation],
        };
        let (kind, flags) = (PoolKind::Max, 0);
        self.push(XnnOp::Pool {
            kind,
            params,
            input,
            output,
            flags,
        });
        Ok(())
    }

    /// Adds up windows and multiplies by a factor; axis by axis if there are too many taps at once.
    fn window_sum(
        &mut self,
        input: Tensor,
        output: Tensor,
        [h, w]: [Window; 2],
        factor: f64,
        dtype: DType,
    ) -> Result<(), Problem> {
        if h.kernel * w.kernel <= FAST_TAPS || h.kernel == 1 || w.kernel == 1 {
            return self.equal_taps(input, output, [h, w], factor, dtype);
        }
        let mut dims = self.tensors.dims(input).to_vec();
        dims[1] = out_size(&dims[1], &h);
        let datatype = self.tensors.datatype(input);
        let columns = self.tensors.add(datatype, dims);
        self.equal_taps(input, columns, [h, UNIT], 1.0, dtype)?;
        self.equal_taps(columns, output, [UNIT, w], factor, dtype)
    }

    fn equal_taps(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
        factor: f64,
        dtype: DType,
    ) -> Result<(), Problem> {
        let channels = self
            .tensors
            .dims(input)
            .last()
            .and_then(|d| d.as_const())
            .ok_or("channels are not known")?;
        let [h, w] = windows;
        let sizes = [1, h.kernel as usize, w.kernel as usize, channels as usize];
        let filter = self
            .tensors
            .constant(&weights::splat(dtype, &sizes, factor))?;
        let params = ConvParams {
            padding: padding(windows),
            kernel: [h.kernel, w.kernel],
            stride: [h.stride, w.stride],
            dilation: [h.dilation, w.dilation],
            groups: channels as u32,
            group_input_channels: 1,
            group_output_channels: 1,
            adjustment: [0, 0],
        };
        let (kind, bias, flags) = (ConvKind::Depthwise, None, 0);
        self.push(XnnOp::Conv {
            kind,
            params,
            input,
            filter,
            bias,
            output,
            flags,
        });
        Ok(())
    }
}

/// `[1, height, width, 1]`, the product of a factor by row and one by column.
fn product(factors: &[Vec<f64>], dtype: DType) -> TensorData {
    let one = vec![1.0];
    let (rows, columns) = match factors {
        [rows] => (rows, &one),
        [rows, columns, ..] => (rows, columns),
        [] => (&one, &one),
    };
    let all = rows
        .iter()
        .flat_map(|r| columns.iter().map(move |c| kiln_ir::Scalar::Float(r * c)));
    TensorData::from_scalars(dtype, vec![1, rows.len(), columns.len(), 1], all)
}
