//! Where each node of a compiled method runs, and why not inside a delegate.

use kiln_ir::{Graph, Id, NodeId, Op};
use kiln_portable::region::Region;
use kiln_portable::{is_read_by, joins_in_place, lies_together};
use kiln_transforms::framework::target::{Placement, Reason, Target};
use std::fmt;

/// Where a node runs. The text form (`delegate 3`, `kernel`, `free`) is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Inside the delegate of that number.
    Delegate(usize),
    /// As calls of the target's kernels.
    Kernel,
    /// Nowhere: it costs nothing when running.
    Free,
}

impl Place {
    /// True inside a delegate.
    pub fn is_delegate(self) -> bool {
        matches!(self, Place::Delegate(_))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Delegate(number) => write!(f, "delegate {number}"),
            Place::Kernel => f.write_str("kernel"),
            Place::Free => f.write_str("free"),
        }
    }
}

/// A node with its place, and why it is there.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The node.
    pub node: NodeId,
    /// Where it runs.
    pub place: Place,
    /// Why no delegate took it.
    pub reason: Option<Reason>,
    /// What the delegate computes otherwise than PyTorch: for special values only.
    pub difference: Option<Reason>,
}

/// The place of every node, block by block in order.
pub fn placements(graph: &Graph, regions: &[Region], target: &dyn Target) -> Vec<Placed> {
    let mut region_of: Vec<Option<usize>> = vec![None; graph.node_bound()];
    for (number, region) in regions.iter().enumerate() {
        region
            .nodes
            .iter()
            .for_each(|n| region_of[n.index()] = Some(number));
    }
    let mut placed = Vec::new();
    for (block, _) in graph.blocks() {
        for (node, data) in graph.nodes_in(block) {
            placed.push(match region_of[node.index()] {
                Some(number) => Placed {
                    node,
                    place: Place::Delegate(number),
                    reason: None,
                    difference: target.difference(graph, node),
                },
                None if is_free(&data.op) || is_in_place(graph, node, &region_of) => Placed {
                    node,
                    place: Place::Free,
                    reason: None,
                    difference: None,
                },
                None => Placed {
                    node,
                    place: Place::Kernel,
                    reason: Some(reason(graph, node, target)),
                    difference: target.kernel_difference(graph, node),
                },
            });
        }
    }
    placed
}

/// True for a slice of which only delegates read, where it lies, and for a join whose parts they write there.
fn is_in_place(graph: &Graph, node: NodeId, region_of: &[Option<usize>]) -> bool {
    let is_member = |n: NodeId| region_of[n.index()].is_some();
    joins_in_place(graph, node, &is_member)
        || lies_together(graph, node) && is_read_by(graph, graph.node(node).result(), &is_member)
}

/// What is no instruction of its own.
fn is_free(op: &Op) -> bool {
    match op {
        Op::Constant(_) | Op::ReadState(_) | Op::DimValue(_) | Op::BindSymbol(_) => true,
        Op::Move(op) => op.movement.is_view(),
        _ => false,
    }
}

fn reason(graph: &Graph, node: NodeId, target: &dyn Target) -> Reason {
    match target.placement(graph, node) {
        Placement::Kernel(reason) | Placement::None(reason) => reason,
        Placement::Delegate => Reason::new(
            "a delegate takes it only together with others",
            "no neighbour that a delegate takes",
        ),
    }
}
