//! Nodes on quantised values, which targets name in warnings.

use kiln_ir::{Graph, NodeId, Op};

/// True for a graph with quantised values.
pub fn has_quantised(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(id, _)| is_of_quantised(graph, id))
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
