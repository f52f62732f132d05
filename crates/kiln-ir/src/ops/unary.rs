//! Functions of each element of one operand.

use super::attribute::{Attribute, name_attribute};
use super::*;
use crate::dtype::{DType, Scalar};

/// A unary function.
///
/// Float functions keep the dtype, and round as PyTorch's CPU kernels do: half types compute in f32 and round once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum UnaryFn {
    /// A function without parameters.
    Simple(Simple),
    /// `x` clamped to `min..=max`; NaN stays NaN. Bounds are converted to the dtype of `x`. For a quantised `x` they
    /// are reals.
    Clamp {
        /// The lower bound.
        min: Option<Scalar>,
        /// The upper bound.
        max: Option<Scalar>,
    },
    /// `scale * x` for positive `x`, else `scale * alpha * (exp(input_scale * x) - 1)`.
    Elu {
        /// The negative of the limit for `x` toward minus infinity, before `scale`.
        alpha: f64,
        /// The factor of the result.
        scale: f64,
        /// The factor of the exponent.
        input_scale: f64,
    },
    /// `x` if it is not negative, else `slope * x`.
    LeakyRelu {
        /// The factor for negative `x`.
        slope: f64,
    },
    /// `log(1 + exp(beta * x)) / beta`, or `x` if `beta * x > threshold`.
    Softplus {
        /// The sharpness of the bend.
        beta: f64,
        /// The function is the identity above this.
        threshold: f64,
    },
}

name_attribute! {
    /// The unary functions without parameters.
    Simple {
        /// `-x`; integers wrap.
        Neg "neg",
        /// `|x|`; the least integer stays as it is.
        Abs "abs",
        /// -1, 0 or 1. NaN gives 0, as in PyTorch.
        Sign "sign",
        /// Rounded toward minus infinity.
        Floor "floor",
        /// Rounded toward plus infinity.
        Ceil "ceil",
        /// Rounded to the nearest whole number, ties to even.
        Round "round",
        /// Rounded toward zero.
        Trunc "trunc",
        /// `e^x`.
        Exp "exp",
        /// `2^x`.
        Exp2 "exp2",
        /// `e^x - 1`.
        Expm1 "expm1",
        /// Natural logarithm.
        Log "log",
        /// Logarithm to base 2.
        Log2 "log2",
        /// Logarithm to base 10.
        Log10 "log10",
        /// `log(1 + x)`.
        Log1p "log1p",
        /// Square root.
        Sqrt "sqrt",
        /// `1 / sqrt(x)`.
        Rsqrt "rsqrt",
        /// `1 / x`.
        Reciprocal "reciprocal",
        /// `x * x`.
        Square "square",
        /// Sine.
        Sin "sin",
        /// Cosine.
        Cos "cos",
        /// Tangent.
        Tan "tan",
        /// Inverse sine.
        Asin "asin",
        /// Inverse cosine.
        Acos "acos",
        /// Inverse tangent.
        Atan "atan",
        /// Hyperbolic sine.
        Sinh "sinh",
        /// Hyperbolic cosine.
        Cosh "cosh",
        /// Hyperbolic tangent.
        Tanh "tanh",
        /// Inverse hyperbolic sine.
        Asinh "asinh",
        /// Inverse hyperbolic cosine.
        Acosh "acosh",
        /// Inverse hyperbolic tangent.
        Atanh "atanh",
        /// Error function.
        Erf "erf",
        /// Inverse error function.
        Erfinv "erfinv",
        /// `1 / (1 + exp(-x))`.
        Sigmoid "sigmoid",
        /// `log(sigmoid(x))`.
        LogSigmoid "log_sigmoid",
        /// `x * (1 + erf(x / sqrt 2)) / 2`.
        Gelu "gelu",
        /// `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2`.
        GeluTanh "gelu_tanh",
        /// `x * sigmoid(x)`.
        Silu "silu",
        /// `x * tanh(softplus(x))`.
        Mish "mish",
        /// `x * min(max(x + 3, 0), 6) / 6`.
        Hardswish "hardswish",
        /// `min(max(x + 3, 0), 6) / 6`.
        Hardsigmoid "hardsigmoid",
        /// The bitwise complement; for a bool, `not`.
        BitNot "bit_not",
        /// True where `x` is NaN.
        IsNan "is_nan",
        /// True where `x` is an infinity.
        IsInf "is_inf",
    }
}

impl Simple {
    fn rounding(self) -> Rounding {
        match self {
            Simple::Neg
            | Simple::Abs
            | Simple::Sign
            | Simple::Floor
            | Simple::Ceil
            | Simple::Round
            | Simple::Trunc
            | Simple::BitNot
            | Simple::IsNan
            | Simple::IsInf => Rounding::Exact,
            Simple::Sqrt => Rounding::Once,
            _ => Rounding::Function,
        }
    }
}

impl UnaryFn {
    fn rounding(self) -> Rounding {
        match self {
            UnaryFn::Simple(f) => f.rounding(),
            UnaryFn::Clamp { .. } => Rounding::Extreme,
            UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } | UnaryFn::Softplus { .. } => {
                Rounding::Function
            }
        }
    }

    fn parts(self) -> Parts {
        match self {
            // Computed from sine and cosine, the tangent is wrong near its poles.
            UnaryFn::Simple(Simple::Tan) => Parts::Dear,
            _ => Parts::Cheap,
        }
    }
}

impl Attribute for UnaryFn {
    fn print(&self, out: &mut String, names: &attribute::Names<'_>) {
        let (name, parameters): (&str, &[Option<Scalar>]) = match self {
            UnaryFn::Simple(f) => return f.print(out, names),
            UnaryFn::Clamp { min, max } => ("clamp", &[*min, *max]),
            UnaryFn::Elu {
                alpha,
                scale,
                input_scale,
            } => (
                "elu",
                &[*alpha, *scale, *input_scale].map(|p| Some(Scalar::Float(p))),
            ),
            UnaryFn::LeakyRelu { slope } => ("leaky_relu", &[Some(Scalar::Float(*slope))]),
            UnaryFn::Softplus { beta, threshold } => (
                "softplus",
                &[*beta, *threshold].map(|p| Some(Scalar::Float(p))),
            ),
        };
        out.push_str(name);
        parameters.to_vec().print(out, names);
    }

    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.skip_blank();
        let start = cursor.offset();
        let name = cursor.word()?;
        if !cursor.peek("[") {
            cursor.seek(start);
            return Simple::parse(cursor).map(UnaryFn::Simple);
        }
        let parameters = Vec::<Option<Scalar>>::parse(cursor)?;
        let float = |i: usize| parameters.get(i).copied().flatten().map(Scalar::as_f64);
        let found = match (name, parameters.as_slice()) {
            ("clamp", &[min, max]) => Some(UnaryFn::Clamp { min, max }),
            ("elu", [_, _, _]) => {
                float(0)
                    .zip(float(1))
                    .zip(float(2))
                    .map(|((alpha, scale), input_scale)| UnaryFn::Elu {
                        alpha,
                        scale,
                        input_scale,
                    })
            }
            ("leaky_relu", [_]) => float(0).map(|slope| UnaryFn::LeakyRelu { slope }),
            ("softplus", [_, _]) => float(0)
                .zip(float(1))
                .map(|(beta, threshold)| UnaryFn::Softplus { beta, threshold }),
            _ => None,
        };
        found.ok_or_else(|| cursor.error(format!("no function {name} with such parameters")))
    }

    crate::ops::attribute::no_dims!();
}

impl From<Simple> for UnaryFn {
    fn from(f: Simple) -> UnaryFn {
        UnaryFn::Simple(f)
    }
}

impl UnaryFn {
    /// `max(x, 0)`.
    pub const RELU: UnaryFn = UnaryFn::Clamp {
        min: Some(Scalar::Int(0)),
        max: None,
    };

    fn takes(self, dtype: DType) -> bool {
        match self {
            UnaryFn::Simple(f) => match f {
                Simple::Neg | Simple::Abs | Simple::Sign | Simple::Square => dtype != DType::Bool,
                Simple::BitNot => !dtype.is_float(),
                Simple::IsNan | Simple::IsInf => dtype.is_float(),
                _ => dtype.is_float(),
            },
            UnaryFn::Clamp { .. } => dtype != DType::Bool,
            UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } | UnaryFn::Softplus { .. } => {
                dtype.is_float()
            }
        }
    }
}

family! {
    /// A function of each element.
    Unary {
        /// The function.
        f: UnaryFn,
    }
}

impl Family for Unary {
    const NAME: &'static str = "unary";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::Elementwise,
            folds: true,
            work: Growth::PerElement,
            parts: self.f.parts(),
            rounding: self.f.rounding(),
            inner_rounding: InnerRounding::Exact,
            quantised: match self.f {
                UnaryFn::Simple(Simple::BitNot) => Meaning::Refused,
                _ => Meaning::Computed,
            },
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: true,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let x = operands[0];
        if !self.f.takes(x.dtype) {
            misfit!("{:?} does not take {}", self.f, x.dtype);
        }
        match self.f {
            UnaryFn::Simple(Simple::IsNan | Simple::IsInf) => one(x.with_dtype(DType::Bool)),
            _ => one(x.clone()),
        }
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}
