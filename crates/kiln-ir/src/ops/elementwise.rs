//! Elementwise families of several operands, and conversions: each element of the result depends on the operands' elements
//! at the same position. Functions of one operand are in `unary.rs`.
//!
//! Operands have equal rank. Where sizes differ, one of them is 1, and that operand is broadcast. So axis `i` of an
//! operand corresponds to axis `i` of the result.

use super::attribute::name_attribute;
use super::*;
use crate::dim::{Dim, Symbols};
use crate::dtype::DType;
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
