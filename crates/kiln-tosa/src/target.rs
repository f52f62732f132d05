//! TOSA as the passes see it.

use crate::difference::difference;
use crate::lower::trial;
use crate::machine::Machine;
use crate::orders::{MOVERS, Orders};
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// Files of TOSA 1.0: there is nothing beside them that could run a node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tosa;

impl Target for Tosa {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match trial(graph, node, &Orders, Machine::default()) {
            Ok(_) => Placement::Delegate,
            Err(reason) => Placement::None(reason),
        }
    }

    fn difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        difference(graph, node)
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        true
    }

    fn max_rank(&self) -> usize {
        MOVERS.max_rank
    }

    /// About as many bytes are copied while one more operator reads its operand and starts, by Vela's estimates.
    fn bytes_per_join(&self) -> Option<u64> {
        Some(1024)
    }
}
