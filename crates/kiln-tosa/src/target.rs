//! The TOSA target, as passes see it.

use crate::difference::difference;
use crate::lower::trial;
use crate::machine::Machine;
use crate::orders::{MOVERS, Orders};
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// TOSA 1.0 files. They have no kernels beside them, so every node has to lower.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tosa {
    /// The machine that the files are for.
    pub machine: Machine,
}

impl Target for Tosa {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        let orders = Orders {
            machine: self.machine,
        };
        match trial(graph, node, &orders, self.machine) {
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

    fn bytes_per_join(&self) -> Option<u64> {
        self.machine.bytes_per_join
    }
}
