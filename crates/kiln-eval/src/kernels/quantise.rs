//! `quantize`, `dequantize` and `requantize`.
//!
//! `quantize` computes in floats as PyTorch does: with the reciprocal of the scale, each operation rounded to the dtype
//! of the operand. `requantize` and results of exact reals use the exact quotient, rounded half to even.

use crate::dispatch::{with_float, with_int};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled;
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_quantised::parameters::Parameters;
use kiln_quantised::quotient::Exact;

/// A scale and a zero point.
type Pair = (f64, i64);

/// The parameters of a tensor of `sizes`.
fn parameters<'q>(quant: &'q Quant, sizes: &[usize]) -> Result<Parameters<'q>, Cause> {
    Parameters::of(quant, sizes).map_err(|misfit| Cause::Misfit(misfit.to_string()))
}

/// A real in steps of `scale`, rounded half to even, plus the zero point. Every operation rounds to the dtype; half
/// types compute in f32.
fn float_steps<S: Float>(value: S, (scale, zero_point): Pair) -> f64 {
    type Wide<S> = <S as Float>::Real;
    let steps = value.up().mul(Wide::<S>::from_f64(1.0 / scale));
    let rounded = steps.to_f64().round_ties_even();
    Wide::<S>::from_f64(rounded + zero_point as f64).to_f64()
}

/// The number clamped to the range. NaN becomes 0, clamped to the range.
fn saturated(number: f64, quant: &Quant) -> i64 {
    if number.is_nan() {
        return 0i64.clamp(quant.min, quant.max);
    }
    (number as i64).clamp(quant.min, quant.max)
}

/// The exact quotient rounded half to even, plus the zero point; saturated.
fn exact_steps(value: Exact, (scale, zero_point): Pair, quant: &Quant) -> i64 {
    value.integer(scale, zero_point, quant.min, quant.max)
}

fn check(quant: &Quant) -> Result<(), Cause> {
    if quant.min > quant.max {
        misfit!("the range {}..={} is empty", quant.min, quant.max);
    }
    Ok(())
}

/// Quantises reals as PyTorch does.
///
/// # Errors
/// If the parameters do not match the sizes.
pub fn quantize(x: &Tensor, quant: &Quant, dtype: DType) -> Result<Tensor, Cause> {
    check(quant)?;
    let parameters = parameters(quant, x.sizes())?;
    with_float!(x.dtype(), S, {
        let from = x.of::<S>();
        let integer = |i: usize| saturated(float_steps(from[i], parameters.at(i)), quant);
        integers(x.sizes(), dtype, from.len(), integer)
    })
}

/// Quantises reals in f64 to the nearest integers, ties to even.
///
/// # Errors
/// As [`quantize`].
pub fn nearest(x: &Tensor, quant: &Quant, dtype: DType) -> Result<Tensor, Cause> {
    check(quant)?;
    let parameters = parameters(quant, x.sizes())?;
    let from = x.of::<f64>();
    let integer = |i: usize| exact_steps(Exact::from(from[i]), parameters.at(i), quant);
    integers(x.sizes(), dtype, from.len(), integer)
}

/// A tensor of the integers that `integer` gives for each position.
fn integers(
    sizes: &[usize],
    dtype: DType,
    count: usize,
    integer: impl Fn(usize) -> i64 + Sync,
) -> Result<Tensor, Cause> {
    with_int!(dtype, D, {
        let elements = filled(count, |start, out: &mut [D]| {
            for (i, o) in out.iter_mut().enumerate() {
                *o = D::from_int(integer(start + i));
            }
        });
        Ok(Tensor::new(sizes, elements))
    })
}

fn quant_of(x: &Tensor) -> Result<&Quant, Cause> {
    match x.quant() {
        Some(quant) => Ok(quant),
        None => misfit!("{x:?} is not quantised"),
    }
}

/// Dequantises integers: the exact difference times the scale, rounded once. PyTorch treats the scale of a whole tensor
/// as a number, so it is rounded to the dtype of the result.
///
/// # Errors
/// If the tensor is not quantised, or the parameters do not match the sizes.
pub fn dequantize(x: &Tensor, dtype: DType) -> Result<Tensor, Cause> {
    let quant = quant_of(x)?;
    let parameters = parameters(quant, x.sizes())?;
    let is_number = matches!(quant.scheme, QuantScheme::PerTensor { .. });
    with_int!(x.dtype(), S, {
        let from = x.of::<S>();
        with_float!(dtype, D, {
            let scale_of = |scale: f64| match is_number {
                true => <D as Float>::Real::from_f64(scale).to_f64(),
                false => scale,
            };
            let elements = filled(from.len(), |start, out| {
                for (i, o) in out.iter_mut().enumerate() {
                    let (scale, zero_point) = parameters.at(start + i);
                    let steps = distance(from[start + i].to_i64(), zero_point);
                    *o = D::total(steps * scale_of(scale));
                }
            });
            Ok(Tensor::new(x.sizes(), elements))
        })
    })
}

/// `integer - zero_point`; exact except near the ends of i64.
fn distance(integer: i64, zero_point: i64) -> f64 {
    match integer.checked_sub(zero_point) {
        Some(distance) => distance as f64,
        // A conversion of 128 bits is a call.
        None => (i128::from(integer) - i128::from(zero_point)) as f64,
    }
}

/// Requantises integers.
///
/// # Errors
/// As [`dequantize`].
pub fn requantize(x: &Tensor, quant: &Quant, dtype: DType) -> Result<Tensor, Cause> {
    check(quant)?;
    let old = parameters(quant_of(x)?, x.sizes())?;
    let new = parameters(quant, x.sizes())?;
    with_int!(x.dtype(), S, {
        let from = x.of::<S>();
        let integer = |i: usize| {
            let (scale, zero_point) = old.at(i);
            let steps = distance(from[i].to_i64(), zero_point);
            exact_steps(Exact::product(steps, scale), new.at(i), quant)
        };
        integers(x.sizes(), dtype, from.len(), integer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn per_tensor(scale: f64, zero_point: i64, min: i64, max: i64) -> Quant {
        Quant {
            scheme: QuantScheme::PerTensor { scale, zero_point },
            min,
            max,
        }
    }

    #[test]
    fn ties_go_to_even_and_the_ends_saturate() {
        let x = Tensor::new(
            [8],
            vec![
                0.25f32,
                0.75,
                -0.25,
                -0.75,
                1e9,
                -1e9,
                f32::INFINITY,
                f32::NAN,
            ],
        );
        let q = quantize(&x, &per_tensor(0.5, 3, -128, 127), DType::I8).unwrap();
        assert_eq!(q.of::<i8>(), [3, 5, 3, 1, 127, -128, 127, 0]);
        let narrow = quantize(&x, &per_tensor(0.5, 0, -8, 7), DType::I8).unwrap();
        assert_eq!(narrow.of::<i8>(), [0, 2, 0, -2, 7, -8, 7, 0]);
    }

    /// The expected values are PyTorch's: of `quantize_per_tensor` for f32, and of `quantize_per_channel` with f64
    /// scales for f64.
    #[test]
    fn products_round_to_the_operands_dtype() {
        let quant = per_tensor(0.1, 0, -128, 127);
        let narrow = [0.25f32, 0.25 * (1.0 + 1e-7), 0.35, 0.15];
        let x = Tensor::new([4], narrow.to_vec());
        assert_eq!(
            quantize(&x, &quant, DType::I8).unwrap().of::<i8>(),
            [2, 3, 4, 2]
        );
        let x = Tensor::new([4], narrow.map(f64::from).to_vec());
        assert_eq!(
            quantize(&x, &quant, DType::I8).unwrap().of::<i8>(),
            [2, 3, 3, 2]
        );
        let fine = per_tensor(1e-6, 3, i64::from(i32::MIN), i64::from(i32::MAX));
        let x = Tensor::new([1], vec![100.0f32]);
        let q = quantize(&x, &fine, DType::I32).unwrap();
        assert_eq!(q.of::<i32>(), [100000000]);
    }

    #[test]
    fn the_scale_of_a_whole_tensor_is_of_the_results_dtype() {
        let whole = per_tensor(0.1, 0, -128, 127);
        let scheme = QuantScheme::PerChannel {
            axis: 0,
            scales: [0.1].into(),
            zero_points: [0].into(),
        };
        let by_channel = whole.with_scheme(scheme);
        let real = |quant: Quant| {
            let x = Tensor::new([1, 1], vec![9i8]).with_quant(Some(quant.into()));
            dequantize(&x, DType::F32).unwrap().of::<f32>()[0]
        };
        assert_eq!(real(whole), 9.0 * 0.1f32);
        assert_eq!(real(by_channel), (9.0 * 0.1f64) as f32);
        assert_ne!(9.0 * 0.1f32, (9.0 * 0.1f64) as f32);
    }

    #[test]
    fn channels_and_groups_have_their_own_parameters() {
        let scheme = QuantScheme::PerChannel {
            axis: 1,
            scales: [1.0, 0.5].into(),
            zero_points: [0, 10].into(),
        };
        let quant = Quant {
            scheme,
            min: 0,
            max: 255,
        };
        let x = Tensor::new([2, 2, 1], vec![1.0f64, 1.0, 3.0, -20.0]);
        let q = quantize(&x, &quant, DType::U8).unwrap();
        assert_eq!(q.of::<u8>(), [1, 12, 3, 0]);
        let scheme = QuantScheme::PerGroup {
            group: 2,
            scales: [1.0, 2.0].into(),
            zero_points: [0, 1].into(),
        };
        let quant = Quant {
            scheme,
            min: -8,
            max: 7,
        };
        let x = Tensor::new([1, 4], vec![1i8, 2, 3, 4]).with_quant(Some(quant.clone().into()));
        assert_eq!(
            dequantize(&x, DType::F32).unwrap().of::<f32>(),
            [1.0, 2.0, 4.0, 6.0]
        );
        for sizes in [&[1, 5][..], &[2, 4], &[4]] {
            let count = sizes.iter().product();
            let x = Tensor::new(sizes, vec![0i8; count]).with_quant(Some(quant.clone().into()));
            assert!(dequantize(&x, DType::F32).is_err(), "{sizes:?}");
        }
    }

    proptest! {
        #[test]
        fn requantize_is_the_nearest_integer(q in any::<i8>(), a in 1u32..2000, b in 1u32..2000, z in -9i64..10) {
            // The scales are powers of two, so the quotient of the integers is exact.
            let (from, to) = (f64::from(a) / 1024.0, f64::from(b) / 1024.0);
            let x = Tensor::new([1], vec![q]).with_quant(Some(per_tensor(from, z, -128, 127).into()));
            let got = requantize(&x, &per_tensor(to, -z, -32768, 32767), DType::I16).unwrap().of::<i16>()[0];
            let numerator = (i64::from(q) - z) * i64::from(a);
            let (floor, rest) = (numerator.div_euclid(i64::from(b)), numerator.rem_euclid(i64::from(b)));
            let up = match (2 * rest).cmp(&i64::from(b)) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Equal => floor.rem_euclid(2),
            };
            prop_assert_eq!(i64::from(got), (floor + up - z).clamp(-32768, 32767));
        }

        #[test]
        fn quantised_reals_come_back(q in any::<u8>(), scale in 1e-6f64..1e3, z in 0i64..256) {
            let quant = per_tensor(scale, z, 0, 255);
            let x = Tensor::new([1], vec![q]).with_quant(Some(quant.clone().into()));
            let real = dequantize(&x, DType::F64).unwrap();
            let again = nearest(&real, &quant, DType::U8).unwrap();
            prop_assert_eq!(again.of::<u8>(), [q]);
        }
    }
}
