//! Padding. Constant padding, and other padding of the last axes, have kernels. The other forms select rows by constant
//! indices.

use super::context::Lower;
use super::indexing;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Pad, PadMode};
use kiln_ir::{Dim, Graph, NodeId, ShapeNames, TensorData};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

fn is_padded(op: &Pad, axis: usize) -> bool {
    !(op.low[axis].is(0) && op.high[axis].is(0))
}

fn padded_axes(op: &Pad) -> Vec<usize> {
    (0..op.low.len()).filter(|&a| is_padded(op, a)).collect()
}

/// The kernel that pads the last axes, and the number of axes that it pads.
fn border_kernel(op: &Pad) -> Option<(&'static str, usize)> {
    let rank = op.low.len();
    let count = rank - padded_axes(op).first().copied()?;
    // The kernel takes one or two axes more.
    if rank != count + 1 && rank != count + 2 {
        return None;
    }
    match (op.mode, count) {
        (PadMode::Reflect, 1) => Some(("aten::reflection_pad1d.out", 1)),
        (PadMode::Reflect, 2) => Some(("aten::reflection_pad2d.out", 2)),
        (PadMode::Reflect, 3) => Some(("aten::reflection_pad3d.out", 3)),
        (PadMode::Replicate, 1) => Some(("aten::replication_pad1d.out", 1)),
        (PadMode::Replicate, 2) => Some(("aten::replication_pad2d.out", 2)),
        (PadMode::Replicate, 3) => Some(("aten::replication_pad3d.out", 3)),
        _ => None,
    }
}

/// The source indices along an axis, if they are known ahead of time.
fn rows(op: &Pad, axis: usize, size: &Dim) -> Option<Vec<i64>> {
    let (low, high, size) = (
        op.low[axis].as_const()?,
        op.high[axis].as_const()?,
        size.as_const()?,
    );
    let row = |i: i64| match op.mode {
        PadMode::Constant(_) => None,
        PadMode::Replicate => Some(i.clamp(0, size - 1)),
        PadMode::Circular => Some(i.rem_euclid(size)),
        PadMode::Reflect => {
            let period = (2 * (size - 1)).max(1);
            let at = i.rem_euclid(period);
            Some(at.min(period - at).min(size - 1))
        }
    };
    (size > 0)
        .then(|| (-low..size + high).map(row).collect())
        .flatten()
}

pub(super) fn check(graph: &Graph, node: &Node, op: &Pad) -> Result<(), Reason> {
    if matches!(op.mode, PadMode::Constant(_)) || border_kernel(op).is_some() {
        return Ok(());
    }
    let shape = &graph.ty(node.operands[0]).shape;
    let open = padded_axes(op)
        .into_iter()
        .find(|&a| rows(op, a, &shape[a]).is_none());
    match open {
        None => Ok(()),
        Some(axis) => Err(Reason::new(
            "a padding without a kernel is of an axis of known size that is not 0",
            format!("axis {axis} of {}", ShapeNames(shape, &graph.symbols)),
        )),
    }
}

pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId, op: &Pad) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    if padded_axes(op).is_empty() {
        let out = cx.result(id, 0)?;
        cx.copy(x, out)?;
        return Ok(());
    }
    if let PadMode::Constant(value) = op.mode {
        let out = cx.result(id, 0)?;
        let pads = pads(cx, op, op.low.len())?;
        let value = cx.draft.scalar(in_dtype_of(cx.graph, node, value));
        cx.draft
            .call("aten::constant_pad_nd.out", &[x, pads, value], &[out]);
        return Ok(());
    }
    if let Some((kernel, count)) = border_kernel(op) {
        let out = cx.result(id, 0)?;
        let pads = pads(cx, op, count)?;
        cx.draft.call(kernel, &[x, pads], &[out]);
        return Ok(());
    }
    pick_rows(cx, id, op, x)
}

fn in_dtype_of(graph: &Graph, node: &Node, value: kiln_ir::Scalar) -> kiln_ir::Scalar {
    let dtype = graph.ty(node.operands[0]).dtype;
    TensorData::scalar(dtype, value)
        .get(0)
        .expect("a scalar tensor has one element")
}

/// Pairs for the last `count` axes, the last axis first.
fn pads(cx: &mut Lower<'_, '_>, op: &Pad, count: usize) -> Result<ValueIndex, Reason> {
    let rank = op.low.len();
    let dims: Vec<Dim> = (rank - count..rank)
        .rev()
        .flat_map(|a| [op.low[a].clone(), op.high[a].clone()])
        .collect();
    cx.sizes(&dims)
}

fn pick_rows(cx: &mut Lower<'_, '_>, id: NodeId, op: &Pad, x: ValueIndex) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let ty = cx.graph.ty(node.operands[0]).clone();
    let (axes, mut shape, mut from) = (padded_axes(op), ty.shape.to_vec(), x);
    for (i, &axis) in axes.iter().enumerate() {
        let rows = rows(op, axis, &shape[axis])
            .ok_or_else(|| Reason::new("the padded rows are known", "unknown ones"))?;
        shape[axis] = Dim::constant(rows.len() as i64);
        let out = match i + 1 == axes.len() {
            true => cx.result(id, 0)?,
            false => cx.temporary(ty.dtype, &shape)?,
        };
        let index = cx.literal(TensorData::from_i64(vec![rows.len()], &rows));
        let list = indexing::index_list(cx, axis, &[index]);
        cx.draft
            .call("aten::index.Tensor_out", &[from, list], &[out]);
        from = out;
    }
    Ok(())
}
