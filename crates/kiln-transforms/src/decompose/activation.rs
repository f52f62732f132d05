//! Expands activations with parameters into arithmetic: elu, leaky_relu, softplus, prelu.
//!
//! ```kiln
//! decompose none unary.elu unary.softplus
//! graph "activation" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=elu[1.5, 2.0, 1.0]}
//!     %2: f32[3] = unary %1 {f=softplus[2.0, 20.0]}
//!     return %2
//!   }
//! }
//! ---
//! graph "activation" {
//!   constant c0 "" f32[1] = [2.0]
//!   constant c1 "" f32[1] = [2.0]
//!   constant c2 "" f32[1] = [2.0]
//!   constant c3 "" f32[1] = [20.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=elu[1.5, 1.0, 1.0]}
//!     %2: f32[1] = constant {value=c0}
//!     %3: f32[3] = binary %1, %2 {f=mul}
//!     %4: f32[1] = constant {value=c1}
//!     %5: f32[3] = binary %3, %4 {f=mul}
//!     %6: f32[3] = unary %5 {f=exp}
//!     %7: f32[3] = unary %6 {f=log1p}
//!     %8: f32[1] = constant {value=c2}
//!     %9: f32[3] = binary %7, %8 {f=div}
//!     %10: f32[1] = constant {value=c3}
//!     %11: bool[3] = compare %5, %10 {f=gt}
//!     %12: f32[3] = select %11, %3, %9 {}
//!     return %12
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple, Unary, UnaryFn};
use kiln_ir::{Builder, NodeId, Op, ValueId};

guards! {
    /// The scale of the input keeps its sign, on which it depends what the function does.
    SAME_SIDE;
}

/// The rule for elu and softplus.
pub const RULE: Expansion = Expansion {
    name: "activation",
    rounds: Rounds::Often,
    expand,
};
/// The rule for leaky_relu, which selects one of two products.
pub const LEAKY: Expansion = Expansion {
    name: "activation",
    rounds: Rounds::AsTheOp,
    expand,
};
/// The rule for prelu.
pub const PRELU: Expansion = Expansion {
    name: "prelu",
    rounds: Rounds::AsTheOp,
    expand: prelu,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let graph = emitter.graph();
    let (op, x) = (&graph.node(node).op, graph.node(node).operands[0]);
    let Op::Unary(op) = op else {
        return Err(Reason::new("the op is an activation", op.name()));
    };
    only(match op.f {
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } => elu(emitter, x, alpha, scale, input_scale),
        UnaryFn::LeakyRelu { slope } => {
            let scaled = emitter.with(BinaryFn::Mul, x, slope)?;
            positive_or(emitter, x, x, scaled)
        }
        UnaryFn::Softplus { beta, threshold } => softplus(emitter, x, beta, threshold),
        UnaryFn::Simple(_) | UnaryFn::Clamp { .. } => {
            Err(Reason::new("the activation has parameters", "none"))
        }
    })
}

fn prelu(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let operands = emitter.graph().node(node).operands.clone();
    let scaled = emitter.binary(BinaryFn::Mul, operands[0], operands[1])?;
    only(positive_or(emitter, operands[0], operands[0], scaled))
}

/// `a` where `x` is positive, else `b`.
fn positive_or(emitter: &mut Emitter<'_, '_>, x: ValueId, a: ValueId, b: ValueId) -> Emitted {
    let positive = emitter.compare_with(CompareFn::Gt, x, 0.0)?;
    emitter.select(positive, a, b)
}

/// Uses the target's elu of scale 1 if it has one, otherwise `expm1`.
fn elu(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    alpha: f64,
    scale: f64,
    input_scale: f64,
) -> Emitted {
    let plain = UnaryFn::Elu {
        alpha: alpha * input_scale,
        scale: 1.0,
        input_scale: 1.0,
    };
    let is_plain = scale == 1.0 && input_scale == 1.0;
    if !is_plain && SAME_SIDE.holds(input_scale > 0.0) && emitter.runs(Unary { f: plain }, &[x]) {
        let inner = if input_scale == 1.0 {
            x
        } else {
            emitter.with(BinaryFn::Mul, x, input_scale)?
        };
        let value = emitter.unary(plain, inner)?;
        return emitter.with(BinaryFn::Mul, value, scale / input_scale);
    }
    let inner = if input_scale == 1.0 {
        x
    } else {
        emitter.with(BinaryFn::Mul, x, input_scale)?
    };
    let grown = emitter.unary(Simple::Expm1, inner)?;
    let below = emitter.with(BinaryFn::Mul, grown, scale * alpha)?;
    let above = if scale == 1.0 {
        x
    } else {
        emitter.with(BinaryFn::Mul, x, scale)?
    };
    positive_or(emitter, x, above, below)
}

fn softplus(emitter: &mut Emitter<'_, '_>, x: ValueId, beta: f64, threshold: f64) -> Emitted {
    let steep = if beta == 1.0 {
        x
    } else {
        emitter.with(BinaryFn::Mul, x, beta)?
    };
    let grown = emitter.unary(Simple::Exp, steep)?;
    let soft = emitter.unary(Simple::Log1p, grown)?;
    let soft = if beta == 1.0 {
        soft
    } else {
        emitter.with(BinaryFn::Div, soft, beta)?
    };
    let is_beyond = emitter.compare_with(CompareFn::Gt, steep, threshold)?;
    emitter.select(is_beyond, x, soft)
}
