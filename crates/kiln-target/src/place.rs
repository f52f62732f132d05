//! The place of each node: where it runs.

use kiln_ir::{DType, NodeId};
use kiln_transforms::framework::target::Reason;
use std::fmt;

/// Where a node runs. Reports write it as `delegate 3`, `kernel` or `free`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the delegate of this number.
    Delegate(usize),
    /// In calls of the target's kernels.
    Kernel,
    /// Nowhere: the node costs nothing at run time.
    Free,
}

impl Place {
    /// True for a node in a delegate.
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

/// A node, its place and the reason.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The node.
    pub node: NodeId,
    /// Where it runs.
    pub place: Place,
    /// Why no delegate took the node.
    pub reason: Option<Reason>,
    /// The special values (NaN, infinities) for which its result differs from PyTorch's.
    pub difference: Option<Reason>,
    /// The floats in which the delegate computes it, where those are not the model's.
    pub floats: Option<DType>,
}
