//! The target without a delegate: it has only the kernels of the stock runtime.

use crate::support;
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// Kernels only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable;

impl Target for Portable {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match support(graph, node) {
            Ok(()) => Placement::Kernel(Reason::new(
                "the target portable has no delegate",
                "a kernel",
            )),
            Err(reason) => Placement::None(reason),
        }
    }

    fn kernel_difference(&self, graph: &Graph, node: NodeId) -> Option<Reason> {
        crate::difference(graph, node)
    }

    fn quantises_nan_to_zero(&self, _: &Graph, _: NodeId) -> bool {
        false
    }

    fn quotients_below(&self, graph: &Graph, node: NodeId) -> Option<f64> {
        crate::quotients_below(graph, node)
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        false
    }
}
