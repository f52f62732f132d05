//! Branches and loops. Their calls are ranges of the program's calls, and the parameters of a block are the tensors of its
//! arguments.
//!
//! Both blocks of a branch copy their results to the same buffers. The values that a loop carries are in buffers that its body
//! writes at its end.

use super::parts::{Parts, Tensor, TensorId};
use super::strided::Walk;
use super::{Lowering, own_order};
use crate::dialect::{BufferId, Flow};
use crate::linked::Linked;
use kiln_ir::graph::Node;
use kiln_ir::ops::{If, While};
use kiln_ir::{BlockId, NodeId, ValueId};
use kiln_transforms::framework::pass::{names, provenance};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;
use std::ops::Range;

/// A layer, its source, and its node.
type Located = (String, String, Option<NodeId>);

impl Lowering<'_> {
    /// One of two blocks.
    pub(super) fn branch(&mut self, node: &Node, op: &If) -> Result<(), Reason> {
        let operands = self.arguments(node)?;
        let condition = self.deciding(operands[0])?;
        let results = self.room(&node.results)?;
        let arguments = &operands[1..];
        let then = self.block(op.then, arguments, |this, made| this.given(&made, &results))?;
        let otherwise = self.block(op.otherwise, arguments, |this, made| {
            this.given(&made, &results)
        })?;
        let condition = self.parts.buffer_of(condition);
        self.parts.flow(Flow::If {
            condition,
            then,
            otherwise,
        });
        self.hold_plain(&node.results, &results);
        Ok(())
    }

    /// A loop: its body runs as long as its condition holds.
    pub(super) fn repeat(&mut self, node: &Node, op: &While) -> Result<(), Reason> {
        let mut operands = self.arguments(node)?;
        let carried = self.room(&node.results)?;
        self.given(&operands[..op.carried], &carried)?;
        operands[..op.carried].copy_from_slice(&carried);
        let mut decides = None;
        let test = self.block(op.condition, &operands, |this, made| {
            decides = Some(this.deciding(made[0])?);
            Ok(())
        })?;
        let body = self.block(op.body, &operands, |this, made| {
            let pairs = made.iter().zip(&carried);
            let apart = pairs.map(|(&next, &own)| this.parts.apart(next, own, &carried));
            let apart: Vec<TensorId> = apart.collect::<Result<_, Reason>>()?;
            this.given(&apart, &carried)
        })?;
        let condition = decides.map(|tensor| self.parts.buffer_of(tensor));
        let condition = condition.ok_or_else(|| self.no_kernel(node))?;
        if body.is_empty() {
            return Err(Reason::new("a loop changes what it carries", "nothing"));
        }
        self.parts.flow(Flow::While {
            condition,
            test,
            body,
        });
        self.hold_plain(&node.results, &carried);
        Ok(())
    }

    /// The operands, in the plain order.
    fn arguments(&mut self, node: &Node) -> Result<Vec<TensorId>, Reason> {
        if self.parts.linked() == Linked::Runtime {
            return Err(self.no_kernel(node));
        }
        let operands = node.operands.iter();
        operands.map(|&value| self.plain_operand(value)).collect()
    }

    fn plain_operand(&mut self, value: ValueId) -> Result<TensorId, Reason> {
        let rank = self.graph.ty(value).rank();
        self.operand(value, &Order::plain(rank))
    }

    /// New buffers for values.
    fn room(&mut self, values: &[ValueId]) -> Result<Vec<TensorId>, Reason> {
        let of = |&value: &ValueId| {
            let ty = self.graph.ty(value);
            let dtype = super::parts::dtype_of(ty.dtype)?;
            let sizes = self.sizes(value, &Order::plain(ty.rank()))?;
            Ok(self.parts.temporary(dtype, &sizes))
        };
        values.iter().map(of).collect()
    }

    fn hold_plain(&mut self, values: &[ValueId], tensors: &[TensorId]) {
        for (&value, &tensor) in values.iter().zip(tensors) {
            let order = Order::plain(self.graph.ty(value).rank());
            let own = self.parts.renewed(tensor);
            self.holdings.hold(value, &order, own);
        }
    }

    /// Copies tensors to others.
    fn given(&mut self, from: &[TensorId], to: &[TensorId]) -> Result<(), Reason> {
        for (&from, &to) in from.iter().zip(to) {
            if self.parts.buffer_of(from) != self.parts.buffer_of(to) {
                let sizes = [self.parts.elements(from)];
                self.parts.copy(from, to, &Walk::dense(&sizes))?;
            }
        }
        Ok(())
    }

    /// The byte of a condition, in a buffer of its own.
    fn deciding(&mut self, condition: TensorId) -> Result<TensorId, Reason> {
        if self.parts.is_whole(condition) {
            return Ok(condition);
        }
        let byte = self.parts.temporary(self.parts.dtype(condition), &[1]);
        self.parts.copy(condition, byte, &Walk::dense(&[1]))?;
        Ok(byte)
    }

    /// Adds the calls of a block, and those by which `finish` passes its results on. Nothing else that is made in the block is
    /// used behind it.
    fn block(
        &mut self,
        id: BlockId,
        arguments: &[TensorId],
        finish: impl FnOnce(&mut Self, Vec<TensorId>) -> Result<(), Reason>,
    ) -> Result<Range<usize>, Reason> {
        let (graph, start) = (self.graph, self.parts.calls());
        let (held, symbols) = (self.holdings.clone(), self.symbols.clone());
        let (around, place) = (self.parts.enter(), self.parts.place());
        let block = graph.block(id);
        self.hold_plain(&block.params, arguments);
        let nodes: Vec<NodeId> = graph.nodes_in(id).map(|(id, _)| id).collect();
        for id in nodes {
            let layer = names(graph, id).into_iter().next().unwrap_or_default();
            self.parts.locate(layer, provenance(graph, id));
            self.parts.at(Some(id));
            let node = graph.node(id);
            let order = match self.layouts {
                Some(layouts) => layouts.order(id).clone(),
                None => own_order(graph, node),
            };
            self.node(node, &order)?;
        }
        self.parts.put_place(place);
        let results = block.results.iter();
        let results = results.map(|&value| self.plain_operand(value));
        let results = results.collect::<Result<_, Reason>>()?;
        finish(self, results)?;
        self.parts.leave(around);
        (self.holdings, self.symbols) = (held, symbols);
        Ok(start..self.parts.calls())
    }
}

impl Parts<'_> {
    /// The layer, the source and the node of the next calls, to be set again later.
    fn place(&self) -> Located {
        (self.layer.clone(), self.source.clone(), self.node)
    }

    fn put_place(&mut self, (layer, source, node): Located) {
        (self.layer, self.source, self.node) = (layer, source, node);
    }

    /// How many calls the program has so far.
    fn calls(&self) -> usize {
        self.program.calls.len()
    }

    /// Begins a block. Its calls do not change those in front of it. Returns what [`Parts::leave`] takes.
    fn enter(&mut self) -> usize {
        std::mem::replace(&mut self.first, self.program.calls.len())
    }

    /// Ends a block. Later calls do not change its calls.
    fn leave(&mut self, around: usize) {
        // Calls in front of the block must not change any more either, as the block may have read their results.
        self.first = around.max(self.program.calls.len());
    }

    /// Adds a branch or a loop.
    fn flow(&mut self, flow: Flow) {
        if !flow.calls().is_empty() {
            self.program.flows.push(flow);
        }
    }

    /// The buffer in which a tensor lies.
    fn buffer_of(&self, tensor: TensorId) -> BufferId {
        self.tensor(tensor).buffer
    }

    /// A new tensor of the same buffer and sizes. What was moved from the old one is not known of it.
    fn renewed(&mut self, tensor: TensorId) -> TensorId {
        let Tensor { buffer, first, .. } = *self.tensor(tensor);
        let sizes = self.sizes(tensor).to_vec();
        self.of_buffer(buffer, first, &sizes)
    }

    /// The tensor as the new content of `own`, while the buffers of `changed` get new contents too. It is a copy if it lies in
    /// one of these, unless it is already the whole buffer of `own`.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub(super) fn apart(
        &mut self,
        tensor: TensorId,
        own: TensorId,
        changed: &[TensorId],
    ) -> Result<TensorId, Reason> {
        let from = self.buffer_of(tensor);
        let is_itself = from == self.buffer_of(own) && self.is_whole(tensor);
        if is_itself || changed.iter().all(|&other| self.buffer_of(other) != from) {
            return Ok(tensor);
        }
        let sizes = [self.elements(tensor)];
        let apart = self.temporary(self.dtype(tensor), &sizes);
        self.copy(tensor, apart, &Walk::dense(&sizes))?;
        Ok(apart)
    }
}
