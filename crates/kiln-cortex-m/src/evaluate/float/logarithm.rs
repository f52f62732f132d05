//! Logarithms: `log.c`, `log1p.c`.

use super::{exponential, lesser, polynomial};

/// `m` and `k` in `x = m * 2^k`, with `m` from sqrt(1/2) to sqrt(2).
pub fn mantissa(x: f32) -> (f32, i32) {
    let (x, shift) = if x < f32::MIN_POSITIVE {
        (x * 8_388_608.0, 23)
    } else {
        (x, 0)
    };
    let bits = x.to_bits().wrapping_sub(0x3F35_04F3);
    let m = f32::from_bits((bits & 0x7F_FFFF) + 0x3F35_04F3);
    (m, (bits as i32 >> 23) - shift)
}

/// `log(1 + f) - f`.
fn small(f: f32) -> f32 {
    let z = f * f;
    let p = polynomial(
        f,
        &[
            7.037_683_629_2e-2,
            -1.151_461_031e-1,
            1.167_699_874e-1,
            -1.242_014_084_6e-1,
            1.424_932_278_7e-1,
            -1.666_805_766_5e-1,
            2.000_071_476_5e-1,
            -2.499_999_399_3e-1,
            3.333_333_117_4e-1,
        ],
    );
    f * z * p - 0.5 * z
}

/// `f = m - 1`, the logarithm of `m` less `f`, and the exponent `k`. The error is the result for an `x` without a logarithm.
fn parts(x: f32) -> Result<(f32, f32, f32), f32> {
    if x > 0.0 && x < f32::INFINITY {
        let (m, k) = mantissa(x);
        let f = m - 1.0;
        return Ok((f, small(f), k as f32));
    }
    Err(if x == 0.0 {
        f32::NEG_INFINITY
    } else if x < 0.0 {
        f32::NAN
    } else {
        x
    })
}

pub fn log(x: f32) -> f32 {
    match parts(x) {
        Ok((f, y, k)) => (f + (y - 2.121_944_4e-4 * k)) + 0.693_359_375 * k,
        Err(otherwise) => otherwise,
    }
}

pub fn log2(x: f32) -> f32 {
    match parts(x) {
        Ok((f, y, k)) => (((y * 0.442_695_041 + f * 0.442_695_041) + y) + f) + k,
        Err(otherwise) => otherwise,
    }
}

pub fn log10(x: f32) -> f32 {
    match parts(x) {
        Ok((f, y, k)) => {
            let low = (f + y) * 7.007_319_03e-4 + y * 0.433_593_75 + f * 0.433_593_75;
            (low + k * 2.487_456_64e-4) + k * 0.300_781_25
        }
        Err(otherwise) => otherwise,
    }
}

pub fn log1p(x: f32) -> f32 {
    let sum = 1.0 + x;
    if sum == 1.0 || sum == f32::INFINITY {
        return x;
    }
    if sum > 0.0 {
        log(sum) + (x - (sum - 1.0)) / sum
    } else {
        log(sum)
    }
}

pub fn log_sigmoid(x: f32) -> f32 {
    lesser(x, 0.0) - log1p(exponential::exp(-x.abs()))
}
