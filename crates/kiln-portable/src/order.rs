//! The order in which a block's nodes and regions run.

use crate::region::Region;
use crate::views::keeps_bytes;
use kiln_ir::graph::Def;
use kiln_ir::verify::bound_symbol;
use kiln_ir::{BlockId, Graph, Id, NodeId, Op, SymbolId, ValueId};
use kiln_transforms::framework::target::Reason;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A task of the runtime: one node or one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
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

/// The tasks of a block, in an order in which operands come before their readers. Otherwise the block's order is kept;
/// a region stands where its last node stands.
///
/// # Errors
/// Two regions need each other.
pub(crate) fn tasks(
    graph: &Graph,
    block: BlockId,
    region_of: &[Option<usize>],
) -> Result<Vec<Task>, Reason> {
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    let mut order = Order::new(graph, &nodes, region_of);
    for &node in &nodes {
        order.add_needs(node);
    }
    order.sorted()
}

/// Tasks are numbered by first appearance. `rank` is the position of the last node.
struct Order<'g> {
    graph: &'g Graph,
    task_of: Vec<Option<usize>>,
    tasks: Vec<Task>,
    rank: Vec<usize>,
    needs: Vec<usize>,
    needed_by: Vec<Vec<usize>>,
    /// The tasks that bind symbols.
    binders: Vec<(SymbolId, usize)>,
}

impl<'g> Order<'g> {
    fn new(graph: &'g Graph, nodes: &[NodeId], region_of: &[Option<usize>]) -> Order<'g> {
        let mut order = Order {
            graph,
            task_of: vec![None; graph.node_bound()],
            tasks: Vec::new(),
            rank: Vec::new(),
            needs: Vec::new(),
            needed_by: Vec::new(),
            binders: Vec::new(),
        };
        let regions = region_of.iter().flatten().max().map_or(0, |m| m + 1);
        let mut task_of_region = vec![None; regions];
        for (place, &node) in nodes.iter().enumerate() {
            let task = match region_of[node.index()] {
                None => order.new_task(Task::Node(node)),
                Some(r) => {
                    *task_of_region[r].get_or_insert_with(|| order.new_task(Task::Region(r)))
                }
            };
            order.rank[task] = place;
            order.task_of[node.index()] = Some(task);
            let bound = bound_symbol(&graph.node(node).op);
            order.binders.extend(bound.map(|symbol| (symbol, task)));
        }
        order
    }

    fn new_task(&mut self, task: Task) -> usize {
        self.tasks.push(task);
        self.rank.push(0);
        self.needs.push(0);
        self.needed_by.push(Vec::new());
        self.tasks.len() - 1
    }

    fn add_needs(&mut self, node: NodeId) {
        let task = self.task_of[node.index()].expect("every node of the block has a task");
        for &operand in &self.graph.node(node).operands {
            if let Def::Result(producer, _) = self.graph.value(operand).def
                && let Some(before) = self.task_of[producer.index()]
            {
                self.add_need(task, before);
            }
        }
        if !self.binders.is_empty() {
            let mentioned = self.graph.mentioned_symbols(node);
            let binders: Vec<usize> = self
                .binders
                .iter()
                .filter(|(symbol, _)| mentioned.contains(symbol))
                .map(|&(_, task)| task)
                .collect();
            binders.into_iter().for_each(|b| self.add_need(task, b));
        }
    }

    fn add_need(&mut self, task: usize, before: usize) {
        if task != before {
            self.needs[task] += 1;
            self.needed_by[before].push(task);
        }
    }

    fn sorted(mut self) -> Result<Vec<Task>, Reason> {
        let ready = |task: usize, rank: &[usize]| Reverse((rank[task], task));
        let mut heap: BinaryHeap<_> = (0..self.tasks.len())
            .filter(|&s| self.needs[s] == 0)
            .map(|s| ready(s, &self.rank))
            .collect();
        let mut sorted = Vec::with_capacity(self.tasks.len());
        while let Some(Reverse((_, task))) = heap.pop() {
            sorted.push(self.tasks[task]);
            for next in std::mem::take(&mut self.needed_by[task]) {
                self.needs[next] -= 1;
                if self.needs[next] == 0 {
                    heap.push(ready(next, &self.rank));
                }
            }
        }
        if sorted.len() < self.tasks.len() {
            return Err(Reason::new(
                "the parts given to delegates can run one after the other",
                "parts that need each other (a bug in Kiln)",
            ));
        }
        Ok(sorted)
    }
}

/// The task of each node of the block, by node index.
pub(crate) fn places(graph: &Graph, tasks: &[Task], regions: &[Region]) -> Vec<Option<usize>> {
    let mut places = vec![None; graph.node_bound()];
    for (place, task) in tasks.iter().enumerate() {
        match *task {
            Task::Node(node) => places[node.index()] = Some(place),
            Task::Region(r) => regions[r]
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
            Op::Cast(_) if keeps_bytes(graph, node) => value = graph.node(node).operands[0],
            _ => break,
        }
    }
    value
}
