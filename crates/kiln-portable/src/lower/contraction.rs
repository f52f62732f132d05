//! Matrix products and convolutions.

use super::context::Lower;
use super::dtypes::DTypes;
use super::elementwise::cast_tensor;
use super::empty;
use kiln_ir::graph::Node;
use kiln_ir::ops::Conv;
use kiln_ir::{DType, Dim, Graph, NodeId, TensorData, TensorType, ValueId};
use kiln_pte::ValueIndex;
use kiln_transforms::framework::target::Reason;

pub(super) fn check_matmul(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    DTypes::NUMBERS.check("aten::bmm.out", dtype)
}

/// Rank 2 uses `mm`. Other ranks use `bmm`, with the leading axes merged and repetitions written to memory.
pub(super) fn matmul(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let of = cx.graph.ty(node.operands[0]);
    let (rank, dtype, contracted) = (of.rank(), of.dtype, of.shape[of.rank() - 1].clone());
    if rank == 2 {
        let args = [cx.tensor(node.operands[0])?, cx.tensor(node.operands[1])?];
        let out = cx.result(id, 0)?;
        let shape = cx.graph.ty(node.results[0]).shape.clone();
        empty::start_product(cx, &contracted, (out, dtype), &shape)?;
        cx.draft.call("aten::mm.out", &args, &[out]);
        return Ok(());
    }
    let batch = cx.graph.ty(node.results[0]).shape[..rank - 2].to_vec();
    let a = batched(cx, node.operands[0], &batch)?;
    let b = batched(cx, node.operands[1], &batch)?;
    let shape = merged(&batch, &cx.graph.ty(node.results[0]).shape[rank - 2..]);
    cx.result_as(id, 0, &shape, |cx, out| {
        empty::start_product(cx, &contracted, (out, dtype), &shape)?;
        cx.draft.call("aten::bmm.out", &[a, b], &[out]);
        Ok(())
    })
}

fn merged(batch: &[Dim], matrix: &[Dim]) -> Vec<Dim> {
    let mut shape = vec![batch.iter().cloned().product()];
    shape.extend_from_slice(matrix);
    shape
}

fn batched(cx: &mut Lower<'_, '_>, value: ValueId, batch: &[Dim]) -> Result<ValueIndex, Reason> {
    let ty = cx.graph.ty(value).clone();
    let rank = ty.rank();
    let mut tensor = cx.tensor(value)?;
    let full: Vec<Dim> = batch.iter().chain(&ty.shape[rank - 2..]).cloned().collect();
    if ty.shape[..] != full[..] {
        let out = cx.temporary(ty.dtype, &full)?;
        let (size, implicit) = (cx.sizes(&full)?, cx.draft.bool(false));
        cx.draft
            .call("aten::expand_copy.out", &[tensor, size, implicit], &[out]);
        tensor = out;
    }
    cx.view(tensor, &full, &merged(batch, &ty.shape[rank - 2..]))
}

pub(super) fn check_linear(graph: &Graph, node: &Node) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    DTypes::FLOATS.check("aten::linear.out", dtype)
}

pub(super) fn linear(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let operands = node.operands.clone();
    // The kernel takes no vector.
    let matrix = |shape: &[Dim]| match shape {
        [only] => vec![Dim::constant(1), only.clone()],
        shape => shape.to_vec(),
    };
    let x = cx.tensor(operands[0])?;
    let shape = cx.graph.ty(operands[0]).shape.clone();
    let x = cx.view(x, &shape, &matrix(&shape))?;
    let weight = cx.tensor(operands[1])?;
    let bias = optional(cx, operands.get(2))?;
    let ty = cx.graph.ty(node.results[0]).clone();
    let result = matrix(&ty.shape);
    cx.result_as(id, 0, &result, |cx, out| {
        if operands.len() < 3 {
            empty::start_product(cx, &shape[shape.len() - 1], (out, ty.dtype), &result)?;
        }
        cx.draft
            .call("aten::linear.out", &[x, weight, bias], &[out]);
        Ok(())
    })
}

/// The operand's tensor, or the argument for an absent operand.
pub(super) fn optional(
    cx: &mut Lower<'_, '_>,
    operand: Option<&ValueId>,
) -> Result<ValueIndex, Reason> {
    match operand {
        Some(&value) => cx.tensor(value),
        None => Ok(cx.draft.none()),
    }
}

/// Padding and output padding as the kernel takes them, and the padding that must be written before.
struct ConvPadding {
    padding: Vec<i64>,
    output_padding: Vec<i64>,
    /// Zeros before and behind each spatial axis, beyond `padding`.
    extra: Vec<(i64, i64)>,
}

fn conv_padding(op: &Conv) -> Option<ConvPadding> {
    let mut found = ConvPadding {
        padding: Vec::new(),
        output_padding: op.output_padding.clone(),
        extra: Vec::new(),
    };
    for i in 0..op.spatial() {
        let (low, high) = (op.pad_low[i], op.pad_high[i]);
        if op.transposed {
            // Cropping less at the end needs more output padding, but the kernel accepts less than a stride of it.
            let output = op.output_padding[i] + low - high;
            if output < 0 || output >= op.stride[i].max(op.dilation[i]) || low < 0 {
                return None;
            }
            found.padding.push(low);
            found.output_padding[i] = output;
            found.extra.push((0, 0));
        } else {
            let least = low.min(high);
            if least < 0 {
                return None;
            }
            found.padding.push(least);
            found.extra.push((low - least, high - least));
        }
    }
    Some(found)
}

pub(super) fn check_conv(graph: &Graph, node: &Node, op: &Conv) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    DTypes::FLOATS.check("aten::convolution.out", dtype)?;
    if !(1..=2).contains(&op.spatial()) {
        return Err(Reason::new(
            "kernel aten::convolution.out has 1 or 2 spatial axes",
            op.spatial().to_string(),
        ));
    }
    match conv_padding(op) {
        Some(_) => Ok(()),
        None => Err(Reason::new(
            "a convolution is padded, and a transposed one cropped alike before and behind up to a stride",
            format!("{:?} before and {:?} behind", op.pad_low, op.pad_high),
        )),
    }
}

pub(super) fn conv(cx: &mut Lower<'_, '_>, id: NodeId, op: &Conv) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let operands = node.operands.clone();
    let ty = cx.graph.ty(operands[0]).clone();
    let padding = conv_padding(op)
        .ok_or_else(|| Reason::new("the padding fits the kernel", "one that does not"))?;
    let x = cx.tensor(operands[0])?;
    let x = pad_input(cx, x, &ty, &padding.extra)?;
    let weight = cx.tensor(operands[1])?;
    let bias = optional(cx, operands.get(2))?;
    let out = cx.result(id, 0)?;
    if matches!(ty.dtype, DType::F16 | DType::BF16) {
        return wide_conv(cx, id, op, &padding, [x, weight, bias], out);
    }
    call_conv(cx, op, &padding, [x, weight, bias], out);
    Ok(())
}

fn call_conv(
    cx: &mut Lower<'_, '_>,
    op: &Conv,
    padding: &ConvPadding,
    [x, weight, bias]: [ValueIndex; 3],
    out: ValueIndex,
) {
    let stride = cx.draft.ints(&op.stride);
    let pads = cx.draft.ints(&padding.padding);
    let dilation = cx.draft.ints(&op.dilation);
    let transposed = cx.draft.bool(op.transposed);
    let output_padding = cx.draft.ints(&padding.output_padding);
    let groups = cx.draft.int(op.groups);
    let args = [
        x,
        weight,
        bias,
        stride,
        pads,
        dilation,
        transposed,
        output_padding,
        groups,
    ];
    cx.draft.call("aten::convolution.out", &args, &[out]);
}

/// The kernel accumulates half types in their own precision, which is far off. So f32 is used.
fn wide_conv(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    op: &Conv,
    padding: &ConvPadding,
    operands: [ValueIndex; 3],
    out: ValueIndex,
) -> Result<(), Reason> {
    let mut wide = operands;
    for operand in &mut wide {
        if cx.draft.method.values[operand.index()]
            .as_tensor()
            .is_some()
        {
            *operand = widened(cx, *operand);
        }
    }
    let shape = cx.graph.ty(cx.graph.node(id).results[0]).shape.clone();
    let sums = cx.temporary(DType::F32, &shape)?;
    call_conv(cx, op, padding, wide, sums);
    cast_tensor(cx, sums, out);
    Ok(())
}

/// A tensor of a half type, in f32. A constant is converted ahead of time.
fn widened(cx: &mut Lower<'_, '_>, tensor: ValueIndex) -> ValueIndex {
    let value = cx.draft.tensor_value(tensor).clone();
    if let kiln_pte::TensorStorage::Constant(index) = value.storage
        && let Some(content) = cx.draft.program.constants.get(index).cloned()
    {
        let sizes: Vec<usize> = value.sizes.iter().map(|&s| s as usize).collect();
        let dtype = cx.spec_of_tensor(tensor).dtype;
        if let Ok(half) = TensorData::of_content(dtype, sizes.clone(), content) {
            return cx.literal(TensorData::from_scalars(DType::F32, sizes, half.scalars()));
        }
    }
    let spec = crate::draft::TensorSpec {
        dtype: DType::F32,
        sizes: value.sizes,
        dynamic: value.dynamism == kiln_pte::Dynamism::Bounded,
        dim_order: value.dim_order,
    };
    let out = cx.allocate(&spec);
    cast_tensor(cx, tensor, out);
    out
}

/// The input with zeros around it.
fn pad_input(
    cx: &mut Lower<'_, '_>,
    x: ValueIndex,
    ty: &TensorType,
    extra: &[(i64, i64)],
) -> Result<ValueIndex, Reason> {
    if extra.iter().all(|&pair| pair == (0, 0)) {
        return Ok(x);
    }
    let mut shape = ty.shape.to_vec();
    for (i, (low, high)) in extra.iter().enumerate() {
        shape[i + 2] = &shape[i + 2] + *low + *high;
    }
    let pads: Vec<i64> = extra
        .iter()
        .rev()
        .flat_map(|&(low, high)| [low, high])
        .collect();
    let (pads, zero) = (cx.draft.ints(&pads), cx.draft.double(0.0));
    let out = cx.temporary(ty.dtype, &shape)?;
    cx.draft
        .call("aten::constant_pad_nd.out", &[x, pads, zero], &[out]);
    Ok(out)
}
