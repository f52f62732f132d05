//! `resize`: each result is a neighbour, or a weighted sum of a few.
//!
//! Coordinates and weights are computed in the compute type (f32, or f64 for f64), as in PyTorch; in another precision,
//! coordinates between two elements would round to others. PyTorch's compilers fuse products with sums.

use super::data::known;
use super::matrix::{lowered, raised};
use crate::dispatch::{with_float, with_word};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::{Resize, ResizeMode};
use smallvec::SmallVec;

/// The neighbours of one coordinate, with their weights.
type Taps<R> = Vec<(usize, R)>;

/// One axis of the resize.
struct Axis {
    from: usize,
    to: usize,
    align_corners: bool,
    scale: Option<f64>,
}

impl Axis {
    /// The distance of samples, by the user's factor or by the sizes.
    fn ratio<R: Real>(&self) -> R {
        match self.scale.filter(|&s| s > 0.0) {
            Some(scale) => R::from_f64(1.0 / scale),
            None => R::from_f64(self.from as f64).div(R::from_f64(self.to as f64)),
        }
    }

    /// The element at or before the coordinate of output `i`.
    fn nearest(&self, i: usize) -> usize {
        if self.to == self.from {
            return i;
        }
        if self.from.checked_mul(2) == Some(self.to) {
            return i / 2;
        }
        let place = (i as f32 * self.ratio::<f32>()).floor();
        (place as usize).min(self.from - 1)
    }

    /// The coordinate of output `i`.
    fn place<R: Real>(&self, i: usize) -> R {
        let i = R::from_f64(i as f64);
        if self.align_corners {
            let steps = |n: usize| R::from_f64(n.saturating_sub(1) as f64);
            return if self.to > 1 {
                i.mul(steps(self.from).div(steps(self.to)))
            } else {
                R::ZERO
            };
        }
        let half = R::from_f64(0.5);
        self.ratio::<R>().fused(i.add(half), half.neg())
    }

    /// The element at or before a coordinate, and the distance of the coordinate from it.
    fn split<R: Real>(&self, place: R) -> (usize, R) {
        let left = place.to_f64().floor().min(self.from as f64 - 1.0);
        let rest = place.sub(R::from_f64(left)).greater(R::ZERO).less(R::ONE);
        (left.max(0.0) as usize, rest)
    }

    fn linear<R: Real>(&self, i: usize) -> Taps<R> {
        if self.to == self.from {
            return vec![(i, R::ONE)];
        }
        let (left, rest) = self.split(self.place::<R>(i).greater(R::ZERO));
        let right = (left + 1).min(self.from - 1);
        vec![(left, R::ONE.sub(rest)), (right, rest)]
    }

    fn cubic<R: Real>(&self, i: usize) -> Taps<R> {
        let place = self.place::<R>(i);
        let left = place.to_f64().floor().min(self.from as f64 - 1.0);
        let rest = place.sub(R::from_f64(left)).greater(R::ZERO).less(R::ONE);
        let weights = cubic_weights(rest);
        let neighbour = |n: usize| (left + n as f64 - 1.0).clamp(0.0, self.from as f64 - 1.0);
        (0..4)
            .map(|n| (neighbour(n) as usize, weights[n]))
            .collect()
    }
}

/// The weights of neighbours at distances `1 + t`, `t`, `1 - t` and `2 - t` (a = -0.75).
fn cubic_weights<R: Real>(t: R) -> [R; 4] {
    let n = |value: f64| R::from_f64(value);
    // (a + 2) x^3 - (a + 3) x^2 + 1
    let near = |x: R| n(1.25).mul(x).sub(n(2.25)).mul(x).mul(x).add(R::ONE);
    // a x^3 - 5a x^2 + 8a x - 4a
    let far = |x: R| {
        n(-0.75)
            .mul(x)
            .sub(n(-3.75))
            .mul(x)
            .add(n(-6.0))
            .mul(x)
            .sub(n(-3.0))
    };
    let back = R::ONE.sub(t);
    [
        far(t.add(R::ONE)),
        near(t),
        near(back),
        far(back.add(R::ONE)),
    ]
}

/// Resamples the tensor.
///
/// # Errors
/// If there are no elements, or integers would be interpolated.
pub fn resize(op: &Resize, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    if x.is_empty() {
        misfit!("a resize of sizes {:?}, which has no elements", x.sizes());
    }
    let mut axes = Vec::new();
    for (i, (output, &scale)) in op.output.iter().zip(&op.scales).enumerate() {
        axes.push(Axis {
            from: x.sizes()[i + 2],
            to: known(output)?,
            align_corners: op.align_corners,
            scale,
        });
    }
    if op.mode == ResizeMode::Nearest {
        return Ok(nearest(&axes, x, sizes));
    }
    with_float!(
        x.dtype(),
        T,
        Ok(interpolated::<T>(op.mode, &axes, x, sizes))
    )
}

fn nearest(axes: &[Axis], x: &Tensor, sizes: &[usize]) -> Tensor {
    with_word!(x.dtype(), W, {
        let mut elements = x.words::<W>().to_vec();
        for (i, axis) in axes.iter().enumerate().rev() {
            let inner: usize = sizes[i + 3..].iter().product();
            let picks: Vec<usize> = (0..axis.to).map(|i| axis.nearest(i)).collect();
            let outer = elements.len() / (axis.from * inner);
            elements = filled_rows(outer * axis.to, inner, |row, out| {
                let from = row / axis.to * axis.from + picks[row % axis.to];
                out.copy_from_slice(&elements[from * inner..(from + 1) * inner]);
            });
        }
        Tensor::from_words(x.dtype(), sizes.to_vec(), elements)
    })
}

fn interpolated<T: Float>(mode: ResizeMode, axes: &[Axis], x: &Tensor, sizes: &[usize]) -> Tensor {
    let from = raised::<T>(x);
    let elements = match mode {
        ResizeMode::Linear | ResizeMode::Nearest => linear(axes, &from, sizes),
        ResizeMode::Cubic => cubic(axes, from.into_owned(), sizes),
    };
    lowered::<T>(sizes, elements)
}

/// Resizes axis by axis, innermost first, with weighted sums of four neighbours.
fn cubic<R: Real>(axes: &[Axis], mut elements: Vec<R>, sizes: &[usize]) -> Vec<R> {
    for (i, axis) in axes.iter().enumerate().rev() {
        let inner: usize = sizes[i + 3..].iter().product();
        let taps: Vec<Taps<R>> = (0..axis.to).map(|i| axis.cubic(i)).collect();
        let outer = elements.len() / (axis.from * inner);
        elements = filled_rows(outer * axis.to, inner, |row, out: &mut [R]| {
            let base = row / axis.to * axis.from;
            for (n, &(tap, weight)) in taps[row % axis.to].iter().enumerate() {
                let from = &elements[(base + tap) * inner..(base + tap + 1) * inner];
                for (o, &e) in out.iter_mut().zip(from) {
                    *o = if n == 0 {
                        e.mul(weight)
                    } else {
                        e.fused(weight, *o)
                    };
                }
            }
        });
    }
    elements
}

/// Computes one sum over the corners of the cell around each coordinate. The weights are multiplied first.
fn linear<R: Real>(axes: &[Axis], from: &[R], sizes: &[usize]) -> Vec<R> {
    let plane: usize = axes.iter().map(|a| a.from).product();
    let pixels: usize = axes.iter().map(|a| a.to).product();
    let taps = |axis: &Axis| -> Vec<Taps<R>> { (0..axis.to).map(|i| axis.linear(i)).collect() };
    let taps: Vec<Vec<Taps<R>>> = axes.iter().map(taps).collect();
    filled_rows(sizes[0] * sizes[1], pixels, |row, out: &mut [R]| {
        let from = &from[row * plane..(row + 1) * plane];
        for (i, o) in out.iter_mut().enumerate() {
            *o = weighted_sum(from, &cell(axes, &taps, i));
        }
    })
}

/// The corners of the cell around the coordinate of output `index`, in row-major order.
fn cell<R: Real>(axes: &[Axis], taps: &[Vec<Taps<R>>], index: usize) -> SmallVec<[(usize, R); 8]> {
    let mut corners = SmallVec::from_elem((0, R::ONE), 1);
    let mut inner: usize = axes.iter().map(|a| a.to).product();
    for (axis, taps) in axes.iter().zip(taps) {
        inner /= axis.to;
        let taps = &taps[index / inner % axis.to];
        let along = |(place, weight): (usize, R)| {
            taps.iter()
                .map(move |&(tap, w)| (place * axis.from + tap, weight.mul(w)))
        };
        corners = corners.into_iter().flat_map(along).collect();
    }
    corners
}

/// A sum of products, fused as PyTorch's compilers fuse `a * b + c * d + ..`.
fn weighted_sum<R: Real>(from: &[R], corners: &[(usize, R)]) -> R {
    let [first, second, rest @ ..] = corners else {
        return corners
            .iter()
            .fold(R::ZERO, |_, &(place, weight)| from[place].mul(weight));
    };
    let sum = from[first.0].fused(first.1, from[second.0].mul(second.1));
    rest.iter()
        .fold(sum, |sum, &(place, weight)| from[place].fused(weight, sum))
}
