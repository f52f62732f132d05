//! A lower bound of the bytes that any assignment of memory orders moves.
//!
//! Each node can choose between the plain order and the orders that a neighbour would have for free. The cut
//! distinguishes two orders per node. So the cut is computed once for every way to pick one other order per node, and
//! the minimum is the bound. If there are too many ways, the conversions between a node and a neighbour that would like
//! a third order count as free. The result is still a lower bound.

use super::fits;
use super::flow::{Labels, label};
use super::order::Order;
use super::price::Price;
use super::terminals::{Terminal, Terminals, Way, image};
use kiln_ir::{Graph, Symbols};

/// The most cuts that one bound computes.
const MAX_CUTS: usize = 64;

/// A lower bound of moved bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// No assignment of memory orders moves fewer bytes.
    pub bytes: u64,
    /// True if some assignment moves exactly this many.
    pub is_exact: bool,
}

/// The bound for the terminals of a graph.
pub(super) fn least(graph: &Graph, terminals: &Terminals, symbols: &Symbols) -> Least {
    let price = Price::Bytes(symbols, terminals.movers.rows);
    let mut orders = Orders::of(terminals);
    let is_closed = orders.close(graph, terminals, price);
    if !is_closed {
        let own = Orders::of(terminals);
        let settled = terminals
            .ways
            .iter()
            .filter(|way| own.wanted(graph, terminals, way, price).is_empty());
        return Least {
            is_exact: false,
            ..cut(graph, terminals, settled, price)
        };
    }
    let picks = (0..orders.picks()).map(|number| {
        let picked = terminals.with_alternatives(orders.pick(number));
        cut(graph, &picked, picked.ways.iter(), price)
    });
    let all = picks.reduce(|a, b| Least {
        bytes: a.bytes.min(b.bytes),
        is_exact: a.is_exact && b.is_exact,
    });
    all.unwrap_or_default()
}

fn cut<'a>(
    graph: &'a Graph,
    terminals: &'a Terminals,
    ways: impl Iterator<Item = &'a Way>,
    price: Price<'a>,
) -> Least {
    let Labels { cost, is_exact, .. } = label(graph, terminals, ways, price);
    Least {
        bytes: cost,
        is_exact,
    }
}

/// For each choice, its orders other than the plain one.
struct Orders(Vec<Vec<Order>>);

impl Orders {
    fn of(terminals: &Terminals) -> Orders {
        let own = terminals.choices.iter();
        Orders(own.map(|c| c.alternative().into_iter().collect()).collect())
    }

    /// The number of ways to pick one order per choice.
    fn picks(&self) -> usize {
        let counts = self.0.iter().map(|orders| orders.len().max(1));
        counts.fold(1, usize::saturating_mul)
    }

    /// The order of each choice in pick number `number`.
    fn pick(&self, number: usize) -> impl Iterator<Item = (usize, &Order)> {
        let mut rest = number;
        self.0.iter().enumerate().filter_map(move |(i, orders)| {
            let count = orders.len().max(1);
            let at = rest % count;
            rest /= count;
            orders.get(at).map(|order| (i, order))
        })
    }

    /// Adds orders that neighbours would have for free until none is missing. False if there are too many.
    fn close(&mut self, graph: &Graph, terminals: &Terminals, price: Price<'_>) -> bool {
        if self.picks() > MAX_CUTS {
            return false;
        }
        loop {
            let mut grown = false;
            for way in &terminals.ways {
                for (choice, order) in self.wanted(graph, terminals, way, price) {
                    grown = true;
                    self.0[choice].push(order);
                    if self.picks() > MAX_CUTS {
                        return false;
                    }
                }
            }
            if !grown {
                return true;
            }
        }
    }

    fn at(&self, terminals: &Terminals, end: &Terminal) -> Vec<Order> {
        match end {
            Terminal::Fixed(order) => vec![order.clone()],
            Terminal::Free(choice) => {
                let plain = Order::plain(terminals.rank(end));
                let others = self.0[*choice].iter().cloned();
                others.chain([plain]).collect()
            }
        }
    }

    /// Orders in which a way would be free, but which the terminal at one of its ends does not offer yet.
    fn wanted(
        &self,
        graph: &Graph,
        terminals: &Terminals,
        way: &Way,
        price: Price<'_>,
    ) -> Vec<(usize, Order)> {
        let (from, to) = (self.at(terminals, &way.from), self.at(terminals, &way.to));
        let mut wanted: Vec<(usize, Order)> = Vec::new();
        for (end, own, others, forward) in
            [(&way.to, &to, &from, true), (&way.from, &from, &to, false)]
        {
            let Terminal::Free(choice) = *end else {
                continue;
            };
            if terminals.choices[choice].is_closed() {
                continue;
            }
            for other in others {
                let is_free = |order: &Order| {
                    let (a, b) = if forward {
                        (other, order)
                    } else {
                        (order, other)
                    };
                    price.of(graph, way, a, b) == 0
                };
                if own.iter().any(is_free) {
                    continue;
                }
                let third = image(graph, way, other, forward, terminals.movers.rows);
                let node = terminals.choices[choice].node();
                let is_possible = |order: &Order| {
                    order.rank() == own[0].rank()
                        && node
                            .is_none_or(|id| fits(graph, graph.node(id), order, &terminals.movers))
                        && is_free(order)
                };
                let is_new = |order: &Order| !wanted.contains(&(choice, order.clone()));
                if let Some(order) = third.filter(is_possible).filter(is_new) {
                    wanted.push((choice, order));
                }
            }
        }
        wanted
    }
}
