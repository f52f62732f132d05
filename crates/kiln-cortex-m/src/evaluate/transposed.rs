//! Transposed convolutions: `arm_transpose_conv_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::{Stage, dot};
use crate::dialect::TransposeConv;

/// Accumulators begin with the bias. Each element of the input adds its window to them.
pub(super) fn convolved(conv: &TransposeConv, arguments: &Arguments<'_>) -> Data {
    let params = &conv.transpose_conv_params;
    let x = arguments.data("input_data").raised(params.input_offset);
    let w = arguments.data("filter_data").raised(0);
    let stage = Stage::new(
        &conv.quant_params.multiplier,
        &conv.quant_params.shift,
        params.output_offset,
        &params.activation,
    );
    let [batches, in_height, in_width, inputs] = conv.input_dims.sizes();
    let [_, height, width, outputs] = conv.output_dims.sizes();
    let [_, filter_height, filter_width, _] = conv.filter_dims.sizes();
    let filter = filter_height * filter_width * inputs;
    let mut sums = vec![0i32; conv.output_dims.elements()];
    if let Some(bias) = arguments.i32("bias_data") {
        sums.chunks_exact_mut(outputs)
            .for_each(|sums| sums.copy_from_slice(bias));
    }
    let rows = |y| shifted(y, params.stride.h, params.padding.h, filter_height, height);
    let columns = |x| shifted(x, params.stride.w, params.padding.w, filter_width, width);
    for (n, y, column) in (0..batches)
        .flat_map(|n| (0..in_height).flat_map(move |y| (0..in_width).map(move |x| (n, y, x))))
    {
        let x = &x[((n * in_height + y) * in_width + column) * inputs..][..inputs];
        for (tap_y, out_y) in rows(y) {
            for (tap_x, out_x) in columns(column) {
                let first = ((n * height + out_y) * width + out_x) * outputs;
                for (channel, sum) in sums[first..][..outputs].iter_mut().enumerate() {
                    let at = channel * filter + (tap_y * filter_width + tap_x) * inputs;
                    *sum = sum.wrapping_add(dot(x, &w[at..][..inputs]));
                }
            }
        }
    }
    let results = sums
        .into_iter()
        .enumerate()
        .map(|(i, sum)| stage.of(i % outputs, sum));
    Data::narrowed(arguments.result(), results.collect())
}

/// The pairs of places for an element of the input: in the window, and in the output.
fn shifted(
    position: usize,
    stride: i32,
    padding: i32,
    window: usize,
    output: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let first = position as i64 * i64::from(stride) - i64::from(padding);
    let all = (0..window).map(move |tap| (tap, first + tap as i64));
    all.filter(move |(_, place)| (0..output as i64).contains(place))
        .map(|(tap, place)| (tap, place as usize))
}
