//! Equal blocks of nodes, which one delegate runs one after the other.
//!
//! XNNPACK packs the weights of every node separately, even if nodes share them. The steps of a recurrent layer with
//! large weights then read them from memory again and again, which takes longer than the arithmetic. Where such steps
//! form equal blocks, each block becomes a region of its own. The regions' payloads are equal, so the program holds one
//! delegate and calls it once per block.
//!
//! The nodes behind the blocks (the *tail*) are computed in every block, so that the blocks stay equal to the end
//! ([`tail`]): nodes that read the last block's results, and, part by part, nodes that read the joined results of all
//! blocks. A join for the caller stays outside, and the blocks write their results into it.
//!
//! # Invariants
//! - A block starts at the first reader of a weight that each block reads once. Every delegated node is in a block,
//!   except views of the method's inputs and of kernels' results, and joins at the end.
//! - Blocks whose payloads differ are not treated as blocks: [`crate::compile()`] compares.

mod tail;
mod ways;

use crate::support::Options;
use kiln_ir::graph::{Def, Use};
use kiln_ir::{ConstId, Graph, NodeId, Op, Rewriter, ValueId};
use kiln_portable::lies_together;
use kiln_transforms::framework::pass::{Pass, Report};
use kiln_transforms::framework::regions::Partition;
use kiln_transforms::framework::target::{Placement, Reason, Target};
use rustc_hash::{FxHashMap, FxHashSet};

const NAME: &str = "repeat_blocks";

/// The pass that computes the tail in every block.
pub(crate) const PASS: Pass = Pass {
    name: NAME,
    keeps_bits: true,
    rules: &[NAME],
    guards: &[ways::GUARDS],
    run,
};

/// The blocks of a graph.
struct Blocks {
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
}

/// The most block counts that are tried.
const MAX_TRIED: usize = 4;

/// One region per block, if the root block consists of equal blocks.
pub(crate) fn partition(graph: &Graph, target: &dyn Target) -> Option<Partition> {
    let blocks = find(graph, target)?;
    let is_flat = graph
        .nodes_in(graph.root())
        .all(|(_, n)| n.op.bodies().is_empty());
    (is_flat && blocks.tail.is_empty()).then(|| Partition::of(graph, blocks.all))
}

/// The blocks of the root block, in order. `None` if there are none, or they gain nothing.
fn find(graph: &Graph, target: &dyn Target) -> Option<Blocks> {
    let mut candidates = anchors(graph, target.cached_bytes()).into_iter();
    candidates.find_map(|anchors| blocks_from(graph, target, &anchors))
}

/// The blocks that start at the anchors, if they are equal.
fn blocks_from(graph: &Graph, target: &dyn Target, anchors: &FxHashSet<NodeId>) -> Option<Blocks> {
    let mut all: Vec<Vec<NodeId>> = Vec::new();
    // A node that reads no block may belong to the next one.
    let (mut ahead, mut is_ahead) = (Vec::new(), FxHashSet::default());
    for (id, node) in graph.nodes_in(graph.root()) {
        if is_free_or_cut(graph, target, id) || is_join(graph, id) {
            continue;
        }
        let is_delegated = matches!(target.placement(graph, id), Placement::Delegate);
        let is_anchor = anchors.contains(&id);
        let is_outside = |&v: &ValueId| match graph.producer(v) {
            // A read of a cell may correspond to a read of an earlier block.
            Some(n) if matches!(graph.node(n).op, Op::ReadState(_)) => false,
            Some(n) => is_free_or_cut(graph, target, n) || is_ahead.contains(&n),
            None => true,
        };
        if !is_delegated {
            match all.is_empty() {
                true => continue,
                false => return None,
            }
        }
        match all.last_mut() {
            _ if is_anchor => all.push(std::mem::take(&mut ahead)),
            _ if node.operands.iter().all(is_outside) => {
                is_ahead.insert(id);
                ahead.push(id);
                continue;
            }
            Some(block) => block.append(&mut ahead),
            None => return None,
        }
        is_ahead.clear();
        all.last_mut()?.push(id);
    }
    all.last_mut()?.append(&mut ahead);
    let length = all.first().filter(|_| all.len() > 1)?.len();
    let tail = all.last_mut().filter(|last| last.len() >= length)?;
    let tail = tail.split_off(length);
    let is_alike = |block: &Vec<NodeId>| {
        let same = |(&a, &b): (&NodeId, &NodeId)| graph.node(a).op == graph.node(b).op;
        block.len() == length && all[0].iter().zip(block).all(same)
    };
    all.iter().all(is_alike).then_some(Blocks { all, tail })
}

/// Places where blocks may start: the readers of the first weight that is read that many times, for each number of
/// times, fewest first. The tail may read a weight more than once too.
fn anchors(graph: &Graph, cached_bytes: u64) -> Vec<FxHashSet<NodeId>> {
    let mut order: Vec<ConstId> = Vec::new();
    let mut readers: FxHashMap<ConstId, Vec<NodeId>> = FxHashMap::default();
    for (id, node) in graph.nodes_in(graph.root()) {
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
    let node = graph.node(id);
    let is_view = match &node.op {
        Op::Slice(_) => lies_together(graph, id),
        Op::Move(op) => op.movement.is_view(),
        _ => false,
    };
    is_view
        && match graph.value(node.operands[0]).def {
            Def::Param(..) => true,
            Def::Result(producer, _) => {
                let made = &graph.node(producer).op;
                is_cut(graph, target, producer)
                    || !matches!(made, Op::Constant(_) | Op::ReadState(_))
                        && !matches!(target.placement(graph, producer), Placement::Delegate)
            }
        }
}

/// True for a join for the caller along the outermost axis, and for a view of one.
fn is_join(graph: &Graph, id: NodeId) -> bool {
    joins_within(graph, id, MAX_NESTED)
}

/// The most nested joins and views that are followed.
const MAX_NESTED: usize = 4;

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
    let found = find(rewriter.graph(), target);
    let Some(blocks) = found.filter(|blocks| !blocks.tail.is_empty()) else {
        return;
    };
    let mut copy = rewriter.graph().clone();
    let is_spread = tail::spread(&mut Rewriter::new(&mut copy), &blocks);
    let partition = is_spread.then(|| partition(&copy, target)).flatten();
    // Steps are alike with any options.
    let options = Options::default();
    let regions = partition.and_then(|p| crate::compile::compile_repeats(&copy, &p, &options).ok());
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
