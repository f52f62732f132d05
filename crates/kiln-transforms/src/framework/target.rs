//! What the target-independent passes may know of a target: data, never its name.

use kiln_ir::{Graph, NodeId};
use std::fmt;

/// Why something was not done, in words that a user understands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// The rule that it breaks (`the kernel has at most 2 spatial axes`).
    pub rule: String,
    /// What was found (`3 spatial axes`).
    pub found: String,
    /// What the user can do, if anything.
    pub advice: Option<String>,
}

impl Reason {
    /// A reason without advice.
    pub fn new(rule: impl Into<String>, found: impl Into<String>) -> Reason {
        Reason {
            rule: rule.into(),
            found: found.into(),
            advice: None,
        }
    }

    /// The same reason with advice.
    pub fn advise(self, advice: impl Into<String>) -> Reason {
        Reason {
            advice: Some(advice.into()),
            ..self
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; found {}", self.rule, self.found)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

/// How a target runs a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Inside a delegate, which is where a target wants its nodes.
    Delegate,
    /// By a kernel of the runtime, or for free; and why not inside a delegate.
    Kernel(Reason),
    /// Not as it is: it must be decomposed, or the model is refused with this reason.
    None(Reason),
}

impl Placement {
    /// True if the target runs a node placed so no worse than one placed as the other.
    pub fn is_no_worse_than(&self, other: &Placement) -> bool {
        self.grade() >= other.grade()
    }

    fn grade(&self) -> u8 {
        match self {
            Placement::Delegate => 2,
            Placement::Kernel(_) => 1,
            Placement::None(_) => 0,
        }
    }
}

/// A target as the passes see it.
pub trait Target {
    /// How the target runs the node as it stands in the graph.
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement;

    /// True if the node can run outside of delegates.
    fn has_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        matches!(self.placement(graph, node), Placement::Kernel(_))
    }

    /// For which special values (NaN, infinities, numbers that its types do not hold) a node inside a delegate does not
    /// give PyTorch's, if for any.
    fn difference(&self, _graph: &Graph, _node: NodeId) -> Option<Reason> {
        None
    }

    /// As [`Target::difference`], of a node that kernels run.
    fn kernel_difference(&self, _graph: &Graph, _node: NodeId) -> Option<Reason> {
        None
    }

    /// True if a node that only kernels run should be decomposed wherever its parts all run inside a
    /// delegate.
    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool;

    /// For a quantisation: from which quotient of a real by its scale on the target does not saturate, but gives the least
    /// integer, as it does for `+inf`. `None` where it saturates any real.
    fn quotients_below(&self, _graph: &Graph, _node: NodeId) -> Option<f64> {
        None
    }

    /// How many axes a tensor inside a delegate has at most.
    fn max_rank(&self) -> usize {
        usize::MAX
    }

    /// Where each node that reads a weight holds its own copy of it: copies of how many bytes a cache holds at most.
    fn cached_bytes(&self) -> u64 {
        u64::MAX
    }

    /// How many elements of elementwise work cost as much as one more operator, beside its work: 0 where an
    /// operator costs nothing.
    fn elements_per_operator(&self) -> u64 {
        0
    }

    /// Where a target writes what only a concatenation reads at its place in it, and copies every other part: how many
    /// bytes of copies cost as much as one more operator. `None` where all parts are copied, or none.
    fn bytes_per_join(&self) -> Option<u64> {
        None
    }

    /// Copying a row of neighbouring channels costs as much, beside its elements, as shuffling so many elements: 0 where a
    /// shuffle costs more than any copies.
    fn elements_per_range(&self) -> u64 {
        0
    }
}
