//! The memory order in which each node of a delegate computes, and in which each value crosses a border.
//!
//! Convolutions and pools need channels last. Matrix products need their contracted axis innermost. An elementwise op
//! takes any order that its operands share. A movement between them is free if the memory order on one side equals that
//! on the other. Each node that can choose has two orders: plain, and one that a neighbour with a fixed order would
//! like. A minimum cut picks the order of each node, such that the fewest bytes move.
//!
//! # Invariants
//! - A value that the user, a kernel or a branch gives or takes crosses the border in its own order. Only a value that
//!   goes from delegates to delegates may cross in another order.
//! - The choice depends on the graph alone.

mod between;
mod bound;
mod cut;
mod dense;
mod detour;
mod flow;
mod holdings;
pub mod movers;
pub mod order;
mod price;
mod refine;
mod terminals;

pub use bound::Least;
pub use dense::has_known_weights;
pub use holdings::{Holdings, Tensors, not_moved};
pub use movers::Movers;
pub use order::{Order, Rows};

use crate::framework::regions::Partition;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Id, NodeId, Symbols, ValueId};
use rustc_hash::FxHashMap;

/// The facts about a target's memory orders.
pub trait OrderRules {
    /// The only order in which a node can compute. `None` if it can compute in any order that operands and result
    /// share.
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order>;

    /// The cost model of movements inside a delegate.
    fn movers(&self) -> Movers;

    /// The producer that computes this node as part of its own operator (a fused clamp), in the producer's order.
    fn fuses_into(&self, _graph: &Graph, _node: &Node) -> Option<NodeId> {
        None
    }

    /// True if the node takes the operand's last two axes in either order at no cost.
    fn takes_turned(&self, _node: &Node, _operand: usize) -> bool {
        false
    }

    /// True if the node takes the operand's innermost axis in any permutation, because the other operand along that
    /// axis is known at compile time and can be permuted to match.
    fn absorbs(&self, _graph: &Graph, _node: &Node, _operand: usize) -> bool {
        false
    }

    /// The cost of one more moving operator, in moved bytes. It decides between ways that move equally many bytes.
    fn bytes_per_mover(&self) -> u64 {
        0
    }

    /// True if the caller may pass a tensor in this order.
    fn takes_input(&self, order: &Order) -> bool;

    /// True if the caller may receive a tensor in this order.
    fn gives_output(&self, _order: &Order) -> bool {
        false
    }
}

/// The memory orders of one graph.
pub struct Layouts {
    /// By node. Of rank 0 for nodes that compute nothing in a delegate.
    orders: Vec<Order>,
    borders: FxHashMap<ValueId, Order>,
}

impl Layouts {
    /// The order in which a node computes.
    pub fn order(&self, node: NodeId) -> &Order {
        &self.orders[node.index()]
    }

    /// The order in which a value crosses borders.
    pub fn border(&self, graph: &Graph, value: ValueId) -> Order {
        let found = self.borders.get(&value).cloned();
        found.unwrap_or_else(|| Order::plain(graph.ty(value).rank()))
    }
}

/// A lower bound of the bytes that any memory orders move. A dynamic size counts at its symbols' maximum.
pub fn least(
    graph: &Graph,
    partition: &Partition,
    rules: &dyn OrderRules,
    symbols: &Symbols,
) -> Least {
    let mut terminals = terminals::collect(graph, partition, rules);
    terminals.find_alternatives(graph);
    bound::least(graph, &terminals, symbols)
}

/// Chooses the orders. A dynamic size counts at its symbols' maximum.
pub fn assign(
    graph: &Graph,
    partition: &Partition,
    rules: &dyn OrderRules,
    symbols: &Symbols,
) -> Layouts {
    let mut terminals = terminals::collect(graph, partition, rules);
    terminals.find_alternatives(graph);
    let price = price::Price::Work(symbols, rules.movers(), rules.bytes_per_mover());
    let found = flow::label(graph, &terminals, terminals.ways.iter(), price);
    let mut labels = found.labels;
    if !found.is_exact || found.has_copies {
        refine::refine(graph, &terminals, price, &mut labels);
    }
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

/// True if all operands and results of the node can be brought into the order. A row becomes an image by a reshape.
pub fn fits(graph: &Graph, node: &Node, order: &Order, movers: &Movers) -> bool {
    let mut values = node.operands.iter().chain(&node.results);
    values.all(|&v| {
        let shape = &graph.ty(v).shape;
        shape.rank() == order.rank()
            && (order.unit(movers.rows).is_none() || movers.can_reshape(shape))
    })
}
