//! What an artifact's methods cost. A figure that a target does not have is absent.

use indexmap::IndexMap;
use kiln_ir::NodeId;

/// The figures of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The method.
    pub name: String,
    /// Delegates that it loads; several calls may be of one.
    pub delegates: Option<usize>,
    /// Calls of kernels by kernel, in order of name.
    pub kernel_calls: Option<IndexMap<String, usize>>,
    /// The same calls by the node that they are of; those of none are for inputs, outputs and state.
    pub callers: IndexMap<Option<NodeId>, usize>,
    /// Bytes of planned memory, inputs and outputs included.
    pub planned_bytes: Option<u64>,
    /// The largest live load in the emitted order: no plan of these buffers takes less.
    pub planned_lower_bound: Option<u64>,
    /// Bytes written only to reorder elements, at the largest sizes.
    pub transposed_bytes: u64,
    /// The tensors that make these bytes.
    pub moves: Vec<Moved>,
    /// Upper bounds that nothing in the model gives, and that were chosen.
    pub assumed_bounds: Vec<AssumedBound>,
}

impl Figures {
    /// Calls of kernels in all: 0 where there are no kernels.
    pub fn kernel_call_count(&self) -> usize {
        let calls = self.kernel_calls.iter().flat_map(IndexMap::values);
        calls.sum()
    }
}

/// A tensor that is written only to reorder elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// What needs the other order.
    pub mover: Mover,
    /// Its bytes, at the greatest sizes.
    pub bytes: u64,
}

/// What needs elements in another order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// A node.
    Node(NodeId),
    /// An operator of the artifact that knows its source line, but no node.
    Line(String),
    /// The method's outputs and state.
    Method,
}

/// An upper bound of a size that the model leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedBound {
    /// The symbol's name.
    pub symbol: String,
    /// The greatest value that the artifact takes.
    pub max: i64,
}
