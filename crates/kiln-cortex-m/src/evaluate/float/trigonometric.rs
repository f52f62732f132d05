//! Sine, cosine and tangent: `trigonometric.c`.

use super::polynomial;

/// The bits of 2 / pi, with 32 zeros in front of the first.
const BITS: [u32; 8] = [
    0,
    0xA2F9_836E,
    0x4E44_1529,
    0xFC27_57D1,
    0xF534_DDC0,
    0xDB62_9599,
    0x3C43_9041,
    0xFE51_63AB,
];

/// The rest of x in radians after the nearest whole number of quarter turns, and that number modulo 4.
fn far_rest(x: f32) -> (f32, u32) {
    let mantissa = (x.to_bits() & 0x7F_FFFF) | 0x80_0000;
    let first = (x.to_bits() >> 23 & 0xFF) as usize - 120;
    let words: [u64; 3] = std::array::from_fn(|i| {
        let at = first / 32 + i;
        let pair = u64::from(BITS[at]) << 32 | u64::from(BITS[at + 1]);
        u64::from((pair >> (32 - first % 32)) as u32)
    });
    let m = u64::from(mantissa);
    let turns = (m.wrapping_mul(words[0]) << 32)
        .wrapping_add(m * words[1])
        .wrapping_add((m * words[2]) >> 32);
    let whole = turns.wrapping_add(1 << 61) >> 62;
    let rest = turns.wrapping_sub(whole << 62) as i64;
    (rest as f32 * 3.406_121_58e-19, whole as u32 & 3)
}

fn rest(x: f32) -> (f32, u32) {
    let size = x.abs();
    if size >= 2.0 {
        far_rest(x)
    } else if size > 0.785_398_163 {
        ((size - 1.570_796_37) + 4.371_138_83e-8, 1)
    } else {
        (size, 0)
    }
}

fn sine_of(r: f32) -> f32 {
    let z = r * r;
    let p = polynomial(
        z,
        &[-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1],
    );
    p * z * r + r
}

fn cosine_of(r: f32) -> f32 {
    let z = r * r;
    let p = polynomial(
        z,
        &[2.443_315_711_8e-5, -1.388_731_625_5e-3, 4.166_664_568_3e-2],
    );
    p * z * z - 0.5 * z + 1.0
}

fn sine_or_cosine(x: f32, turn: u32, sign: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (rest, quarters) = rest(x);
    let quarters = quarters + turn;
    let found = if quarters & 1 != 0 {
        cosine_of(rest)
    } else {
        sine_of(rest)
    };
    if (quarters & 2 != 0) != sign.is_sign_negative() {
        -found
    } else {
        found
    }
}

pub fn sin(x: f32) -> f32 {
    sine_or_cosine(x, 0, x)
}

pub fn cos(x: f32) -> f32 {
    sine_or_cosine(x, 1, 1.0)
}

pub fn tan(x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (r, quarters) = rest(x);
    let z = r * r;
    let p = polynomial(
        z,
        &[
            9.385_401_855_43e-3,
            3.119_922_326_97e-3,
            2.443_013_545_25e-2,
            5.341_128_070_05e-2,
            1.333_879_940_85e-1,
            3.333_315_685_48e-1,
        ],
    );
    let p = p * z * r + r;
    let p = if quarters & 1 != 0 { -1.0 / p } else { p };
    if x.is_sign_negative() { -p } else { p }
}
