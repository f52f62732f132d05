//! Matrix products, convolutions and softmax.

use super::window::{FAST_TAPS, image};
use super::{Lowering, Problem};
use crate::payload::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, ValueId as Tensor, XnnNode, XnnOp, flags,
};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::{DType, Movement, NodeId, TensorData, ValueId};
use kiln_transforms::constants::{constant_of, is_constant};
use kiln_transforms::layout::Order;

/// A convolution with its weights as XNNPACK wants them.
struct Image {
    kind: ConvKind,
    params: ConvParams,
    filter: TensorData,
}

impl Lowering<'_> {
    pub(super) fn linear(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let filter = self.tensors.operand(node.operands[1], &Order::plain(2))?;
        let bias = match node.operands.get(2) {
            None => None,
            Some(&bias) => Some(self.bias(bias)?),
        };
        let (output, flags) = (self.target(id, order), 0);
        self.push_clamped(
            XnnOp::FullyConnected {
                input,
                filter,
                bias,
                output,
                flags,
            },
            self.clamp(id),
        );
        Ok(())
    }

    /// A vector; the bf16 kernels take an f32 one.
    fn bias(&mut self, bias: ValueId) -> Result<Tensor, Problem> {
        if self.graph.ty(bias).dtype != DType::BF16 {
            return self.tensors.operand(bias, &Order::plain(1));
        }
        let data = constant_of(self.graph, bias).ok_or("a bias that is no constant")?;
        self.tensors.constant(&weights::cast(&data, DType::F32))
    }

    /// The second operand comes transposed where that takes less moving.
    pub(super) fn matmul(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let a = self.tensors.operand(node.operands[0], order)?;
        let value = node.operands[1];
        let shape = &self.graph.ty(value).shape;
        let mut axes: Vec<usize> = (0..shape.rank()).collect();
        axes.swap(shape.rank() - 2, shape.rank() - 1);
        let swapped = Movement::permute(shape, &axes).map_err(|e| e.to_string())?;
        let straight = self.tensors.cost_of(value, &Movement::identity(shape));
        let is_turned =
            !is_constant(self.graph, value) && self.tensors.cost_of(value, &swapped) < straight;
        let (b, flags) = if is_turned {
            (
                self.tensors.moved(value, &swapped)?,
                flags::TRANSPOSE_WEIGHTS,
            )
        } else {
            (self.tensors.operand(value, order)?, 0)
        };
        let output = self.target(id, order);
        self.push(XnnOp::BatchMatMul {
            inputs: [a, b],
            output,
            flags,
        });
        Ok(())
    }

    pub(super) fn softmax(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let (output, flags) = (self.target(id, order), 0);
        self.push(XnnOp::Softmax {
            input,
            output,
            flags,
        });
        Ok(())
    }

    pub(super) fn conv(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Conv,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let weight =
            constant_of(self.graph, node.operands[1]).ok_or("weights that are no constant")?;
        let conv = image_of(op, &weight).ok_or("weights of other sizes than the convolution's")?;
        let bias = match node.operands.get(2) {
            None => None,
            Some(&bias) => Some(self.tensors.operand(bias, &Order::plain(1))?),
        };
        let output = self.target(id, order);
        let clamp = self.clamp(id);
        if conv.kind == ConvKind::Depthwise
            && let Some(parts) = split_kernel(&conv)
        {
            return self.sum_of_convs(parts, input, bias, output, clamp);
        }
        self.push_conv(&conv, input, bias, output, clamp)
    }

    fn push_conv(
        &mut self,
        conv: &Image,
        input: Tensor,
        bias: Option<Tensor>,
        output: Tensor,
        clamp: Option<Clamp>,
    ) -> Result<(), Problem> {
        let filter = self.tensors.constant(&conv.filter)?;
        let (kind, params, flags) = (conv.kind, conv.params, 0);
        let op = XnnOp::Conv {
            kind,
            params,
            input,
            filter,
            bias,
            output,
            flags,
        };
        self.tensors.push(
            XnnNode {
                clamp,
                ..XnnNode::new(op)
            },
            self.node,
        );
        Ok(())
    }

    fn sum_of_convs(
        &mut self,
        parts: Vec<Image>,
        input: Tensor,
        bias: Option<Tensor>,
        output: Tensor,
        clamp: Option<Clamp>,
    ) -> Result<(), Problem> {
        let last = parts.len() - 1;
        let mut sum: Option<Tensor> = None;
        for (i, part) in parts.iter().enumerate() {
            let made = self.like(output);
            self.push_conv(part, input, bias.filter(|_| i == 0), made, None)?;
            let Some(before) = sum else {
                sum = Some(made);
                continue;
            };
            let to = if i == last { output } else { self.like(output) };
            let (op, inputs, flags) = (BinaryOp::Add, [before, made], 0);
            self.push_clamped(
                XnnOp::Binary {
                    op,
                    inputs,
                    output: to,
                    flags,
                },
                clamp.filter(|_| i == last),
            );
            sum = Some(to);
        }
        Ok(())
    }
}

/// The convolution as XNNPACK has it; `None` if weights and attributes do not agree.
fn image_of(op: &Conv, weight: &TensorData) -> Option<Image> {
    let n = op.spatial();
    let sizes = weight.sizes();
    if sizes.len() != n + 2 || op.groups < 1 {
        return None;
    }
    let groups = op.groups as usize;
    let kernel = image(&sizes[2..], 1);
    let (inputs, outputs) = if op.transposed {
        (sizes[0] / groups, sizes[1])
    } else {
        (sizes[1], sizes[0] / groups)
    };
    let depthwise = !op.transposed && inputs == 1 && groups > 1;
    let (kind, axes, result) = if depthwise {
        let axes = (1..n + 2).chain([0]).collect();
        (
            ConvKind::Depthwise,
            axes,
            vec![1, kernel[0], kernel[1], groups * outputs],
        )
    } else {
        let axes: Vec<usize> = [0].into_iter().chain(2..n + 2).chain([1]).collect();
        let kind = if op.transposed {
            ConvKind::Transposed
        } else {
            ConvKind::Conv2d
        };
        (
            kind,
            axes,
            vec![groups * outputs, kernel[0], kernel[1], inputs],
        )
    };
    let filter = if op.transposed {
        // [g, i, o, kernel..] to [g, o, kernel.., i].
        let split: Vec<usize> = [groups, inputs, outputs]
            .into_iter()
            .chain(sizes[2..].iter().copied())
            .collect();
        let axes: Vec<usize> = [0, 2].into_iter().chain(3..n + 3).chain([1]).collect();
        weights::permuted(&weight.reshaped(split).ok()?, &axes, &result)?
    } else {
        weights::permuted(weight, &axes, &result)?
    };
    let params = params(op, kernel, [groups, inputs, outputs])?;
    Some(Image {
        kind,
        params,
        filter,
    })
}

fn params(
    op: &Conv,
    kernel: [usize; 2],
    [groups, inputs, outputs]: [usize; 3],
) -> Option<ConvParams> {
    let small = |n: i64| u32::try_from(n).ok();
    let pair = |list: &[i64], filler: i64| {
        let [h, w] = image(list, filler);
        Some([small(h)?, small(w)?])
    };
    let ([top, left], [bottom, right]) = (pair(&op.pad_low, 0)?, pair(&op.pad_high, 0)?);
    Some(ConvParams {
        padding: Padding2d {
            top,
            right,
            bottom,
            left,
        },
        kernel: [kernel[0] as u32, kernel[1] as u32],
        stride: pair(&op.stride, 1)?,
        dilation: pair(&op.dilation, 1)?,
        groups: u32::try_from(groups).ok()?,
        group_input_channels: u32::try_from(inputs).ok()?,
        group_output_channels: u32::try_from(outputs).ok()?,
        adjustment: if op.transposed {
            pair(&op.output_padding, 0)?
        } else {
            [0, 0]
        },
    })
}

/// The most parts that take less time than the whole.
const MAX_PARTS: u32 = 8;

/// A depthwise kernel with too many taps for the fast path as a sum of kernels of every n-th column (row, if
/// there is one column): each is dilated n times, and padded for where it starts and ends.
fn split_kernel(conv: &Image) -> Option<Vec<Image>> {
    let axis = usize::from(conv.params.kernel[1] > 1);
    let (length, other) = (conv.params.kernel[axis], conv.params.kernel[1 - axis]);
    if length * other <= FAST_TAPS || other > FAST_TAPS {
        return None;
    }
    let parts = length.div_ceil(FAST_TAPS / other);
    if parts > MAX_PARTS {
        return None;
    }
    (0..parts)
        .map(|first| part(conv, axis, first, parts))
        .collect()
}

/// Columns (or rows) `first`, `first + step`, ..; `None` if the padding does not reach so far.
fn part(conv: &Image, axis: usize, first: u32, step: u32) -> Option<Image> {
    let mut params = conv.params;
    let taps = (params.kernel[axis] - first).div_ceil(step);
    let missing = params.kernel[axis] - 1 - (first + (taps - 1) * step);
    let dilation = params.dilation[axis];
    let (low, high) = match axis {
        0 => (&mut params.padding.top, &mut params.padding.bottom),
        _ => (&mut params.padding.left, &mut params.padding.right),
    };
    *low = low.checked_sub(first * dilation)?;
    *high = high.checked_sub(missing * dilation)?;
    params.kernel[axis] = taps;
    params.dilation[axis] = dilation * step;
    Some(Image {
        kind: conv.kind,
        params,
        filter: picked(
            &conv.filter,
            axis + 1,
            [first, taps, step].map(|n| n as usize),
        )?,
    })
}

/// Indices `first`, `first + step`, .. of an axis of the filter, `taps` of them.
fn picked(filter: &TensorData, axis: usize, [first, taps, step]: [usize; 3]) -> Option<TensorData> {
    let mut sizes = filter.sizes().to_vec();
    let inner = sizes[axis + 1..].iter().product::<usize>() * filter.dtype().size();
    let outer: usize = sizes[..axis].iter().product();
    let mut bytes = Vec::with_capacity(outer * taps * inner);
    for block in 0..outer {
        for tap in 0..taps {
            let at = (block * sizes[axis] + first + tap * step) * inner;
            bytes.extend_from_slice(filter.bytes().get(at..at + inner)?);
        }
    }
    sizes[axis] = taps;
    TensorData::new(filter.dtype(), sizes, bytes.into()).ok()
}
