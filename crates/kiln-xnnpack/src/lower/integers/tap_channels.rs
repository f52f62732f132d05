//! Windows of integers over each channel by itself, with more taps than the library's depthwise kernels have.
//!
//! The library computes such a window in its kernel for any convolution, with a group for each channel. There a tap of one channel takes as
//! long as one of eight channels. So neighbours along an axis become the channels of a group: a window of 7x7 is one of 1x7 over
//! `[x[h], .., x[h + 6]]`, and one of 31 taps is one of 4 taps, 8 apart. The sums are the same integers.

use super::super::columns::BLOCK;
use super::super::pool::Window;
use super::super::product::{Image, windows};
use super::super::slices::{Pads, Range};
use super::super::window::padding;
use super::super::{Lowering, Problem};
use crate::payload::{ConvKind, ConvParams, ValueId as Tensor};
use kiln_ir::{Dim, TensorData};

/// How the taps along an axis of an image become channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TapChannels {
    /// 0 for rows, 1 for columns.
    axis: usize,
    /// The taps that become channels of a group.
    channels: u32,
    before: Window,
    /// The window that is left, over an image that is padded along the axis.
    after: Window,
    /// The padding of the axis, with places that only taps of weight 0 read.
    pads: [u32; 2],
}

/// The most places that are added to an axis, and that a window reaches.
const MOST_ADDED: u32 = 1 << 12;

impl TapChannels {
    /// The way of least work, and of the fewest channels among such. `None` if the window reaches too far.
    pub(super) fn of(windows: [Window; 2]) -> Option<TapChannels> {
        let ways = [0, 1].into_iter().filter_map(|axis| {
            let work = u64::from(windows[1 - axis].kernel);
            let way = TapChannels::along(axis, windows[axis])?;
            Some((work * u64::from(way.after.kernel), way))
        });
        let least = ways.min_by_key(|(work, way)| (*work, way.channels));
        least.map(|(_, way)| way)
    }

    /// The places of the tensor in which taps are channels, for so many images of that height and width. `None` if they are beyond numbers.
    pub(super) fn places(&self, images: i64, sizes: [i64; 2]) -> Option<i64> {
        let added = i64::from(self.pads[0]) + i64::from(self.pads[1]);
        let reach = i64::from(self.channels - 1) * i64::from(self.before.dilation);
        let left = sizes[self.axis].checked_add(added - reach)?;
        let all = images.checked_mul(sizes[1 - self.axis])?;
        all.checked_mul(left)
    }

    fn along(axis: usize, before: Window) -> Option<TapChannels> {
        let steps = before.kernel.div_ceil(BLOCK as u32).max(1);
        let channels = before.kernel.div_ceil(steps).max(1);
        let after = Window {
            kernel: steps,
            low: 0,
            high: 0,
            dilation: before.dilation.checked_mul(channels)?,
            stride: before.stride,
        };
        let added = (steps * channels - before.kernel).checked_mul(before.dilation)?;
        let pads = [before.low, before.high.checked_add(added)?];
        let reach = after.dilation.checked_mul(steps)?;
        let is_near = [pads[0], pads[1], reach].iter().all(|&n| n < MOST_ADDED);
        is_near.then_some(TapChannels {
            axis,
            channels,
            before,
            after,
            pads,
        })
    }

    /// The step and the channel of a tap.
    fn place(&self, tap: usize) -> (usize, usize) {
        let channels = self.channels as usize;
        (tap / channels, tap % channels)
    }

    /// The weights `[outputs, height, width, channels]` of weights `[1, height, width, outputs]` of bytes.
    fn filter(&self, filter: &TensorData) -> Option<TensorData> {
        let [1, height, width, outputs] = *filter.sizes() else {
            return None;
        };
        let mut kernel = [height, width];
        kernel[self.axis] = self.after.kernel as usize;
        let channels = self.channels as usize;
        let of_output = kernel[0] * kernel[1] * channels;
        let mut bytes = vec![0; outputs * of_output];
        for (tap, weights) in filter.bytes().chunks_exact(outputs.max(1)).enumerate() {
            let mut at = [tap / width, tap % width];
            let (step, channel) = self.place(at[self.axis]);
            at[self.axis] = step;
            let to = (at[0] * kernel[1] + at[1]) * channels + channel;
            for (output, weight) in weights.iter().enumerate() {
                bytes[output * of_output + to] = *weight;
            }
        }
        let sizes = vec![outputs, kernel[0], kernel[1], channels];
        TensorData::new(filter.dtype(), sizes, bytes.into()).ok()
    }

    fn params(&self, params: &ConvParams) -> ConvParams {
        let mut windows = windows(params);
        windows[self.axis] = self.after;
        ConvParams {
            padding: padding(windows),
            kernel: windows.map(|w| w.kernel),
            stride: windows.map(|w| w.stride),
            dilation: windows.map(|w| w.dilation),
            group_input_channels: self.channels,
            ..*params
        }
    }
}

impl Lowering<'_> {
    /// The image in which to convolve, and the convolution, with taps as channels.
    ///
    /// The weights are integers about 0.
    ///
    /// # Errors
    /// If the window reaches too far, or the size of the axis is not known.
    pub(super) fn in_tap_channels(
        &mut self,
        input: Tensor,
        image: &Image,
    ) -> Result<(Tensor, Image), Problem> {
        let way = TapChannels::of(windows(&image.params)).ok_or("a window that reaches far")?;
        let filter = way.filter(&image.filter);
        let filter = filter.ok_or("weights of other sizes than the window's")?;
        let (dim, pads) = (1 + way.axis, way.pads);
        let padded = self.tensors.padded(input, &[Pads { dim, pads }]);
        let size = self.tensors.dims(padded)[dim].as_const();
        let size = size.ok_or("a window of many taps over an unknown size")?;
        let apart = i64::from(way.before.dilation);
        let len = size - i64::from(way.channels - 1) * apart;
        let mut parts = Vec::with_capacity(way.channels as usize);
        for channel in 0..way.channels {
            let start = i64::from(channel) * apart;
            let part = self.tensors.sliced(padded, &[Range { dim, start, len }]);
            let dims = [&[1.into()], self.tensors.dims(part)].concat();
            parts.push(self.tensors.reshape(part, &dims));
        }
        let image = Image {
            kind: ConvKind::Conv2d,
            params: way.params(&image.params),
            filter,
        };
        Ok((self.innermost(&parts), image))
    }

    /// Joins parts `[1, n, h, w, c]` to `[n, h, w, c * parts]`. A transpose of a matrix does that faster than a join of single elements.
    fn innermost(&mut self, parts: &[Tensor]) -> Tensor {
        let joined = self.tensors.join(parts, 0);
        let dims = self.tensors.dims(joined).to_vec();
        let places: Dim = dims[1..].iter().cloned().product();
        let matrix = self.tensors.reshape(joined, &[dims[0].clone(), places]);
        let turned = self.tensors.transpose(matrix, &[1, 0]);
        let mut to = dims[1..].to_vec();
        to[3] = to[3].clone() * dims[0].clone();
        self.tensors.reshape(turned, &to)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use proptest::prelude::*;

    fn window(kernel: u32, stride: u32, low: u32, high: u32, dilation: u32) -> Window {
        Window {
            kernel,
            stride,
            low,
            high,
            dilation,
        }
    }

    #[test]
    fn as_many_taps_as_a_kernel_takes_channels() {
        let of = |kernel: [u32; 2]| {
            let way = TapChannels::of(kernel.map(|k| window(k, 1, 0, 0, 2))).unwrap();
            (way.axis, way.channels, way.after.kernel, way.after.dilation)
        };
        assert_eq!(of([7, 7]), (0, 7, 1, 14));
        assert_eq!(of([31, 1]), (0, 8, 4, 16));
        assert_eq!(of([1, 31]), (1, 8, 4, 16));
        assert_eq!(of([3, 9]), (1, 5, 2, 10));
        assert_eq!(of([9, 3]), (0, 5, 2, 10));
        assert_eq!(of([9, 17]), (1, 6, 3, 12));
        let far = window(31, 1, 0, 0, 1 << 22);
        assert_eq!(TapChannels::of([far; 2]), None);
    }

    proptest! {
        /// Each output reads what it read before, and nothing else but by taps of weight 0.
        #[test]
        fn windows_read_the_same(
            kernel in 1u32..40, stride in 1u32..4, low in 0u32..9, high in 0u32..9, dilation in 1u32..4, size in 1u32..90,
        ) {
            let before = window(kernel, stride, low, high, dilation);
            prop_assume!(size + low + high > (kernel - 1) * dilation);
            let way = TapChannels::along(0, before).unwrap();
            let outputs = (size + low + high - (kernel - 1) * dilation - 1) / stride + 1;
            let padded = size + way.pads[0] + way.pads[1];
            let left = padded - (way.channels - 1) * dilation;
            let after = way.after;
            prop_assert_eq!((left - (after.kernel - 1) * after.dilation - 1) / stride + 1, outputs);
            prop_assert_eq!(way.pads[0], low);
            prop_assert_eq!(way.places(2, [size.into(), 3]), Some(6 * i64::from(left)));
            for tap in 0..kernel {
                let (step, channel) = way.place(tap as usize);
                prop_assert!(step < after.kernel as usize && channel < way.channels as usize);
                prop_assert_eq!(step as u32 * after.dilation + channel as u32 * dilation, tap * dilation);
            }
        }
    }
}
