//! Expands inverse trigonometric and hyperbolic functions, for targets that have neither these nor kernels.
//!
//! On `[-1, 1]` the arc tangent is `t` times a polynomial in `t^2`, fitted at 2,000 Chebyshev nodes with a relative
//! error of at most 2.5e-9; beyond, it follows from the reciprocal. The other functions follow from the arc tangent, or
//! from logarithms and exponentials in forms that neither cancel near 0 nor overflow early. Outside of their domains
//! they give NaN or infinity as in PyTorch.

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Simple, UnaryFn};
use kiln_ir::{Builder, NodeId, Op, ValueId};
use std::f64::consts::{FRAC_PI_2, LN_2, PI};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "inverse_function",
    rounds: Rounds::Often,
    expand,
};

/// The coefficients of `atan(t) / t` in powers of `t^2`, lowest power first.
const ARC_TANGENT: [f64; 10] = [
    0.999_999_997_546_020_1,
    -0.333_332_822_955_113_5,
    0.199_982_306_403_651_83,
    -0.142_615_736_802_055_83,
    0.109_401_989_648_311_96,
    -0.083_720_639_473_416_75,
    0.057_463_557_838_687_944,
    -0.030_717_508_896_067_683,
    0.010_680_719_442_149_784,
    -0.001_743_701_142_988_976,
];

/// From this number on, adding 1 to its square has no effect.
const LARGE: f64 = 1e9;

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let x = operand(emitter, node, 0);
    let f = match &emitter.graph().node(node).op {
        Op::Unary(op) => op.f,
        Op::Binary(op) if op.f == BinaryFn::Atan2 => {
            let other = operand(emitter, node, 1);
            return only(arc_tangent_of_two(emitter, x, other));
        }
        other => {
            return Err(Reason::new("the op is a unary function", other.name()));
        }
    };
    let UnaryFn::Simple(f) = f else {
        return Err(Reason::new(
            "the function has no parameters",
            format!("{f:?}"),
        ));
    };
    only(match f {
        Simple::Atan => arc_tangent(emitter, x),
        Simple::Asin => arc_sine(emitter, x),
        Simple::Acos => arc_cosine(emitter, x),
        Simple::Sinh => hyperbolic_sine(emitter, x),
        Simple::Cosh => hyperbolic_cosine(emitter, x),
        Simple::Asinh => area_sine(emitter, x),
        Simple::Acosh => area_cosine(emitter, x),
        Simple::Atanh => area_tangent(emitter, x),
        other => Err(Reason::new(
            "the function can be expressed by other functions",
            other.text(),
        )),
    })
}

/// `size` with the sign of `x`.
fn signed(emitter: &mut Emitter<'_, '_>, size: ValueId, x: ValueId) -> Emitted {
    let negative = emitter.unary(Simple::Neg, size)?;
    let is_negative = emitter.compare_with(CompareFn::Lt, x, 0.0)?;
    emitter.select(is_negative, negative, size)
}

/// The arc tangent for `t` in `[-1, 1]`.
pub(super) fn arc_tangent_within_one(emitter: &mut Emitter<'_, '_>, t: ValueId) -> Emitted {
    let square = emitter.binary(BinaryFn::Mul, t, t)?;
    let sum = emitter.polynomial(square, &ARC_TANGENT)?;
    emitter.binary(BinaryFn::Mul, sum, t)
}

fn arc_tangent(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let inverse = emitter.unary(Simple::Reciprocal, size)?;
    let is_far = emitter.compare_with(CompareFn::Gt, size, 1.0)?;
    let t = emitter.select(is_far, inverse, size)?;
    let near = arc_tangent_within_one(emitter, t)?;
    let quarter = emitter.scalar_like(FRAC_PI_2, x);
    let far = emitter.binary(BinaryFn::Sub, quarter, near)?;
    let angle = emitter.select(is_far, far, near)?;
    signed(emitter, angle, x)
}

/// `atan(x / sqrt((1 - x) (1 + x)))`.
fn arc_sine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let one = emitter.scalar_like(1.0, x);
    let (low, high) = (
        emitter.binary(BinaryFn::Sub, one, x)?,
        emitter.binary(BinaryFn::Add, one, x)?,
    );
    let product = emitter.binary(BinaryFn::Mul, low, high)?;
    let root = emitter.unary(Simple::Sqrt, product)?;
    let ratio = emitter.binary(BinaryFn::Div, x, root)?;
    arc_tangent(emitter, ratio)
}

/// `2 atan(sqrt((1 - x) / (1 + x)))`.
fn arc_cosine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let one = emitter.scalar_like(1.0, x);
    let (low, high) = (
        emitter.binary(BinaryFn::Sub, one, x)?,
        emitter.binary(BinaryFn::Add, one, x)?,
    );
    let ratio = emitter.binary(BinaryFn::Div, low, high)?;
    let root = emitter.unary(Simple::Sqrt, ratio)?;
    let half = arc_tangent(emitter, root)?;
    emitter.with(BinaryFn::Mul, half, 2.0)
}

/// The angle of `(x, y)`: that of `(|x|, |y|)`, reflected by the signs of both, including signs of zeros. On the
/// diagonals, also between infinities, the quotient is 1. At the origin the angle is 0.
fn arc_tangent_of_two(emitter: &mut Emitter<'_, '_>, y: ValueId, x: ValueId) -> Emitted {
    let (height, width) = (
        emitter.unary(Simple::Abs, y)?,
        emitter.unary(Simple::Abs, x)?,
    );
    let ratio = emitter.binary(BinaryFn::Div, height, width)?;
    let is_diagonal = emitter.value(Compare { f: CompareFn::Eq }, &[height, width])?;
    let one = emitter.scalar_like(1.0, ratio);
    let ratio = emitter.select(is_diagonal, one, ratio)?;
    let size = emitter.binary(BinaryFn::Add, height, width)?;
    let is_origin = emitter.compare_with(CompareFn::Eq, size, 0.0)?;
    let zero = emitter.scalar_like(0.0, ratio);
    let ratio = emitter.select(is_origin, zero, ratio)?;
    let angle = arc_tangent(emitter, ratio)?;
    let half_turn = emitter.scalar_like(PI, angle);
    let mirrored = emitter.binary(BinaryFn::Sub, half_turn, angle)?;
    let is_left = has_minus_sign(emitter, x)?;
    let angle = emitter.select(is_left, mirrored, angle)?;
    let negative = emitter.unary(Simple::Neg, angle)?;
    let is_below = has_minus_sign(emitter, y)?;
    emitter.select(is_below, negative, angle)
}

/// True for negative numbers and for `-0.0`, whose reciprocal is `-inf`.
fn has_minus_sign(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let is_below = emitter.compare_with(CompareFn::Lt, x, 0.0)?;
    let inverse = emitter.unary(Simple::Reciprocal, x)?;
    let is_inverse_below = emitter.compare_with(CompareFn::Lt, inverse, 0.0)?;
    emitter.binary(BinaryFn::BitOr, is_below, is_inverse_below)
}

/// `(u + u / (u + 1)) / 2` with `u = exp(|x|) - 1` near 0, and half the exponential elsewhere.
fn hyperbolic_sine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let grown = emitter.unary(Simple::Expm1, size)?;
    let more = emitter.with(BinaryFn::Add, grown, 1.0)?;
    let ratio = emitter.binary(BinaryFn::Div, grown, more)?;
    let sum = emitter.binary(BinaryFn::Add, grown, ratio)?;
    let near = emitter.with(BinaryFn::Mul, sum, 0.5)?;
    let less = emitter.with(BinaryFn::Sub, size, LN_2)?;
    let far = emitter.unary(Simple::Exp, less)?;
    let is_far = emitter.compare_with(CompareFn::Gt, size, 20.0)?;
    let value = emitter.select(is_far, far, near)?;
    signed(emitter, value, x)
}

fn hyperbolic_cosine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let up = emitter.with(BinaryFn::Sub, size, LN_2)?;
    let negative = emitter.unary(Simple::Neg, size)?;
    let down = emitter.with(BinaryFn::Sub, negative, LN_2)?;
    let (grown, shrunk) = (
        emitter.unary(Simple::Exp, up)?,
        emitter.unary(Simple::Exp, down)?,
    );
    emitter.binary(BinaryFn::Add, grown, shrunk)
}

/// `log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))`, or `log |x| + log 2` if the square is large.
fn area_sine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let square = emitter.binary(BinaryFn::Mul, size, size)?;
    let more = emitter.with(BinaryFn::Add, square, 1.0)?;
    let root = emitter.unary(Simple::Sqrt, more)?;
    let below = emitter.with(BinaryFn::Add, root, 1.0)?;
    let ratio = emitter.binary(BinaryFn::Div, square, below)?;
    let sum = emitter.binary(BinaryFn::Add, size, ratio)?;
    let near = emitter.unary(Simple::Log1p, sum)?;
    let value = far_or(emitter, size, near)?;
    signed(emitter, value, x)
}

/// `log1p(t + sqrt(2 t + t^2))` with `t = x - 1`.
fn area_cosine(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let t = emitter.with(BinaryFn::Sub, x, 1.0)?;
    let square = emitter.binary(BinaryFn::Mul, t, t)?;
    let twice = emitter.binary(BinaryFn::Add, t, t)?;
    let sum = emitter.binary(BinaryFn::Add, twice, square)?;
    let root = emitter.unary(Simple::Sqrt, sum)?;
    let sum = emitter.binary(BinaryFn::Add, t, root)?;
    let near = emitter.unary(Simple::Log1p, sum)?;
    let value = far_or(emitter, x, near)?;
    // Below -1 the root is real again, but the function is undefined.
    let nan = emitter.scalar_like(f64::NAN, x);
    let is_below = emitter.compare_with(CompareFn::Lt, x, 1.0)?;
    emitter.select(is_below, nan, value)
}

/// `log size + log 2` if `size` is large, otherwise `near`.
fn far_or(emitter: &mut Emitter<'_, '_>, size: ValueId, near: ValueId) -> Emitted {
    let log = emitter.unary(Simple::Log, size)?;
    let far = emitter.with(BinaryFn::Add, log, LN_2)?;
    let is_far = emitter.compare_with(CompareFn::Gt, size, LARGE)?;
    emitter.select(is_far, far, near)
}

/// `log1p(2 x / (1 - x)) / 2`.
fn area_tangent(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let size = emitter.unary(Simple::Abs, x)?;
    let one = emitter.scalar_like(1.0, x);
    let rest = emitter.binary(BinaryFn::Sub, one, size)?;
    let twice = emitter.binary(BinaryFn::Add, size, size)?;
    let ratio = emitter.binary(BinaryFn::Div, twice, rest)?;
    let log = emitter.unary(Simple::Log1p, ratio)?;
    let half = emitter.with(BinaryFn::Mul, log, 0.5)?;
    signed(emitter, half, x)
}
