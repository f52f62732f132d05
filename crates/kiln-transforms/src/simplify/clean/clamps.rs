//! Merges two clamps with overlapping ranges into one.
//!
//! ```kiln
//! clean
//! graph "clamps" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=clamp[0, none]}
//!     %2: f32[3] = unary %1 {f=clamp[-1.0, 6.0]}
//!     return %2
//!   }
//! }
//! ---
//! graph "clamps" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=clamp[0, 6.0]}
//!     return %1
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::ops::UnaryFn;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, ValueId};

guards! {
    /// Both ranges have a number in common: else the outer clamp gives one of its bounds.
    OVERLAP;
    /// Bounds are numbers of the type: with NaN as a bound every result is NaN.
    NUMBERS;
    /// The bounds are integers of the type, not the reals that quantised integers stand for.
    OWN_INTEGERS;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "join_clamps",
    rewrite,
};

/// Limits the bounds of a clamp to the range of its integer dtype, and removes bounds that the dtype implies.
pub const FIT: Rule = Rule {
    name: "fit_clamp",
    rewrite: fit,
};

fn fit(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((x, bounds)) = clamp_of(graph, id) else {
        return Ok(None);
    };
    let ty = graph.ty(x);
    let Some((least, greatest)) = ty.dtype.int_range() else {
        return Ok(None);
    };
    if !OWN_INTEGERS.holds(ty.quant.is_none()) {
        return Ok(None);
    }
    let own = |bound: Option<Scalar>, end: i64| {
        let bound = bound.map(|b| ty.dtype.saturated(b));
        bound.filter(|&b| b != Scalar::Int(end))
    };
    let (min, max) = (own(bounds.0, least), own(bounds.1, greatest));
    match (min, max) {
        (None, None) => Ok(Some(x)),
        fitted if fitted == bounds => Ok(None),
        (min, max) => emitter.unary(UnaryFn::Clamp { min, max }, x).map(Some),
    }
}

type Bounds = (Option<Scalar>, Option<Scalar>);

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((middle, outer)) = clamp_of(graph, id) else {
        return Ok(None);
    };
    let Some((x, inner)) = graph.producer(middle).and_then(|n| clamp_of(graph, n)) else {
        return Ok(None);
    };
    let Some((min, max)) = overlap(inner, outer, graph.ty(x).dtype) else {
        return Ok(None);
    };
    emitter.unary(UnaryFn::Clamp { min, max }, x).map(Some)
}

fn clamp_of(graph: &Graph, node: NodeId) -> Option<(ValueId, Bounds)> {
    let node = graph.node(node);
    match &node.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Clamp { min, max } => Some((node.operands[0], (min, max))),
            _ => None,
        },
        _ => None,
    }
}

fn overlap(a: Bounds, b: Bounds, dtype: DType) -> Option<Bounds> {
    let bounds = [a.0, a.1, b.0, b.1];
    let is_plain = |s: &Scalar| match s {
        Scalar::Int(_) => true,
        Scalar::Float(f) => dtype.is_float() && !f.is_nan(),
        Scalar::Bool(_) => false,
    };
    if !NUMBERS.holds(bounds.iter().flatten().all(is_plain)) {
        return None;
    }
    let pick = |a: Option<Scalar>, b: Option<Scalar>, greatest: bool| match (a, b) {
        (Some(a), Some(b)) => Some(if (less(a, b)) == greatest { b } else { a }),
        (one, other) => one.or(other),
    };
    let (min, max) = (pick(a.0, b.0, true), pick(a.1, b.1, false));
    let is_empty = min.zip(max).is_some_and(|(min, max)| less(max, min));
    OVERLAP.holds(!is_empty).then_some((min, max))
}

fn less(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}
