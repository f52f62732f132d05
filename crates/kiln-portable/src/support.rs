//! Which nodes the kernels run.

use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason};

/// Can kernels of the stock runtime run the node, or is it free (a constant, a view)?
///
/// # Errors
/// Why not, in words for the user.
pub fn support(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    crate::lower::check(graph, node)
}

/// Where a node runs that a delegate does not take, for that reason.
pub fn placement(graph: &Graph, node: NodeId, reason: Reason) -> Placement {
    match support(graph, node) {
        Ok(()) => Placement::Kernel(reason),
        Err(kernel) => Placement::None(Reason::new(
            format!(
                "{}, and the runtime's kernels: {}",
                reason.rule, kernel.rule
            ),
            format!("{} and {}", reason.found, kernel.found),
        )),
    }
}
