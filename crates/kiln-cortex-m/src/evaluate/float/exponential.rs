//! Exponentials, and functions that are made of them: `exp.c`, `expm1.c`, `sigmoid.c`, `tanh.c`.

use super::{polynomial, power_of_2, scaled};

/// `r` and `k` in `x = k ln 2 + r`.
pub fn rest(x: f32) -> (f32, i32) {
    let whole = (x * 1.442_695_04).round_ties_even();
    let r = (x - whole * 0.693_359_375) + whole * 2.121_944_4e-4;
    (r, whole as i32)
}

/// `e^r - 1` of such an `r`.
pub fn small(r: f32) -> f32 {
    let p = polynomial(
        r,
        &[
            1.987_569_15e-4,
            1.398_199_950_7e-3,
            8.333_451_907_3e-3,
            4.166_579_589_4e-2,
            1.666_666_545_9e-1,
            5.000_000_120_1e-1,
        ],
    );
    p * r * r + r
}

pub fn exp(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x <= -104.0 {
        return 0.0;
    }
    if x > 89.0 {
        return f32::INFINITY;
    }
    let (r, k) = rest(x);
    scaled(1.0 + small(r), k)
}

pub fn exp2(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x <= -151.0 {
        return 0.0;
    }
    if x > 129.0 {
        return f32::INFINITY;
    }
    let whole = x.round_ties_even();
    scaled(1.0 + small((x - whole) * 0.693_147_181), whole as i32)
}

pub fn expm1(x: f32) -> f32 {
    if x.is_nan() {
        return x;
    }
    if x <= -17.5 {
        return -1.0;
    }
    if x > 89.0 {
        return f32::INFINITY;
    }
    if x.abs() < 0.34 {
        return small(x);
    }
    let (r, k) = rest(x);
    let one = if k < 30 { 1.0 - power_of_2(-k) } else { 1.0 };
    scaled(one + small(r), k)
}

pub fn sigmoid(x: f32) -> f32 {
    let e = exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

pub fn mish(x: f32) -> f32 {
    if x > 20.0 {
        return x;
    }
    let e = exp(x);
    let n = e * (e + 2.0);
    x * (n / (n + 2.0))
}

pub fn tanh(x: f32) -> f32 {
    let size = x.abs();
    if size < 0.625 {
        let z = x * x;
        let p = polynomial(
            z,
            &[
                -5.704_988_727_45e-3,
                2.063_908_879_54e-2,
                -5.373_971_555_31e-2,
                1.333_144_220_36e-1,
                -3.333_328_194_22e-1,
            ],
        );
        return p * z * x + x;
    }
    let result = if size > 10.0 {
        1.0
    } else {
        1.0 - 2.0 / (exp(2.0 * size) + 1.0)
    };
    result.copysign(x)
}

pub fn gelu_tanh(x: f32) -> f32 {
    let inner = 0.797_884_561 * (x + 0.044_715 * (x * x * x));
    0.5 * x * (1.0 + tanh(inner))
}
