//! The rewriter: the only way to change a graph.
//!
//! A [`Rewriter`] inserts, replaces and erases nodes, and maintains use lists, node order and provenance. The op table
//! infers result types, so a node that does not match its operands cannot be made. The rewriter also counts
//! applications of rewrites, for reports and to stop after the n-th.

use crate::arena::{BlockId, CellId, ConstId, Id, NodeId, SourceId, ValueId};
use crate::dim::{Dim, Symbol};
use crate::dtype::DType;
use crate::graph::{
    Block, Constant, Def, Graph, Node, Source, StateCell, Update, Use, Value, ValueList,
};
use crate::ops::{Infer, Misfit, Op};
use crate::tensor::TensorData;
use crate::types::{Quant, TensorType};
use crate::uses::Uses;
use crate::{arena::SymbolId, ops};
use smallvec::SmallVec;
use std::sync::Arc;

/// A position for a new node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// After all nodes of the block.
    End(BlockId),
    /// Right before this node.
    Before(NodeId),
    /// Right after this node.
    After(NodeId),
    /// Before all nodes of the block.
    Start(BlockId),
}

/// Changes a graph; see the module.
pub struct Rewriter<'g> {
    graph: &'g mut Graph,
    sources: SmallVec<[SourceId; 1]>,
    applied: u64,
    limit: Option<u64>,
}

impl<'g> Rewriter<'g> {
    /// A rewriter of `graph`, without a limit.
    pub fn new(graph: &'g mut Graph) -> Rewriter<'g> {
        Rewriter {
            graph,
            sources: SmallVec::new(),
            applied: 0,
            limit: None,
        }
    }

    /// As [`Rewriter::new`], but with at most `limit` applications of rewrites.
    pub fn with_limit(graph: &'g mut Graph, limit: Option<u64>) -> Rewriter<'g> {
        Rewriter {
            limit,
            ..Rewriter::new(graph)
        }
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// Must be called before each application of a rewrite. Counts it; false once the limit is reached.
    pub fn may_apply(&mut self) -> bool {
        if self.limit.is_some_and(|limit| self.applied >= limit) {
            return false;
        }
        self.applied += 1;
        true
    }

    /// The number of applications so far.
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Sets the provenance of nodes that are inserted from now on.
    pub fn set_sources(&mut self, sources: impl IntoIterator<Item = SourceId>) {
        self.sources.clear();
        self.sources.extend(sources);
        self.sources.sort();
        self.sources.dedup();
    }

    /// Gives nodes that are inserted from now on the provenance of these nodes.
    pub fn set_sources_of(&mut self, nodes: &[NodeId]) {
        self.sources.clear();
        for &node in nodes {
            let sources = &self.graph.nodes[node].sources;
            self.sources.extend_from_slice(sources);
        }
        self.sources.sort();
        self.sources.dedup();
    }

    /// Adds an operation of the user's program.
    pub fn add_source(&mut self, source: Source) -> SourceId {
        self.graph.sources.push(source)
    }

    /// The symbols, for adding and narrowing.
    pub fn symbols(&mut self) -> &mut crate::dim::Symbols {
        &mut self.graph.symbols
    }

    /// Adds a symbol.
    pub fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.graph.symbols.add(symbol)
    }

    /// Adds an unquantised constant.
    pub fn add_constant(&mut self, name: impl Into<Arc<str>>, data: TensorData) -> ConstId {
        let ty = data.tensor_type();
        self.graph.constants.push(Constant {
            name: name.into(),
            ty,
            data,
        })
    }

    /// Adds a constant with its type, whose dtype and sizes must be those of the data.
    pub fn add_typed_constant(&mut self, constant: Constant) -> ConstId {
        self.graph.constants.push(constant)
    }

    /// Replaces the elements of a constant, keeping dtype and sizes.
    ///
    /// # Panics
    /// If dtype or sizes differ.
    pub fn set_constant_data(&mut self, id: ConstId, data: TensorData) {
        let constant = &mut self.graph.constants[id];
        assert_eq!(
            (data.dtype(), data.sizes()),
            (constant.data.dtype(), constant.data.sizes()),
            "a constant keeps its dtype and sizes"
        );
        constant.data = data;
    }

    /// Removes the constants that no node or cell refers to.
    pub fn remove_unused_constants(&mut self) {
        let mut used = vec![false; self.graph.constants.bound()];
        for (_, node) in self.graph.nodes.iter() {
            if let Op::Constant(c) = &node.op {
                used[c.value.index()] = true;
            }
        }
        for (_, cell) in self.graph.cells.iter() {
            if let crate::graph::CellInit::Constant(c) = cell.init {
                used[c.index()] = true;
            }
        }
        let unused: Vec<ConstId> = self
            .graph
            .constants
            .ids()
            .filter(|c| !used[c.index()])
            .collect();
        for id in unused {
            self.graph.constants.remove(id);
        }
    }

    /// Adds a state cell.
    pub fn add_cell(&mut self, cell: StateCell) -> CellId {
        self.graph.cells.push(cell)
    }

    /// Adds an empty block.
    pub fn add_block(&mut self) -> BlockId {
        self.graph.blocks.push(Block::default())
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: BlockId, ty: TensorType, name: Option<Arc<str>>) -> ValueId {
        let index = self.graph.blocks[block].params.len() as u32;
        let value = self.graph.values.push(Value {
            ty,
            def: Def::Param(block, index),
            uses: Uses::default(),
            name,
        });
        self.graph.blocks[block].params.push(value);
        value
    }

    /// Replaces the block's results.
    pub fn set_results(&mut self, block: BlockId, results: Vec<ValueId>) {
        let old = std::mem::take(&mut self.graph.blocks[block].results);
        for (i, value) in old.into_iter().enumerate() {
            self.drop_use(value, Use::BlockResult(block, i as u32));
        }
        for (i, &value) in results.iter().enumerate() {
            self.graph.values[value]
                .uses
                .push(Use::BlockResult(block, i as u32));
        }
        self.graph.blocks[block].results = results;
    }

    /// Adds an update: at the end of a call, `cell` is set to `value`.
    pub fn add_update(&mut self, cell: CellId, value: ValueId) {
        let index = self.graph.updates.len() as u32;
        self.graph.values[value].uses.push(Use::Update(index));
        self.graph.updates.push(Update { cell, value });
    }

    /// Removes all updates.
    pub(crate) fn clear_updates(&mut self) {
        let updates = std::mem::take(&mut self.graph.updates);
        for (i, update) in updates.into_iter().enumerate() {
            self.drop_use(update.value, Use::Update(i as u32));
        }
    }

    /// Inserts a node.
    ///
    /// # Errors
    /// If operands and attributes do not match the family. Then nothing changes.
    pub fn insert(
        &mut self,
        place: Place,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<NodeId, Misfit> {
        let op = op.into();
        let types = op.infer(&Infer { graph: self.graph }, &self.graph.types(operands))?;
        Ok(self.insert_typed(place, op, operands, types))
    }

    /// Inserts a node with one result, and returns the result.
    ///
    /// # Errors
    /// As [`Rewriter::insert`].
    ///
    /// # Panics
    /// If the family does not have exactly one result.
    pub fn value(
        &mut self,
        place: Place,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<ValueId, Misfit> {
        let node = self.insert(place, op, operands)?;
        Ok(self.graph.nodes[node].result())
    }

    /// Inserts a `constant` node for new data.
    pub fn constant_value(
        &mut self,
        place: Place,
        name: impl Into<Arc<str>>,
        data: TensorData,
    ) -> ValueId {
        let value = self.add_constant(name, data);
        self.value(place, ops::Constant { value }, &[])
            .expect("a constant that was just added exists")
    }

    fn insert_typed(
        &mut self,
        place: Place,
        op: Op,
        operands: &[ValueId],
        types: ops::Types,
    ) -> NodeId {
        let id = self.graph.nodes.next_id();
        for (slot, &value) in operands.iter().enumerate() {
            self.graph.values[value]
                .uses
                .push(Use::Operand(id, slot as u32));
        }
        let results: ValueList = types
            .into_iter()
            .enumerate()
            .map(|(i, ty)| {
                self.graph.values.push(Value {
                    ty,
                    def: Def::Result(id, i as u32),
                    uses: Uses::default(),
                    name: None,
                })
            })
            .collect();
        let (block, prev, next) = self.neighbours(place);
        let sources = self.sources.clone();
        self.graph.nodes.push(Node {
            op,
            operands: operands.into(),
            results,
            sources,
            block,
            prev,
            next,
        });
        self.link(block, prev, next, Some(id), Some(id));
        id
    }

    fn neighbours(&self, place: Place) -> (BlockId, Option<NodeId>, Option<NodeId>) {
        match place {
            Place::End(block) => (block, self.graph.blocks[block].last, None),
            Place::Start(block) => (block, None, self.graph.blocks[block].first),
            Place::Before(node) => (
                self.graph.nodes[node].block,
                self.graph.nodes[node].prev,
                Some(node),
            ),
            Place::After(node) => (
                self.graph.nodes[node].block,
                Some(node),
                self.graph.nodes[node].next,
            ),
        }
    }

    /// Links `prev` to `after_prev`, and `next` to `before_next`.
    fn link(
        &mut self,
        block: BlockId,
        prev: Option<NodeId>,
        next: Option<NodeId>,
        after_prev: Option<NodeId>,
        before_next: Option<NodeId>,
    ) {
        match prev {
            Some(p) => self.graph.nodes[p].next = after_prev,
            None => self.graph.blocks[block].first = after_prev,
        }
        match next {
            Some(n) => self.graph.nodes[n].prev = before_next,
            None => self.graph.blocks[block].last = before_next,
        }
    }

    /// Moves a node within its block.
    pub fn move_node(&mut self, node: NodeId, place: Place) {
        if matches!(place, Place::Before(n) | Place::After(n) if n == node) {
            return;
        }
        let Node {
            block, prev, next, ..
        } = self.graph.nodes[node];
        self.link(block, prev, next, next, prev);
        let (block, prev, next) = self.neighbours(place);
        let moved = &mut self.graph.nodes[node];
        (moved.block, moved.prev, moved.next) = (block, prev, next);
        self.link(block, prev, next, Some(node), Some(node));
    }

    /// Replaces all uses of `old` by `new`. The provenance of `old` is added to that of the nodes that make `new`.
    pub fn replace_value(&mut self, old: ValueId, new: ValueId) {
        if old == new {
            return;
        }
        let uses = std::mem::take(&mut self.graph.values[old].uses);
        for &use_ in uses.as_slice() {
            self.point_use(use_, new);
        }
        let readers = &mut self.graph.values[new].uses;
        match readers.is_empty() {
            true => *readers = uses,
            false => uses.as_slice().iter().for_each(|&u| readers.push(u)),
        }
        if self.graph.values[new].name.is_none() {
            self.graph.values[new].name = self.graph.values[old].name.clone();
        }
        self.merge_sources(old, new);
    }

    fn merge_sources(&mut self, old: ValueId, new: ValueId) {
        if let (Some(from), Some(to)) = (self.graph.producer(old), self.graph.producer(new))
            && !matches!(self.graph.nodes[to].op, Op::Constant(_))
        {
            let sources = self.graph.nodes[from].sources.clone();
            let target = &mut self.graph.nodes[to].sources;
            for source in sources {
                // Equal nodes are merged in order, so the position is nearly always the end.
                let place = match target.last() {
                    Some(&last) if last >= source => target.binary_search(&source),
                    _ => Err(target.len()),
                };
                if let Err(place) = place {
                    target.insert(place, source);
                }
            }
        }
    }

    /// Replaces one use by `new`.
    pub fn set_use(&mut self, use_: Use, new: ValueId) {
        let old = self.point_use(use_, new);
        self.drop_use(old, use_);
        self.graph.values[new].uses.push(use_);
    }

    fn point_use(&mut self, use_: Use, new: ValueId) -> ValueId {
        let slot = match use_ {
            Use::Operand(node, i) => &mut self.graph.nodes[node].operands[i as usize],
            Use::BlockResult(block, i) => &mut self.graph.blocks[block].results[i as usize],
            Use::Update(i) => &mut self.graph.updates[i as usize].value,
        };
        std::mem::replace(slot, new)
    }

    fn drop_use(&mut self, value: ValueId, use_: Use) {
        self.graph.values[value].uses.remove(use_);
    }

    /// Replaces a node by `op` on `operands`. Each result takes over the uses of the old one.
    ///
    /// # Errors
    /// As [`Rewriter::insert`]. Then nothing changes.
    ///
    /// # Panics
    /// If the numbers of results differ.
    pub fn replace_node(
        &mut self,
        node: NodeId,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<NodeId, Misfit> {
        let saved = std::mem::replace(&mut self.sources, self.graph.nodes[node].sources.clone());
        let new = self.insert(Place::Before(node), op, operands);
        self.sources = saved;
        let new = new?;
        let (old_results, new_results) = (
            self.graph.nodes[node].results.clone(),
            self.graph.nodes[new].results.clone(),
        );
        assert_eq!(
            old_results.len(),
            new_results.len(),
            "a node is replaced by one of as many results"
        );
        for (old, new) in old_results.into_iter().zip(new_results) {
            self.replace_value(old, new);
        }
        self.erase(node);
        Ok(new)
    }

    /// Erases a node.
    ///
    /// # Panics
    /// If a result has uses.
    pub fn erase(&mut self, node: NodeId) {
        let removed = self
            .graph
            .nodes
            .remove(node)
            .expect("a node is erased once");
        for &result in &removed.results {
            assert!(
                self.graph.values[result].uses.is_empty(),
                "{node} is erased while {result} is read"
            );
            self.graph.values.remove(result);
        }
        for (slot, &value) in removed.operands.iter().enumerate() {
            self.drop_use(value, Use::Operand(node, slot as u32));
        }
        self.link(
            removed.block,
            removed.prev,
            removed.next,
            removed.next,
            removed.prev,
        );
        removed
            .op
            .bodies()
            .into_iter()
            .for_each(|block| self.erase_block(block));
    }

    fn erase_block(&mut self, block: BlockId) {
        self.set_results(block, Vec::new());
        while let Some(last) = self.graph.blocks[block].last {
            self.erase(last);
        }
        for param in self.graph.blocks[block].params.clone() {
            self.graph.values.remove(param);
        }
        self.graph.blocks.remove(block);
    }

    /// Names a value; for messages only.
    pub fn name_value(&mut self, value: ValueId, name: impl Into<Arc<str>>) {
        self.graph.values[value].name = Some(name.into());
    }

    /// Narrows the shape of a value. The new shape must have the same rank, and no size that is provably different.
    ///
    /// # Panics
    /// If the shapes are incompatible.
    pub fn refine_shape(&mut self, value: ValueId, shape: Vec<Dim>) {
        let shape = crate::types::Shape::from(shape);
        let old = &self.graph.values[value].ty.shape;
        assert_ne!(
            old.equal(&shape, &self.graph.symbols),
            Some(false),
            "a refined shape agrees with the old one"
        );
        self.graph.values[value].ty.shape = shape;
    }

    /// Changes the dtype and the quantisation of a parameter of a nested block, or of a result of a node with blocks.
    /// Nothing else changes: the caller must change operands, parameters, results and readers accordingly.
    pub fn retype(&mut self, value: ValueId, dtype: DType, quant: Option<Arc<Quant>>) {
        let ty = &mut self.graph.values[value].ty;
        (ty.dtype, ty.quant) = (dtype, quant);
    }

    /// The signature, for building it.
    pub fn signature(&mut self) -> &mut crate::graph::Signature {
        &mut self.graph.signature
    }
}
