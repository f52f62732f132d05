//! Elementwise families. Their kernels broadcast, so a repeated operand need not be written to memory if another
//! operand has the result's shape. An operand that is one number everywhere becomes a scalar argument.

use super::context::{Bound, Lower};
use super::division;
use super::dtypes::DTypes;
use crate::draft::scalar_type;
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{Binary, BinaryFn, Compare, CompareFn, Simple, Unary, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, Scalar, Shape, ValueId};
use kiln_pte::{Value, ValueIndex};
use kiln_transforms::analysis::ranges::Ranges;
use kiln_transforms::framework::target::Reason;

/// The kernel `aten::NAME.out` of a function without parameters, if there is one.
fn simple_kernel(f: Simple) -> Option<(&'static str, DTypes)> {
    let floats = DTypes::FLOATS;
    let row = match f {
        Simple::Neg => ("neg", DTypes::NUMBERS),
        Simple::Abs => ("abs", DTypes::NUMBERS),
        Simple::Sign => ("sign", DTypes::NUMBERS),
        Simple::Floor => ("floor", floats),
        Simple::Ceil => ("ceil", floats),
        Simple::Round => ("round", floats),
        Simple::Trunc => ("trunc", floats),
        Simple::Exp => ("exp", floats),
        Simple::Expm1 => ("expm1", floats),
        Simple::Log => ("log", floats),
        Simple::Log2 => ("log2", floats),
        Simple::Log10 => ("log10", floats),
        Simple::Log1p => ("log1p", floats),
        Simple::Sqrt => ("sqrt", floats),
        Simple::Rsqrt => ("rsqrt", floats),
        Simple::Reciprocal => ("reciprocal", floats),
        Simple::Sin => ("sin", floats),
        Simple::Cos => ("cos", floats),
        Simple::Tan => ("tan", floats),
        Simple::Asin => ("asin", floats),
        Simple::Acos => ("acos", floats),
        Simple::Atan => ("atan", floats),
        Simple::Sinh => ("sinh", floats),
        Simple::Cosh => ("cosh", floats),
        Simple::Tanh => ("tanh", floats),
        Simple::Asinh => ("asinh", floats),
        Simple::Acosh => ("acosh", floats),
        Simple::Atanh => ("atanh", floats),
        Simple::Erf => ("erf", floats),
        Simple::Sigmoid => ("sigmoid", floats),
        Simple::BitNot => ("bitwise_not", DTypes::INTS.and(DTypes::BOOL)),
        Simple::IsNan => ("isnan", floats),
        Simple::IsInf => ("isinf", floats),
        Simple::Square => ("mul", DTypes::NUMBERS),
        Simple::Gelu | Simple::GeluTanh => ("gelu", floats),
        Simple::Exp2 | Simple::Erfinv | Simple::LogSigmoid | Simple::Silu => return None,
        Simple::Mish | Simple::Hardswish | Simple::Hardsigmoid => return None,
    };
    Some(row)
}

pub(super) fn check_unary(graph: &Graph, node: &Node, op: &Unary) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    match op.f {
        UnaryFn::Simple(f) => match simple_kernel(f) {
            Some((kernel, dtypes)) => dtypes.check(kernel, dtype),
            None => Err(Reason::new("the function has a kernel", f.text())),
        },
        UnaryFn::Clamp { .. } | UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } => Ok(()),
        UnaryFn::Softplus { .. } => Err(Reason::new("the function has a kernel", "softplus")),
    }
}

pub(super) fn unary(cx: &mut Lower<'_, '_>, id: NodeId, op: &Unary) -> Result<(), Reason> {
    let operand = cx.graph.node(id).operands[0];
    let x = cx.tensor(operand)?;
    let dtype = cx.graph.ty(operand).dtype;
    let out = cx.result(id, 0)?;
    let (kernel, args) = match op.f {
        UnaryFn::Simple(f) => {
            let (kernel, _) = simple_kernel(f).ok_or_else(no_kernel)?;
            let args = match f {
                Simple::Square => vec![x, x],
                Simple::Gelu => vec![x, cx.draft.text("none")],
                Simple::GeluTanh => vec![x, cx.draft.text("tanh")],
                _ => vec![x],
            };
            (format!("aten::{kernel}.out"), args)
        }
        UnaryFn::Clamp { .. } if op.f == UnaryFn::RELU => ("aten::relu.out".to_owned(), vec![x]),
        UnaryFn::Clamp { min, max } => {
            let [min, max] = [min, max].map(|bound| match bound {
                Some(bound) => cx.draft.scalar(dtype.saturated(bound)),
                None => cx.draft.none(),
            });
            ("aten::clamp.out".to_owned(), vec![x, min, max])
        }
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } => {
            let numbers = [alpha, scale, input_scale].map(|n| cx.draft.double(n));
            ("aten::elu.out".to_owned(), [&[x], &numbers[..]].concat())
        }
        UnaryFn::LeakyRelu { slope } => (
            "aten::leaky_relu.out".to_owned(),
            vec![x, cx.draft.double(slope)],
        ),
        UnaryFn::Softplus { .. } => return Err(no_kernel()),
    };
    if op.f == UnaryFn::Simple(Simple::Sign) && dtype.is_float() {
        return sign(cx, operand, x, out);
    }
    if op.f == UnaryFn::Simple(Simple::Round)
        && let Some(shift) = shift_to_whole(dtype)
        && becomes_small_integers(
            cx.graph,
            cx.graph.node(id).result(),
            is_clamped(cx.graph, operand),
        )
    {
        round_by_shift(cx, x, out, shift);
        return Ok(());
    }
    cx.draft.call(&kernel, &args, &[out]);
    cx.may_overwrite(out, x);
    Ok(())
}

/// A number whose neighbours among floats are 1 apart, as are those of its sums with all integers of [`SMALL`].
fn shift_to_whole(dtype: DType) -> Option<f64> {
    match dtype {
        DType::F64 => Some(1.5 * 2f64.powi(52)),
        DType::F32 => Some(1.5 * 2f64.powi(23)),
        _ => None,
    }
}

/// Integers that are far from the ends of what [`round_by_shift`] rounds.
const SMALL: i64 = 1 << 20;

/// Rounds half to even by adding a number whose neighbours are 1 apart, and subtracting it: two kernels with vector
/// instructions, where that of `round` has none. Numbers beyond half of the shift stay beyond all of [`SMALL`] but need not stay what they
/// are, and negative zero becomes zero. So results are only to become small integers.
fn round_by_shift(cx: &mut Lower<'_, '_>, x: ValueIndex, out: ValueIndex, shift: f64) {
    let (shift, one) = (cx.draft.double(shift), cx.draft.int(1));
    cx.draft
        .call("aten::add.Scalar_out", &[x, shift, one], &[out]);
    cx.may_overwrite(out, x);
    cx.draft
        .call("aten::sub.Scalar_out", &[out, shift, one], &[out]);
}

/// True if floats are read only to be converted to integers, between a clamp to [`SMALL`] ones and the conversion or in front of both.
fn becomes_small_integers(graph: &Graph, value: ValueId, is_clamped: bool) -> bool {
    let ends = |reader: NodeId| {
        let node = graph.node(reader);
        match &node.op {
            Op::Unary(op) => {
                is_small_clamp(op.f) && becomes_small_integers(graph, node.result(), true)
            }
            Op::Cast(op) if op.to == DType::F32 => {
                becomes_small_integers(graph, node.result(), is_clamped)
            }
            Op::Cast(op) => is_clamped && op.to.is_int(),
            _ => false,
        }
    };
    let uses = graph.value(value).uses();
    !uses.is_empty()
        && uses.iter().all(|u| match u {
            Use::Operand(reader, _) => ends(*reader),
            Use::BlockResult(..) | Use::Update(_) => false,
        })
}

/// True for the result of a clamp to [`SMALL`] integers.
fn is_clamped(graph: &Graph, value: ValueId) -> bool {
    let maker = graph.producer(value).map(|id| &graph.node(id).op);
    matches!(maker, Some(Op::Unary(op)) if is_small_clamp(op.f))
}

fn is_small_clamp(f: UnaryFn) -> bool {
    match f {
        UnaryFn::Clamp {
            min: Some(min),
            max: Some(max),
        } => is_small(min) && is_small(max),
        _ => false,
    }
}

fn is_small(bound: Scalar) -> bool {
    bound.as_f64().abs() <= SMALL as f64
}

/// The kernel keeps a NaN. PyTorch's sign of NaN is 0.
fn sign(
    cx: &mut Lower<'_, '_>,
    operand: ValueId,
    x: ValueIndex,
    out: ValueIndex,
) -> Result<(), Reason> {
    let ty = cx.graph.ty(operand).clone();
    let is_nan = cx.temporary(DType::Bool, &ty.shape)?;
    let signs = cx.temporary(ty.dtype, &ty.shape)?;
    let zero = cx.draft.double(0.0);
    cx.draft.call("aten::isnan.out", &[x], &[is_nan]);
    cx.draft.call("aten::sign.out", &[x], &[signs]);
    cx.may_overwrite(signs, x);
    cx.draft.call(
        "aten::masked_fill.Scalar_out",
        &[signs, is_nan, zero],
        &[out],
    );
    cx.may_overwrite(out, signs);
    Ok(())
}

fn no_kernel() -> Reason {
    Reason::new("the function has a kernel", "a function without one")
}

/// The kernel of a binary function: its name, and its suffixes for a tensor and for a scalar second operand.
struct BinaryRow {
    kernel: &'static str,
    tensor: &'static str,
    scalar: Option<&'static str>,
    dtypes: DTypes,
    /// A further argument behind the operands.
    extra: Extra,
}

#[derive(Clone, Copy)]
enum Extra {
    Nothing,
    /// The factor of the second operand.
    Alpha,
    /// The rounding mode of a quotient.
    Rounding(&'static str),
}

fn binary_row(f: BinaryFn) -> Option<BinaryRow> {
    let row = |kernel, tensor, scalar, dtypes| BinaryRow {
        kernel,
        tensor,
        scalar,
        dtypes,
        extra: Extra::Nothing,
    };
    let bits = DTypes::INTS.and(DTypes::BOOL);
    let with = |row: BinaryRow, extra| BinaryRow { extra, ..row };
    let numbers = DTypes::NUMBERS;
    Some(match f {
        BinaryFn::Add => with(
            row("aten::add", "out", Some("Scalar_out"), numbers),
            Extra::Alpha,
        ),
        BinaryFn::Sub => with(
            row("aten::sub", "out", Some("Scalar_out"), numbers),
            Extra::Alpha,
        ),
        BinaryFn::Mul => row("aten::mul", "out", Some("Scalar_out"), numbers),
        BinaryFn::Div => row("aten::div", "out", Some("Scalar_out"), DTypes::FLOATS),
        BinaryFn::FloorDiv => with(
            row("aten::div", "out_mode", Some("Scalar_mode_out"), numbers),
            Extra::Rounding("floor"),
        ),
        BinaryFn::TruncDiv => with(
            row("aten::div", "out_mode", Some("Scalar_mode_out"), numbers),
            Extra::Rounding("trunc"),
        ),
        BinaryFn::Remainder => row("aten::remainder", "Tensor_out", Some("Scalar_out"), numbers),
        BinaryFn::Fmod => row("aten::fmod", "Tensor_out", Some("Scalar_out"), numbers),
        // The kernel computes powers of integers in f64. Small constant exponents are multiplied out instead.
        BinaryFn::Pow => row(
            "aten::pow",
            "Tensor_Tensor_out",
            Some("Tensor_Scalar_out"),
            DTypes::FLOATS,
        ),
        BinaryFn::Max => row("aten::maximum", "out", None, DTypes::ALL),
        BinaryFn::Min => row("aten::minimum", "out", None, DTypes::ALL),
        BinaryFn::Atan2 => row("aten::atan2", "out", None, DTypes::FLOATS),
        BinaryFn::BitAnd => row("aten::bitwise_and", "Tensor_out", Some("Scalar_out"), bits),
        BinaryFn::BitOr => row("aten::bitwise_or", "Tensor_out", Some("Scalar_out"), bits),
        BinaryFn::BitXor => row("aten::bitwise_xor", "Tensor_out", Some("Scalar_out"), bits),
        BinaryFn::Shl => row(
            "aten::bitwise_left_shift",
            "Tensor_out",
            Some("Tensor_Scalar_out"),
            DTypes::INTS,
        ),
        BinaryFn::Shr => row(
            "aten::bitwise_right_shift",
            "Tensor_out",
            Some("Tensor_Scalar_out"),
            DTypes::INTS,
        ),
        BinaryFn::Prelu => return None,
    })
}

/// The greatest exponent of an integer that is multiplied out.
const MAX_INTEGER_POWER: i64 = 64;

/// The exponent, if the power of an integer is to be multiplied out.
fn integer_power(graph: &Graph, node: &Node, f: BinaryFn) -> Option<i64> {
    let splat = graph.as_splat(node.operands[1])?;
    let integers = f == BinaryFn::Pow && !graph.ty(node.operands[0]).dtype.is_float();
    let whole = equal(
        graph,
        &graph.ty(node.operands[0]).shape,
        &graph.ty(node.results[0]).shape,
    );
    (integers && whole)
        .then(|| splat.as_i64())
        .filter(|e| (1..=MAX_INTEGER_POWER).contains(e))
}

pub(super) fn check_binary(graph: &Graph, node: &Node, op: &Binary) -> Result<(), Reason> {
    let dtype = graph.ty(node.operands[0]).dtype;
    if integer_power(graph, node, op.f).is_some() {
        return Ok(());
    }
    let Some(row) = binary_row(op.f) else {
        return Err(Reason::new("the function has a kernel", op.f.text()));
    };
    row.dtypes.check(row.kernel, dtype)?;
    if matches!(op.f, BinaryFn::Shl | BinaryFn::Shr) {
        let width = dtype.size() as i64 * 8;
        if !is_within(graph, node.operands[1], width) {
            return Err(Reason::new(
                format!("kernel {} shifts by less than the width", row.kernel),
                "a shift that may be out of range",
            ));
        }
    }
    Ok(())
}

/// True if each element is known to be at least 0 and less than `end`.
fn is_within(graph: &Graph, value: ValueId, end: i64) -> bool {
    let range = Ranges::new(graph).of(value).integers();
    range.is_some_and(|range| range.low >= 0 && range.high < i128::from(end))
}

fn equal(graph: &Graph, a: &Shape, b: &Shape) -> bool {
    a.equal(b, &graph.symbols) == Some(true)
}

pub(super) fn binary(cx: &mut Lower<'_, '_>, id: NodeId, op: &Binary) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    if let Some(power) = integer_power(cx.graph, node, op.f) {
        return multiply_out(cx, id, power);
    }
    let row = binary_row(op.f).ok_or_else(no_kernel)?;
    let (a, b) = (node.operands[0], node.operands[1]);
    if division::lower(cx, id, op.f)? {
        return Ok(());
    }
    if let Some(suffix) = row.scalar
        && let Some(number) = scalar_beside(cx, a, b, id)
    {
        return call_binary(cx, id, &row, suffix, a, number);
    }
    if let Some(number) = scalar_beside(cx, b, a, id) {
        match op.f {
            f if f.commutes() && row.scalar.is_some() => {
                let suffix = row.scalar.unwrap_or_default();
                return call_binary(cx, id, &row, suffix, b, number);
            }
            BinaryFn::Sub => {
                let row = BinaryRow {
                    kernel: "aten::rsub",
                    ..row
                };
                return call_binary(cx, id, &row, "Scalar_out", b, number);
            }
            _ => {}
        }
    }
    let operands = broadcast_operands(cx, &[a, b], id)?;
    let mut args = operands.clone();
    args.extend(extra(cx, row.extra));
    call(
        cx,
        id,
        &format!("{}.{}", row.kernel, row.tensor),
        &args,
        &operands,
    )
}

/// The number that `number` is everywhere, if `tensor` alone gives the result its shape.
fn scalar_beside(
    cx: &Lower<'_, '_>,
    tensor: ValueId,
    number: ValueId,
    id: NodeId,
) -> Option<Scalar> {
    let graph = cx.graph;
    let result = graph.ty(graph.node(id).results[0]);
    let whole = equal(graph, &graph.ty(tensor).shape, &result.shape);
    let splat = graph.as_splat(crate::order::origin(graph, number))?;
    (whole && graph.as_splat(tensor).is_none()).then_some(splat)
}

fn call_binary(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    row: &BinaryRow,
    suffix: &str,
    tensor: ValueId,
    number: Scalar,
) -> Result<(), Reason> {
    let x = cx.tensor(tensor)?;
    let mut args = vec![x, cx.draft.scalar(number)];
    args.extend(extra(cx, row.extra));
    call(cx, id, &format!("{}.{suffix}", row.kernel), &args, &[x])
}

fn extra(cx: &mut Lower<'_, '_>, extra: Extra) -> Option<ValueIndex> {
    match extra {
        Extra::Nothing => None,
        Extra::Alpha => Some(cx.draft.int(1)),
        Extra::Rounding(mode) => Some(cx.draft.text(mode)),
    }
}

/// Calls a kernel whose result may overwrite any operand.
fn call(
    cx: &mut Lower<'_, '_>,
    id: NodeId,
    kernel: &str,
    args: &[ValueIndex],
    operands: &[ValueIndex],
) -> Result<(), Reason> {
    let out = cx.result(id, 0)?;
    cx.draft.call(kernel, args, &[out]);
    let same_width = {
        let dtype = |v| cx.draft.tensor_value(v).dtype;
        operands
            .iter()
            .all(|&o| dtype(o).size() == dtype(out).size())
    };
    if same_width {
        operands.iter().for_each(|&o| cx.may_overwrite(out, o));
    }
    Ok(())
}

/// Powers by multiplication, which wraps as integers do.
fn multiply_out(cx: &mut Lower<'_, '_>, id: NodeId, power: i64) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let ty = cx.graph.ty(node.operands[0]).clone();
    let x = cx.tensor(node.operands[0])?;
    let (mut square, mut product, mut left) = (x, None, power);
    while left > 0 {
        if left % 2 == 1 {
            product = Some(match product {
                None => square,
                Some(p) => multiply(cx, &ty, p, square)?,
            });
        }
        left /= 2;
        if left > 0 {
            square = multiply(cx, &ty, square, square)?;
        }
    }
    let out = cx.result(id, 0)?;
    let product = product.expect("a power is at least 1");
    cx.copy(product, out)?;
    cx.may_overwrite(out, product);
    Ok(())
}

fn multiply(
    cx: &mut Lower<'_, '_>,
    ty: &kiln_ir::TensorType,
    a: ValueIndex,
    b: ValueIndex,
) -> Result<ValueIndex, Reason> {
    let out = cx.temporary(ty.dtype, &ty.shape)?;
    cx.draft.call("aten::mul.out", &[a, b], &[out]);
    Ok(out)
}

/// The tensors of the operands. A repetition stays unwritten if another operand has the result's size along every axis
/// that it repeats.
pub(super) fn broadcast_operands(
    cx: &mut Lower<'_, '_>,
    operands: &[ValueId],
    id: NodeId,
) -> Result<Vec<ValueIndex>, Reason> {
    let graph = cx.graph;
    let result = &graph.ty(graph.node(id).results[0]).shape;
    let mut read = operands.to_vec();
    for i in 0..read.len() {
        let Some(Bound::Repeated(source)) = cx.peek(read[i]) else {
            continue;
        };
        let from = &graph.ty(source).shape;
        let given = |axis: usize| {
            from[axis] == result[axis]
                || (0..read.len()).any(|j| j != i && graph.ty(read[j]).shape[axis] == result[axis])
        };
        if (0..result.rank()).all(given) {
            read[i] = source;
        }
    }
    read.into_iter().map(|v| cx.tensor(v)).collect()
}

pub(super) fn compare(cx: &mut Lower<'_, '_>, id: NodeId, op: &Compare) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let (a, b) = (node.operands[0], node.operands[1]);
    let turned = match op.f {
        CompareFn::Eq => CompareFn::Eq,
        CompareFn::Ne => CompareFn::Ne,
        CompareFn::Lt => CompareFn::Gt,
        CompareFn::Le => CompareFn::Ge,
        CompareFn::Gt => CompareFn::Lt,
        CompareFn::Ge => CompareFn::Le,
    };
    for (tensor, number, f) in [(a, b, op.f), (b, a, turned)] {
        if let Some(scalar) = scalar_beside(cx, tensor, number, id) {
            let args = [cx.tensor(tensor)?, cx.draft.scalar(scalar)];
            return call(
                cx,
                id,
                &format!("aten::{}.Scalar_out", f.text()),
                &args,
                &args[..1],
            );
        }
    }
    let args = broadcast_operands(cx, &[a, b], id)?;
    call(
        cx,
        id,
        &format!("aten::{}.Tensor_out", op.f.text()),
        &args,
        &args,
    )
}

pub(super) fn select(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let operands = cx.graph.node(id).operands.clone();
    let args = broadcast_operands(cx, &operands, id)?;
    call(cx, id, "aten::where.self_out", &args, &args[1..])
}

/// Integers that lose their scale, or keep their type, share their source's memory.
pub(super) fn cast(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Reason> {
    let node = cx.graph.node(id);
    let to = node.result();
    let x = cx.tensor(node.operands[0])?;
    if crate::views::keeps_bytes(cx.graph, id) {
        cx.bind_tensor(to, x);
        return Ok(());
    }
    let out = cx.result(id, 0)?;
    cast_tensor(cx, x, out);
    Ok(())
}

/// Converts a tensor to the dtype of another one. Both are contiguous: `dim_order_ops::_to_dim_order_copy.out` finds each element by its
/// indices, which takes 4 to 100 times as long. From f32 to f64 a `cat` of one tensor takes an eighth of the time of the copy.
pub(super) fn cast_tensor(cx: &mut Lower<'_, '_>, from: ValueIndex, to: ValueIndex) {
    let [narrow, wide] = [from, to].map(|v| cx.draft.tensor_value(v));
    let widens = [narrow.dtype, wide.dtype] == [DType::F32, DType::F64].map(scalar_type);
    if widens && !narrow.sizes.is_empty() {
        let list = cx.draft.add(Value::TensorList(vec![from]));
        let axis = cx.draft.int(0);
        cx.draft.call("aten::cat.out", &[list, axis], &[to]);
        return;
    }
    let (blocking, format) = (cx.draft.bool(false), cx.draft.none());
    let args = [from, blocking, format];
    cx.draft.call("aten::_to_copy.out", &args, &[to]);
}

/// True if one call computes element `i` of the result from elements `i` of the operands, so that the result may
/// overwrite an operand.
pub(super) fn is_in_place(op: &Op) -> bool {
    match op {
        Op::Unary(op) => op.f != UnaryFn::Simple(Simple::Sign),
        Op::Binary(op) => !matches!(op.f, BinaryFn::Pow | BinaryFn::Remainder),
        _ => false,
    }
}
