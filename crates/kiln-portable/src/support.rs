//! Which nodes the kernels run.

use kiln_ir::{Graph, NodeId};
use kiln_transforms::target::Reason;

/// Can kernels of the stock runtime run the node, or is it free (a constant, a view)?
///
/// # Errors
/// Why not, in words for the user.
pub fn support(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    crate::lower::check(graph, node)
}
