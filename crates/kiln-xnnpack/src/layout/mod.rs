//! In which memory order each node of a delegate computes, and each value crosses a border.
//!
//! Convolutions and pools need channels last, matrix products their innermost axis, and what works element by
//! element any order that its operands share. Between them lie movements, which are free where the memory order
//! on one side is that on the other. Each node that can choose has two orders: plain, and one that some neighbour
//! with a fixed order would like. Which of them, so that the fewest bytes move, is a minimum cut ([`cut`]).
//!
//! # Invariants
//! - What the user, a kernel or a branch gives or takes crosses the border in its own order; only a value that goes
//!   from delegates to delegates may cross in another.
//! - The choice depends on the graph alone.

mod bound;
mod cut;
mod flow;
mod price;
mod terminals;

pub use bound::Least;

use crate::order::Order;
use crate::regions::Partition;
use crate::steps::can_reshape;
use kiln_ir::graph::Node;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Graph, Id, NodeId, Op, Symbols, ValueId};
use rustc_hash::FxHashMap;

/// The memory orders of one graph.
pub(crate) struct Layouts {
    /// By node; of rank 0 for nodes that compute nothing in a delegate.
    orders: Vec<Order>,
    borders: FxHashMap<ValueId, Order>,
}

impl Layouts {
    /// The order in which a node computes.
    pub(crate) fn order(&self, node: NodeId) -> &Order {
        &self.orders[node.index()]
    }

    /// The order in which a value crosses borders.
    pub(crate) fn border(&self, graph: &Graph, value: ValueId) -> Order {
        let found = self.borders.get(&value).cloned();
        found.unwrap_or_else(|| Order::plain(graph.ty(value).rank()))
    }
}

/// How many bytes any orders move at least, sizes being the greatest of these symbols.
pub(crate) fn least(graph: &Graph, partition: &Partition, symbols: &Symbols) -> Least {
    let mut terminals = terminals::collect(graph, partition);
    terminals.find_alternatives(graph);
    bound::least(graph, &terminals, symbols)
}

/// Chooses the orders, sizes being the greatest of these symbols.
pub(crate) fn assign(graph: &Graph, partition: &Partition, symbols: &Symbols) -> Layouts {
    let mut terminals = terminals::collect(graph, partition);
    terminals.find_alternatives(graph);
    let price = price::Price::Work(symbols);
    let labels = flow::label(graph, &terminals, terminals.ways.iter(), price).labels;
    let chosen = |terminal: &terminals::Terminal| terminals.order(terminal, &labels);
    Layouts {
        orders: terminals
            .nodes
            .iter()
            .map(|t| t.as_ref().map_or_else(|| Order::plain(0), chosen))
            .collect(),
        borders: terminals
            .borders
            .iter()
            .map(|(&value, t)| (value, chosen(t)))
            .collect(),
    }
}

/// The only order in which a node can compute; `None` if any will do that is the same for operands and result.
fn required(graph: &Graph, node: &Node) -> Option<Order> {
    let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
    match &node.op {
        Op::Conv(_) | Op::Pool(_) | Op::AdaptivePool(_) | Op::Resize(_) => {
            Some(Order::channels_last(rank))
        }
        Op::Softmax(op) if op.axis == 1 && rank == 4 => Some(Order::channels_last(rank)),
        Op::Softmax(op) => Some(Order::with_last(rank, op.axis)),
        Op::Reduce(op) => match crate::lower::reduce::plan(&graph.ty(node.operands[0]).shape, op) {
            Ok(plan) => Some(plan.order),
            Err(_) => Some(Order::plain(rank)),
        },
        Op::Binary(op) if op.f == BinaryFn::Prelu => prelu_order(graph, node, rank),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Cast(_)
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
    if axis == 1 && rank >= 3 && fits(graph, node, &Order::channels_last(rank)) {
        return Some(Order::channels_last(rank));
    }
    Some(Order::with_last(rank, axis))
}

/// True if all that the node reads and makes can be brought into the order: a row becomes an image by a reshape.
fn fits(graph: &Graph, node: &Node, order: &Order) -> bool {
    let mut values = node.operands.iter().chain(&node.results);
    values.all(|&v| {
        let shape = &graph.ty(v).shape;
        shape.rank() == order.rank() && (!order.has_width() || can_reshape(shape))
    })
}
