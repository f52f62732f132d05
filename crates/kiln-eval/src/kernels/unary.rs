//! `unary`.

use super::functions::*;
use crate::dispatch::{with_float, with_int, with_number};
use crate::element::*;
use crate::error::Cause;
use crate::nest::filled;
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::Scalar;
use kiln_ir::ops::{Simple, UnaryFn};

/// `f` of each element. `f` is dynamic, so that there is one loop for each pair of types, instead of one for each
/// function.
pub fn map<T: Element, R: Element>(x: &Tensor, f: &(dyn Fn(T) -> R + Sync)) -> Tensor {
    let from = x.of::<T>();
    let elements = filled(from.len(), |start, part| {
        let from = &from[start..start + part.len()];
        part.iter_mut().zip(from).for_each(|(o, &e)| *o = f(e));
    });
    Tensor::new(x.sizes(), elements)
}

/// A function in the compute type of each element.
fn compute<T: Number>(x: &Tensor, f: impl Fn(T::Compute) -> T::Compute + Sync) -> Tensor {
    map(x, &|e: T| T::down(f(e.up())))
}

/// The function of each element.
///
/// # Errors
/// If the function does not take the dtype.
pub fn unary(f: UnaryFn, x: &Tensor) -> Result<Tensor, Cause> {
    match f {
        UnaryFn::Simple(Simple::BitNot) => bit_not(x),
        UnaryFn::Simple(Simple::Neg | Simple::Abs | Simple::Sign | Simple::Square)
        | UnaryFn::Clamp { .. } => with_number!(x.dtype(), T, Ok(numeric::<T>(f, x))),
        UnaryFn::Simple(f) => with_float!(x.dtype(), T, Ok(simple::<T>(f, x))),
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } => {
            with_float!(x.dtype(), T, {
                Ok(compute::<T>(x, |v| elu(v, alpha, scale, input_scale)))
            })
        }
        UnaryFn::LeakyRelu { slope } => with_float!(x.dtype(), T, {
            let slope = <T as Float>::Real::from_f64(slope);
            Ok(compute::<T>(x, |v| {
                if v > Arithmetic::ZERO {
                    v
                } else {
                    v.mul(slope)
                }
            }))
        }),
        UnaryFn::Softplus { beta, threshold } => with_float!(x.dtype(), T, {
            Ok(compute::<T>(x, |v| softplus(v, beta, threshold)))
        }),
    }
}

fn bit_not(x: &Tensor) -> Result<Tensor, Cause> {
    if x.dtype() == DType::Bool {
        return Ok(map(x, &|b: bool| !b));
    }
    with_int!(x.dtype(), T, Ok(map(x, &|v: T| !v)))
}

fn numeric<T: Number>(f: UnaryFn, x: &Tensor) -> Tensor {
    match f {
        UnaryFn::Clamp { min, max } => clamp::<T>(x, min, max),
        UnaryFn::Simple(Simple::Neg) => compute::<T>(x, Arithmetic::neg),
        UnaryFn::Simple(Simple::Abs) => compute::<T>(x, Arithmetic::abs),
        UnaryFn::Simple(Simple::Sign) => compute::<T>(x, Arithmetic::sign),
        _ => compute::<T>(x, |v| v.mul(v)),
    }
}

fn clamp<T: Number>(x: &Tensor, min: Option<Scalar>, max: Option<Scalar>) -> Tensor {
    let bound = |s: Option<Scalar>| s.map(|s| T::saturated(s).up());
    match (bound(min), bound(max)) {
        (Some(low), Some(high)) => compute::<T>(x, |v| v.greater(low).less(high)),
        (Some(low), None) => compute::<T>(x, |v| v.greater(low)),
        (None, Some(high)) => compute::<T>(x, |v| v.less(high)),
        (None, None) => x.clone(),
    }
}

fn simple<T: Float>(f: Simple, x: &Tensor) -> Tensor {
    let via = |f: fn(f64) -> f64| compute::<T>(x, |v| v.via(f));
    match f {
        Simple::Floor => via(libm::floor),
        Simple::Ceil => via(libm::ceil),
        Simple::Round => via(libm::rint),
        Simple::Trunc => via(libm::trunc),
        Simple::Exp => via(libm::exp),
        Simple::Exp2 => via(libm::exp2),
        Simple::Expm1 => via(libm::expm1),
        Simple::Log => via(libm::log),
        Simple::Log2 => via(libm::log2),
        Simple::Log10 => via(libm::log10),
        Simple::Log1p => via(libm::log1p),
        Simple::Sqrt => via(libm::sqrt),
        Simple::Rsqrt => compute::<T>(x, |v| T::Real::ONE.div(v.via(libm::sqrt))),
        Simple::Reciprocal => compute::<T>(x, |v| T::Real::ONE.div(v)),
        Simple::Sin => via(libm::sin),
        Simple::Cos => via(libm::cos),
        Simple::Tan => via(libm::tan),
        Simple::Asin => via(libm::asin),
        Simple::Acos => via(libm::acos),
        Simple::Atan => via(libm::atan),
        Simple::Sinh => via(libm::sinh),
        Simple::Cosh => via(libm::cosh),
        Simple::Tanh => via(libm::tanh),
        Simple::Asinh => via(libm::asinh),
        Simple::Acosh => via(acosh),
        Simple::Atanh => via(libm::atanh),
        Simple::Erf => via(libm::erf),
        Simple::Erfinv => via(erfinv),
        Simple::Sigmoid => compute::<T>(x, sigmoid),
        Simple::LogSigmoid => compute::<T>(x, log_sigmoid),
        Simple::Gelu => compute::<T>(x, gelu),
        Simple::GeluTanh => compute::<T>(x, gelu_tanh),
        Simple::Silu => compute::<T>(x, silu),
        Simple::Mish => compute::<T>(x, mish),
        Simple::Hardswish => compute::<T>(x, hardswish),
        Simple::Hardsigmoid => compute::<T>(x, hardsigmoid),
        Simple::IsNan => map(x, &|v: T| v.is_nan()),
        Simple::IsInf => map(x, &|v: T| v.up().abs() == Arithmetic::GREATEST),
        Simple::Neg | Simple::Abs | Simple::Sign | Simple::Square | Simple::BitNot => {
            unreachable!("functions of every number are not looked up among those of floats")
        }
    }
}
