//! Matrix products, convolutions and softmax.

use super::window::{FAST_TAPS, image};
use super::{Lowering, Problem};
use crate::order::Order;
use crate::payload::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, ValueId as Tensor, XnnNode, XnnOp, flags,
};
use crate::support::{constant_of, is_constant};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::{DType, Movement, NodeId, TensorData, ValueId};

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
            && let Some(parts) = split_columns(&conv)
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

/// A depthwise kernel with too many taps for the fast path as a sum of narrow ones: pairs of columns at the
/// same distance from the middle, the nearest of which has the middle too.
fn split_columns(conv: &Image) -> Option<Vec<Image>> {
    let [height, width] = conv.params.kernel;
    let half = width / 2;
    let padding = conv.params.padding;
    let possible = height * width > FAST_TAPS
        && width % 2 == 1
        && width >= 5
        && height * 3 <= FAST_TAPS
        && conv.params.dilation == [1, 1]
        && padding.left >= half - 1
        && padding.right >= half - 1;
    if !possible {
        return None;
    }
    (1..=half)
        .rev()
        .map(|distance| columns(conv, distance))
        .collect()
}

/// The columns at that distance from the middle, and, for distance 1, the middle.
fn columns(conv: &Image, distance: u32) -> Option<Image> {
    let [height, width] = conv.params.kernel.map(|n| n as usize);
    let first = width / 2 - distance as usize;
    let (taps, dilation) = if distance == 1 {
        (3, 1)
    } else {
        (2, 2 * distance)
    };
    let channels = *conv.filter.sizes().last()?;
    let column = channels * conv.filter.dtype().size();
    let mut picked = Vec::with_capacity(height * taps * column);
    for y in 0..height {
        for tap in 0..taps {
            let at = (y * width + first + tap * dilation as usize) * column;
            picked.extend_from_slice(conv.filter.bytes().get(at..at + column)?);
        }
    }
    let filter = TensorData::new(
        conv.filter.dtype(),
        vec![1, height, taps, channels],
        picked.into(),
    )
    .ok()?;
    let padding = conv.params.padding;
    let params = ConvParams {
        padding: Padding2d {
            left: padding.left - first as u32,
            right: padding.right - first as u32,
            ..padding
        },
        kernel: [conv.params.kernel[0], taps as u32],
        dilation: [1, dilation],
        ..conv.params
    };
    Some(Image {
        kind: conv.kind,
        params,
        filter,
    })
}
