//! `RESIZE` of NHWC.

use super::numbers::Numbers;
use crate::dialect::{Resize, ResizeMode, TensorType};
use kiln_eval::Tensor;

/// A sample along an axis: two neighbours, and the distance from the first in parts of `unit`.
struct Sample {
    near: usize,
    far: usize,
    part: i64,
    unit: i64,
}

fn samples(resize: &Resize, i: usize, from: usize, to: usize) -> Vec<Sample> {
    let (n, d) = (i64::from(resize.scale_n[i]), i64::from(resize.scale_d[i]));
    let last = from as i64 - 1;
    let sample = |o: usize| {
        let position = o as i64 * d + i64::from(resize.offset[i]);
        let first = position.div_euclid(n);
        Sample {
            near: first.clamp(0, last) as usize,
            far: (first + 1).clamp(0, last) as usize,
            part: position.rem_euclid(n),
            unit: n,
        }
    };
    (0..to).map(sample).collect()
}

impl Sample {
    fn nearest(&self) -> usize {
        if 2 * self.part >= self.unit {
            self.far
        } else {
            self.near
        }
    }
}

/// Samples the image.
pub(super) fn resized(resize: &Resize, x: &Tensor, result: &TensorType) -> Numbers {
    let (from, to) = (x.sizes(), result.shape.as_slice());
    let rows = samples(resize, 0, from[1], to[1]);
    let columns = samples(resize, 1, from[2], to[2]);
    let at =
        |n: usize, y: usize, x: usize, c: usize| ((n * from[1] + y) * from[2] + x) * from[3] + c;
    match (resize.mode, Numbers::of(x)) {
        (ResizeMode::Nearest, Numbers::Ints(x)) => {
            Numbers::Ints(each(to, &rows, &columns, |n, r, q, c| {
                x[at(n, r.nearest(), q.nearest(), c)]
            }))
        }
        (ResizeMode::Nearest, Numbers::Floats(x)) => {
            Numbers::Floats(each(to, &rows, &columns, |n, r, q, c| {
                x[at(n, r.nearest(), q.nearest(), c)]
            }))
        }
        (ResizeMode::Bilinear, Numbers::Ints(x)) => {
            Numbers::Ints(each(to, &rows, &columns, |n, r, q, c| {
                let row =
                    |y| x[at(n, y, q.near, c)] * (q.unit - q.part) + x[at(n, y, q.far, c)] * q.part;
                row(r.near) * (r.unit - r.part) + row(r.far) * r.part
            }))
        }
        (ResizeMode::Bilinear, Numbers::Floats(x)) => {
            Numbers::Floats(each(to, &rows, &columns, |n, r, q, c| {
                let (dy, dx) = (r.part as f64 / r.unit as f64, q.part as f64 / q.unit as f64);
                let row = |y| x[at(n, y, q.near, c)] * (1.0 - dx) + x[at(n, y, q.far, c)] * dx;
                row(r.near) * (1.0 - dy) + row(r.far) * dy
            }))
        }
    }
}

fn each<R>(
    to: &[usize],
    rows: &[Sample],
    columns: &[Sample],
    f: impl Fn(usize, &Sample, &Sample, usize) -> R,
) -> Vec<R> {
    let mut all = Vec::with_capacity(to.iter().product());
    for n in 0..to[0] {
        for row in rows {
            for column in columns {
                all.extend((0..to[3]).map(|c| f(n, row, column, c)));
            }
        }
    }
    all
}
