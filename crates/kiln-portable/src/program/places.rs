//! The place of each node of a program's method, and why no delegate took it.

use crate::region::{Body, Region};
use crate::views::keeps_bytes;
use crate::{is_read_by, joins_in_place, lies_together};
use kiln_ir::graph::Use;
use kiln_ir::{Graph, Id, NodeId, Op};
use kiln_target::{Place, Placed};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// What runs a node of a region.
#[derive(Clone, Copy)]
enum Inside {
    /// The delegate of this number.
    Delegate(usize),
    /// Kernels that the target brings.
    Kernels,
}

impl Inside {
    fn place(self) -> Place {
        match self {
            Inside::Delegate(number) => Place::Delegate(number),
            Inside::Kernels => Place::Kernel,
        }
    }
}

/// The place of every node, block by block, in order.
pub fn placements(graph: &Graph, regions: &[Region], target: &dyn Target) -> Vec<Placed> {
    let mut region_of: Vec<Option<Inside>> = vec![None; graph.node_bound()];
    let mut delegates = 0;
    for region in regions {
        let own = match region.body {
            Body::Delegate(_) => {
                delegates += 1;
                Inside::Delegate(delegates - 1)
            }
            Body::Kernels(_) => Inside::Kernels,
        };
        for node in &region.nodes {
            region_of[node.index()] = Some(own);
        }
    }
    let mut placed = Vec::new();
    for (block, _) in graph.blocks() {
        for (node, _) in graph.nodes_in(block) {
            placed.push(match region_of[node.index()] {
                Some(inside) => Placed {
                    node,
                    place: inside.place(),
                    reason: None,
                    difference: target.difference(graph, node),
                    floats: match inside {
                        Inside::Delegate(_) => target.floats(graph, node),
                        Inside::Kernels => None,
                    },
                },
                None if is_free(graph, node) || is_in_place(graph, node, &region_of) => Placed {
                    node,
                    place: Place::Free,
                    reason: why_apart(graph, node, &region_of, target),
                    difference: None,
                    floats: None,
                },
                None => Placed {
                    node,
                    place: Place::Kernel,
                    reason: Some(reason(graph, node, target)),
                    difference: target.kernel_difference(graph, node),
                    floats: None,
                },
            });
        }
    }
    placed
}

/// True for a slice that delegates read in place, and for a join whose parts delegates write in place.
fn is_in_place(graph: &Graph, node: NodeId, region_of: &[Option<Inside>]) -> bool {
    let is_member = |n: NodeId| region_of[n.index()].is_some();
    joins_in_place(graph, node, &is_member)
        || lies_together(graph, node) && is_read_by(graph, graph.node(node).result(), &is_member)
}

/// Why delegates that a view connects are two. `None` if it connects none, or if it could be in one.
fn why_apart(
    graph: &Graph,
    node: NodeId,
    region_of: &[Option<Inside>],
    target: &dyn Target,
) -> Option<Reason> {
    let view = graph.node(node);
    let delegate = |node: NodeId| match region_of[node.index()] {
        Some(Inside::Delegate(number)) => Some(number),
        Some(Inside::Kernels) | None => None,
    };
    let Op::Move(_) = view.op else { return None };
    let before = delegate(graph.producer(view.operands[0])?)?;
    let connects = |u: &Use| match *u {
        Use::Operand(reader, _) => delegate(reader).is_some_and(|behind| behind != before),
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    let is_between = graph.value(view.result()).uses().iter().any(connects);
    match is_between.then(|| target.placement(graph, node))? {
        Placement::Kernel(reason) | Placement::None(reason) => Some(reason),
        Placement::Delegate => None,
    }
}

/// True for nodes without an instruction of their own.
fn is_free(graph: &Graph, node: NodeId) -> bool {
    match &graph.node(node).op {
        Op::Constant(_) | Op::ReadState(_) | Op::DimValue(_) | Op::BindSymbol(_) => true,
        Op::Move(op) => op.movement.is_view(),
        Op::Cast(_) => keeps_bytes(graph, node),
        _ => false,
    }
}

fn reason(graph: &Graph, node: NodeId, target: &dyn Target) -> Reason {
    match target.placement(graph, node) {
        Placement::Kernel(reason) | Placement::None(reason) => reason,
        Placement::Delegate if target.has_faster_kernel(graph, node) => Reason::new(
            "a kernel is faster than the delegate's operators",
            "a node in front of the delegate",
        )
        .advise("nothing to do: it divides no delegate"),
        Placement::Delegate => Reason::new(
            "a delegate takes it only together with others",
            "no neighbour that a delegate takes",
        )
        .advise("nothing to do: a delegate of its own would cost more than the kernel"),
    }
}
