//! Nodes on quantised values, which targets name in warnings.

use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;

/// True for a graph with quantised values.
pub fn has_quantised(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(id, _)| is_of_quantised(graph, id))
}

/// True for the graph of a quantised model: one with quantised values, with rows that are rounded when running, with products of
/// bytes, or with layers whose weights are bytes that are cast to floats.
pub fn is_of_quantised_model(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    has_quantised(graph)
        || nodes.any(|(_, node)| match &node.op {
            Op::FakeQuantize(_) | Op::Dequantised(_) => true,
            Op::Linear(_) | Op::Conv(_) => is_cast_of_bytes(graph, node.operands[1]),
            Op::MatMul(_) => {
                let mut factors = node.operands.iter();
                factors.clone().all(|&v| is_cast(graph, v, DType::I8))
                    || factors.any(|&v| is_cast_of_bytes(graph, v))
            }
            _ => false,
        })
}

fn is_cast_of_bytes(graph: &Graph, value: ValueId) -> bool {
    let from = integers_of(graph, value).filter(|&from| is_constant(graph, from));
    from.is_some_and(|from| matches!(graph.ty(from).dtype, DType::I8 | DType::U8))
}

fn is_cast(graph: &Graph, value: ValueId, from: DType) -> bool {
    integers_of(graph, value).is_some_and(|value| graph.ty(value).dtype == from)
}

/// What was cast to a value, perhaps with arithmetic and movements behind the cast.
fn integers_of(graph: &Graph, mut value: ValueId) -> Option<ValueId> {
    loop {
        let node = graph.node(graph.producer(value)?);
        let first = *node.operands.first()?;
        match node.op {
            Op::Cast(_) if !graph.ty(first).dtype.is_float() => return Some(first),
            Op::Cast(_) | Op::Move(_) | Op::Binary(_) => value = first,
            _ => return None,
        }
    }
}

/// True for a graph with a node that gives floats.
pub fn has_floats(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(_, node)| node.results.iter().any(|&v| graph.ty(v).dtype.is_float()))
}

/// True for a node that quantises, dequantises or otherwise reads or gives quantised values.
pub fn is_of_quantised(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let mut values = node.operands.iter().chain(&node.results);
    matches!(node.op, Op::Quantize(_) | Op::Dequantize(_))
        || values.any(|&v| graph.ty(v).quant.is_some())
}
