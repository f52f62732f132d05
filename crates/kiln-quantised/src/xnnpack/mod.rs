//! XNNPACK's arithmetic of quantised tensors.
//!
//! Static layers (`qs8`, `qc8w`, `qc4w`) requantise sums in f32 (`src/qs8-requantization/gen`, `fp32-scalar-fmagic`; its kernels of all
//! architectures give the same bits). Dynamic layers (`qd8`) quantise each row of a float input when they run, by [`dynamic()`], and
//! multiply sums by `scale * weight.scale` in f32. The sums of weights that zero points need are taken when a weight is packed.
//! [`pointwise`] has the element-wise operators.

mod dynamic;
pub mod pointwise;

pub use dynamic::{Dynamic, dynamic};

/// `1.5 * 2^23`. Floats of this size have units of 1, so adding it to a number rounds the number to an integer, in the
/// low bits.
const MAGIC: f32 = 12_582_912.0;

/// `sum * scale` rounded half to even, plus the zero point, within `min..=max`. The product is computed in f32, clamped
/// as a float, and rounded by the magic bias.
///
/// The scale is below 256. The sum and the product are rounded to f32, with a relative error of `2^-24` each. The
/// result is that of the exact product unless the product is within a relative distance of `2^-23` of a tie.
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

/// The factor of a channel's sums as the library computes it: `input * weight / output` in f32, from left to right
/// (`src/operators/convolution-nhwc.c`, `fully-connected-nc.c`). `None` if it is 256 or more, or NaN: the library
/// refuses the layer.
pub fn requantization_scale(input: f32, weight: f32, output: f32) -> Option<f32> {
    let scale = input * weight / output;
    (scale < 256.0).then_some(scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scales_of_256_are_refused() {
        assert_eq!(requantization_scale(16.0, 16.0, 1.0), None);
        assert_eq!(requantization_scale(0.5, 0.0, 1.0), Some(0.0));
        assert_eq!(requantization_scale(0.5, 1.0, 0.0), None);
        assert_eq!(requantization_scale(0.0, 1.0, 0.0), None);
        assert_eq!(requantize(i32::MAX, 0.0, 5, -128, 127), 5);
        assert_eq!(
            [i32::MIN, i32::MAX].map(|sum| requantize(sum, 255.0, 5, -128, 127)),
            [-128, 127]
        );
    }

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
