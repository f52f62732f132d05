//! Computes the nodes behind the blocks in every block.
//!
//! A node behind the blocks reads the last block's results, or it works separately on each block's part of a joined
//! value: a `linear` over a sequence, of which each block has some steps. A node of the second kind is divided, and
//! each part goes to the block that makes the last of its operands. Then each block is extended to compute what the
//! last one computes. Where that would read a value that another block makes later, it reads zeros, and its result has
//! no reader.

use super::ways::{Divided, Way, is_small, op_of_part, ways};
use super::{Blocks, is_join};
use kiln_ir::graph::{CellInit, StateCell};
use kiln_ir::ops::{Concat, ReadState, Slice};
use kiln_ir::{Graph, NodeId, Op, Place, Rewriter, Scalar, TensorData, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Computes the tail in every block. False if that is not possible, or if the tail is more than a little beside a
/// block.
pub(super) fn spread(rewriter: &mut Rewriter<'_>, blocks: &Blocks) -> bool {
    let ways = is_small(rewriter.graph(), blocks)
        .then(|| ways(rewriter.graph(), blocks))
        .flatten();
    let Some(ways) = ways else { return false };
    let mut spread = Spread {
        rewriter,
        blocks,
        parts: FxHashMap::default(),
        added: vec![Vec::new(); blocks.all.len()],
        groups: Vec::new(),
    };
    spread.lift_constants(&blocks.tail);
    spread.all(&ways).is_some()
}

struct Spread<'r, 'g, 'b> {
    rewriter: &'r mut Rewriter<'g>,
    blocks: &'b Blocks,
    /// The parts of a divided value, and how they lie in it.
    parts: FxHashMap<ValueId, (Vec<ValueId>, Divided)>,
    /// The nodes that each block computes behind its body, in order.
    added: Vec<Vec<NodeId>>,
    /// Nodes of different blocks that correspond to the same node of the tail.
    groups: Vec<Vec<NodeId>>,
}

/// `None` if a node could not be inserted. The graph is then left half-changed.
impl Spread<'_, '_, '_> {
    fn all(&mut self, ways: &[Way]) -> Option<()> {
        let tail = &self.blocks.tail;
        for (&node, way) in tail.iter().zip(ways) {
            self.divide(node, way)?;
        }
        self.rejoin(tail)?;
        self.prune();
        self.fill()
    }

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

    /// The place behind everything that a block computes.
    fn end_of(&self, block: usize, node: NodeId) -> Place {
        let next = self.blocks.all.get(block + 1);
        Place::Before(next.map_or(node, |next| next[0]))
    }

    fn divide(&mut self, node: NodeId, way: &Way) -> Option<()> {
        let data = self.rewriter.graph().node(node).clone();
        let last = self.blocks.all.len() - 1;
        let divided = match way {
            Way::Whole => {
                self.added[last].push(node);
                self.groups.push(vec![node]);
                return Some(());
            }
            Way::Join(divided) => {
                let parts = (data.operands.to_vec(), divided.clone());
                self.parts.insert(data.result(), parts);
                return Some(());
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
            let place = self.end_of(owner, node);
            let id = self.rewriter.insert(place, op, &operands).ok()?;
            self.added[owner].push(id);
            group.push(id);
            made.push(self.rewriter.graph().node(id).result());
        }
        self.parts.insert(data.result(), (made, divided.clone()));
        self.groups.push(group);
        Some(())
    }

    /// Reads one part where the node reads the whole.
    fn pick(&mut self, node: NodeId, number: usize, start: i64) -> Option<()> {
        let data = self.rewriter.graph().node(node).clone();
        let Op::Slice(op) = data.op.clone() else {
            return None;
        };
        let (parts, _) = self.parts.get(&data.operands[0])?;
        let (part, start) = (parts[number], start.into());
        let mut picked = part;
        if self.rewriter.graph().ty(part) != self.rewriter.graph().ty(data.result()) {
            self.rewriter.set_sources_of(&[node]);
            let op = Slice { start, ..op };
            let place = Place::Before(node);
            let id = self.rewriter.insert(place, op, &[part]).ok()?;
            self.added[self.blocks.all.len() - 1].push(id);
            picked = self.rewriter.graph().node(id).result();
        }
        self.rewriter.replace_value(data.result(), picked);
        self.rewriter.erase(node);
        Some(())
    }

    /// Joins the parts that leave the method, and removes the divided nodes.
    fn rejoin(&mut self, tail: &[NodeId]) -> Option<()> {
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
            if is_read {
                let place = Place::After(node);
                let join = self.rewriter.value(place, Concat { axis }, &parts).ok()?;
                self.rewriter.replace_value(result, join);
            }
            if self.rewriter.graph().value(result).uses().is_empty() {
                self.rewriter.erase(node);
            }
        }
        Some(())
    }

    /// Removes nodes that have no reader in any block, and leaves joins for the caller outside.
    fn prune(&mut self) {
        let mut outside = FxHashSet::default();
        for group in std::mem::take(&mut self.groups).into_iter().rev() {
            let graph = self.rewriter.graph();
            let is_read = |n: NodeId| !graph.value(graph.node(n).results[0]).uses().is_empty();
            let (read, unread): (Vec<NodeId>, Vec<NodeId>) =
                group.iter().copied().partition(|&n| is_read(n));
            // The same holds if no block's has a reader.
            if read.iter().all(|&n| is_join(graph, n)) {
                unread.into_iter().for_each(|n| self.rewriter.erase(n));
                outside.extend(group);
            }
        }
        for added in &mut self.added {
            added.retain(|n| !outside.contains(n));
        }
    }

    /// Extends every block to compute what the last one does.
    fn fill(&mut self) -> Option<()> {
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
                let to = self.copy(&mut zeros, &known, from, place)?;
                pair(self.rewriter.graph(), &mut known, from, to);
            }
        }
        Some(())
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

    /// Copies a node of the last block into another. An operand that has no counterpart there is zeros.
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

    /// Zeros in a cell that nobody updates. A delegate takes them from outside, as it takes the corresponding value
    /// elsewhere.
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
