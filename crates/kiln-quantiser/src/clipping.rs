//! The part of a value's range that its steps are spent on.
//!
//! A few numbers far from all others leave coarse steps to these. So a range ends where the squared error on the samples is least:
//! of the numbers that it clamps, and of the steps that it leaves to the rest, as in PyTorch's `HistogramObserver`. It does not end
//! before numbers that an op picks because they are the greatest or the least, nor before those that the caller reads.

use crate::activations::readers;
use crate::grid::Grid;
use crate::ranges::{Range, Ranges};
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{PoolFn, ReduceFn};
use kiln_ir::{Graph, Op, ValueId};
use rustc_hash::FxHashSet;

/// The range within which a value is rounded: `range`, or a part of it.
pub(crate) fn clipped(
    graph: &Graph,
    ranges: &Ranges,
    (value, range): (ValueId, Range),
    grid: Grid,
) -> Range {
    match readers(graph, value).is_none() || reaches_pick(graph, value) {
        true => range,
        false => ranges.least_error(value, range, grid.steps()),
    }
}

/// True if an op picks extremes of a value, or of a function of it and constants.
fn reaches_pick(graph: &Graph, value: ValueId) -> bool {
    let mut functions = FxHashSet::from_iter([value]);
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        for use_ in graph.value(next).uses() {
            let Use::Operand(reader, _) = *use_ else {
                continue;
            };
            let node = graph.node(reader);
            if picks(graph, node) {
                return true;
            }
            let is_known = |operand: &ValueId| {
                functions.contains(operand) || graph.as_constant(*operand).is_some()
            };
            let is_function = match &node.op {
                Op::Unary(_) | Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) | Op::Pool(_) => true,
                Op::Binary(_) => node.operands.iter().all(is_known),
                _ => false,
            };
            if is_function && functions.insert(node.results[0]) {
                open.push(node.results[0]);
            }
        }
    }
    false
}

/// True for ops whose results follow from the greatest or the least of many elements. The maximum of a small window is no outlier.
fn picks(graph: &Graph, node: &Node) -> bool {
    match &node.op {
        Op::Pool(op) => {
            let places = graph.ty(node.results[0]).shape.iter().skip(2);
            !matches!(op.f, PoolFn::Avg { .. }) && places.into_iter().all(|size| size.is(1))
        }
        Op::AdaptivePool(op) => !matches!(op.f, PoolFn::Avg { .. }),
        Op::Reduce(op) => matches!(op.f, ReduceFn::Max | ReduceFn::Min),
        Op::Softmax(_) | Op::Attention(_) | Op::Sort(_) | Op::TopK(_) | Op::ArgReduce(_) => true,
        _ => false,
    }
}
