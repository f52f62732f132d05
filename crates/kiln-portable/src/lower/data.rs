//! Families that move, repeat, select or join elements.

use super::context::{Bound, Lower};
use super::empty;
use super::{indexing, join};
use crate::draft::contiguous;
use crate::views::{is_read_by, lies_together};
use kiln_ir::ops::{Concat, Move, Reverse, Slice, SliceUpdate};
use kiln_ir::{DType, Dim, Id, NodeId, Scalar};
use kiln_pte::{Dynamism, Value, ValueIndex};
use kiln_transforms::framework::target::Reason;

/// A view shares its source's memory. A permutation is one copy between two views.
pub(super) fn movement(cx: &mut Lower<'_, '_>, id: NodeId, op: &Move) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let source = cx.graph.ty(node.operands[0]).shape.clone();
    let result = cx.graph.ty(node.results[0]).shape.clone();
    if op.movement.is_view() {
        let seen = cx.view(x, &source, &result)?;
        cx.bind_tensor(node.results[0], seen);
        return Ok(());
    }
    let dynamic = result.iter().any(|d| d.as_const().is_none());
    let (from, permutation) = match op.movement.as_permutation() {
        Some(permutation) if dynamic => (source.to_vec(), permutation),
        _ => {
            let plan = op.movement.realise();
            (plan.split_shape, plan.permutation)
        }
    };
    let to: Vec<Dim> = permutation.iter().map(|&axis| from[axis].clone()).collect();
    let x = cx.view(x, &source, &from)?;
    cx.result_as(id, 0, &to, |cx, out| {
        let axes = cx.draft.axes(&permutation);
        cx.count_reordered(out);
        cx.draft.call("aten::permute_copy.out", &[x, axes], &[out]);
        Ok(())
    })
}

/// A repetition is written to memory only for a reader that does not broadcast.
pub(super) fn broadcast(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let (from, to) = (node.operands[0], node.results[0]);
    let bound = match cx.bound(from)? {
        Bound::Tensor(tensor) if cx.graph.ty(from).shape == cx.graph.ty(to).shape => {
            Bound::Tensor(tensor)
        }
        Bound::Tensor(_) => Bound::Repeated(from),
        Bound::Repeated(source) => Bound::Repeated(source),
    };
    cx.bind(to, bound);
    Ok(())
}

/// A slice whose elements are adjacent is a view, if only delegates read it and nothing may overwrite it later. Else it
/// is a copy.
pub(super) fn slice(cx: &mut Lower<'_, '_>, id: NodeId, op: &Slice) -> Result<(), Reason> {
    let x = cx.tensor(cx.graph.node(id).operands[0])?;
    if let Some(view) = slice_view(cx, id, op, x) {
        cx.bind_tensor(cx.graph.node(id).results[0], view);
        return Ok(());
    }
    let (start, end) = (
        cx.size(&op.start)?,
        cx.size(&(&op.start + &op.len * op.step))?,
    );
    let (axis, step) = (cx.draft.int(op.axis as i64), cx.draft.int(op.step));
    let out = cx.result(id, 0)?;
    cx.draft.call(
        "aten::slice_copy.Tensor_out",
        &[x, axis, start, end, step],
        &[out],
    );
    Ok(())
}

fn slice_view(cx: &mut Lower<'_, '_>, id: NodeId, op: &Slice, x: ValueIndex) -> Option<ValueIndex> {
    let graph = cx.graph;
    let node = graph.node(id);
    let ty = graph.ty(node.results[0]);
    let is_member = |n: NodeId| cx.in_region[n.index()].is_some();
    if !lies_together(graph, id) || !is_read_by(graph, node.results[0], &is_member) {
        return None;
    }
    let sizes = ty.shape.as_static()?;
    let inner: u64 = sizes[op.axis + 1..].iter().map(|&s| s as u64).product();
    let start = u64::try_from(op.start.as_const()?).ok()?;
    let whole = cx.draft.tensor_value(x);
    let order = contiguous(sizes.len());
    let is_plain = whole.dim_order == order && whole.dynamism == Dynamism::Static;
    let (buffer, offset) = cx.draft.memory[x.index()].filter(|_| is_plain)?;
    let spec = cx.spec(ty.dtype, &ty.shape, order).ok()?;
    let at = offset + start * inner * ty.dtype.size() as u64;
    // Delegates read the view later than this task runs.
    cx.share(x);
    Some(cx.draft.tensor_in(&spec, buffer, at))
}

pub(super) fn reverse(cx: &mut Lower<'_, '_>, id: NodeId, op: &Reverse) -> Result<(), Reason> {
    let x = cx.tensor(cx.graph.node(id).operands[0])?;
    let out = cx.result(id, 0)?;
    let axes = cx.draft.axes(&op.axes);
    if op.axes.is_empty() {
        cx.copy(x, out)?;
    } else {
        cx.draft.call("aten::flip.out", &[x, axes], &[out]);
    }
    Ok(())
}

pub(super) fn concat(cx: &mut Lower<'_, '_>, id: NodeId, op: &Concat) -> Result<(), Reason> {
    if let Some(whole) = join::in_place(cx, id) {
        cx.bind_tensor(cx.graph.node(id).result(), whole);
        return Ok(());
    }
    let operands = cx.graph.node(id).operands.clone();
    let parts: Vec<ValueIndex> = operands
        .iter()
        .map(|&v| cx.tensor(v))
        .collect::<Result<_, _>>()?;
    let out = cx.result(id, 0)?;
    let list = cx.draft.add(Value::TensorList(parts));
    let axis = cx.draft.int(op.axis as i64);
    let shape = cx.graph.ty(cx.graph.node(id).results[0]).shape.clone();
    let mut others = shape.to_vec();
    others.remove(op.axis);
    empty::unless_zero(
        cx,
        &others,
        |cx| cx.draft.call("aten::cat.out", &[list, axis], &[out]),
        |cx| empty::fill(cx, out, &shape, Scalar::Int(0)),
    )
}

/// Overwrites the slice in place if the old content has no later reader, so that nothing else is written.
pub(super) fn slice_update(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &SliceUpdate,
) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let source = cx.tensor(node.operands[1])?;
    let len = cx.graph.ty(node.operands[1]).shape[op.axis].clone();
    let (start, end) = (cx.size(&op.start)?, cx.size(&(&op.start + &len * op.step))?);
    let step = cx.draft.int(op.step);
    if let Some(target) = indexing::changeable(cx, id) {
        let index = cx.temporary(DType::I64, &[len])?;
        cx.draft
            .call("aten::arange.start_out", &[start, end, step], &[index]);
        let list = indexing::index_list(cx, op.axis, &[index]);
        indexing::put_in_place(cx, target, list, source, false);
        cx.bind_tensor(node.results[0], target);
        return Ok(());
    }
    let x = cx.tensor(node.operands[0])?;
    let out = cx.result(id, 0)?;
    let axis = cx.draft.int(op.axis as i64);
    cx.draft.call(
        "aten::slice_scatter.out",
        &[x, source, axis, start, end, step],
        &[out],
    );
    Ok(())
}
