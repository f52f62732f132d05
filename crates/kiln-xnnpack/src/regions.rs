//! Which nodes of a block go into which delegate.
//!
//! A delegate is a convex set of nodes: no path leads out of it and back in. Nodes are numbered by *level*: the
//! greatest number of times that a path to the node enters delegates. All delegated nodes of one level make one
//! delegate, connected or not. A chain that enters delegates n times forces n delegates, so there are no fewer.
//!
//! # Invariants
//! - A region is convex, and regions of one block can run in order of their levels.
//! - Constants are in no region: each holds its own.

use crate::target::Xnnpack;
use kiln_ir::graph::{Def, Use};
use kiln_ir::{BlockId, Graph, Id, NodeId, Op, ValueId};
use kiln_transforms::target::{Placement, Target};

/// The delegates of a graph.
pub(crate) struct Partition {
    /// Members in graph order; blocks in id order, levels ascending.
    pub(crate) regions: Vec<Vec<NodeId>>,
    /// By node.
    region_of: Vec<Option<u32>>,
}

impl Partition {
    /// The region that a node is in.
    pub(crate) fn region_of(&self, node: NodeId) -> Option<usize> {
        self.region_of[node.index()].map(|r| r as usize)
    }

    /// The region that makes a value.
    pub(crate) fn maker(&self, graph: &Graph, value: ValueId) -> Option<usize> {
        self.region_of(graph.producer(value)?)
    }
}

/// Partitions every block of the graph.
pub(crate) fn partition(graph: &Graph, target: &Xnnpack) -> Partition {
    let mut partition = Partition {
        regions: Vec::new(),
        region_of: vec![None; graph.node_bound()],
    };
    for (block, _) in graph.blocks() {
        let regions = partition_block(graph, target, block);
        for nodes in regions {
            let number = partition.regions.len() as u32;
            nodes
                .iter()
                .for_each(|n| partition.region_of[n.index()] = Some(number));
            partition.regions.push(nodes);
        }
    }
    partition
}

/// Every block that is alike as a region, if the root block is made of such blocks.
pub(crate) fn partition_repeats(graph: &Graph, target: &Xnnpack) -> Option<Partition> {
    let regions = crate::repeats::find(graph, target)?;
    let is_flat = graph
        .nodes_in(graph.root())
        .all(|(_, n)| n.op.bodies().is_empty());
    let (last, first) = (regions.last()?, regions.first()?);
    if !is_flat || last.len() != first.len() {
        return None;
    }
    let mut region_of = vec![None; graph.node_bound()];
    for (number, nodes) in regions.iter().enumerate() {
        nodes
            .iter()
            .for_each(|n| region_of[n.index()] = Some(number as u32));
    }
    Some(Partition { regions, region_of })
}

/// What is known of a node while a block is partitioned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Constant,
    Inside,
    Outside,
}

fn partition_block(graph: &Graph, target: &Xnnpack, block: BlockId) -> Vec<Vec<NodeId>> {
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    let mut sides = vec![Side::Outside; graph.node_bound()];
    for &id in &nodes {
        sides[id.index()] = match (&graph.node(id).op, target.placement(graph, id)) {
            (Op::Constant(_), _) => Side::Constant,
            (_, Placement::Delegate) => Side::Inside,
            _ => Side::Outside,
        };
    }
    loop {
        let levels = levels(graph, &nodes, &sides);
        let regions = by_level(&nodes, &sides, &levels);
        if !expel(graph, &mut sides, &levels, &nodes, &regions) {
            return regions;
        }
    }
}

/// How often paths to each node enter delegates.
fn levels(graph: &Graph, nodes: &[NodeId], sides: &[Side]) -> Vec<u32> {
    let mut levels = vec![0; graph.node_bound()];
    for &id in nodes {
        let inside = sides[id.index()] == Side::Inside;
        let operands = graph
            .node(id)
            .operands
            .iter()
            .filter_map(|&v| graph.producer(v));
        let reached = operands.map(|p| match sides[p.index()] {
            Side::Constant => 0,
            Side::Outside if inside => levels[p.index()] + 1,
            Side::Inside | Side::Outside => levels[p.index()],
        });
        levels[id.index()] = reached.max().unwrap_or(0).max(u32::from(inside));
    }
    levels
}

fn by_level(nodes: &[NodeId], sides: &[Side], levels: &[u32]) -> Vec<Vec<NodeId>> {
    let count = nodes
        .iter()
        .map(|n| levels[n.index()] as usize)
        .max()
        .map_or(0, |n| n + 1);
    let mut regions = vec![Vec::new(); count];
    for &id in nodes.iter().filter(|n| sides[n.index()] == Side::Inside) {
        regions[levels[id.index()] as usize].push(id);
    }
    regions.retain(|r| !r.is_empty());
    regions
}

/// Takes out what a delegate gains nothing by: views at its border, and regions that only move and convert.
/// True if anything was.
fn expel(
    graph: &Graph,
    sides: &mut [Side],
    levels: &[u32],
    nodes: &[NodeId],
    regions: &[Vec<NodeId>],
) -> bool {
    let mut changed = false;
    for region in regions {
        let idle = region
            .iter()
            .all(|&id| is_idle(&graph.node(id).op) && has_kernel(graph, id));
        if idle {
            region
                .iter()
                .for_each(|id| sides[id.index()] = Side::Outside);
            changed = true;
        }
    }
    for &id in nodes.iter().chain(nodes.iter().rev()) {
        if sides[id.index()] == Side::Inside && is_border_view(graph, sides, levels, id) {
            sides[id.index()] = Side::Outside;
            changed = true;
        }
    }
    changed
}

/// True for what only moves or converts.
fn is_idle(op: &Op) -> bool {
    matches!(op, Op::Move(_) | Op::Cast(_))
}

fn has_kernel(graph: &Graph, id: NodeId) -> bool {
    kiln_portable::support(graph, id).is_ok()
}

/// True for a view that the region reads first or writes last.
fn is_border_view(graph: &Graph, sides: &[Side], levels: &[u32], id: NodeId) -> bool {
    let node = graph.node(id);
    let Op::Move(op) = &node.op else { return false };
    if !op.movement.is_view() || !has_kernel(graph, id) {
        return false;
    }
    let together = |other: NodeId| {
        sides[other.index()] == Side::Inside && levels[other.index()] == levels[id.index()]
    };
    let fed = graph.producer(node.operands[0]).is_some_and(together);
    let read = graph.value(node.result()).uses().iter().any(|u| match u {
        Use::Operand(reader, _) => together(*reader),
        Use::BlockResult(..) | Use::Update(_) => false,
    });
    !(fed && read)
}

/// What a region reads from outside and what others read of it.
pub(crate) struct Border {
    pub(crate) inputs: Vec<ValueId>,
    pub(crate) outputs: Vec<ValueId>,
}

/// The border of a region.
pub(crate) fn border(graph: &Graph, partition: &Partition, region: usize) -> Border {
    let nodes = &partition.regions[region];
    let mut seen = rustc_hash::FxHashSet::default();
    let mut border = Border {
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    for &id in nodes {
        for &value in &graph.node(id).operands {
            let inside = partition.maker(graph, value) == Some(region);
            if !inside && !crate::support::is_constant(graph, value) && seen.insert(value) {
                border.inputs.push(value);
            }
        }
        let leaves = |&v: &ValueId| {
            graph
                .value(v)
                .uses()
                .iter()
                .any(|u| leaves(partition, region, u))
        };
        border
            .outputs
            .extend(graph.node(id).results.iter().copied().filter(leaves));
    }
    border
}

fn leaves(partition: &Partition, region: usize, use_: &Use) -> bool {
    match use_ {
        Use::Operand(reader, _) => partition.region_of(*reader) != Some(region),
        Use::BlockResult(..) | Use::Update(_) => true,
    }
}

/// A path that leaves a region and comes back, if there is one: found without levels, for tests.
pub fn find_reentry(graph: &Graph, members: &[NodeId]) -> Option<NodeId> {
    let inside: rustc_hash::FxHashSet<NodeId> = members.iter().copied().collect();
    let block = graph.node(*members.first()?).block;
    // True if a path from a member through an outsider leads here.
    let mut outside_of = rustc_hash::FxHashSet::default();
    for (id, node) in graph.nodes_in(block) {
        let producers = node
            .operands
            .iter()
            .filter_map(|&v| match graph.value(v).def {
                Def::Result(p, _) => Some(p),
                Def::Param(..) => None,
            });
        let mut tainted = false;
        for p in producers {
            tainted |= outside_of.contains(&p) || (inside.contains(&p) && !inside.contains(&id));
        }
        if tainted && inside.contains(&id) {
            return Some(id);
        }
        if tainted {
            outside_of.insert(id);
        }
    }
    None
}
