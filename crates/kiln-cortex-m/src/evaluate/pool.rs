//! Pools over NHWC: `arm_avgpool_*`, `arm_max_pool_*`. What lies outside of the input does not count.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::Axis;
use crate::dialect::{Function, Pool};
use kiln_quantised::average::away;

/// The averages or the greatest elements of windows, limited.
pub(super) fn pooled(function: Function, pool: &Pool, arguments: &Arguments<'_>) -> Data {
    let x = arguments.data("input_data").raised(0);
    let range = &pool.pool_params.activation;
    let is_average = matches!(function, Function::AvgpoolS8 | Function::AvgpoolS16);
    let windows = if is_average {
        each(
            pool,
            &x,
            0,
            |sum, x| sum.wrapping_add(x),
            |sum, count| away(sum, count),
        )
    } else {
        each(pool, &x, i32::MIN, i32::max, |greatest, _| greatest)
    };
    let results = windows.into_iter().map(|x| x.max(range.min).min(range.max));
    Data::narrowed(arguments.result(), results.collect())
}

/// Folds each channel of each window, a row of channels at a time.
fn each(
    pool: &Pool,
    x: &[i32],
    start: i32,
    fold: impl Fn(i32, i32) -> i32,
    last: impl Fn(i32, i32) -> i32,
) -> Vec<i32> {
    let (params, filter) = (&pool.pool_params, &pool.filter_dims);
    let [batches, in_height, in_width, channels] = pool.input_dims.sizes();
    let [_, height, width, _] = pool.output_dims.sizes();
    let axis = |input, window, stride, padding| Axis {
        input,
        window,
        stride,
        padding,
        dilation: 1,
    };
    let rows = axis(
        pool.input_dims.h,
        filter.h,
        params.stride.h,
        params.padding.h,
    );
    let columns = axis(
        pool.input_dims.w,
        filter.w,
        params.stride.w,
        params.padding.w,
    );
    let mut results = Vec::with_capacity(batches * height * width * channels);
    let mut folded = vec![start; channels];
    for (n, y, column) in
        (0..batches).flat_map(|n| (0..height).flat_map(move |y| (0..width).map(move |x| (n, y, x))))
    {
        folded.fill(start);
        let mut count = 0;
        for (_, y) in rows.taps(y) {
            for (_, column) in columns.taps(column) {
                let x = &x[((n * in_height + y) * in_width + column) * channels..][..channels];
                folded
                    .iter_mut()
                    .zip(x)
                    .for_each(|(so_far, &x)| *so_far = fold(*so_far, x));
                count += 1;
            }
        }
        results.extend(folded.iter().map(|&found| last(found, count)));
    }
    results
}
