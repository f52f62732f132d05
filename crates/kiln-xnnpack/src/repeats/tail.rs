//! What follows the blocks, computed in every block.
//!
//! A node behind the blocks reads the last one's results, or it works by itself on what each block has made of a joined
//! value: a `linear` over a sequence, of which each block has some steps. Nodes of the second kind are divided, and each
//! part goes to the block that makes the last of what it reads. Then each block is filled up to what the last one
//! computes; where that reads what another block makes later, it reads zeros, and nobody reads its result.

use super::{Blocks, PASS, is_join};
use kiln_ir::graph::{CellInit, StateCell, Use};
use kiln_ir::movement::Movement;
use kiln_ir::ops::{AxisRole, Concat, Infer, Move, ReadState, Slice};
use kiln_ir::types::TensorType;
use kiln_ir::{Dim, Graph, NodeId, Op, Place, Rewriter, Scalar, TensorData, ValueId};
use kiln_transforms::pass::Report;
use rustc_hash::{FxHashMap, FxHashSet};

/// What follows the blocks may have the weights of a block divided by this.
const TAIL_SHARE: u64 = 8;

/// A value of which each block makes a part.
#[derive(Clone, Debug)]
struct Divided {
    /// The axis along which the parts lie, one behind the other.
    axis: usize,
    /// The size of a part along it.
    size: i64,
    /// The block that makes each part.
    owners: Vec<usize>,
}

/// How a node behind the blocks is computed.
#[derive(Clone, Debug)]
enum Way {
    /// Of the last block's results.
    Whole,
    /// The join of what the blocks make: its operands are the parts.
    Join(Divided),
    /// Part by part.
    Parts(Divided),
    /// Of the part of that number, from that start on.
    Pick(usize, i64),
}

/// Computes in every block what follows the last, if that is possible and little beside the block.
pub(super) fn spread(rewriter: &mut Rewriter<'_>, blocks: &Blocks, report: &mut Report) {
    let tail = blocks.tail();
    let ways = (!tail.is_empty() && is_small(rewriter.graph(), blocks))
        .then(|| ways(rewriter.graph(), blocks))
        .flatten();
    let Some(ways) = ways else { return };
    if !rewriter.may_apply() {
        return;
    }
    report.applied(PASS.name, rewriter.graph(), tail[0]);
    let mut spread = Spread {
        rewriter,
        blocks,
        parts: FxHashMap::default(),
        added: vec![Vec::new(); blocks.all.len()],
        groups: Vec::new(),
    };
    spread.lift_constants(tail);
    for (&node, way) in tail.iter().zip(&ways) {
        spread.divide(node, way);
    }
    spread.rejoin(tail);
    spread.prune();
    spread.fill();
}

/// True if the weights of the tail are little beside those of a block.
fn is_small(graph: &Graph, blocks: &Blocks) -> bool {
    let bytes = |nodes: &[NodeId]| -> u64 {
        let constants = nodes.iter().flat_map(|&n| graph.node(n).operands.iter());
        let sizes = constants
            .filter_map(|&v| graph.as_constant(v))
            .map(|c| c.data.bytes().len() as u64);
        sizes.sum()
    };
    bytes(blocks.tail()).saturating_mul(TAIL_SHARE) <= bytes(&blocks.all[0])
}

/// How each node of the tail is computed; `None` if one reads anything else, or results that cannot be joined in place.
fn ways(graph: &Graph, blocks: &Blocks) -> Option<Vec<Way>> {
    let place_of = blocks.places();
    let mut known: FxHashMap<ValueId, Way> = FxHashMap::default();
    let mut ways = Vec::new();
    for &id in blocks.tail() {
        let way = join_of_blocks(graph, blocks, &place_of, id)
            .map(Way::Join)
            .or_else(|| pick_of(graph, &known, id))
            .or_else(|| way_of(graph, blocks, &place_of, &known, id))?;
        if let Way::Parts(divided) | Way::Join(divided) = &way {
            let result = graph.node(id).result();
            let leaves = graph.value(result).uses().iter();
            let mut leaves = leaves.filter(|u| !matches!(u, Use::Operand(..)));
            let lies = graph.ty(result).shape[..divided.axis]
                .iter()
                .all(|d| d.is(1));
            if leaves.next().is_some() && !lies {
                return None;
            }
        }
        known.extend(graph.node(id).results.iter().map(|&v| (v, way.clone())));
        ways.push(way);
    }
    Some(ways)
}

/// The join of one value of each block, from the same place of each.
fn join_of_blocks(
    graph: &Graph,
    blocks: &Blocks,
    place_of: &FxHashMap<NodeId, (usize, usize)>,
    id: NodeId,
) -> Option<Divided> {
    let node = graph.node(id);
    let Op::Concat(op) = &node.op else {
        return None;
    };
    let mut owners = Vec::new();
    let mut places = FxHashSet::default();
    for &part in &node.operands {
        let &(block, place) = place_of.get(&graph.producer(part)?)?;
        owners.push(block);
        places.insert((place, graph.ty(part).shape.clone()));
    }
    let distinct: FxHashSet<usize> = owners.iter().copied().collect();
    let is_one_each = owners.len() == blocks.all.len() && distinct.len() == owners.len();
    let size = graph.ty(node.operands[0]).shape[op.axis].as_const()?;
    (is_one_each && places.len() == 1).then_some(Divided {
        axis: op.axis,
        size,
        owners,
    })
}

/// The slice of one part of what the blocks make.
fn pick_of(graph: &Graph, known: &FxHashMap<ValueId, Way>, id: NodeId) -> Option<Way> {
    let node = graph.node(id);
    let Op::Slice(op) = &node.op else {
        return None;
    };
    let (Way::Join(of) | Way::Parts(of)) = known.get(&node.operands[0])? else {
        return None;
    };
    let (start, len) = (op.start.as_const()?, op.len.as_const()?);
    let number = start / of.size;
    let is_inside = start + (len - 1) * op.step < (number + 1) * of.size;
    (op.axis == of.axis && len > 0 && is_inside)
        .then(|| Way::Pick(number as usize, start - number * of.size))
}

fn way_of(
    graph: &Graph,
    blocks: &Blocks,
    place_of: &FxHashMap<NodeId, (usize, usize)>,
    known: &FxHashMap<ValueId, Way>,
    id: NodeId,
) -> Option<Way> {
    let node = graph.node(id);
    let mut divided: Vec<Option<&Divided>> = Vec::new();
    let mut is_whole = true;
    for &operand in &node.operands {
        let way = known.get(&operand);
        let last = blocks.all.len() - 1;
        let of_last = |n: NodeId| place_of.get(&n).is_some_and(|&(block, _)| block == last);
        divided.push(match way {
            Some(Way::Join(d) | Way::Parts(d)) => Some(d),
            Some(Way::Whole | Way::Pick(..)) => None,
            None if graph.as_constant(operand).is_some() => None,
            None if graph.producer(operand).is_some_and(of_last) => None,
            None => return None,
        });
        is_whole &= divided.last() == Some(&None);
    }
    if is_whole {
        return Some(Way::Whole);
    }
    parts_of(graph, id, &divided).map(Way::Parts)
}

impl PartialEq for Divided {
    fn eq(&self, other: &Divided) -> bool {
        (self.axis, self.size, &self.owners) == (other.axis, other.size, &other.owners)
    }
}

/// How the result of a node lies in parts, if it works on each part by itself.
fn parts_of(graph: &Graph, id: NodeId, divided: &[Option<&Divided>]) -> Option<Divided> {
    let node = graph.node(id);
    let types = graph.types(&node.operands);
    let &[result] = &node.results[..] else {
        return None;
    };
    let mut found: Option<Divided> = None;
    for (slot, of) in divided.iter().enumerate() {
        let Some(of) = of else { continue };
        let (axis, size) = result_axis(graph, id, &types, slot, of)?;
        let owners = match &found {
            None => of.owners.clone(),
            Some(other) if (other.axis, other.size) == (axis, size) => {
                let both = other.owners.iter().zip(&of.owners);
                both.map(|(&a, &b)| a.max(b)).collect()
            }
            Some(_) => return None,
        };
        found = Some(Divided { axis, size, owners });
    }
    let found = found?;
    // What is not divided must be the same for every part.
    for (slot, of) in divided.iter().enumerate() {
        let roles = node.op.axes(&types, slot);
        let meets = |(at, role): (usize, &AxisRole)| {
            *role == AxisRole::Parallel(found.axis) && !types[slot].shape[at].is(1)
        };
        let is_constant = graph.as_constant(node.operands[slot]).is_some();
        if of.is_none() && (!is_constant || roles.iter().enumerate().any(meets)) {
            return None;
        }
    }
    let parts: Vec<TensorType> = types
        .iter()
        .zip(divided)
        .map(|(ty, of)| of.map_or_else(|| (*ty).clone(), |d| part_type(ty, d)))
        .collect();
    let op = op_of_part(graph, &node.op, &parts[0], &found)?;
    let made = op.infer(&Infer { graph }, &parts.iter().collect::<Vec<_>>());
    let expected = part_type(graph.ty(result), &found);
    (made.ok()?.as_slice() == [expected]).then_some(found)
}

/// The axis of the result along which its parts lie, and their size. Parts of a view lie together as those of what it
/// views, if nothing but axes of size 1 is outside of the axis on either side.
fn result_axis(
    graph: &Graph,
    id: NodeId,
    types: &[&TensorType],
    slot: usize,
    of: &Divided,
) -> Option<(usize, i64)> {
    let node = graph.node(id);
    if let Op::Move(op) = &node.op {
        let shape = &graph.ty(node.result()).shape;
        let at = shape.iter().position(|d| !d.is(1))?;
        let (size, parts) = (shape[at].as_const()?, of.owners.len() as i64);
        let is_outermost = types[0].shape[..of.axis].iter().all(|d| d.is(1));
        return (op.movement.is_view() && is_outermost && size % parts == 0)
            .then_some((at, size / parts));
    }
    match node.op.axes(types, slot)[of.axis] {
        AxisRole::Parallel(to) => Some((to, of.size)),
        _ => None,
    }
}

fn part_type(ty: &TensorType, divided: &Divided) -> TensorType {
    let mut part = ty.clone();
    part.shape[divided.axis] = divided.size.into();
    part
}

/// The op for a part; only what a view says of sizes changes.
fn op_of_part(graph: &Graph, op: &Op, part: &TensorType, to: &Divided) -> Option<Op> {
    let Op::Move(moved) = op else {
        return Some(op.clone());
    };
    let mut shape: Vec<Dim> = moved.movement.result_shape();
    shape[to.axis] = to.size.into();
    let reshape = Movement::reshape(&part.shape, &shape, &graph.symbols).ok()?;
    let movement = reshape.steps.one()?;
    Some(Move { movement }.into())
}

struct Spread<'r, 'g, 'b> {
    rewriter: &'r mut Rewriter<'g>,
    blocks: &'b Blocks,
    /// The parts of a divided value, and how they lie.
    parts: FxHashMap<ValueId, (Vec<ValueId>, Divided)>,
    /// What each block computes behind its body, in order.
    added: Vec<Vec<NodeId>>,
    /// Nodes of different blocks that are the same node of the tail.
    groups: Vec<Vec<NodeId>>,
}

impl Spread<'_, '_, '_> {
    /// Constants of the tail come before all blocks.
    fn lift_constants(&mut self, tail: &[NodeId]) {
        let graph = self.rewriter.graph();
        let root = graph.root();
        let operands = tail.iter().flat_map(|&n| &graph.node(n).operands);
        let constants: Vec<NodeId> = operands
            .filter(|&&v| graph.as_constant(v).is_some())
            .filter_map(|&v| graph.producer(v))
            .collect();
        for node in constants {
            self.rewriter.move_node(node, Place::Start(root));
        }
    }

    /// Behind everything that a block computes.
    fn end_of(&self, block: usize, node: NodeId) -> Place {
        let next = self.blocks.all.get(block + 1);
        Place::Before(next.map_or(node, |next| next[0]))
    }

    fn divide(&mut self, node: NodeId, way: &Way) {
        let data = self.rewriter.graph().node(node).clone();
        let last = self.blocks.all.len() - 1;
        let divided = match way {
            Way::Whole => {
                self.added[last].push(node);
                return self.groups.push(vec![node]);
            }
            Way::Join(divided) => {
                let parts = (data.operands.to_vec(), divided.clone());
                self.parts.insert(data.result(), parts);
                return;
            }
            Way::Parts(divided) => divided,
            Way::Pick(number, start) => return self.pick(node, *number, *start),
        };
        self.rewriter.set_sources_of(&[node]);
        let (mut made, mut group) = (Vec::new(), Vec::new());
        for (number, &owner) in divided.owners.iter().enumerate() {
            let part_of = |v: &ValueId| self.parts.get(v).map_or(*v, |(parts, _)| parts[number]);
            let operands: Vec<ValueId> = data.operands.iter().map(part_of).collect();
            let graph = self.rewriter.graph();
            let op = op_of_part(graph, &data.op, graph.ty(operands[0]), divided);
            let op = op.unwrap_or_else(|| data.op.clone());
            let Ok(id) = self
                .rewriter
                .insert(self.end_of(owner, node), op, &operands)
            else {
                return;
            };
            self.added[owner].push(id);
            group.push(id);
            made.push(self.rewriter.graph().node(id).result());
        }
        self.parts.insert(data.result(), (made, divided.clone()));
        self.groups.push(group);
    }

    /// Reads one part where the node reads all.
    fn pick(&mut self, node: NodeId, number: usize, start: i64) {
        let data = self.rewriter.graph().node(node).clone();
        let (Op::Slice(op), Some((parts, _))) =
            (data.op.clone(), self.parts.get(&data.operands[0]))
        else {
            return;
        };
        let (part, start) = (parts[number], start.into());
        let mut picked = part;
        if self.rewriter.graph().ty(part) != self.rewriter.graph().ty(data.result()) {
            self.rewriter.set_sources_of(&[node]);
            let op = Slice { start, ..op };
            let Ok(id) = self.rewriter.insert(Place::Before(node), op, &[part]) else {
                return;
            };
            self.added[self.blocks.all.len() - 1].push(id);
            picked = self.rewriter.graph().node(id).result();
        }
        self.rewriter.replace_value(data.result(), picked);
        self.rewriter.erase(node);
    }

    /// Joins again what leaves the method, and takes away what was divided.
    fn rejoin(&mut self, tail: &[NodeId]) {
        for &node in tail.iter().rev() {
            let Some(data) = self.rewriter.graph().try_node(node) else {
                continue;
            };
            let result = data.results[0];
            let Some((parts, divided)) = self.parts.get(&result).cloned() else {
                continue;
            };
            let is_read = !self.rewriter.graph().value(result).uses().is_empty();
            self.rewriter.set_sources_of(&[node]);
            let axis = divided.axis;
            if is_read
                && let Ok(join) = self
                    .rewriter
                    .value(Place::After(node), Concat { axis }, &parts)
            {
                self.rewriter.replace_value(result, join);
            }
            if self.rewriter.graph().value(result).uses().is_empty() {
                self.rewriter.erase(node);
            }
        }
    }

    /// Takes away what nobody reads in any block, and leaves outside what is a join for the caller.
    fn prune(&mut self) {
        let mut outside = FxHashSet::default();
        for group in std::mem::take(&mut self.groups).into_iter().rev() {
            let graph = self.rewriter.graph();
            let is_read = |n: NodeId| !graph.value(graph.node(n).results[0]).uses().is_empty();
            let (read, unread): (Vec<NodeId>, Vec<NodeId>) =
                group.iter().copied().partition(|&n| is_read(n));
            if read.iter().all(|&n| is_join(graph, n)) {
                unread.into_iter().for_each(|n| self.rewriter.erase(n));
                outside.extend(group);
            }
        }
        for added in &mut self.added {
            added.retain(|n| !outside.contains(n));
        }
    }

    /// Every block computes what the last one does.
    fn fill(&mut self) {
        let last = self.blocks.all.len() - 1;
        let mut zeros = FxHashMap::default();
        for block in 0..last {
            let mut known: FxHashMap<ValueId, ValueId> = FxHashMap::default();
            for (&from, &to) in self.blocks.all[last].iter().zip(&self.blocks.all[block]) {
                pair(self.rewriter.graph(), &mut known, from, to);
            }
            let mut own = std::mem::take(&mut self.added[block])
                .into_iter()
                .peekable();
            for from in self.added[last].clone() {
                if let Some(to) = own.next_if(|&to| self.is_alike(&known, from, to)) {
                    pair(self.rewriter.graph(), &mut known, from, to);
                    continue;
                }
                let next = self.blocks.all[block + 1][0];
                let place = Place::Before(own.peek().copied().unwrap_or(next));
                let Some(to) = self.copy(&mut zeros, &known, from, place) else {
                    return;
                };
                pair(self.rewriter.graph(), &mut known, from, to);
            }
        }
    }

    fn is_alike(&self, known: &FxHashMap<ValueId, ValueId>, from: NodeId, to: NodeId) -> bool {
        let graph = self.rewriter.graph();
        let (a, b) = (graph.node(from), graph.node(to));
        let mut operands = a.operands.iter().zip(&b.operands);
        a.op == b.op
            && a.operands.len() == b.operands.len()
            && operands.all(|(v, w)| match known.get(v) {
                Some(here) => here == w,
                None => graph.as_constant(*v).is_none() || v == w,
            })
    }

    /// A node of the last block in another one. What that block has no counterpart of, another makes: zeros.
    fn copy(
        &mut self,
        zeros: &mut FxHashMap<ValueId, ValueId>,
        known: &FxHashMap<ValueId, ValueId>,
        from: NodeId,
        place: Place,
    ) -> Option<NodeId> {
        let node = self.rewriter.graph().node(from).clone();
        let mut operands = Vec::new();
        for v in &node.operands {
            operands.push(match known.get(v) {
                Some(&here) => here,
                None if self.rewriter.graph().as_constant(*v).is_some() => *v,
                None => match zeros.get(v) {
                    Some(&zero) => zero,
                    None => {
                        let zero = self.zeros_like(*v)?;
                        zeros.insert(*v, zero);
                        zero
                    }
                },
            });
        }
        self.rewriter.set_sources_of(&[from]);
        self.rewriter.insert(place, node.op, &operands).ok()
    }

    /// Zeros in a cell that nobody updates: a delegate takes them from outside, as it takes the value itself elsewhere.
    fn zeros_like(&mut self, value: ValueId) -> Option<ValueId> {
        let graph = self.rewriter.graph();
        let (root, ty) = (graph.root(), graph.ty(value).clone());
        let name: std::sync::Arc<str> = format!("not made yet {}", graph.cells().count()).into();
        let data = TensorData::splat(ty.dtype, ty.shape.as_static()?, Scalar::Float(0.0));
        let init = CellInit::Constant(self.rewriter.add_constant(name.clone(), data));
        let cell = self.rewriter.add_cell(StateCell { name, ty, init });
        let read = self
            .rewriter
            .value(Place::Start(root), ReadState { cell }, &[]);
        read.ok()
    }
}

fn pair(graph: &Graph, known: &mut FxHashMap<ValueId, ValueId>, from: NodeId, to: NodeId) {
    let (from, to) = (&graph.node(from).results, &graph.node(to).results);
    known.extend(from.iter().copied().zip(to.iter().copied()));
}
