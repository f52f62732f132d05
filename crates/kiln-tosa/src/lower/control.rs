//! Branches and loops. Their bodies become regions, whose inputs and outputs have the plain memory order.

use super::Lowering;
use crate::dialect::{CondIf, RegionId, TensorId, TosaOp, WhileLoop};
use kiln_ir::graph::Node;
use kiln_ir::ops::{If, While};
use kiln_ir::{BlockId, NodeId};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    pub(super) fn branch(&mut self, node: &Node, op: &If) -> Result<(), Reason> {
        let operands = self.plain_operands(node)?;
        let then = self.region("then", op.then, &[])?;
        let otherwise = self.region("else", op.otherwise, &[])?;
        let made = self
            .parts
            .ops(TosaOp::CondIf(CondIf { then, otherwise }), &operands)?;
        self.made_plain(node, &made);
        Ok(())
    }

    /// A value that the loop only reads is part of its state too.
    pub(super) fn repeat(&mut self, node: &Node, op: &While) -> Result<(), Reason> {
        let operands = self.plain_operands(node)?;
        let fixed: Vec<usize> = (op.carried..operands.len()).collect();
        let cond = self.region("condition", op.condition, &[])?;
        let body = self.region("body", op.body, &fixed)?;
        let made = self
            .parts
            .ops(TosaOp::WhileLoop(WhileLoop { cond, body }), &operands)?;
        self.made_plain(node, &made);
        Ok(())
    }

    fn made_plain(&mut self, node: &Node, made: &[TensorId]) {
        for (&value, &tensor) in node.results.iter().zip(made) {
            let order = Order::plain(self.graph.ty(value).rank());
            self.made(value, &order, tensor);
        }
    }

    /// The region of a block. Its outputs are the block's results, then those inputs that it passes on.
    fn region(
        &mut self,
        name: &str,
        block: BlockId,
        given_back: &[usize],
    ) -> Result<RegionId, Reason> {
        let (graph, layouts, machine) = (self.graph, self.layouts, self.parts.machine());
        let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
        self.parts.builder().region(name, |builder| {
            let mut inner = Lowering::new(graph, layouts, &nodes, builder, machine);
            let data = graph.block(block);
            for &param in &data.params {
                inner.input("x", param, &Order::plain(graph.ty(param).rank()))?;
            }
            for &id in &nodes {
                let order = inner.order_of(id);
                inner.node(graph.node(id), &order)?;
            }
            let kept = given_back.iter().map(|&i| data.params[i]);
            let results: Vec<_> = data.results.iter().copied().chain(kept).collect();
            let outputs = results
                .into_iter()
                .map(|value| inner.output("y", value, &Order::plain(graph.ty(value).rank())));
            outputs.collect()
        })
    }
}
