//! The enumerations of Kiln's own kernels (`kiln_nn/kiln_ops.h`).

use super::dtype::Dtype;
use super::value::{Misread, Parameter, Value};

/// Declares enumerations, in the order of the C enumerators; the first is the default.
macro_rules! c_enums {
    ($($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident $c:literal,)* })*) => {$(
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
                let c_name = match self {
                    $($name::$member => $c,)*
                };
                Value::Enumerator(c_name, *self as i64)
            }

            fn of(value: &Value) -> Result<$name, Misread> {
                let found = match value {
                    Value::Int(number) | Value::Enumerator(_, number) => {
                        $name::ALL.get(usize::try_from(*number).unwrap_or(usize::MAX))
                    }
                    _ => None,
                };
                found.copied().ok_or_else(|| Misread::new(format!("{value} is no enumerator")))
            }
        }
    )*};
}

c_enums! {
    /// What a border holds (`kiln_pad_mode`).
    PadMode {
        /// A value.
        Constant "KILN_PAD_CONSTANT",
        /// The elements in reverse from the edge on, without the last one.
        Reflect "KILN_PAD_REFLECT",
        /// The last element.
        Replicate "KILN_PAD_REPLICATE",
        /// The elements of the other edge.
        Circular "KILN_PAD_CIRCULAR",
    }

    /// How two elements compare (`kiln_comparison`).
    Comparison {
        /// `x == y`.
        Equal "KILN_EQUAL",
        /// `x != y`.
        NotEqual "KILN_NOT_EQUAL",
        /// `x < y`.
        Less "KILN_LESS",
        /// `x <= y`.
        LessEqual "KILN_LESS_EQUAL",
    }

    /// A function of two plain integers (`kiln_integer_function`).
    IntegerFunction {
        /// `x + y`.
        Add "KILN_INTEGER_ADD",
        /// `x - y`.
        Sub "KILN_INTEGER_SUB",
        /// `x * y`.
        Mul "KILN_INTEGER_MUL",
        /// `x / y`, rounded down.
        FloorDiv "KILN_INTEGER_FLOOR_DIV",
        /// `x / y`, rounded toward 0.
        TruncDiv "KILN_INTEGER_TRUNC_DIV",
        /// The remainder of the quotient that is rounded down.
        Remainder "KILN_INTEGER_REMAINDER",
        /// The remainder of the quotient that is rounded toward 0.
        Fmod "KILN_INTEGER_FMOD",
        /// The greater.
        Max "KILN_INTEGER_MAX",
        /// The lesser.
        Min "KILN_INTEGER_MIN",
        /// Bitwise and.
        And "KILN_INTEGER_AND",
        /// Bitwise or.
        Or "KILN_INTEGER_OR",
        /// Bitwise exclusive or.
        Xor "KILN_INTEGER_XOR",
        /// `x` shifted left by `y` bits.
        ShiftLeft "KILN_INTEGER_SHIFT_LEFT",
        /// `x` shifted right by `y` bits.
        ShiftRight "KILN_INTEGER_SHIFT_RIGHT",
        /// `x` to the power `y`.
        Pow "KILN_INTEGER_POW",
    }

    /// What an element becomes where a value goes (`kiln_scatter_function`).
    ScatterFunction {
        /// The last value.
        Set "KILN_SCATTER_SET",
        /// The sum.
        Add "KILN_SCATTER_ADD",
        /// The product.
        Mul "KILN_SCATTER_MUL",
        /// The greater.
        Max "KILN_SCATTER_MAX",
        /// The lesser.
        Min "KILN_SCATTER_MIN",
    }

    /// The type of elements (`kiln_type`).
    ElementType {
        /// A byte of 1 or 0.
        Bool "KILN_BOOL",
        /// `uint8_t`.
        U8 "KILN_U8",
        /// `int8_t`.
        S8 "KILN_S8",
        /// `int16_t`.
        S16 "KILN_S16",
        /// `int32_t`.
        S32 "KILN_S32",
        /// `int64_t`.
        S64 "KILN_S64",
        /// `float`.
        F32 "KILN_F32",
    }
}

impl ElementType {
    /// The type of a buffer with such elements.
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
    /// Whether the function divides, and so refuses a second operand of 0.
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
