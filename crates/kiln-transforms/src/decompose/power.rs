//! A power with a constant exponent: 2, 3, -1, -2. An exponent of 1/2 is no square root: the power of minus infinity is
//! infinity, that of negative zero is zero. (Where PyTorch takes the root, import does.)
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

use super::{Expanded, Expansion, only};
use crate::emitter::Emitter;
use crate::target::Reason;
use kiln_ir::NodeId;
use kiln_ir::ops::{BinaryFn, Simple};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "power",
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = emitter.graph().node(node).operands.clone();
    let (x, exponent) = (operands[0], operands[1]);
    let Some(power) = emitter.graph().as_splat(exponent).map(|s| s.as_f64()) else {
        return Err(Reason::new("the exponent is one constant", "a tensor"));
    };
    let is_float = emitter.ty(x).dtype.is_float();
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
