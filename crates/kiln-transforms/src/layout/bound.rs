//! How many bytes any choice of orders moves at least.
//!
//! Each node can choose between the plain order and those that a neighbour would have for free. The cut knows two
//! orders for each: so it is asked once for every way to pick one beside the plain one, and the least counts. Where
//! those are too many, what lies between a node and a neighbour that would like a third order counts as free: still
//! no choice moves less.

use super::fits;
use super::flow::{Labels, label};
use super::order::Order;
use super::price::Price;
use super::terminals::{Terminal, Terminals, Way, image};
use kiln_ir::{Graph, Symbols};

/// The most cuts for one bound.
const MOST_CUTS: usize = 64;

/// A lower bound of the bytes that are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// No choice of memory orders moves fewer.
    pub bytes: u64,
    /// True if some choice moves just so many.
    pub is_exact: bool,
}

/// The bound for the terminals of a graph.
pub(super) fn least(graph: &Graph, terminals: &Terminals, symbols: &Symbols) -> Least {
    let price = Price::Bytes(symbols);
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

/// By choice, the orders beside the plain one.
struct Orders(Vec<Vec<Order>>);

impl Orders {
    fn of(terminals: &Terminals) -> Orders {
        let own = terminals.choices.iter();
        Orders(own.map(|c| c.alternative().into_iter().collect()).collect())
    }

    /// How many ways there are to pick one for each choice.
    fn picks(&self) -> usize {
        let counts = self.0.iter().map(|orders| orders.len().max(1));
        counts.fold(1, usize::saturating_mul)
    }

    /// What each choice has in the pick of that number.
    fn pick(&self, number: usize) -> impl Iterator<Item = (usize, &Order)> {
        let mut rest = number;
        self.0.iter().enumerate().filter_map(move |(i, orders)| {
            let count = orders.len().max(1);
            let at = rest % count;
            rest /= count;
            orders.get(at).map(|order| (i, order))
        })
    }

    /// Adds what neighbours would have for free until nothing is missing; false if that is too much.
    fn close(&mut self, graph: &Graph, terminals: &Terminals, price: Price<'_>) -> bool {
        loop {
            let mut grown = false;
            for way in &terminals.ways {
                for (choice, order) in self.wanted(graph, terminals, way, price) {
                    grown = true;
                    self.0[choice].push(order);
                }
                if self.picks() > MOST_CUTS {
                    return false;
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

    /// Orders that an end of the way has not, with which it would be free.
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
                let third = image(graph, way, other, forward);
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
