//! Expands divisions that round, and remainders.
//!
//! A remainder of integers is what the rounded division leaves, exact. Of floats only the division towards zero is made of
//! others: the quotient rounded, then cut off, is what it is in PyTorch. Remainders of floats are exact there, and so are
//! quotients rounded down, so the product with a rounded quotient does not give them. A difference is a sum with the
//! negative, and the exclusive or of bools a comparison; a quotient is a product with the reciprocal of a power of two.
//!
//! ```kiln
//! decompose none binary.trunc_div binary.remainder
//! graph "division" {
//!   constant c0 "" i32[1] = [-3]
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   input tensor "i" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3], %2 "i": i32[3]) {
//!     %3: i32[1] = constant {value=c0}
//!     %4: f32[3] = binary %0, %1 {f=trunc_div}
//!     %5: i32[3] = binary %2, %3 {f=remainder}
//!     return %4, %5
//!   }
//! }
//! ---
//! graph "division" {
//!   constant c0 "" i32[1] = [-3]
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   input tensor "i" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[3], %1 "y": f32[3], %2 "i": i32[3]) {
//!     %3: i32[1] = constant {value=c0}
//!     %4: f32[3] = binary %0, %1 {f=div}
//!     %5: f32[3] = unary %4 {f=trunc}
//!     %6: i32[3] = binary %2, %3 {f=floor_div}
//!     %7: i32[3] = binary %3, %6 {f=mul}
//!     %8: i32[3] = binary %2, %7 {f=sub}
//!     return %5, %8
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use crate::simplify::canonical::exact_reciprocal;
use kiln_ir::ops::{Binary, BinaryFn, Compare, CompareFn, Simple};
use kiln_ir::{Builder, DType, NodeId, Op, ValueId};

guards! {
    /// The rest of integers is exact; that of floats would be taken of a rounded quotient.
    EXACT_REST;
}

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
        BinaryFn::TruncDiv if dtype.is_float() => {
            let quotient = emitter.binary(BinaryFn::Div, a, b)?;
            emitter.unary(Simple::Trunc, quotient)
        }
        BinaryFn::FloorDiv | BinaryFn::Remainder | BinaryFn::Fmod
            if !EXACT_REST.holds(!dtype.is_float()) =>
        {
            Err(Reason::new(
                "the division leaves an exact rest",
                format!("{} of a rounded quotient", f.text()),
            ))
        }
        BinaryFn::Remainder => rest(emitter, a, b, BinaryFn::FloorDiv),
        BinaryFn::Fmod => rest(emitter, a, b, BinaryFn::TruncDiv),
        BinaryFn::BitXor if dtype == DType::Bool => {
            emitter.value(Compare { f: CompareFn::Ne }, &[a, b])
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

fn rest(emitter: &mut Emitter<'_, '_>, a: ValueId, b: ValueId, division: BinaryFn) -> Emitted {
    let dtype = emitter.ty(a).dtype;
    if !emitter.runs(Binary { f: division }, &[a, b]) {
        return Err(Reason::new(
            "the target divides such integers",
            dtype.to_string(),
        ));
    }
    let quotient = emitter.binary(division, a, b)?;
    let whole = emitter.binary(BinaryFn::Mul, b, quotient)?;
    emitter.binary(BinaryFn::Sub, a, whole)
}
