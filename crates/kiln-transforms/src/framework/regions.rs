//! Partition of each block's nodes into delegates.
//!
//! A delegate is a convex set of nodes: no path leaves the set and returns to it. Each node has a *level*: the greatest
//! number of times that a path to the node enters delegates. All delegated nodes of one level make one delegate,
//! connected or not. This number of delegates is minimal, since a path that enters delegates n times needs n delegates.
//! A path also leads from a node that binds a size to those that mention the size.
//!
//! # Invariants
//! - Regions are convex, and the regions of one block can run in order of their levels.
//! - Constants belong to no region: each region holds its own copies.

use crate::framework::target::{Placement, Target};
use kiln_ir::graph::Use;
use kiln_ir::verify::bound_symbol;
use kiln_ir::{BlockId, Graph, Id, NodeId, Op, SymbolId, ValueId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The delegate regions of a graph.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The nodes of each region in graph order. Regions are sorted by block, then by level.
    pub regions: Vec<Vec<NodeId>>,
    /// The index of each node's region, by node.
    region_of: Vec<Option<u32>>,
}

impl Partition {
    /// The partition of a graph into given regions.
    pub fn of(graph: &Graph, regions: Vec<Vec<NodeId>>) -> Partition {
        let mut region_of = vec![None; graph.node_bound()];
        for (number, nodes) in regions.iter().enumerate() {
            nodes
                .iter()
                .for_each(|n| region_of[n.index()] = Some(number as u32));
        }
        Partition { regions, region_of }
    }

    /// The region of a node, if it is in one.
    pub fn region_of(&self, node: NodeId) -> Option<usize> {
        self.region_of[node.index()].map(|r| r as usize)
    }

    /// The region of a value's producer, if it is in one.
    pub fn maker(&self, graph: &Graph, value: ValueId) -> Option<usize> {
        self.region_of(graph.producer(value)?)
    }
}

/// Partitions every block of the graph.
pub fn partition(graph: &Graph, target: &dyn Target) -> Partition {
    let blocks = graph.blocks();
    let regions = blocks.flat_map(|(block, _)| partition_block(graph, target, block));
    Partition::of(graph, regions.collect())
}

/// Where a node stands while a block is partitioned: in a delegate, outside of delegates, or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Constant,
    Inside,
    Outside,
}

fn partition_block(graph: &Graph, target: &dyn Target, block: BlockId) -> Vec<Vec<NodeId>> {
    partition_where(graph, target, block, |_| true)
}

/// The regions of some nodes of a block. All other nodes stand outside of delegates.
pub fn partition_within(
    graph: &Graph,
    target: &dyn Target,
    block: BlockId,
    inside: &FxHashSet<NodeId>,
) -> Vec<Vec<NodeId>> {
    partition_where(graph, target, block, |id| inside.contains(&id))
}

fn partition_where(
    graph: &Graph,
    target: &dyn Target,
    block: BlockId,
    may_be_inside: impl Fn(NodeId) -> bool,
) -> Vec<Vec<NodeId>> {
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    let mut sides = vec![Side::Outside; graph.node_bound()];
    for &id in &nodes {
        sides[id.index()] = match (&graph.node(id).op, target.placement(graph, id)) {
            (Op::Constant(_), _) => Side::Constant,
            (_, Placement::Delegate) if may_be_inside(id) => Side::Inside,
            _ => Side::Outside,
        };
    }
    let needs = Needs::new(graph, nodes.iter().copied());
    loop {
        let levels = levels(&needs, &nodes, &sides);
        let regions = by_level(&nodes, &sides, &levels);
        if !expel(graph, target, &mut sides, &levels, &nodes, &regions) {
            return regions;
        }
    }
}

/// What the nodes of a block run behind: the nodes that make their operands, and those that bind the sizes they mention.
struct Needs<'g> {
    graph: &'g Graph,
    binders: Vec<(SymbolId, NodeId)>,
}

impl<'g> Needs<'g> {
    fn new(graph: &'g Graph, nodes: impl Iterator<Item = NodeId>) -> Needs<'g> {
        let binder = |id: NodeId| Some((bound_symbol(&graph.node(id).op)?, id));
        let binders = nodes.filter_map(binder).collect();
        Needs { graph, binders }
    }

    fn of(&self, id: NodeId) -> SmallVec<[NodeId; 4]> {
        let operands = self.graph.node(id).operands.iter();
        let mut needs: SmallVec<[NodeId; 4]> =
            operands.filter_map(|&v| self.graph.producer(v)).collect();
        if !self.binders.is_empty() {
            let mentioned = self.graph.mentioned_symbols(id);
            let binds = |(symbol, by): &(SymbolId, NodeId)| {
                (*by != id && mentioned.contains(symbol)).then_some(*by)
            };
            needs.extend(self.binders.iter().filter_map(binds));
        }
        needs
    }
}

/// The level of each node: how often a path to it enters delegates at most.
fn levels(needs: &Needs<'_>, nodes: &[NodeId], sides: &[Side]) -> Vec<u32> {
    let mut levels = vec![0; needs.graph.node_bound()];
    for &id in nodes {
        let inside = sides[id.index()] == Side::Inside;
        let reached = needs.of(id).into_iter().map(|p| match sides[p.index()] {
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

/// Moves nodes out of regions where a delegate gains nothing: views at a region's border, whole regions of movements and casts, and
/// nodes in front of a region that a kernel computes in less time. True if any node was moved.
fn expel(
    graph: &Graph,
    target: &dyn Target,
    sides: &mut [Side],
    levels: &[u32],
    nodes: &[NodeId],
    regions: &[Vec<NodeId>],
) -> bool {
    let mut changed = false;
    for region in regions {
        let idle = region
            .iter()
            .all(|&id| is_idle(&graph.node(id).op) && target.has_kernel(graph, id));
        if idle {
            region
                .iter()
                .for_each(|id| sides[id.index()] = Side::Outside);
            changed = true;
        }
    }
    for &id in nodes.iter().chain(nodes.iter().rev()) {
        if sides[id.index()] == Side::Inside
            && (is_border_view(graph, target, sides, levels, id)
                || is_better_in_front(graph, target, sides, levels, id))
        {
            sides[id.index()] = Side::Outside;
            changed = true;
        }
    }
    changed
}

/// True for ops that only move or convert elements.
fn is_idle(op: &Op) -> bool {
    matches!(op, Op::Move(_) | Op::Cast(_))
}

/// True for a view whose operand is made outside of its region, or whose result is read only outside.
fn is_border_view(
    graph: &Graph,
    target: &dyn Target,
    sides: &[Side],
    levels: &[u32],
    id: NodeId,
) -> bool {
    let node = graph.node(id);
    let Op::Move(op) = &node.op else { return false };
    if !op.movement.is_view() || !target.has_kernel(graph, id) {
        return false;
    }
    let together = |other: NodeId| are_together(sides, levels, [id, other]);
    let fed = graph.producer(node.operands[0]).is_some_and(together);
    let read = graph.value(node.result()).uses().iter().any(|u| match u {
        Use::Operand(reader, _) => together(*reader),
        Use::BlockResult(..) | Use::Update(_) => false,
    });
    !(fed && read)
}

/// True if both nodes are of one region.
fn are_together(sides: &[Side], levels: &[u32], nodes: [NodeId; 2]) -> bool {
    nodes.iter().all(|n| sides[n.index()] == Side::Inside)
        && levels[nodes[0].index()] == levels[nodes[1].index()]
}

/// True for a node that a kernel computes in less time, if nothing of its region runs before it. The number of delegates stays.
fn is_better_in_front(
    graph: &Graph,
    target: &dyn Target,
    sides: &[Side],
    levels: &[u32],
    id: NodeId,
) -> bool {
    let mut makers = graph
        .node(id)
        .operands
        .iter()
        .filter_map(|&v| graph.producer(v));
    target.has_faster_kernel(graph, id)
        && target.has_kernel(graph, id)
        && !makers.any(|maker| are_together(sides, levels, [id, maker]))
}

/// The values that cross a region's border.
pub struct Border {
    /// Values that the region reads and does not make, each once, without constants.
    pub inputs: Vec<ValueId>,
    /// Values that the region makes and that are read elsewhere.
    pub outputs: Vec<ValueId>,
}

/// The border of a region.
pub fn border(graph: &Graph, partition: &Partition, region: usize) -> Border {
    let nodes = &partition.regions[region];
    let mut seen = FxHashSet::default();
    let mut border = Border {
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    for &id in nodes {
        for &value in &graph.node(id).operands {
            let inside = partition.maker(graph, value) == Some(region);
            if !inside
                && !crate::analysis::constants::is_constant(graph, value)
                && seen.insert(value)
            {
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

/// A member of the region that is reached by a path which left the region, if there is one. Does not use levels, so
/// that tests can check them.
pub fn find_reentry(graph: &Graph, members: &[NodeId]) -> Option<NodeId> {
    let inside: FxHashSet<NodeId> = members.iter().copied().collect();
    let block = graph.node(*members.first()?).block;
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    let needs = Needs::new(graph, nodes.iter().copied());
    // Outsiders that are reached from a member.
    let mut outside_of = FxHashSet::default();
    for id in nodes {
        let is_outside =
            |p: NodeId| outside_of.contains(&p) || (inside.contains(&p) && !inside.contains(&id));
        let tainted = needs.of(id).into_iter().any(is_outside);
        if tainted && inside.contains(&id) {
            return Some(id);
        }
        if tainted {
            outside_of.insert(id);
        }
    }
    None
}
