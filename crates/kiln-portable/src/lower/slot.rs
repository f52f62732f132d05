//! Slots: tensors that take new content at the end of a block. They are state cells at the end of a call, carried
//! values at the end of an iteration, and results of a branch at the end of either side.
//!
//! All slots take their content at once. A new value is written straight into its slot if nothing reads the old content
//! afterwards. The others are copied at the end, in an order in which no copy overwrites what another one still reads.
//! A temporary breaks each cycle.

use super::context::{AT_END, Lower};
use super::elementwise::is_in_place;
use crate::memory::BufferId;
use crate::order::origin;
use crate::views::keeps_bytes;
use kiln_ir::graph::Def;
use kiln_ir::{Graph, Id, NodeId, Op, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

/// A tensor that takes new content.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The tensor.
    pub tensor: ValueIndex,
    /// The values that are its old content.
    pub old: Vec<ValueId>,
    /// The last task that reads the old content by other ways than through these values.
    pub hidden_read: Option<usize>,
    /// Its new content.
    pub next: ValueId,
}

/// Where the nodes of the block that is lowered stand.
pub(super) struct Places<'a> {
    /// The task of each node, members of regions included, by node index; `None` for nodes of other blocks.
    pub all: &'a [Option<usize>],
    /// The region of each node, by node index.
    pub in_region: &'a [Option<usize>],
}

impl Places<'_> {
    fn of_kernel(&self, node: NodeId) -> Option<usize> {
        self.all[node.index()].filter(|_| self.in_region[node.index()].is_none())
    }
}

/// Sends new contents straight to their slots where that is sound.
pub(super) fn grant(cx: &mut Lower<'_, '_>, slots: &[Slot], places: &Places<'_>) {
    for slot in slots {
        for value in granted(cx, slot, places) {
            if cx.destinations[value.index()].is_none() {
                cx.destinations[value.index()] = Some(slot.tensor);
            }
        }
    }
}

/// The values that may be written into the slot: its new content, and values from which in-place changes make the new
/// content.
fn granted(cx: &Lower<'_, '_>, slot: &Slot, places: &Places<'_>) -> Vec<ValueId> {
    let graph = cx.graph;
    let Def::Result(node, _) = graph.value(slot.next).def else {
        return Vec::new();
    };
    let Some(place) = places.all[node.index()] else {
        return Vec::new();
    };
    if !is_written_as_one(graph, node) || !fits(cx, slot) {
        return Vec::new();
    }
    if let Some(chain) = chain_of_changes(cx, slot, node, places) {
        return chain;
    }
    let last = slot.last_read(cx);
    let at_once = last == Some(place)
        && places.of_kernel(node).is_some()
        && is_in_place(&graph.node(node).op)
        && reads_in_place(cx, slot, node);
    match last {
        Some(last) if last >= place && !at_once => Vec::new(),
        _ => vec![slot.next],
    }
}

impl Slot {
    fn last_read(&self, cx: &Lower<'_, '_>) -> Option<usize> {
        let seen = self.old.iter().filter_map(|v| cx.last_read[v.index()]);
        seen.chain(self.hidden_read).max()
    }
}

/// True for families whose result is a tensor that a kernel writes, and not a binding to an existing one.
fn is_written_as_one(graph: &Graph, node: NodeId) -> bool {
    match &graph.node(node).op {
        Op::Constant(_) | Op::ReadState(_) | Op::Move(_) | Op::Broadcast(_) => false,
        Op::Cast(_) => !keeps_bytes(graph, node),
        _ => true,
    }
}

fn fits(cx: &Lower<'_, '_>, slot: &Slot) -> bool {
    let tensor = cx.draft.tensor_value(slot.tensor);
    let spec = cx.spec_of(slot.next);
    spec.is_ok_and(|s| {
        s.sizes == tensor.sizes
            && crate::draft::scalar_type(s.dtype) == tensor.dtype
            && s.dim_order == tensor.dim_order
    })
}

/// True if the task reads each operand that is old content element by element.
fn reads_in_place(cx: &Lower<'_, '_>, slot: &Slot, node: NodeId) -> bool {
    let node = cx.graph.node(node);
    let shape = &cx.graph.ty(node.results[0]).shape;
    node.operands.iter().all(|&v| {
        let apart = !slot.old.contains(&origin(cx.graph, v));
        apart || (slot.old.contains(&v) && cx.graph.ty(v).shape == *shape)
    })
}

/// The chain of nodes from the old content to the new one that each change a part, if nothing else reads the values
/// between them.
fn chain_of_changes(
    cx: &Lower<'_, '_>,
    slot: &Slot,
    last: NodeId,
    places: &Places<'_>,
) -> Option<Vec<ValueId>> {
    let graph = cx.graph;
    let (mut chain, mut node) = (Vec::new(), last);
    loop {
        let place = places.of_kernel(node)?;
        let op = graph.node(node);
        if !matches!(op.op, Op::IndexPut(_) | Op::SliceUpdate(_)) {
            return None;
        }
        chain.push(op.results[0]);
        let changed = op.operands[0];
        let sources = slot.old.iter().copied().chain([changed]);
        let origins: Vec<ValueId> = sources.map(|v| origin(graph, v)).collect();
        if op.operands[1..]
            .iter()
            .any(|&v| origins.contains(&origin(graph, v)))
        {
            return None;
        }
        if slot.old.contains(&changed) {
            return slot
                .last_read(cx)
                .is_none_or(|read| read <= place)
                .then_some(chain);
        }
        let Def::Result(before, _) = graph.value(changed).def else {
            return None;
        };
        if cx.last_read[changed.index()] > Some(place) {
            return None;
        }
        node = before;
    }
}

/// Copies the contents that were not written straight. Tensors in `kept` are first moved out of the way of these
/// copies.
pub(super) fn settle(
    cx: &mut Lower<'_, '_>,
    slots: &[Slot],
    kept: &mut [ValueIndex],
) -> Result<(), Reason> {
    let mut pending: Vec<(ValueIndex, ValueIndex)> = Vec::new();
    for slot in slots {
        let source = cx.any_tensor(slot.next)?;
        if source != slot.tensor {
            pending.push((source, slot.tensor));
        }
    }
    for tensor in kept.iter_mut() {
        let memory = buffer(cx, *tensor);
        if memory.is_some() && pending.iter().any(|&(_, to)| buffer(cx, to) == memory) {
            *tensor = snapshot(cx, *tensor)?;
        }
    }
    while !pending.is_empty() {
        let blocked = |cx: &Lower<'_, '_>, to: ValueIndex, i: usize| {
            let memory = buffer(cx, to);
            let reads = |(j, &(from, _)): (usize, &(ValueIndex, ValueIndex))| {
                j != i && buffer(cx, from) == memory
            };
            pending.iter().enumerate().any(reads) || buffer(cx, pending[i].0) == memory
        };
        match (0..pending.len()).find(|&i| !blocked(cx, pending[i].1, i)) {
            Some(free) => {
                let (from, to) = pending.remove(free);
                cx.copy(from, to)?;
            }
            None => pending[0].0 = snapshot(cx, pending[0].0)?,
        }
    }
    Ok(())
}

fn buffer(cx: &Lower<'_, '_>, tensor: ValueIndex) -> Option<BufferId> {
    cx.draft.memory[tensor.index()].map(|(buffer, _)| buffer)
}

fn snapshot(cx: &mut Lower<'_, '_>, tensor: ValueIndex) -> Result<ValueIndex, Reason> {
    let spec = cx.spec_of_tensor(tensor);
    let copy = cx.allocate(&spec);
    cx.copy(tensor, copy)?;
    Ok(copy)
}

/// Notes that a task reads a value.
pub(super) fn note_read(cx: &mut Lower<'_, '_>, value: ValueId, place: usize) {
    let origin = origin(cx.graph, value).index();
    cx.last_read[origin] = cx.last_read[origin].max(Some(place));
}

/// Notes that the block's end reads a value.
pub(super) fn note_read_at_end(cx: &mut Lower<'_, '_>, value: ValueId) {
    note_read(cx, value, AT_END);
}
