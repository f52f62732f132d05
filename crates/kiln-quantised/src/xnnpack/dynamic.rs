//! Qparams that the library chooses at run time.

/// The parameters by which the library quantises a row of floats at run time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamic {
    /// The factor of the floats. The scale of the row's integers is its reciprocal in f32.
    pub inverse: f32,
    /// The integer that stands for 0, from -128 to 127.
    pub zero_point: i32,
}

/// The parameters of a row whose elements are from `min` to `max`: `xnn_qd8_asymmetric_quantization_params`
/// (`src/xnnpack/quantization.h`). The range is widened to hold 0. A row of zeros has the inverse 1 and the zero point 127.
///
/// ```
/// use kiln_quantised::xnnpack::{Dynamic, dynamic};
/// assert_eq!(dynamic(0.5, 2.55), Dynamic { inverse: 100.0, zero_point: -128 });
/// ```
pub fn dynamic(min: f32, max: f32) -> Dynamic {
    let (least, greatest) = (-128.0f32, 127.0f32);
    let (min, max) = (min.min(0.0), max.max(0.0));
    let inverse = match min == max {
        true => 1.0,
        false => (greatest - least) / (max - min),
    };
    let (low, high) = (min * inverse, max * inverse);
    let zero_point = match (least + low) + (greatest + high) > 0.0 {
        true => least - low,
        false => greatest - high,
    };
    Dynamic {
        inverse,
        zero_point: zero_point.clamp(least, greatest).round_ties_even() as i32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every real of a row is within half a step of its integer, but for the rounding of the zero point.
        #[test]
        fn dynamic_integers_hold_their_row(min in -1e4f32..1e4, width in 1e-3f32..1e4, at in 0.0f32..=1.0) {
            let (low, high) = (min, min + width);
            let found = dynamic(low, high);
            let real = low + at * (high - low);
            let integer = (real * found.inverse).round_ties_even() as i32 + found.zero_point;
            let saturated = integer.clamp(-128, 127);
            prop_assert!((integer - saturated).abs() <= 1);
            let back = (saturated - found.zero_point) as f32 / found.inverse;
            prop_assert!((back - real).abs() <= 1.51 / found.inverse + real.abs() * 1e-6);
        }
    }
}
