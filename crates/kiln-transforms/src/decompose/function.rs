//! Expands unary functions to other functions.
//!
//! ```kiln
//! decompose none unary.silu unary.hardswish unary.gelu_tanh unary.sigmoid
//! graph "function" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=silu}
//!     %2: f32[3] = unary %1 {f=hardswish}
//!     %3: f32[3] = unary %2 {f=gelu_tanh}
//!     return %3
//!   }
//! }
//! ---
//! graph "function" {
//!   constant c0 "" f32[1] = [1.0]
//!   constant c1 "" f32[1] = [3.0]
//!   constant c2 "" f32[1] = [6.0]
//!   constant c3 "" f32[1] = [0.044714998453855515]
//!   constant c4 "" f32[1] = [0.7978845834732056]
//!   constant c5 "" f32[1] = [0.5]
//!   constant c6 "" f32[1] = [1.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=neg}
//!     %2: f32[3] = unary %1 {f=exp}
//!     %3: f32[1] = constant {value=c0}
//!     %4: f32[3] = binary %2, %3 {f=add}
//!     %5: f32[3] = unary %4 {f=reciprocal}
//!     %6: f32[3] = binary %0, %5 {f=mul}
//!     %7: f32[1] = constant {value=c1}
//!     %8: f32[3] = binary %6, %7 {f=add}
//!     %9: f32[3] = unary %8 {f=clamp[0, 6]}
//!     %10: f32[3] = binary %6, %9 {f=mul}
//!     %11: f32[1] = constant {value=c2}
//!     %12: f32[3] = binary %10, %11 {f=div}
//!     %13: f32[3] = unary %12 {f=square}
//!     %14: f32[3] = binary %13, %12 {f=mul}
//!     %15: f32[1] = constant {value=c3}
//!     %16: f32[3] = binary %14, %15 {f=mul}
//!     %17: f32[3] = binary %12, %16 {f=add}
//!     %18: f32[1] = constant {value=c4}
//!     %19: f32[3] = binary %17, %18 {f=mul}
//!     %20: f32[3] = unary %19 {f=tanh}
//!     %21: f32[1] = constant {value=c5}
//!     %22: f32[3] = binary %12, %21 {f=mul}
//!     %23: f32[1] = constant {value=c6}
//!     %24: f32[3] = binary %20, %23 {f=add}
//!     %25: f32[3] = binary %22, %24 {f=mul}
//!     return %25
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, erfinv, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Simple, UnaryFn};
use kiln_ir::{Builder, DType, NodeId, Op, Scalar, ValueId};
use std::f64::consts::{LN_2, LOG2_E, LOG10_E, PI, SQRT_2};

guards! {
    /// Bytes have no negatives.
    UNSIGNED;
    /// A constant of the dtype holds the bound; of integers it holds the range only.
    AS_GIVEN;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "function",
    rounds: Rounds::Often,
    expand,
};
/// The rule for casts to bool.
pub const CAST: Expansion = Expansion {
    name: "cast_to_bool",
    rounds: Rounds::AsTheOp,
    expand: cast_to_bool,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let graph = emitter.graph();
    let (op, x) = (&graph.node(node).op, graph.node(node).operands[0]);
    let f = match op {
        Op::Unary(op) => op.f,
        other => {
            return Err(Reason::new("the op is a unary function", other.name()));
        }
    };
    only(match f {
        UnaryFn::Simple(f) if op.facts().rounding.is_exact() => exact(emitter, f, x),
        UnaryFn::Simple(f) => match elementary(emitter, f, x)? {
            Some(value) => Ok(value),
            None => smooth(emitter, f, x),
        },
        UnaryFn::Clamp { min, max } => clamp(emitter, x, min, max),
        _ => Err(Reason::new(
            "the function has no parameters",
            format!("{f:?}"),
        )),
    })
}

fn clamp(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    min: Option<Scalar>,
    max: Option<Scalar>,
) -> Emitted {
    // A bound beyond the dtype's range becomes the end of the range.
    let dtype = emitter.ty(x).dtype;
    let held = |bound: Scalar| match AS_GIVEN.holds(!dtype.is_int()) {
        true => bound,
        false => dtype.saturated(bound),
    };
    let (min, max) = (min.map(held), max.map(held));
    let low = match min {
        Some(min) => emitter.with(BinaryFn::Max, x, min)?,
        None => x,
    };
    match max {
        Some(max) => emitter.with(BinaryFn::Min, low, max),
        None => Ok(low),
    }
}

fn cast_to_bool(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let x = emitter.graph().node(node).operands[0];
    let to = emitter.ty(emitter.graph().node(node).result()).dtype;
    if to != DType::Bool {
        return Err(Reason::new(
            "only a cast to bool can be expressed as a comparison",
            format!("a cast to {to}"),
        ));
    }
    only(emitter.compare_with(CompareFn::Ne, x, 0))
}

fn no_rule(f: Simple) -> Reason {
    Reason::new("the function can be expressed by other functions", f.text())
}

fn exact(emitter: &mut Emitter<'_, '_>, f: Simple, x: ValueId) -> Emitted {
    match f {
        Simple::Neg => emitter.with(BinaryFn::Mul, x, -1),
        Simple::Abs => absolute(emitter, x),
        Simple::Sign => sign(emitter, x),
        Simple::Trunc => {
            let (up, down) = (
                emitter.unary(Simple::Ceil, x)?,
                emitter.unary(Simple::Floor, x)?,
            );
            let is_negative = emitter.compare_with(CompareFn::Lt, x, 0.0)?;
            emitter.select(is_negative, up, down)
        }
        Simple::Ceil => {
            let negative = emitter.unary(Simple::Neg, x)?;
            let floor = emitter.unary(Simple::Floor, negative)?;
            emitter.unary(Simple::Neg, floor)
        }
        Simple::IsNan => emitter.value(Compare { f: CompareFn::Ne }, &[x, x]),
        Simple::IsInf => {
            let size = emitter.unary(Simple::Abs, x)?;
            emitter.compare_with(CompareFn::Eq, size, f64::INFINITY)
        }
        Simple::BitNot if emitter.ty(x).dtype == DType::Bool => {
            emitter.compare_with(CompareFn::Eq, x, Scalar::Bool(false))
        }
        Simple::BitNot => emitter.with(BinaryFn::BitXor, x, -1),
        other => Err(no_rule(other)),
    }
}

/// The greater of a number and its negative. Of zeros of both signs that may be either, and `0.0` is the sum of each and `0.0`.
fn absolute(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let dtype = emitter.ty(x).dtype;
    if UNSIGNED.holds(dtype.int_range().is_some_and(|(least, _)| least == 0)) {
        return Ok(x);
    }
    let negative = emitter.unary(Simple::Neg, x)?;
    let greater = emitter.binary(BinaryFn::Max, x, negative)?;
    match dtype.is_float() {
        true => emitter.with(BinaryFn::Add, greater, 0.0),
        false => Ok(greater),
    }
}

fn sign(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let (one, zero, minus) = (
        emitter.scalar_like(1, x),
        emitter.scalar_like(0, x),
        emitter.scalar_like(-1, x),
    );
    let is_negative = emitter.compare_with(CompareFn::Lt, x, 0)?;
    let below = emitter.select(is_negative, minus, zero)?;
    let is_positive = emitter.compare_with(CompareFn::Gt, x, 0)?;
    emitter.select(is_positive, one, below)
}

/// Functions that differ from another function only by a factor or a quotient.
fn elementary(
    emitter: &mut Emitter<'_, '_>,
    f: Simple,
    x: ValueId,
) -> Result<Option<ValueId>, Reason> {
    Ok(Some(match f {
        Simple::Square => emitter.binary(BinaryFn::Mul, x, x)?,
        Simple::Reciprocal => {
            let one = emitter.scalar_like(1.0, x);
            emitter.binary(BinaryFn::Div, one, x)?
        }
        Simple::Rsqrt => {
            let root = emitter.unary(Simple::Sqrt, x)?;
            emitter.unary(Simple::Reciprocal, root)?
        }
        Simple::Exp2 => {
            let scaled = emitter.with(BinaryFn::Mul, x, LN_2)?;
            emitter.unary(Simple::Exp, scaled)?
        }
        Simple::Log2 | Simple::Log10 => {
            let log = emitter.unary(Simple::Log, x)?;
            emitter.with(
                BinaryFn::Mul,
                log,
                if f == Simple::Log2 { LOG2_E } else { LOG10_E },
            )?
        }
        Simple::Tan => {
            let (sin, cos) = (
                emitter.unary(Simple::Sin, x)?,
                emitter.unary(Simple::Cos, x)?,
            );
            emitter.binary(BinaryFn::Div, sin, cos)?
        }
        Simple::Expm1 => expm1(emitter, x)?,
        Simple::Log1p => log1p(emitter, x)?,
        Simple::Erfinv => erfinv::emit(emitter, x)?,
        Simple::Sigmoid => {
            let negative = emitter.unary(Simple::Neg, x)?;
            let grown = emitter.unary(Simple::Exp, negative)?;
            let sum = emitter.with(BinaryFn::Add, grown, 1.0)?;
            emitter.unary(Simple::Reciprocal, sum)?
        }
        _ => return Ok(None),
    }))
}

/// `2 tanh(x / 2) / (1 - tanh(x / 2))` near zero, where `exp(x) - 1` would cancel.
fn expm1(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, x, 0.5)?;
    let t = emitter.unary(Simple::Tanh, half)?;
    let one = emitter.scalar_like(1.0, x);
    let rest = emitter.binary(BinaryFn::Sub, one, t)?;
    let twice = emitter.binary(BinaryFn::Add, t, t)?;
    let near = emitter.binary(BinaryFn::Div, twice, rest)?;
    let grown = emitter.unary(Simple::Exp, x)?;
    let far = emitter.with(BinaryFn::Sub, grown, 1.0)?;
    let size = emitter.unary(Simple::Abs, x)?;
    let is_near = emitter.compare_with(CompareFn::Lt, size, 1.0)?;
    emitter.select(is_near, near, far)
}

/// `x * log(u) / (u - 1)` with `u = 1 + x`. The rounding error of the sum cancels.
fn log1p(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let u = emitter.with(BinaryFn::Add, x, 1.0)?;
    let log = emitter.unary(Simple::Log, u)?;
    let step = emitter.with(BinaryFn::Sub, u, 1.0)?;
    let ratio = emitter.binary(BinaryFn::Div, x, step)?;
    let corrected = emitter.binary(BinaryFn::Mul, log, ratio)?;
    let is_tiny = emitter.compare_with(CompareFn::Eq, u, 1.0)?;
    let near = emitter.select(is_tiny, x, corrected)?;
    let is_infinite = emitter.compare_with(CompareFn::Eq, x, f64::INFINITY)?;
    let near = emitter.select(is_infinite, x, near)?;
    let is_edge = emitter.compare_with(CompareFn::Eq, x, -1.0)?;
    emitter.select(is_edge, log, near)
}

/// Activations without parameters.
fn smooth(emitter: &mut Emitter<'_, '_>, f: Simple, x: ValueId) -> Emitted {
    match f {
        Simple::Silu => {
            let gate = emitter.unary(Simple::Sigmoid, x)?;
            emitter.binary(BinaryFn::Mul, x, gate)
        }
        Simple::Mish => {
            let soft = emitter.unary(
                UnaryFn::Softplus {
                    beta: 1.0,
                    threshold: 20.0,
                },
                x,
            )?;
            let gate = emitter.unary(Simple::Tanh, soft)?;
            emitter.binary(BinaryFn::Mul, x, gate)
        }
        Simple::LogSigmoid => log_sigmoid(emitter, x),
        Simple::Hardsigmoid => hard_gate(emitter, x),
        Simple::Hardswish => {
            let shifted = emitter.with(BinaryFn::Add, x, 3.0)?;
            let clamped = emitter.unary(SIX, shifted)?;
            let scaled = emitter.binary(BinaryFn::Mul, x, clamped)?;
            emitter.with(BinaryFn::Div, scaled, 6.0)
        }
        Simple::Gelu => {
            let scaled = emitter.with(BinaryFn::Mul, x, 1.0 / SQRT_2)?;
            let erf = emitter.unary(Simple::Erf, scaled)?;
            half_gate(emitter, x, erf)
        }
        Simple::GeluTanh => gelu_tanh(emitter, x),
        other => Err(no_rule(other)),
    }
}

const SIX: UnaryFn = UnaryFn::Clamp {
    min: Some(Scalar::Int(0)),
    max: Some(Scalar::Int(6)),
};

fn hard_gate(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let shifted = emitter.with(BinaryFn::Add, x, 3.0)?;
    let clamped = emitter.unary(SIX, shifted)?;
    emitter.with(BinaryFn::Div, clamped, 6.0)
}

/// `x * (1 + t) / 2`.
fn half_gate(emitter: &mut Emitter<'_, '_>, x: ValueId, t: ValueId) -> Emitted {
    let half = emitter.with(BinaryFn::Mul, x, 0.5)?;
    let gate = emitter.with(BinaryFn::Add, t, 1.0)?;
    emitter.binary(BinaryFn::Mul, half, gate)
}

fn gelu_tanh(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let square = emitter.unary(Simple::Square, x)?;
    let cube = emitter.binary(BinaryFn::Mul, square, x)?;
    let small = emitter.with(BinaryFn::Mul, cube, 0.044715)?;
    let sum = emitter.binary(BinaryFn::Add, x, small)?;
    let inner = emitter.with(BinaryFn::Mul, sum, (2.0 / PI).sqrt())?;
    let t = emitter.unary(Simple::Tanh, inner)?;
    half_gate(emitter, x, t)
}

/// `min(x, 0) - log1p(exp(-|x|))`.
fn log_sigmoid(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let negative = emitter.unary(Simple::Neg, size)?;
    let decayed = emitter.unary(Simple::Exp, negative)?;
    let soft = emitter.unary(Simple::Log1p, decayed)?;
    let low = emitter.with(BinaryFn::Min, x, 0.0)?;
    emitter.binary(BinaryFn::Sub, low, soft)
}
