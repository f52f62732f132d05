//! A target as the target-independent passes see it: what it supports and what things cost, never its name.

use kiln_ir::{DType, Graph, NodeId, TensorData, TensorType};
use std::fmt;

/// Why something was not done, for users.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    /// The rule that was broken (`the kernel has at most 2 spatial axes`).
    pub rule: String,
    /// What was found (`3 spatial axes`).
    pub found: String,
    /// What the user can do about it, if anything.
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
    /// Inside a delegate. This is the best placement.
    Delegate,
    /// By a kernel of the runtime, or at no cost. The reason says why not inside a delegate.
    Kernel(Reason),
    /// The target cannot run the node as it is. It must be decomposed; otherwise the model is refused with this reason.
    None(Reason),
}

impl Placement {
    /// True if this placement is at least as good as the other: a delegate is better than a kernel, and a kernel better
    /// than none.
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
pub trait Target: Send + Sync {
    /// How the target runs the node as it stands in the graph.
    fn placement(&self, graph: &Graph, node: NodeId) -> Placement;

    /// True if the node can run outside of delegates.
    fn has_kernel(&self, graph: &Graph, node: NodeId) -> bool {
        matches!(self.placement(graph, node), Placement::Kernel(_))
    }

    /// True if the kernel of a node that a delegate takes needs less time than the delegate's operators. It computes the node where that
    /// divides no delegate.
    fn has_faster_kernel(&self, _graph: &Graph, _node: NodeId) -> bool {
        false
    }

    /// The special values (NaN, infinities, numbers that the target's types do not hold) for which a node inside a
    /// delegate gives other results than PyTorch. `None` if there are none.
    fn difference(&self, _graph: &Graph, _node: NodeId) -> Option<Reason> {
        None
    }

    /// As [`Target::difference`], for a node that runs as a kernel.
    fn kernel_difference(&self, _graph: &Graph, _node: NodeId) -> Option<Reason> {
        None
    }

    /// True if a node that can run only as a kernel should be decomposed wherever all its parts run inside a delegate.
    fn prefers_decomposed(&self, graph: &Graph, node: NodeId) -> bool;

    /// For a quantisation: the quotient (real by scale) from which the target no longer saturates, but gives the least
    /// integer, as it does for `+inf`. `None` if the target saturates all reals.
    fn quotients_below(&self, _graph: &Graph, _node: NodeId) -> Option<f64> {
        None
    }

    /// For a quantisation: true if NaN becomes the integer 0, or the nearest one in its range, as in PyTorch, or if the
    /// user says that none arises.
    fn quantises_nan_to_zero(&self, _graph: &Graph, _node: NodeId) -> bool {
        true
    }

    /// True if a tensor of this quantised type can lie inside a delegate. Values of other types are kept in integers of 32 bits there.
    fn holds(&self, _ty: &TensorType) -> bool {
        true
    }

    /// The bytes that the constant weight of a linear layer or a convolution takes in a program.
    fn weight_bytes(&self, weight: &TensorData) -> usize {
        weight.content().len()
    }

    /// The floats in which a delegate computes the node, where those are not the model's.
    fn floats(&self, _graph: &Graph, _node: NodeId) -> Option<DType> {
        None
    }

    /// The highest rank of a tensor inside a delegate.
    fn max_rank(&self) -> usize {
        usize::MAX
    }

    /// The cache size, in bytes, for copies of weights. A target that copies a weight for each node that reads it runs
    /// slower once the copies exceed this.
    fn cached_bytes(&self) -> u64 {
        u64::MAX
    }

    /// The fixed cost of one more operator, in elements of elementwise work; 0 if an operator has no fixed cost.
    fn elements_per_operator(&self) -> u64 {
        0
    }

    /// For a target that lets a producer write its result at its place in a concatenation, if the concatenation is the
    /// only reader, and copies all other parts: the cost of one more operator, in copied bytes. `None` if the target
    /// copies all parts or none.
    fn bytes_per_join(&self) -> Option<u64> {
        None
    }

    /// The fixed cost of copying one row of neighbouring channels, besides its elements, in shuffled elements; 0 if
    /// shuffling an element costs more than any copies.
    fn elements_per_range(&self) -> u64 {
        0
    }
}
