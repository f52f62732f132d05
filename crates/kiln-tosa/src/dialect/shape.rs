//! The shapes of results, by operator. The number and the ranks of the operands are those of the operator's row.

use super::attributes::{Conv, Pad, Resize, Slice, TransposeConv};
use super::infer::TensorType;
use super::op::TosaOp;
use super::table::{Row, ShapeRule};

type Shape = Vec<usize>;

pub(super) fn shape(op: &TosaOp, row: &Row, operands: &[TensorType]) -> Result<Shape, String> {
    match row.shape {
        ShapeRule::Same => same(operands),
        ShapeRule::Broadcast => broadcast(operands),
        ShapeRule::Reduced => reduced(op, &operands[0].shape),
        ShapeRule::Given => given(op, operands),
        ShapeRule::Computed => computed(op, operands),
        ShapeRule::Region => unreachable!("regions give types, not shapes"),
    }
}

/// All operands have this shape.
fn same(operands: &[TensorType]) -> Result<Shape, String> {
    let shape = &operands[0].shape;
    match operands.iter().find(|o| o.shape != *shape) {
        None => Ok(shape.clone()),
        Some(other) => Err(format!(
            "operands differ in shape: {} and {other}",
            operands[0]
        )),
    }
}

fn broadcast(operands: &[TensorType]) -> Result<Shape, String> {
    let mut shape = operands[0].shape.clone();
    for other in &operands[1..] {
        if other.shape.len() != shape.len() {
            return Err(format!(
                "operands differ in rank: {shape:?} and {:?}; reshape one to the other's rank",
                other.shape
            ));
        }
        for (size, &with) in shape.iter_mut().zip(&other.shape) {
            if *size != with && *size != 1 && with != 1 {
                return Err(format!(
                    "{:?} does not broadcast with {:?}",
                    operands[0].shape, other.shape
                ));
            }
            if *size == 1 {
                *size = with;
            }
        }
    }
    Ok(shape)
}

fn axis_of(op: &TosaOp, shape: &[usize]) -> Result<usize, String> {
    let axis = op.axis().unwrap_or_default();
    if axis < shape.len() {
        Ok(axis)
    } else {
        Err(format!("axis {axis} of the shape {shape:?}"))
    }
}

fn reduced(op: &TosaOp, operand: &[usize]) -> Result<Shape, String> {
    let axis = axis_of(op, operand)?;
    let mut shape = operand.to_vec();
    shape[axis] = 1;
    Ok(shape)
}

fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |n, &s| n.checked_mul(s))
}

fn given(op: &TosaOp, operands: &[TensorType]) -> Result<Shape, String> {
    match op {
        TosaOp::Reshape { shape } if count(shape) == count(&operands[0].shape) => Ok(shape.clone()),
        TosaOp::Reshape { shape } => Err(format!(
            "{:?} and {shape:?} are not of as many elements",
            operands[0].shape
        )),
        TosaOp::Const { shape, .. } | TosaOp::VariableRead { shape, .. } => Ok(shape.clone()),
        TosaOp::Variable(variable) => Ok(variable.shape.clone()),
        _ => unreachable!("the row says that an attribute gives the shape"),
    }
}

fn computed(op: &TosaOp, operands: &[TensorType]) -> Result<Shape, String> {
    let first = operands[0].shape.as_slice();
    match op {
        TosaOp::ArgMax(_) => {
            let mut shape = first.to_vec();
            shape.remove(axis_of(op, first)?);
            Ok(shape)
        }
        TosaOp::AvgPool2d(a) => pooled(first, a.kernel, a.stride, a.pad),
        TosaOp::MaxPool2d(a) => pooled(first, a.kernel, a.stride, a.pad),
        TosaOp::Conv2d(conv) => convolved(first, operands, conv),
        TosaOp::Conv3d(conv) => convolved(first, operands, conv),
        TosaOp::DepthwiseConv2d(conv) => depthwise(first, operands, conv),
        TosaOp::TransposeConv2d(conv) => transposed(first, operands, conv),
        TosaOp::Rfft2d { .. } => Ok(vec![first[0], first[1], first[2] / 2 + 1]),
        TosaOp::MatMul(_) => product(first, &operands[1].shape),
        TosaOp::Concat { .. } => chained(op, operands),
        TosaOp::Pad(pad) => padded(first, pad),
        TosaOp::Slice(slice) => sliced(first, slice),
        TosaOp::Tile { multiples } => tiled(first, multiples),
        TosaOp::Transpose { perms } => permuted(first, perms),
        TosaOp::Gather => gathered(first, &operands[1].shape),
        TosaOp::Scatter => scattered(operands),
        TosaOp::Resize(resize) => resized(first, resize),
        _ => unreachable!("the row says that the shape is computed"),
    }
}

/// The number of windows of `extent` elements, a stride apart, in a padded axis. The last window has to end at the very
/// end.
fn positions(size: usize, pad: [usize; 2], extent: usize, stride: usize) -> Result<usize, String> {
    let padded = size.checked_add(pad[0]).and_then(|s| s.checked_add(pad[1]));
    let room = padded.and_then(|padded| padded.checked_sub(extent));
    let describe = || {
        format!(
            "an axis of {size}, padded by {pad:?}, with a window that spans {extent} and steps of {stride}"
        )
    };
    match room {
        None => Err(format!("{}: the window does not fit", describe())),
        Some(_) if stride == 0 => Err(describe()),
        Some(room) if room % stride != 0 => Err(format!(
            "{}: {} elements are left over; pad less or slice the input",
            describe(),
            room % stride
        )),
        Some(room) => Ok(room / stride + 1),
    }
}

/// The elements that a dilated window spans.
fn span(kernel: usize, dilation: usize) -> Result<usize, String> {
    let gaps = kernel.checked_sub(1).and_then(|n| n.checked_mul(dilation));
    gaps.and_then(|n| n.checked_add(1))
        .ok_or_else(|| format!("a window of {kernel} elements, {dilation} apart"))
}

fn pooled(
    input: &[usize],
    kernel: [usize; 2],
    stride: [usize; 2],
    pad: [[usize; 2]; 2],
) -> Result<Shape, String> {
    if kernel.contains(&0) {
        return Err(format!("a window of {kernel:?}"));
    }
    let mut shape = input.to_vec();
    for i in 0..2 {
        shape[i + 1] = positions(input[i + 1], pad[i], kernel[i], stride[i])?;
    }
    Ok(shape)
}

fn check_bias(bias: &TensorType, channels: usize) -> Result<(), String> {
    match bias.shape.as_slice() {
        [n] if *n == channels || *n == 1 => Ok(()),
        _ => Err(format!("a bias {bias} for {channels} channels")),
    }
}

/// A convolution of `[N, S.., IC]` with a weight `[OC, K.., IC]`.
fn convolved<const N: usize>(
    input: &[usize],
    operands: &[TensorType],
    conv: &Conv<N>,
) -> Result<Shape, String> {
    let weight = operands[1].shape.as_slice();
    if weight[N + 1] != input[N + 1] {
        return Err(format!(
            "the input {input:?} has {} channels, the weight {weight:?} takes {}",
            input[N + 1],
            weight[N + 1]
        ));
    }
    check_bias(&operands[2], weight[0])?;
    let mut shape = input.to_vec();
    for i in 0..N {
        let extent = span(weight[i + 1], conv.dilation[i])?;
        shape[i + 1] = positions(input[i + 1], conv.pad[i], extent, conv.stride[i])?;
    }
    shape[N + 1] = weight[0];
    Ok(shape)
}

/// A depthwise convolution of `[N, H, W, C]` with a weight `[KH, KW, C, M]`.
fn depthwise(input: &[usize], operands: &[TensorType], conv: &Conv<2>) -> Result<Shape, String> {
    let weight = operands[1].shape.as_slice();
    let channels = weight[2]
        .checked_mul(weight[3])
        .filter(|_| weight[2] == input[3]);
    let Some(channels) = channels else {
        return Err(format!(
            "the input {input:?} has {} channels, the weight {weight:?} takes {}",
            input[3], weight[2]
        ));
    };
    check_bias(&operands[2], channels)?;
    let mut shape = input.to_vec();
    for i in 0..2 {
        let extent = span(weight[i], conv.dilation[i])?;
        shape[i + 1] = positions(input[i + 1], conv.pad[i], extent, conv.stride[i])?;
    }
    shape[3] = channels;
    Ok(shape)
}

fn transposed(
    input: &[usize],
    operands: &[TensorType],
    conv: &TransposeConv,
) -> Result<Shape, String> {
    let weight = operands[1].shape.as_slice();
    if weight[3] != input[3] {
        return Err(format!(
            "the input {input:?} has {} channels, the weight {weight:?} takes {}",
            input[3], weight[3]
        ));
    }
    check_bias(&operands[2], weight[0])?;
    let mut shape = vec![input[0], 0, 0, weight[0]];
    for i in 0..2 {
        let size = || {
            let last = input[i + 1].checked_sub(1)?.checked_mul(conv.stride[i])?;
            let [before, behind] = conv.out_pad[i].map(|p| p as isize);
            let size = last.checked_add(weight[i + 1])?;
            size.checked_add_signed(before)?
                .checked_add_signed(behind)
                .filter(|&size| size > 0)
        };
        shape[i + 1] = size().ok_or_else(|| {
            format!(
                "nothing is left of an axis of {}, {} apart, with a kernel of {} and out_pad {:?}",
                input[i + 1],
                conv.stride[i],
                weight[i + 1],
                conv.out_pad[i]
            )
        })?;
    }
    Ok(shape)
}

fn product(a: &[usize], b: &[usize]) -> Result<Shape, String> {
    if a[0] == b[0] && a[2] == b[1] {
        Ok(vec![a[0], a[1], b[2]])
    } else {
        Err(format!("no product of {a:?} and {b:?}"))
    }
}

fn chained(op: &TosaOp, operands: &[TensorType]) -> Result<Shape, String> {
    let mut shape = operands[0].shape.clone();
    let axis = axis_of(op, &shape)?;
    for other in &operands[1..] {
        let is_alike = other.shape.len() == shape.len()
            && (0..shape.len()).all(|i| i == axis || shape[i] == other.shape[i]);
        let size = is_alike
            .then(|| shape[axis].checked_add(other.shape[axis]))
            .flatten();
        shape[axis] = size.ok_or_else(|| {
            format!(
                "{:?} behind {:?} along axis {axis}",
                other.shape, operands[0].shape
            )
        })?;
    }
    Ok(shape)
}

fn check_rank(what: &str, entries: usize, operand: &[usize]) -> Result<(), String> {
    if entries == operand.len() {
        return Ok(());
    }
    Err(format!(
        "{entries} entries of {what} for the shape {operand:?}"
    ))
}

fn padded(operand: &[usize], pad: &Pad) -> Result<Shape, String> {
    check_rank("padding", pad.padding.len(), operand)?;
    let sizes = operand.iter().zip(&pad.padding);
    let grown = sizes.map(|(s, [before, behind])| s.checked_add(*before)?.checked_add(*behind));
    let shape: Option<Shape> = grown.collect();
    shape.ok_or_else(|| format!("{operand:?} padded by {:?} is too large", pad.padding))
}

fn sliced(operand: &[usize], slice: &Slice) -> Result<Shape, String> {
    check_rank("start", slice.start.len(), operand)?;
    check_rank("size", slice.size.len(), operand)?;
    for (axis, &size) in operand.iter().enumerate() {
        let (start, taken) = (slice.start[axis], slice.size[axis]);
        if taken == 0 || start.checked_add(taken).is_none_or(|end| end > size) {
            return Err(format!(
                "{taken} elements from {start} on of axis {axis}, which has {size}"
            ));
        }
    }
    Ok(slice.size.clone())
}

fn tiled(operand: &[usize], multiples: &[usize]) -> Result<Shape, String> {
    check_rank("multiples", multiples.len(), operand)?;
    let sizes = operand.iter().zip(multiples);
    let shape: Option<Shape> = sizes.map(|(s, m)| s.checked_mul(*m)).collect();
    shape.ok_or_else(|| format!("{operand:?} repeated {multiples:?} times is too large"))
}

fn permuted(operand: &[usize], perms: &[usize]) -> Result<Shape, String> {
    check_rank("perms", perms.len(), operand)?;
    let mut sorted = perms.to_vec();
    sorted.sort_unstable();
    if sorted.iter().enumerate().any(|(i, &p)| i != p) {
        return Err(format!("{perms:?} is no order of {} axes", operand.len()));
    }
    Ok(perms.iter().map(|&p| operand[p]).collect())
}

fn gathered(values: &[usize], indices: &[usize]) -> Result<Shape, String> {
    if values[0] != indices[0] {
        return Err(format!("indices {indices:?} for values {values:?}"));
    }
    Ok(vec![values[0], indices[1], values[2]])
}

fn scattered(operands: &[TensorType]) -> Result<Shape, String> {
    let [values, indices, input] = [0, 1, 2].map(|i| operands[i].shape.as_slice());
    if values[0] != indices[0] || input != [values[0], indices[1], values[2]] {
        return Err(format!(
            "indices {indices:?} and input {input:?} for values {values:?}"
        ));
    }
    Ok(values.to_vec())
}

fn resized(input: &[usize], resize: &Resize) -> Result<Shape, String> {
    let mut shape = input.to_vec();
    for i in 0..2 {
        shape[i + 1] = samples(input[i + 1], resize, i)?;
    }
    Ok(shape)
}

fn samples(size: usize, resize: &Resize, i: usize) -> Result<usize, String> {
    let (n, d) = (i128::from(resize.scale_n[i]), i128::from(resize.scale_d[i]));
    let (offset, border) = (i128::from(resize.offset[i]), i128::from(resize.border[i]));
    let room = (size as i128 - 1) * n - offset + border;
    if n <= 0 || d <= 0 || room < 0 || room % d != 0 {
        return Err(format!(
            "an axis of {size} at the scale {n}/{d}, offset {offset} and border {border}: {room} is no multiple of {d}"
        ));
    }
    usize::try_from(room / d + 1).map_err(|_| format!("{} samples", room / d + 1))
}
