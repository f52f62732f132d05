//! The graph: arenas of values, nodes, blocks and constants, and the program's signature.
//!
//! # Invariants (checked by [`crate::verify`])
//! - SSA: a value is defined once, by a node or as a block's parameter, before every use in the same
//!   block. A nested block sees only its own parameters, constants and state cells.
//! - Every use is on the used value's list, once for each operand slot.
//! - The type of a node's results is what the op table infers from its operands.
//! - A symbol that stands in a type or attribute is defined earlier: by an input's shape, or by the
//!   node that produces it (`BindSymbol`, `NonZero`).
//!
//! Reading is through methods here; every change goes through [`crate::rewrite::Rewriter`].

use crate::arena::{Arena, BlockId, CellId, ConstId, NodeId, SourceId, SymbolId, ValueId};
use crate::dim::{Dim, Symbols};
use crate::dtype::Scalar;
use crate::ops::Op;
use crate::tensor::TensorData;
use crate::types::TensorType;
use crate::uses::Uses;
use crate::visits::visit;
use smallvec::SmallVec;
use std::sync::Arc;

/// Ids of operands or results; nearly always few.
pub type ValueList = SmallVec<[ValueId; 3]>;

/// One method of a program.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The method's name.
    pub name: String,
    /// Symbols of symbolic dims and their ranges.
    pub symbols: Symbols,
    pub(crate) values: Arena<ValueId, Value>,
    pub(crate) nodes: Arena<NodeId, Node>,
    pub(crate) blocks: Arena<BlockId, Block>,
    pub(crate) constants: Arena<ConstId, Constant>,
    pub(crate) cells: Arena<CellId, StateCell>,
    pub(crate) sources: Arena<SourceId, Source>,
    pub(crate) root: BlockId,
    pub(crate) updates: Vec<Update>,
    /// The positions of the method's inputs and outputs, those that are no tensors included.
    pub signature: Signature,
}

/// A value: one tensor.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: TensorType,
    /// Where it comes from.
    pub def: Def,
    pub(crate) uses: Uses,
    /// The exporter's name, for people only.
    pub name: Option<Arc<str>>,
}

impl Value {
    /// Every operand slot that reads this value, in no particular order.
    pub fn uses(&self) -> &[Use] {
        self.uses.as_slice()
    }
}

/// What defines a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    /// Parameter `1` of block `0`.
    Param(BlockId, u32),
    /// Result `1` of node `0`.
    Result(NodeId, u32),
}

/// One read of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// Operand `1` of node `0`.
    Operand(NodeId, u32),
    /// Result `1` of block `0`.
    BlockResult(BlockId, u32),
    /// The new value of state update number `0`.
    Update(u32),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it computes, with its attributes.
    pub op: Op,
    /// Values read.
    pub operands: ValueList,
    /// Values made.
    pub results: ValueList,
    /// The places in the user's program that it stems from, merged by rewrites.
    pub sources: SmallVec<[SourceId; 1]>,
    /// The block that it stands in.
    pub block: BlockId,
    pub(crate) prev: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
}

impl Node {
    /// The only result.
    ///
    /// # Panics
    /// If the node has none or several.
    pub fn result(&self) -> ValueId {
        assert_eq!(self.results.len(), 1, "a node of one result");
        self.results[0]
    }
}

/// A list of nodes with parameters and results: the root, or the body of a branch or loop.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Values that come in.
    pub params: Vec<ValueId>,
    /// Values that go out.
    pub results: Vec<ValueId>,
    pub(crate) first: Option<NodeId>,
    pub(crate) last: Option<NodeId>,
}

/// A constant tensor.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The name of the parameter, buffer or literal, for people only.
    pub name: Arc<str>,
    /// Its type; quantised if its integers stand for reals.
    pub ty: TensorType,
    /// Its elements.
    pub data: TensorData,
}

/// Memory that outlives a call of the method.
///
/// All reads of a call see the value from before the call; all updates take effect together at its end.
#[derive(Clone, Debug)]
pub struct StateCell {
    /// The buffer's name; cells of several methods with one name are one cell.
    pub name: Arc<str>,
    /// The type of its content.
    pub ty: TensorType,
    /// What it holds at first.
    pub init: CellInit,
}

/// The first content of a state cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellInit {
    /// A constant, when the method is loaded.
    Constant(ConstId),
    /// The caller's tensor at that input position, anew in each call: an input that the program mutates.
    Input(u32),
}

/// At the end of a call, `cell` takes the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// What changes.
    pub cell: CellId,
    /// The new content.
    pub value: ValueId,
}

/// A place in the user's program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The exporter's node name.
    pub node: Arc<str>,
    /// The exporter's operator name (`aten.add.Tensor`).
    pub target: Arc<str>,
    /// The module path (`encoder.layers.0.attn`), empty if unknown.
    pub module: Arc<str>,
    /// `file:line in function: code` of the innermost user frame, empty if unknown.
    pub line: Arc<str>,
}

/// Inputs and outputs by position.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// One entry for each flattened input.
    pub inputs: Vec<InputSpec>,
    /// One entry for each flattened output.
    pub outputs: Vec<OutputSpec>,
    /// The buffers that the method reads and never writes: constants here, but another method must not write them.
    pub buffers: Vec<Arc<str>>,
}

/// What stands at an input position.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSpec {
    /// The next parameter of the root block. `dim_order`: axes outermost first in the caller's memory.
    Tensor {
        /// The exporter's name.
        name: Arc<str>,
        /// The memory order of the axes; `0, 1, ..` is contiguous.
        dim_order: Vec<u8>,
    },
    /// Always `None`.
    None,
    /// A number that the export froze.
    Scalar(Scalar),
    /// A string that the export froze.
    Text(String),
}

/// What stands at an output position.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputSpec {
    /// The next result of the root block. `dim_order`: axes outermost first in the memory of what PyTorch returned;
    /// empty for row-major.
    Tensor {
        /// A permutation of the axes, or nothing.
        dim_order: Vec<u8>,
    },
    /// Always `None`.
    None,
    /// A number that the export froze.
    Scalar(Scalar),
    /// A string that the export froze.
    Text(String),
}

impl OutputSpec {
    /// A row-major tensor.
    pub const TENSOR: OutputSpec = OutputSpec::Tensor {
        dim_order: Vec::new(),
    };
}

impl Graph {
    /// A graph with an empty root block.
    pub fn new(name: impl Into<String>) -> Graph {
        let mut blocks = Arena::new();
        let root = blocks.push(Block::default());
        Graph {
            name: name.into(),
            symbols: Symbols::default(),
            values: Arena::new(),
            nodes: Arena::new(),
            blocks,
            constants: Arena::new(),
            cells: Arena::new(),
            sources: Arena::new(),
            root,
            updates: Vec::new(),
            signature: Signature::default(),
        }
    }

    /// The method's own block.
    pub fn root(&self) -> BlockId {
        self.root
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        visit();
        &self.values[id]
    }

    /// The type of a value.
    pub fn ty(&self, id: ValueId) -> &TensorType {
        visit();
        &self.values[id].ty
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        visit();
        &self.nodes[id]
    }

    /// True for a value whose definition was not erased.
    pub fn is_live(&self, id: ValueId) -> bool {
        self.values.get(id).is_some()
    }

    /// A node, unless it was erased.
    pub fn try_node(&self, id: NodeId) -> Option<&Node> {
        visit();
        self.nodes.get(id)
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id]
    }

    /// A block, unless it went with the node whose body it was.
    pub fn try_block(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id)
    }

    /// All blocks in id order; the root is the first.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.blocks.iter()
    }

    /// A constant.
    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id]
    }

    /// All constants in id order.
    pub fn constants(&self) -> impl Iterator<Item = (ConstId, &Constant)> {
        self.constants.iter()
    }

    /// A state cell.
    pub fn cell(&self, id: CellId) -> &StateCell {
        &self.cells[id]
    }

    /// All state cells in id order.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &StateCell)> {
        self.cells.iter()
    }

    /// What happens to the state cells at the end of a call.
    pub fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// A place in the user's program.
    pub fn source(&self, id: SourceId) -> &Source {
        &self.sources[id]
    }

    /// The nodes of a block, in order.
    pub fn nodes_in(&self, block: BlockId) -> NodesIn<'_> {
        NodesIn {
            graph: self,
            next: self.blocks[block].first,
        }
    }

    /// One more than the greatest value index: the size of a table indexed by value.
    pub fn value_bound(&self) -> usize {
        self.values.bound()
    }

    /// One more than the greatest node index: the size of a table indexed by node.
    pub fn node_bound(&self) -> usize {
        self.nodes.bound()
    }

    /// Number of live nodes in all blocks.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node that makes a value; `None` for a block parameter.
    pub fn producer(&self, value: ValueId) -> Option<NodeId> {
        visit();
        match self.values[value].def {
            Def::Result(node, _) => Some(node),
            Def::Param(..) => None,
        }
    }

    /// The symbols in a node's attributes, and in the types of its operands and results; repeats included.
    pub fn mentioned_symbols(&self, node: NodeId) -> Vec<SymbolId> {
        let mut found = Vec::new();
        let mut visit = |dim: &Dim| dim.for_each_symbol(&mut |s| found.push(s));
        let node = self.node(node);
        node.results
            .iter()
            .chain(&node.operands)
            .for_each(|&v| self.ty(v).shape.iter().for_each(&mut visit));
        node.op.for_each_dim(&mut visit);
        found
    }

    /// The op that makes a value; `None` for a block parameter.
    pub fn producer_op(&self, value: ValueId) -> Option<&Op> {
        self.producer(value).map(|n| &self.nodes[n].op)
    }

    /// The constant that a value is, if a `Constant` node makes it.
    pub fn as_constant(&self, value: ValueId) -> Option<&Constant> {
        match self.producer_op(value)? {
            Op::Constant(c) => Some(&self.constants[c.value]),
            _ => None,
        }
    }

    /// The value of every element, if the value is a constant with all elements alike.
    pub fn as_splat(&self, value: ValueId) -> Option<Scalar> {
        self.as_constant(value)?.data.as_splat()
    }

    /// The number that every element is, also behind what repeats, cuts and moves; a value without elements may have one.
    pub fn as_number(&self, mut value: ValueId) -> Option<Scalar> {
        loop {
            if let Some(number) = self.as_splat(value) {
                return Some(number);
            }
            let node = self.node(self.producer(value)?);
            value = match &node.op {
                Op::Broadcast(_) | Op::Slice(_) | Op::Move(_) => node.operands[0],
                _ => return None,
            };
        }
    }

    /// The types of values.
    pub fn types(&self, values: &[ValueId]) -> SmallVec<[&TensorType; 3]> {
        values.iter().map(|&v| self.ty(v)).collect()
    }
}

/// The nodes of a block, in order.
pub struct NodesIn<'g> {
    graph: &'g Graph,
    next: Option<NodeId>,
}

impl<'g> Iterator for NodesIn<'g> {
    type Item = (NodeId, &'g Node);
    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next?;
        let node = &self.graph.nodes[id];
        self.next = node.next;
        Some((id, node))
    }
}
