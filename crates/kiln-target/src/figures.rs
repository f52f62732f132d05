//! The costs of an artifact's methods. A figure that a target does not have is absent.

use indexmap::IndexMap;
use kiln_ir::NodeId;
use std::ops::AddAssign;

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
    /// The calls without a node, by kernel, sorted by name.
    pub added: IndexMap<String, usize>,
    /// How the kernel calls fall into those of layers and of rows, if layers are computed by rows.
    pub bands: Option<Bands>,
    /// Bytes of planned memory, including inputs and outputs.
    pub planned_bytes: Option<u64>,
    /// The greatest sum of live buffers in the emitted order. No plan of these buffers takes less.
    pub planned_lower_bound: Option<u64>,
    /// The bytes that delegates take from the runtime while they run, beside planned memory.
    pub scratch_bytes: Option<u64>,
    /// The names and the bytes of the constants that become a part of the firmware, for artifacts of source code.
    pub constants: Option<Vec<(String, u64)>>,
    /// Bytes written only to reorder elements, at the greatest sizes.
    pub transposed_bytes: u64,
    /// The tensors that add up to `moved_bytes`.
    pub moves: Vec<Moved>,
    /// The operators inside delegates. Those of a delegate that several calls share count once.
    pub operators: Operators,
    /// Upper bounds of sizes that the model leaves open and Kiln chose.
    pub assumed_bounds: Vec<AssumedBound>,
}

impl Figures {
    /// The number of kernel calls; 0 for targets without kernels.
    pub fn kernel_call_count(&self) -> usize {
        let calls = self.kernel_calls.iter().flat_map(IndexMap::values);
        calls.sum()
    }

    /// The bytes of the constants, for artifacts of source code.
    pub fn constant_bytes(&self) -> Option<u64> {
        let constants = self.constants.as_ref()?;
        Some(constants.iter().map(|(_, bytes)| bytes).sum())
    }
}

/// The operators inside delegates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// All of them.
    pub all: usize,
    /// Those that only keep NaN and infinity as in PyTorch.
    pub guards: usize,
    /// Those between number formats.
    pub conversions: usize,
}

impl AddAssign for Operators {
    fn add_assign(&mut self, more: Operators) {
        self.all += more.all;
        self.guards += more.guards;
        self.conversions += more.conversions;
    }
}

/// Kernel calls of layers that are computed by rows, told from those of whole layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bands {
    /// The calls that there would be if all layers were computed as a whole.
    pub layers: usize,
    /// Those of them that are computed by rows.
    pub by_rows: usize,
    /// The calls in their place.
    pub bands: usize,
    /// Calls that move rows which are kept.
    pub moves: usize,
}

impl Bands {
    /// In words; `None` if all layers are computed as a whole.
    pub fn text(&self) -> Option<String> {
        let Bands {
            layers,
            by_rows,
            bands,
            moves,
        } = self;
        let moved = match moves {
            0 => String::new(),
            _ => format!(" and {moves} moves of rows"),
        };
        (*by_rows > 0).then(|| {
            format!("{layers} of layers, {by_rows} of these by rows in {bands} bands{moved}")
        })
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
