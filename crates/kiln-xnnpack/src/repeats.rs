//! Blocks of nodes that are alike, which one delegate runs one after the other.
//!
//! XNNPACK packs the weights of every node by itself, also where nodes share them. The steps of a recurrent layer
//! with large weights then read them from memory again and again, which takes longer than the arithmetic. Where
//! such steps come in blocks that are alike, each block becomes a region of its own; their payloads are equal, so
//! the program holds one delegate and calls it once for each block.
//!
//! What reads the last block's results only is computed in every block, so that the blocks are alike to the end.
//! It is done if that is little beside the block.
//!
//! # Invariants
//! - A block starts at the first reader of a weight that each block reads once; every delegated node is in a block,
//!   but for views of the method's inputs and of parts of them.
//! - Blocks that do not give equal payloads are no blocks: [`crate::compile()`] compares.

use kiln_ir::graph::{Def, Use};
use kiln_ir::{ConstId, Graph, NodeId, Op, Place, Rewriter, ValueId};
use kiln_portable::lies_together;
use kiln_transforms::pass::{Pass, Report};
use kiln_transforms::regions::Partition;
use kiln_transforms::target::{Placement, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass that computes in every block what follows the last.
pub(crate) const PASS: Pass = Pass {
    name: "repeat_blocks",
    keeps_bits: true,
    run,
};

/// Copies of weights of fewer bytes in all stay in the cache.
const LEAST_COPIED_BYTES: u64 = 8 << 20;

/// What follows the blocks may have the weights of a block divided by this.
const TAIL_SHARE: u64 = 8;

/// Every block that is alike as a region, if the root block is made of such blocks.
pub(crate) fn partition(graph: &Graph, target: &dyn Target) -> Option<Partition> {
    let regions = find(graph, target)?;
    let is_flat = graph
        .nodes_in(graph.root())
        .all(|(_, n)| n.op.bodies().is_empty());
    let (last, first) = (regions.last()?, regions.first()?);
    if !is_flat || last.len() != first.len() {
        return None;
    }
    Some(Partition::of(graph, regions))
}

/// The blocks of the root block, in order; the last may be longer by what follows it. `None` if there are none, or
/// they gain nothing.
fn find(graph: &Graph, target: &dyn Target) -> Option<Vec<Vec<NodeId>>> {
    let anchors = anchors(graph)?;
    let mut blocks: Vec<Vec<NodeId>> = Vec::new();
    for (id, node) in graph.nodes_in(graph.root()) {
        if matches!(node.op, Op::Constant(_) | Op::ReadState(_)) || is_cut(graph, id) {
            continue;
        }
        if anchors.contains(&id) {
            blocks.push(Vec::new());
        }
        let inside = matches!(target.placement(graph, id), Placement::Delegate);
        match blocks.last_mut() {
            Some(block) if inside => block.push(id),
            Some(_) => return None,
            None if inside => return None,
            None => {}
        }
    }
    let (last, others) = blocks.split_last()?;
    let first = others.first()?;
    let alike = |block: &Vec<NodeId>| {
        let same = |(&a, &b): (&NodeId, &NodeId)| graph.node(a).op == graph.node(b).op;
        block.len() >= first.len() && first.iter().zip(block).all(same)
    };
    let is_long = |block: &Vec<NodeId>| block.len() != first.len();
    (!others.iter().any(is_long) && alike(last) && others.iter().all(alike)).then_some(blocks)
}

/// The readers of the first weight that each block reads once.
fn anchors(graph: &Graph) -> Option<FxHashSet<NodeId>> {
    let mut order: Vec<ConstId> = Vec::new();
    let mut readers: FxHashMap<ConstId, Vec<NodeId>> = FxHashMap::default();
    for (id, node) in graph.nodes_in(graph.root()) {
        if let (Op::Linear(_), Some(weight)) = (&node.op, weight_of(graph, id)) {
            let all = readers.entry(weight).or_default();
            if all.is_empty() {
                order.push(weight);
            }
            all.push(id);
        }
    }
    let count = |weight: &ConstId| readers[weight].len();
    let blocks = order.iter().map(count).filter(|&n| n > 1).min()?;
    let bytes = |w: &ConstId| graph.constant(*w).data.bytes().len() as u64;
    let copied: u64 = order.iter().map(|w| bytes(w) * (count(w) as u64 - 1)).sum();
    let is_multiple = |w: &ConstId| count(w) == 1 || count(w) % blocks == 0;
    if copied < LEAST_COPIED_BYTES || !order.iter().all(is_multiple) {
        return None;
    }
    let first = order.iter().find(|w| count(w) == blocks)?;
    Some(readers[first].iter().copied().collect())
}

fn weight_of(graph: &Graph, node: NodeId) -> Option<ConstId> {
    match graph.producer_op(*graph.node(node).operands.get(1)?)? {
        Op::Constant(op) => Some(op.value),
        _ => None,
    }
}

/// True for a view of an input, or of a part of it that lies together: it stays outside.
fn is_cut(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let is_view = match &node.op {
        Op::Slice(_) => lies_together(graph, id),
        Op::Move(op) => op.movement.is_view(),
        _ => false,
    };
    is_view
        && match graph.value(node.operands[0]).def {
            Def::Param(..) => true,
            Def::Result(producer, _) => is_cut(graph, producer),
        }
}

/// Computes in every block what follows the last, if it reads nothing else.
fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let Some(blocks) = find(rewriter.graph(), target) else {
        return;
    };
    let (length, last) = (blocks[0].len(), &blocks[blocks.len() - 1]);
    let (body, tail) = last.split_at(length);
    if tail.is_empty() || !is_small_tail(rewriter.graph(), body, tail) {
        return;
    }
    for (number, block) in blocks[..blocks.len() - 1].iter().enumerate() {
        if !rewriter.may_apply() {
            return;
        }
        report.applied(PASS.name, rewriter.graph(), tail[0]);
        copy_tail(rewriter, (body, tail), block, blocks[number + 1][0]);
    }
}

/// True if the tail reads the body's results and constants alone, and its weights are little beside the body's.
fn is_small_tail(graph: &Graph, body: &[NodeId], tail: &[NodeId]) -> bool {
    let known: FxHashSet<NodeId> = body.iter().chain(tail).copied().collect();
    let is_known = |&v: &ValueId| {
        let producer = graph.producer(v);
        graph.as_constant(v).is_some() || producer.is_some_and(|n| known.contains(&n))
    };
    let bytes = |nodes: &[NodeId]| -> u64 {
        let constants = nodes.iter().flat_map(|&n| graph.node(n).operands.iter());
        let sizes = constants
            .filter_map(|&v| graph.as_constant(v))
            .map(|c| c.data.bytes().len() as u64);
        sizes.sum()
    };
    let mut operands = tail.iter().flat_map(|&n| graph.node(n).operands.iter());
    operands.all(is_known) && bytes(tail) * TAIL_SHARE <= bytes(body)
}

fn copy_tail(
    rewriter: &mut Rewriter<'_>,
    (body, tail): (&[NodeId], &[NodeId]),
    block: &[NodeId],
    before: NodeId,
) {
    let mut known: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for (&from, &to) in body.iter().zip(block) {
        pair(rewriter.graph(), &mut known, from, to);
    }
    let constants = tail
        .iter()
        .flat_map(|&n| &rewriter.graph().node(n).operands);
    let constants: Vec<NodeId> = constants
        .filter(|&&v| rewriter.graph().as_constant(v).is_some())
        .filter_map(|&v| rewriter.graph().producer(v))
        .collect();
    for &from in constants.iter().chain(tail) {
        let node = rewriter.graph().node(from);
        let (op, operands) = (node.op.clone(), node.operands.iter());
        let operands: Vec<ValueId> = operands
            .map(|v| known.get(v).copied().unwrap_or(*v))
            .collect();
        rewriter.set_sources_of(&[from]);
        let Ok(to) = rewriter.insert(Place::Before(before), op, &operands) else {
            return;
        };
        pair(rewriter.graph(), &mut known, from, to);
    }
}

fn pair(graph: &Graph, known: &mut FxHashMap<ValueId, ValueId>, from: NodeId, to: NodeId) {
    let (from, to) = (&graph.node(from).results, &graph.node(to).results);
    known.extend(from.iter().copied().zip(to.iter().copied()));
}

/// What leaves each block: what any of them is read for outside, by place, and what nobody reads.
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
