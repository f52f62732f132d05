//! Expands functions into arithmetic alone, for targets whose delegates have no comparisons and selects.
//!
//! Each form holds for every operand, also for NaN and infinities, since no second form can be selected. Clamps reach
//! the ends of the range, and forms avoid cancellation. For `z` in `[-1/2, 1]`, the logarithm of `1 + z` is `2
//! atanh(s)` with `s = z / (2 + z)`, which is `s` times a polynomial in `s^2` on `[0, 1/9]`. It is fitted at 4,000
//! Chebyshev nodes for the least error of the value, which is 4e-9 there, and 2.7 units in the last place of f32 with
//! all roundings. Computing `log(1 + z)` directly would lose all digits for the smallest `z`.
//!
//! ```kiln
//! decompose kernel unary.softplus unary.mish unary.log1p compare select prefers unary.softplus unary.mish
//! graph "unbranched" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=softplus[2.0, 20.0]}
//!     %2: f32[3] = unary %1 {f=mish}
//!     return %2
//!   }
//! }
//! ---
//! graph "unbranched" {
//!   constant c0 "" f32[1] = [2.0]
//!   constant c1 "" f32[1] = [2.0]
//!   constant c2 "" f32[1] = [0.28178325295448303]
//!   constant c3 "" f32[1] = [0.27960604429244995]
//!   constant c4 "" f32[1] = [0.40024909377098083]
//!   constant c5 "" f32[1] = [0.6666631698608398]
//!   constant c6 "" f32[1] = [2.0]
//!   constant c7 "" f32[1] = [2.0]
//!   constant c8 "" f32[1] = [2.0]
//!   constant c9 "" f32[1] = [2.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = binary %0, %1 {f=mul}
//!     %3: f32[3] = unary %2 {f=abs}
//!     %4: f32[3] = unary %3 {f=neg}
//!     %5: f32[3] = unary %4 {f=exp}
//!     %6: f32[1] = constant {value=c1}
//!     %7: f32[3] = binary %5, %6 {f=add}
//!     %8: f32[3] = binary %5, %7 {f=div}
//!     %9: f32[3] = unary %8 {f=square}
//!     %10: f32[1] = constant {value=c2}
//!     %11: f32[3] = binary %10, %9 {f=mul}
//!     %12: f32[1] = constant {value=c3}
//!     %13: f32[3] = binary %11, %12 {f=add}
//!     %14: f32[3] = binary %13, %9 {f=mul}
//!     %15: f32[1] = constant {value=c4}
//!     %16: f32[3] = binary %14, %15 {f=add}
//!     %17: f32[3] = binary %16, %9 {f=mul}
//!     %18: f32[1] = constant {value=c5}
//!     %19: f32[3] = binary %17, %18 {f=add}
//!     %20: f32[3] = binary %19, %9 {f=mul}
//!     %21: f32[1] = constant {value=c6}
//!     %22: f32[3] = binary %20, %21 {f=add}
//!     %23: f32[3] = binary %8, %22 {f=mul}
//!     %24: f32[3] = unary %0 {f=clamp[0.0, none]}
//!     %25: f32[1] = constant {value=c7}
//!     %26: f32[3] = binary %23, %25 {f=div}
//!     %27: f32[3] = binary %24, %26 {f=add}
//!     %28: f32[3] = unary %27 {f=clamp[none, 20.0]}
//!     %29: f32[3] = unary %28 {f=exp}
//!     %30: f32[1] = constant {value=c8}
//!     %31: f32[3] = binary %29, %30 {f=add}
//!     %32: f32[3] = binary %29, %31 {f=mul}
//!     %33: f32[1] = constant {value=c9}
//!     %34: f32[3] = binary %32, %33 {f=add}
//!     %35: f32[3] = binary %32, %34 {f=div}
//!     %36: f32[3] = binary %27, %35 {f=mul}
//!     return %36
//!   }
//! }
//! ```

use super::inverse::arc_tangent_within_one;
use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{Builder, NodeId, Op, Scalar, ValueId};

guards! {
    /// The softplus neither jumps at its threshold nor overflows below it.
    STEADY;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "unbranched_function",
    rounds: Rounds::Often,
    expand,
};

/// The coefficients of `2 atanh(s) / s` in powers of `s^2`, lowest power first.
const AREA_TANGENT: [f64; 5] = [
    2.0,
    0.666_663_146_850_248,
    0.400_249_101_450_211_64,
    0.279_606_047_275_671_9,
    0.281_783_260_345_707_33,
];

/// The exponential of a greater number may be infinite in f32.
const MAX_EXPONENT: f64 = 88.0;
/// Half a unit in the last place of f32, relative to the least number of its binade.
const HALF_UNIT: f64 = 1.0 / (1u64 << 24) as f64;
/// A number whose square is finite in f32, and so large that adding 1 to the square has no effect.
const LARGE: f64 = (1u64 << 30) as f64;

/// True for functions that have such a form.
pub fn has_form(f: UnaryFn) -> bool {
    use Simple::{Atan, Cosh, Expm1, Log1p, LogSigmoid, Mish, Sinh};
    match f {
        UnaryFn::Simple(f) => matches!(f, Log1p | Expm1 | LogSigmoid | Mish | Sinh | Cosh | Atan),
        UnaryFn::Softplus { .. } => true,
        UnaryFn::Clamp { .. } | UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } => false,
    }
}

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let x = operand(emitter, node, 0);
    let f = match &emitter.graph().node(node).op {
        Op::Unary(op) => op.f,
        other => {
            return Err(Reason::new("the op is a unary function", other.name()));
        }
    };
    only(match f {
        UnaryFn::Simple(Simple::Log1p) => log1p(emitter, x),
        UnaryFn::Simple(Simple::Expm1) => expm1(emitter, x),
        UnaryFn::Simple(Simple::LogSigmoid) => log_sigmoid(emitter, x),
        UnaryFn::Simple(Simple::Mish) => mish(emitter, x),
        UnaryFn::Simple(Simple::Sinh) => hyperbolic_sine(emitter, x),
        UnaryFn::Simple(Simple::Cosh) => hyperbolic_cosine(emitter, x),
        UnaryFn::Simple(Simple::Atan) => arc_tangent(emitter, x),
        UnaryFn::Softplus { beta, threshold } => softplus(emitter, x, beta, threshold),
        other => Err(Reason::new(
            "the function can be computed without comparisons and selects",
            format!("{other:?}"),
        )),
    })
}

fn clamp(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    min: impl Into<Option<f64>>,
    max: impl Into<Option<f64>>,
) -> Emitted {
    let bound = |number: Option<f64>| number.map(Scalar::Float);
    let (min, max) = (bound(min.into()), bound(max.into()));
    emitter.unary(UnaryFn::Clamp { min, max }, x)
}

/// `log(1 + z)` for `z` in `[-1/2, 1]`.
fn log1p_within(emitter: &mut Emitter<'_, '_>, z: ValueId) -> Emitted {
    let more = emitter.with(BinaryFn::Add, z, 2.0)?;
    let s = emitter.binary(BinaryFn::Div, z, more)?;
    let square = emitter.unary(Simple::Square, s)?;
    let sum = emitter.polynomial(square, &AREA_TANGENT)?;
    emitter.binary(BinaryFn::Mul, s, sum)
}

/// Splits `1 + x` into `1 + z`, with `z` clamped to `[-1/2, 1]`, and a factor, and adds their logarithms. The factor is 1
/// unless `x` is clamped; then the logarithm is at least 0.69, so an error in the last place of the factor's logarithm
/// does not matter. The factor's logarithm is negated and subtracted, because adding the logarithm of 1 would lose the
/// sign of `-0`.
fn log1p(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let near = clamp(emitter, x, -0.5, 1.0)?;
    let (whole, inner) = (
        emitter.with(BinaryFn::Add, x, 1.0)?,
        emitter.with(BinaryFn::Add, near, 1.0)?,
    );
    let factor = emitter.binary(BinaryFn::Div, whole, inner)?;
    let log = emitter.unary(Simple::Log, factor)?;
    let zero = emitter.scalar_like(0.0, x);
    let less = emitter.binary(BinaryFn::Sub, zero, log)?;
    let within = log1p_within(emitter, near)?;
    emitter.binary(BinaryFn::Sub, within, less)
}

/// `tanh(x / 2) (exp(x) + 1)`.
fn expm1(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, x, 0.5)?;
    let t = emitter.unary(Simple::Tanh, half)?;
    let grown = emitter.unary(Simple::Exp, x)?;
    let more = emitter.with(BinaryFn::Add, grown, 1.0)?;
    emitter.binary(BinaryFn::Mul, t, more)
}

/// `log(1 + exp(-|x|))`.
fn decayed(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let negative = emitter.unary(Simple::Neg, size)?;
    let decay = emitter.unary(Simple::Exp, negative)?;
    log1p_within(emitter, decay)
}

/// `max(x, 0) + log(1 + exp(-|beta x|)) / beta`, with `min(x, 0)` for a negative `beta`; `beta x` may overflow. PyTorch
/// gives `x` beyond a threshold. This is the same number if the threshold is so high that the logarithm is lost in
/// rounding.
fn softplus(emitter: &mut Emitter<'_, '_>, x: ValueId, beta: f64, threshold: f64) -> Emitted {
    let is_lost = threshold > 0.0 && (-threshold).exp() <= threshold * HALF_UNIT / 2.0;
    let is_steady = is_lost && threshold <= MAX_EXPONENT;
    if !STEADY.holds(is_steady) || beta == 0.0 || !beta.is_finite() {
        return Err(Reason::new(
            "the softplus neither jumps at its threshold nor overflows below it",
            format!("beta {beta}, threshold {threshold}"),
        ));
    }
    let steep = if beta == 1.0 {
        x
    } else {
        emitter.with(BinaryFn::Mul, x, beta)?
    };
    let soft = decayed(emitter, steep)?;
    let side = match beta > 0.0 {
        true => clamp(emitter, x, 0.0, None)?,
        false => clamp(emitter, x, None, 0.0)?,
    };
    let soft = match beta == 1.0 {
        true => soft,
        false => emitter.with(BinaryFn::Div, soft, beta)?,
    };
    emitter.binary(BinaryFn::Add, side, soft)
}

/// `min(x, 0) - log(1 + exp(-|x|))`.
fn log_sigmoid(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let soft = decayed(emitter, x)?;
    let low = clamp(emitter, x, None, 0.0)?;
    emitter.binary(BinaryFn::Sub, low, soft)
}

/// `x p / (p + 2)` with `p = n (n + 2)` and `n = exp(x)`, because `tanh(log(1 + n))` is `p / (p + 2)`. Above 20 the
/// quotient is 1.
fn mish(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let low = clamp(emitter, x, None, 20.0)?;
    let grown = emitter.unary(Simple::Exp, low)?;
    let more = emitter.with(BinaryFn::Add, grown, 2.0)?;
    let product = emitter.binary(BinaryFn::Mul, grown, more)?;
    let sum = emitter.with(BinaryFn::Add, product, 2.0)?;
    let gate = emitter.binary(BinaryFn::Div, product, sum)?;
    emitter.binary(BinaryFn::Mul, x, gate)
}

/// `exp(x) / 2` and `exp(-x) / 2`, given `half = x / 2`. They use the exponential of `x / 2`, since that of `x`
/// overflows before its half does.
fn halves(emitter: &mut Emitter<'_, '_>, half: ValueId) -> Result<[ValueId; 2], Reason> {
    let root = emitter.unary(Simple::Exp, half)?;
    let inverse = emitter.unary(Simple::Reciprocal, root)?;
    let mut found = [root, inverse];
    for value in &mut found {
        let less = emitter.with(BinaryFn::Mul, *value, 0.5)?;
        *value = emitter.binary(BinaryFn::Mul, less, *value)?;
    }
    Ok(found)
}

fn hyperbolic_cosine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, x, 0.5)?;
    let [up, down] = halves(emitter, half)?;
    emitter.binary(BinaryFn::Add, up, down)
}

/// `tanh(x / 2) (1 + cosh(x))`.
fn hyperbolic_sine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, x, 0.5)?;
    let t = emitter.unary(Simple::Tanh, half)?;
    let [up, down] = halves(emitter, half)?;
    let sum = emitter.binary(BinaryFn::Add, up, down)?;
    let more = emitter.with(BinaryFn::Add, sum, 1.0)?;
    emitter.binary(BinaryFn::Mul, t, more)
}

/// Twice the arc tangent of `x / (1 + sqrt(1 + x^2))`, which lies in `[-1, 1]`.
fn arc_tangent(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let x = clamp(emitter, x, -LARGE, LARGE)?;
    let square = emitter.unary(Simple::Square, x)?;
    let more = emitter.with(BinaryFn::Add, square, 1.0)?;
    let root = emitter.unary(Simple::Sqrt, more)?;
    let below = emitter.with(BinaryFn::Add, root, 1.0)?;
    let ratio = emitter.binary(BinaryFn::Div, x, below)?;
    let half = arc_tangent_within_one(emitter, ratio)?;
    emitter.with(BinaryFn::Mul, half, 2.0)
}
