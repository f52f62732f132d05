//! In which memory order each node of a delegate computes, and each value crosses a border.

use crate::order::Order;
use crate::regions::Partition;
use kiln_ir::graph::Node;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Graph, Id, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// The memory orders of one graph.
pub(crate) struct Layouts {
    /// By node; plain for nodes outside of delegates.
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

/// The only order in which a node can compute; `None` if any will do that is the same for operands and result.
pub(crate) fn required(graph: &Graph, node: &Node) -> Option<Order> {
    let rank = node.results.first().map_or(0, |&v| graph.ty(v).rank());
    match &node.op {
        Op::Conv(_) | Op::Pool(_) | Op::AdaptivePool(_) | Op::Resize(_) => {
            Some(Order::channels_last(rank))
        }
        Op::Softmax(op) if op.axis == 1 && matches!(rank, 3 | 4) => {
            Some(Order::channels_last(rank))
        }
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
    if axis == 1 && rank >= 3 {
        return Some(Order::channels_last(rank));
    }
    Some(Order::with_last(rank, axis))
}

/// Chooses the orders.
pub(crate) fn assign(graph: &Graph, partition: &Partition) -> Layouts {
    let mut orders = vec![Order::plain(0); graph.node_bound()];
    for region in &partition.regions {
        for &id in region {
            let node = graph.node(id);
            orders[id.index()] =
                required(graph, node).unwrap_or_else(|| follow(graph, partition, &orders, node));
        }
    }
    Layouts {
        orders,
        borders: FxHashMap::default(),
    }
}

/// The order of the first operand that is made inside and has the same rank.
fn follow(graph: &Graph, partition: &Partition, orders: &[Order], node: &Node) -> Order {
    let rank = graph.ty(node.result()).rank();
    let made = node.operands.iter().filter_map(|&v| graph.producer(v));
    let orders = made
        .filter(|p| partition.region_of(*p).is_some())
        .map(|p| &orders[p.index()]);
    let found = orders.into_iter().find(|o| o.rank() == rank);
    found.cloned().unwrap_or_else(|| Order::plain(rank))
}
