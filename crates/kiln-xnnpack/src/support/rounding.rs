//! The support rule for rounding to whole numbers, for which the library has no operator.
//!
//! The lowering adds and subtracts a number beyond which floats have steps of 1. That rounds numbers up to [`LIMIT`] only. So greater
//! ones must not arrive, or not matter, since what reads the result limits it to less. That is so where a model quantises in floats:
//! `clamp(round(x / scale) + zero_point, min, max)`.

use super::sign::range;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, UnaryFn};
use kiln_ir::{Graph, Op, Scalar, ValueId};
use kiln_transforms::framework::target::Reason;

/// The numbers that are rounded, up to this magnitude.
pub(crate) const LIMIT: f32 = (1 << 22) as f32;

/// The greatest zero point, and the greatest bound behind it: a sum with a number beyond [`LIMIT`] is beyond it.
const GREATEST: f64 = (1 << 21) as f64;

/// True for values that are nowhere beyond [`LIMIT`].
pub(crate) fn is_within(graph: &Graph, value: ValueId) -> bool {
    let limit = f64::from(LIMIT);
    range(graph, value).is_some_and(|range| range.low >= -limit && range.high <= limit)
}

/// Checks that no great number is rounded, or that the only reader limits the result, directly or behind a sum with a small number.
///
/// # Errors
/// What reads the value.
pub(super) fn check(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let result = node.result();
    if is_within(graph, node.operands[0]) {
        return Ok(());
    }
    let rule = "XNNPACK rounds numbers up to 2^22, which a clamp limits before or behind";
    let advice = "limit what is rounded by a clamp to such numbers, or round in front of the layers or behind them, where it divides no delegate";
    let is_limited = only_reader(graph, result).is_some_and(|reader| {
        let is_moved = is_moved_by_less(graph, reader, result);
        let behind = is_moved.then(|| only_reader(graph, reader.result()));
        is_limit(reader) || behind.flatten().is_some_and(is_limit)
    });
    is_limited
        .then_some(())
        .ok_or_else(|| Reason::new(rule, "numbers without a limit").advise(advice))
}

fn only_reader(graph: &Graph, value: ValueId) -> Option<&Node> {
    match graph.value(value).uses() {
        [Use::Operand(reader, _)] => Some(graph.node(*reader)),
        _ => None,
    }
}

/// True for a clamp to small numbers.
fn is_limit(node: &Node) -> bool {
    let is_small = |bound: Option<Scalar>| bound.is_some_and(|b| b.as_f64().abs() <= GREATEST);
    matches!(&node.op, Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { min, max } if is_small(min) && is_small(max)))
}

/// True for a sum or a difference of the value and a small number.
fn is_moved_by_less(graph: &Graph, node: &Node, value: ValueId) -> bool {
    let is_sum =
        matches!(&node.op, Op::Binary(op) if matches!(op.f, BinaryFn::Add | BinaryFn::Sub));
    let other = node.operands.iter().copied().find(|&v| v != value);
    let is_small = |v| range(graph, v).is_some_and(|r| r.low >= -GREATEST && r.high <= GREATEST);
    is_sum && other.is_some_and(is_small)
}
