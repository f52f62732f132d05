//! The graph: arenas of values, nodes, blocks and constants, and the program's signature.
//!
//! # Invariants (checked by [`crate::verify`])
//! - SSA: a value has one definition, by a node or as a block's parameter, before all its uses in the same block. A
//!   nested block sees only its own parameters, constants and state cells.
//! - Use lists: the use list of a value has every use once, one for each operand slot.
//! - Types: a node's results have the types that the op table infers from its operands.
//! - Symbols: a symbol in a type or attribute is defined earlier, by the shape of an input or by the node that binds it
//!   (`BindSymbol`, `NonZero`).
//!
//! This module only reads graphs. Every change goes through [`crate::rewrite::Rewriter`].

use crate::arena::{Arena, BlockId, CellId, ConstId, NodeId, SourceId, SymbolId, ValueId};
use crate::dim::{Dim, Symbols};
use crate::dtype::Scalar;
use crate::ops::Op;
use crate::tensor::TensorData;
use crate::types::{TensorType, TypeNames};
use crate::uses::Uses;
use crate::visits::visit;
use smallvec::SmallVec;
use std::sync::Arc;

/// The ids of operands or results. There are nearly always few.
pub type ValueList = SmallVec<[ValueId; 3]>;

/// One method of a program.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The method's name.
    pub name: String,
    /// The symbols of symbolic dims and their ranges.
    pub symbols: Symbols,
    pub(crate) values: Arena<ValueId, Value>,
    pub(crate) nodes: Arena<NodeId, Node>,
    pub(crate) blocks: Arena<BlockId, Block>,
    pub(crate) constants: Arena<ConstId, Constant>,
    pub(crate) cells: Arena<CellId, StateCell>,
    pub(crate) sources: Arena<SourceId, Source>,
    pub(crate) root: BlockId,
    pub(crate) updates: Vec<Update>,
    /// The positions of the method's inputs and outputs, including those that are no tensors.
    pub signature: Signature,
}

/// A value: one tensor.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: TensorType,
    /// The definition of the value.
    pub def: Def,
    pub(crate) uses: Uses,
    /// The exporter's name, for messages only.
    pub name: Option<Arc<str>>,
}

impl Value {
    /// The use list: every operand slot that reads this value, in no particular order.
    pub fn uses(&self) -> &[Use] {
        self.uses.as_slice()
    }
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    /// Parameter `1` of block `0`.
    Param(BlockId, u32),
    /// Result `1` of node `0`.
    Result(NodeId, u32),
}

/// One use of a value.
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
    /// The operation, with its attributes.
    pub op: Op,
    /// The values that the node reads.
    pub operands: ValueList,
    /// The values that the node defines.
    pub results: ValueList,
    /// Where the node stems from in the user's program; rewrites merge these.
    pub sources: SmallVec<[SourceId; 1]>,
    /// The block that contains the node.
    pub block: BlockId,
    pub(crate) prev: Option<NodeId>,
    pub(crate) next: Option<NodeId>,
}

impl Node {
    /// The only result of the node.
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
    /// The values that the block takes.
    pub params: Vec<ValueId>,
    /// The values that the block gives.
    pub results: Vec<ValueId>,
    pub(crate) first: Option<NodeId>,
    pub(crate) last: Option<NodeId>,
}

/// A constant tensor.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The name of the parameter, buffer or literal, for messages only.
    pub name: Arc<str>,
    /// Its type. The type is quantised if the integers represent reals.
    pub ty: TensorType,
    /// Its elements.
    pub data: TensorData,
}

/// A state cell: memory that outlives a call of the method.
///
/// All reads of one call see the content from before the call. All updates take effect together at the end of the call.
#[derive(Clone, Debug)]
pub struct StateCell {
    /// The name of the buffer. Cells of several methods with the same name are one cell.
    pub name: Arc<str>,
    /// The type of its content.
    pub ty: TensorType,
    /// The initial content.
    pub init: CellInit,
}

/// The initial content of a state cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellInit {
    /// A constant, which is copied when the method is loaded.
    Constant(ConstId),
    /// The caller's tensor at this input position, in every call: the program mutates this input.
    Input(u32),
}

/// An update: at the end of a call, `cell` is set to `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The cell that changes.
    pub cell: CellId,
    /// The new content.
    pub value: ValueId,
}

/// An operation of the user's program.
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

impl Source {
    /// The operator as users write it: `add` of `aten.add.Tensor`. `None` if the target is no operator.
    pub fn operator(&self) -> Option<&str> {
        let mut parts = self.target.split('.').skip(1);
        parts.next().filter(|name| !name.is_empty())
    }
}

/// The inputs and outputs by position.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// One entry for each flattened input.
    pub inputs: Vec<InputSpec>,
    /// One entry for each flattened output.
    pub outputs: Vec<OutputSpec>,
    /// The buffers that the method reads and never writes. They are constants here, so another method must not write
    /// them.
    pub buffers: Vec<Arc<str>>,
}

/// The kind of an input position.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSpec {
    /// The next parameter of the root block. `dim_order` lists its axes in the caller's memory, outermost first.
    Tensor {
        /// The exporter's name.
        name: Arc<str>,
        /// The memory order of the axes; `0, 1, ..` is contiguous.
        dim_order: Vec<u8>,
    },
    /// Always `None`.
    None,
    /// A number that was fixed at export.
    Scalar(Scalar),
    /// A string that was fixed at export.
    Text(String),
}

/// The kind of an output position.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputSpec {
    /// The next result of the root block. `dim_order` lists the axes in the memory of what PyTorch returned, outermost
    /// first; empty for row-major.
    Tensor {
        /// A permutation of the axes, or nothing.
        dim_order: Vec<u8>,
    },
    /// Always `None`.
    None,
    /// A number that was fixed at export.
    Scalar(Scalar),
    /// A string that was fixed at export.
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

    /// The root block: the body of the method.
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

    /// The type of a value as text, with the names of symbols.
    pub fn type_text(&self, value: ValueId) -> String {
        TypeNames(self.ty(value), &self.symbols).to_string()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        visit();
        &self.nodes[id]
    }

    /// True if the value exists, which means that its definition was not erased.
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

    /// A block, unless it was erased together with its node.
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

    /// The updates of state cells at the end of a call.
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

    /// One more than the greatest value index: the length of a table indexed by value.
    pub fn value_bound(&self) -> usize {
        self.values.bound()
    }

    /// One more than the greatest node index: the length of a table indexed by node.
    pub fn node_bound(&self) -> usize {
        self.nodes.bound()
    }

    /// The number of nodes in all blocks.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The node that defines a value; `None` for a block parameter.
    pub fn producer(&self, value: ValueId) -> Option<NodeId> {
        visit();
        match self.values[value].def {
            Def::Result(node, _) => Some(node),
            Def::Param(..) => None,
        }
    }

    /// Every occurrence of a symbol in the node's attributes, and in the types of its operands and results.
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

    /// The op that defines a value; `None` for a block parameter.
    pub fn producer_op(&self, value: ValueId) -> Option<&Op> {
        self.producer(value).map(|n| &self.nodes[n].op)
    }

    /// The constant, if a `Constant` node defines the value.
    pub fn as_constant(&self, value: ValueId) -> Option<&Constant> {
        match self.producer_op(value)? {
            Op::Constant(c) => Some(&self.constants[c.value]),
            _ => None,
        }
    }

    /// The common value of all elements, if the value is a constant whose elements are all equal.
    pub fn as_splat(&self, value: ValueId) -> Option<Scalar> {
        self.as_constant(value)?.data.as_splat()
    }

    /// The number that all elements equal, also through broadcasts, slices and movements. A value without elements may
    /// have one too.
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
