//! TOSA as the passes see it.

use crate::lower::try_node;
use crate::orders::Orders;
use kiln_ir::{Graph, NodeId};
use kiln_transforms::target::{Placement, Target};

/// Files of TOSA 1.0: there is nothing beside them that could run a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tosa;

impl Target for Tosa {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match try_node(graph, node, &Orders) {
            Ok(()) => Placement::Delegate,
            Err(reason) => Placement::None(reason),
        }
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        true
    }

    /// An NPU copies about as many bytes while it starts one more operator.
    fn bytes_per_join(&self) -> Option<u64> {
        Some(4096)
    }
}
