//! The Cortex-M target, as passes see it.

use crate::cores::Core;
use crate::dialect::{MAX_RANK, Program};
use crate::lower::trial;
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// True if a call takes or gives floats.
fn has_floats(program: &Program) -> bool {
    let mut buffers = program.buffers.iter();
    buffers.any(|buffer| buffer.dtype.is_float())
}

/// A core with programs of calls. No runtime stands beside the calls, so every node has to lower.
#[derive(Clone, Copy, Debug)]
pub struct CortexM {
    /// The core.
    pub core: &'static Core,
}

impl Target for CortexM {
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement {
        match trial(graph, node, self.core.build) {
            Ok(program) if has_floats(&program) => {
                let found = graph.node(node).op.name();
                Placement::Kernel(Reason::new("quantised values run in integers", found))
            }
            Ok(_) => Placement::Delegate,
            Err(reason) => Placement::None(reason),
        }
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        true
    }

    fn max_rank(&self) -> usize {
        MAX_RANK
    }
}
