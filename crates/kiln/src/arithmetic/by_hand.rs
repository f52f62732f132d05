//! Weights of integers that the archive turns into floats by ops of its own, at every run: casts, differences and products, as
//! `run_decompositions()` leaves them. Small ones are folded, large ones are not, since the file would grow.

use super::unpacked::listed;
use crate::counted::counted;
use kiln_ir::graph::Use;
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::pass::names;
use kiln_transforms::framework::rewriting::nodes_in_use;

/// The most nodes between a cast and the layer that reads its result.
const MAX_NODES: usize = 8;

/// A warning that names the layers of a compiled graph.
pub fn warning(graph: &Graph) -> Option<String> {
    let casts = nodes_in_use(graph).into_iter().filter(|&id| {
        let node = graph.node(id);
        let of_integers =
            |v: ValueId| graph.ty(v).dtype.int_range().is_some() && is_constant(graph, v);
        matches!(node.op, Op::Cast(_))
            && graph.ty(node.result()).dtype.is_float()
            && node.operands.iter().all(|&v| of_integers(v))
    });
    let mut layers: Vec<NodeId> = casts.filter_map(|id| layer(graph, id)).collect();
    layers.sort_unstable();
    layers.dedup();
    let named: Vec<Vec<String>> = layers.iter().map(|&id| names(graph, id)).collect();
    (!layers.is_empty()).then(|| {
        format!(
            "the weights of {} are integers that become floats at every run, since the archive casts and scales them by ops of its own; \
             export without run_decompositions(), or export the float model and let --quantize round it",
            listed(&counted(layers.len(), "layer"), named.iter().map(Vec::as_slice))
        )
    })
}

/// The layer that takes the result of a cast as its weight, perhaps moved, shifted and scaled by constants.
fn layer(graph: &Graph, cast: NodeId) -> Option<NodeId> {
    let mut node = cast;
    for _ in 0..MAX_NODES {
        let mut readers = graph.value(graph.node(node).result()).uses().iter();
        node = readers.find_map(|reader| match reader {
            Use::Operand(id, _) => Some(*id),
            Use::BlockResult(..) | Use::Update(_) => None,
        })?;
        match &graph.node(node).op {
            Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) | Op::Index(_) => return Some(node),
            Op::Binary(_) | Op::Move(_) | Op::Cast(_) | Op::Broadcast(_) => {}
            _ => return None,
        }
    }
    None
}
