//! Pools of windows of images.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, single, stored, tensor};
use kiln_eval::Tensor;

type Results = Result<Option<Vec<Tensor>>, Fault>;

/// Numbers for the two axes of an image.
type Both = [i64; 2];

/// The windows of a pool.
struct Windows {
    image: Both,
    kernel: Both,
    stride: Both,
    padding: Both,
    dilation: Both,
}

/// A list of one or two numbers; `default` where it is empty.
fn both(list: &[i64], default: Both) -> Both {
    match *list {
        [] => default,
        [a] => [a, a],
        [a, b, ..] => [a, b],
    }
}

impl Windows {
    /// Of the arguments from `1` on, the dilation where the kernel has one.
    fn of(call: &Arguments<'_, '_>, sizes: &[usize], has_dilation: bool) -> Result<Windows, Fault> {
        let kernel = both(&call.ints(1)?, [1, 1]);
        let dilation = if has_dilation {
            call.ints(4)?
        } else {
            Vec::new()
        };
        Ok(Windows {
            image: last_two(sizes),
            kernel,
            stride: both(&call.ints(2)?, kernel),
            padding: both(&call.ints(3)?, [0, 0]),
            dilation: both(&dilation, [1, 1]),
        })
    }

    /// The elements of the image in the window at `place`, row by row.
    fn elements(&self, place: Both) -> impl Iterator<Item = usize> {
        let along = |axis: usize| {
            let start = place[axis] * self.stride[axis] - self.padding[axis];
            let (step, size) = (self.dilation[axis], self.image[axis]);
            let places = (0..self.kernel[axis]).map(move |i| start + i * step);
            places.filter(move |place| (0..size).contains(place))
        };
        let width = self.image[1];
        let columns: Vec<i64> = along(1).collect();
        along(0).flat_map(move |y| {
            let row: Vec<usize> = columns.iter().map(|x| (y * width + x) as usize).collect();
            row
        })
    }

    /// The number that the window's sum is divided by.
    fn count(&self, place: Both, with_padding: bool) -> i64 {
        let along = |axis: usize| {
            let (size, padding) = (self.image[axis], self.padding[axis]);
            let start = place[axis] * self.stride[axis] - padding;
            let end = (start + self.kernel[axis]).min(size + padding);
            match with_padding {
                true => end - start,
                false => end.min(size) - start.max(0),
            }
        };
        along(0) * along(1)
    }
}

fn last_two(sizes: &[usize]) -> Both {
    let at = |i: usize| sizes[sizes.len() - i] as i64;
    [at(2), at(1)]
}

/// For each element of the result, its image's first element and its place.
fn each(windows: &Windows, sizes: &[usize]) -> impl Iterator<Item = (usize, Both)> {
    let (out, count) = (last_two(sizes), sizes.iter().product::<usize>());
    let image = (windows.image[0] * windows.image[1]) as usize;
    let plane = (out[0] * out[1]) as usize;
    (0..count).map(move |i| {
        let place = (i % plane) as i64;
        (i / plane * image, [place / out[1], place % out[1]])
    })
}

fn is_image(x: &Tensor) -> bool {
    x.rank() >= 3 && !x.is_empty() && x.dtype().is_float()
}

/// Only what is greater replaces the window's first element, so a NaN is passed over unless it is the first.
pub(super) fn greatest(call: &Arguments<'_, '_>) -> Results {
    let x = call.tensor(0)?;
    if !is_image(&x) {
        return Ok(None);
    }
    let windows = Windows::of(call, x.sizes(), true)?;
    let numbers = reals(&x)?;
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for (base, place) in each(&windows, &call.sizes[0]) {
        let found = windows.elements(place).reduce(|best, i| {
            match numbers[base + i] > numbers[base + best] {
                true => i,
                false => best,
            }
        });
        values.push(found.map_or(0.0, |i| numbers[base + i]));
        indices.push(found.map_or(0, |i| i as i64));
    }
    let values = tensor(call.dtype, &call.sizes[0], values)?;
    Ok(Some(vec![
        values,
        Tensor::new(call.sizes[0].clone(), indices),
    ]))
}

/// The sum is rounded to the tensor's type at each step.
pub(super) fn average(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    if !is_image(&x) {
        return Ok(None);
    }
    let windows = Windows::of(call, x.sizes(), false)?;
    let (with_padding, divisor) = (call.int(5) == Some(1), call.int(6));
    let numbers = reals(&x)?;
    let averages = each(&windows, &call.sizes[0]).map(|(base, place)| {
        let elements = windows.elements(place).map(|i| numbers[base + i]);
        let sum = elements.reduce(|sum, x| stored(dtype, x + sum));
        let count = divisor.unwrap_or_else(|| windows.count(place, with_padding));
        stored(dtype, sum.unwrap_or(0.0) / stored(dtype, count as f64))
    });
    Ok(Some(vec![tensor(
        dtype,
        &call.sizes[0],
        averages.collect(),
    )?]))
}

/// Sums in f32, of every type.
pub(super) fn adaptive_average(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    if !is_image(&x) {
        return Ok(None);
    }
    let (image, out) = (last_two(x.sizes()), last_two(&call.sizes[0]));
    let numbers = reals(&x)?;
    let range = |axis: usize, at: i64| {
        let (size, count) = (image[axis], out[axis]);
        at * size / count..((at + 1) * size + count - 1) / count
    };
    let whole = Windows {
        image,
        kernel: [1, 1],
        stride: [1, 1],
        padding: [0, 0],
        dilation: [1, 1],
    };
    let averages = each(&whole, &call.sizes[0]).map(|(base, place)| {
        let (rows, columns) = (range(0, place[0]), range(1, place[1]));
        let count = (rows.end - rows.start) * (columns.end - columns.start);
        let places = rows.flat_map(|y| columns.clone().map(move |x| (y * image[1] + x) as usize));
        let sum = places.fold(0.0, |sum, i| single(sum + numbers[base + i]));
        stored(dtype, single(sum / single(count as f64)))
    });
    Ok(Some(vec![tensor(
        dtype,
        &call.sizes[0],
        averages.collect(),
    )?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_leave_their_padding_out() {
        let windows = Windows {
            image: [2, 3],
            kernel: [2, 2],
            stride: [1, 1],
            padding: [1, 1],
            dilation: [1, 1],
        };
        let elements = |place| windows.elements(place).collect::<Vec<_>>();
        assert_eq!(elements([0, 0]), [0]);
        assert_eq!(elements([1, 1]), [0, 1, 3, 4]);
        assert_eq!(windows.count([0, 0], true), 4);
        assert_eq!(windows.count([0, 0], false), 1);
    }
}
