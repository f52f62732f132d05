//! The evaluation of one operator on tensors that are laid out in memory as the library has them.

use super::{ExecuteError, MAX_BYTES, Result1};
use crate::payload::{
    BinaryOp, Clamp, ConvKind, ConvParams, PoolKind, PoolParams, UnaryOp, XnnNode, XnnOp, flags,
};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::{
    Binary, BinaryFn, Cast, Concat, Conv, Linear, MatMul, Move, Pad, PadMode, Pool, PoolFn, Reduce,
    ReduceFn, Resize, ResizeMode, Simple, Slice, Softmax, Unary, UnaryFn,
};
use kiln_ir::{DType, Dim, Movement, Op, Scalar, Symbols};

/// Evaluates an op with one result.
pub(super) fn one(op: impl Into<Op>, operands: &[&Tensor]) -> Result1 {
    let op = op.into();
    let operands: Vec<Tensor> = operands.iter().map(|&t| t.clone()).collect();
    let results = evaluate_op(
        &op,
        &operands,
        &mut Bindings::new(&Symbols::default()),
        MAX_BYTES,
    );
    let node = op.name();
    let results = results.map_err(|cause| ExecuteError::Node { node, cause })?;
    let first = results.into_iter().next();
    first.ok_or_else(|| ExecuteError::Unsupported(format!("{node} without results")))
}

pub(super) fn elu(x: &Tensor, alpha: f32) -> Result1 {
    let f = UnaryFn::Elu {
        alpha: f64::from(alpha),
        scale: 1.0,
        input_scale: 1.0,
    };
    one(Unary { f }, &[x])
}

pub(super) fn leaky_relu(x: &Tensor, slope: f32) -> Result1 {
    let slope = f64::from(slope);
    let f = UnaryFn::LeakyRelu { slope };
    one(Unary { f }, &[x])
}

pub(super) fn softmax(x: &Tensor) -> Result1 {
    let axis = x.rank().saturating_sub(1);
    one(Softmax { axis, log: false }, &[x])
}

pub(super) fn pad(x: &Tensor, before: &[u32], after: &[u32], value: f32) -> Result1 {
    pad_with(x, before, after, Scalar::Float(f64::from(value)))
}

pub(super) fn pad_with(x: &Tensor, before: &[u32], after: &[u32], value: Scalar) -> Result1 {
    let amounts = |list: &[u32]| list.iter().map(|&n| Dim::constant(i64::from(n))).collect();
    let op = Pad {
        low: amounts(before),
        high: amounts(after),
        mode: PadMode::Constant(value),
    };
    one(op, &[x])
}

/// Concatenates along an axis; [`u32::MAX`] is the last.
pub(super) fn concat(parts: &[&Tensor], axis: u32) -> Result1 {
    let last = parts.first().map_or(0, |t| t.rank().saturating_sub(1));
    let axis = if axis == u32::MAX {
        last
    } else {
        axis as usize
    };
    one(Concat { axis }, parts)
}

/// The range to which a node limits its result, if its operator takes one.
pub(super) fn clamp_of(node: &XnnNode) -> Option<Clamp> {
    node.clamp.filter(|_| takes_clamp(&node.op))
}

fn takes_clamp(op: &XnnOp) -> bool {
    match op {
        XnnOp::Unary { op, .. } => *op == UnaryOp::Clamp,
        XnnOp::Binary { op, .. } => {
            matches!(
                op,
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide
            )
        }
        XnnOp::FullyConnected { .. } | XnnOp::Conv { .. } | XnnOp::Pool { .. } => true,
        _ => false,
    }
}

pub(super) fn clamped(x: Tensor, clamp: Clamp) -> Result1 {
    let bound = |b: f32| Some(Scalar::Float(f64::from(b)));
    one(
        Unary {
            f: UnaryFn::Clamp {
                min: bound(clamp.min),
                max: bound(clamp.max),
            },
        },
        &[&x],
    )
}

pub(super) fn convert(x: &Tensor, to: DType) -> Result1 {
    if x.dtype().is_float() && to == DType::I32 {
        let rounded = one(
            Unary {
                f: Simple::Round.into(),
            },
            &[x],
        )?;
        return one(Cast { to }, &[&rounded]);
    }
    one(Cast { to }, &[x])
}

/// Adds leading axes of size 1 up to that rank.
pub(super) fn raised(x: &Tensor, rank: usize) -> Result1 {
    let mut sizes = vec![1; rank.saturating_sub(x.rank())];
    sizes.extend_from_slice(x.sizes());
    x.reshaped(sizes).map_err(|cause| ExecuteError::Node {
        node: "broadcast",
        cause,
    })
}

pub(super) fn binary(op: BinaryOp, a: &Tensor, b: &Tensor) -> Result1 {
    let f = match op {
        BinaryOp::Add => BinaryFn::Add,
        BinaryOp::Subtract => BinaryFn::Sub,
        BinaryOp::Multiply => BinaryFn::Mul,
        BinaryOp::Divide if a.dtype() == DType::I32 => BinaryFn::FloorDiv,
        BinaryOp::Divide => BinaryFn::Div,
        BinaryOp::Minimum => BinaryFn::Min,
        BinaryOp::Maximum => BinaryFn::Max,
        BinaryOp::PRelu => BinaryFn::Prelu,
    };
    let rank = a.rank().max(b.rank());
    one(Binary { f }, &[&raised(a, rank)?, &raised(b, rank)?])
}

fn shape(x: &Tensor) -> Vec<Dim> {
    x.sizes().iter().map(|&n| Dim::constant(n as i64)).collect()
}

pub(super) fn permute(x: &Tensor, axes: &[usize]) -> Result1 {
    let movement = Movement::permute(&shape(x), axes)?;
    one(Move { movement }, &[x])
}

fn swapped(x: &Tensor) -> Result1 {
    let mut axes: Vec<usize> = (0..x.rank()).collect();
    let Some(last) = x.rank().checked_sub(1).filter(|&n| n > 0) else {
        return Err(ExecuteError::Unsupported(
            "the transpose of a vector".into(),
        ));
    };
    axes.swap(last - 1, last);
    permute(x, &axes)
}

pub(super) fn fully_connected(
    x: &Tensor,
    filter: &Tensor,
    bias: Option<&Tensor>,
    flags: u32,
) -> Result1 {
    let wide = |t: &Tensor| convert(t, DType::F32);
    let bias = bias.map(wide).transpose()?;
    let y = fully_connected_exact(&wide(x)?, &wide(filter)?, bias.as_ref(), flags)?;
    convert(&y, x.dtype())
}

/// As [`fully_connected`], in the dtype of the operands.
pub(super) fn fully_connected_exact(
    x: &Tensor,
    filter: &Tensor,
    bias: Option<&Tensor>,
    flags: u32,
) -> Result1 {
    let filter = turned(filter, flags, "fully_connected")?;
    let operands: Vec<&Tensor> = [x, &filter].into_iter().chain(bias).collect();
    one(Linear {}, &operands)
}

/// A second factor as the flags say: transposed, or as it is.
fn turned(factor: &Tensor, flags: u32, operator: &str) -> Result1 {
    match flags {
        0 => Ok(factor.clone()),
        flags::TRANSPOSE_WEIGHTS => swapped(factor),
        other => Err(ExecuteError::Unsupported(format!(
            "{operator} with flags {other:#x}"
        ))),
    }
}

pub(super) fn batch_matmul(a: &Tensor, b: &Tensor, flags: u32) -> Result1 {
    let b = turned(b, flags, "batch_matmul")?;
    let rank = a.rank().max(b.rank());
    one(MatMul {}, &[&raised(a, rank)?, &raised(&b, rank)?])
}

const TO_NCHW: [usize; 4] = [0, 3, 1, 2];
const TO_NHWC: [usize; 4] = [0, 2, 3, 1];

fn pair(list: [u32; 2]) -> Vec<i64> {
    list.iter().map(|&n| i64::from(n)).collect()
}

pub(super) fn conv(
    kind: ConvKind,
    p: &ConvParams,
    x: &Tensor,
    filter: &Tensor,
    bias: Option<&Tensor>,
) -> Result1 {
    let transposed = kind == ConvKind::Transposed;
    let weight = match kind {
        ConvKind::Conv2d => permute(filter, &TO_NCHW)?,
        ConvKind::Depthwise => permute(filter, &[3, 0, 1, 2])?,
        ConvKind::Transposed => transposed_weight(filter, p)?,
    };
    let op = Conv {
        stride: pair(p.stride),
        pad_low: pair([p.padding.top, p.padding.left]),
        pad_high: pair([p.padding.bottom, p.padding.right]),
        dilation: pair(p.dilation),
        groups: i64::from(p.groups),
        transposed,
        output_padding: pair(p.adjustment),
    };
    // Kernels of f16 add up in f32 on this side of the border.
    let computed = match x.dtype() {
        DType::F16 => DType::F32,
        own => own,
    };
    let weight = convert(&weight, computed)?;
    let image = convert(&permute(x, &TO_NCHW)?, computed)?;
    let y = match bias {
        Some(bias) => one(op, &[&image, &weight, &convert(bias, computed)?])?,
        None => one(op, &[&image, &weight])?,
    };
    convert(&permute(&y, &TO_NHWC)?, x.dtype())
}

/// Reorders `[g * o, h, w, i]` to `[g * i, o, h, w]`.
fn transposed_weight(filter: &Tensor, p: &ConvParams) -> Result1 {
    let [groups, outputs, inputs] =
        [p.groups, p.group_output_channels, p.group_input_channels].map(|n| n as usize);
    let [h, w] = p.kernel.map(|n| n as usize);
    let failed = |cause| ExecuteError::Node {
        node: "conv_transpose",
        cause,
    };
    let split = filter
        .reshaped(vec![groups, outputs, h, w, inputs])
        .map_err(failed)?;
    let turned = permute(&split, &[0, 4, 1, 2, 3])?;
    turned
        .reshaped(vec![groups * inputs, outputs, h, w])
        .map_err(failed)
}

pub(super) fn pool(kind: PoolKind, p: &PoolParams, x: &Tensor) -> Result1 {
    let f = match kind {
        PoolKind::Max => PoolFn::Max,
        PoolKind::Average => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    };
    let op = Pool {
        f,
        kernel: pair(p.kernel),
        stride: pair(p.stride),
        pad_low: pair([p.padding.top, p.padding.left]),
        pad_high: pair([p.padding.bottom, p.padding.right]),
        dilation: pair(p.dilation.map(|d| d.max(1))),
        ceil: false,
    };
    let y = one(op, &[&permute(x, &TO_NCHW)?])?;
    permute(&y, &TO_NHWC)
}

pub(super) fn global_average(x: &Tensor, flags: u32) -> Result1 {
    let rank = x.rank();
    if rank < 3 {
        return Err(ExecuteError::Unsupported(format!(
            "a global average of rank {rank}"
        )));
    }
    let y = match x.elements::<f32>() {
        Some(elements) => mean_in_order(elements, x.sizes()),
        None => one(
            Reduce {
                f: ReduceFn::Mean,
                axes: vec![rank - 3, rank - 2],
            },
            &[x],
        )?,
    };
    without_pooled_dims(y, flags)
}

/// The mean over the two dims before the last. The library adds rows one after the other (`src/f32-rdsum`), and then multiplies.
fn mean_in_order(elements: &[f32], sizes: &[usize]) -> Tensor {
    let (outer, image) = sizes.split_at(sizes.len() - 3);
    let (places, channels) = (image[0] * image[1], image[2]);
    let images: usize = outer.iter().product();
    let scale = 1.0 / places as f32;
    let mut means = vec![0f32; images * channels];
    for (at, sum) in means.iter_mut().enumerate() {
        let (image, channel) = (at / channels, at % channels);
        let places =
            (image * places..(image + 1) * places).map(|p| elements[p * channels + channel]);
        *sum = places.fold(0.0, |sum, x| sum + x) * scale;
    }
    Tensor::new([outer, &[1, 1, channels]].concat(), means)
}

/// A global pool's result, whose dims of size 1 the flags may ask to remove.
pub(super) fn without_pooled_dims(y: Tensor, flags: u32) -> Result1 {
    if flags & flags::KEEP_DIMS != 0 {
        return Ok(y);
    }
    let rank = y.rank();
    let movement = Movement::squeeze(&shape(&y), &[rank - 3, rank - 2])?;
    one(Move { movement }, &[&y])
}

pub(super) fn resize(x: &Tensor, size: [u32; 2], flags: u32) -> Result1 {
    let align_corners = match flags {
        0 => false,
        flags::ALIGN_CORNERS => true,
        other => {
            return Err(ExecuteError::Unsupported(format!(
                "resize_bilinear with flags {other:#x}"
            )));
        }
    };
    let output = pair(size).into_iter().map(Dim::constant).collect();
    let op = Resize {
        mode: ResizeMode::Linear,
        align_corners,
        output,
        scales: vec![None, None],
    };
    let y = one(op, &[&permute(x, &TO_NCHW)?])?;
    permute(&y, &TO_NHWC)
}

pub(super) fn reshape(x: &Tensor, to: &[u32]) -> Result1 {
    let known: usize = to
        .iter()
        .filter(|&&n| n != 0)
        .map(|&n| n as usize)
        .product();
    let inferred = x.len().checked_div(known).unwrap_or(0);
    let sizes = to
        .iter()
        .map(|&n| if n == 0 { inferred } else { n as usize });
    x.reshaped(sizes.collect())
        .map_err(|cause| ExecuteError::Node {
            node: "reshape",
            cause,
        })
}

pub(super) fn slice(x: &Tensor, offsets: &[u32], sizes: &[u32]) -> Result1 {
    let mut y = x.clone();
    for (axis, (&start, &len)) in offsets.iter().zip(sizes).enumerate() {
        let size = x.sizes().get(axis).copied().unwrap_or(0);
        if (start, len) == (0, 0) || (start == 0 && len as usize == size) {
            continue;
        }
        let (start, len) = (i64::from(start).into(), i64::from(len).into());
        y = one(
            Slice {
                axis,
                start,
                len,
                step: 1,
            },
            &[&y],
        )?;
    }
    Ok(y)
}
