//! Functions of one float, computed in the compute type.
//!
//! Composed functions round after each operation, as in PyTorch's kernels. Elementary functions are computed in f64 and
//! rounded once.

use crate::element::Real;
use std::f64::consts;

fn number<R: Real>(value: f64) -> R {
    R::from_f64(value)
}

/// `1 / (1 + exp(-x))`.
pub fn sigmoid<R: Real>(x: R) -> R {
    R::ONE.div(R::ONE.add(x.neg().via(libm::exp)))
}

/// `min(x, 0) - log(1 + exp(-|x|))`.
pub fn log_sigmoid<R: Real>(x: R) -> R {
    x.less(R::ZERO)
        .sub(x.abs().neg().via(libm::exp).via(libm::log1p))
}

/// `x * (1 + erf(x / sqrt 2)) / 2`.
pub fn gelu<R: Real>(x: R) -> R {
    let erf = x.mul(number(consts::FRAC_1_SQRT_2)).via(libm::erf);
    x.mul(number(0.5)).mul(R::ONE.add(erf))
}

/// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2`.
pub fn gelu_tanh<R: Real>(x: R) -> R {
    let slope = consts::SQRT_2 * consts::FRAC_2_SQRT_PI * 0.5;
    let cubic = x.mul(x).mul(x).mul(number(0.044715));
    let tanh = x.add(cubic).mul(number(slope)).via(libm::tanh);
    x.mul(number(0.5)).mul(R::ONE.add(tanh))
}

/// `x / (1 + exp(-x))`.
pub fn silu<R: Real>(x: R) -> R {
    x.div(R::ONE.add(x.neg().via(libm::exp)))
}

/// `x * tanh(log(1 + exp(x)))`.
pub fn mish<R: Real>(x: R) -> R {
    let softplus = x.via(libm::exp).via(libm::log1p);
    x.mul(softplus.via(libm::tanh))
}

fn gate<R: Real>(x: R) -> R {
    x.add(number(3.0)).greater(R::ZERO).less(number(6.0))
}

/// `x * min(max(x + 3, 0), 6) / 6`.
pub fn hardswish<R: Real>(x: R) -> R {
    x.mul(gate(x)).div(number(6.0))
}

/// `min(max(x + 3, 0), 6) / 6`.
pub fn hardsigmoid<R: Real>(x: R) -> R {
    gate(x).div(number(6.0))
}

/// `scale * x` for positive `x`, else `scale * alpha * (exp(input_scale * x) - 1)`.
pub fn elu<R: Real>(x: R, alpha: f64, scale: f64, input_scale: f64) -> R {
    if x < R::ZERO {
        let limit = number::<R>(alpha).mul(number(scale));
        x.mul(number(input_scale)).via(libm::expm1).mul(limit)
    } else {
        x.mul(number(scale))
    }
}

/// `log(1 + exp(beta * x)) / beta`, and `x` where `beta * x > threshold`.
pub fn softplus<R: Real>(x: R, beta: f64, threshold: f64) -> R {
    let scaled = x.mul(number(beta));
    if scaled > number(threshold) {
        x
    } else {
        scaled.via(libm::exp).via(libm::log1p).div(number(beta))
    }
}

/// The non-negative number whose hyperbolic cosine is `x`. The library's function gives results for numbers below -1.
pub fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// The number whose error function is `y`: an approximation by Winitzki, followed by Halley's method on the
/// complementary error function, which is exact near 1 and -1.
pub fn erfinv(y: f64) -> f64 {
    let size = y.abs();
    if y == 0.0 || size.is_nan() {
        return y;
    }
    if size >= 1.0 {
        return if size == 1.0 {
            y * f64::INFINITY
        } else {
            f64::NAN
        };
    }
    let mut x = erfinv_start(size);
    for _ in 0..4 {
        let excess = if size < 0.5 {
            libm::erf(x) - size
        } else {
            (1.0 - size) - libm::erfc(x)
        };
        let step = excess / (consts::FRAC_2_SQRT_PI * libm::exp(-x * x));
        x -= step / (1.0 + x * step);
    }
    x.copysign(y)
}

fn erfinv_start(y: f64) -> f64 {
    if y < 0.01 {
        return y / consts::FRAC_2_SQRT_PI;
    }
    const A: f64 = 0.147;
    let log = libm::log1p(-y * y);
    let half = 2.0 / (consts::PI * A) + log / 2.0;
    ((half * half - log / A).sqrt() - half).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erfinv_undoes_erf() {
        for x in [1e-300, 1e-9, 0.003, 0.1, 0.47, 0.5, 1.0, 2.0, 3.5, 5.0] {
            let y = libm::erf(x);
            let again = libm::erf(erfinv(y));
            assert!((again - y).abs() <= 2e-16 * y, "{x}: {again} {y}");
            assert_eq!(erfinv(-y), -erfinv(y));
        }
        // By mpmath, of f32's predecessor of 1. Computed from what is left to 1, which is exact, it is as near as erfc is:
        // off by a few units of it, which the slope of the logarithm, 2x, turns into fewer units of x.
        let x = 3.832_506_856_900_711;
        assert!((erfinv(1.0 - 2f64.powi(-24)) - x).abs() <= 4.0 * f64::EPSILON * x);
        assert_eq!(erfinv(-1.0), f64::NEG_INFINITY);
        assert!(erfinv(1.5).is_nan());
    }

    #[test]
    fn acosh_begins_at_1() {
        for x in [0.99, 0.0, -1.0, -522.0, -1e6, -1e300, f64::NEG_INFINITY] {
            assert!(acosh(x).is_nan(), "{x}");
        }
        assert_eq!(acosh(1.0), 0.0);
        assert_eq!(acosh(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn limits_are_reached() {
        assert_eq!(hardswish(-4f32), 0.0);
        assert_eq!(hardswish(4f32), 4.0);
        assert_eq!(sigmoid(-1000f32), 0.0);
        assert_eq!(softplus(30f32, 1.0, 20.0), 30.0);
        assert!(hardsigmoid(f32::NAN).is_nan() && mish(f32::NAN).is_nan());
    }
}
