//! Recognises a maximum that only shifts a softmax. Such a maximum need not keep NaN.
//!
//! If `x` has a NaN, `x - max(x)` has one, and so have the exponential, the sum over the same axes, and each element
//! that is divided by that sum or reduced by its logarithm. Those are all elements of the row, so the result is the
//! same as with a maximum that is NaN. The exponential is lowered in a form that keeps NaN.

use kiln_ir::graph::Use;
use kiln_ir::ops::{BinaryFn, Reduce, ReduceFn, Simple, UnaryFn};
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// True if the maximum has no other purpose.
pub(crate) fn is_softmax_shift(graph: &Graph, maximum: NodeId) -> bool {
    let node = graph.node(maximum);
    let Op::Reduce(op) = &node.op else {
        return false;
    };
    let (x, greatest) = (node.operands[0], node.result());
    let shifts = |reader: NodeId| {
        is_binary(graph, reader, BinaryFn::Sub, [x, greatest])
            && is_softmax(graph, graph.node(reader).result(), op)
    };
    op.f == ReduceFn::Max && all_readers(graph, greatest, shifts)
}

/// True if a NaN in the shifted operand makes every reader's whole row NaN.
fn is_softmax(graph: &Graph, shifted: ValueId, over: &Reduce) -> bool {
    all_readers(graph, shifted, |reader| {
        let node = graph.node(reader);
        match &node.op {
            Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Exp) => {
                is_normalised(graph, node.result(), over)
            }
            Op::Binary(op) if op.f == BinaryFn::Sub && node.operands[0] == shifted => {
                is_log_of_sum(graph, node.operands[1], shifted, over)
            }
            _ => false,
        }
    })
}

/// True if the exponentials are only summed and divided by that sum.
fn is_normalised(graph: &Graph, exponential: ValueId, over: &Reduce) -> bool {
    all_readers(graph, exponential, |reader| {
        let node = graph.node(reader);
        match &node.op {
            Op::Reduce(_) => is_sum(graph, node.result(), exponential, over),
            Op::Binary(op) if op.f == BinaryFn::Div && node.operands[0] == exponential => {
                is_sum(graph, node.operands[1], exponential, over)
            }
            _ => false,
        }
    })
}

fn is_log_of_sum(graph: &Graph, log: ValueId, shifted: ValueId, over: &Reduce) -> bool {
    let of = |value: ValueId, f: Simple| {
        let node = graph.node(graph.producer(value)?);
        let is = matches!(&node.op, Op::Unary(op) if op.f == UnaryFn::Simple(f));
        is.then(|| node.operands[0])
    };
    let summed = of(log, Simple::Log).and_then(|sum| {
        let exponential = *graph.node(graph.producer(sum)?).operands.first()?;
        is_sum(graph, sum, exponential, over).then_some(exponential)
    });
    summed.and_then(|exponential| of(exponential, Simple::Exp)) == Some(shifted)
}

fn is_sum(graph: &Graph, sum: ValueId, of: ValueId, over: &Reduce) -> bool {
    let node = graph.producer(sum).map(|n| graph.node(n));
    node.is_some_and(|node| {
        let is = |op: &Reduce| op.f == ReduceFn::Sum && op.axes == over.axes;
        matches!(&node.op, Op::Reduce(op) if is(op)) && node.operands[0] == of
    })
}

fn is_binary(graph: &Graph, node: NodeId, f: BinaryFn, operands: [ValueId; 2]) -> bool {
    let node = graph.node(node);
    matches!(&node.op, Op::Binary(op) if op.f == f) && node.operands[..] == operands
}

/// True if all readers of the value are nodes that satisfy the condition.
fn all_readers(graph: &Graph, value: ValueId, mut is: impl FnMut(NodeId) -> bool) -> bool {
    let uses = graph.value(value).uses();
    uses.iter()
        .all(|u| matches!(u, Use::Operand(reader, _) if is(*reader)))
}
