//! Transposed convolutions.
//!
//! The library's function does not take groups, dilations, or further rows and columns behind. Such a convolution becomes one of
//! stride 1 with the windows turned around. It runs over the input spread out: elements lie `stride` apart, with the zero point
//! between them.

use super::conv::{Convolution, OUTPUTS_OF_TRANSPOSED, Sums, image, permuted};
use super::goal::Goal;
use super::parts::{TensorId, dims};
use super::strided::{Walk, steps_of};
use super::window::{Axis, tile, unsigned};
use super::{Lowering, Order};
use crate::dialect::{Dtype, Function, PerChannel, TransposeConv, TransposeConvParams};
use kiln_ir::graph::Node;
use kiln_ir::{TensorData, ops};
use kiln_transforms::framework::target::Reason;

/// A transposed convolution whose operands are ready.
struct Transposed {
    x: TensorId,
    axes: [Axis; 2],
    groups: usize,
    /// PyTorch's weight `[I, O / groups, H, W]`.
    weight: TensorData,
    sums: Sums,
    zero_point: i32,
    sizes: Vec<usize>,
}

impl Lowering<'_> {
    pub(super) fn transposed_conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let input = self.step(node.operands[0])?;
        let weight = image(&self.known_weight(node)?)?;
        let [groups] = unsigned([op.groups])?;
        let sizes = self.sizes(node.result(), order)?;
        let dense = rearranged(&weight, groups)?;
        let scales = self.transposed_scales(node, groups, dense.sizes()[0])?;
        let bias = node.operands.get(2).copied();
        let found = (dense, 0, scales);
        let sums = self.sums_of(node.operands[0], input, found, bias, to)?;
        let x = self.operand(node.operands[0], order)?;
        let transposed = Transposed {
            axes: self.conv_axes(x, op, weight.sizes(), &op.pad_low)?,
            x,
            groups,
            weight,
            sums,
            zero_point: input.zero_point,
            sizes,
        };
        if let Some(made) = self.by_library(&transposed, to)? {
            return Ok(made);
        }
        let strides = transposed.axes.map(|axis| axis.stride);
        let spread = self.spread(transposed.x, &strides, input.zero_point)?;
        let axes = transposed.axes.map(|axis| Axis {
            size: (axis.size - 1) * axis.stride + 1,
            stride: 1,
            pad: (axis.dilation * (axis.kernel - 1)).saturating_sub(axis.pad),
            ..axis
        });
        let is_cropped = |axis: &Axis| axis.pad > axis.dilation * (axis.kernel - 1);
        if transposed.axes.iter().any(is_cropped) {
            let rule = "a transposed convolution is cropped by less than a window";
            let pads = transposed.axes.map(|axis| axis.pad);
            return Err(Reason::new(rule, format!("{pads:?} elements are cropped")));
        }
        let conv = Convolution {
            axes,
            groups,
            sums: transposed.sums,
            input,
        };
        self.convolve(spread, &conv, &transposed.sizes, to)
    }

    /// The weight's scales by output channel. PyTorch has them along an axis of one group; they repeat for each group.
    pub(super) fn transposed_scales(
        &self,
        node: &Node,
        groups: usize,
        outputs: usize,
    ) -> Result<kiln_quantised::parameters::WeightScales, Reason> {
        let own = outputs / groups.max(1);
        let mut scales = self.weight_scales(node.operands[1], OUTPUTS_OF_TRANSPOSED, own)?;
        scales.scales = scales.scales.repeat(groups);
        Ok(scales)
    }

    /// The call of the library's function, if it takes the convolution.
    fn by_library(&mut self, of: &Transposed, to: &Goal) -> Result<Option<TensorId>, Reason> {
        let is_plain = of.groups == 1 && of.axes.iter().all(|axis| axis.dilation == 1);
        if !is_plain || self.parts.dtype(of.x) != Dtype::I8 || of.sums.zero_point != 0 {
            return Ok(None);
        }
        let quad = |sizes: &[usize]| <[usize; 4]>::try_from(sizes).unwrap_or([1; 4]);
        let [inputs, outputs, height, width] = quad(of.weight.sizes());
        let conv = TransposeConv {
            transpose_conv_params: TransposeConvParams {
                input_offset: -of.zero_point,
                output_offset: to.step.zero_point - of.sums.lift,
                stride: tile(&of.axes, |axis| axis.stride)?,
                padding: tile(&of.axes, |axis| axis.pad)?,
                padding_offsets: Default::default(),
                dilation: tile(&of.axes, |axis| axis.dilation)?,
                activation: to.range.clone(),
            },
            quant_params: PerChannel::of(&of.sums.factors),
            input_dims: dims(quad(self.parts.sizes(of.x)))?,
            filter_dims: dims([outputs, height, width, inputs])?,
            bias_dims: dims([1, 1, 1, outputs])?,
            output_dims: dims(quad(&of.sizes))?,
        };
        let weight = permuted(&of.weight, &[1, 2, 3, 0])?;
        let weight = self.parts.data("weight", &weight)?;
        let bias = self.bias(&of.sums, false, true);
        let y = self.parts.temporary(to.dtype, &of.sizes);
        let slots = [Some(of.x), Some(weight), bias, Some(y)];
        let taken = self
            .parts
            .call(Function::TransposeConvWrapperS8, conv, &slots);
        Ok(taken.is_ok().then_some(y))
    }

    /// The input spread out: its elements lie `strides` apart along the spatial axes, with the zero point between them.
    pub(super) fn spread(
        &mut self,
        x: TensorId,
        strides: &[usize],
        zero_point: i32,
    ) -> Result<TensorId, Reason> {
        if strides.iter().all(|&stride| stride == 1) {
            return Ok(x);
        }
        let own = self.parts.sizes(x).to_vec();
        let mut sizes = own.clone();
        for (size, stride) in sizes[1..].iter_mut().zip(strides) {
            *size = (*size - 1) * stride + 1;
        }
        let y = self.parts.temporary(self.parts.dtype(x), &sizes);
        self.fill(y, zero_point)?;
        let mut steps = steps_of(&sizes);
        for (step, stride) in steps[1..].iter_mut().zip(strides) {
            *step *= *stride as i64;
        }
        let walk = Walk::new(&own, [&steps_of(&own), &steps]);
        self.parts.copy(x, y, &walk)?;
        Ok(y)
    }
}

/// Turns a weight `[I, O / groups, ..]` into that of the same convolution over the spread input: `[O, I / groups, ..]`, with the
/// windows turned around.
pub(super) fn rearranged(weight: &TensorData, groups: usize) -> Result<TensorData, Reason> {
    let broken = |what: String| Reason::new("a weight can be rearranged", what);
    let [inputs, outputs, ref window @ ..] = *weight.sizes() else {
        return Err(broken("other axes".into()));
    };
    if groups == 0 || inputs % groups != 0 {
        return Err(broken(format!("{groups} groups of {inputs}")));
    }
    let own = inputs / groups;
    let (from, size) = (weight.bytes(), weight.dtype().size());
    let mut bytes = Vec::with_capacity(from.len());
    let windows: usize = window.iter().product();
    for (output, input) in (0..groups * outputs).flat_map(|o| (0..own).map(move |i| (o, i))) {
        let (group, channel) = (output / outputs, output % outputs);
        let start = ((group * own + input) * outputs + channel) * windows;
        for tap in (0..windows).rev() {
            let at = (start + tap) * size;
            bytes.extend_from_slice(&from[at..at + size]);
        }
    }
    let sizes = [&[groups * outputs, own], window].concat();
    let made = TensorData::new(weight.dtype(), sizes, bytes.into());
    made.map_err(|e| broken(e.to_string()))
}
