//! The costs of an artifact's methods. A figure that a target does not have is absent.

use indexmap::IndexMap;
use kiln_ir::NodeId;

/// The figures of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The method's name.
    pub name: String,
    /// Delegates that the method loads. Several calls may share a delegate.
    pub delegates: Option<usize>,
    /// Kernel calls by kernel, sorted by name.
    pub kernel_calls: Option<IndexMap<String, usize>>,
    /// The same kernel calls by node. Calls without a node serve inputs, outputs and state.
    pub callers: IndexMap<Option<NodeId>, usize>,
    /// Bytes of planned memory, including inputs and outputs.
    pub planned_bytes: Option<u64>,
    /// The greatest sum of live buffers in the emitted order. No plan of these buffers takes less.
    pub planned_lower_bound: Option<u64>,
    /// Bytes written only to reorder elements, at the greatest sizes.
    pub transposed_bytes: u64,
    /// The tensors that add up to `moved_bytes`.
    pub moves: Vec<Moved>,
    /// Upper bounds of sizes that the model leaves open and Kiln chose.
    pub assumed_bounds: Vec<AssumedBound>,
}

impl Figures {
    /// The number of kernel calls; 0 for targets without kernels.
    pub fn kernel_call_count(&self) -> usize {
        let calls = self.kernel_calls.iter().flat_map(IndexMap::values);
        calls.sum()
    }
}

/// A tensor that is written only to reorder elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The consumer that needs the other order.
    pub mover: Mover,
    /// Bytes of the tensor, at the greatest sizes.
    pub bytes: u64,
}

/// What needs its elements in another order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// A node of the graph.
    Node(NodeId),
    /// An operator of the artifact that has a source line but no node.
    Line(String),
    /// The method's outputs or its state.
    Method,
}

/// An upper bound of a size that the model leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedBound {
    /// The symbol's name.
    pub symbol: String,
    /// The greatest value that the artifact accepts.
    pub max: i64,
}
