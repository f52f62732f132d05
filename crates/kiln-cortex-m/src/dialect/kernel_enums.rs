//! The enumerations of Kiln's own kernels (`kiln_nn/kiln_ops.h`).

use super::dtype::Dtype;
use super::value::{Misread, Parameter, Value};

/// Declares enumerations, in the order of the C enumerators; the first is the default.
macro_rules! c_enums {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$member_doc])* $member,)*
        }

        impl $name {
            /// All, in order.
            pub const ALL: &'static [$name] = &[$($name::$member),*];
        }

        impl Default for $name {
            fn default() -> $name {
                $name::ALL[0]
            }
        }

        impl Parameter for $name {
            fn value(&self) -> Value {
                Value::Int(*self as i64)
            }

            fn of(value: &Value) -> Result<$name, Misread> {
                let number = i32::of(value)?;
                let found = $name::ALL.get(usize::try_from(number).unwrap_or(usize::MAX));
                found.copied().ok_or_else(|| Misread::new(format!("{number} is no enumerator")))
            }
        }
    )*};
}

c_enums! {
    /// What lies beyond the input (`kiln_pad_mode`).
    PadMode {
        /// A value.
        Constant,
        /// The elements turned back at the edge, without the last.
        Reflect,
        /// The last element.
        Replicate,
        /// The elements of the other edge.
        Circular,
    }

    /// How two elements compare (`kiln_comparison`).
    Comparison {
        /// `x == y`.
        Equal,
        /// `x != y`.
        NotEqual,
        /// `x < y`.
        Less,
        /// `x <= y`.
        LessEqual,
    }

    /// A function of two plain integers (`kiln_integer_function`).
    IntegerFunction {
        /// `x + y`.
        Add,
        /// `x - y`.
        Sub,
        /// `x * y`.
        Mul,
        /// `x / y`, rounded down.
        FloorDiv,
        /// `x / y`, rounded toward 0.
        TruncDiv,
        /// What remains of the quotient that is rounded down.
        Remainder,
        /// What remains of the quotient that is rounded toward 0.
        Fmod,
        /// The greater.
        Max,
        /// The lesser.
        Min,
        /// Bitwise and.
        And,
        /// Bitwise or.
        Or,
        /// Bitwise exclusive or.
        Xor,
        /// `x` shifted left by `y` bits.
        ShiftLeft,
        /// `x` shifted right by `y` bits.
        ShiftRight,
    }

    /// The type of elements (`kiln_type`).
    ElementType {
        /// A byte of 1 or 0.
        Bool,
        /// `uint8_t`.
        U8,
        /// `int8_t`.
        S8,
        /// `int16_t`.
        S16,
        /// `int32_t`.
        S32,
        /// `int64_t`.
        S64,
        /// `float`.
        F32,
    }
}

impl ElementType {
    /// The type of a buffer that has such elements.
    pub const fn dtype(self) -> Dtype {
        match self {
            ElementType::Bool | ElementType::U8 => Dtype::U8,
            ElementType::S8 => Dtype::I8,
            ElementType::S16 => Dtype::I16,
            ElementType::S32 => Dtype::I32,
            ElementType::S64 => Dtype::I64,
            ElementType::F32 => Dtype::F32,
        }
    }
}

impl IntegerFunction {
    /// Whether an operand of 0 is refused.
    pub const fn divides(self) -> bool {
        matches!(
            self,
            IntegerFunction::FloorDiv
                | IntegerFunction::TruncDiv
                | IntegerFunction::Remainder
                | IntegerFunction::Fmod
        )
    }
}
