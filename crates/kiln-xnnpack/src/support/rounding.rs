//! The support rule for rounding to whole numbers, for which the library has no operator.
//!
//! The lowering adds [`SHIFT`] and subtracts it again. Floats of that size have steps of 1, so the sum is a whole number. This rounds
//! numbers up to [`LIMIT`] only, and gives +0 for what PyTorch rounds to -0. So greater numbers must not arrive, or the only reader must
//! limit the result to 2^21. The reader is a clamp, a sum or a conversion to integers: other readers, as a quotient, may tell +0 from -0.
//! All this holds where a model quantises in floats: `clamp(round(x / scale) + zero_point, min, max)`.

use super::sign::range;
use crate::payload::Clamp;
use crate::weights;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, UnaryFn};
use kiln_ir::{DType, Graph, Op, Scalar, ValueId};
use kiln_transforms::framework::target::Reason;

/// The greatest magnitude that is rounded.
pub(crate) const LIMIT: f32 = (1 << 22) as f32;

/// The same as bounds.
pub(crate) const LIMITS: Clamp = Clamp {
    min: -LIMIT,
    max: LIMIT,
};

/// What is added and subtracted again: sums with numbers up to [`LIMIT`] lie between 2^23 and 2^24, where floats have steps of 1.
pub(crate) const SHIFT: f32 = (3 << 22) as f32;

/// The greatest zero point, and the greatest bound behind it. So a sum of 2^22 and a zero point is beyond every bound.
const GREATEST: f64 = (1 << 21) as f64;

/// The name of [`SHIFT`] in programs.
pub(crate) fn shift_name() -> String {
    weights::key(weights::splat(DType::F32, &[1], f64::from(SHIFT)).content())
}

/// True for values that are nowhere beyond [`LIMIT`].
pub(crate) fn is_within(graph: &Graph, value: ValueId) -> bool {
    let limit = f64::from(LIMIT);
    range(graph, value).is_some_and(|range| range.low >= -limit && range.high <= limit)
}

/// Checks that the only reader of a rounded value limits it, directly or behind a sum with a small number; or that the rounded numbers are
/// small, and the only reader is a sum, a clamp or a conversion.
///
/// # Errors
/// What is not limited.
pub(crate) fn check(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let result = node.result();
    if graph.ty(result).dtype != DType::F32 {
        let rule = "XNNPACK rounds f32 to whole numbers";
        return Err(Reason::new(rule, graph.ty(result).dtype.name()));
    }
    let rule = "XNNPACK rounds to whole numbers in front of a clamp to at most 2^21, or of a sum and such a clamp";
    let advice = "limit the result by a clamp, or round in front of the layers or behind them, where a kernel cuts no delegate";
    let is_within = is_within(graph, node.operands[0]);
    let is_limited = only_reader(graph, result).is_some_and(|reader| {
        let is_sum = is_small_sum(graph, reader, result);
        let behind = is_sum.then(|| only_reader(graph, reader.result()));
        limits(graph, reader)
            || behind.flatten().is_some_and(|reader| limits(graph, reader))
            || is_within && (is_sum || is_clamp_or_conversion(graph, reader))
    });
    is_limited
        .then_some(())
        .ok_or_else(|| Reason::new(rule, "another reader").advise(advice))
}

fn only_reader(graph: &Graph, value: ValueId) -> Option<&Node> {
    match graph.value(value).uses() {
        [Use::Operand(reader, _)] => Some(graph.node(*reader)),
        _ => None,
    }
}

/// True for a clamp to numbers of at most [`GREATEST`], and for a maximum, a minimum and clamps in a row that are as much.
fn limits<'g>(graph: &'g Graph, mut node: &'g Node) -> bool {
    const MOST_OPS: usize = 3;
    let mut has = [false; 2];
    for _ in 0..MOST_OPS {
        let is_small = |bound: f64| bound.abs() <= GREATEST;
        let number = || node.operands.iter().find_map(|&v| graph.as_number(v));
        let is_given = |bound: Option<Scalar>| bound.is_some_and(|b| is_small(b.as_f64()));
        let [below, above] = match &node.op {
            Op::Unary(op) => match op.f {
                UnaryFn::Clamp { min, max } => [min, max].map(is_given),
                _ => return false,
            },
            Op::Binary(op) if op.f == BinaryFn::Max && number().is_some() => {
                [is_given(number()), false]
            }
            Op::Binary(op) if op.f == BinaryFn::Min && number().is_some() => {
                [false, is_given(number())]
            }
            _ => return false,
        };
        has = [has[0] || below, has[1] || above];
        if has == [true; 2] {
            return true;
        }
        match only_reader(graph, node.result()) {
            Some(reader) => node = reader,
            None => return false,
        }
    }
    false
}

/// True for clamps, and for what makes integers.
fn is_clamp_or_conversion(graph: &Graph, node: &Node) -> bool {
    let makes_integers = matches!(node.op, Op::Quantize(_) | Op::Cast(_))
        && !graph.ty(node.result()).dtype.is_float();
    makes_integers || matches!(&node.op, Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }))
}

/// True for a sum or a difference of the value and a small number.
fn is_small_sum(graph: &Graph, node: &Node, value: ValueId) -> bool {
    let is_sum =
        matches!(&node.op, Op::Binary(op) if matches!(op.f, BinaryFn::Add | BinaryFn::Sub));
    let other = node.operands.iter().copied().find(|&v| v != value);
    let is_small = |v| range(graph, v).is_some_and(|r| r.low >= -GREATEST && r.high <= GREATEST);
    is_sum && other.is_some_and(is_small)
}
