//! Types of elements.

use std::fmt;

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dtype {
    /// Two 4-bit integers in a byte, the first in the low bits. A row of odd length goes on in the same byte. Only constants have
    /// this type.
    I4,
    /// `int8_t`.
    I8,
    /// `uint8_t`.
    U8,
    /// `int16_t`.
    I16,
    /// `int32_t`.
    I32,
    /// `int64_t`.
    I64,
    /// `float`.
    F32,
    /// 16-bit floats (IEEE 754 binary16), as their bits.
    F16,
    /// The upper 16 bits of a `float`, as bits.
    Bf16,
}

impl Dtype {
    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::I4 => "i4",
            Dtype::I8 => "i8",
            Dtype::U8 => "u8",
            Dtype::I16 => "i16",
            Dtype::I32 => "i32",
            Dtype::I64 => "i64",
            Dtype::F32 => "f32",
            Dtype::F16 => "f16",
            Dtype::Bf16 => "bf16",
        }
    }

    /// The C type of an element; for 4-bit integers that of a pair.
    pub const fn c_name(self) -> &'static str {
        match self {
            Dtype::I4 | Dtype::I8 => "int8_t",
            Dtype::U8 => "uint8_t",
            Dtype::I16 => "int16_t",
            Dtype::I32 => "int32_t",
            Dtype::I64 => "int64_t",
            Dtype::F32 => "float",
            Dtype::F16 | Dtype::Bf16 => "uint16_t",
        }
    }

    /// The alignment that the core wants, in bytes.
    pub const fn alignment(self) -> usize {
        match self {
            Dtype::I4 | Dtype::I8 | Dtype::U8 => 1,
            Dtype::I16 | Dtype::F16 | Dtype::Bf16 => 2,
            Dtype::I32 | Dtype::F32 => 4,
            Dtype::I64 => 8,
        }
    }

    /// The bytes of this many elements.
    pub const fn bytes(self, elements: usize) -> usize {
        match self {
            Dtype::I4 => elements.div_ceil(2),
            _ => elements * self.alignment(),
        }
    }

    /// Whether its elements are floats.
    pub const fn is_float(self) -> bool {
        self.range().is_none()
    }

    /// The least and the greatest integer. `None` for floats.
    pub const fn range(self) -> Option<(i64, i64)> {
        match self {
            Dtype::I4 => Some((-8, 7)),
            Dtype::I8 => Some((-128, 127)),
            Dtype::U8 => Some((0, 255)),
            Dtype::I16 => Some((-32_768, 32_767)),
            Dtype::I32 => Some((i32::MIN as i64, i32::MAX as i64)),
            Dtype::I64 => Some((i64::MIN, i64::MAX)),
            Dtype::F32 | Dtype::F16 | Dtype::Bf16 => None,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
