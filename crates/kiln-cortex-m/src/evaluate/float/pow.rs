//! Powers: `pow.c`.

use super::exponential::{rest, small};
use super::logarithm::mantissa;
use super::{polynomial, scaled};

/// A float as the sum of two floats of half as many bits.
fn split(x: f32) -> (f32, f32) {
    let most = 4097.0 * x;
    let high = most - (most - x);
    (high, x - high)
}

/// The exact product as the sum of two floats.
fn product(x: f32, y: f32) -> (f32, f32) {
    let (x_high, x_low) = split(x);
    let (y_high, y_low) = split(y);
    let high = x * y;
    let low = ((x_high * y_high - high) + x_high * y_low + x_low * y_high) + x_low * y_low;
    (high, low)
}

/// The natural logarithm of a finite positive number as the sum of two floats.
fn precise_log(x: f32) -> (f32, f32) {
    let (m, k) = mantissa(x);
    let (f, g, whole) = (m - 1.0, m + 1.0, k as f32);
    let s = f / g;
    let back = product(s, g);
    let lacks = (((f - back.0) - back.1) - s * (m - (g - 1.0))) / g;
    let z = s * s;
    let p = polynomial(
        z,
        &[
            0.181_818_182,
            0.222_222_222,
            0.285_714_286,
            0.4,
            0.666_666_667,
        ],
    );
    let low = p * z * s + 2.0 * lacks;
    let first = 0.693_359_375 * whole;
    let high = first + 2.0 * s;
    let low = low + ((first - high) + 2.0 * s - 2.121_944_4e-4 * whole);
    let sum = high + low;
    (sum, (high - sum) + low)
}

fn positive_power(x: f32, y: f32) -> f32 {
    let end = |is_great: bool| if is_great { f32::INFINITY } else { 0.0 };
    if y.abs() > 8.6e9 {
        return if x == 1.0 {
            1.0
        } else {
            end((x > 1.0) == (y > 0.0))
        };
    }
    let log = precise_log(x);
    if (log.0 * y).abs() > 110.0 {
        return end((log.0 > 0.0) == (y > 0.0));
    }
    let exponent = product(log.0, y);
    let (r, k) = rest(exponent.0);
    let (e, more) = (small(r), exponent.1 + log.1 * y);
    scaled(1.0 + (e + (more + e * more)), k)
}

pub fn pow(x: f32, y: f32) -> f32 {
    let size = x.abs();
    let is_whole = y.trunc() == y;
    let is_odd = is_whole && y.abs() < 16_777_216.0 && y as i32 & 1 != 0;
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() || (x < 0.0 && size < f32::INFINITY && !is_whole) {
        return f32::NAN;
    }
    let result = if size == 0.0 || size == f32::INFINITY {
        if (size == 0.0) == (y > 0.0) {
            0.0
        } else {
            f32::INFINITY
        }
    } else {
        positive_power(size, y)
    };
    if is_odd { result.copysign(x) } else { result }
}
