//! Algebraic identities that keep every bit.
//!
//! The identities are `x * 1`, `x / 1`, `x + -0.0`, `x - 0.0`, `x + 0` for integers, `max(x, x)`, double negation and
//! complement, and idempotent functions. If the neutral operand has a larger shape, a broadcast of `x` remains. `x +
//! 0.0` stays, because it turns `-0.0` into `0.0`.
//!
//! ```kiln
//! clean
//! graph "algebra" {
//!   constant c0 "" f32[1] = [-0.0]
//!   constant c1 "" f32[1] = [0.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[1] = constant {value=c1}
//!     %3: f32[3] = binary %0, %1 {f=add}
//!     %4: f32[3] = binary %3, %2 {f=sub}
//!     %5: f32[3] = binary %2, %4 {f=add}
//!     %6: f32[3] = unary %5 {f=neg}
//!     %7: f32[3] = unary %6 {f=neg}
//!     %8: f32[3] = unary %7 {f=floor}
//!     %9: f32[3] = unary %8 {f=round}
//!     return %9
//!   }
//! }
//! ---
//! graph "algebra" {
//!   constant c0 "" f32[1] = [0.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = binary %1, %0 {f=add}
//!     %3: f32[3] = unary %2 {f=floor}
//!     return %3
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, ValueId};

guards! {
    /// `x + -0.0` and `x - 0.0` are `x`; `x + 0.0` is not, for `-0.0`.
    SIGN_OF_ZERO;
    /// A neutral operand stands on the left only of what commutes.
    COMMUTES;
    /// A function undoes itself, no other.
    UNDONE;
    /// `f(x, x)` is `x` for extremes, and, or.
    IDEMPOTENT;
    /// A size of a size is that size, and a sign of a sign; a sign of a size is not the size.
    SAME_AGAIN;
    /// Only what is whole already keeps its bits in a quotient by one that is rounded to a whole number.
    WHOLE_NUMBERS;
    /// Rounding to whole numbers changes nothing that is rounded already.
    ROUNDED;
    /// The negative of a byte is another byte, whose size is its own.
    SIGNED;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "exact_identities",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let same = match &node.op {
        Op::Binary(op) => {
            let (a, b) = (node.operands[0], node.operands[1]);
            binary(graph, op.f, a, b)
        }
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => {
                if let Some(x) = under_abs(graph, f, node.operands[0]) {
                    return emitter.unary(Simple::Abs, x).map(Some);
                }
                unary(graph, f, node.operands[0])
            }
            _ => None,
        },
        _ => None,
    };
    let Some(same) = same else {
        return Ok(None);
    };
    let (ty, result) = (graph.ty(same), graph.ty(node.result()));
    if ty == result {
        return Ok(Some(same));
    }
    let repeats = ty.dtype == result.dtype && ty.quant.is_none() && result.quant.is_none();
    let (rank, shape) = (ty.rank(), result.shape.clone());
    if !repeats || rank != shape.rank() {
        return Ok(None);
    }
    emitter.broadcast(same, shape).map(Some)
}

fn binary(graph: &Graph, f: BinaryFn, a: ValueId, b: ValueId) -> Option<ValueId> {
    if a == b
        && IDEMPOTENT.holds(matches!(
            f,
            BinaryFn::Max | BinaryFn::Min | BinaryFn::BitAnd | BinaryFn::BitOr
        ))
    {
        return Some(a);
    }
    if graph.as_splat(b).is_some_and(|s| is_right_neutral(f, s)) {
        return Some(a);
    }
    (COMMUTES.holds(f.commutes()) && graph.as_splat(a).is_some_and(|s| is_right_neutral(f, s)))
        .then_some(b)
}

/// True if `f(x, s)` has the bits of `x` for all `x`.
fn is_right_neutral(f: BinaryFn, s: Scalar) -> bool {
    let is_one = match s {
        Scalar::Bool(_) => false,
        Scalar::Int(i) => i == 1,
        Scalar::Float(v) => v == 1.0,
    };
    let is_zero = |negative: bool| match s {
        Scalar::Bool(_) => false,
        Scalar::Int(i) => i == 0,
        Scalar::Float(v) => v == 0.0 && SIGN_OF_ZERO.holds(v.is_sign_negative() == negative),
    };
    match f {
        BinaryFn::Mul | BinaryFn::Div | BinaryFn::Pow => is_one,
        BinaryFn::FloorDiv | BinaryFn::TruncDiv => {
            is_one && WHOLE_NUMBERS.holds(matches!(s, Scalar::Int(_)))
        }
        BinaryFn::Add => is_zero(true),
        BinaryFn::Sub => is_zero(false),
        BinaryFn::Shl | BinaryFn::Shr => s == Scalar::Int(0),
        BinaryFn::BitOr | BinaryFn::BitXor => matches!(s, Scalar::Int(0) | Scalar::Bool(false)),
        BinaryFn::BitAnd => matches!(s, Scalar::Int(-1) | Scalar::Bool(true)),
        BinaryFn::Max => s == Scalar::Bool(false),
        BinaryFn::Min => s == Scalar::Bool(true),
        BinaryFn::Remainder | BinaryFn::Fmod | BinaryFn::Atan2 | BinaryFn::Prelu => false,
    }
}

/// A simpler form of `f(x)`, if `x` is itself the result of a function.
fn unary(graph: &Graph, f: Simple, x: ValueId) -> Option<ValueId> {
    let (inner, operand) = simple_of(graph, x)?;
    let is_undone = UNDONE.holds(inner == f) && matches!(f, Simple::Neg | Simple::BitNot);
    if is_undone {
        return Some(operand);
    }
    let is_whole = |f| {
        matches!(
            f,
            Simple::Floor | Simple::Ceil | Simple::Round | Simple::Trunc
        )
    };
    let is_idle = (is_whole(f) && ROUNDED.holds(is_whole(inner)))
        || (SAME_AGAIN.holds(f == inner) && matches!(f, Simple::Abs | Simple::Sign));
    is_idle.then_some(x)
}

/// `x`, for `abs(neg(x))`.
fn under_abs(graph: &Graph, f: Simple, x: ValueId) -> Option<ValueId> {
    let (inner, operand) = simple_of(graph, x)?;
    let is_signed = SIGNED.holds(graph.ty(operand).dtype != DType::U8);
    (f == Simple::Abs && inner == Simple::Neg && is_signed).then_some(operand)
}

fn simple_of(graph: &Graph, x: ValueId) -> Option<(Simple, ValueId)> {
    let node = graph.node(graph.producer(x)?);
    match &node.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(f) => Some((f, node.operands[0])),
            _ => None,
        },
        _ => None,
    }
}
