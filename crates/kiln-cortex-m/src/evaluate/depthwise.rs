//! Depthwise convolutions: `arm_depthwise_conv_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Axis, Stage};
use crate::dialect::{Depthwise, Dtype};

/// Accumulators by channel, for a row of channels at a time. With 16-bit inputs they have 64 bits.
pub(super) fn convolved(conv: &Depthwise, arguments: &Arguments<'_>) -> Data {
    let input = arguments.data("input_data");
    let x = input.raised(conv.dw_conv_params.input_offset);
    let w = arguments.data("filter_data").raised(0);
    let stage = Stage::new(
        &conv.quant_params.multiplier,
        &conv.quant_params.shift,
        conv.dw_conv_params.output_offset,
        &conv.dw_conv_params.activation,
    );
    let results = match input.dtype() {
        Dtype::I16 => {
            let bias = arguments.i64("bias_data");
            let add = |sum: &mut i64, x: i32, w: i32| *sum += i64::from(x) * i64::from(w);
            each(conv, &x, &w, bias, add, |channel, sum| {
                stage.of_wide(channel, sum)
            })
        }
        _ => {
            let bias = arguments.i32("bias_data");
            let add = |sum: &mut i32, x: i32, w: i32| *sum = sum.wrapping_add(x.wrapping_mul(w));
            each(conv, &x, &w, bias, add, |channel, sum| {
                stage.of(channel, sum)
            })
        }
    };
    Data::narrowed(arguments.result(), results)
}

fn each<S: Copy + Default>(
    conv: &Depthwise,
    x: &[i32],
    w: &[i32],
    bias: Option<&[S]>,
    add: impl Fn(&mut S, i32, i32),
    last: impl Fn(usize, S) -> i32,
) -> Vec<i32> {
    let (params, filter) = (&conv.dw_conv_params, &conv.filter_dims);
    let [_, in_height, in_width, in_channels] = conv.input_dims.sizes();
    let [batches, height, width, channels] = conv.output_dims.sizes();
    let rows = Axis {
        input: conv.input_dims.h,
        window: filter.h,
        stride: params.stride.h,
        padding: params.padding.h,
        dilation: params.dilation.h,
    };
    let columns = Axis {
        input: conv.input_dims.w,
        window: filter.w,
        stride: params.stride.w,
        padding: params.padding.w,
        dilation: params.dilation.w,
    };
    let (multiple, window) = (channels / in_channels, filter.sizes()[2]);
    let mut results = Vec::with_capacity(batches * height * width * channels);
    let mut sums = vec![S::default(); channels];
    for (batch, y, column) in
        (0..batches).flat_map(|n| (0..height).flat_map(move |y| (0..width).map(move |x| (n, y, x))))
    {
        match bias {
            Some(bias) => sums.copy_from_slice(bias),
            None => sums.fill(S::default()),
        }
        for (tap_y, in_y) in rows.taps(y) {
            for (tap_x, in_x) in columns.taps(column) {
                let x = &x[((batch * in_height + in_y) * in_width + in_x) * in_channels..]
                    [..in_channels];
                let w = &w[(tap_y * window + tap_x) * channels..][..channels];
                for (channel, (sum, &w)) in sums.iter_mut().zip(w).enumerate() {
                    add(sum, x[channel / multiple], w);
                }
            }
        }
        results.extend(
            sums.iter()
                .enumerate()
                .map(|(channel, &sum)| last(channel, sum)),
        );
    }
    results
}
