//! Functions of two or three numbers.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::promotion::{computed_in, float_of};
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use crate::ops::{integer_layer, integer_product};
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| sum(cx, a, BinaryFn::Add),
        &[
            "aten.add.Tensor(self, other, *, alpha=1)",
            "aten.add.Scalar(self, other, alpha=1)",
        ],
    ),
    Row::new(
        |cx, a| sum(cx, a, BinaryFn::Sub),
        &[
            "aten.sub.Tensor(self, other, *, alpha=1)",
            "aten.sub.Scalar(self, other, alpha=1)",
            "aten.subtract.Tensor(self, other, *, alpha=1)",
            "aten.subtract.Scalar(self, other, alpha=1)",
        ],
    ),
    Row::new(
        rsub,
        &[
            "aten.rsub.Tensor(self, other, *, alpha=1)",
            "aten.rsub.Scalar(self, other, alpha=1)",
        ],
    ),
    Row::new(
        mul,
        &[
            "aten.mul.Tensor(self, other)",
            "aten.mul.Scalar(self, other)",
            "aten.multiply.Tensor(self, other)",
            "aten.multiply.Scalar(self, other)",
        ],
    ),
    Row::new(
        div,
        &[
            "aten.div.Tensor(self, other)",
            "aten.div.Scalar(self, other)",
            "aten.true_divide.Tensor(self, other)",
            "aten.true_divide.Scalar(self, other)",
            "aten.divide.Tensor(self, other)",
            "aten.divide.Scalar(self, other)",
        ],
    ),
    Row::new(
        div_mode,
        &[
            "aten.div.Tensor_mode(self, other, *, rounding_mode)",
            "aten.div.Scalar_mode(self, other, *, rounding_mode)",
            "aten.divide.Tensor_mode(self, other, *, rounding_mode)",
        ],
    ),
    Row::new(
        |cx, a| numbers(cx, a, BinaryFn::FloorDiv),
        &[
            "aten.floor_divide.default(self, other)",
            "aten.floor_divide.Scalar(self, other)",
        ],
    ),
    Row::new(
        |cx, a| numbers(cx, a, BinaryFn::Remainder),
        &[
            "aten.remainder.Tensor(self, other)",
            "aten.remainder.Scalar(self, other)",
            "aten.remainder.Scalar_Tensor(self, other)",
        ],
    ),
    Row::new(
        |cx, a| numbers(cx, a, BinaryFn::Fmod),
        &[
            "aten.fmod.Tensor(self, other)",
            "aten.fmod.Scalar(self, other)",
        ],
    ),
    Row::new(
        pow,
        &[
            "aten.pow.Tensor_Tensor(self, exponent)",
            "aten.pow.Tensor_Scalar(self, exponent)",
            "aten.pow.Scalar(self, exponent)",
        ],
    ),
    Row::new(
        |cx, a| numbers(cx, a, BinaryFn::Max),
        &[
            "aten.maximum.default(self, other)",
            "aten.max.other(self, other)",
        ],
    ),
    Row::new(
        |cx, a| numbers(cx, a, BinaryFn::Min),
        &[
            "aten.minimum.default(self, other)",
            "aten.min.other(self, other)",
        ],
    ),
    Row::new(
        |cx, a| ignoring_nan(cx, a, BinaryFn::Max),
        &["aten.fmax.default(self, other)"],
    ),
    Row::new(
        |cx, a| ignoring_nan(cx, a, BinaryFn::Min),
        &["aten.fmin.default(self, other)"],
    ),
    Row::new(
        |cx, a| floats(cx, a, BinaryFn::Atan2),
        &[
            "aten.atan2.default(self, other)",
            "aten.arctan2.default(self, other)",
        ],
    ),
    Row::new(hypot, &["aten.hypot.default(self, other)"]),
    Row::new(
        addcmul,
        &["aten.addcmul.default(self, tensor1, tensor2, *, value=1)"],
    ),
    Row::new(
        addcdiv,
        &["aten.addcdiv.default(self, tensor1, tensor2, *, value=1)"],
    ),
    Row::new(
        lerp,
        &[
            "aten.lerp.Scalar(self, end, weight)",
            "aten.lerp.Tensor(self, end, weight)",
        ],
    ),
];

/// `self` and `other`, cast to their common dtype.
fn pair(cx: &Importer<'_>, a: &Args<'_>) -> Result<(Operand, Operand, DType), Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let dtype = cx.result_type(&[&x, &y]);
    Ok((x, y, dtype))
}

fn binary(
    cx: &mut Importer<'_>,
    f: BinaryFn,
    operands: [&Operand; 2],
    dtype: DType,
) -> Result<ValueId, Problem> {
    let [x, y] = cx.meet(operands, dtype)?;
    cx.binary(f, x, y)
}

fn numbers(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    one(binary(cx, f, [&x, &y], dtype)?)
}

fn floats(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    one(binary(cx, f, [&x, &y], float_of(dtype))?)
}

fn sum(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    one(scaled_sum(cx, f, [&x, &y], a.scalar("alpha")?, dtype)?)
}

fn rsub(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    one(scaled_sum(
        cx,
        BinaryFn::Sub,
        [&y, &x],
        a.scalar("alpha")?,
        dtype,
    )?)
}

/// `x + alpha * y` or `x - alpha * y`. For bools the sum is `or`.
fn scaled_sum(
    cx: &mut Importer<'_>,
    f: BinaryFn,
    operands: [&Operand; 2],
    alpha: Scalar,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let [x, y] = cx.meet(operands, dtype)?;
    if alpha.as_f64() != 1.0 && dtype.is_half() {
        return scaled_sum_of_halves(cx, f, [x, y], alpha);
    }
    let y = cx.scale(y, alpha)?;
    match (f, dtype) {
        (BinaryFn::Sub, DType::Bool) => {
            Err(Problem::unsupported("subtracts bools; use logical_xor"))
        }
        (BinaryFn::Sub, _) => match integer_product::difference(cx, x, y)? {
            Some(product) => Ok(product),
            None => cx.sub(x, y),
        },
        _ => match integer_layer::with_bias(cx, x, y)? {
            Some(layer) => Ok(layer),
            None => cx.add(x, y),
        },
    }
}

/// PyTorch's kernel rounds alpha to the dtype, computes in f32 and rounds once.
fn scaled_sum_of_halves(
    cx: &mut Importer<'_>,
    f: BinaryFn,
    [x, y]: [ValueId; 2],
    alpha: Scalar,
) -> Result<ValueId, Problem> {
    let dtype = cx.dtype(x);
    let alpha = cx.scalar_like(alpha, y);
    let [x, y, alpha] = [
        cx.cast(x, DType::F32)?,
        cx.cast(y, DType::F32)?,
        cx.cast(alpha, DType::F32)?,
    ];
    let scaled = cx.mul(y, alpha)?;
    let sum = cx.binary(f, x, scaled)?;
    cx.cast(sum, dtype)
}

fn mul(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    let [x, y] = cx.meet([&x, &y], dtype)?;
    match integer_product::scaled(cx, x, y)? {
        Some(scaled) => one(scaled),
        None => one(cx.mul(x, y)?),
    }
}

fn div(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    floats(cx, a, BinaryFn::Div)
}

fn div_mode(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    match a.optional_text("rounding_mode")? {
        None => div(cx, a),
        Some("floor") => numbers(cx, a, BinaryFn::FloorDiv),
        Some("trunc") => numbers(cx, a, BinaryFn::TruncDiv),
        Some(other) => Err(Problem::unsupported(format!("rounding_mode={other:?}"))),
    }
}

/// A power by a known exponent that PyTorch's kernel computes with another function is imported as that function.
fn pow(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("exponent")?);
    let dtype = cx.result_type(&[&x, &y]);
    if let (Operand::Tensor(v), Operand::Known(exponent)) = (&x, &y) {
        if !dtype.is_float() && exponent.as_i64() < 0 {
            return Err(Problem::unsupported(
                "an integer tensor to a negative power",
            ));
        }
        let base = cx.cast(*v, dtype)?;
        if let Some(value) = known_power(cx, base, exponent.as_f64())? {
            return one(value);
        }
    }
    one(binary(cx, BinaryFn::Pow, [&x, &y], dtype)?)
}

/// A power whose exponent is a number, with the special cases of PyTorch's CPU kernels. Exponents 1/2 and -1/2 are
/// roots: minus infinity gives NaN, and negative zero gives itself or minus infinity. For f16 the kernels have no
/// special case.
pub(super) fn known_power(
    cx: &mut Importer<'_>,
    x: ValueId,
    exponent: f64,
) -> Result<Option<ValueId>, Problem> {
    if cx.dtype(x) == DType::Bool {
        return Ok(None);
    }
    let float = cx.dtype(x).is_float();
    let roots = float && cx.dtype(x) != DType::F16;
    Ok(Some(match exponent {
        1.0 => x,
        2.0 => cx.unary(Simple::Square, x)?,
        3.0 => {
            let dtype = cx.dtype(x);
            let x = cx.cast(x, computed_in(dtype))?;
            let square = cx.unary(Simple::Square, x)?;
            let cube = cx.mul(square, x)?;
            cx.cast(cube, dtype)?
        }
        0.5 if roots => cx.unary(Simple::Sqrt, x)?,
        -0.5 if roots => cx.unary(Simple::Rsqrt, x)?,
        -1.0 if float => cx.unary(Simple::Reciprocal, x)?,
        _ => return Ok(None),
    }))
}

fn ignoring_nan(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    let [x, y] = cx.meet([&x, &y], dtype)?;
    let folded = cx.binary(f, x, y)?;
    if !dtype.is_float() {
        return one(folded);
    }
    let x_is_nan = cx.unary(Simple::IsNan, x)?;
    let y_is_nan = cx.unary(Simple::IsNan, y)?;
    let folded = cx.select(y_is_nan, x, folded)?;
    one(cx.select(x_is_nan, y, folded)?)
}

/// `hypot`: the greater side times the root of the sum of the squared ratios, so that no square overflows.
fn hypot(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y, dtype) = pair(cx, a)?;
    let [x, y] = cx.meet([&x, &y], dtype)?;
    let (x, y) = (cx.unary(Simple::Abs, x)?, cx.unary(Simple::Abs, y)?);
    let greater = cx.binary(BinaryFn::Max, x, y)?;
    let zero = cx.scalar_like(Scalar::Int(0), greater);
    let unit = cx.scalar_like(Scalar::Int(1), greater);
    let none = cx.compare(CompareFn::Eq, greater, zero)?;
    let divisor = cx.select(none, unit, greater)?;
    let squared = |cx: &mut Importer<'_>, side| {
        let part = cx.binary(BinaryFn::Div, side, divisor)?;
        cx.unary(Simple::Square, part)
    };
    let (x_part, y_part) = (squared(cx, x)?, squared(cx, y)?);
    let sum = cx.add(x_part, y_part)?;
    let root = cx.unary(Simple::Sqrt, sum)?;
    let root = cx.mul(root, greater)?;
    // An infinite side wins over a NaN.
    let infinite = cx.scalar_like(Scalar::Float(f64::INFINITY), greater);
    let x_is_infinite = cx.compare(CompareFn::Eq, x, infinite)?;
    let y_is_infinite = cx.compare(CompareFn::Eq, y, infinite)?;
    let either = cx.binary(BinaryFn::BitOr, x_is_infinite, y_is_infinite)?;
    one(cx.select(either, infinite, root)?)
}

/// `self` plus `value` times the product or quotient of the two other operands, in one dtype.
fn accumulate(cx: &mut Importer<'_>, a: &Args<'_>, f: BinaryFn) -> Result<Returns, Problem> {
    let (x, s, t) = (
        a.operand("self")?,
        a.operand("tensor1")?,
        a.operand("tensor2")?,
    );
    let dtype = cx.result_type(&[&x, &s, &t]);
    let [x, s, t] = cx.meet([&x, &s, &t], computed_in(dtype))?;
    let scaled = cx.scale(s, a.scalar("value")?)?;
    let term = cx.binary(f, scaled, t)?;
    let sum = cx.add(x, term)?;
    one(cx.cast(sum, dtype)?)
}

fn addcmul(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    accumulate(cx, a, BinaryFn::Mul)
}

fn addcdiv(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    accumulate(cx, a, BinaryFn::Div)
}

/// `self + weight * (end - self)`.
fn lerp(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, end, weight) = (a.operand("self")?, a.operand("end")?, a.operand("weight")?);
    let dtype = cx.result_type(&[&x, &end]);
    let [x, end, weight] = cx.meet([&x, &end, &weight], computed_in(dtype))?;
    let way = cx.sub(end, x)?;
    let step = cx.mul(weight, way)?;
    let sum = cx.add(x, step)?;
    one(cx.cast(sum, dtype)?)
}
