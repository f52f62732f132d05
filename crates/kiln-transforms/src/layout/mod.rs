//! In which memory order each node of a delegate computes, and each value crosses a border.
//!
//! Convolutions and pools need channels last, matrix products their innermost axis, and what works element by
//! element any order that its operands share. Between them lie movements, which are free where the memory order
//! on one side is that on the other. Each node that can choose has two orders: plain, and one that some neighbour
//! with a fixed order would like. Which of them, so that the fewest bytes move, is a minimum cut.
//!
//! # Invariants
//! - What the user, a kernel or a branch gives or takes crosses the border in its own order; only a value that goes
//!   from delegates to delegates may cross in another.
//! - The choice depends on the graph alone.

mod bound;
mod cut;
mod detour;
mod flow;
mod holdings;
pub mod order;
mod price;
mod refine;
pub mod steps;
mod terminals;

pub use bound::Least;
pub use holdings::{Holdings, Tensors};
pub use order::Order;
pub use steps::Movers;

use crate::framework::regions::Partition;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Id, NodeId, Symbols, ValueId};
use rustc_hash::FxHashMap;

/// What a target says of the memory orders of its delegates.
pub trait OrderRules {
    /// The only order in which a node can compute; `None` if any will do that is the same for operands and result.
    fn required(&self, graph: &Graph, node: &Node) -> Option<Order>;

    /// What moves inside of its delegates.
    fn movers(&self) -> Movers;

    /// The producer that does the node's work by the way, in its own order.
    fn fuses_into(&self, _graph: &Graph, _node: &Node) -> Option<NodeId> {
        None
    }

    /// True if the node takes the operand with its last two axes in either order, at no cost.
    fn takes_turned(&self, _node: &Node, _operand: usize) -> bool {
        false
    }

    /// True if the node takes the operand's innermost axis in any order of the elements, since what meets it there is
    /// known ahead of time and can be put in that order too.
    fn absorbs(&self, _graph: &Graph, _node: &Node, _operand: usize) -> bool {
        false
    }

    /// How many bytes' worth of moving one more operator that moves is: decides between ways that move as many.
    fn bytes_per_step(&self) -> u64 {
        0
    }

    /// True if the caller may give a tensor in that order.
    fn takes_input(&self, order: &Order) -> bool;

    /// True if the caller may be given a tensor in that order.
    fn gives_output(&self, _order: &Order) -> bool {
        false
    }
}

/// The memory orders of one graph.
pub struct Layouts {
    /// By node; of rank 0 for nodes that compute nothing in a delegate.
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

/// How many bytes any orders move at least, sizes being the greatest of these symbols.
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

/// Chooses the orders, sizes being the greatest of these symbols.
pub fn assign(
    graph: &Graph,
    partition: &Partition,
    rules: &dyn OrderRules,
    symbols: &Symbols,
) -> Layouts {
    let mut terminals = terminals::collect(graph, partition, rules);
    terminals.find_alternatives(graph);
    let price = price::Price::Work(symbols, rules.movers(), rules.bytes_per_step());
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

/// True if all that the node reads and makes can be brought into the order: a row becomes an image by a reshape.
pub fn fits(graph: &Graph, node: &Node, order: &Order, movers: &Movers) -> bool {
    let mut values = node.operands.iter().chain(&node.results);
    values.all(|&v| {
        let shape = &graph.ty(v).shape;
        shape.rank() == order.rank() && (!order.has_width() || movers.can_reshape(shape))
    })
}
