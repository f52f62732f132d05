//! The nodes that kernels run.

use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::framework::target::{Placement, Reason};

/// Checks that kernels of the stock runtime can run the node, or that the node costs nothing (a constant, a view).
///
/// # Errors The reason why not, in words for the user.
pub fn support(graph: &Graph, node: NodeId) -> Result<(), Reason> {
    crate::lower::check(graph, node)
}

/// The place of a node that a delegate declined for this reason.
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

/// From which quotient on the kernels of a quantisation give the least integer, as they do for `+inf`: they take it through 32
/// bits, and on x86 what those do not hold is their least number. See [`Target::quotients_below`].
///
/// [`Target::quotients_below`]: kiln_transforms::framework::target::Target::quotients_below
pub fn quotients_below(graph: &Graph, node: NodeId) -> Option<f64> {
    const BELOW: f64 = 2147483648.0;
    matches!(graph.node(node).op, Op::Quantize(_)).then_some(BELOW)
}
