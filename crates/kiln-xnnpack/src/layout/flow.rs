//! The choice of orders as a minimum cut.
//!
//! A choice is a node of the network; on the source's side it has label 1. For each value and each order in which
//! readers of one region may want it there is one more node, on the side of the readers that do: so a conversion
//! that several share counts once. A cost that no cut expresses (two neighbours that would both rather differ)
//! counts as if it always arose.

use super::cut::Network;
use super::terminals::{Terminal, Terminals, Way};
use crate::order::Order;
use crate::steps::{Step, compose, steps_of};
use indexmap::IndexMap;
use kiln_ir::{Graph, ValueId};

/// Never cut.
const ALWAYS: u64 = 1 << 60;
/// The most that one conversion costs, so that sums stay below [`ALWAYS`].
const MOST: u64 = 1 << 40;

/// The label of each choice.
pub(super) fn label(graph: &Graph, terminals: &Terminals) -> Vec<bool> {
    let count = terminals.choices.len();
    let mut builder = Builder {
        graph,
        terminals,
        network: Network::new(count + 2),
        source: count,
        sink: count + 1,
    };
    for ways in groups(terminals) {
        builder.add_group(&ways);
    }
    let mut side = builder.network.source_side(count, count + 1);
    side.truncate(count);
    side
}

/// Ways of one value to readers of one region.
fn groups(terminals: &Terminals) -> Vec<Vec<&Way>> {
    let mut groups: IndexMap<(usize, ValueId), Vec<&Way>> = IndexMap::new();
    for way in &terminals.ways {
        groups.entry((way.region, way.value)).or_default().push(way);
    }
    groups.into_values().collect()
}

/// Who wants a value in one order.
#[derive(Default)]
struct Wish {
    /// Somebody does whatever is chosen.
    surely: bool,
    /// Choices that do with label 0, and with label 1.
    by_label: [Vec<usize>; 2],
}

struct Builder<'a> {
    graph: &'a Graph,
    terminals: &'a Terminals,
    network: Network,
    source: usize,
    sink: usize,
}

impl Builder<'_> {
    fn add_group(&mut self, ways: &[&Way]) {
        let mut wishes: IndexMap<Order, Wish> = IndexMap::new();
        for way in ways {
            match &way.to {
                Terminal::Fixed(order) => wishes.entry(order.clone()).or_default().surely = true,
                Terminal::Free(choice) => {
                    let orders = [false, true].map(|label| self.terminals.order_at(&way.to, label));
                    if orders[0] == orders[1] {
                        wishes.entry(orders[0].clone()).or_default().surely = true;
                        continue;
                    }
                    for (label, order) in orders.into_iter().enumerate() {
                        wishes.entry(order).or_default().by_label[label].push(*choice);
                    }
                }
            }
        }
        for (order, wish) in wishes {
            let costs = [false, true].map(|label| self.cost(ways[0], label, &order));
            self.add_wish(&ways[0].from, costs, wish);
        }
    }

    /// What it costs to have the value in that order, by the label of its maker.
    fn add_wish(&mut self, maker: &Terminal, costs: [u64; 2], wish: Wish) {
        let maker = match maker {
            Terminal::Free(choice) => Some(*choice),
            Terminal::Fixed(_) => None,
        };
        if wish.surely {
            if let Some(maker) = maker {
                self.charge(maker, costs);
            }
            return;
        }
        for (label, readers) in wish.by_label.into_iter().enumerate() {
            if readers.is_empty() || costs == [0, 0] {
                continue;
            }
            let wanted = self.gather(label, &readers);
            let least = costs[0].min(costs[1]);
            let more = [costs[0] - least, costs[1] - least];
            match maker {
                None => self.charge_label(wanted, label, costs[0]),
                // Dearer where maker and readers have equal labels: no cut says so.
                Some(_) if more[label] > 0 => self.charge_label(wanted, label, costs[label]),
                Some(maker) => {
                    self.charge_label(wanted, label, least);
                    self.charge_difference(wanted, maker, label, more[1 - label]);
                }
            }
        }
    }

    /// A node that has the label if one of the readers has it.
    fn gather(&mut self, label: usize, readers: &[usize]) -> usize {
        if let [only] = readers {
            return *only;
        }
        let any = self.network.add_node();
        for &reader in readers {
            match label {
                1 => self.network.add_edge(reader, any, ALWAYS),
                _ => self.network.add_edge(any, reader, ALWAYS),
            }
        }
        any
    }

    fn charge(&mut self, node: usize, costs: [u64; 2]) {
        let least = costs[0].min(costs[1]);
        self.charge_label(node, 0, costs[0] - least);
        self.charge_label(node, 1, costs[1] - least);
    }

    fn charge_label(&mut self, node: usize, label: usize, cost: u64) {
        match label {
            1 => self.network.add_edge(node, self.sink, cost),
            _ => self.network.add_edge(self.source, node, cost),
        }
    }

    /// If `node` has the label and `other` has not.
    fn charge_difference(&mut self, node: usize, other: usize, label: usize, cost: u64) {
        match label {
            1 => self.network.add_edge(node, other, cost),
            _ => self.network.add_edge(other, node, cost),
        }
    }

    fn cost(&self, way: &Way, label: bool, to: &Order) -> u64 {
        let from = self.terminals.order_at(&way.from, label);
        if way.movements.is_empty() && from == *to {
            return 0;
        }
        let source = &self.graph.ty(way.source).shape;
        let target = self.graph.ty(way.value);
        let back = from.to_memory(source).inverse();
        let forth = to.to_memory(&target.shape);
        let path = way
            .movements
            .iter()
            .chain([&forth])
            .fold(vec![back], compose);
        let bytes = target
            .shape
            .iter()
            .fold(target.dtype.size() as u64, |n, size| {
                let bounds = self.graph.symbols.bounds(size);
                let size = bounds.hi.or(bounds.lo).unwrap_or(1).max(1);
                n.saturating_mul(size as u64)
            });
        let weight = match steps_of(&path, &from.dims(source)) {
            Some(steps) => steps.iter().map(weight).sum(),
            None => 3 * TRANSPOSE,
        };
        bytes.saturating_mul(weight).min(MOST)
    }
}

const TRANSPOSE: u64 = 4;

/// A reshape copies, a transpose takes about four times as long (measured).
fn weight(step: &Step) -> u64 {
    match step {
        Step::Reshape(_) => 1,
        Step::Transpose(_) => TRANSPOSE,
    }
}
