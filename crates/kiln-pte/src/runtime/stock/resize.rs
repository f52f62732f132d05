//! Resized images.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, single, step, stored, tensor};
use kiln_eval::Tensor;

/// An element of the result along one axis: its two neighbours, and their weights in f32.
struct Blend {
    from: [usize; 2],
    weights: [f64; 2],
}

/// Weights in f32, and products with them in the tensors' type.
pub(super) fn bilinear(call: &Arguments<'_, '_>) -> Result<Option<Vec<Tensor>>, Fault> {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let (&[_, _, height, width], out) = (x.sizes(), &call.sizes[0]) else {
        return Ok(None);
    };
    if x.is_empty() || x.dtype() != dtype || !dtype.is_float() || out.len() != 4 {
        return Ok(None);
    }
    let scales = call.numbers(3);
    let is_aligned = call.int(2) == Some(1);
    let axis = |i: usize, from: usize| {
        let scale = scales.as_ref().and_then(|scales| scales.get(i).copied());
        blends(from, out[i + 2], is_aligned, scale)
    };
    let (rows, columns) = (axis(0, height), axis(1, width));
    let r = |x| step(dtype, x);
    let mut numbers = Vec::new();
    for plane in reals(&x)?.chunks(height * width) {
        for row in &rows {
            for column in &columns {
                let at = |y: usize, x: usize| plane[row.from[y] * width + column.from[x]];
                let along = |y: usize| {
                    let [a, b] = [0, 1].map(|x| r(at(y, x) * column.weights[x]));
                    r(a + b)
                };
                let [a, b] = [0, 1].map(|y| r(along(y) * row.weights[y]));
                numbers.push(stored(dtype, r(a + b)));
            }
        }
    }
    Ok(Some(vec![tensor(dtype, out, numbers)?]))
}

fn blends(from: usize, to: usize, is_aligned: bool, scale: Option<f64>) -> Vec<Blend> {
    let ratio = match (is_aligned, scale) {
        (true, _) if to > 1 => single((from - 1) as f64 / (to - 1) as f64),
        (true, _) => 0.0,
        (false, Some(scale)) => single(1.0 / scale),
        (false, None) => single(1.0 / (to as f64 / from as f64)),
    };
    let blend = |i: usize| {
        if from == to {
            return Blend {
                from: [i, i],
                weights: [1.0, 0.0],
            };
        }
        let place = match is_aligned {
            true => single(ratio * i as f64),
            false => single(single(ratio * (i as f64 + 0.5)) - 0.5).max(0.0),
        };
        let first = (place.floor() as usize).min(from - 1);
        let weight = single(place - first as f64).clamp(0.0, 1.0);
        Blend {
            from: [first, (first + 1).min(from - 1)],
            weights: [single(1.0 - weight), weight],
        }
    };
    (0..to).map(blend).collect()
}

#[cfg(test)]
mod tests {
    use super::blends;

    #[test]
    fn elements_lie_between_their_neighbours() {
        let found = blends(2, 4, false, None);
        let found: Vec<_> = found.iter().map(|b| (b.from, b.weights)).collect();
        assert_eq!(found[0], ([0, 1], [1.0, 0.0]));
        assert_eq!(found[1], ([0, 1], [0.75, 0.25]));
        assert_eq!(found[3], ([1, 1], [0.75, 0.25]));
    }
}
