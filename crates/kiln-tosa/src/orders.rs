//! The memory orders in which TOSA's operators compute.

use crate::machine::Machine;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Op};
use kiln_transforms::layout::{Movers, Order, OrderRules, Rows, has_known_weights};

/// TOSA's windows have two axes, so a 1-D image has a second axis of size 1.
pub(crate) const ROWS: Rows = Rows::WidthOne;

/// The movements that TOSA has: TRANSPOSE, and RESHAPE of static sizes.
pub(crate) const MOVERS: Movers = Movers {
    max_rank: 6,
    max_unknown: 0,
    transpose: 16,
    has_detours: false,
    rows: ROWS,
    byte: 1,
};

/// The memory orders that TOSA's operators take: images are channels last; an operator along one axis takes any axis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders {
    /// The cost of movements.
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

    /// A known weight is permuted ahead of time to follow its operand's channels.
    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        has_known_weights(graph, node, operand)
    }

    /// Among layouts that move about as many bytes, the one with fewer transposes is better.
    fn bytes_per_mover(&self) -> u64 {
        self.machine.bytes_per_transpose
    }

    /// A file has no memory orders: a tensor's shape says how it lies.
    fn takes_input(&self, _: &Order) -> bool {
        true
    }

    fn gives_output(&self, _: &Order) -> bool {
        true
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
