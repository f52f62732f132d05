//! Functions of one float: `plain_f32.c`, and the kernels of the functions in the files beside this one.

use super::super::arguments::Arguments;
use super::super::data::Data;
use super::{arcs, erf, exponential, half, hyperbolic, limited, logarithm, trigonometric};
use crate::dialect::{Clamp, Elu, Function, LeakyRelu, Softplus};

/// The C expression has a value of its own for NaN.
fn sign(x: f32) -> f32 {
    f32::from(x > 0.0) - f32::from(x < 0.0)
}

fn hardsigmoid(x: f32) -> f32 {
    limited(x + 3.0, 0.0, 6.0) / 6.0
}

fn hardswish(x: f32) -> f32 {
    x * limited(x + 3.0, 0.0, 6.0) / 6.0
}

/// The function of one float that a kernel computes.
fn of(function: Function) -> fn(f32) -> f32 {
    match function {
        Function::KilnNegF32 => |x| -x,
        Function::KilnAbsF32 => f32::abs,
        Function::KilnSignF32 => sign,
        Function::KilnSquareF32 => |x| x * x,
        Function::KilnReciprocalF32 => |x| 1.0 / x,
        Function::KilnFloorF32 => f32::floor,
        Function::KilnCeilF32 => f32::ceil,
        Function::KilnRoundF32 => f32::round_ties_even,
        Function::KilnTruncF32 => f32::trunc,
        Function::KilnHardsigmoidF32 => hardsigmoid,
        Function::KilnHardswishF32 => hardswish,
        Function::KilnExpF32 => exponential::exp,
        Function::KilnExp2F32 => exponential::exp2,
        Function::KilnExpm1F32 => exponential::expm1,
        Function::KilnLogF32 => logarithm::log,
        Function::KilnLog2F32 => logarithm::log2,
        Function::KilnLog10F32 => logarithm::log10,
        Function::KilnLog1pF32 => logarithm::log1p,
        Function::KilnLogSigmoidF32 => logarithm::log_sigmoid,
        Function::KilnSqrtF32 => f32::sqrt,
        Function::KilnRsqrtF32 => |x| 1.0 / x.sqrt(),
        Function::KilnSinF32 => trigonometric::sin,
        Function::KilnCosF32 => trigonometric::cos,
        Function::KilnTanF32 => trigonometric::tan,
        Function::KilnAsinF32 => arcs::asin,
        Function::KilnAcosF32 => arcs::acos,
        Function::KilnAtanF32 => arcs::atan,
        Function::KilnSinhF32 => hyperbolic::sinh,
        Function::KilnCoshF32 => hyperbolic::cosh,
        Function::KilnAsinhF32 => hyperbolic::asinh,
        Function::KilnAcoshF32 => hyperbolic::acosh,
        Function::KilnAtanhF32 => hyperbolic::atanh,
        Function::KilnTanhF32 => exponential::tanh,
        Function::KilnGeluTanhF32 => exponential::gelu_tanh,
        Function::KilnSigmoidF32 => exponential::sigmoid,
        Function::KilnSiluF32 => |x| x * exponential::sigmoid(x),
        Function::KilnMishF32 => exponential::mish,
        Function::KilnErfF32 => erf::erf,
        Function::KilnGeluF32 => erf::gelu,
        Function::KilnErfinvF32 => erf::erfinv,
        other => unreachable!("{} is no function of one float", other.name()),
    }
}

/// A function of each element.
pub fn mapped(function: Function, arguments: &Arguments<'_>) -> Data {
    if let Some(converted) = half::converted(function, arguments.data("input")) {
        return converted;
    }
    let x = arguments.f32("input");
    let flags = |is: fn(f32) -> bool| Data::U8(x.iter().map(|&x| u8::from(is(x))).collect());
    match function {
        Function::KilnIsNanF32 => flags(f32::is_nan),
        Function::KilnIsInfF32 => flags(f32::is_infinite),
        _ => all(arguments, of(function)),
    }
}

fn all(arguments: &Arguments<'_>, f: impl Fn(f32) -> f32) -> Data {
    Data::F32(arguments.f32("input").iter().map(|&x| f(x)).collect())
}

pub fn clamped(of: &Clamp, arguments: &Arguments<'_>) -> Data {
    all(arguments, |x| limited(x, of.min, of.max))
}

pub fn leaky_relu(of: &LeakyRelu, arguments: &Arguments<'_>) -> Data {
    all(arguments, |x| if x >= 0.0 { x } else { x * of.slope })
}

pub fn elu(of: &Elu, arguments: &Arguments<'_>) -> Data {
    all(arguments, |x| {
        if x > 0.0 {
            x * of.scale
        } else {
            exponential::expm1(x * of.input_scale) * (of.scale * of.alpha)
        }
    })
}

pub fn softplus(of: &Softplus, arguments: &Arguments<'_>) -> Data {
    all(arguments, |input| {
        let x = input * of.beta;
        if x > of.threshold {
            input
        } else {
            logarithm::log1p(exponential::exp(x)) / of.beta
        }
    })
}
