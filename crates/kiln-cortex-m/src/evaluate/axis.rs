//! Functions along the middle axis of `[outer][n][inner]`: `kiln_sum_*`, `kiln_argmax_*`, `kiln_softmax_s8`.

use super::arguments::Arguments;
use super::data::Data;
use super::softmax::fixed_row;
use super::stage::Stage;
use crate::dialect::{AxisArgmax, AxisSoftmax, AxisSum, Dtype};

/// The elements along the axis, and the places of the first element of each row of them.
struct Rows {
    n: usize,
    inner: usize,
    outer: usize,
}

impl Rows {
    fn of(outer: i32, n: i32, inner: i32) -> Rows {
        let size = |size: i32| usize::try_from(size).unwrap_or(0);
        Rows {
            n: size(n),
            inner: size(inner),
            outer: size(outer),
        }
    }

    /// The first places, in the order of the results.
    fn firsts(&self) -> impl Iterator<Item = usize> {
        let (n, inner) = (self.n, self.inner);
        (0..self.outer).flat_map(move |outer| (0..inner).map(move |i| outer * n * inner + i))
    }

    /// The elements of a row.
    fn row<'a>(&self, x: &'a [i32], first: usize) -> impl Iterator<Item = i32> + use<'a> {
        let (n, inner) = (self.n, self.inner);
        (0..n).map(move |k| x[first + k * inner])
    }
}

/// Sums, requantised once; they wrap.
pub(super) fn sums(of: &AxisSum, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
    let x = arguments.data("input").raised(of.scaling.input_offset);
    let stage = Stage::of_scaling(&of.scaling);
    let sums = rows
        .firsts()
        .map(|first| rows.row(&x, first).fold(0i32, i32::wrapping_add));
    Data::narrowed(
        arguments.result(),
        sums.map(|sum| stage.of(0, sum)).collect(),
    )
}

/// The place of the first greatest element.
pub(super) fn greatest(of: &AxisArgmax, arguments: &Arguments<'_>) -> Data {
    let rows = Rows::of(of.outer, of.n, of.inner);
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
    let x = arguments.data("input").raised(0);
    let mut results = vec![0; x.len()];
    for first in rows.firsts() {
        let row: Vec<i32> = rows.row(&x, first).collect();
        let mut found = Vec::with_capacity(row.len());
        fixed_row(&of.row(), &row, Dtype::I8, &mut found);
        for (k, result) in found.into_iter().enumerate() {
            results[first + k * rows.inner] = result;
        }
    }
    Data::narrowed(Dtype::I8, results)
}
