//! Strides of columns as channels.
//!
//! Columns that lie side by side are the channels of one wider column in the same memory: `[H, W, C]` is `[H, W / S, S * C]`. So
//! a convolution of stride `S` is one of stride 1 over wider columns. Its windows have fewer columns, and 0 for the weights of
//! columns that a window does not have. This is worth it for few channels, because the library copies windows tap by tap.

use super::Lowering;
use super::conv::{Convolution, Sums};
use super::goal::Goal;
use super::parts::TensorId;
use super::window::Axis;
use crate::dialect::Function;
use crate::dialect::work::Work;
use crate::linked::Linked;
use kiln_ir::TensorData;
use kiln_transforms::framework::target::Reason;

/// Wider columns are worth it where they save more than one in this many instructions.
const WORTH: u64 = 32;

impl Lowering<'_> {
    /// A convolution of 8-bit integers. Its strides become channels where that takes less work.
    pub(super) fn dense_s8(
        &mut self,
        x: TensorId,
        y: TensorId,
        conv: &Convolution,
        to: &Goal,
    ) -> Result<(), Reason> {
        if let Some((wide, folded)) = self.folded(x, conv) {
            let work = |lowering: &Self, x: TensorId, conv: &Convolution| -> Result<u64, Reason> {
                let of = lowering.conv_struct(x, y, conv, to)?;
                let work = Work::of_conv(&of, Function::ConvolveS8, lowering.parts.build());
                Ok(work.of_all())
            };
            let (before, after) = (work(self, x, conv)?, work(self, wide, &folded)?);
            if after + after / WORTH < before {
                return self.dense(wide, y, &folded, to);
            }
        }
        self.dense(x, y, conv, to)
    }

    /// The image with wider columns, and the convolution over it. `None` if the stride is 1, or if the width is no multiple of
    /// it.
    fn folded(&mut self, x: TensorId, conv: &Convolution) -> Option<(TensorId, Convolution)> {
        let axis = conv.axes[1];
        let &[batches, height, width, channels] = self.parts.sizes(x) else {
            return None;
        };
        let stride = axis.stride;
        let is_plain =
            conv.groups == 1 && axis.dilation == 1 && axis.kernel > 1 && !conv.sums.is_narrow;
        let divides = stride > 1 && width % stride == 0;
        if !is_plain || !divides || self.parts.linked() != Linked::Project {
            return None;
        }
        let wide = widened_axis(axis);
        let sums = Sums {
            weight: widened(&conv.sums.weight, axis, wide)?,
            ..conv.sums.clone()
        };
        let sizes = [batches, height, wide.size, stride * channels];
        let x = self.parts.view(x, &sizes);
        Some((
            x,
            Convolution {
                axes: [conv.axes[0], wide],
                groups: 1,
                sums,
                input: conv.input,
            },
        ))
    }
}

/// The axis of the wider columns.
fn widened_axis(axis: Axis) -> Axis {
    let pad = axis.pad.div_ceil(axis.stride);
    let behind = (axis.kernel - 1).saturating_sub(axis.pad) / axis.stride;
    Axis {
        size: axis.size / axis.stride,
        kernel: pad + behind + 1,
        stride: 1,
        dilation: 1,
        pad,
    }
}

/// The weights `[O, I, H, W]` for wider columns. The channels of a wider column are those of its columns, one after the other.
fn widened(weight: &TensorData, axis: Axis, wide: Axis) -> Option<TensorData> {
    let &[outputs, inputs, height, width] = weight.sizes() else {
        return None;
    };
    let from = weight.bytes();
    if from.len() != outputs * inputs * height * width {
        return None;
    }
    let channels = axis.stride * inputs;
    let mut to = vec![0u8; outputs * channels * height * wide.kernel];
    for (place, &byte) in from.iter().enumerate() {
        let (column, rest) = (place % width, place / width);
        let (row, rest) = (rest % height, rest / height);
        let (input, output) = (rest % inputs, rest / inputs);
        let column = column + wide.pad * axis.stride - axis.pad;
        let channel = column % axis.stride * inputs + input;
        to[((output * channels + channel) * height + row) * wide.kernel + column / axis.stride] =
            byte;
    }
    let sizes = vec![outputs, channels, height, wide.kernel];
    TensorData::new(weight.dtype(), sizes, to.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use kiln_ir::DType;

    /// Sums of a row: the pixels `[W, C]`, the weights `[O, C, 1, K]`.
    fn sums(
        pixels: &[i64],
        channels: usize,
        weight: &TensorData,
        axis: Axis,
        count: usize,
    ) -> Vec<i64> {
        let &[outputs, inputs, _, width] = weight.sizes() else {
            unreachable!("a weight has four axes")
        };
        assert_eq!((inputs, width), (channels, axis.kernel));
        let weights: Vec<i64> = weight.scalars().map(|w| w.as_i64()).collect();
        let mut found = Vec::new();
        for place in 0..count {
            for output in 0..outputs {
                let of = |tap: usize, channel: usize| {
                    let column = (place * axis.stride + tap).checked_sub(axis.pad)?;
                    let pixel = pixels.get(column * channels + channel)?;
                    Some(pixel * weights[(output * inputs + channel) * width + tap])
                };
                let taps = (0..width).flat_map(|tap| (0..channels).map(move |c| (tap, c)));
                found.push(taps.filter_map(|(tap, c)| of(tap, c)).sum());
            }
        }
        found
    }

    /// Wider columns with wider weights give the same sums, for windows, strides and paddings of all kinds.
    #[test]
    fn sums_are_the_same() {
        let mut compared = 0;
        for (kernel, stride, pad) in
            (2..6).flat_map(|k| (2..4).flat_map(move |s| (0..k).map(move |p| (k, s, p))))
        {
            let (channels, outputs, width) = (3, 2, 12);
            let axis = Axis {
                size: width,
                kernel,
                stride,
                dilation: 1,
                pad,
            };
            let pixels: Vec<i64> = (0..width * channels)
                .map(|i| (i * 37 % 101) as i64 - 50)
                .collect();
            let bytes: Vec<u8> = (0..outputs * channels * kernel)
                .map(|i| (i * 53 % 256) as u8)
                .collect();
            let weight = TensorData::new(
                DType::I8,
                vec![outputs, channels, 1, kernel],
                Bytes::from(bytes),
            );
            let weight = weight.expect("as many bytes");
            let count = (width + 2 * pad - kernel) / stride + 1;
            let wide = widened_axis(axis);
            let wider = widened(&weight, axis, wide).expect("a weight of four axes");
            assert_eq!(
                sums(&pixels, channels, &weight, axis, count),
                sums(&pixels, stride * channels, &wider, wide, count),
                "{axis:?}"
            );
            compared += count;
        }
        assert!(compared > 100, "{compared}");
    }
}
