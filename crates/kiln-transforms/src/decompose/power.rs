//! Expands a power with the constant exponent 2, 3, -1 or -2. An exponent of 1/2 is no square root, because the power
//! of minus infinity is infinity, and that of negative zero is zero. (Where PyTorch computes a root, the importer does
//! too.)
//!
//! A power of integers with exponents known at run time is the product of those repeated squares whose bit is set in
//! the exponent. It wraps as integers do. With a negative exponent, 1 and -1 keep their absolute value, and all else
//! becomes 0.
//!
//! ```kiln
//! decompose none binary.pow
//! graph "power" {
//!   constant c0 "" f32[1] = [3.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = binary %0, %1 {f=pow}
//!     return %2
//!   }
//! }
//! ---
//! graph "power" {
//!   constant c0 "" f32[1] = [3.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = unary %0 {f=square}
//!     %3: f32[3] = binary %2, %0 {f=mul}
//!     return %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, NodeId, ValueId};

guards! {
    /// No exponent is negative.
    NO_NEGATIVES;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "power",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = emitter.graph().node(node).operands.clone();
    let (x, exponent) = (operands[0], operands[1]);
    let is_float = emitter.ty(x).dtype.is_float();
    let Some(power) = emitter.graph().as_splat(exponent).map(|s| s.as_f64()) else {
        return match is_float {
            true => Err(Reason::new("the exponent is one constant", "a tensor")),
            false => only(by_squares(emitter, x, exponent)),
        };
    };
    let value = match power {
        2.0 => emitter.unary(Simple::Square, x)?,
        3.0 => {
            let square = emitter.unary(Simple::Square, x)?;
            emitter.binary(BinaryFn::Mul, square, x)?
        }
        -1.0 if is_float => emitter.unary(Simple::Reciprocal, x)?,
        -2.0 if is_float => {
            let square = emitter.unary(Simple::Square, x)?;
            emitter.unary(Simple::Reciprocal, square)?
        }
        _ if !is_float => by_squares(emitter, x, exponent)?,
        other => {
            return Err(Reason::new(
                "the exponent is 2, 3, -1 or -2",
                other.to_string(),
            ));
        }
    };
    let shape = emitter.shape(emitter.graph().node(node).result());
    only(emitter.broadcast(value, shape))
}

/// The power of integers, with exponents of the same dtype.
fn by_squares(emitter: &mut Emitter<'_, '_>, x: ValueId, exponent: ValueId) -> Emitted {
    let dtype = emitter.ty(x).dtype;
    let Some((least, greatest)) = dtype.int_range() else {
        return Err(Reason::new(
            "the power has numbers as operands",
            dtype.to_string(),
        ));
    };
    let unit = emitter.scalar_like(1i64, x);
    let (mut power, mut square) = (unit, x);
    let bits = i64::BITS - greatest.leading_zeros();
    for bit in 0..bits {
        let has = has_bit(emitter, exponent, bit)?;
        let factor = emitter.select(has, square, unit)?;
        power = emitter.binary(BinaryFn::Mul, power, factor)?;
        if bit + 1 < bits {
            square = emitter.binary(BinaryFn::Mul, square, square)?;
        }
    }
    if NO_NEGATIVES.holds(least == 0) {
        return Ok(power);
    }
    let inverse = to_negative(emitter, x, exponent)?;
    let is_negative = emitter.compare_with(CompareFn::Lt, exponent, 0i64)?;
    emitter.select(is_negative, inverse, power)
}

fn has_bit(emitter: &mut Emitter<'_, '_>, x: ValueId, bit: u32) -> Result<ValueId, Reason> {
    let found = emitter.with(BinaryFn::BitAnd, x, 1i64 << bit)?;
    emitter.compare_with(CompareFn::Ne, found, 0i64)
}

/// The power for negative exponents, truncated.
fn to_negative(emitter: &mut Emitter<'_, '_>, x: ValueId, exponent: ValueId) -> Emitted {
    let [unit, minus, none] = [1i64, -1, 0].map(|number| emitter.scalar_like(number, x));
    let odd = has_bit(emitter, exponent, 0)?;
    let sign = emitter.select(odd, minus, unit)?;
    let is_minus = emitter.compare_with(CompareFn::Eq, x, -1i64)?;
    let other = emitter.select(is_minus, sign, none)?;
    let is_unit = emitter.compare_with(CompareFn::Eq, x, 1i64)?;
    emitter.select(is_unit, unit, other)
}
