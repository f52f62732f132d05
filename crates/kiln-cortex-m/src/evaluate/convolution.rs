//! Convolutions: all functions `arm_convolve_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Axis, Stage, dot, dot_wide};
use crate::dialect::{Conv, Dtype};

/// The places of windows.
struct Windows {
    rows: Axis,
    columns: Axis,
    /// The elements of a row of the input, and the channels of a group.
    pitch: usize,
    group: usize,
    channels: usize,
}

impl Windows {
    fn of(conv: &Conv) -> Windows {
        let (params, input, filter) = (&conv.conv_params, &conv.input_dims, &conv.filter_dims);
        let [_, _, width, channels] = input.sizes();
        Windows {
            rows: Axis {
                input: input.h,
                window: filter.h,
                stride: params.stride.h,
                padding: params.padding.h,
                dilation: params.dilation.h,
            },
            columns: Axis {
                input: input.w,
                window: filter.w,
                stride: params.stride.w,
                padding: params.padding.w,
                dilation: params.dilation.w,
            },
            pitch: width * channels,
            group: filter.sizes()[3],
            channels,
        }
    }

    /// The places of the elements of the window at a position: in an image of the input, and in a channel of the filter.
    fn places(&self, position: [usize; 2], window: usize) -> Vec<(usize, usize)> {
        let [y, x] = position;
        let rows = self.rows.taps(y).flat_map(|(tap_y, y)| {
            let columns = self.columns.taps(x);
            columns.map(move |(tap_x, x)| {
                (
                    y * self.pitch + x * self.channels,
                    (tap_y * window + tap_x) * self.group,
                )
            })
        });
        rows.collect()
    }
}

/// The accumulator `sum(x * w)` plus the bias, by output channel. With 16-bit inputs and a 64-bit bias it has 64 bits.
pub(super) fn convolved(conv: &Conv, arguments: &Arguments<'_>) -> Data {
    let input = arguments.data("input_data");
    let x = input.raised(conv.conv_params.input_offset);
    let w = arguments.data("filter_data").raised(0);
    let stage = Stage::new(
        &conv.quant_params.multiplier,
        &conv.quant_params.shift,
        conv.conv_params.output_offset,
        &conv.conv_params.activation,
    );
    let is_wide = conv
        .bias_data
        .as_ref()
        .is_some_and(|bias| !bias.is_int32_bias);
    let (x, w) = (x.as_slice(), w.as_slice());
    let results = match (input.dtype(), is_wide) {
        (Dtype::I16, true) => {
            let bias = arguments.i64("bias_data.data");
            each(conv, |channel, places, group| {
                let sum: i64 = places
                    .iter()
                    .map(|&(at_x, at_w)| dot_wide(&x[at_x..][..group], &w[at_w..][..group]))
                    .sum();
                stage.of_wide(channel, sum + bias.map_or(0, |bias| bias[channel]))
            })
        }
        (dtype, _) => {
            let name = if dtype == Dtype::I16 {
                "bias_data.data"
            } else {
                "bias_data"
            };
            let bias = arguments.i32(name);
            each(conv, |channel, places, group| {
                let first = bias.map_or(0, |bias| bias[channel]);
                let sums = places
                    .iter()
                    .map(|&(at_x, at_w)| dot(&x[at_x..][..group], &w[at_w..][..group]));
                stage.of(channel, sums.fold(first, i32::wrapping_add))
            })
        }
    };
    Data::narrowed(arguments.result(), results)
}

/// Calls a function for each output channel of each window, with the places of the window's elements, in the order of the
/// results.
fn each(conv: &Conv, mut f: impl FnMut(usize, &[(usize, usize)], usize) -> i32) -> Vec<i32> {
    let windows = Windows::of(conv);
    let [batches, height, width, channels] = conv.output_dims.sizes();
    let image = windows.pitch * conv.input_dims.sizes()[1];
    let filter_width = conv.filter_dims.sizes()[2];
    let filter = conv.filter_dims.sizes()[1..].iter().product::<usize>();
    let groups = windows.channels / windows.group;
    let mut results = Vec::with_capacity(batches * height * width * channels);
    let mut moved = Vec::new();
    for batch in 0..batches {
        for position in (0..height).flat_map(|y| (0..width).map(move |x| [y, x])) {
            let places = windows.places(position, filter_width);
            for channel in 0..channels {
                let group = channel / (channels / groups);
                let (first_x, first_w) = (batch * image + group * windows.group, channel * filter);
                moved.clear();
                moved.extend(
                    places
                        .iter()
                        .map(|(at_x, at_w)| (first_x + at_x, first_w + at_w)),
                );
                results.push(f(channel, &moved, windows.group));
            }
        }
    }
    results
}
