//! Gives equivalent ops one form: constant operands on the right, a product for a division by a power of two, a clamp
//! for an extreme with a number, a sum for a difference with a constant.
//!
//! Every form has the same bits, and is chosen only if the target runs it at least as well.
//!
//! ```kiln
//! canonical
//! graph "canonical" {
//!   constant c0 "" f32[1] = [4.0]
//!   constant c1 "" f32[1] = [3.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[1] = constant {value=c1}
//!     %3: f32[3] = binary %0, %1 {f=div}
//!     %4: f32[3] = binary %2, %3 {f=mul}
//!     %5: f32[3] = binary %4, %2 {f=sub}
//!     %6: f32[3] = binary %5, %2 {f=max}
//!     return %6
//!   }
//! }
//! ---
//! graph "canonical" {
//!   constant c0 "" f32[1] = [3.0]
//!   constant c1 "" f32[1] = [0.25]
//!   constant c2 "unary" f32[1] = [-3.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[1] = constant {value=c1}
//!     %3: f32[3] = binary %0, %2 {f=mul}
//!     %4: f32[3] = binary %3, %1 {f=mul}
//!     %5: f32[1] = constant {value=c2}
//!     %6: f32[3] = binary %4, %5 {f=add}
//!     %7: f32[3] = unary %6 {f=clamp[3.0, none]}
//!     return %7
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::Target;
use crate::guards;
use kiln_ir::ops::{Binary, BinaryFn, Simple, Unary, UnaryFn};
use kiln_ir::tensor::TensorData;
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, Scalar, ValueId};

guards! {
    /// Of zeros of both signs an extreme is the one or the other by the order of the operands.
    NO_ZERO;
    /// The op commutes.
    COMMUTES;
    /// The divisor is a power of two: its reciprocal is exact.
    POWER_OF_TWO;
    /// The divisor and its reciprocal are normal numbers.
    NORMAL;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "canonical",
    keeps_bits: true,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[
    Rule {
        name: "constant_right",
        rewrite: constant_right,
    },
    Rule {
        name: "multiply_by_reciprocal",
        rewrite: multiply_by_reciprocal,
    },
    Rule {
        name: "add_negative",
        rewrite: add_negative,
    },
    Rule {
        name: "clamp_by_number",
        rewrite: clamp_by_number,
    },
];

/// Rewrites ops to their canonical form; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

fn binary(graph: &Graph, node: NodeId) -> Option<(BinaryFn, ValueId, ValueId)> {
    let node = graph.node(node);
    match &node.op {
        Op::Binary(op) => Some((op.f, node.operands[0], node.operands[1])),
        _ => None,
    }
}

fn constant_right(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((f, a, b)) = binary(graph, node) else {
        return Ok(None);
    };
    let is_constant = |v| graph.as_constant(v).is_some();
    // The extreme of two zeros of unlike signs depends on the order of the operands.
    let is_extreme = matches!(f, BinaryFn::Max | BinaryFn::Min);
    if !NO_ZERO.holds(!(is_extreme && holds_zero(graph, a))) {
        return Ok(None);
    }
    if !COMMUTES.holds(f.commutes())
        || !is_constant(a)
        || is_constant(b)
        || !emitter.is_no_worse(node, Binary { f }, &[b, a])
    {
        return Ok(None);
    }
    emitter.unfolded(Binary { f }, &[b, a]).map(Some)
}

fn holds_zero(graph: &Graph, value: ValueId) -> bool {
    let constant = graph.as_constant(value);
    constant.is_some_and(|c| {
        let is_float = c.data.dtype().is_float();
        is_float && c.data.scalars().any(|s| s.as_f64() == 0.0)
    })
}

fn multiply_by_reciprocal(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let Some((BinaryFn::Div, a, b)) = binary(emitter.graph(), node) else {
        return Ok(None);
    };
    let Some(data) = exact_reciprocal(emitter.graph(), b) else {
        return Ok(None);
    };
    let by = emitter.constant("", data);
    let mul = Binary { f: BinaryFn::Mul };
    if !emitter.is_no_worse(node, mul.clone(), &[a, by]) {
        return Ok(None);
    }
    emitter.unfolded(mul, &[a, by]).map(Some)
}

/// The reciprocals of a constant whose elements are all powers of two, so that a product with them has the bits of the
/// quotient.
pub fn exact_reciprocal(graph: &Graph, value: ValueId) -> Option<TensorData> {
    const MAX_ELEMENTS: usize = 1 << 16;
    let data = &graph.as_constant(value)?.data;
    if data.elements() > MAX_ELEMENTS || !data.dtype().is_float() {
        return None;
    }
    // Only exponents that f16 holds, so that in no dtype the number or its reciprocal is subnormal.
    let reciprocal = |s: Scalar| {
        let v = s.as_f64();
        let is_power = v.to_bits() & ((1 << 52) - 1) == 0;
        let size = v.abs();
        let is_normal = (2f64.powi(-14)..=2f64.powi(14)).contains(&size);
        (POWER_OF_TWO.holds(is_power) && NORMAL.holds(is_normal)).then(|| Scalar::Float(1.0 / v))
    };
    let scalars: Vec<Scalar> = data.scalars().map(reciprocal).collect::<Option<_>>()?;
    Some(TensorData::from_scalars(
        data.dtype(),
        data.sizes().to_vec(),
        scalars,
    ))
}

fn add_negative(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    const MAX_BYTES: usize = 64 << 10;
    let Some((BinaryFn::Sub, a, b)) = binary(emitter.graph(), node) else {
        return Ok(None);
    };
    let is_small = emitter
        .graph()
        .as_constant(b)
        .is_some_and(|c| c.data.bytes().len() <= MAX_BYTES);
    if !is_small {
        return Ok(None);
    }
    let negative = emitter.unary(Simple::Neg, b)?;
    let add = Binary { f: BinaryFn::Add };
    if emitter.graph().as_constant(negative).is_none()
        || !emitter.is_no_worse(node, add.clone(), &[a, negative])
    {
        return Ok(None);
    }
    emitter.unfolded(add, &[a, negative]).map(Some)
}

fn clamp_by_number(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((f, a, b)) = binary(graph, node) else {
        return Ok(None);
    };
    let Some(bound) = graph.as_splat(b) else {
        return Ok(None);
    };
    // The sign of the extreme of two zeros is unspecified.
    let is_plain = match bound {
        Scalar::Int(_) => true,
        Scalar::Float(v) => !v.is_nan() && v != 0.0,
        Scalar::Bool(_) => false,
    };
    let f = match f {
        BinaryFn::Max => UnaryFn::Clamp {
            min: Some(bound),
            max: None,
        },
        BinaryFn::Min => UnaryFn::Clamp {
            min: None,
            max: Some(bound),
        },
        _ => return Ok(None),
    };
    if !is_plain
        || graph.ty(a) != graph.ty(graph.node(node).result())
        || !emitter.is_no_worse(node, Unary { f }, &[a])
    {
        return Ok(None);
    }
    emitter.unfolded(Unary { f }, &[a]).map(Some)
}
