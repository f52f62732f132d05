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
use kiln_ir::{Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashSet;

/// The most functions of a value that are followed. What more of them do is not known, so all of the range counts.
const MOST_FUNCTIONS: usize = 256;

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
    let mut functions: FxHashSet<ValueId> = FxHashSet::from_iter([value]);
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        if functions.len() > MOST_FUNCTIONS {
            return true;
        }
        for use_ in graph.value(next).uses() {
            let Use::Operand(reader, _) = *use_ else {
                // The caller reads elements that are only moved or joined.
                if is_moved(graph, value, next) {
                    return true;
                }
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
                Op::Unary(_) | Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) => true,
                Op::Pool(_) | Op::Concat(_) => true,
                // A mask is added to scores, whatever it is.
                Op::Binary(_) if feeds_softmax(graph, node.results[0]) => true,
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

/// True if a value is another one's elements, moved or joined with others.
fn is_moved(graph: &Graph, from: ValueId, mut value: ValueId) -> bool {
    while value != from {
        let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
            return false;
        };
        let moves = matches!(node.op, Op::Move(_) | Op::Slice(_) | Op::Broadcast(_));
        let joins = matches!(node.op, Op::Concat(_)) && node.operands.contains(&from);
        if joins {
            return true;
        }
        if !moves {
            return false;
        }
        value = node.operands[0];
    }
    true
}

/// True if a softmax reads a value.
fn feeds_softmax(graph: &Graph, value: ValueId) -> bool {
    let is_softmax = |&(node, _): &(NodeId, usize)| matches!(graph.node(node).op, Op::Softmax(_));
    readers(graph, value).is_some_and(|readers| readers.iter().any(is_softmax))
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
