//! The choice of memory orders as a minimum cut.
//!
//! Each choice is a node of the network. On the source's side its label is 1. Each pair of a value and a memory order
//! in which readers of one region may want it is one more node, on the side of the readers that want it. A conversion
//! that several readers share so counts once. Some costs are not expressible by a cut (a conversion that two neighbours
//! both want to avoid); these count either always or never.

use super::cut::{Cut, Network};
use super::movers::compose;
use super::order::{Order, Rows};
use super::price::{Price, turned};
use super::terminals::{Terminal, Terminals, Way};
use indexmap::IndexMap;
use kiln_ir::{Dim, Graph, Movement, ValueId};

/// The capacity of an edge that is never cut.
const ALWAYS: u64 = 1 << 60;

/// The labels with the least cost.
pub(super) struct Labels {
    /// By choice.
    pub(super) labels: Vec<bool>,
    /// The cost of these labels.
    pub(super) cost: u64,
    /// True if the cut expresses all costs except copies by reshapes.
    pub(super) is_exact: bool,
    /// True if readers may want the same place in memory under several shapes.
    pub(super) has_copies: bool,
}

/// The label of each choice, for this price of conversions.
pub(super) fn label<'a>(
    graph: &'a Graph,
    terminals: &'a Terminals,
    ways: impl Iterator<Item = &'a Way>,
    price: Price<'a>,
) -> Labels {
    let count = terminals.choices.len();
    let mut builder = Builder {
        graph,
        terminals,
        price,
        network: Network::new(count + 2),
        source: count,
        sink: count + 1,
        constant: 0,
        is_exact: true,
        has_copies: false,
    };
    for ways in groups(ways) {
        builder.add_group(&ways);
    }
    let Cut { mut side, cost } = builder.network.minimum_cut(count, count + 1);
    side.truncate(count);
    Labels {
        labels: side,
        cost: cost.saturating_add(builder.constant),
        is_exact: builder.is_exact,
        has_copies: builder.has_copies,
    }
}

/// The ways from one value to the readers of one region.
pub(super) fn groups<'a>(ways: impl Iterator<Item = &'a Way>) -> Vec<Vec<&'a Way>> {
    let mut groups: IndexMap<(usize, ValueId), Vec<&Way>> = IndexMap::new();
    for way in ways {
        groups
            .entry((way.region, way.source))
            .or_default()
            .push(way);
    }
    groups.into_values().collect()
}

/// The readers that want a value in one order.
struct Wish<'a> {
    way: &'a Way,
    order: Order,
    /// A second order with the same place in memory, and the way of the reader that takes it if the maker has it. The
    /// same bytes may have other axes there.
    other: Option<(&'a Way, Order)>,
    /// The place in memory; equal orders have equal places.
    place: Vec<Movement>,
    /// A reader wants this order whatever is chosen.
    surely: bool,
    /// The choices that want this order with label 0, and those with label 1.
    by_label: [Vec<usize>; 2],
}

struct Builder<'a> {
    graph: &'a Graph,
    terminals: &'a Terminals,
    price: Price<'a>,
    network: Network,
    source: usize,
    sink: usize,
    /// The cost that is paid whatever is chosen.
    constant: u64,
    is_exact: bool,
    has_copies: bool,
}

impl<'a> Builder<'a> {
    fn add_group(&mut self, ways: &[&'a Way]) {
        let mut wishes: Vec<Wish<'a>> = Vec::new();
        let (turnable, straight): (Vec<&Way>, Vec<&Way>) =
            ways.iter().partition(|way| way.is_turnable);
        for way in straight.into_iter().chain(turnable) {
            if self.is_met_turned(&wishes, way) {
                continue;
            }
            let orders = [false, true].map(|label| self.terminals.order_at(&way.to, label));
            let places = self.places(way, &orders);
            let is_one = places[0] == places[1];
            if is_one {
                self.add_reshape(way, &orders);
            }
            let other = is_one.then(|| (way, orders[1].clone()));
            for (label, (order, place)) in orders.into_iter().zip(places).enumerate() {
                let rows = self.terminals.movers.rows;
                let dims = dims(self.graph, way, &order, rows);
                let wish = wish(&mut wishes, way, order, place);
                self.has_copies |= dims != self::dims(self.graph, wish.way, &wish.order, rows);
                match way.to {
                    Terminal::Free(choice) if !is_one => wish.by_label[label].push(choice),
                    _ => wish.surely = true,
                }
                wish.other = wish.other.take().or(other.clone());
            }
        }
        for wish in wishes {
            self.add_wish(wish);
        }
    }

    /// The places in memory of a reader's two orders. A reader without a choice has the same order twice.
    fn places(&self, way: &Way, [plain, other]: &[Order; 2]) -> [Vec<Movement>; 2] {
        let of = |order| place(self.graph, way, order, false, self.terminals.movers.rows);
        let first = of(plain);
        let second = match plain == other {
            true => first.clone(),
            false => of(other),
        };
        [first, second]
    }

    /// The extra cost where a reader's two orders are the same place in memory, but the reader's shape is not the
    /// maker's.
    fn add_reshape(&mut self, way: &Way, orders: &[Order; 2]) {
        let Terminal::Free(reader) = way.to else {
            return;
        };
        let costs = [false, true].map(|label| {
            let of = |order| self.cost(way, label, order);
            orders.each_ref().map(of)
        });
        // A reshape costs at least 1, so that no element moves only to save a reshape.
        let is_more = |cost: u64, than: u64| u64::from(cost > than);
        match way.from {
            Terminal::Fixed(_) => {
                let [plain, other] = costs[0];
                self.charge(reader, [is_more(plain, other), is_more(other, plain)]);
            }
            Terminal::Free(maker) if costs[0][0] <= costs[0][1] && costs[1][1] <= costs[1][0] => {
                self.charge_difference(reader, maker, 1, is_more(costs[0][1], costs[0][0]));
                self.charge_difference(reader, maker, 0, is_more(costs[1][0], costs[1][1]));
            }
            Terminal::Free(_) => {}
        }
    }

    /// True if the reader takes the transposed matrix that another reader gets.
    fn is_met_turned(&mut self, wishes: &[Wish<'_>], way: &Way) -> bool {
        if !way.is_turnable {
            return false;
        }
        let order = self.terminals.order_at(&way.to, false);
        let place = place(self.graph, way, &order, true, self.terminals.movers.rows);
        let Some(met) = wishes.iter().find(|wish| wish.place == place) else {
            return false;
        };
        self.is_exact &= met.surely;
        met.surely || self.price.is_bound()
    }

    /// The cost of the value in this order, by the label of its maker.
    fn add_wish(&mut self, wish: Wish<'_>) {
        let costs = [false, true].map(|label| {
            let own = self.cost(wish.way, label, &wish.order);
            let other = wish.other.as_ref();
            other.map_or(own, |(way, order)| own.min(self.cost(way, label, order)))
        });
        let maker = match wish.way.from {
            Terminal::Free(choice) => Some(choice),
            Terminal::Fixed(_) => None,
        };
        if wish.surely {
            match maker {
                Some(maker) => self.charge(maker, costs),
                None => self.constant = self.constant.saturating_add(costs[0]),
            }
            return;
        }
        for (label, readers) in self.expressed(wish.by_label).into_iter().enumerate() {
            if readers.is_empty() || costs == [0, 0] {
                continue;
            }
            let wanted = self.gather(label, &readers);
            let least = costs[0].min(costs[1]);
            let more = [costs[0] - least, costs[1] - least];
            match maker {
                None => self.charge_label(wanted, label, costs[0]),
                // A cost that arises if maker and reader have equal labels is not expressible by a cut.
                Some(_) if more[label] > 0 => {
                    self.is_exact = false;
                    let cost = if self.price.is_bound() {
                        least
                    } else {
                        costs[label]
                    };
                    self.charge_label(wanted, label, cost);
                }
                Some(maker) => {
                    self.charge_label(wanted, label, least);
                    self.charge_difference(wanted, maker, label, more[1 - label]);
                }
            }
        }
    }

    /// Readers of one place with unlike labels pay only once, which a cut cannot express. Here each label pays by
    /// itself; for a bound only one label pays.
    fn expressed(&mut self, mut by_label: [Vec<usize>; 2]) -> [Vec<usize>; 2] {
        if by_label.iter().all(|readers| !readers.is_empty()) {
            self.is_exact = false;
            if self.price.is_bound() {
                by_label[0].clear();
            }
        }
        by_label
    }

    /// A node that has the label if one of these readers has it.
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
        self.constant = self.constant.saturating_add(least);
        self.charge_label(node, 0, costs[0] - least);
        self.charge_label(node, 1, costs[1] - least);
    }

    fn charge_label(&mut self, node: usize, label: usize, cost: u64) {
        match label {
            1 => self.network.add_edge(node, self.sink, cost),
            _ => self.network.add_edge(self.source, node, cost),
        }
    }

    /// Adds an edge that costs `capacity` if `node` has label 1 and `other` has not.
    fn charge_difference(&mut self, node: usize, other: usize, label: usize, cost: u64) {
        match label {
            1 => self.network.add_edge(node, other, cost),
            _ => self.network.add_edge(other, node, cost),
        }
    }

    fn cost(&self, way: &Way, label: bool, to: &Order) -> u64 {
        let from = self.terminals.order_at(&way.from, label);
        self.price.of(self.graph, way, &from, to)
    }
}

/// The wish for a place in memory, which is added if there is none yet.
fn wish<'a, 'w>(
    wishes: &'w mut Vec<Wish<'a>>,
    way: &'a Way,
    order: Order,
    place: Vec<Movement>,
) -> &'w mut Wish<'a> {
    let found = wishes.iter().position(|w| w.place == place);
    let at = found.unwrap_or_else(|| {
        wishes.push(Wish {
            way,
            order,
            place,
            other: None,
            surely: false,
            by_label: [Vec::new(), Vec::new()],
        });
        wishes.len() - 1
    });
    &mut wishes[at]
}

/// The sizes in which a reader wants the value that was made.
pub(super) fn dims(graph: &Graph, way: &Way, order: &Order, rows: Rows) -> Vec<Dim> {
    order.dims(&graph.ty(way.value).shape, rows)
}

/// The memory order in which a reader wants the value, possibly transposed, as a movement to one axis.
pub(super) fn place(
    graph: &Graph,
    way: &Way,
    order: &Order,
    is_turned: bool,
    rows: Rows,
) -> Vec<Movement> {
    let forth = order.to_memory(&graph.ty(way.value).shape, rows);
    let all = way.movements.iter().chain([&forth]);
    let mut path = all.fold(Vec::new(), compose);
    if is_turned {
        path = turned(path);
    }
    let dims = path.last().map(Movement::result_shape).unwrap_or_default();
    match Movement::merge(&dims, 0..dims.len()) {
        Ok(flat) => compose(path, &flat),
        Err(_) => path,
    }
}
