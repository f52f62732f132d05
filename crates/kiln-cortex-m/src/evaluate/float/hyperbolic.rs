//! Hyperbolic functions and their inverse functions: `hyperbolic.c`.

use super::exponential::{rest, small};
use super::logarithm::{log, log1p};
use super::{polynomial, scaled};

/// `e^x / 2`.
fn half_exp(x: f32) -> f32 {
    if x > 90.0 {
        return f32::INFINITY;
    }
    let (r, k) = rest(x);
    scaled(1.0 + small(r), k - 1)
}

pub fn sinh(x: f32) -> f32 {
    let size = x.abs();
    if x.is_nan() {
        return x;
    }
    let result = if size < 1.0 {
        let z = x * x;
        let p = polynomial(
            z,
            &[
                2.037_219_129_45e-4,
                8.330_283_762_39e-3,
                1.666_671_602_11e-1,
            ],
        );
        p * z * size + size
    } else {
        let half = half_exp(size);
        half - 0.25 / half
    };
    result.copysign(x)
}

pub fn cosh(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    let half = half_exp(x.abs());
    half + 0.25 / half
}

pub fn asinh(x: f32) -> f32 {
    let size = x.abs();
    let z = size * size;
    let result = if size > 4096.0 {
        log(size) + 0.693_147_181
    } else {
        log1p(size + z / (1.0 + (z + 1.0).sqrt()))
    };
    result.copysign(x)
}

pub fn acosh(x: f32) -> f32 {
    let above = x - 1.0;
    if x < 1.0 {
        return f32::NAN;
    }
    if x > 4096.0 {
        log(x) + 0.693_147_181
    } else {
        log1p(above + (2.0 * above + above * above).sqrt())
    }
}

pub fn atanh(x: f32) -> f32 {
    let size = x.abs();
    if size > 1.0 {
        return f32::NAN;
    }
    (0.5 * log1p(2.0 * size / (1.0 - size))).copysign(x)
}
