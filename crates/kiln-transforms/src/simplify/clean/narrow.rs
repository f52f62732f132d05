//! Computes in f32 what is computed in f64 from f32 operands and then rounded to f32.
//!
//! This is exact for sums, differences, products, quotients and square roots. Rounding their exact result to the 53
//! digits of f64 and then to the 24 digits of f32 gives the same as rounding it once: no exact result is close enough
//! to the middle of two neighbours without being the middle. This holds for subnormal f32 too, since f64 has a wider
//! exponent. Such chains occur where scales are computed at run time, because PyTorch keeps results of f32 computations
//! in f64.
//!
//! ```kiln
//! clean
//! graph "narrow" {
//!   constant c0 "" f64[1] = [1.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3]) {
//!     %1: f64[1] = constant {value=c0}
//!     %2: f64[1, 3] = cast %0 {to=f64}
//!     %3: f64[3] = move %2 {movement=(1 a:3 -> a)}
//!     %4: f64[3] = binary %1, %3 {f=div}
//!     %5: f32[3] = cast %4 {to=f32}
//!     %6: f32[3] = cast %3 {to=f32}
//!     return %5, %6
//!   }
//! }
//! ---
//! graph "narrow" {
//!   constant c0 "cast" f32[1] = [1.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = move %0 {movement=(1 a:3 -> a)}
//!     %3: f32[3] = binary %1, %2 {f=div}
//!     return %3, %2
//!   }
//! }
//! ```

use super::casts::is_lossless;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::rewriting::{Rewritten, Rule};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::Rounding;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, ValueId};

guards! {
    /// What is computed with are numbers of f32.
    NARROW_NUMBERS;
    /// Rounded to f64 and then to f32, what is rounded once by IEEE 754 is as if rounded to f32.
    ROUNDS_ONCE;
    /// The type that was widened has numbers of f32 only.
    LOSSLESS;
}

const NARROW: DType = DType::F32;

/// The rule.
pub const RULE: Rule = Rule {
    name: "narrow_floats",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let wide = match &node.op {
        Op::Cast(cast) if cast.to == NARROW => node.operands[0],
        _ => return Ok(None),
    };
    if graph.ty(wide).dtype != DType::F64 {
        return Ok(None);
    }
    if converted(graph, unmoved(graph, wide)).is_some() {
        return exact(emitter, wide).map(Some);
    }
    let Some(inner) = graph.producer(wide).map(|p| graph.node(p)) else {
        return Ok(None);
    };
    let (op, operands) = (inner.op.clone(), inner.operands.clone());
    let rounds_once = ROUNDS_ONCE.holds(op.facts().rounding == Rounding::Once);
    let are_narrow = operands.iter().all(|&v| is_exact(graph, v));
    if !rounds_once || !NARROW_NUMBERS.holds(are_narrow) {
        return Ok(None);
    }
    let narrow = operands.iter().map(|&v| exact(emitter, v));
    let narrow = narrow.collect::<Result<Vec<ValueId>, Reason>>()?;
    emitter.value(op, &narrow).map(Some)
}

/// True if all elements of an f64 value are representable in f32: a cast from a narrower float, possibly moved, or a
/// constant.
fn is_exact(graph: &Graph, wide: ValueId) -> bool {
    let is_narrow = |number: f64| f64::from(number as f32) == number;
    match graph.as_splat(wide) {
        Some(number) => is_narrow(number.as_f64()),
        None => converted(graph, unmoved(graph, wide)).is_some(),
    }
}

/// The operand of a cast to f64, if f32 holds all numbers of its dtype.
fn converted(graph: &Graph, wide: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(wide)?);
    let source = *node.operands.first()?;
    let ty = graph.ty(source);
    let is_own = ty.quant.is_none() && LOSSLESS.holds(is_lossless(ty.dtype, NARROW));
    (matches!(node.op, Op::Cast(_)) && is_own).then_some(source)
}

/// The operand of a movement; any other value as it is. Clean graphs never have two movements in a row.
fn unmoved(graph: &Graph, value: ValueId) -> ValueId {
    let moved = graph.producer(value).map(|id| graph.node(id));
    match moved {
        Some(node) if matches!(node.op, Op::Move(_)) => node.operands[0],
        _ => value,
    }
}

/// The same numbers in f32.
fn exact(emitter: &mut Emitter<'_, '_>, wide: ValueId) -> Emitted {
    let graph = emitter.graph();
    let source = unmoved(graph, wide);
    let Some(narrow) = converted(graph, source) else {
        return emitter.cast(wide, NARROW);
    };
    let movement = graph.producer(wide).filter(|_| source != wide);
    let movement = movement.map(|id| graph.node(id).op.clone());
    let narrow = emitter.cast(narrow, NARROW)?;
    match movement {
        Some(op) => emitter.value(op, &[narrow]),
        None => Ok(narrow),
    }
}
