//! Lowering of matrix products, convolutions and softmax.
//!
//! Weights of halves stay halves where the library has that: it packs them as f32 when the program is loaded. So do weights of f32 that f16
//! holds, if nothing else reads them.

use super::block_parts::Part;
use super::depthwise::Depthwise;
use super::pool::Window;
use super::window::image;
use super::{Lowering, Problem};
use crate::payload::{
    BinaryOp, Clamp, ConvKind, ConvParams, Padding2d, ValueId as Tensor, XnnOp, flags,
};
use crate::weights;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::{DType, Movement, NodeId, TensorData, ValueId};
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::layout::Order;

/// A convolution, with its weights laid out for XNNPACK.
#[derive(Clone)]
pub(super) struct Image {
    pub(super) kind: ConvKind,
    pub(super) params: ConvParams,
    pub(super) filter: TensorData,
}

impl Lowering<'_> {
    pub(super) fn linear(&mut self, id: NodeId, node: &Node, order: &Order) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        let filter = self.filter_of_floats(node.operands[1])?;
        let bias = match node.operands.get(2) {
            None => None,
            Some(&bias) => Some(self.bias(bias)?),
        };
        let output = self.target(id, order);
        let constant = |i: usize| node.operands.get(i).map(|&v| is_constant(self.graph, v));
        // The library crashes if exactly one of the two is packed ahead of time (measured).
        let is_mixed = constant(2).is_some_and(|of_bias| Some(of_bias) != constant(1));
        let (made, own) = match is_mixed {
            true => (self.like(output), None),
            false => (output, bias),
        };
        let product = XnnOp::FullyConnected {
            input,
            filter,
            bias: own,
            output: made,
            flags: 0,
        };
        let clamp = self.clamp(id);
        match bias.filter(|_| is_mixed) {
            None => self.push_clamped(product, clamp),
            Some(bias) => {
                self.push(product);
                self.push_pair(BinaryOp::Add, [made, bias], output, clamp);
            }
        }
        Ok(())
    }

    /// A vector of f32.
    fn bias(&mut self, bias: ValueId) -> Result<Tensor, Problem> {
        if let Some(data) = constant_of(self.graph, bias) {
            return self.tensors.constant(&weights::cast(&data, DType::F32));
        }
        self.tensors.operand(bias, &Order::plain(1))
    }

    /// The weights of a linear layer.
    fn filter_of_floats(&mut self, weight: ValueId) -> Result<Tensor, Problem> {
        match constant_of(self.graph, weight).filter(|_| self.may_be_halves(weight)) {
            Some(data) => self.tensors.constant(&weights::for_singles(&data)),
            None => self.tensors.operand(weight, &Order::plain(2)),
        }
    }

    /// True for halves, and for weights of f32 that one node reads. Others would be in the program as f32 too.
    fn may_be_halves(&self, weight: ValueId) -> bool {
        let is_half = self.graph.ty(weight).dtype.is_half();
        is_half || self.graph.value(weight).uses().len() == 1
    }

    /// The second operand is transposed by the operator if that moves fewer bytes.
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
            let turned = self.tensors.moved(value, &swapped)?;
            (turned, flags::TRANSPOSE_WEIGHTS)
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
        let mut conv =
            image_of(op, &weight).ok_or("weights of other sizes than the convolution's")?;
        let (output, clamp) = (self.target(id, order), self.clamp(id));
        let bias = node.operands.get(2).copied();
        let has_constants = bias.is_none_or(|bias| is_constant(self.graph, bias));
        if let Some(blocks) = self.blocks(&conv, output).filter(|_| has_constants) {
            return self.in_blocks(&blocks, output, |own, part, made| {
                let mut conv = part.image.clone();
                conv.filter = weights::for_singles(&conv.filter);
                let bias = bias.map(|bias| own.bias_of_part(bias, part)).transpose()?;
                own.push_conv(&conv, input, bias, made, clamp)
            });
        }
        conv.filter = match op.transposed || !self.may_be_halves(node.operands[1]) {
            true => weights::cast(&conv.filter, DType::F32),
            false => weights::for_singles(&conv.filter),
        };
        let bias = bias.map(|bias| self.bias(bias)).transpose()?;
        if conv.has_depthwise_kernel() {
            let depthwise = Depthwise {
                windows: windows(&conv.params),
                filter: &conv.filter,
                bias,
                clamp,
            };
            let shape = &self.graph.ty(node.operands[0]).shape;
            self.depthwise(&depthwise, shape, input, output)?;
        } else {
            self.push_conv(&conv, input, bias, output, clamp)?;
        }
        Ok(())
    }

    /// The bias of all taps of a part of blocks.
    fn bias_of_part(&mut self, bias: ValueId, part: &Part) -> Result<Tensor, Problem> {
        let data = constant_of(self.graph, bias).ok_or("a bias that is no constant")?;
        let all = part.bias(&weights::cast(&data, DType::F32));
        self.tensors.constant(&all.ok_or("a bias beyond memory")?)
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
        let op = XnnOp::conv((conv.kind, conv.params), [input, filter], bias, output);
        self.push_clamped(op, clamp);
        Ok(())
    }
}

impl Image {
    /// True for a plain convolution of one input channel.
    pub(super) fn is_of_one_channel(&self) -> bool {
        self.kind == ConvKind::Conv2d
            && self.params.groups == 1
            && self.params.group_input_channels == 1
    }

    /// With several outputs per channel, the library computes a grouped convolution.
    fn has_depthwise_kernel(&self) -> bool {
        self.kind == ConvKind::Depthwise && self.params.group_output_channels == 1
    }
}

pub(super) fn windows(params: &ConvParams) -> [Window; 2] {
    let pads = params.padding;
    let ends = [(pads.top, pads.bottom), (pads.left, pads.right)];
    [0, 1].map(|axis| Window {
        kernel: params.kernel[axis],
        stride: params.stride[axis],
        low: ends[axis].0,
        high: ends[axis].1,
        dilation: params.dilation[axis],
    })
}

/// The windows of a convolution that the library computes by a depthwise kernel.
pub(crate) fn depthwise_windows(op: &Conv, weight: &[usize]) -> Option<[Window; 2]> {
    let (&outputs, &inputs) = (weight.first()?, weight.get(1)?);
    if op.transposed || op.groups < 2 || inputs != 1 || outputs as i64 != op.groups {
        return None;
    }
    let kernel = image(weight.get(2..)?, 1);
    params(op, kernel, [outputs, 1, 1]).map(|params| windows(&params))
}

/// The convolution in XNNPACK's terms; `None` if weights and attributes do not agree.
pub(super) fn image_of(op: &Conv, weight: &TensorData) -> Option<Image> {
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
