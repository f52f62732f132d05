//! Element-wise operators on integers of 8 bits.
//!
//! The library has kernels for sums, differences, products, leaky and parametric ReLU, and for conversions between two quantisations.
//! Every other operator computes on the reals in f32, one integer at a time ("reference" kernels); with one operand the
//! results are a table of 256 entries. Kernels of other architectures give the same integers as those of x86, except
//! for products on Arm, whose ties go up.

/// The quantisation of a tensor, as the library keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Qparams {
    /// The difference of the reals of two neighbouring integers; positive and normal.
    pub scale: f32,
    /// The integer that stands for 0.
    pub zero_point: i32,
    /// The least integer of the type.
    pub min: i32,
    /// The greatest integer of the type.
    pub max: i32,
}

impl Qparams {
    /// The quantisation of signed integers.
    pub fn signed(scale: f32, zero_point: i32) -> Qparams {
        let (min, max) = (i8::MIN.into(), i8::MAX.into());
        Qparams {
            scale,
            zero_point,
            min,
            max,
        }
    }

    /// The quantisation of unsigned integers.
    pub fn unsigned(scale: f32, zero_point: i32) -> Qparams {
        let (min, max) = (u8::MIN.into(), u8::MAX.into());
        Qparams {
            scale,
            zero_point,
            min,
            max,
        }
    }

    /// The real of an integer, in f32 (`dequantize`, `src/xnnpack/reference-utils.h`; the conversion kernels agree).
    pub fn real(&self, integer: i32) -> f32 {
        (integer - self.zero_point) as f32 * self.scale
    }

    /// The integer of a real as reference kernels round it (`quantize`, `src/xnnpack/reference-utils.h`): the zero point is added
    /// first, so ties go to the even integer, not to the even number of steps. NaN becomes 0.
    pub fn round_reference(&self, real: f32) -> i32 {
        self.round_shifted(real * (1.0 / self.scale) + self.zero_point as f32)
    }

    /// A number of steps with the zero point in it, rounded half to even; NaN is 0.
    fn round_shifted(&self, steps: f32) -> i32 {
        let rounded = if steps.is_nan() {
            0.0
        } else {
            steps.round_ties_even()
        };
        rounded.clamp(self.min as f32, self.max as f32) as i32
    }

    /// The integer of a float as the conversion from floats rounds it (`src/f32-qs8-vcvt`): ties go to the even number of
    /// steps. NaN becomes the greatest integer, as on x86; Arm's kernels give the zero point.
    pub fn quantize(&self, float: f32) -> i32 {
        let [low, high] = [self.min, self.max].map(|end| (end - self.zero_point) as f32);
        // The order matters for NaN, which the minimum drops.
        let limited = (float * (1.0 / self.scale)).min(high).max(low);
        limited.round_ties_even() as i32 + self.zero_point
    }

    /// The bound of a clamp (`xnn_qs8_quantize`, `src/xnnpack/requantization.h`): ties go to the even integer.
    pub fn bound(&self, real: f32) -> i32 {
        self.round_shifted(real / self.scale + self.zero_point as f32)
    }

    fn clamp(&self, integer: i32) -> i32 {
        integer.clamp(self.min, self.max)
    }
}

/// A conversion between two quantisations of one signedness (`src/qs8-vcvt`): the ratio of the scales is rounded to a
/// 256th, so a ratio that is no multiple of it carries an error of up to `1/512` for each step from the zero point. Ties go up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    from: Qparams,
    to: Qparams,
    multiplier: i32,
}

impl Conversion {
    /// `None` if the library refuses the ratio: it is from 2^-8 to 2^7.
    pub fn new(from: Qparams, to: Qparams) -> Option<Conversion> {
        let multiplier = in_256ths(from.scale / to.scale)?;
        Some(Conversion {
            from,
            to,
            multiplier,
        })
    }

    /// The converted integer.
    pub fn apply(&self, integer: i32) -> i32 {
        let product = (integer - self.from.zero_point) * self.multiplier;
        self.to.clamp(shifted(product, self.to.zero_point))
    }
}

/// A ratio of scales in units of `1/256`, if it is from 2^-8 to 2^7.
fn in_256ths(ratio: f32) -> Option<i32> {
    (2f32.powi(-8)..=128.0)
        .contains(&ratio)
        .then(|| (256.0 * ratio).round_ties_even() as i32)
}

/// A product in units of `1/256`, rounded half up, plus the zero point.
fn shifted(product: i32, zero_point: i32) -> i32 {
    (product + (zero_point << 8) + 0x80) >> 8
}

/// A leaky ReLU (`src/qs8-vlrelu`): both slopes are rounded to a 256th, ties go up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakyRelu {
    positive: Conversion,
    negative: i32,
}

impl LeakyRelu {
    /// `None` if the library refuses the slopes: the ratio of the scales is from 2^-8 to 2^7, and the ratio times the slope at least
    /// 2^-8 in absolute value, above -128 and at most 128.
    pub fn new(from: Qparams, to: Qparams, slope: f32) -> Option<LeakyRelu> {
        let positive = Conversion::new(from, to)?;
        let ratio = from.scale / to.scale * slope;
        let fits = (-127.996_09..=128.0).contains(&ratio) && ratio.abs() >= 2f32.powi(-8);
        fits.then(|| LeakyRelu {
            positive,
            negative: (256.0 * ratio).round_ties_even() as i32,
        })
    }

    /// The result's integer.
    pub fn apply(&self, integer: i32) -> i32 {
        let steps = integer - self.positive.from.zero_point;
        let multiplier = if steps >= 0 {
            self.positive.multiplier
        } else {
            self.negative
        };
        let to = &self.positive.to;
        to.clamp(shifted(steps * multiplier, to.zero_point))
    }
}

/// A sum or difference in fixed-point arithmetic (`src/qs8-vadd`, `xnn_init_qs8_add_minmax_scalar_params`). The greater of
/// the two factors has 21 bits, so a factor far below the greater one loses bits. Ties go up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Addition {
    to: Qparams,
    multipliers: [i32; 2],
    bias: i32,
    shift: u32,
}

impl Addition {
    /// `a + b`, or `a - b` if `negative`. `None` if the library refuses a ratio of scales: it is at least 2^-10 and below 2^8.
    pub fn new(operands: [Qparams; 2], to: Qparams, negative: bool) -> Option<Addition> {
        let ratios = operands.map(|from| from.scale / to.scale);
        let fits = |ratio: &f32| (2f32.powi(-10)..256.0).contains(ratio);
        if !ratios.iter().all(fits) {
            return None;
        }
        let exponent = (ratios[0].max(ratios[1]).to_bits() >> 23) as i32 - 127;
        let shift = (20 - exponent) as u32;
        let scaled = |ratio: f32| (ratio * 2f32.powi(shift as i32)).round_ties_even() as i32;
        let [a, b] = ratios.map(scaled);
        let multipliers = [a, if negative { -b } else { b }];
        let offsets =
            multipliers[0] * operands[0].zero_point + multipliers[1] * operands[1].zero_point;
        Some(Addition {
            to,
            multipliers,
            bias: (1 << (shift - 1)) - offsets,
            shift,
        })
    }

    /// The result's integer.
    pub fn apply(&self, a: i32, b: i32) -> i32 {
        let sum = self.bias + a * self.multipliers[0] + b * self.multipliers[1];
        self.to.clamp((sum >> self.shift) + self.to.zero_point)
    }
}

/// A product, whose factor is in f32 (`src/qs8-vmul`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    operands: [Qparams; 2],
    to: Qparams,
    scale: f32,
}

impl Product {
    /// `None` if the library refuses the factor: `a * b / to` of the scales is at least 2^-16 and below 2^8.
    pub fn new(operands: [Qparams; 2], to: Qparams) -> Option<Product> {
        let scale = operands[0].scale * operands[1].scale / to.scale;
        (2f32.powi(-16)..256.0).contains(&scale).then_some(Product {
            operands,
            to,
            scale,
        })
    }

    /// The result's integer.
    pub fn apply(&self, a: i32, b: i32) -> i32 {
        let [x, y] = self.operands;
        let product = (a - x.zero_point) * (b - y.zero_point);
        rounded(product, self.scale, &self.to)
    }
}

/// A ReLU whose slope is a tensor (`src/qs8-vprelu`), with factors in f32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prelu {
    product: Product,
    ratio: f32,
}

impl Prelu {
    /// The first operand is the input, the second the slope. `None` as for a [`Product`].
    pub fn new(operands: [Qparams; 2], to: Qparams) -> Option<Prelu> {
        let product = Product::new(operands, to)?;
        let ratio = operands[0].scale / to.scale;
        Some(Prelu { product, ratio })
    }

    /// The result's integer.
    pub fn apply(&self, integer: i32, slope: i32) -> i32 {
        let steps = integer - self.product.operands[0].zero_point;
        match steps < 0 {
            true => self.product.apply(integer, slope),
            false => rounded(steps, self.ratio, &self.product.to),
        }
    }
}

fn rounded(sum: i32, scale: f32, to: &Qparams) -> i32 {
    super::requantize(sum, scale, to.zero_point, to.min, to.max)
}

/// A mean of integers (`src/operators/reduce-nd.c`): the sum is multiplied in f32, and the zero points are added in f32 too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    to: Qparams,
    scale: f32,
    offset: f32,
}

impl Mean {
    /// The mean of `count` integers.
    pub fn new(from: Qparams, to: Qparams, count: usize) -> Mean {
        let scale = from.scale / to.scale * (1.0 / count as f32);
        let zero_points = (count as i32).wrapping_mul(from.zero_point) as f32;
        let offset = to.zero_point as f32 - zero_points * scale;
        Mean { to, scale, offset }
    }

    /// The result's integer of a sum.
    pub fn apply(&self, sum: i32) -> i32 {
        self.to.round_shifted(sum as f32 * self.scale + self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_conversion_rounds_the_ratio_to_256ths() {
        let convert = Conversion::new(Qparams::signed(0.3, 0), Qparams::signed(1.0, 0)).unwrap();
        // 77 / 256 is 0.30078.
        assert_eq!([1, 5, 100, -128].map(|n| convert.apply(n)), [0, 2, 30, -38]);
        assert_eq!(
            Conversion::new(Qparams::signed(1.0, 0), Qparams::signed(300.0, 0)),
            None
        );
    }

    #[test]
    fn ties_of_reference_kernels_go_to_the_even_integer() {
        let odd = Qparams::signed(1.0, 1);
        assert_eq!(odd.round_reference(0.5), 2);
        assert_eq!(odd.quantize(0.5), 1);
    }

    #[test]
    fn a_nan_is_the_greatest_integer_or_zero() {
        let params = Qparams::unsigned(0.5, 7);
        assert_eq!(
            (params.quantize(f32::NAN), params.round_reference(f32::NAN)),
            (255, 0)
        );
        assert_eq!(params.quantize(f32::INFINITY), 255);
    }

    fn params() -> impl Strategy<Value = Qparams> {
        (-2f32..2.0, -128i32..128).prop_map(|(log, zero)| Qparams::signed(log.exp2(), zero))
    }

    proptest! {
        #[test]
        fn sums_are_within_a_step_of_the_reals(a in params(), b in params(), to in params(), x in -128i32..128, y in -128i32..128, negative: bool) {
            let sum = Addition::new([a, b], to, negative).unwrap();
            let sign = if negative { -1.0 } else { 1.0 };
            let real = f64::from(a.real(x)) + sign * f64::from(b.real(y));
            let steps = (real / f64::from(to.scale) + f64::from(to.zero_point)).clamp(-128.0, 127.0);
            prop_assert!((f64::from(sum.apply(x, y)) - steps).abs() <= 0.5 + 1e-3);
        }

        #[test]
        fn products_are_within_half_a_step_of_the_reals(a in params(), b in params(), to in params(), x in -128i32..128, y in -128i32..128) {
            let product = Product::new([a, b], to).unwrap();
            let real = f64::from(a.real(x)) * f64::from(b.real(y));
            let steps = (real / f64::from(to.scale) + f64::from(to.zero_point)).clamp(-128.0, 127.0);
            prop_assert!((f64::from(product.apply(x, y)) - steps).abs() <= 0.5 + 1e-3);
        }

        #[test]
        fn a_mean_of_one_element_is_a_requantisation(from in params(), to in params(), x in -128i32..128) {
            let steps = f64::from(from.real(x)) / f64::from(to.scale) + f64::from(to.zero_point);
            let found = f64::from(Mean::new(from, to, 1).apply(x));
            prop_assert!((found - steps.clamp(-128.0, 127.0)).abs() <= 0.5 + 1e-3);
        }
    }
}
