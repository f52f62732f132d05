//! Where each node of a method runs.

use kiln_ir::NodeId;
use kiln_transforms::framework::target::Reason;
use std::fmt;

/// Where a node runs. The text form (`delegate 3`, `kernel`, `free`) is that of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Inside the delegate of that number.
    Delegate(usize),
    /// As calls of the target's kernels.
    Kernel,
    /// Nowhere: it costs nothing when running.
    Free,
}

impl Place {
    /// True inside a delegate.
    pub fn is_delegate(self) -> bool {
        matches!(self, Place::Delegate(_))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Delegate(number) => write!(f, "delegate {number}"),
            Place::Kernel => f.write_str("kernel"),
            Place::Free => f.write_str("free"),
        }
    }
}

/// A node with its place, and why it is there.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The node.
    pub node: NodeId,
    /// Where it runs.
    pub place: Place,
    /// Why no delegate took it.
    pub reason: Option<Reason>,
    /// Which special values it answers otherwise than PyTorch.
    pub difference: Option<Reason>,
}
