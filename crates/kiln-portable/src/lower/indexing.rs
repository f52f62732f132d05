//! Families that read or write elements by index values.
//!
//! A single index tensor is passed as a vector. The kernels copy whole rows for it, and accept negative indices. Where a graph has
//! none, rows are read by `embedding`, which refuses them. Both kernels end a run at an index out of range.

use super::context::{Bound, Lower};
use crate::draft::Written;
use kiln_ir::graph::Node;
use kiln_ir::ops::{Gather, Index, IndexPut, Scatter, ScatterFn};
use kiln_ir::{DType, Dim, Graph, NodeId, Scalar, TensorData, ValueId};
use kiln_pte::{Value, ValueIndex};
use kiln_transforms::analysis::ranges::Ranges;
use kiln_transforms::framework::target::Reason;

/// The runtime's list of index tensors, for axes from `axis` on.
pub(super) fn index_list(
    cx: &mut Lower<'_, '_>,
    axis: usize,
    indices: &[ValueIndex],
) -> ValueIndex {
    let mut items = vec![None; axis];
    items.extend(indices.iter().map(|&i| Some(i)));
    cx.draft.add(Value::OptionalTensorList(items))
}

/// The index tensors. A single one is made a vector.
fn index_tensors(cx: &mut Lower<'_, '_>, indices: &[ValueId]) -> Result<Vec<ValueIndex>, Reason> {
    if let &[only] = indices {
        let index = cx.tensor(only)?;
        let shape = cx.graph.ty(only).shape.clone();
        return Ok(vec![cx.view(index, &shape, &[shape.elements()])?]);
    }
    indices.iter().map(|&i| cx.tensor(i)).collect()
}

/// The shape of the indexed elements, with the axes of a single index merged.
fn picked_shape(cx: &Lower<'_, '_>, picked: ValueId, axis: usize, indices: &[ValueId]) -> Vec<Dim> {
    let shape = &cx.graph.ty(picked).shape;
    match indices {
        [only] => {
            let index = &cx.graph.ty(*only).shape;
            let behind = &shape[axis + index.rank()..];
            [&shape[..axis], &[index.elements()], behind].concat()
        }
        _ => shape.to_vec(),
    }
}

pub(super) fn index(cx: &mut Lower<'_, '_>, id: NodeId, op: &Index) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    if let &[table, only] = &node.operands[..]
        && cx.graph.ty(table).rank() == 2
        && *op == Index::rows()
    {
        let index = cx.tensor(only)?;
        let out = cx.result(id, 0)?;
        rows(cx, x, index, out);
        return Ok(());
    }
    let indices = index_tensors(cx, &node.operands[1..])?;
    let shape = picked_shape(cx, node.results[0], op.axis, &node.operands[1..]);
    cx.result_as(id, 0, &shape, |cx, out| {
        let list = index_list(cx, op.axis, &indices);
        cx.draft.call("aten::index.Tensor_out", &[x, list], &[out]);
        Ok(())
    })
}

/// Writes rows of a matrix. The kernel refuses indices that are negative or too large.
pub(super) fn rows(
    cx: &mut Lower<'_, '_>,
    matrix: ValueIndex,
    indices: ValueIndex,
    out: ValueIndex,
) {
    let (no_padding, no) = (cx.draft.int(-1), cx.draft.bool(false));
    let arguments = [matrix, indices, no_padding, no, no];
    cx.draft.call("aten::embedding.out", &arguments, &[out]);
}

/// True if each index of the value is known to be of an axis of this size.
pub(super) fn is_within(cx: &Lower<'_, '_>, op: &Index, index: ValueId, size: usize) -> bool {
    let size = size as i128;
    let least = if op.from_start { 0 } else { -size };
    let range = Ranges::new(cx.graph).of(index).integers();
    range.is_some_and(|range| least <= range.low && range.high < size)
}

/// Writes rows of a table that a kernel picks by a vector of i64, none of them negative. `write` gets the vector, and the result with
/// the axes of the index merged.
pub(super) fn looked_up(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &Index,
    write: impl FnOnce(&mut Lower<'_, '_>, ValueIndex, &[Dim], ValueIndex) -> Result<(), Reason>,
) -> Result<(), Reason> {
    let (table, index) = (cx.graph.node(id).operands[0], cx.graph.node(id).operands[1]);
    let size = cx.graph.ty(table).shape[0].clone();
    let mut indices = index_tensors(cx, &[index])?[0];
    if !op.from_start {
        indices = counted_from_start(cx, index, indices, &size)?;
    }
    let ty = cx.graph.ty(index).clone();
    let indices = as_wide(cx, indices, ty.dtype, &[ty.shape.elements()])?;
    let shape = picked_shape(cx, cx.graph.node(id).results[0], 0, &[index]);
    cx.result_as(id, 0, &shape, |cx, out| write(cx, indices, &shape, out))
}

pub(super) fn index_put(cx: &mut Lower<'_, '_>, id: NodeId, op: &IndexPut) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let indices = index_tensors(cx, &node.operands[2..])?;
    let shape = picked_shape(cx, node.operands[1], op.axis, &node.operands[2..]);
    let values = cx.tensor(node.operands[1])?;
    let written = cx.graph.ty(node.operands[1]).shape.clone();
    let values = cx.view(values, &written, &shape)?;
    if let Some(target) = changeable(cx, id) {
        let size = cx.graph.ty(node.operands[0]).shape[op.axis].clone();
        let indices = match (node.operands[2..].as_ref(), op.accumulate) {
            (&[only], false) => vec![counted_from_start(cx, only, indices[0], &size)?],
            _ => indices,
        };
        let list = index_list(cx, op.axis, &indices);
        put_in_place(cx, target, list, values, op.accumulate);
        cx.bind_tensor(node.results[0], target);
        return Ok(());
    }
    let list = index_list(cx, op.axis, &indices);
    let x = cx.tensor(node.operands[0])?;
    let out = cx.result(id, 0)?;
    let accumulate = cx.draft.bool(op.accumulate);
    cx.draft.call(
        "aten::index_put.out",
        &[x, list, values, accumulate],
        &[out],
    );
    Ok(())
}

/// The tensor of the node's first operand, if the node may overwrite it with its result.
pub(super) fn changeable(cx: &Lower<'_, '_>, id: NodeId) -> Option<ValueIndex> {
    let node = cx.graph.node(id);
    let (x, result) = (node.operands[0], node.results[0]);
    let Some(Bound::Tensor(tensor)) = cx.peek(x) else {
        return None;
    };
    let contiguous = cx.draft.tensor_value(tensor).is_contiguous();
    let may = match cx.destinations[kiln_ir::Id::index(result)] {
        Some(destination) => destination == tensor,
        None => {
            let origin = |v| crate::order::origin(cx.graph, v);
            let read_besides = node.operands[1..].iter().any(|&v| origin(v) == origin(x));
            !read_besides && cx.is_last_reader(x)
        }
    };
    (may && contiguous).then_some(tensor)
}

/// The index vector with negative indices replaced, because the in-place kernel refuses them.
fn counted_from_start(
    cx: &mut Lower<'_, '_>,
    value: ValueId,
    index: ValueIndex,
    size: &Dim,
) -> Result<ValueIndex, Reason> {
    let mut ranges = Ranges::of_indices(cx.graph, cx.bounds.symbols());
    if ranges.of(value).is_not_negative() {
        return Ok(index);
    }
    let key = (value, size.clone());
    if let Some(&found) = cx.scopes.iter().find_map(|s| s.counted.get(&key)) {
        return Ok(found);
    }
    let dtype = cx.graph.ty(value).dtype;
    let count = [cx.graph.ty(value).shape.elements()];
    let (zero, one, size) = (cx.draft.int(0), cx.draft.int(1), cx.size(size)?);
    let negative = cx.temporary(DType::Bool, &count)?;
    let turned = cx.temporary(dtype, &count)?;
    let counted = cx.temporary(dtype, &count)?;
    cx.draft
        .call("aten::lt.Scalar_out", &[index, zero], &[negative]);
    cx.draft
        .call("aten::add.Scalar_out", &[index, size, one], &[turned]);
    cx.draft.call(
        "aten::where.self_out",
        &[negative, turned, index],
        &[counted],
    );
    cx.may_overwrite(counted, turned);
    cx.scope().counted.insert(key, counted);
    Ok(counted)
}

/// Writes the values into the target in place. The kernel for this takes one vector of indices.
pub(super) fn put_in_place(
    cx: &mut Lower<'_, '_>,
    target: ValueIndex,
    indices: ValueIndex,
    values: ValueIndex,
    accumulate: bool,
) {
    let single = match &cx.draft.method.values[indices.index()] {
        Value::OptionalTensorList(items) => items.iter().flatten().count() == 1,
        _ => false,
    };
    let flag = cx.draft.bool(accumulate);
    let args = [target, indices, values, flag];
    if single && !accumulate {
        cx.draft
            .push_call("aten::index_put_", [&args[..], &[target]].concat());
        cx.draft.note_written([Written {
            tensor: target,
            is_read: true,
        }]);
    } else {
        cx.draft.call("aten::index_put.out", &args, &[target]);
    }
}

/// The index as i64, the only dtype of these kernels. They refuse negative indices, as PyTorch's ops do. A graph may have
/// some in a constant, which counts from the start then: `size` is that of the indexed axis.
fn wide_index(cx: &mut Lower<'_, '_>, index: ValueId, size: &Dim) -> Result<ValueIndex, Reason> {
    if let (Some(constant), Some(size)) = (cx.graph.as_constant(index), size.as_const())
        && constant.data.scalars().any(|i| i.as_i64() < 0)
    {
        let counted = constant.data.scalars().map(|i| match i.as_i64() {
            i if i < 0 => Scalar::Int(i + size),
            i => Scalar::Int(i),
        });
        let sizes = constant.data.sizes().to_vec();
        let data = TensorData::from_scalars(DType::I64, sizes, counted);
        return Ok(cx.literal(data));
    }
    let tensor = cx.tensor(index)?;
    let ty = cx.graph.ty(index).clone();
    as_wide(cx, tensor, ty.dtype, &ty.shape)
}

/// The integers as i64.
fn as_wide(
    cx: &mut Lower<'_, '_>,
    integers: ValueIndex,
    dtype: DType,
    shape: &[Dim],
) -> Result<ValueIndex, Reason> {
    if dtype == DType::I64 {
        return Ok(integers);
    }
    let wide = cx.temporary(DType::I64, shape)?;
    super::elementwise::cast_tensor(cx, integers, wide);
    Ok(wide)
}

pub(super) fn gather(cx: &mut Lower<'_, '_>, id: NodeId, op: &Gather) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let size = cx.graph.ty(node.operands[0]).shape[op.axis].clone();
    let index = wide_index(cx, node.operands[1], &size)?;
    let (axis, sparse) = (cx.draft.int(op.axis as i64), cx.draft.bool(false));
    let out = cx.result(id, 0)?;
    cx.draft
        .call("aten::gather.out", &[x, axis, index, sparse], &[out]);
    Ok(())
}

pub(super) fn check_scatter(_: &Graph, _: &Node, op: &Scatter) -> Result<(), Reason> {
    match op.f {
        ScatterFn::Set | ScatterFn::Add => Ok(()),
        ScatterFn::Mul | ScatterFn::Max | ScatterFn::Min => Err(Reason::new(
            "a scatter kernel replaces or adds",
            op.f.text(),
        )),
    }
}

pub(super) fn scatter(cx: &mut Lower<'_, '_>, id: NodeId, op: &Scatter) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let size = cx.graph.ty(node.operands[0]).shape[op.axis].clone();
    let index = wide_index(cx, node.operands[1], &size)?;
    let source = cx.tensor(node.operands[2])?;
    let axis = cx.draft.int(op.axis as i64);
    let out = cx.result(id, 0)?;
    let kernel = match op.f {
        ScatterFn::Add => "aten::scatter_add.out",
        _ => "aten::scatter.src_out",
    };
    cx.draft.call(kernel, &[x, axis, index, source], &[out]);
    Ok(())
}
