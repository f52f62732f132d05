//! Floats: the operations of `kiln_nn` in the same order, so that results have the same bits. A file here is named after the file
//! there, which states the functions' errors.

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "constants have the digits of kiln_nn"
)]

mod arcs;
mod axis;
mod cast;
mod division;
mod erf;
mod exponential;
mod half;
mod hyperbolic;
mod logarithm;
mod map;
mod matmul;
mod pairs;
mod pow;
mod quantize;
mod trigonometric;
mod window;

pub(super) use axis::{ordered, reduced, standardised};
pub(super) use cast::cast;
pub(super) use map::{clamped, elu, leaky_relu, mapped, softplus};
pub(super) use matmul::product;
pub(super) use pairs::{compared, computed, integers, scattered, selected};
pub(super) use quantize::{dequantised, quantised};
pub(super) use window::{averages, convolved, greatest_of_windows};

/// 2^e for e from -126 to 127.
fn power_of_2(e: i32) -> f32 {
    f32::from_bits(((e + 127) as u32) << 23)
}

/// `x * 2^e`, rounded once, for x near 1 and e from -250 to 250.
fn scaled(x: f32, e: i32) -> f32 {
    let half = e >> 1;
    x * power_of_2(half) * power_of_2(e - half)
}

/// NaN if either is; the first if they are equal.
fn greater(a: f32, b: f32) -> f32 {
    if a.is_nan() || a >= b { a } else { b }
}

fn lesser(a: f32, b: f32) -> f32 {
    if a.is_nan() || a <= b { a } else { b }
}

/// NaN stays.
fn limited(x: f32, min: f32, max: f32) -> f32 {
    let x = if x < min { min } else { x };
    if x > max { max } else { x }
}

/// A polynomial, by Horner's rule.
fn polynomial(x: f32, coefficients: &[f32]) -> f32 {
    let (first, rest) = coefficients.split_first().unwrap_or((&0.0, &[]));
    rest.iter().fold(*first, |sum, c| sum * x + c)
}
