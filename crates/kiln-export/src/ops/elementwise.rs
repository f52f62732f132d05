//! Functions of pairs of elements, comparisons, choices and conversions.

use super::{Tensors, operand, result, single};
use crate::call::{Call, text};
use crate::constants::literal;
use crate::tensors::scalar_type;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Binary, BinaryFn, Cast, Compare, CompareFn};
use kiln_ir::{Scalar, TensorType};

/// Exponents that the importer takes for other functions.
const PLAIN_EXPONENTS: [f64; 8] = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0];

/// How ATen calls a function of pairs.
struct Form {
    target: &'static str,
    /// The names of the operands.
    operands: [&'static str; 2],
    /// True if the second operand may be a number.
    takes_number: bool,
}

fn form(f: BinaryFn) -> Form {
    let (target, second, takes_number) = match f {
        BinaryFn::Add => ("aten.add.Tensor", "other", true),
        BinaryFn::Sub => ("aten.sub.Tensor", "other", true),
        BinaryFn::Mul => ("aten.mul.Tensor", "other", true),
        BinaryFn::Div => ("aten.div.Tensor", "other", true),
        BinaryFn::FloorDiv | BinaryFn::TruncDiv => ("aten.div.Tensor_mode", "other", false),
        BinaryFn::Remainder => ("aten.remainder.Tensor", "other", false),
        BinaryFn::Fmod => ("aten.fmod.Tensor", "other", false),
        BinaryFn::Pow => ("aten.pow.Tensor_Tensor", "exponent", false),
        BinaryFn::Max => ("aten.maximum.default", "other", false),
        BinaryFn::Min => ("aten.minimum.default", "other", false),
        BinaryFn::Atan2 => ("aten.atan2.default", "other", false),
        BinaryFn::BitAnd => ("aten.bitwise_and.Tensor", "other", false),
        BinaryFn::BitOr => ("aten.bitwise_or.Tensor", "other", false),
        BinaryFn::BitXor => ("aten.bitwise_xor.Tensor", "other", false),
        BinaryFn::Shl => ("aten.bitwise_left_shift.Tensor", "other", false),
        BinaryFn::Shr => ("aten.bitwise_right_shift.Tensor", "other", false),
        BinaryFn::Prelu => ("aten._prelu_kernel.default", "weight", false),
    };
    Form {
        target,
        operands: ["self", second],
        takes_number,
    }
}

pub(super) fn binary(w: &mut Writer<'_>, op: &Binary, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (mut left, mut right, ty) = (operand(x, 0)?, operand(x, 1)?, result(y)?);
    let is_number = |w: &Writer<'_>, x: &Operand| w.number(x).is_some();
    if is_number(w, left) && !is_number(w, right) {
        match op.f {
            BinaryFn::Add | BinaryFn::Mul => (left, right) = (right, left),
            BinaryFn::Sub => return reversed(w, left, right, ty),
            _ => {}
        }
    }
    let Form {
        target,
        operands: [first, second],
        takes_number,
    } = form(op.f);
    let exponent = w.number(right).filter(|_| op.f == BinaryFn::Pow);
    if let Some(exponent) = exponent.filter(|e| !PLAIN_EXPONENTS.contains(&e.as_f64())) {
        let call = Call::new("aten.pow.Tensor_Scalar").arg(first, w.tensor(left)?);
        return Ok(vec![w.emit(call.arg(second, literal(exponent)), ty)]);
    }
    let mut call = Call::new(target).arg(first, w.tensor(left)?);
    call = match w
        .number(right)
        .filter(|_| takes_number && left.ty.shape == ty.shape)
    {
        Some(number) => call.arg(second, literal(number)),
        None => call.arg(second, w.tensor(right)?),
    };
    call = match op.f {
        BinaryFn::FloorDiv => call.keyword("rounding_mode", text("floor")),
        BinaryFn::TruncDiv => call.keyword("rounding_mode", text("trunc")),
        _ => call,
    };
    Ok(vec![w.emit(call, ty)])
}

/// A number minus a tensor.
fn reversed(w: &mut Writer<'_>, left: &Operand, right: &Operand, ty: &TensorType) -> Tensors {
    let number = w.number(left).unwrap_or(Scalar::Int(0));
    let call = Call::new("aten.rsub.Scalar").arg("self", w.tensor(right)?);
    Ok(vec![w.emit(call.arg("other", literal(number)), ty)])
}

pub(super) fn compare(
    w: &mut Writer<'_>,
    op: &Compare,
    x: &[Operand],
    y: &[TensorType],
) -> Tensors {
    let (left, right, ty) = (operand(x, 0)?, operand(x, 1)?, result(y)?);
    let word = match op.f {
        CompareFn::Eq => "eq",
        CompareFn::Ne => "ne",
        CompareFn::Lt => "lt",
        CompareFn::Le => "le",
        CompareFn::Gt => "gt",
        CompareFn::Ge => "ge",
    };
    let first = w.tensor(left)?;
    let number = w.number(right).filter(|_| left.ty.shape == ty.shape);
    let call = match number {
        Some(number) => Call::new(format!("aten.{word}.Scalar"))
            .arg("self", first)
            .arg("other", literal(number)),
        None => {
            let second = w.tensor(right)?;
            Call::new(format!("aten.{word}.Tensor"))
                .arg("self", first)
                .arg("other", second)
        }
    };
    Ok(vec![w.emit(call, ty)])
}

pub(super) fn select(w: &mut Writer<'_>, x: &[Operand], y: &[TensorType]) -> Tensors {
    let call = Call::new("aten.where.self")
        .arg("condition", w.tensor(operand(x, 0)?)?)
        .arg("self", w.tensor(operand(x, 1)?)?)
        .arg("other", w.tensor(operand(x, 2)?)?);
    Ok(vec![w.emit(call, result(y)?)])
}

pub(super) fn cast(w: &mut Writer<'_>, op: &Cast, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    Ok(vec![converted(w, &tensor, &ty.with_dtype(op.to))])
}

/// The tensor in the dtype of the type.
pub(super) fn converted(w: &mut Writer<'_>, tensor: &str, ty: &TensorType) -> String {
    let call = Call::new("aten._to_copy.default").arg("self", tensor);
    w.emit(call.keyword("dtype", scalar_type(ty.dtype)), ty)
}
