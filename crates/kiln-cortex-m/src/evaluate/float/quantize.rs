//! Floats from and to integers with a step and a zero point: `quantize.c`.

use super::super::arguments::Arguments;
use super::super::data::Data;
use super::limited;
use crate::dialect::{Dequantise, Quantise};

/// The index along the middle axis of each element.
fn places(outer: i32, n: i32, inner: i32) -> impl Iterator<Item = usize> {
    (0..outer).flat_map(move |_| {
        (0..n as usize).flat_map(move |k| std::iter::repeat_n(k, inner as usize))
    })
}

pub fn quantised(of: &Quantise, arguments: &Arguments<'_>) -> Data {
    let (x, inverse_scales) = (arguments.f32("input"), arguments.f32("inverse_scales"));
    let zero_points = arguments.i32("zero_points").unwrap_or(&[]);
    let (min, max) = (of.activation.min, of.activation.max);
    let integer = |(k, &x): (usize, &f32)| {
        let steps = (x * inverse_scales[k]).round_ties_even() + zero_points[k] as f32;
        if steps.is_nan() {
            return 0.max(min).min(max);
        }
        limited(steps, min as f32, max as f32) as i32
    };
    let all = places(of.outer, of.n, of.inner).zip(x).map(integer);
    Data::narrowed(arguments.result(), all.collect())
}

pub fn dequantised(of: &Dequantise, arguments: &Arguments<'_>) -> Data {
    let (x, scales) = (arguments.data("input").integers(), arguments.f32("scales"));
    let zero_points = arguments.i32("zero_points").unwrap_or(&[]);
    let real = |(k, x): (usize, &i64)| (x - i64::from(zero_points[k])) as f32 * scales[k];
    let all = places(of.outer, of.n, of.inner).zip(&x).map(real);
    Data::F32(all.collect())
}
