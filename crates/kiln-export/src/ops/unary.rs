//! Functions of single elements.

use super::{Tensors, single};
use crate::call::{Call, text};
use crate::constants::literal;
use crate::error::Unwritten;
use crate::writer::{Operand, Writer};
use kiln_ir::ops::{Simple, Unary, UnaryFn};
use kiln_ir::{DType, Scalar, TensorType};
use kiln_pt2::Argument;

pub(super) fn unary(w: &mut Writer<'_>, op: &Unary, x: &[Operand], y: &[TensorType]) -> Tensors {
    let (tensor, ty) = single(w, x, y)?;
    let call = |target: &str| Call::new(target).arg("self", tensor.as_str());
    let call = match &op.f {
        UnaryFn::Simple(Simple::GeluTanh) => {
            call("aten.gelu.default").keyword("approximate", text("tanh"))
        }
        UnaryFn::Simple(f) => call(&format!("aten.{}.default", word(*f))),
        UnaryFn::Clamp { min, max } => {
            let dtype = x.first().map_or(ty.dtype, |x| x.ty.dtype);
            clamp(&tensor, [*min, *max], dtype)?
        }
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } => call("aten.elu.default")
            .arg("alpha", *alpha)
            .arg("scale", *scale)
            .arg("input_scale", *input_scale),
        UnaryFn::LeakyRelu { slope } => {
            call("aten.leaky_relu.default").arg("negative_slope", *slope)
        }
        UnaryFn::Softplus { beta, threshold } => call("aten.softplus.default")
            .arg("beta", *beta)
            .arg("threshold", *threshold),
    };
    Ok(vec![w.emit(call, ty)])
}

fn clamp(tensor: &str, bounds: [Option<Scalar>; 2], dtype: DType) -> Result<Call, Unwritten> {
    if (UnaryFn::Clamp {
        min: bounds[0],
        max: bounds[1],
    }) == UnaryFn::RELU
    {
        return Ok(Call::new("aten.relu.default").arg("self", tensor));
    }
    if let ([Some(min @ Scalar::Float(_)), Some(max @ Scalar::Float(_))], true) =
        (bounds, dtype.is_float())
    {
        return Ok(Call::new("aten.hardtanh.default")
            .arg("self", tensor)
            .arg("min_val", literal(min))
            .arg("max_val", literal(max)));
    }
    let mut call = Call::new("aten.clamp.default").arg("self", tensor);
    for (name, bound) in ["min", "max"].into_iter().zip(bounds) {
        let bound = match bound {
            None => Argument::None,
            // A bound of floats would make the integers floats.
            Some(Scalar::Float(number)) if !dtype.is_float() => {
                if number.fract() != 0.0 {
                    return Err(Unwritten::new(format!("integers are clamped at {number}")));
                }
                Argument::Int(number as i64)
            }
            Some(number) => literal(number),
        };
        call = call.arg(name, bound);
    }
    Ok(call)
}

/// ATen's word for a function.
fn word(f: Simple) -> &'static str {
    match f {
        Simple::LogSigmoid => "log_sigmoid",
        Simple::Gelu | Simple::GeluTanh => "gelu",
        Simple::BitNot => "bitwise_not",
        Simple::IsNan => "isnan",
        Simple::IsInf => "isinf",
        Simple::Neg
        | Simple::Abs
        | Simple::Sign
        | Simple::Floor
        | Simple::Ceil
        | Simple::Round
        | Simple::Trunc
        | Simple::Exp
        | Simple::Exp2
        | Simple::Expm1
        | Simple::Log
        | Simple::Log2
        | Simple::Log10
        | Simple::Log1p
        | Simple::Sqrt
        | Simple::Rsqrt
        | Simple::Reciprocal
        | Simple::Square
        | Simple::Sin
        | Simple::Cos
        | Simple::Tan
        | Simple::Asin
        | Simple::Acos
        | Simple::Atan
        | Simple::Sinh
        | Simple::Cosh
        | Simple::Tanh
        | Simple::Asinh
        | Simple::Acosh
        | Simple::Atanh
        | Simple::Erf
        | Simple::Erfinv
        | Simple::Sigmoid
        | Simple::Silu
        | Simple::Mish
        | Simple::Hardswish
        | Simple::Hardsigmoid => f.text(),
    }
}
