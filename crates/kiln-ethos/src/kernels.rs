//! What the NPU does not take, as kernels of integers of the Cortex-M beside it.

use crate::target::EthosU;
use kiln_cortex_m::{CompileError, Firmware, regions_of};
use kiln_ir::{Graph, Id, NodeId, Op};
use kiln_portable::region::Region;
use kiln_transforms::framework::regions::Partition;

/// The regions of the nodes outside of the NPU's that kernels of integers take. Each node is a region of its own, so that no two
/// regions need each other.
///
/// # Errors
/// If a node has no kernel: a bug.
pub(crate) fn regions(
    graph: &Graph,
    target: &EthosU,
    of_npu: &[Region],
) -> Result<Vec<Region>, CompileError> {
    let Some(kernels) = target.kernels() else {
        return Ok(Vec::new());
    };
    let mut is_inside = vec![false; graph.node_bound()];
    for node in of_npu.iter().flat_map(|region| &region.nodes) {
        is_inside[node.index()] = true;
    }
    let blocks = graph.blocks();
    let nodes = blocks.flat_map(|(block, _)| graph.nodes_in(block).map(|(id, _)| id));
    let taken = nodes.filter(|&id| !is_inside[id.index()] && computes(graph, kernels, id));
    let parts = taken.map(|id| vec![id]).collect();
    regions_of(graph, &Partition::of(graph, parts), kernels)
}

/// Whether kernels of integers run the node. Movements are views, or stock kernels move them.
fn computes(graph: &Graph, kernels: &Firmware, id: NodeId) -> bool {
    let is_moved = matches!(graph.node(id).op, Op::Constant(_) | Op::Move(_));
    !is_moved && kernels.takes(graph, id).is_ok()
}
