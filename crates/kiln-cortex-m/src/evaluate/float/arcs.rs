//! Inverse sine, cosine and tangent: `arcs.c`.

use super::polynomial;

const HALF_PI: f32 = 1.570_796_33;
const PI: f32 = 3.141_592_65;
const QUARTER_PI: f32 = 0.785_398_163;

fn small_arc(x: f32) -> f32 {
    let z = x * x;
    let p = polynomial(
        z,
        &[
            4.216_319_904_8e-2,
            2.418_131_104_9e-2,
            4.547_002_599_8e-2,
            7.495_300_268_6e-2,
            1.666_675_242_2e-1,
        ],
    );
    p * z * x + x
}

pub fn asin(x: f32) -> f32 {
    let size = x.abs();
    if size > 1.0 || size.is_nan() {
        return f32::NAN;
    }
    let arc = if size > 0.5 {
        HALF_PI - 2.0 * small_arc((0.5 * (1.0 - size)).sqrt())
    } else {
        small_arc(size)
    };
    arc.copysign(x)
}

pub fn acos(x: f32) -> f32 {
    let size = x.abs();
    if size > 1.0 || size.is_nan() {
        return f32::NAN;
    }
    if size > 0.5 {
        let arc = 2.0 * small_arc((0.5 * (1.0 - size)).sqrt());
        return if x < 0.0 { PI - arc } else { arc };
    }
    HALF_PI - small_arc(size).copysign(x)
}

pub fn atan(x: f32) -> f32 {
    let size = x.abs();
    let (base, size) = if size > 2.414_213_56 {
        (HALF_PI, -1.0 / size)
    } else if size > 0.414_213_562 {
        (QUARTER_PI, (size - 1.0) / (size + 1.0))
    } else {
        (0.0, size)
    };
    let z = size * size;
    let p = polynomial(
        z,
        &[
            8.053_744_495_38e-2,
            -1.387_768_560_32e-1,
            1.997_771_064_78e-1,
            -3.333_294_915_39e-1,
        ],
    );
    (base + (p * z * size + size)).copysign(x)
}

/// The angle of `(x, y)`.
pub fn atan2(y: f32, x: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let (height, width) = (y.abs(), x.abs());
    let arc = if height == width {
        if height == 0.0 { 0.0 } else { QUARTER_PI }
    } else if height > width {
        HALF_PI - atan(width / height)
    } else {
        atan(height / width)
    };
    let arc = if x.is_sign_negative() { PI - arc } else { arc };
    arc.copysign(y)
}
