//! Ranges of functions of one float.

use super::floats::{Floats, ends};
use super::{Integers, Range};
use kiln_ir::DType;
use kiln_ir::ops::{Simple, UnaryFn};
use std::f64::consts;

/// The range of `f(x)`. Float results have this dtype.
pub(super) fn unary(f: UnaryFn, x: Floats, dtype: DType) -> Option<Range> {
    let found = match f {
        UnaryFn::Simple(Simple::IsNan) => return Some(Integers::between(0, x.nan).into()),
        UnaryFn::Simple(Simple::IsInf) => return Some(Integers::between(0, !x.is_finite()).into()),
        UnaryFn::Simple(f) => simple(f, x, dtype)?,
        UnaryFn::Clamp { min, max } => {
            let bound = |b: kiln_ir::Scalar| dtype.saturated(b).as_f64();
            let (min, max) = (min.map(bound), max.map(bound));
            if min.is_some_and(f64::is_nan) || max.is_some_and(f64::is_nan) {
                return None;
            }
            x.rising(|v| {
                let v = min.map_or(v, |min| v.max(min));
                max.map_or(v, |max| v.min(max))
            })
        }
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } => {
            // For large powers, the rounding of the argument would have to be considered.
            if input_scale < 0.0 {
                return None;
            }
            let above = x.part(0.0, f64::INFINITY);
            let above = above.map(|x| x.product(number(scale)));
            let below = x.part(f64::NEG_INFINITY, 0.0).map(|x| {
                let power = x.product(number(input_scale)).rising(libm::expm1);
                power.rounded(dtype).product(number(alpha * scale))
            });
            either(above, below)?.rounded(dtype)
        }
        UnaryFn::LeakyRelu { slope } => {
            let below = x.part(f64::NEG_INFINITY, 0.0);
            let below = below.map(|x| x.product(number(slope)).rounded(dtype));
            either(x.part(0.0, f64::INFINITY), below)?
        }
        UnaryFn::Softplus { beta, threshold } => softplus(x, beta, threshold)?.rounded(dtype),
    };
    Some(found.into())
}

fn number(value: f64) -> Floats {
    Floats::between(value, value).with_nan(value.is_nan())
}

/// The union of the results for arguments above and below 0. `None` means that there are no such arguments.
pub(super) fn either(above: Option<Floats>, below: Option<Floats>) -> Option<Floats> {
    match (above, below) {
        (Some(above), Some(below)) => Some(above.joined(below)),
        (one, other) => one.or(other),
    }
}

/// Up to this argument, `exp` is certainly finite in f32.
const MAX_SAFE_EXPONENT: f64 = 80.0;

fn softplus(x: Floats, beta: f64, threshold: f64) -> Option<Floats> {
    if beta <= 0.0 || beta.is_nan() || threshold.is_nan() {
        return None;
    }
    let high = match threshold > MAX_SAFE_EXPONENT {
        true => f64::INFINITY,
        false => x.high.max(0.0) + consts::LN_2 / beta,
    };
    let low = (threshold / beta).min(0.0);
    Some(Floats { low, high, ..x })
}

fn simple(f: Simple, x: Floats, dtype: DType) -> Option<Floats> {
    let range = match f {
        Simple::Neg => Floats {
            low: -x.high,
            high: -x.low,
            ..x
        },
        Simple::Abs => x.size(),
        Simple::Sign => {
            // `sign(NaN)` is 0.
            let zero = x.nan.then_some(Floats::between(0.0, 0.0));
            let sign = |v: f64| f64::from(v > 0.0) - f64::from(v < 0.0);
            let signs = x.rising(sign);
            let known = Floats::between(signs.low, signs.high);
            zero.map_or(known, |zero| known.joined(zero))
        }
        Simple::Floor => x.rising(f64::floor),
        Simple::Ceil => x.rising(f64::ceil),
        Simple::Round => x.rising(f64::round_ties_even),
        Simple::Trunc => x.rising(f64::trunc),
        Simple::Square => x.size().rising(|v| v * v).rounded(dtype),
        Simple::Rsqrt => rsqrt(x).rounded(dtype),
        Simple::Reciprocal => number(1.0).quotient(x).rounded(dtype),
        Simple::Sin | Simple::Cos => Floats::between(-1.0, 1.0).with_nan(x.nan || !x.is_finite()),
        Simple::Tan => Floats::ANY.with_nan(true),
        Simple::Acos => {
            let found = x.through(-1.0, 1.0, |v| -libm::acos(v))?;
            let turned = Floats {
                low: -found.high,
                high: -found.low,
                ..found
            };
            turned.rounded(dtype)
        }
        Simple::Cosh => x.size().rising(libm::cosh).rounded(dtype),
        Simple::Erfinv => Floats {
            low: if x.low >= 0.0 { 0.0 } else { f64::NEG_INFINITY },
            high: if x.high <= 0.0 { 0.0 } else { f64::INFINITY },
            nan: x.nan || x.magnitude() > 1.0,
        },
        Simple::Gelu => gated(x, -0.17, dtype),
        Simple::GeluTanh => gated(x, -0.1701, dtype),
        Simple::Silu => gated(x, -0.2785, dtype),
        Simple::Mish => gated(x, -0.3089, dtype),
        Simple::Hardswish => gated(x, -0.375, dtype),
        Simple::Hardsigmoid => {
            let gate = x.rising(|v| (v + 3.0).clamp(0.0, 6.0) / 6.0);
            gate.rounded(dtype).within(0.0, 1.0)
        }
        Simple::BitNot | Simple::IsNan | Simple::IsInf => return None,
        other => rising(other, x, dtype)?,
    };
    Some(range)
}

/// The least and the greatest number of an interval.
type Ends = (f64, f64);

/// Functions that are non-decreasing where they are defined.
fn rising(f: Simple, x: Floats, dtype: DType) -> Option<Floats> {
    const ALL: Ends = (f64::NEG_INFINITY, f64::INFINITY);
    const RIGHT_ANGLE: f64 = consts::FRAC_PI_2;
    let (f, domain, results): (fn(f64) -> f64, Ends, Ends) = match f {
        Simple::Exp => (libm::exp, ALL, ALL),
        Simple::Exp2 => (libm::exp2, ALL, ALL),
        Simple::Expm1 => (libm::expm1, ALL, (-1.0, f64::INFINITY)),
        Simple::Log => (libm::log, (0.0, f64::INFINITY), ALL),
        Simple::Log2 => (libm::log2, (0.0, f64::INFINITY), ALL),
        Simple::Log10 => (libm::log10, (0.0, f64::INFINITY), ALL),
        Simple::Log1p => (libm::log1p, (-1.0, f64::INFINITY), ALL),
        Simple::Sqrt => (libm::sqrt, (0.0, f64::INFINITY), ALL),
        Simple::Asin => (
            libm::asin,
            (-1.0, 1.0),
            (-RIGHT_ANGLE - 1e-2, RIGHT_ANGLE + 1e-2),
        ),
        Simple::Atan => (libm::atan, ALL, (-RIGHT_ANGLE - 1e-2, RIGHT_ANGLE + 1e-2)),
        Simple::Sinh => (libm::sinh, ALL, ALL),
        Simple::Tanh => (libm::tanh, ALL, (-1.0, 1.0)),
        Simple::Asinh => (libm::asinh, ALL, ALL),
        Simple::Acosh => (libm::acosh, (1.0, f64::INFINITY), ALL),
        Simple::Atanh => (libm::atanh, (-1.0, 1.0), ALL),
        Simple::Erf => (libm::erf, ALL, (-1.0, 1.0)),
        Simple::Sigmoid => (|v| 1.0 / (1.0 + libm::exp(-v)), ALL, (0.0, 1.0)),
        Simple::LogSigmoid => (
            |v| v.min(0.0) - libm::log1p(libm::exp(-v.abs())),
            ALL,
            (f64::NEG_INFINITY, 0.0),
        ),
        _ => return None,
    };
    let found = x.through(domain.0, domain.1, f)?.rounded(dtype);
    Some(found.within(results.0, results.1))
}

/// The range of `x` times a gate between 0 and 1 that closes for negative `x`. `least` is the function's minimum. Minus
/// infinity times a closed gate is NaN. An intermediate product may be some times larger than `x`.
fn gated(x: Floats, least: f64, dtype: DType) -> Floats {
    let low = if x.low >= 0.0 { 0.0 } else { least };
    let high = match x.high > ends(dtype).1 / 64.0 {
        true => f64::INFINITY,
        false => x.high.max(0.0),
    };
    let nan = x.nan || x.low == f64::NEG_INFINITY;
    Floats { low, high, nan }.rounded(dtype)
}

/// The square root of -0 is -0, so `rsqrt` of zeros gives infinities of both signs.
fn rsqrt(x: Floats) -> Floats {
    if x.low > 0.0 {
        return Floats {
            low: 1.0 / x.high.sqrt(),
            high: 1.0 / x.low.sqrt(),
            ..x
        };
    }
    Floats {
        nan: x.nan || x.low < 0.0,
        ..Floats::ANY
    }
}

impl Floats {
    /// The range of `|x|`.
    pub(super) fn size(self) -> Floats {
        let low = match self.low <= 0.0 && self.high >= 0.0 {
            true => 0.0,
            false => self.low.abs().min(self.high.abs()),
        };
        Floats {
            low,
            high: self.magnitude(),
            ..self
        }
    }

    /// The image under a function that is non-decreasing from `low` to `high` and NaN elsewhere. `None` if the range
    /// has no number from `low` to `high`.
    fn through(self, low: f64, high: f64, f: impl Fn(f64) -> f64) -> Option<Floats> {
        let outside = self.low < low || self.high > high;
        Some(self.part(low, high)?.rising(f).with_nan(outside))
    }
}
