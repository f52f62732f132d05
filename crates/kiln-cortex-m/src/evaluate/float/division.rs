//! Quotients in whole numbers: `division_f32.c`. Rust's `%` is exact, as `kiln_fmod` is.

pub fn fmod(x: f32, y: f32) -> f32 {
    x % y
}

pub fn remainder(x: f32, y: f32) -> f32 {
    let rest = x % y;
    if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        rest + y
    } else {
        rest
    }
}

pub fn floor_quotient(x: f32, y: f32) -> f32 {
    if y == 0.0 {
        return x / y;
    }
    let rest = x % y;
    let whole = (x - rest) / y;
    let quotient = if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        whole - 1.0
    } else {
        whole
    };
    if quotient == 0.0 {
        return 0f32.copysign(x / y);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 {
        floor + 1.0
    } else {
        floor
    }
}
