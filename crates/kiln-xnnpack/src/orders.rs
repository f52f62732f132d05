//! The memory orders in which XNNPACK computes.

use crate::lower::fuses_into;
use kiln_ir::graph::Node;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::layout::{Movers, Order, OrderRules, Rows, fits};

/// One-dimensional windows run as images of width 1.
pub(crate) const ROWS: Rows = Rows::WidthOne;

/// Transposes and reshapes of tensors of known rank. A reshape infers one size at run time. Products, slices, joins and
/// means keep all sizes.
pub(crate) const MOVERS: Movers = Movers {
    max_rank: 6,
    max_unknown: 1,
    transpose: 16,
    has_detours: true,
    // Measured: rows of height 1 take twice as long.
    rows: ROWS,
    // Measured: a byte takes as long as a float in large matrices, and up to four times as long in narrow ones (images of 3 channels).
    byte: 5,
};

/// The movements that XNNPACK's operators do.
pub(crate) struct Orders;

impl OrderRules for Orders {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        required(graph, node)
    }

    fn movers(&self) -> Movers {
        MOVERS
    }

    fn fuses_into(&self, graph: &Graph, node: &Node) -> Option<NodeId> {
        fuses_into(graph, node)
    }

    fn takes_turned(&self, node: &Node, operand: usize) -> bool {
        operand == 1 && matches!(node.op.computing(), Op::MatMul(_))
    }

    /// The runtime checks the memory order of images only.
    fn takes_input(&self, order: &Order) -> bool {
        *order == Order::channels_last(4)
    }
}

/// The only order in which a node can compute. `None` if it can compute in any order that operands and result share.
fn required(graph: &Graph, node: &Node) -> Option<Order> {
    let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
    match node.op.computing() {
        Op::Conv(_) | Op::Pool(_) | Op::AdaptivePool(_) | Op::Resize(_) => {
            Some(Order::channels_last(rank))
        }
        Op::Softmax(op) if op.axis == 1 && rank == 4 => Some(Order::channels_last(rank)),
        Op::Softmax(op) => Some(Order::with_last(rank, op.axis)),
        Op::Reduce(op) => match crate::lower::reduce::plan(&graph.ty(node.operands[0]).shape, op) {
            Ok(plan) => Some(plan.order),
            Err(_) => Some(Order::plain(rank)),
        },
        // Its innermost size must be known; see `lower/masked.rs`.
        Op::Select(_) if graph.ty(node.result()).shape.as_static().is_none() => {
            Some(Order::plain(rank))
        }
        Op::Binary(op) if op.f == BinaryFn::Prelu => prelu_order(graph, node, rank),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Select(_)
        | Op::Cast(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Pad(_)
        | Op::Concat(_) => None,
        _ => Some(Order::plain(rank)),
    }
}

/// The slope's axis lies innermost.
fn prelu_order(graph: &Graph, node: &Node, rank: usize) -> Option<Order> {
    let sizes = graph.ty(node.operands[1]).shape.as_static()?;
    let axis = sizes.iter().position(|&n| n != 1)?;
    if axis == 1 && rank >= 3 && fits(graph, node, &Order::channels_last(rank), &MOVERS) {
        return Some(Order::channels_last(rank));
    }
    Some(Order::with_last(rank, axis))
}
