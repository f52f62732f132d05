//! Elementwise families: each element of the result depends on the operands' elements at the same position.
//!
//! Operands have equal rank. Where sizes differ, one of them is 1, and that operand is broadcast. So axis `i` of an
//! operand corresponds to axis `i` of the result.

use super::attribute::{Attribute, name_attribute};
use super::*;
use crate::dim::{Dim, Symbols};
use crate::dtype::{DType, Scalar};
use crate::types::Shape;

/// The size of the result for operands of sizes `a` and `b`; `None` if they are incompatible.
pub fn broadcast_dim(a: &Dim, b: &Dim, symbols: &Symbols) -> Option<Dim> {
    if a == b || b.is(1) {
        return Some(a.clone());
    }
    if a.is(1) {
        return Some(b.clone());
    }
    match symbols.equal(a, b) {
        Some(false)
            if symbols.equal(a, &1.into()) == Some(false)
                && symbols.equal(b, &1.into()) == Some(false) =>
        {
            None
        }
        _ => Some(if a.as_const().is_some() {
            a.clone()
        } else {
            b.clone()
        }),
    }
}

fn broadcast(cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Shape, Misfit> {
    let (first, rest) = operands
        .split_first()
        .expect("an elementwise family has operands");
    let mut shape = first.shape.clone();
    for other in rest {
        if other.rank() != shape.rank() {
            misfit!("operands have ranks {} and {}", shape.rank(), other.rank());
        }
        for (axis, dim) in shape.iter_mut().enumerate() {
            match broadcast_dim(dim, &other.shape[axis], &cx.graph.symbols) {
                Some(size) => *dim = size,
                None => misfit!(
                    "sizes {dim} and {} of axis {axis} are neither equal nor 1",
                    other.shape[axis]
                ),
            }
        }
    }
    Ok(shape)
}

fn same_dtype(operands: &[&TensorType]) -> Result<DType, Misfit> {
    let dtype = operands[0].dtype;
    match operands.iter().find(|t| t.dtype != dtype) {
        None => Ok(dtype),
        Some(other) => misfit!("operands have dtypes {dtype} and {}", other.dtype),
    }
}

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

name_attribute! {
    /// Functions of two numbers of one dtype.
    BinaryFn {
        /// `a + b`; integers wrap.
        Add "add",
        /// `a - b`; integers wrap.
        Sub "sub",
        /// `a * b`; integers wrap.
        Mul "mul",
        /// `a / b`, floats only.
        Div "div",
        /// `a / b` rounded toward minus infinity. An integer division by zero is an error.
        FloorDiv "floor_div",
        /// `a / b` rounded toward zero. An integer division by zero is an error.
        TruncDiv "trunc_div",
        /// `a - b * floor(a / b)`: has the sign of `b`, as Python's `%`.
        Remainder "remainder",
        /// `a - b * trunc(a / b)`: has the sign of `a`, as C's `fmod`.
        Fmod "fmod",
        /// `a` to the power `b`. Negative powers of integers are as in PyTorch (0, 1 or -1).
        Pow "pow",
        /// The greater number; NaN if either is NaN.
        Max "max",
        /// The lesser number; NaN if either is NaN.
        Min "min",
        /// The angle of the point `(b, a)`.
        Atan2 "atan2",
        /// Bitwise and; for bools, `and`.
        BitAnd "bit_and",
        /// Bitwise or; for bools, `or`.
        BitOr "bit_or",
        /// Bitwise exclusive or; for bools, `!=`.
        BitXor "bit_xor",
        /// `a` shifted left by `b` bits; 0 if `b` is negative or at least the number of bits.
        Shl "shl",
        /// `a` shifted right by `b` bits, filled with its sign; only the sign if `b` is out of range.
        Shr "shr",
        /// `a` if it is positive, else `a * b`.
        Prelu "prelu",
    }
}

impl BinaryFn {
    fn takes(self, dtype: DType) -> bool {
        match self {
            BinaryFn::Div | BinaryFn::Atan2 | BinaryFn::Prelu => dtype.is_float(),
            BinaryFn::BitAnd | BinaryFn::BitOr | BinaryFn::BitXor => !dtype.is_float(),
            BinaryFn::Shl | BinaryFn::Shr => dtype.is_int(),
            BinaryFn::Max | BinaryFn::Min => true,
            _ => dtype != DType::Bool,
        }
    }

    fn rounding(self) -> Rounding {
        match self {
            BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul | BinaryFn::Div => Rounding::Once,
            BinaryFn::Max | BinaryFn::Min => Rounding::Extreme,
            BinaryFn::BitAnd
            | BinaryFn::BitOr
            | BinaryFn::BitXor
            | BinaryFn::Shl
            | BinaryFn::Shr => Rounding::Exact,
            BinaryFn::FloorDiv
            | BinaryFn::TruncDiv
            | BinaryFn::Remainder
            | BinaryFn::Fmod
            | BinaryFn::Pow
            | BinaryFn::Atan2
            | BinaryFn::Prelu => Rounding::Function,
        }
    }

    /// True for functions that need the whole part of a quotient. A rounded quotient may be a whole number although the
    /// exact one lies below it.
    fn has_whole_quotient(self) -> bool {
        matches!(
            self,
            BinaryFn::FloorDiv | BinaryFn::TruncDiv | BinaryFn::Remainder | BinaryFn::Fmod
        )
    }

    fn parts(self) -> Parts {
        match self.has_whole_quotient() {
            true => Parts::Dear,
            false => Parts::Cheap,
        }
    }

    fn is_steep(self) -> bool {
        self.has_whole_quotient() || matches!(self, BinaryFn::Div | BinaryFn::Pow | BinaryFn::Atan2)
    }

    /// True if `f(a, b)` equals `f(b, a)`.
    pub fn commutes(self) -> bool {
        matches!(
            self,
            BinaryFn::Add
                | BinaryFn::Mul
                | BinaryFn::Max
                | BinaryFn::Min
                | BinaryFn::BitAnd
                | BinaryFn::BitOr
                | BinaryFn::BitXor
        )
    }
}

family! {
    /// A function of each pair of elements.
    Binary {
        /// The function.
        f: BinaryFn,
    }
}

impl Family for Binary {
    const NAME: &'static str = "binary";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("a"), Slot::One("b")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::Elementwise,
            folds: true,
            work: Growth::PerElement,
            parts: self.f.parts(),
            rounding: self.f.rounding(),
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Refused,
            meeting: Meeting::First,
            computes_reals: true,
            is_steep: self.f.is_steep(),
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        let dtype = same_dtype(operands)?;
        if !self.f.takes(dtype) {
            misfit!("{} does not take {dtype}", self.f.text());
        }
        one(TensorType::new(dtype, broadcast(cx, operands)?))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel(operands[operand].rank())
    }
}

name_attribute! {
    /// Comparisons of two numbers of one dtype. NaN is unequal to everything, and neither less nor greater.
    CompareFn {
        /// `a == b`.
        Eq "eq",
        /// `a != b`.
        Ne "ne",
        /// `a < b`.
        Lt "lt",
        /// `a <= b`.
        Le "le",
        /// `a > b`.
        Gt "gt",
        /// `a >= b`.
        Ge "ge",
    }
}

family! {
    /// Compares each pair of elements. Quantised operands need the same quantisation.
    Compare {
        /// The comparison.
        f: CompareFn,
    }
}

impl Family for Compare {
    const NAME: &'static str = "compare";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("a"), Slot::One("b")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Exact,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Compared,
            meeting: Meeting::FirstTwo,
            computes_reals: false,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        same_dtype(operands)?;
        one(TensorType::new(DType::Bool, broadcast(cx, operands)?))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel(operands[operand].rank())
    }
}

family! {
    /// `a` where the condition is true, else `b`. Quantised operands need the same quantisation, which is also that of
    /// the result.
    Select {}
}

impl Family for Select {
    const NAME: &'static str = "select";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("condition"), Slot::One("a"), Slot::One("b")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Dear,
            rounding: Rounding::Picked,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Carried,
            meeting: Meeting::AllBut(0),
            computes_reals: true,
            is_steep: false,
        }
    }

    fn infer(&self, cx: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        if operands[0].dtype != DType::Bool {
            misfit!("the condition is {}, not bool", operands[0].dtype);
        }
        let dtype = same_dtype(&operands[1..])?;
        one(TensorType::new(dtype, broadcast(cx, operands)?))
    }

    fn axes(&self, operands: &[&TensorType], operand: usize) -> Vec<AxisRole> {
        parallel(operands[operand].rank())
    }
}

family! {
    /// Converts each element to another dtype. Integers wrap, floats are truncated toward zero to integers, and
    /// anything but zero is true. For a quantised operand, converts the integers, and the result is not quantised.
    Cast {
        /// The dtype of the result.
        to: DType,
    }
}

impl Family for Cast {
    const NAME: &'static str = "cast";
    const DOC: &'static str = Self::DOCUMENT;
    const OPERANDS: &'static [Slot] = &[Slot::One("x")];

    fn facts(&self) -> Facts {
        Facts {
            memory: Alias::No,
            folds: true,
            work: Growth::PerElement,
            parts: Parts::Cheap,
            rounding: Rounding::Conversion,
            inner_rounding: InnerRounding::Exact,
            quantised: Meaning::Plain,
            meeting: Meeting::First,
            computes_reals: self.to == DType::F32,
            is_steep: false,
        }
    }

    fn infer(&self, _: &Infer<'_>, operands: &[&TensorType]) -> Result<Types, Misfit> {
        one(operands[0].with_dtype(self.to))
    }

    fn axes(&self, operands: &[&TensorType], _: usize) -> Vec<AxisRole> {
        parallel(operands[0].rank())
    }
}
