//! `grid_sample`: each result is an element near its coordinate, or a weighted sum of a few.
//!
//! Coordinates, weights and sums are computed in the dtype of the elements and rounded at every operation, as in
//! PyTorch. An element outside of the image has a weight too: an infinite or NaN coordinate gives NaN if the result has
//! weights.

use crate::dispatch::with_float;
use crate::element::*;
use crate::error::Cause;
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::{GridSample, Outside, SampleMode};
use smallvec::SmallVec;

/// The neighbours along an axis: the index, if it is in the image, and the weight.
type Taps<T> = SmallVec<[(Option<usize>, T); 4]>;

/// Samples the image.
///
/// # Errors
/// If the operands are no floats.
pub fn grid_sample(
    op: &GridSample,
    x: &Tensor,
    grid: &Tensor,
    sizes: &[usize],
) -> Result<Tensor, Cause> {
    with_float!(x.dtype(), T, Ok(sampled::<T>(op, x, grid, sizes)))
}

fn sampled<T: Float>(op: &GridSample, x: &Tensor, grid: &Tensor, sizes: &[usize]) -> Tensor {
    let (image, places) = (x.of::<T>(), grid.of::<T>());
    let axes = &x.sizes()[2..];
    let plane: usize = axes.iter().product();
    let pixels: usize = sizes[2..].iter().product();
    let elements = filled_rows(sizes[0] * sizes[1], pixels, |row, out: &mut [T]| {
        let plane = &image[row * plane..(row + 1) * plane];
        let first = row / sizes[1] * pixels;
        for (i, o) in out.iter_mut().enumerate() {
            let place = &places[(first + i) * axes.len()..(first + i + 1) * axes.len()];
            let along = axes.iter().zip(place.iter().rev());
            let taps: SmallVec<[(usize, Taps<T>); 3]> = along
                .map(|(&size, &number)| (size, taps(op, size, number)))
                .collect();
            *o = match op.mode {
                SampleMode::Nearest => nearest(plane, &taps),
                SampleMode::Linear => by_corners(plane, &taps),
                SampleMode::Cubic => by_axes(plane, &taps, Some(0)),
            };
        }
    });
    Tensor::new(sizes, elements)
}

fn nearest<T: Float>(image: &[T], axes: &[(usize, Taps<T>)]) -> T {
    let along = axes.iter().map(|(size, taps)| (*size, taps[0].0));
    element(image, along.fold(Some(0), inner))
}

/// The sum over the corners of a cell. The weights are multiplied first.
fn by_corners<T: Float>(image: &[T], axes: &[(usize, Taps<T>)]) -> T {
    let one = T::down(T::Real::ONE);
    let mut corners: SmallVec<[(Option<usize>, T); 8]> = SmallVec::from_elem((Some(0), one), 1);
    for (size, taps) in axes {
        let along = |(at, weight): (Option<usize>, T)| {
            taps.iter()
                .map(move |&(tap, w)| (inner(at, (*size, tap)), mul(weight, w)))
        };
        corners = corners.into_iter().flat_map(along).collect();
    }
    let terms = corners.iter();
    sum(terms.map(|&(at, weight)| mul(element(image, at), weight)))
}

/// The sum along the first axis of the sums along the other axes.
fn by_axes<T: Float>(image: &[T], axes: &[(usize, Taps<T>)], at: Option<usize>) -> T {
    let Some(((size, taps), others)) = axes.split_first() else {
        return element(image, at);
    };
    let terms = taps.iter().map(|&(tap, weight)| {
        let along = by_axes(image, others, inner(at, (*size, tap)));
        mul(along, weight)
    });
    sum(terms)
}

/// The index after one more axis of this size.
fn inner(at: Option<usize>, (size, tap): (usize, Option<usize>)) -> Option<usize> {
    Some(at? * size + tap?)
}

fn element<T: Float>(image: &[T], at: Option<usize>) -> T {
    at.map_or_else(T::default, |at| image[at])
}

fn add<T: Float>(a: T, b: T) -> T {
    T::down(a.up().add(b.up()))
}

fn sub<T: Float>(a: T, b: T) -> T {
    T::down(a.up().sub(b.up()))
}

fn mul<T: Float>(a: T, b: T) -> T {
    T::down(a.up().mul(b.up()))
}

fn number<T: Float>(value: f64) -> T {
    T::down(T::Real::from_f64(value))
}

fn floor<T: Float>(a: T) -> T {
    T::down(a.up().via(f64::floor))
}

fn sum<T: Float>(terms: impl Iterator<Item = T>) -> T {
    terms.reduce(add).unwrap_or_default()
}

/// The neighbours of a grid coordinate along an axis of this size.
fn taps<T: Float>(op: &GridSample, size: usize, from: T) -> Taps<T> {
    let place = element_place(op, size, from);
    let one = number::<T>(1.0);
    match op.mode {
        SampleMode::Nearest => {
            let place = bounded(op, size, place).up().via(f64::round_ties_even);
            Taps::from_elem((index(T::down(place), size), one), 1)
        }
        SampleMode::Linear => {
            let place = bounded(op, size, place);
            let left = floor(place);
            let rest = sub(place, left);
            Taps::from_iter([
                (index(left, size), sub(one, rest)),
                (index(add(left, one), size), rest),
            ])
        }
        SampleMode::Cubic => {
            let left = floor(place);
            let weights = cubic_weights(sub(place, left));
            let neighbour = |n: usize| bounded(op, size, add(left, number(n as f64 - 1.0)));
            let tap = |n: usize| (index(neighbour(n), size), weights[n]);
            (0..4).map(tap).collect()
        }
    }
}

/// The weights of neighbours at distances `1 + t`, `t`, `1 - t` and `2 - t` (a = -0.75).
fn cubic_weights<T: Float>(t: T) -> [T; 4] {
    let n = number::<T>;
    // (a + 2) x^3 - (a + 3) x^2 + 1
    let near = |x: T| add(mul(mul(sub(mul(n(1.25), x), n(2.25)), x), x), n(1.0));
    // a x^3 - 5a x^2 + 8a x - 4a
    let far = |x: T| {
        let cubic = add(mul(n(-0.75), x), n(3.75));
        add(mul(sub(mul(cubic, x), n(6.0)), x), n(3.0))
    };
    let back = sub(n(1.0), t);
    [
        far(add(t, n(1.0))),
        near(t),
        near(back),
        far(add(back, n(1.0))),
    ]
}

/// Converts a coordinate from `-1..=1` to an element index.
fn element_place<T: Float>(op: &GridSample, size: usize, from: T) -> T {
    let from_start = add(from, number(1.0));
    match op.align_corners {
        true => mul(from_start, number((size as f64 - 1.0) / 2.0)),
        false => sub(mul(from_start, number(size as f64 / 2.0)), number(0.5)),
    }
}

/// The coordinate in the image that replaces one outside, if there is one.
fn bounded<T: Float>(op: &GridSample, size: usize, place: T) -> T {
    match op.outside {
        Outside::Zeros => place,
        Outside::Border => clipped(size, place),
        Outside::Reflection => clipped(size, reflected(op.align_corners, size, place)),
    }
}

/// The coordinate clamped to the axis. NaN becomes 0.
fn clipped<T: Float>(size: usize, place: T) -> T {
    let last = number(size as f64 - 1.0);
    let from = if place > T::default() {
        place
    } else {
        T::default()
    };
    if from < last { from } else { last }
}

/// The coordinate reflected at the centres of the first and last element, or at their outer edges.
fn reflected<T: Float>(align_corners: bool, size: usize, place: T) -> T {
    let (low, span) = match align_corners {
        true => (0.0, size as f64 - 1.0),
        false => (-0.5, size as f64),
    };
    if span <= 0.0 {
        return T::default();
    }
    let (low, there_and_back) = (number::<T>(low), number::<T>(2.0 * span));
    let inner = T::down(sub(place, low).up().abs());
    let times = floor(T::down(inner.up().div(there_and_back.up())));
    let rest = sub(inner, mul(times, there_and_back));
    let back = sub(there_and_back, rest);
    add(if rest < back { rest } else { back }, low)
}

/// A whole number as an index, if it is one of the axis.
fn index<T: Float>(place: T, size: usize) -> Option<usize> {
    let place = place.up().to_f64();
    (place >= 0.0 && place < size as f64).then_some(place as usize)
}
