//! The layout problem that the cut solves: terminals, which have a memory order, and the ways between them.

use super::movers::compose;
use super::order::{Order, Rows};
use super::{Movers, OrderRules, fits};
use crate::analysis::constants::{MAX_MOVEMENTS, is_constant};
use crate::framework::regions::{Partition, border};
use indexmap::IndexMap;
use kiln_ir::graph::{Def, InputSpec, OutputSpec, Use};
use kiln_ir::{Graph, Id, Movement, NodeId, Op, ValueId};
use std::collections::VecDeque;

/// A place where a value is made or read in some memory order: a node, or a border.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Terminal {
    /// It has one order.
    Fixed(Order),
    /// It has one of two orders, by the label of a choice.
    Free(usize),
}

/// A node or border that may choose its order.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    rank: usize,
    /// The order that is not plain.
    alternative: Option<Order>,
    /// Label 1 means the plain order. So neighbours that agree have equal labels.
    flipped: bool,
    node: Option<NodeId>,
    /// It has no third order.
    is_closed: bool,
}

impl Choice {
    /// True if no third order would be free for a neighbour.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// The order that is not plain.
    pub(super) fn alternative(&self) -> Option<Order> {
        self.alternative.clone()
    }

    /// The node that chooses; `None` for a border.
    pub(super) fn node(&self) -> Option<NodeId> {
        self.node
    }

    fn order(&self, label: bool) -> Order {
        match &self.alternative {
            Some(other) if label != self.flipped => other.clone(),
            _ => Order::plain(self.rank),
        }
    }
}

/// A value on its way from maker to reader: made as `source`, moved, and read as `value`.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) from: Terminal,
    pub(super) source: ValueId,
    /// The movements; empty if the value is read as it was made.
    pub(super) movements: Vec<Movement>,
    pub(super) value: ValueId,
    pub(super) to: Terminal,
    /// The reader takes its last two axes in either order.
    pub(super) is_turnable: bool,
    /// The reader takes the innermost axis in any permutation.
    pub(super) is_absorbed: bool,
    /// The region of the reader. Readers of one region share conversions.
    pub(super) region: usize,
    /// The value enters over a border.
    pub(super) enters: bool,
    /// The value leaves over a border.
    pub(super) leaves: bool,
}

/// The orders other than its own that a reader accepts for an operand.
#[derive(Clone, Copy, Default)]
struct Manner {
    is_turnable: bool,
    is_absorbed: bool,
    /// The reader is the border.
    leaves: bool,
}

/// All terminals and ways of a graph.
#[derive(Clone)]
pub(super) struct Terminals {
    /// By node; `None` for a node that computes nothing in a delegate.
    pub(super) nodes: Vec<Option<Terminal>>,
    pub(super) borders: IndexMap<ValueId, Terminal>,
    pub(super) choices: Vec<Choice>,
    pub(super) ways: Vec<Way>,
    pub(super) movers: Movers,
}

/// The terminals and ways of all regions.
pub(super) fn collect(graph: &Graph, partition: &Partition, rules: &dyn OrderRules) -> Terminals {
    let mut all = Terminals {
        nodes: vec![None; graph.node_bound()],
        borders: IndexMap::new(),
        choices: Vec::new(),
        ways: Vec::new(),
        movers: rules.movers(),
    };
    for nodes in &partition.regions {
        nodes
            .iter()
            .for_each(|&id| all.add_node(graph, partition, rules, id));
    }
    for region in 0..partition.regions.len() {
        let border = border(graph, partition, region);
        for &value in border.inputs.iter().chain(&border.outputs) {
            all.add_border(graph, partition, rules, value);
        }
        for &id in &partition.regions[region] {
            let Some(to) = all.nodes[id.index()].clone() else {
                continue;
            };
            if fused_into(graph, partition, rules, id).is_none() {
                let node = graph.node(id);
                for (i, &value) in node.operands.iter().enumerate() {
                    let to = all.operand(graph, value, &to);
                    let manner = Manner {
                        is_turnable: rules.takes_turned(node, i),
                        is_absorbed: rules.absorbs(graph, node, i),
                        leaves: false,
                    };
                    all.add_way(graph, partition, region, value, to, manner);
                }
            }
        }
        for value in border.outputs {
            let to = all.borders[&value].clone();
            let manner = Manner {
                leaves: true,
                ..Manner::default()
            };
            all.add_way(graph, partition, region, value, to, manner);
        }
    }
    all
}

fn fused_into(
    graph: &Graph,
    partition: &Partition,
    rules: &dyn OrderRules,
    id: NodeId,
) -> Option<NodeId> {
    let producer = rules.fuses_into(graph, graph.node(id))?;
    (partition.region_of(producer) == partition.region_of(id)).then_some(producer)
}

impl Terminals {
    /// The number of axes that the order has.
    pub(super) fn rank(&self, terminal: &Terminal) -> usize {
        match terminal {
            Terminal::Fixed(order) => order.rank(),
            Terminal::Free(choice) => self.choices[*choice].rank,
        }
    }

    fn choice(&mut self, rank: usize, node: Option<NodeId>) -> Terminal {
        self.choices.push(Choice {
            rank,
            alternative: None,
            flipped: false,
            node,
            is_closed: false,
        });
        Terminal::Free(self.choices.len() - 1)
    }

    fn add_node(
        &mut self,
        graph: &Graph,
        partition: &Partition,
        rules: &dyn OrderRules,
        id: NodeId,
    ) {
        let node = graph.node(id);
        if matches!(node.op, Op::Move(_)) {
            return;
        }
        let fused =
            fused_into(graph, partition, rules, id).and_then(|p| self.nodes[p.index()].clone());
        let terminal = match (fused, rules.required(graph, node)) {
            (Some(terminal), _) => terminal,
            (None, Some(order)) => Terminal::Fixed(order),
            (None, None) => self.choice(graph.ty(node.result()).rank(), Some(id)),
        };
        self.nodes[id.index()] = Some(terminal);
    }

    fn add_border(
        &mut self,
        graph: &Graph,
        partition: &Partition,
        rules: &dyn OrderRules,
        value: ValueId,
    ) {
        if self.borders.contains_key(&value) {
            return;
        }
        let rank = graph.ty(value).rank();
        let within = partition.maker(graph, value).is_some()
            && rank == 4
            && only_delegates_read(graph, partition, value);
        let terminal = if within {
            self.choice(rank, None)
        } else if let Some(order) = wanted_order(graph, value).filter(|o| rules.gives_output(o)) {
            // A value that PyTorch gives in another order may be given in plain order too.
            let terminal = self.choice(rank, None);
            if let Some(choice) = self.choices.last_mut() {
                (choice.alternative, choice.is_closed) = (Some(order), true);
            }
            terminal
        } else {
            let given = given_order(graph, partition, value);
            let given = given.filter(|order| rules.takes_input(order));
            Terminal::Fixed(given.unwrap_or_else(|| Order::plain(rank)))
        };
        self.borders.insert(value, terminal);
    }

    /// Operands of another rank (computed weights and biases) are read in plain order.
    fn operand(&self, graph: &Graph, value: ValueId, node: &Terminal) -> Terminal {
        let rank = graph.ty(value).rank();
        if rank == self.rank(node) {
            return node.clone();
        }
        Terminal::Fixed(Order::plain(rank))
    }

    /// The value from which movements within the region lead to this one, and these movements.
    fn add_way(
        &mut self,
        graph: &Graph,
        partition: &Partition,
        region: usize,
        value: ValueId,
        to: Terminal,
        manner: Manner,
    ) {
        if is_constant(graph, value) {
            return;
        }
        let (mut source, mut movements, mut count) = (value, Vec::new(), 0);
        let mut enters = false;
        let from = loop {
            count += 1;
            if count > MAX_MOVEMENTS {
                break None;
            }
            let producer = graph
                .producer(source)
                .filter(|&p| partition.region_of(p) == Some(region));
            let Some(producer) = producer else {
                enters = true;
                break self.borders.get(&source).cloned();
            };
            let node = graph.node(producer);
            let Op::Move(op) = &node.op else {
                break self.nodes[producer.index()].clone();
            };
            movements = movements.iter().fold(vec![op.movement.clone()], compose);
            source = node.operands[0];
        };
        let Some(mut from) = from else { return };
        if self.rank(&from) != graph.ty(source).rank() {
            from = Terminal::Fixed(Order::plain(graph.ty(source).rank()));
        }
        self.ways.push(Way {
            from,
            source,
            movements,
            value,
            to,
            is_turnable: manner.is_turnable,
            is_absorbed: manner.is_absorbed,
            region,
            enters,
            leaves: manner.leaves,
        });
    }

    /// The order of a terminal whose choice has this label.
    pub(super) fn order_at(&self, terminal: &Terminal, label: bool) -> Order {
        match terminal {
            Terminal::Fixed(order) => order.clone(),
            Terminal::Free(choice) => self.choices[*choice].order(label),
        }
    }

    /// The order of a terminal.
    pub(super) fn order(&self, terminal: &Terminal, labels: &[bool]) -> Order {
        match terminal {
            Terminal::Fixed(order) => order.clone(),
            Terminal::Free(choice) => self.choices[*choice].order(labels[*choice]),
        }
    }

    /// The terminals with other orders for some choices.
    pub(super) fn with_alternatives<'o>(
        &self,
        orders: impl Iterator<Item = (usize, &'o Order)>,
    ) -> Terminals {
        let mut other = self.clone();
        for (choice, order) in orders {
            other.choices[choice].alternative = Some(order.clone());
        }
        other
    }

    /// Gives each choice the order that a neighbour would like, starting at terminals with a fixed order.
    pub(super) fn find_alternatives(&mut self, graph: &Graph) {
        let mut ways_of = vec![Vec::new(); self.choices.len()];
        let mut queue = VecDeque::new();
        for (i, way) in self.ways.iter().enumerate() {
            for terminal in [&way.from, &way.to] {
                match terminal {
                    Terminal::Free(choice) => ways_of[*choice].push(i),
                    Terminal::Fixed(_) => queue.push_back(i),
                }
            }
        }
        self.spread(graph, &mut queue, &ways_of, false);
        // A choice without a fixed neighbour stays plain. Movements from there offer orders to others.
        let moved = (0..self.ways.len()).filter(|&i| !self.ways[i].movements.is_empty());
        let mut queue: VecDeque<usize> = moved.collect();
        self.spread(graph, &mut queue, &ways_of, true);
    }

    /// Offers orders along the ways. A choice that is not settled may still get one.
    fn spread(
        &mut self,
        graph: &Graph,
        queue: &mut VecDeque<usize>,
        ways_of: &[Vec<usize>],
        settled: bool,
    ) {
        while let Some(i) = queue.pop_front() {
            for forward in [true, false] {
                if let Some(choice) = self.offer(graph, i, forward, settled) {
                    queue.extend(&ways_of[choice]);
                }
            }
        }
    }

    /// Offers the terminal at one end of a way the orders at its other end. Returns the terminal if it took one.
    fn offer(&mut self, graph: &Graph, way: usize, forward: bool, settled: bool) -> Option<usize> {
        let way = &self.ways[way];
        let (from, to) = if forward {
            (&way.from, &way.to)
        } else {
            (&way.to, &way.from)
        };
        let Terminal::Free(to) = *to else { return None };
        if self.choices[to].alternative.is_some() {
            return None;
        }
        let plain = Order::plain(self.choices[to].rank);
        let rows = self.movers.rows;
        let image = |order: &Order| image(graph, way, order, forward, rows);
        let (alternative, flipped) = match from {
            Terminal::Fixed(order) => (image(order)?, false),
            Terminal::Free(from) => {
                let from = &self.choices[*from];
                let Some(alternative) = from.alternative.as_ref() else {
                    if !settled {
                        return None;
                    }
                    let other = image(&Order::plain(from.rank))?;
                    return self.take(graph, to, other, false);
                };
                let other = image(alternative)?;
                let straight = image(&Order::plain(from.rank))?;
                match (other == plain, straight == plain) {
                    (true, _) => (straight, !from.flipped),
                    (_, true) => (other, from.flipped),
                    _ => return None,
                }
            }
        };
        self.take(graph, to, alternative, flipped)
    }

    /// Gives a choice an order besides the plain one, if its node can compute in it.
    fn take(
        &mut self,
        graph: &Graph,
        to: usize,
        alternative: Order,
        flipped: bool,
    ) -> Option<usize> {
        let own = &self.choices[to];
        let possible = alternative != Order::plain(own.rank)
            && own
                .node
                .is_none_or(|id| fits(graph, graph.node(id), &alternative, &self.movers));
        if !possible {
            return None;
        }
        let choice = &mut self.choices[to];
        (choice.alternative, choice.flipped) = (Some(alternative), flipped);
        Some(to)
    }
}

/// The order at one end of a way in which the elements lie exactly as at the other end in the given order, if there is
/// one. `forward` is from the source to the reader.
pub(super) fn image(
    graph: &Graph,
    way: &Way,
    order: &Order,
    forward: bool,
    rows: Rows,
) -> Option<Order> {
    if way.movements.is_empty() {
        return Some(order.clone());
    }
    if let [only] = way.movements.as_slice()
        && let Some(there) = only.as_permutation()
    {
        let permutation = if forward {
            only.inverse().as_permutation()?
        } else {
            there
        };
        let axes = order.dim_order().into_iter();
        return Order::new(axes.map(|axis| permutation[usize::from(axis)]));
    }
    let path = if forward {
        let back = order.to_memory(&graph.ty(way.source).shape, rows).inverse();
        way.movements.iter().fold(vec![back], compose)
    } else {
        let back = order.to_memory(&graph.ty(way.value).shape, rows).inverse();
        let movements = way.movements.iter().rev().map(Movement::inverse);
        movements.fold(vec![back], |path, next| compose(path, &next))
    };
    let [path] = path.as_slice() else { return None };
    let dims = kiln_ir::Shape::from(path.result_shape());
    let rank = dims.rank();
    // Axes of size 1 can stand anywhere. They go where other orders have them, else first.
    let mut axes: Vec<usize> = (0..rank).collect();
    axes.sort_by_key(|&axis| path.result()[axis].first().map(|f| f.index()));
    let candidates = [
        Some(Order::plain(rank)),
        Some(Order::channels_last(rank)),
        Order::new(axes),
    ];
    candidates.into_iter().flatten().find(|order| {
        let seen = compose(vec![path.clone()], &order.to_memory(&dims, rows));
        seen.iter().all(Movement::is_view)
    })
}

fn only_delegates_read(graph: &Graph, partition: &Partition, value: ValueId) -> bool {
    graph.value(value).uses().iter().all(|u| match u {
        Use::Operand(reader, _) => partition.region_of(*reader).is_some(),
        Use::BlockResult(..) | Use::Update(_) => false,
    })
}

/// The order in which the caller passes an input, if only delegates read it.
fn given_order(graph: &Graph, partition: &Partition, value: ValueId) -> Option<Order> {
    let Def::Param(block, index) = graph.value(value).def else {
        return None;
    };
    if block != graph.root() || !only_delegates_read(graph, partition, value) {
        return None;
    }
    let tensors = graph.signature.inputs.iter().filter_map(|spec| match spec {
        InputSpec::Tensor { dim_order, .. } => Some(dim_order),
        _ => None,
    });
    let dim_order = tensors.into_iter().nth(index as usize)?;
    Order::new(dim_order.iter().map(|&a| usize::from(a)))
}

/// The order, other than plain, in which PyTorch returns an output that is made here.
fn wanted_order(graph: &Graph, value: ValueId) -> Option<Order> {
    graph.producer(value)?;
    let results = &graph.block(graph.root()).results;
    let index = results.iter().position(|&r| r == value)?;
    let orders = graph
        .signature
        .outputs
        .iter()
        .filter_map(|spec| match spec {
            OutputSpec::Tensor { dim_order } => Some(dim_order),
            _ => None,
        });
    let dim_order = orders.into_iter().nth(index)?;
    let order = Order::new(dim_order.iter().map(|&a| usize::from(a)))?;
    let rank = graph.ty(value).rank();
    (order.rank() == rank && order != Order::plain(rank)).then_some(order)
}
