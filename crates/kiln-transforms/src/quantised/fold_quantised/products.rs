//! Products with a dequantised constant matrix that are linear layers, and sums that are their biases.
//!
//! `run_decompositions()` makes `mm` of a layer without bias, and `bmm` of one whose operand is transposed: there the matrix is
//! repeated for each batch. Targets take scales by output channel and a bias in layers only, and one matrix instead of many.

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::Rewritten;
use crate::fuse::separate_bias;
use crate::simplify::linear_forms::to_weight;
use kiln_ir::ops::Linear;
use kiln_ir::types::QuantScheme;
use kiln_ir::{Builder, Graph, Movement, NodeId, Op, ValueId};

/// The product as a linear layer on the turned matrix.
pub(super) fn layer(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (Op::MatMul(_), &[x, factor]) = (&node.op, &node.operands[..]) else {
        return Ok(None);
    };
    // A product repeats its operand for several matrices; a layer does not.
    let rows = |v: ValueId| &graph.ty(v).shape[..graph.ty(v).rank() - 1];
    if rows(x) != rows(node.result()) {
        return Ok(None);
    }
    let one = repeated(graph, factor);
    let matrix = one.unwrap_or(factor);
    let Some(scheme) = scheme_of(graph, matrix) else {
        return Ok(None);
    };
    // Layers have weights about 0. Products of some targets have others.
    if one.is_none() && scheme.zero_points().iter().any(|&zero| zero != 0) {
        return Ok(None);
    }
    let Some(turned) = to_weight(&graph.ty(matrix).shape) else {
        return Ok(None);
    };
    let (unmoved, movement) = composed(graph, matrix, turned);
    let weight = emitter.movement(unmoved, movement)?;
    emitter.unfolded(Linear {}, &[x, weight]).map(Some)
}

/// The layer with the constant that is added to its result as the bias: integers take both at once.
pub(super) fn bias(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    separate_bias::with_bias(emitter, id, |graph, weight| {
        scheme_of(graph, weight).is_some()
    })
}

/// The matrix that a value repeats along its outer axes.
fn repeated(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    let matrix = node.operands.first().copied()?;
    let (from, to) = (&graph.ty(matrix).shape, &graph.ty(value).shape);
    let inner = to.rank().checked_sub(2)?;
    let is_repeated = matches!(node.op, Op::Broadcast(_)) && from[inner..] == to[inner..];
    is_repeated.then_some(matrix)
}

/// The value behind movements, and all of these as one. Groups lie along the last axis of what is dequantised, and stay in integers only if
/// the movements undo each other.
fn composed(graph: &Graph, mut value: ValueId, mut movement: Movement) -> (ValueId, Movement) {
    while let Some(node) = graph.producer(value).map(|id| graph.node(id))
        && let Op::Move(op) = &node.op
        && let Some(both) = op.movement.compose(&movement).one()
    {
        (value, movement) = (node.operands[0], both);
    }
    (value, movement)
}

/// How the constant is quantised whose dequantisation a value moves.
fn scheme_of(graph: &Graph, mut value: ValueId) -> Option<&QuantScheme> {
    loop {
        if graph.as_constant(value).is_some() {
            return graph.ty(value).quant.as_ref().map(|quant| &quant.scheme);
        }
        let node = graph.node(graph.producer(value)?);
        match node.op {
            Op::Move(_) | Op::Dequantize(_) => value = node.operands[0],
            _ => return None,
        }
    }
}
