//! What is done to a graph before it is cut into delegates.

use kiln_transforms::pass::Pass;

/// The passes in order.
pub fn pipeline() -> &'static [Pass] {
    kiln_transforms::all_passes()
}
