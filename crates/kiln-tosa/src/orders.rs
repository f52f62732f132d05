//! The memory orders in which TOSA computes.

use crate::machine::Machine;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Op};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::layout::{Movers, Order, OrderRules, Rows};

/// TOSA's windows have two axes: a row is an image of width 1.
pub(crate) const ROWS: Rows = Rows::WidthOne;

/// TRANSPOSE and RESHAPE of tensors whose sizes are known.
pub(crate) const MOVERS: Movers = Movers {
    max_rank: 6,
    max_unknown: 0,
    transpose: 16,
    has_detours: false,
    rows: ROWS,
};

/// What TOSA's operators take. Images are channels last; what works along one axis works along any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders {
    /// What moving costs.
    pub machine: Machine,
}

impl OrderRules for Orders {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
        required(&node.op, rank)
    }
    fn movers(&self) -> Movers {
        MOVERS
    }

    /// Weights that are known are put in the order in which the channels come.
    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        let weight = node.operands.get(1);
        operand == 0 && is_dense(&node.op) && weight.is_some_and(|&w| is_constant(graph, w))
    }

    /// Of ways that move about as many bytes, fewer transposes are better.
    fn bytes_per_step(&self) -> u64 {
        self.machine.bytes_per_transpose
    }

    /// A file says how its tensors lie by their shapes alone.
    fn takes_input(&self, _: &Order) -> bool {
        true
    }

    fn gives_output(&self, _: &Order) -> bool {
        true
    }
}

/// True for what multiplies all of the innermost axis by a weight.
pub(crate) fn is_dense(op: &Op) -> bool {
    match op.computing() {
        Op::Conv(op) => op.groups == 1 && !op.transposed,
        Op::Linear(_) => true,
        _ => false,
    }
}

fn required(op: &Op, rank: usize) -> Option<Order> {
    match op.computing() {
        Op::Conv(_) | Op::Pool(_) | Op::Resize(_) => Some(Order::channels_last(rank)),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Cast(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Reverse(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::SliceUpdate(_)
        | Op::Reduce(_)
        | Op::ArgReduce(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_) => None,
        _ => Some(Order::plain(rank)),
    }
}
