//! Pools over NHWC: `arm_avgpool_*`, `arm_max_pool_*`, `kiln_avg_pool_*`, `kiln_max_pool_*`. Elements outside of the input add
//! nothing.

use super::arguments::Arguments;
use super::data::Data;
use super::stage::Axis;
use crate::dialect::{
    Activation, CountedPool, DilatedPool, Dims, Function, Pool, PoolParams, Tile,
};
use kiln_quantised::average::away;
use std::cmp::Ordering;

/// The windows of a pool.
struct Windows<'p> {
    rows: Axis,
    columns: Axis,
    input: &'p Dims,
    output: &'p Dims,
}

/// The numbers of elements of a window: in the input, and in the input with its padding, which is as wide behind as in front.
struct Counts {
    inside: i32,
    padded: i32,
}

impl<'p> Windows<'p> {
    fn new(
        params: &PoolParams,
        dilation: &Tile,
        filter: &Dims,
        input: &'p Dims,
        output: &'p Dims,
    ) -> Windows<'p> {
        let axis = |input, window, stride, padding, dilation| Axis {
            input,
            window,
            stride,
            padding,
            dilation,
        };
        let (stride, padding) = (&params.stride, &params.padding);
        Windows {
            rows: axis(input.h, filter.h, stride.h, padding.h, dilation.h),
            columns: axis(input.w, filter.w, stride.w, padding.w, dilation.w),
            input,
            output,
        }
    }

    /// Folds each channel of each window, a row of channels at a time.
    fn each<T: Copy>(
        &self,
        x: &[i32],
        start: T,
        fold: impl Fn(T, i32) -> T,
        last: impl Fn(T, &Counts) -> i32,
    ) -> Vec<i32> {
        let [batches, in_height, in_width, channels] = self.input.sizes();
        let [_, height, width, _] = self.output.sizes();
        let mut results = Vec::with_capacity(batches * height * width * channels);
        let mut folded = vec![start; channels];
        for (n, y, column) in (0..batches)
            .flat_map(|n| (0..height).flat_map(move |y| (0..width).map(move |x| (n, y, x))))
        {
            folded.fill(start);
            let padded = self.rows.padded(y) * self.columns.padded(column);
            let mut counts = Counts { inside: 0, padded };
            for (_, y) in self.rows.taps(y) {
                for (_, column) in self.columns.taps(column) {
                    let x = &x[((n * in_height + y) * in_width + column) * channels..][..channels];
                    let pairs = folded.iter_mut().zip(x);
                    pairs.for_each(|(so_far, &x)| *so_far = fold(*so_far, x));
                    counts.inside += 1;
                }
            }
            results.extend(folded.iter().map(|&found| last(found, &counts)));
        }
        results
    }
}

impl Axis {
    /// How many elements of the window at `position` lie in the input or its padding.
    fn padded(self, position: usize) -> i32 {
        let first = position as i64 * i64::from(self.stride) - i64::from(self.padding);
        let end = i64::from(self.input) + i64::from(self.padding);
        (end - first).clamp(0, self.window.into()) as i32
    }
}

/// The results, clamped, as elements of the result's type.
fn limited(results: Vec<i32>, range: &Activation, arguments: &Arguments<'_>) -> Data {
    let limited = results.into_iter().map(|x| x.max(range.min).min(range.max));
    Data::narrowed(arguments.result(), limited.collect())
}

const CLOSE: Tile = Tile { w: 1, h: 1 };

/// The averages or the greatest elements of windows.
pub(super) fn pooled(function: Function, pool: &Pool, arguments: &Arguments<'_>) -> Data {
    let x = arguments.data("input_data").raised(0);
    let windows = Windows::new(
        &pool.pool_params,
        &CLOSE,
        &pool.filter_dims,
        &pool.input_dims,
        &pool.output_dims,
    );
    let is_average = matches!(function, Function::AvgpoolS8 | Function::AvgpoolS16);
    let results = if is_average {
        windows.each(&x, 0, i32::wrapping_add, |sum, counts| {
            away(sum, counts.inside)
        })
    } else {
        windows.each(&x, i32::MIN, i32::max, |greatest, _| greatest)
    };
    limited(results, &pool.pool_params.activation, arguments)
}

/// Averages of the distances from the zero point, halves as floats have them.
pub(super) fn counted(pool: &CountedPool, arguments: &Arguments<'_>) -> Data {
    let average = &pool.average;
    let x = arguments.data("input").raised(-average.zero_point);
    let windows = Windows::new(
        &pool.params,
        &CLOSE,
        &pool.filter_dims,
        &pool.input_dims,
        &pool.output_dims,
    );
    // The sum of the integers, and that of the reals in floats.
    let fold =
        |(sum, real): (i32, f32), x: i32| (sum.wrapping_add(x), real + x as f32 * average.scale);
    let results = windows.each(&x, (0, 0.0), fold, |(sum, real), counts| {
        let divisor = match average.divisor {
            0 if average.padding_counts => counts.padded,
            0 => counts.inside,
            divisor => divisor,
        };
        let steps = || real / divisor as f32 * average.inverse;
        rounded(sum, divisor, steps) + average.zero_point
    });
    limited(results, &pool.params.activation, arguments)
}

/// `sum / count`, halves to the integer that is nearest to the quotient in floats, of two such to the even one.
pub(super) fn rounded(sum: i32, count: i32, real: impl FnOnce() -> f32) -> i32 {
    let (whole, twice) = (sum.div_euclid(count), 2 * i64::from(sum.rem_euclid(count)));
    let is_up = match twice.cmp(&count.into()) {
        Ordering::Less => false,
        Ordering::Equal => real().round_ties_even() > whole as f32,
        Ordering::Greater => true,
    };
    whole + i32::from(is_up)
}

/// The greatest elements of dilated windows. A window without elements gives the least integer of the range.
pub(super) fn dilated(pool: &DilatedPool, arguments: &Arguments<'_>) -> Data {
    let x = arguments.data("input").raised(0);
    let windows = Windows::new(
        &pool.params,
        &pool.dilation,
        &pool.filter_dims,
        &pool.input_dims,
        &pool.output_dims,
    );
    let results = windows.each(&x, i32::MIN, i32::max, |greatest, _| greatest);
    limited(results, &pool.params.activation, arguments)
}
