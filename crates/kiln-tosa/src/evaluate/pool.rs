//! Pools over NHWC.

use super::elementwise::greater;
use super::numbers::Numbers;
use super::reduce::start;
use crate::dialect::{AvgPool, MaxPool, TensorType};
use kiln_eval::Tensor;
use kiln_quantised::tosa::{apply_scale_32, reciprocal_scale};

/// The position of a window in an operand.
struct Windows<'a> {
    input: &'a [usize],
    output: &'a [usize],
    kernel: [usize; 2],
    stride: [usize; 2],
    pad: [[usize; 2]; 2],
}

impl Windows<'_> {
    /// Applies a function to the operand's positions in each window, in the order of the results.
    fn each<R>(&self, mut f: impl FnMut(&[usize]) -> R) -> Vec<R> {
        let [n, oh, ow, c] = [0, 1, 2, 3].map(|i| self.output[i]);
        let mut results = Vec::with_capacity(n * oh * ow * c);
        let mut places = Vec::new();
        for (n, y, x) in
            (0..n).flat_map(|n| (0..oh).flat_map(move |y| (0..ow).map(move |x| (n, y, x))))
        {
            let (rows, columns) = (self.range(0, y), self.range(1, x));
            for channel in 0..c {
                places.clear();
                for y in rows.clone() {
                    let row = (n * self.input[1] + y) * self.input[2];
                    places.extend(columns.clone().map(|x| (row + x) * c + channel));
                }
                results.push(f(&places));
            }
        }
        results
    }

    fn range(&self, i: usize, position: usize) -> std::ops::Range<usize> {
        let first = position * self.stride[i];
        let end = (first + self.kernel[i]).saturating_sub(self.pad[i][0]);
        first.saturating_sub(self.pad[i][0])..end.min(self.input[i + 1])
    }
}

/// `AVG_POOL2D`.
pub(super) fn average(pool: &AvgPool, x: &Tensor, result: &TensorType) -> Result<Numbers, String> {
    let windows = Windows {
        input: x.sizes(),
        output: &result.shape,
        kernel: pool.kernel,
        stride: pool.stride,
        pad: pool.pad,
    };
    match Numbers::of(x) {
        Numbers::Floats(x) => Ok(Numbers::Floats(windows.each(|places| {
            let sum: f64 = places.iter().map(|&place| x[place]).sum();
            sum / places.len() as f64
        }))),
        Numbers::Ints(x) => {
            let (low, high) = result.dtype.int_range().unwrap_or((0, 0));
            let averages = windows.each(|places| {
                let values = places
                    .iter()
                    .map(|&place| x[place] - i64::from(pool.input_zp));
                let by = reciprocal_scale(places.len() as u32);
                let mean = apply_scale_32(values.sum(), by, false).map_err(|e| e.to_string())?;
                Ok::<_, String>((mean + i64::from(pool.output_zp)).clamp(low, high))
            });
            Ok(Numbers::Ints(
                averages.into_iter().collect::<Result<_, _>>()?,
            ))
        }
    }
}

/// `MAX_POOL2D`.
pub(super) fn greatest(pool: &MaxPool, x: &Tensor, result: &TensorType) -> Numbers {
    let windows = Windows {
        input: x.sizes(),
        output: &result.shape,
        kernel: pool.kernel,
        stride: pool.stride,
        pad: pool.pad,
    };
    match Numbers::of(x) {
        Numbers::Ints(x) => Numbers::Ints(windows.each(|places| {
            let least = result.dtype.int_range().map_or(0, |(low, _)| low);
            places.iter().map(|&place| x[place]).fold(least, i64::max)
        })),
        Numbers::Floats(x) => Numbers::Floats(windows.each(|places| {
            let values = places.iter().map(|&place| x[place]);
            values.fold(start(pool.nan_mode, f64::NEG_INFINITY), |a, b| {
                greater(a, b, pool.nan_mode)
            })
        })),
    }
}
