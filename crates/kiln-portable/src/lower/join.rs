//! Joins whose parts delegates write in place, so that nothing is copied.

use super::context::{Bound, Lower};
use crate::draft::{TensorSpec, contiguous};
use crate::memory::BufferId;
use crate::views::{joins_in_place, part_bytes, part_source};
use kiln_ir::{BlockId, Id, NodeId, ValueId};
use kiln_pte::ValueIndex;

/// Sends the parts of joins to their places. A kernel computes a join that must itself go elsewhere, or of which a part
/// must.
pub(super) fn grant(cx: &mut Lower<'_, '_>, block: BlockId) {
    let graph = cx.graph;
    let nodes: Vec<NodeId> = graph.nodes_in(block).map(|(id, _)| id).collect();
    // From the end, so that a join of joins comes before its parts.
    for &id in nodes.iter().rev() {
        let result = graph.node(id).results.first().copied();
        let is_member = |n: NodeId| cx.in_region[n.index()].is_some();
        if let Some(result) = result
            && joins_in_place(graph, id, &is_member)
            && !parts(cx, id).iter().any(|&v| is_sent(cx, v))
        {
            send(cx, id, result);
        }
    }
}

/// The value that is written for each part: the operand, or the source of a view.
fn parts(cx: &Lower<'_, '_>, join: NodeId) -> Vec<ValueId> {
    let is_member = |n: NodeId| cx.in_region[n.index()].is_some();
    let operands = cx.graph.node(join).operands.iter();
    operands
        .filter_map(|&v| part_source(cx.graph, join, v, &is_member))
        .collect()
}

fn is_sent(cx: &Lower<'_, '_>, value: ValueId) -> bool {
    cx.destinations[value.index()].is_some()
}

fn send(cx: &mut Lower<'_, '_>, join: NodeId, result: ValueId) {
    let inside = cx.joins.get(&result).copied();
    let whole = match (inside, cx.destinations[result.index()]) {
        (Some(tensor), _) => tensor,
        // The kernel of such a task writes what a slot takes, at a time of its own.
        (None, Some(_)) => return,
        (None, None) => match plain(cx, result) {
            // The memory is marked as foreign to this block: no task may change a part or the whole in place.
            Some(spec) => cx.draft.tensor(&spec),
            None => return,
        },
    };
    let Some((buffer, mut at)) = cx.draft.memory[whole.index()] else {
        return;
    };
    cx.joins.insert(result, whole);
    for part in parts(cx, join) {
        let Some(spec) = plain(cx, part) else { return };
        let tensor = cx.draft.tensor_in(&spec, buffer, at);
        cx.destinations[part.index()] = Some(tensor);
        cx.joins.insert(part, tensor);
        at += part_bytes(cx.graph, part);
    }
}

fn plain(cx: &mut Lower<'_, '_>, value: ValueId) -> Option<TensorSpec> {
    let ty = cx.graph.ty(value);
    cx.spec(ty.dtype, &ty.shape, contiguous(ty.rank())).ok()
}

/// The tensor of a join all of whose parts lie in place.
pub(super) fn in_place(cx: &Lower<'_, '_>, join: NodeId) -> Option<ValueIndex> {
    let whole = *cx.joins.get(&cx.graph.node(join).result())?;
    let (buffer, mut at): (BufferId, u64) = cx.draft.memory[whole.index()]?;
    for part in parts(cx, join) {
        let lies = cx.joins.get(&part).copied()?;
        let is_bound = matches!(cx.peek(part), Some(Bound::Tensor(t)) if t == lies);
        if !is_bound || cx.draft.memory[lies.index()] != Some((buffer, at)) {
            return None;
        }
        at += part_bytes(cx.graph, part);
    }
    Some(whole)
}
