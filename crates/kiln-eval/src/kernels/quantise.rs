//! `quantize`, `dequantize` and `requantize`: quotients by the scales, rounded half to even.
//!
//! Integers to integers, and f64 to integers, go by the exact quotient. Narrower floats are multiplied by
//! the scale's reciprocal in f32, as PyTorch's reference and the kernels of the targets do: a mean of
//! dequantised values is often a tie but for the error of its last place, which that product rounds away.

use crate::dispatch::{with_float, with_int};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled;
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::types::{Quant, QuantScheme};

/// The parameters of each element of a tensor.
pub struct Parameters<'q> {
    scales: &'q [f64],
    zero_points: &'q [i64],
    /// Elements in a row that share parameters.
    run: usize,
}

/// Scale and zero point.
type Pair = (f64, i64);

impl<'q> Parameters<'q> {
    /// Of a tensor of `sizes`.
    ///
    /// # Errors
    /// If there are not as many parameters as the sizes ask for.
    pub fn of(quant: &'q Quant, sizes: &[usize]) -> Result<Parameters<'q>, Cause> {
        let (scales, zero_points, count, run) = match &quant.scheme {
            QuantScheme::PerTensor { scale, zero_point } => (
                std::slice::from_ref(scale),
                std::slice::from_ref(zero_point),
                1,
                usize::MAX,
            ),
            QuantScheme::PerChannel {
                axis,
                scales,
                zero_points,
            } => {
                let Some(&channels) = sizes.get(*axis) else {
                    misfit!("parameters along axis {axis} of sizes {sizes:?}");
                };
                let run = sizes[axis + 1..].iter().product();
                (&scales[..], &zero_points[..], channels, run)
            }
            QuantScheme::PerGroup {
                group,
                scales,
                zero_points,
            } => {
                let &[rows, columns] = sizes else {
                    misfit!("groups of a tensor of sizes {sizes:?}, not of a matrix");
                };
                if *group == 0 || columns % group != 0 {
                    misfit!("groups of {group} among {columns} columns");
                }
                (
                    &scales[..],
                    &zero_points[..],
                    rows * (columns / group),
                    *group,
                )
            }
        };
        if scales.len() != count || zero_points.len() != count {
            misfit!(
                "{} scales and {} zero points where {count} are needed",
                scales.len(),
                zero_points.len()
            );
        }
        Ok(Parameters {
            scales,
            zero_points,
            run,
        })
    }

    fn at(&self, element: usize) -> Pair {
        let at = element / self.run % self.scales.len();
        (self.scales[at], self.zero_points[at])
    }
}

/// A real number as an unevaluated sum, the second part far smaller.
#[derive(Clone, Copy)]
struct Exact(f64, f64);

impl Exact {
    fn product(a: f64, b: f64) -> Exact {
        let product = a * b;
        Exact(product, libm::fma(a, b, -product))
    }
}

/// `value / scale`, rounded half to even.
fn rounded_quotient(value: Exact, scale: f64) -> f64 {
    let quotient = value.0 / scale;
    if quotient.abs() >= 4503599627370496.0 || quotient.is_nan() {
        return quotient;
    }
    let whole = quotient.floor();
    let middle = Exact::product(whole + 0.5, scale);
    let beyond = (value.0 - middle.0) + (value.1 - middle.1);
    if beyond == 0.0 {
        2.0 * libm::rint((whole + 0.5) / 2.0)
    } else if beyond > 0.0 {
        whole + 1.0
    } else {
        whole
    }
}

/// How many steps of `scale` a real is, rounded half to even.
fn rounded_steps<S: Float>(value: S, scale: f64) -> f64 {
    if S::DTYPE == DType::F64 {
        return rounded_quotient(Exact(value.term(), 0.0), scale);
    }
    let reciprocal = <S as Float>::Real::from_f64(1.0 / scale);
    value.up().mul(reciprocal).to_f64().round_ties_even()
}

/// `rounded + zero point`, saturated to the range; a NaN is 0, as far as that is in the range.
fn placed(rounded: f64, zero_point: i64, quant: &Quant) -> i64 {
    if rounded.is_nan() {
        return 0i64.clamp(quant.min, quant.max);
    }
    (rounded as i64)
        .saturating_add(zero_point)
        .clamp(quant.min, quant.max)
}

fn check(quant: &Quant) -> Result<(), Cause> {
    if quant.min > quant.max {
        misfit!("the range {}..={} is empty", quant.min, quant.max);
    }
    Ok(())
}

/// Reals to the integers that stand for them.
///
/// # Errors
/// If the parameters do not fit the sizes.
pub fn quantize(x: &Tensor, quant: &Quant, dtype: DType) -> Result<Tensor, Cause> {
    check(quant)?;
    let parameters = Parameters::of(quant, x.sizes())?;
    with_float!(x.dtype(), S, {
        let from = x.of::<S>();
        with_int!(dtype, D, {
            let elements = filled(from.len(), |start, out| {
                for (i, o) in out.iter_mut().enumerate() {
                    let (scale, zero_point) = parameters.at(start + i);
                    let steps = rounded_steps(from[start + i], scale);
                    *o = D::from_int(placed(steps, zero_point, quant));
                }
            });
            Ok(Tensor::new(x.sizes(), elements))
        })
    })
}

fn quant_of(x: &Tensor) -> Result<&Quant, Cause> {
    match x.quant() {
        Some(quant) => Ok(quant),
        None => misfit!("{x:?} is not quantised"),
    }
}

/// Integers to the reals that they stand for, rounded to the dtype once.
///
/// # Errors
/// If the tensor is not quantised, or the parameters do not fit the sizes.
pub fn dequantize(x: &Tensor, dtype: DType) -> Result<Tensor, Cause> {
    let parameters = Parameters::of(quant_of(x)?, x.sizes())?;
    with_int!(x.dtype(), S, {
        let from = x.of::<S>();
        with_float!(dtype, D, {
            let elements = filled(from.len(), |start, out| {
                for (i, o) in out.iter_mut().enumerate() {
                    let (scale, zero_point) = parameters.at(start + i);
                    *o = D::total(distance(from[start + i].to_i64(), zero_point) * scale);
                }
            });
            Ok(Tensor::new(x.sizes(), elements))
        })
    })
}

/// `integer - zero_point`; exact for all but the ends of i64.
fn distance(integer: i64, zero_point: i64) -> f64 {
    (i128::from(integer) - i128::from(zero_point)) as f64
}

/// Integers to others that stand for the same reals.
///
/// # Errors
/// As [`dequantize`].
pub fn requantize(x: &Tensor, quant: &Quant, dtype: DType) -> Result<Tensor, Cause> {
    check(quant)?;
    let old = Parameters::of(quant_of(x)?, x.sizes())?;
    let new = Parameters::of(quant, x.sizes())?;
    with_int!(x.dtype(), S, {
        let from = x.of::<S>();
        with_int!(dtype, D, {
            let elements = filled(from.len(), |start, out| {
                for (i, o) in out.iter_mut().enumerate() {
                    let (from_scale, from_zero) = old.at(start + i);
                    let (scale, zero_point) = new.at(start + i);
                    let distance = distance(from[start + i].to_i64(), from_zero);
                    let value = Exact::product(distance, from_scale);
                    *o = D::from_int(placed(rounded_quotient(value, scale), zero_point, quant));
                }
            });
            Ok(Tensor::new(x.sizes(), elements))
        })
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

    #[test]
    fn a_quotient_beside_a_tie_is_no_tie() {
        let scale = f64::from(0.1f32);
        let just_below = Exact(1.5 * scale, -1e-30);
        assert_eq!(rounded_quotient(Exact::product(1.5, scale), scale), 2.0);
        assert_eq!(rounded_quotient(just_below, scale), 1.0);
        assert_eq!(rounded_quotient(Exact::product(2.5, scale), scale), 2.0);
    }

    #[test]
    fn narrow_floats_round_the_quotient_to_f32_first() {
        let scale = f64::from(0.1f32);
        let x = Tensor::new([1], vec![(2.5 * scale) as f32]);
        let wide = Tensor::new([1], vec![2.5 * scale * (1.0 + 1e-9)]);
        let quant = per_tensor(scale, 0, -128, 127);
        assert_eq!(quantize(&x, &quant, DType::I8).unwrap().of::<i8>(), [2]);
        assert_eq!(quantize(&wide, &quant, DType::I8).unwrap().of::<i8>(), [3]);
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
        assert!(Parameters::of(&quant, &[1, 5]).is_err());
        assert!(Parameters::of(&quant, &[2, 4]).is_err());
        assert!(Parameters::of(&quant, &[4]).is_err());
    }

    proptest! {
        #[test]
        fn requantize_is_the_nearest_integer(q in any::<i8>(), a in 1u32..2000, b in 1u32..2000, z in -9i64..10) {
            // Dyadic scales: the quotient of the integers is exact.
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
            let again = quantize(&real, &quant, DType::U8).unwrap();
            prop_assert_eq!(again.of::<u8>(), [q]);
        }
    }
}
