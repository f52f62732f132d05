//! XNNPACK's requantisation of sums in f32 (`src/qs8-requantization/gen`, `fp32-scalar-fmagic`; its kernels of all
//! architectures give the same bits).

/// `1.5 * 2^23`: a float of about this size has units of 1, so that adding it rounds to an integer in its low bits.
const MAGIC: f32 = 12_582_912.0;

/// `sum * scale` rounded half to even, with a zero point, within `min..=max`: the product in f32, clamped in floats, rounded
/// by the magic bias.
///
/// `scale` is below 256. The sum is rounded to f32 first and so is the product: relative errors of `2^-24` each, so the result
/// is the exact one rounded half to even wherever that is not within `2^-23` of it, relatively, from a tie.
///
/// ```
/// use kiln_quantised::xnnpack::requantize;
/// assert_eq!([1, 3, -1, 1000].map(|sum| requantize(sum, 0.5, 10, -128, 127)), [10, 12, 10, 127]);
/// ```
pub fn requantize(sum: i32, scale: f32, zero_point: i32, min: i32, max: i32) -> i32 {
    let scaled = sum as f32 * scale;
    let scaled = scaled.max((min - zero_point) as f32);
    let scaled = scaled.min((max - zero_point) as f32);
    let biased = (scaled + MAGIC).to_bits() as i32;
    biased - (MAGIC.to_bits() as i32 - zero_point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn results_are_half_even_of_the_f32_product(sum in any::<i32>(), scale in 1e-9f32..4.0, zero in -128i32..128) {
            let even = f64::from((sum as f32 * scale).round_ties_even()) + f64::from(zero);
            let expected = even.clamp(-128.0, 127.0) as i32;
            prop_assert_eq!(requantize(sum, scale, zero, -128, 127), expected);
        }

        #[test]
        fn results_are_exact_but_beside_ties(sum in -(1i32 << 22)..(1 << 22), scale in 1e-6f32..1e-4) {
            let exact = f64::from(sum) * f64::from(scale);
            let found = f64::from(requantize(sum, scale, 0, -32768, 32767));
            prop_assert!((found - exact).abs() <= 0.5 + exact.abs() * 2f64.powi(-23));
        }
    }
}
