//! Functions along the middle axis of `[outer][n][inner]`: `kiln_sum_*`, `kiln_mean_*`, `kiln_argmax_*`, `kiln_softmax_*`.

use super::arguments::Arguments;
use super::data::Data;
use super::pool::rounded;
use super::softmax::{fine_row, fixed_row};
use super::stage::Stage;
use crate::dialect::{AxisArgmax, AxisMean, AxisSoftmax, AxisSum, Dtype, Function};

/// The rows along the middle axis.
pub(super) struct Rows {
    n: usize,
    inner: usize,
    outer: usize,
}

impl Rows {
    pub fn of(outer: i32, n: i32, inner: i32) -> Rows {
        let size = |size: i32| usize::try_from(size).unwrap_or(0);
        Rows {
            n: size(n),
            inner: size(inner),
            outer: size(outer),
        }
    }

    /// The place of the first element of each row, in the order of the results.
    fn firsts(&self) -> impl Iterator<Item = usize> {
        let (n, inner) = (self.n, self.inner);
        (0..self.outer).flat_map(move |outer| (0..inner).map(move |i| outer * n * inner + i))
    }

    /// The results of a function of each row, which gives as many elements for each, in place of the axis.
    pub fn each<T: Copy, U: Copy>(&self, x: &[T], f: impl Fn(&[T]) -> Vec<U>) -> Vec<U> {
        let mut results = Vec::new();
        for outer in 0..self.outer {
            let firsts = (0..self.inner).map(|i| outer * self.n * self.inner + i);
            let made = firsts.map(|first| f(&self.row(x, first).collect::<Vec<T>>()));
            let made: Vec<Vec<U>> = made.collect();
            let count = made.first().map_or(0, Vec::len);
            results.extend((0..count).flat_map(|k| made.iter().map(move |row| row[k])));
        }
        results
    }

    /// The elements of a row.
    fn row<'a, T: Copy>(&self, x: &'a [T], first: usize) -> impl Iterator<Item = T> + use<'a, T> {
        let (n, inner) = (self.n, self.inner);
        (0..n).map(move |k| x[first + k * inner])
    }
}

/// Means, halves as floats have them.
pub(super) fn means(of: &AxisMean, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    let mean = &of.mean;
    let x = arguments.data("input").raised(-mean.zero_point);
    let result = |first| {
        let row: Vec<i32> = rows.row(&x, first).collect();
        let real = || real_sum(&row, mean.scale) / of.n as f32 * mean.inverse;
        let range = &mean.activation;
        let found = rounded(row.iter().sum(), of.n, real) + mean.zero_point;
        found.max(range.min).min(range.max)
    };
    Data::narrowed(arguments.result(), rows.firsts().map(result).collect())
}

/// The sum of the reals of a row, as PyTorch adds up floats: in 4 vectors of 8, in turn.
fn real_sum(row: &[i32], scale: f32) -> f32 {
    const LANES: usize = 8;
    const VECTORS: usize = 4;
    let reals: Vec<f32> = row.iter().map(|&x| x as f32 * scale).collect();
    let (whole, rest) = reals.split_at(reals.len() / LANES * LANES);
    let turns = whole.len() / (VECTORS * LANES) * VECTORS;
    let mut sums = [[0f32; LANES]; VECTORS];
    for (i, vector) in whole.chunks(LANES).enumerate() {
        let sum = &mut sums[if i < turns { i % VECTORS } else { 0 }];
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    let (first, others) = sums.split_at_mut(1);
    for other in others {
        first[0]
            .iter_mut()
            .zip(other)
            .for_each(|(sum, x)| *sum += *x);
    }
    rest.iter().chain(&first[0]).fold(0.0, |sum, x| sum + x)
}

/// Sums, requantised and rounded once. They wrap.
pub(super) fn sums(of: &AxisSum, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    let x = arguments.data("input").raised(of.scaling.input_offset);
    let stage = Stage::of_scaling(&of.scaling);
    let sums = rows
        .firsts()
        .map(|first| rows.row(&x, first).fold(0i32, i32::wrapping_add));
    Data::narrowed(
        arguments.result(),
        sums.map(|sum| stage.of_own(sum)).collect(),
    )
}

/// The index of the first greatest element, or of the first least.
pub(super) fn greatest(function: Function, of: &AxisArgmax, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    if let Data::F32(x) = arguments.data("input") {
        // NaN exceeds all numbers. A pool takes the last NaN.
        let wins: fn(f32, f32) -> bool = match function {
            Function::KilnMaxPoolPlaceF32 => |x, best| x.is_nan() || x > best,
            Function::KilnArgmaxF32 => |x, best| !best.is_nan() && (x.is_nan() || x > best),
            _ => |x, best| !best.is_nan() && (x.is_nan() || x < best),
        };
        let place = |row: &[f32]| {
            let better = |best: usize, at| if wins(row[at], row[best]) { at } else { best };
            vec![(0..row.len()).fold(0, better) as i32]
        };
        return Data::I32(rows.each(x, place));
    }
    let x = arguments.data("input").raised(0);
    let place = |first| {
        let numbered = rows.row(&x, first).zip(0i32..);
        let best = numbered.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map_or(0, |(_, place)| place)
    };
    Data::I32(rows.firsts().map(place).collect())
}

/// A softmax along the axis.
pub(super) fn softmax(of: &AxisSoftmax, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    let result = arguments.result();
    let x = arguments.data("input").raised(0);
    let mut results = vec![0; x.len()];
    for first in rows.firsts() {
        let row: Vec<i32> = rows.row(&x, first).collect();
        let mut found = Vec::with_capacity(row.len());
        match result {
            Dtype::I16 => fine_row(&of.row(), &row, &mut found),
            _ => fixed_row(&of.row(), &row, result, &mut found),
        }
        for (k, result) in found.into_iter().enumerate() {
            results[first + k * rows.inner] = result;
        }
    }
    Data::narrowed(result, results)
}
