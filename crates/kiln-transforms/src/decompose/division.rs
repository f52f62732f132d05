//! Expands divisions that round, and remainders.
//!
//! For floats the quotient is rounded, so the error of a remainder is that of rounding `a / b`. For integers the
//! remainder is exact, by the rounded division. Further forms: a difference is a sum with the negative, the exclusive
//! or of bools is a comparison, and a quotient by a power of two is a product with its reciprocal.
//!
//! ```kiln
//! decompose none binary.floor_div binary.remainder
//! graph "division" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3]) {
//!     %2: f32[3] = binary %0, %1 {f=floor_div}
//!     %3: f32[3] = binary %2, %1 {f=remainder}
//!     return %3
//!   }
//! }
//! ---
//! graph "division" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3]) {
//!     %2: f32[3] = binary %0, %1 {f=div}
//!     %3: f32[3] = unary %2 {f=floor}
//!     %4: f32[3] = binary %3, %1 {f=div}
//!     %5: f32[3] = unary %4 {f=floor}
//!     %6: f32[3] = binary %1, %5 {f=mul}
//!     %7: f32[3] = binary %3, %6 {f=sub}
//!     return %7
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::simplify::canonical::exact_reciprocal;
use kiln_ir::ops::{Binary, BinaryFn, Compare, CompareFn, Simple};
use kiln_ir::{DType, NodeId, Op, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "division",
    rounds: Rounds::Often,
    expand,
};
/// The rule for functions that one other op computes with as many roundings.
pub const ONE_ROUNDING: Expansion = Expansion {
    name: "division",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let graph = emitter.graph();
    let operands = graph.node(node).operands.clone();
    let (a, b) = (operands[0], operands[1]);
    let f = match &graph.node(node).op {
        Op::Binary(op) => op.f,
        other => return Err(Reason::new("the op is a division", other.name())),
    };
    let dtype = emitter.ty(a).dtype;
    only(match f {
        BinaryFn::FloorDiv | BinaryFn::TruncDiv if dtype == DType::F64 => Err(Reason::new(
            "the quotient of f64 is the exact one, rounded down or towards zero",
            "a quotient that is rounded before",
        )),
        BinaryFn::FloorDiv if dtype.is_float() => rounded(emitter, a, b, Simple::Floor),
        BinaryFn::TruncDiv if dtype.is_float() => rounded(emitter, a, b, Simple::Trunc),
        BinaryFn::Remainder => rest(emitter, a, b, BinaryFn::FloorDiv),
        BinaryFn::Fmod => rest(emitter, a, b, BinaryFn::TruncDiv),
        BinaryFn::BitXor if dtype == DType::Bool => {
            emitter.node(Compare { f: CompareFn::Ne }, &[a, b])
        }
        BinaryFn::Sub => {
            let negative = emitter.unary(Simple::Neg, b)?;
            emitter.binary(BinaryFn::Add, a, negative)
        }
        BinaryFn::Div => match exact_reciprocal(emitter.graph(), b) {
            Some(data) => {
                let factor = emitter.constant("", data);
                emitter.binary(BinaryFn::Mul, a, factor)
            }
            None => Err(Reason::new(
                "the divisor is a constant power of two",
                "another",
            )),
        },
        other => Err(Reason::new(
            "the division can be expressed by other ops",
            format!("{} of {dtype}", other.text()),
        )),
    })
}

fn rounded(emitter: &mut Emitter<'_, '_>, a: ValueId, b: ValueId, rounding: Simple) -> Emitted {
    let quotient = emitter.binary(BinaryFn::Div, a, b)?;
    emitter.unary(rounding, quotient)
}

fn rest(emitter: &mut Emitter<'_, '_>, a: ValueId, b: ValueId, division: BinaryFn) -> Emitted {
    let dtype = emitter.ty(a).dtype;
    if !dtype.is_float() && !emitter.runs(Binary { f: division }, &[a, b]) {
        return Err(Reason::new(
            "the target divides such integers",
            dtype.to_string(),
        ));
    }
    let quotient = emitter.binary(division, a, b)?;
    let whole = emitter.binary(BinaryFn::Mul, b, quotient)?;
    emitter.binary(BinaryFn::Sub, a, whole)
}
