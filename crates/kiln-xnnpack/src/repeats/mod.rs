//! Equal blocks of nodes, which one delegate runs one after the other.
//!
//! XNNPACK packs the weights of every node separately, even if nodes share them. The steps of a recurrent layer with
//! large weights then read them from memory again and again, which takes longer than the arithmetic. Where such steps
//! form equal blocks, each block becomes a region of its own. The regions' payloads are equal, so the program holds one
//! delegate and calls it once per block.
//!
//! Where nothing stands in front of the blocks, and what stands behind them (the *tail*) is small, the blocks compute it
//! too, so that they stay equal to the end ([`tail`]): nodes that read the last block's results, and, part by part, nodes
//! that read the joined results of all blocks. Otherwise the nodes in front of the blocks and behind them are regions of
//! their own, and the tail may hold further runs of blocks. A join of the blocks' results stays outside if the blocks can
//! write into it.
//!
//! # Invariants
//! - A block starts at the first reader of a weight that each block reads once, behind nodes that it alone reads.
//! - Blocks whose payloads differ are not treated as blocks: [`crate::compile()`] compares.

mod tail;
mod ways;

use crate::support::Options;
use kiln_ir::graph::{Def, Use};
use kiln_ir::{ConstId, Graph, NodeId, Op, Rewriter, ValueId};
use kiln_portable::{MAX_NESTED, joins_in_place, lies_together};
use kiln_transforms::framework::pass::{Pass, Report};
use kiln_transforms::framework::regions::{Partition, find_reentry, partition_within};
use kiln_transforms::framework::target::{Placement, Reason, Target};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

const NAME: &str = "repeat_blocks";

/// The pass that computes the tail in every block.
pub(crate) const PASS: Pass = Pass {
    name: NAME,
    keeps_bits: true,
    rules: &[NAME],
    guards: &[ways::GUARDS],
    run,
};

/// Equal blocks, and what stands around them.
struct Blocks {
    /// The delegated nodes in front of the blocks.
    before: Vec<NodeId>,
    /// The nodes of each block, in order; equally many in each.
    all: Vec<Vec<NodeId>>,
    /// The tail.
    tail: Vec<NodeId>,
}

impl Blocks {
    /// The block of each node, and its place in the block.
    fn places(&self) -> FxHashMap<NodeId, (usize, usize)> {
        let nodes = self.all.iter().enumerate().flat_map(|(number, block)| {
            let places = block.iter().enumerate();
            places.map(move |(place, &node)| (node, (number, place)))
        });
        nodes.collect()
    }

    /// The bytes of weights that a program has once, and not once for each block.
    fn saved_bytes(&self, graph: &Graph) -> u64 {
        let of_block = constant_bytes(graph, &self.all[0]);
        of_block.saturating_mul(self.all.len() as u64 - 1)
    }
}

/// The bytes of the constants that nodes read, each counted once for each reader.
fn constant_bytes(graph: &Graph, nodes: &[NodeId]) -> u64 {
    let read = nodes.iter().flat_map(|&n| &graph.node(n).operands);
    let constants = read.filter_map(|&v| graph.as_constant(v));
    constants.map(|c| c.data.bytes().len() as u64).sum()
}

/// The most block counts that are tried.
const MAX_TRIED: usize = 4;

/// Regions of a graph, of which some are equal blocks.
pub(crate) struct Plan {
    /// The regions: runs of blocks, and what stands in front of, between and behind them.
    pub partition: Partition,
    /// The regions of each run.
    pub runs: Vec<Range<usize>>,
}

impl Plan {
    /// True if every region is a block of one run.
    fn is_one_run(&self) -> bool {
        let all = 0..self.partition.regions.len();
        self.runs.len() == 1 && self.runs[0] == all
    }
}

/// The regions of a graph whose root block has runs of equal blocks. `None` if it has none, or they gain nothing.
pub(crate) fn plan(graph: &Graph, target: &dyn Target) -> Option<Plan> {
    let root = graph.root();
    let is_flat = graph.nodes_in(root).all(|(_, n)| n.op.bodies().is_empty());
    if !is_flat {
        return None;
    }
    let (mut regions, mut runs, mut members) = (Vec::new(), Vec::new(), FxHashSet::default());
    let mut rest: Vec<NodeId> = graph.nodes_in(root).map(|(id, _)| id).collect();
    while let Some(blocks) = find(graph, target, &rest) {
        regions.extend(plain(graph, target, &members, blocks.before));
        members.extend(blocks.all.iter().flatten().copied());
        runs.push(regions.len()..regions.len() + blocks.all.len());
        regions.extend(blocks.all);
        rest = blocks.tail;
    }
    if runs.is_empty() {
        return None;
    }
    regions.extend(plain(graph, target, &members, rest));
    let partition = Partition::of(graph, regions);
    Some(Plan { partition, runs })
}

/// The regions of nodes outside of blocks. Joins of the blocks' results stay outside if the blocks write into them.
fn plain(
    graph: &Graph,
    target: &dyn Target,
    blocks: &FxHashSet<NodeId>,
    nodes: Vec<NodeId>,
) -> Vec<Vec<NodeId>> {
    let is_block = |n: NodeId| blocks.contains(&n);
    let is_inside = |n: &NodeId| !joins_in_place(graph, *n, &is_block);
    let inside: FxHashSet<NodeId> = nodes.into_iter().filter(is_inside).collect();
    partition_within(graph, target, graph.root(), &inside)
}

/// The run of blocks among nodes in order that saves the most. `None` if there is none, or none gains anything.
fn find(graph: &Graph, target: &dyn Target, nodes: &[NodeId]) -> Option<Blocks> {
    let candidates = anchors(graph, target.cached_bytes(), nodes).into_iter();
    let found = candidates.filter_map(|anchors| blocks_from(graph, target, nodes, &anchors));
    // Of equals, the first has the fewest calls.
    found.reduce(
        |best, next| match next.saved_bytes(graph) > best.saved_bytes(graph) {
            true => next,
            false => best,
        },
    )
}

/// The blocks that start at the anchors, if they are equal.
fn blocks_from(
    graph: &Graph,
    target: &dyn Target,
    nodes: &[NodeId],
    anchors: &FxHashSet<NodeId>,
) -> Option<Blocks> {
    let mut walk = Walk::default();
    for &id in nodes {
        if is_free_or_cut(graph, target, id) || is_join(graph, id) {
            continue;
        }
        match target.placement(graph, id) {
            Placement::Delegate => walk.take(graph, target, id, anchors.contains(&id)),
            _ => walk.meets_kernels |= !walk.all.is_empty(),
        }
    }
    let meets_kernels = walk.meets_kernels;
    let blocks = walk.into_blocks(graph)?;
    let is_convex = |block: &Vec<NodeId>| find_reentry(graph, block).is_none();
    (!meets_kernels || blocks.all.iter().all(is_convex)).then_some(blocks)
}

/// The state of a walk over nodes in order, which divides them into blocks.
#[derive(Default)]
struct Walk {
    /// Nodes in front of the first anchor.
    before: Vec<NodeId>,
    all: Vec<Vec<NodeId>>,
    /// The number of nodes of a block in front of its anchor.
    lead: usize,
    /// Nodes that read no block, and may belong to the next one.
    ahead: Vec<NodeId>,
    /// Nodes in front of the first anchor, their views, and those ahead.
    is_outside: FxHashSet<NodeId>,
    /// Kernels run between blocks, or behind them.
    meets_kernels: bool,
}

impl Walk {
    fn take(&mut self, graph: &Graph, target: &dyn Target, id: NodeId, is_anchor: bool) {
        let is_outside = |&v: &ValueId| match graph.producer(v) {
            // A read of a cell may correspond to a read of an earlier block.
            Some(n) if matches!(graph.node(n).op, Op::ReadState(_)) => false,
            Some(n) => self.is_outside.contains(&n) || is_free_or_cut(graph, target, n),
            None => true,
        };
        if is_anchor {
            self.lead = self.ahead.len();
            self.all.push(Vec::new());
        } else if self.all.is_empty() {
            self.is_outside.insert(id);
            return self.before.push(id);
        } else if self.is_view_of_before(graph, id) {
            self.is_outside.insert(id);
            return;
        } else if graph.node(id).operands.iter().all(is_outside) {
            self.is_outside.insert(id);
            return self.ahead.push(id);
        }
        for member in &self.ahead {
            self.is_outside.remove(member);
        }
        if let Some(block) = self.all.last_mut() {
            block.append(&mut self.ahead);
            block.push(id);
        }
    }

    /// True for a view, or a contiguous part, of a value from in front of the blocks. It stays outside.
    fn is_view_of_before(&self, graph: &Graph, id: NodeId) -> bool {
        let of = graph.producer(graph.node(id).operands[0]);
        let is_before = |n: NodeId| self.is_outside.contains(&n) && !self.ahead.contains(&n);
        is_view(graph, id) && of.is_some_and(is_before)
    }

    fn into_blocks(mut self, graph: &Graph) -> Option<Blocks> {
        self.all.last_mut()?.append(&mut self.ahead);
        if self.all.len() < 2 {
            return None;
        }
        let lead = self
            .before
            .split_off(self.before.len().checked_sub(self.lead)?);
        self.all[0].splice(0..0, lead);
        let length = self.all[0].len();
        let tail = self.all.last_mut().filter(|last| last.len() >= length)?;
        let tail = tail.split_off(length);
        let is_alike = |block: &Vec<NodeId>| {
            let same = |(&a, &b): (&NodeId, &NodeId)| graph.node(a).op == graph.node(b).op;
            block.len() == length && self.all[0].iter().zip(block).all(same)
        };
        self.all.iter().all(is_alike).then(|| Blocks {
            before: without_border_views(graph, self.before),
            all: self.all,
            tail,
        })
    }
}

/// The nodes without views that only others read.
fn without_border_views(graph: &Graph, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    let mut inside: FxHashSet<NodeId> = nodes.iter().copied().collect();
    for &id in nodes.iter().rev().filter(|&&id| is_view(graph, id)) {
        let is_inner = |u: &Use| matches!(u, Use::Operand(reader, _) if inside.contains(reader));
        if !graph
            .value(graph.node(id).result())
            .uses()
            .iter()
            .any(is_inner)
        {
            inside.remove(&id);
        }
    }
    nodes.retain(|id| inside.contains(id));
    nodes
}

/// Places where blocks may start: the readers of the first weight that is read that many times, for each number of
/// times, fewest first. The tail may read a weight more than once too.
fn anchors(graph: &Graph, cached_bytes: u64, nodes: &[NodeId]) -> Vec<FxHashSet<NodeId>> {
    let mut order: Vec<ConstId> = Vec::new();
    let mut readers: FxHashMap<ConstId, Vec<NodeId>> = FxHashMap::default();
    for &id in nodes {
        let node = graph.node(id);
        if let (Op::Linear(_) | Op::MatMul(_), Some(weight)) = (&node.op, weight_of(graph, id)) {
            let all = readers.entry(weight).or_default();
            if all.is_empty() {
                order.push(weight);
            }
            all.push(id);
        }
    }
    let count = |weight: &ConstId| readers[weight].len();
    let bytes = |w: &ConstId| graph.constant(*w).data.bytes().len() as u64;
    let copied: u64 = order.iter().map(|w| bytes(w) * (count(w) as u64 - 1)).sum();
    if copied <= cached_bytes {
        return Vec::new();
    }
    let mut counts: Vec<usize> = order.iter().map(count).filter(|&n| n > 1).collect();
    counts.sort_unstable();
    counts.dedup();
    let first = |n: &usize| order.iter().find(|w| count(w) == *n);
    let tried = counts.iter().take(MAX_TRIED).filter_map(first);
    tried
        .map(|w| readers[w].iter().copied().collect())
        .collect()
}

fn weight_of(graph: &Graph, node: NodeId) -> Option<ConstId> {
    match graph.producer_op(*graph.node(node).operands.get(1)?)? {
        Op::Constant(op) => Some(op.value),
        _ => None,
    }
}

fn is_free_or_cut(graph: &Graph, target: &dyn Target, id: NodeId) -> bool {
    let is_free = matches!(graph.node(id).op, Op::Constant(_) | Op::ReadState(_));
    is_free || is_cut(graph, target, id)
}

/// True for a view of an input or of a kernel's result, or of a contiguous part of one. It stays outside.
fn is_cut(graph: &Graph, target: &dyn Target, id: NodeId) -> bool {
    is_view(graph, id)
        && match graph.value(graph.node(id).operands[0]).def {
            Def::Param(..) => true,
            Def::Result(producer, _) => {
                let made = &graph.node(producer).op;
                is_cut(graph, target, producer)
                    || !matches!(made, Op::Constant(_) | Op::ReadState(_))
                        && !matches!(target.placement(graph, producer), Placement::Delegate)
            }
        }
}

/// True for a view, or a slice of adjacent elements.
fn is_view(graph: &Graph, id: NodeId) -> bool {
    match &graph.node(id).op {
        Op::Slice(_) => lies_together(graph, id),
        Op::Move(op) => op.movement.is_view(),
        _ => false,
    }
}

/// True for a join for the caller along the outermost axis, and for a view of one.
fn is_join(graph: &Graph, id: NodeId) -> bool {
    joins_within(graph, id, MAX_NESTED)
}

fn joins_within(graph: &Graph, id: NodeId, depth: usize) -> bool {
    let node = graph.node(id);
    match &node.op {
        Op::Concat(op) => {
            let shape = &graph.ty(node.result()).shape;
            let is_outermost = shape[..op.axis].iter().all(|d| d.is(1));
            is_outermost
                && shape.as_static().is_some()
                && graph.updates().is_empty()
                && is_for_caller(graph, node.result(), depth)
        }
        Op::Move(op) => {
            let of_join = graph.producer(node.operands[0]);
            let joins = |n: NodeId| {
                matches!(graph.node(n).op, Op::Concat(_)) && joins_within(graph, n, depth)
            };
            op.movement.is_view() && of_join.is_some_and(joins)
        }
        _ => false,
    }
}

/// True if the caller is the value's only reader, directly, through a join, or through a view.
fn is_for_caller(graph: &Graph, value: ValueId, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let uses = graph.value(value).uses();
    !uses.is_empty()
        && uses.iter().all(|u| match *u {
            Use::BlockResult(..) => true,
            Use::Operand(reader, _) => match &graph.node(reader).op {
                Op::Concat(_) => joins_within(graph, reader, depth),
                Op::Move(op) if op.movement.is_view() => {
                    is_for_caller(graph, graph.node(reader).result(), depth)
                }
                _ => false,
            },
            Use::Update(_) => false,
        })
}

/// Computes the tail in every block. This is tried on a copy of the graph first, because if no blocks result the tail
/// would be computed many times for nothing.
fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let root = rewriter.graph().root();
    let nodes: Vec<NodeId> = rewriter.graph().nodes_in(root).map(|(id, _)| id).collect();
    let found = find(rewriter.graph(), target, &nodes);
    let can_be_all = |blocks: &Blocks| blocks.before.is_empty() && !blocks.tail.is_empty();
    let Some(blocks) = found.filter(can_be_all) else {
        return;
    };
    let mut copy = rewriter.graph().clone();
    let is_spread = tail::spread(&mut Rewriter::new(&mut copy), &blocks);
    let plan = is_spread.then(|| plan(&copy, target)).flatten();
    // Steps are alike with any options.
    let options = Options::default();
    let regions = plan
        .filter(Plan::is_one_run)
        .and_then(|plan| crate::compile::compile_repeats(&copy, &plan, &options).ok());
    if !matches!(regions, Some(Some(_))) {
        let rule = "what follows the steps is small, and works on each of them by itself";
        let found = "something that does not";
        return report.declined(NAME, blocks.tail[0], Reason::new(rule, found));
    }
    if rewriter.may_apply() {
        report.applied(NAME, rewriter.graph(), blocks.tail[0]);
        tail::spread(rewriter, &blocks);
    }
}

/// The results of each block: the places that any block's value is read from outside, and the values without readers.
pub(crate) fn outputs(graph: &Graph, blocks: &[Vec<NodeId>]) -> Vec<Vec<ValueId>> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for block in blocks {
        let members: FxHashSet<NodeId> = block.iter().copied().collect();
        let leaves = |u: &Use| !matches!(u, Use::Operand(reader, _) if members.contains(reader));
        for (place, &node) in block.iter().enumerate() {
            for (slot, &value) in graph.node(node).results.iter().enumerate() {
                let uses = graph.value(value).uses();
                if uses.is_empty() || uses.iter().any(leaves) {
                    places.push((place, slot));
                }
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    let of_block = |block: &Vec<NodeId>| {
        let value = |&(place, slot): &(usize, usize)| graph.node(block[place]).results[slot];
        places.iter().map(value).collect()
    };
    blocks.iter().map(of_block).collect()
}
