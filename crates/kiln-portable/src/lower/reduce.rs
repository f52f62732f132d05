//! Families that reduce or sort along axes.

use super::context::Lower;
use super::dtypes::DTypes;
use super::elementwise::cast_tensor;
use super::{empty, extreme_pair};
use kiln_ir::graph::Node;
use kiln_ir::ops::{ArgFn, ArgReduce, Reduce, ReduceFn, Scan, ScanFn, Sort, TopK};
use kiln_ir::{DType, Dim, Graph, NodeId, Scalar, TensorType, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::analysis::ranges::{Range, Ranges};
use kiln_transforms::framework::target::Reason;

pub(super) fn check_reduce(_: &Graph, _: &Node, _: &Reduce) -> Result<(), Reason> {
    Ok(())
}

pub(super) fn reduce(cx: &mut Lower<'_, '_>, id: NodeId, op: &Reduce) -> Result<(), Reason> {
    if extreme_pair::lower(cx, id)? {
        return Ok(());
    }
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    if op.axes.is_empty() {
        // For these kernels an empty list means all axes.
        let out = cx.result(id, 0)?;
        cx.copy(x, out)?;
        return Ok(());
    }
    let ty = cx.graph.ty(node.operands[0]).clone();
    if op.f == ReduceFn::Prod {
        return product(cx, id, x, &ty, &op.axes);
    }
    if op.f == ReduceFn::Sum && loses_digits(cx.graph, cx.graph.node(id).operands[0], &op.axes) {
        return sum_of_two_axes(cx, id, x, &ty, op.axes[0]);
    }
    let out = cx.result(id, 0)?;
    let (axes, keep) = (cx.draft.axes(&op.axes), cx.draft.bool(true));
    let dtype = cx.draft.dtype(ty.dtype);
    let (kernel, args): (&str, Vec<ValueIndex>) = match op.f {
        ReduceFn::Sum => ("aten::sum.IntList_out", vec![x, axes, keep, dtype]),
        ReduceFn::Mean => ("aten::mean.out", vec![x, axes, keep, dtype]),
        ReduceFn::Max => return extreme(cx, id, op, "aten::amax.out", [x, axes, keep], out),
        // The minimum of bools is true if all are true.
        ReduceFn::Min | ReduceFn::All => {
            return extreme(cx, id, op, "aten::amin.out", [x, axes, keep], out);
        }
        ReduceFn::Any => ("aten::any.dims_out", vec![x, axes, keep]),
        ReduceFn::Prod => return Err(Reason::new("a product is lowered axis by axis", "prod")),
    };
    cx.draft.call(kernel, &args, &[out]);
    Ok(())
}

/// The integers up to this are exact in f32.
const EXACT_IN_F32: i128 = 1 << 24;

/// True if the kernel's sum along the axes may be inexact: along a single axis it adds in f32, whatever the dtype. Sums of
/// integers whose range is known to be small stay exact.
fn loses_digits(graph: &Graph, x: ValueId, axes: &[usize]) -> bool {
    let ty = graph.ty(x);
    let is_f32 = matches!(ty.dtype, DType::F16 | DType::BF16 | DType::F32);
    let &[axis] = axes else {
        return false;
    };
    if is_f32 {
        return false;
    }
    match (Ranges::new(graph).of(x), ty.shape[axis].as_const()) {
        (Range::Integers(range), Some(count)) => {
            let greatest = range.low.abs().max(range.high.abs());
            greatest * i128::from(count) > EXACT_IN_F32
        }
        _ => true,
    }
}

/// A sum along two axes, one of which has the size 1, runs up in the tensor's type.
fn sum_of_two_axes(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    x: ValueIndex,
    ty: &TensorType,
    axis: usize,
) -> Result<(), Reason> {
    let merged = |axes: &[Dim]| -> Dim { axes.iter().cloned().product() };
    let with_one = |size: &Dim| {
        let (before, behind) = (&ty.shape[..axis], &ty.shape[axis + 1..]);
        let one = Dim::constant(1);
        [one, merged(before), size.clone(), merged(behind)]
    };
    let x = cx.view(x, &ty.shape, &with_one(&ty.shape[axis]))?;
    let (axes, keep) = (cx.draft.axes(&[0, 2]), cx.draft.bool(true));
    let dtype = cx.draft.dtype(ty.dtype);
    cx.result_as(id, 0, &with_one(&Dim::constant(1)), |cx, out| {
        let args = [x, axes, keep, dtype];
        cx.draft.call("aten::sum.IntList_out", &args, &[out]);
        Ok(())
    })
}

/// The minimum of no bools is true. Other extremes of nothing are refused at run time.
fn extreme(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &Reduce,
    kernel: &str,
    args: [ValueIndex; 3],
    out: ValueIndex,
) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let sizes = cx.graph.ty(node.operands[0]).shape.clone();
    let result = cx.graph.ty(node.results[0]).clone();
    empty::unless_zero(
        cx,
        &sizes,
        |cx| cx.draft.call(kernel, &args, &[out]),
        |cx| match op.f {
            ReduceFn::All => empty::fill(cx, out, &result.shape, Scalar::Bool(true)),
            _ => empty::pick_of_nothing(cx, args[0], out, &result.shape),
        },
    )
}

/// The kernel reduces one axis.
fn product(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    x: ValueIndex,
    ty: &TensorType,
    axes: &[usize],
) -> Result<(), Reason> {
    let (mut shape, mut from) = (ty.shape.to_vec(), x);
    for (i, &axis) in axes.iter().enumerate() {
        shape[axis] = Dim::constant(1);
        let out = match i + 1 == axes.len() {
            true => cx.result(id, 0)?,
            false => cx.temporary(ty.dtype, &shape)?,
        };
        let (axis, keep) = (cx.draft.int(axis as i64), cx.draft.bool(true));
        let dtype = cx.draft.dtype(ty.dtype);
        cx.draft
            .call("aten::prod.int_out", &[from, axis, keep, dtype], &[out]);
        from = out;
    }
    Ok(())
}

pub(super) fn check_arg_reduce(graph: &Graph, node: &Node, _: &ArgReduce) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    DTypes::NUMBERS.check("aten::argmax.out", dtype)
}

pub(super) fn arg_reduce(cx: &mut Lower<'_, '_>, id: NodeId, op: &ArgReduce) -> Result<(), Reason> {
    if extreme_pair::lower(cx, id)? {
        return Ok(());
    }
    let node = cx.graph.node(id);
    let x = cx.tensor(node.operands[0])?;
    let (axis, keep) = (cx.draft.int(op.axis as i64), cx.draft.bool(true));
    let out = cx.result(id, 0)?;
    let size = cx.graph.ty(node.operands[0]).shape[op.axis].clone();
    let result = cx.graph.ty(node.results[0]).clone();
    let kernel = match op.f {
        ArgFn::Max => "aten::argmax.out",
        ArgFn::Min => "aten::argmin.out",
    };
    empty::unless_zero(
        cx,
        &[size],
        |cx| cx.draft.call(kernel, &[x, axis, keep], &[out]),
        |cx| {
            let nothing = empty::nothing(cx, result.dtype)?;
            empty::pick_of_nothing(cx, nothing, out, &result.shape)
        },
    )
}

pub(super) fn check_scan(_: &Graph, _: &Node, op: &Scan) -> Result<(), Reason> {
    match op.f {
        ScanFn::Sum => Ok(()),
        ScanFn::Prod | ScanFn::Max | ScanFn::Min => Err(Reason::new(
            "the only scan with a kernel is a sum",
            op.f.text(),
        )),
    }
}

pub(super) fn scan(cx: &mut Lower<'_, '_>, id: NodeId, op: &Scan) -> Result<(), Reason> {
    let operand = cx.graph.node(id).operands[0];
    let x = cx.tensor(operand)?;
    let axis = cx.draft.int(op.axis as i64);
    let dtype = cx.draft.dtype(cx.graph.ty(operand).dtype);
    let out = cx.result(id, 0)?;
    cx.draft.call("aten::cumsum.out", &[x, axis, dtype], &[out]);
    Ok(())
}

const TOP_K: DTypes = DTypes::NUMBERS;

/// The values are right, but equal elements may change places, so the indices may differ.
pub(super) fn check_sort(graph: &Graph, node: &Node) -> Result<(), Reason> {
    TOP_K.check("aten::topk.values", graph.ty(node.operands[0]).dtype)?;
    if !graph.value(node.results[1]).uses().is_empty() {
        return Err(Reason::new(
            "no kernel sorts so that equals keep their order",
            "a sort whose indices are used",
        ));
    }
    Ok(())
}

pub(super) fn check_top_k(graph: &Graph, node: &Node) -> Result<(), Reason> {
    TOP_K.check("aten::topk.values", graph.ty(node.operands[0]).dtype)
}

pub(super) fn sort(cx: &mut Lower<'_, '_>, id: NodeId, op: &Sort) -> Result<(), Reason> {
    let size = cx.graph.ty(cx.graph.node(id).operands[0]).shape[op.axis].clone();
    extremes(cx, id, op.axis, &size, op.descending)
}

pub(super) fn top_k(cx: &mut Lower<'_, '_>, id: NodeId, op: &TopK) -> Result<(), Reason> {
    extremes(cx, id, op.axis, &op.k, op.largest)
}

fn extremes(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    axis: usize,
    k: &Dim,
    largest: bool,
) -> Result<(), Reason> {
    let x = cx.tensor(cx.graph.node(id).operands[0])?;
    let (k, axis) = (cx.size(k)?, cx.draft.int(axis as i64));
    let (largest, sorted) = (cx.draft.bool(largest), cx.draft.bool(true));
    let outs = [cx.result(id, 0)?, cx.result(id, 1)?];
    cx.draft
        .call("aten::topk.values", &[x, k, axis, largest, sorted], &outs);
    Ok(())
}

pub(super) fn non_zero(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let operand = cx.graph.node(id).operands[0];
    let ty = cx.graph.ty(operand).clone();
    let mut x = cx.tensor(operand)?;
    if matches!(ty.dtype, DType::F16 | DType::BF16) {
        // The kernel does not take these dtypes. Cast to bool, an element says whether it is zero.
        let bools = cx.temporary(DType::Bool, &ty.shape)?;
        cast_tensor(cx, x, bools);
        x = bools;
    }
    let out = cx.result(id, 0)?;
    cx.draft.call("aten::nonzero.out", &[x], &[out]);
    Ok(())
}
