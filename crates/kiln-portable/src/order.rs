//! The order in which a block's nodes and regions run.

use crate::region::Region;
use kiln_ir::graph::Def;
use kiln_ir::{BlockId, Graph, Id, NodeId, Op, SymbolId, ValueId};
use kiln_transforms::framework::target::Reason;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A step: one node or one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A node that kernels run.
    Node(NodeId),
    /// The region of this number, which its delegate runs.
    Region(usize),
}

/// The region of each node, by node index.
pub(crate) fn membership(graph: &Graph, regions: &[Region]) -> Vec<Option<usize>> {
    let mut region_of = vec![None; graph.node_bound()];
    for (number, region) in regions.iter().enumerate() {
        for node in &region.nodes {
            region_of[node.index()] = Some(number);
        }
    }
    region_of
}

/// The steps of a block, in an order in which operands come before their readers. Otherwise the block's order is kept;
/// a region stands where its last node stands.
///
/// # Errors
/// Two regions need each other.
pub(crate) fn steps(
    graph: &Graph,
    block: BlockId,
    region_of: &[Option<usize>],
) -> Result<Vec<Step>, Reason> {
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    let mut order = Order::new(graph, &nodes, region_of);
    for &node in &nodes {
        order.add_needs(node);
    }
    order.sorted()
}

/// Steps are numbered by first appearance. `rank` is the position of the last node.
struct Order<'g> {
    graph: &'g Graph,
    step_of: Vec<Option<usize>>,
    steps: Vec<Step>,
    rank: Vec<usize>,
    needs: Vec<usize>,
    needed_by: Vec<Vec<usize>>,
    /// The steps that bind symbols.
    binders: Vec<(SymbolId, usize)>,
}

impl<'g> Order<'g> {
    fn new(graph: &'g Graph, nodes: &[NodeId], region_of: &[Option<usize>]) -> Order<'g> {
        let mut order = Order {
            graph,
            step_of: vec![None; graph.node_bound()],
            steps: Vec::new(),
            rank: Vec::new(),
            needs: Vec::new(),
            needed_by: Vec::new(),
            binders: Vec::new(),
        };
        let regions = region_of.iter().flatten().max().map_or(0, |m| m + 1);
        let mut step_of_region = vec![None; regions];
        for (place, &node) in nodes.iter().enumerate() {
            let step = match region_of[node.index()] {
                None => order.new_step(Step::Node(node)),
                Some(r) => {
                    *step_of_region[r].get_or_insert_with(|| order.new_step(Step::Region(r)))
                }
            };
            order.rank[step] = place;
            order.step_of[node.index()] = Some(step);
            match &graph.node(node).op {
                Op::BindSymbol(op) => order.binders.push((op.symbol, step)),
                Op::NonZero(op) => order.binders.push((op.count, step)),
                _ => {}
            }
        }
        order
    }

    fn new_step(&mut self, step: Step) -> usize {
        self.steps.push(step);
        self.rank.push(0);
        self.needs.push(0);
        self.needed_by.push(Vec::new());
        self.steps.len() - 1
    }

    fn add_needs(&mut self, node: NodeId) {
        let step = self.step_of[node.index()].expect("every node of the block has a step");
        for &operand in &self.graph.node(node).operands {
            if let Def::Result(producer, _) = self.graph.value(operand).def
                && let Some(before) = self.step_of[producer.index()]
            {
                self.add_need(step, before);
            }
        }
        if !self.binders.is_empty() {
            let mentioned = self.graph.mentioned_symbols(node);
            let binders: Vec<usize> = self
                .binders
                .iter()
                .filter(|(symbol, _)| mentioned.contains(symbol))
                .map(|&(_, step)| step)
                .collect();
            binders.into_iter().for_each(|b| self.add_need(step, b));
        }
    }

    fn add_need(&mut self, step: usize, before: usize) {
        if step != before {
            self.needs[step] += 1;
            self.needed_by[before].push(step);
        }
    }

    fn sorted(mut self) -> Result<Vec<Step>, Reason> {
        let ready = |step: usize, rank: &[usize]| Reverse((rank[step], step));
        let mut heap: BinaryHeap<_> = (0..self.steps.len())
            .filter(|&s| self.needs[s] == 0)
            .map(|s| ready(s, &self.rank))
            .collect();
        let mut sorted = Vec::with_capacity(self.steps.len());
        while let Some(Reverse((_, step))) = heap.pop() {
            sorted.push(self.steps[step]);
            for next in std::mem::take(&mut self.needed_by[step]) {
                self.needs[next] -= 1;
                if self.needs[next] == 0 {
                    heap.push(ready(next, &self.rank));
                }
            }
        }
        if sorted.len() < self.steps.len() {
            return Err(Reason::new(
                "the parts given to delegates can run one after the other",
                "parts that need each other (a bug in Kiln)",
            ));
        }
        Ok(sorted)
    }
}

/// The step of each node of the block, by node index.
pub(crate) fn places(graph: &Graph, steps: &[Step], regions: &[Region]) -> Vec<Option<usize>> {
    let mut places = vec![None; graph.node_bound()];
    for (place, step) in steps.iter().enumerate() {
        match *step {
            Step::Node(node) => places[node.index()] = Some(place),
            Step::Region(r) => regions[r]
                .nodes
                .iter()
                .for_each(|n| places[n.index()] = Some(place)),
        }
    }
    places
}

/// The value whose memory a value shares: itself, or the source of a view or repetition.
pub(crate) fn origin(graph: &Graph, mut value: ValueId) -> ValueId {
    while let Some(node) = graph.producer(value) {
        match &graph.node(node).op {
            Op::Move(_) | Op::Broadcast(_) => value = graph.node(node).operands[0],
            _ => break,
        }
    }
    value
}
