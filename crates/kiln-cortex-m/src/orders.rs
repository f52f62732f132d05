//! The memory orders in which the kernels compute.

use kiln_ir::graph::Node;
use kiln_ir::ops::UnaryFn;
use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::layout::{Movers, Order, OrderRules, Rows, has_known_weights};

/// CMSIS-NN has fast convolutions of images of one row, so a 1-D image has the height 1.
pub(crate) const ROWS: Rows = Rows::HeightOne;

/// What a change of memory order costs. A reshape is free, as a buffer has no sizes. A transpose is a copy, or two copies where
/// there are more axes than a kernel has.
pub(crate) const MOVERS: Movers = Movers {
    max_rank: usize::MAX,
    max_unknown: 0,
    transpose: 16,
    has_detours: false,
    rows: ROWS,
    byte: 1,
};

/// The cost of one more call that only moves elements, in moved bytes.
const BYTES_PER_CALL: u64 = 64;

/// The memory orders that the kernels take: images are channels last; a kernel along one axis takes any axis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Orders;

impl OrderRules for Orders {
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order> {
        let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
        required(&node.op, rank)
    }

    fn movers(&self) -> Movers {
        MOVERS
    }

    /// A clamp becomes the activation range of the call that makes its operand. A loop or a branch has no range, and its order is that
    /// of its first result, which may have another rank.
    fn fuses_into(&self, graph: &Graph, node: &Node) -> Option<NodeId> {
        let operand = *node.operands.first()?;
        let is_read_once = graph.value(operand).uses().len() == 1;
        let producer = graph.producer(operand)?;
        let is_only_result = graph.node(producer).results[..] == [operand];
        (is_read_once && is_only_result && is_clamp(&node.op)).then_some(producer)
    }

    /// A known weight is permuted ahead of time to follow its operand's channels.
    fn absorbs(&self, graph: &Graph, node: &Node, operand: usize) -> bool {
        has_known_weights(graph, node, operand)
    }

    fn bytes_per_mover(&self) -> u64 {
        BYTES_PER_CALL
    }

    /// Any order: a buffer has none, and the border says how its elements lie.
    fn takes_input(&self, _: &Order) -> bool {
        true
    }

    fn gives_output(&self, _: &Order) -> bool {
        true
    }
}

/// True for a clamp by itself.
pub(crate) fn is_clamp(op: &Op) -> bool {
    matches!(op, Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }))
}

fn required(op: &Op, rank: usize) -> Option<Order> {
    match op.computing() {
        Op::Conv(_) | Op::Pool(_) => Some(Order::channels_last(rank)),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Cast(_)
        | Op::Broadcast(_)
        | Op::Slice(_)
        | Op::Reverse(_)
        | Op::Pad(_)
        | Op::Concat(_)
        | Op::SliceUpdate(_)
        | Op::Reduce(_)
        | Op::ArgReduce(_)
        | Op::Softmax(_)
        | Op::Compare(_)
        | Op::Select(_)
        | Op::Scan(_)
        | Op::Quantize(_)
        | Op::Dequantize(_)
        | Op::Requantize(_) => None,
        _ => Some(Order::plain(rank)),
    }
}
