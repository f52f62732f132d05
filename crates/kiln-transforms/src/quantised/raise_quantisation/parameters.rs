//! How the scales and the zero points of rows follow from their extremes, as [`kiln_ir::dynamic_quant::parameters`] chooses them.

use super::rows::ZeroPoint;
use super::whole::bounds;
use super::{binary, in_both_orders, number, origin, unary};
use crate::guards;
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple, UnaryFn};
use kiln_ir::{DynamicQuant, Graph, Mapping, Op, ValueId};

guards! {
    /// Rows reach to 0.
    FROM_ZERO;
    /// There are as many steps between the extremes as between the integers.
    ALL_STEPS;
    /// Both extremes are those of the same axes.
    SAME_AXES;
    /// Zero points count from the least integer.
    FROM_LEAST;
}

/// The value of which this is the inverse.
pub(super) fn inverted(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let value = origin(graph, value);
    if let Some(inner) = unary(graph, value, Simple::Reciprocal.into()) {
        return Some(inner);
    }
    let [one, inner] = binary(graph, value, BinaryFn::Div)?;
    (number(graph, one) == Some(1.0)).then_some(inner)
}

/// How the scales and the zero points of rows of `x` were chosen from their extremes.
pub(super) fn chosen(
    graph: &Graph,
    x: ValueId,
    scale: ValueId,
    zero_point: ZeroPoint,
    quant: DynamicQuant,
) -> Option<DynamicQuant> {
    let node = graph.node(graph.producer(scale)?);
    let eps = match &node.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Clamp {
                min: Some(min),
                max: None,
            } => min.as_f64(),
            _ => return None,
        },
        _ => return None,
    };
    let [reach, units] = binary(graph, origin(graph, node.operands[0]), BinaryFn::Div)?;
    let (reach, units) = (origin(graph, reach), number(graph, units)?);
    let steps = (quant.max - quant.min) as f64;
    if let Some([greatest, least]) = binary(graph, reach, BinaryFn::Sub) {
        let axes = extreme(graph, greatest, x, Extreme::Greatest)?;
        let is_whole = ALL_STEPS.holds(units == steps)
            && SAME_AXES.holds(extreme(graph, least, x, Extreme::Least)? == axes);
        let quant = DynamicQuant { axes, eps, ..quant };
        let least = origin(graph, least);
        let is_own = is_from_least(graph, zero_point, [least, scale], &quant);
        return (is_whole && is_own).then_some(quant);
    }
    let ends = binary(graph, reach, BinaryFn::Max)?;
    let below = |value| unary(graph, origin(graph, value), Simple::Neg.into());
    let mut orders = in_both_orders(ends).into_iter();
    let [least, greatest] = orders.find_map(|[a, b]| Some([below(a)?, b]))?;
    let axes = extreme(graph, greatest, x, Extreme::Greatest)?;
    let mapping = match units {
        _ if units == steps / 2.0 => Mapping::Symmetric,
        _ if ALL_STEPS.holds(units == quant.max as f64) => Mapping::SymmetricByEnd,
        _ => return None,
    };
    let quant = DynamicQuant {
        axes,
        eps,
        mapping,
        ..quant
    };
    let is_same = SAME_AXES.holds(extreme(graph, least, x, Extreme::Least)? == axes);
    (is_same && quant.is_about_zero() && zero_point == ZeroPoint::Number(0.0)).then_some(quant)
}

#[derive(Clone, Copy)]
enum Extreme {
    Least,
    Greatest,
}

/// The number of trailing axes of `x` over which the value has the least element or 0, or the greatest element or 0.
fn extreme(graph: &Graph, value: ValueId, x: ValueId, which: Extreme) -> Option<usize> {
    let (f, over) = match which {
        Extreme::Least => (BinaryFn::Min, ReduceFn::Min),
        Extreme::Greatest => (BinaryFn::Max, ReduceFn::Max),
    };
    let operands = binary(graph, origin(graph, value), f)?;
    let mut orders = in_both_orders(operands).into_iter();
    let [inner, _] = orders.find(|[_, zero]| FROM_ZERO.holds(number(graph, *zero) == Some(0.0)))?;
    let node = graph.node(graph.producer(origin(graph, inner))?);
    let Op::Reduce(op) = &node.op else {
        return None;
    };
    if op.f != over || node.operands[0] != x {
        return None;
    }
    let rank = graph.ty(x).rank();
    let mut axes = op.axes.to_vec();
    axes.sort_unstable();
    let first = rank.checked_sub(axes.len())?;
    axes.iter().copied().eq(first..rank).then_some(axes.len())
}

/// True for the zero points `min - round(least / scale)`, clamped to the range of the integers.
fn is_from_least(
    graph: &Graph,
    zero_point: ZeroPoint,
    [least, scale]: [ValueId; 2],
    quant: &DynamicQuant,
) -> bool {
    let ZeroPoint::Value(clamped) = zero_point else {
        return false;
    };
    let maker = graph.producer(clamped).map(|id| graph.node(id));
    let inner = maker.and_then(|node| match &node.op {
        Op::Unary(op) if bounds(op.f) == Some((quant.min, quant.max)) => Some(node.operands[0]),
        _ => None,
    });
    let quotient = inner.and_then(|value| {
        let [start, steps] = binary(graph, origin(graph, value), BinaryFn::Sub)?;
        let is_start = FROM_LEAST.holds(number(graph, start) == Some(quant.min as f64));
        let steps = unary(graph, origin(graph, steps), Simple::Round.into())?;
        let quotient = binary(graph, origin(graph, steps), BinaryFn::Div)?;
        is_start.then_some(quotient)
    });
    quotient.is_some_and(|operands| operands.map(|v| origin(graph, v)) == [least, scale])
}
