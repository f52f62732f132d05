//! Nodes on quantised values, which targets name in warnings.

use indexmap::IndexSet;
use kiln_ir::graph::Node;
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::pass::names;

/// How many nodes a warning names.
const MOST_NAMES: usize = 4;

/// True for a graph with quantised values.
pub fn has_quantised(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(id, _)| is_of_quantised(graph, id))
}

/// True for a part of a quantisation, or of the choice of its scales.
pub fn is_rounding(graph: &Graph, node: &Node) -> bool {
    let mut sources = node.sources.iter().map(|&s| graph.source(s).operator());
    let is_rounding = |name: &str| name.contains("quantize") || name.contains("choose_qparams");
    !node.sources.is_empty() && sources.all(|name| name.is_some_and(is_rounding))
}

/// True for the graph of a quantised model: one with quantised values, with rows that are rounded when running, or with linear layers or
/// products that multiply bytes, or floats by constant bytes. Fixed filters of a convolution may be bytes in a model of floats.
pub fn is_of_quantised_model(graph: &Graph) -> bool {
    let is_cast = |v: &ValueId| integers_of(graph, *v).is_some();
    let is_constant_cast =
        |v: &ValueId| integers_of(graph, *v).is_some_and(|from| is_constant(graph, from));
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    has_quantised(graph)
        || nodes.any(|(_, node)| match &node.op {
            Op::FakeQuantize(_) | Op::Dequantised(_) => true,
            Op::Linear(_) | Op::MatMul(_) => {
                let mut factors = node.operands.iter().take(2);
                factors.clone().all(is_cast) || factors.any(is_constant_cast)
            }
            _ => false,
        })
}

/// The tensor of bytes that was cast to a value, perhaps with arithmetic and movements behind the cast.
fn integers_of(graph: &Graph, mut value: ValueId) -> Option<ValueId> {
    loop {
        let node = graph.node(graph.producer(value)?);
        let first = *node.operands.first()?;
        match node.op {
            Op::Cast(_) if graph.ty(first).dtype == DType::I8 => return Some(first),
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

/// The nodes that compute in floats: all that give some, but for those that move elements and those at the borders of integers.
pub fn computing_in_floats(graph: &Graph) -> impl Iterator<Item = NodeId> + '_ {
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    let computing = nodes.filter(|(_, node)| {
        let is_border = matches!(node.op, Op::Quantize(_) | Op::Dequantize(_));
        let is_idle = matches!(node.op, Op::Constant(_) | Op::Move(_));
        let mut dtypes = node.results.iter().map(|&v| graph.ty(v).dtype);
        !is_border && !is_idle && dtypes.any(DType::is_float)
    });
    computing.map(|(id, _)| id)
}

/// The exporter's names of nodes that compute in floats, with the verb, as in `softmax, gelu and 3 more compute in floats`. `None` if no node
/// has a name.
pub fn in_floats(graph: &Graph, nodes: impl Iterator<Item = NodeId>) -> Option<String> {
    // A node that several were fused into goes by the first of them.
    let mut found: IndexSet<String> = IndexSet::new();
    found.extend(nodes.filter_map(|node| names(graph, node).into_iter().next()));
    let shown: Vec<&str> = found.iter().take(MOST_NAMES).map(String::as_str).collect();
    let shown = shown.join(", ");
    match found.len() {
        0 => None,
        1 => Some(format!("{shown} computes in floats")),
        2..=MOST_NAMES => Some(format!("{shown} compute in floats")),
        count => {
            let more = count - MOST_NAMES;
            Some(format!("{shown} and {more} more compute in floats"))
        }
    }
}
