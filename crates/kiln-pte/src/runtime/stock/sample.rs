//! Samples of images at the places of a grid.
//!
//! A place that is no number, or beyond the 64-bit integers, becomes the least of these, as conversions of x86 do.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, stored, tensor};
use kiln_eval::Tensor;
use kiln_ir::DType;

/// What stands for the elements beside the image, in the kernel's numbers.
#[derive(Clone, Copy, PartialEq)]
enum Outside {
    Zeros,
    Border,
    Reflection,
}

/// One axis of an image.
#[derive(Clone, Copy)]
struct Axis {
    size: i64,
    outside: Outside,
    align_corners: bool,
    /// The type that places are rounded to.
    dtype: DType,
}

/// The kernel samples 2 by 2 elements in f32 or f64; all else in the tensors' type.
pub(super) fn samples(call: &Arguments<'_, '_>) -> Result<Option<Vec<Tensor>>, Fault> {
    let (dtype, x, grid) = (call.dtype, call.tensor(0)?, call.tensor(1)?);
    let outside = match call.int(3) {
        Some(0) => Outside::Zeros,
        Some(1) => Outside::Border,
        Some(2) => Outside::Reflection,
        _ => return Ok(None),
    };
    let sampled = match call.int(2) {
        Some(0) => bilinear,
        Some(1) => nearest,
        Some(2) => cubic,
        _ => return Ok(None),
    };
    let is_plain = x.dtype() == dtype && grid.dtype() == dtype && dtype.is_float();
    let (&[_, channels, height, width], true) = (x.sizes(), is_plain && !x.is_empty()) else {
        return Ok(None);
    };
    let is_linear = call.int(2) == Some(0);
    let inner = if is_linear && dtype != DType::F64 {
        DType::F32
    } else {
        dtype
    };
    let axis = |size: usize| Axis {
        size: size as i64,
        outside,
        align_corners: call.int(4) == Some(1),
        dtype: inner,
    };
    let axes = [axis(height), axis(width)];
    let (x, grid) = (reals(&x)?, reals(&grid)?);
    let plane = call.sizes[0][2] * call.sizes[0][3];
    let count: usize = call.sizes[0].iter().product();
    let numbers = (0..count).map(|i| {
        let (image, batch) = (i / plane, i / plane / channels);
        let at = 2 * (batch * plane + i % plane);
        let image = &x[image * height * width..(image + 1) * height * width];
        stored(dtype, sampled(image, axes, [grid[at + 1], grid[at]]))
    });
    Ok(Some(vec![tensor(
        dtype,
        &call.sizes[0],
        numbers.collect(),
    )?]))
}

impl Axis {
    fn round(self, x: f64) -> f64 {
        stored(self.dtype, x)
    }

    fn last(self) -> f64 {
        self.round((self.size - 1) as f64)
    }

    /// From -1 to 1, to places of elements.
    fn place(self, x: f64) -> f64 {
        let (r, size) = (|x| self.round(x), self.size as f64);
        match self.align_corners {
            true => r(r(r(x + 1.0) / 2.0) * self.last()),
            false => r(r(r(r(x + 1.0) * r(size)) - 1.0) / 2.0),
        }
    }

    /// The last element stands for a place that is no number.
    fn clipped(self, place: f64) -> f64 {
        let least = if place < 0.0 { 0.0 } else { place };
        if least < self.last() {
            least
        } else {
            self.last()
        }
    }

    fn reflected(self, place: f64) -> f64 {
        let r = |x| self.round(x);
        let (low, high) = match self.align_corners {
            true => (0, 2 * (self.size - 1)),
            false => (-1, 2 * self.size - 1),
        };
        if low == high {
            return 0.0;
        }
        let (least, span) = (r(low as f64 / 2.0), r((high - low) as f64 / 2.0));
        let beyond = r(place - least).abs();
        let rest = r(beyond % span);
        let flips = r(beyond / span).floor();
        // A conversion to 32 bits, whose least number is even.
        match flips.abs() < 2147483648.0 && flips % 2.0 != 0.0 {
            true => r(r(span - rest) + least),
            false => r(rest + least),
        }
    }

    /// A place of the grid as a place of an element, or between two.
    fn source(self, x: f64) -> f64 {
        let place = self.place(x);
        match self.outside {
            Outside::Zeros => place,
            Outside::Border => self.clipped(place),
            Outside::Reflection => self.clipped(self.reflected(place)),
        }
    }

    fn holds(self, place: i64) -> bool {
        (0..self.size).contains(&place)
    }
}

/// The integer that x86 converts the place to.
fn whole(place: f64) -> i64 {
    match (-9223372036854775808.0..9223372036854775808.0).contains(&place) {
        true => place as i64,
        false => i64::MIN,
    }
}

/// The element there; beside the image 0 or the nearest.
fn element(image: &[f64], axes: [Axis; 2], [y, x]: [i64; 2]) -> Option<f64> {
    let [rows, columns] = axes;
    let is_inside = rows.holds(y) && columns.holds(x);
    if rows.outside == Outside::Zeros && !is_inside {
        return None;
    }
    let (y, x) = (y.clamp(0, rows.size - 1), x.clamp(0, columns.size - 1));
    Some(image[(y * columns.size + x) as usize])
}

fn nearest(image: &[f64], axes: [Axis; 2], place: [f64; 2]) -> f64 {
    let at = |i: usize| whole(axes[i].source(place[i]).round_ties_even());
    element(image, axes, [at(0), at(1)]).unwrap_or(0.0)
}

fn bilinear(image: &[f64], axes: [Axis; 2], place: [f64; 2]) -> f64 {
    let r = |x| axes[0].round(x);
    let place = [axes[0].source(place[0]), axes[1].source(place[1])];
    let first = place.map(|place| whole(place.floor()));
    let next = first.map(|first| first.wrapping_add(1));
    // The weights of the first and the next element along an axis.
    let weights = |i: usize| {
        let distance = |to: i64| r(r(to as f64) - place[i]);
        [distance(next[i]), -distance(first[i])]
    };
    let (rows, columns) = (weights(0), weights(1));
    let corners = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let mut terms = corners.into_iter().filter_map(|(y, x)| {
        let at = [[first[0], next[0]][y], [first[1], next[1]][x]];
        let weight = r(columns[x] * rows[y]);
        element(image, axes, at).map(|element| r(element * weight))
    });
    let start = match axes[0].outside {
        Outside::Zeros => 0.0,
        _ => terms.next().unwrap_or(0.0),
    };
    terms.fold(start, |sum, term| r(sum + term))
}

fn cubic(image: &[f64], axes: [Axis; 2], place: [f64; 2]) -> f64 {
    let r = |x| axes[0].round(x);
    let place = [axes[0].place(place[0]), axes[1].place(place[1])];
    let first = place.map(|place| whole(place.floor()));
    let weights = |i: usize| cubic_weights(r(place[i] - r(first[i] as f64)), r);
    let at = |y: i64, x: i64| {
        let there = [first[0].wrapping_add(y), first[1].wrapping_add(x)];
        let there = match axes[0].outside {
            Outside::Reflection => [0, 1].map(|i: usize| {
                let axis = axes[i];
                whole(axis.clipped(axis.reflected(r(there[i] as f64))))
            }),
            _ => there,
        };
        element(image, axes, there).unwrap_or(0.0)
    };
    let blend = |elements: [f64; 4], weights: [f64; 4]| {
        let terms = elements.into_iter().zip(weights).map(|(x, w)| r(x * w));
        terms.reduce(|sum, term| r(sum + term)).unwrap_or(0.0)
    };
    let columns = weights(1);
    let rows = [-1, 0, 1, 2].map(|y| blend([-1, 0, 1, 2].map(|x| at(y, x)), columns));
    blend(rows, weights(0))
}

/// The cubic convolution's weights of four neighbours, the second of which is `t` away.
fn cubic_weights(t: f64, r: impl Fn(f64) -> f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| r(r(r(r(r((A + 2.0) * x) - (A + 3.0)) * x) * x) + 1.0);
    let far = |x: f64| {
        let inner = r(r(r(r(A * x) - 5.0 * A) * x) + 8.0 * A);
        r(r(inner * x) - 4.0 * A)
    };
    let back = r(1.0 - t);
    [far(r(t + 1.0)), near(t), near(back), far(r(back + 1.0))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_no_number_is_the_last_element_or_nothing() {
        let axis = |outside| Axis {
            size: 3,
            outside,
            align_corners: true,
            dtype: DType::F32,
        };
        let image = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let at = |outside| nearest(&image, [axis(outside); 2], [f64::NAN, 0.0]);
        assert_eq!(at(Outside::Border), 8.0);
        assert_eq!(at(Outside::Zeros), 0.0);
    }
}
