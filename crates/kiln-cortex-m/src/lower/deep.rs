//! Convolutions with three spatial axes. The taps along the depth become channels, so that a convolution of images is left.

use super::conv::{Convolution, OUTPUTS, Sums, permuted};
use super::goal::Goal;
use super::parts::TensorId;
use super::strided::{Walk, steps_of};
use super::transposed::rearranged;
use super::window::{Axis, unsigned};
use super::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::{Scalar, ops};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(super) fn deep_conv(
        &mut self,
        node: &Node,
        op: &ops::Conv,
        to: &Goal,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let input = self.step(node.operands[0])?;
        let data = self.known_weight(node)?;
        let [groups] = unsigned([op.groups])?;
        let data = match op.transposed {
            true => rearranged(&data, groups)?,
            false => data,
        };
        let outputs = data.sizes()[OUTPUTS];
        let scales = match op.transposed {
            true => self.transposed_scales(node, groups, outputs)?,
            false => self.weight_scales(node.operands[1], OUTPUTS, outputs)?,
        };
        let mut x = self.operand(node.operands[0], order)?;
        if op.transposed {
            let strides = unsigned([op.stride[0], op.stride[1], op.stride[2]])?;
            x = self.spread(x, &strides, input.zero_point)?;
        }
        let [depth, high, wide] = self.deep_axes(x, op, data.sizes())?;
        let result = self.sizes(node.result(), order)?;
        let image = self.depth_as_channels(x, depth, result[1], groups, input.zero_point)?;
        // A group has the channels of its first tap, then those of its second.
        let [_, inputs, taps, height, width] = *data.sizes() else {
            return Err(Reason::new("a weight has five axes", "others"));
        };
        let weight = permuted(&data, &[0, 2, 1, 3, 4])?;
        let weight = weight.reshaped(vec![outputs, taps * inputs, height, width]);
        let weight = weight.map_err(|e| Reason::new("a weight has its sizes", e.to_string()))?;
        let bias = node.operands.get(2).copied();
        let found = (weight, OUTPUTS, scales);
        let sums: Sums = self.sums_of(node.operands[0], input, found, bias, to)?;
        let conv = Convolution {
            axes: [high, wide],
            groups,
            sums,
            input,
        };
        let sizes = [result[0] * result[1], result[2], result[3], result[4]];
        let made = self.convolve(image, &conv, &sizes, to)?;
        Ok(self.parts.view(made, &result))
    }

    /// Depth, height and width of the windows. A transposed convolution is one of stride 1 over its spread input.
    fn deep_axes(
        &self,
        x: TensorId,
        op: &ops::Conv,
        weight: &[usize],
    ) -> Result<[Axis; 3], Reason> {
        let mut axes = [Axis::UNIT; 3];
        for (i, axis) in axes.iter_mut().enumerate() {
            let sizes = [self.parts.sizes(x)[i + 1], weight[i + 2]];
            let own = Axis::of(sizes, [op.stride[i], op.dilation[i], op.pad_low[i]])?;
            let around = own.dilation * (own.kernel - 1);
            if op.transposed && own.pad > around {
                let rule = "a transposed convolution is cropped by less than a window";
                let found = format!("{} elements are cropped of {around}", own.pad);
                return Err(Reason::new(rule, found));
            }
            let own = match op.transposed {
                true => Axis {
                    stride: 1,
                    pad: around - own.pad,
                    ..own
                },
                false => own,
            };
            *axis = own.simplified();
        }
        Ok(axes)
    }

    /// One image for each window along the depth. Its channels are those of all taps of the window.
    fn depth_as_channels(
        &mut self,
        x: TensorId,
        depth: Axis,
        windows: usize,
        groups: usize,
        zero_point: i32,
    ) -> Result<TensorId, Reason> {
        let &[batches, size, height, width, channels] = self.parts.sizes(x) else {
            return Err(Reason::new("a volume has five axes", "others"));
        };
        let (area, own) = (height * width, channels / groups.max(1));
        let sizes = [batches * windows, height, width, depth.kernel * channels];
        if depth.kernel == 1 && depth.stride == 1 && depth.pad == 0 && windows == size {
            return Ok(self.parts.view(x, &sizes));
        }
        let y = self.parts.temporary(self.parts.dtype(x), &sizes);
        let taps: Vec<(i64, i64)> = (0..depth.kernel)
            .map(|tap| depth.covered(tap, windows))
            .collect();
        if taps.iter().any(|&taken| taken != (0, windows as i64)) {
            self.fill(y, zero_point)?;
        }
        let from = steps_of(&[batches, size, area, groups, own]);
        let mut to = steps_of(&[batches, windows, area, groups, depth.kernel, own]);
        let of_tap = to.remove(4);
        for (tap, (first, end)) in taps.into_iter().enumerate().filter(|(_, (a, b))| a < b) {
            let mut steps = from.clone();
            steps[1] *= depth.stride as i64;
            let place = first * depth.stride as i64 + (tap * depth.dilation) as i64;
            let firsts = [
                (place - depth.pad as i64) * from[1],
                first * to[1] + tap as i64 * of_tap,
            ];
            let walked = [batches, (end - first) as usize, area, groups, own];
            self.parts
                .copy(x, y, &Walk::new(&walked, [&steps, &to]).from(firsts))?;
        }
        Ok(y)
    }

    /// Fills a tensor with one integer.
    pub(super) fn fill(&mut self, y: TensorId, integer: i32) -> Result<(), Reason> {
        let value = self.number(self.parts.dtype(y), Scalar::Int(integer.into()))?;
        let elements = [self.parts.elements(y)];
        self.parts
            .copy(value, y, &Walk::new(&elements, [&[0], &[1]]))
    }
}

impl Axis {
    /// The windows whose tap lies in the input, as the first of them and the one behind the last. Both are equal if there is
    /// none.
    pub(super) fn covered(&self, tap: usize, windows: usize) -> (i64, i64) {
        let (stride, behind) = (
            self.stride as i64,
            self.pad as i64 - (tap * self.dilation) as i64,
        );
        let first = (behind + stride - 1).div_euclid(stride).max(0);
        let last = (self.size as i64 - 1 + behind).div_euclid(stride);
        // Windows that all lie in the padding begin behind the last one.
        (first, (last + 1).min(windows as i64).max(first))
    }
}
