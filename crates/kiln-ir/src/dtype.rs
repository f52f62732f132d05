//! Element types and Python scalars.

use crate::tensor::TensorData;
use std::fmt;

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of an f32.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 10] = [
        DType::Bool,
        DType::U8,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
    ];

    /// Bytes per element.
    pub const fn size(self) -> usize {
        match self {
            DType::Bool | DType::U8 | DType::I8 => 1,
            DType::I16 | DType::F16 | DType::BF16 => 2,
            DType::I32 | DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// The name in the text form (`f32`, `i64`, `bool`).
    pub const fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "u8",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// The type with that name, if there is one.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// True for f16, bf16, f32 and f64.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// True for f16 and bf16.
    pub const fn is_half(self) -> bool {
        matches!(self, DType::F16 | DType::BF16)
    }

    /// True for the integer types; bool is not one.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, DType::Bool)
    }

    /// The least and greatest value of an integer type; `None` for floats and bool.
    pub const fn int_range(self) -> Option<(i64, i64)> {
        match self {
            DType::U8 => Some((0, 255)),
            DType::I8 => Some((i8::MIN as i64, i8::MAX as i64)),
            DType::I16 => Some((i16::MIN as i64, i16::MAX as i64)),
            DType::I32 => Some((i32::MIN as i64, i32::MAX as i64)),
            DType::I64 => Some((i64::MIN, i64::MAX)),
            DType::Bool | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => None,
        }
    }

    /// The number as an element of this dtype. An integer out of range becomes the nearest end of the range.
    pub fn saturated(self, number: Scalar) -> Scalar {
        match self.int_range() {
            Some((least, greatest)) => Scalar::Int(number.as_i64().clamp(least, greatest)),
            None => TensorData::scalar(self, number)
                .get(0)
                .expect("a scalar tensor has one element"),
        }
    }

    /// The promoted dtype of two tensors of the same category (`torch.promote_types`).
    pub fn promote(self, other: DType) -> DType {
        if self == other {
            return self;
        }
        let (low, high) = if self < other {
            (self, other)
        } else {
            (other, self)
        };
        match (low, high) {
            (DType::U8, DType::I8) => DType::I16,
            (DType::F16, DType::BF16) => DType::F32,
            // In all other cases the declaration order is the promotion order.
            _ => high,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A Python number, as an attribute or as the value of a splat constant.
///
/// Equality and hashing are by kind and bits: `-0.0` differs from `0.0`, and a NaN equals itself.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// `True` or `False`.
    Bool(bool),
    /// A Python int within 64 bits.
    Int(i64),
    /// A Python float.
    Float(f64),
}

impl Scalar {
    /// The value as a float, as Python's `float(x)`.
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(i) => i as f64,
            Scalar::Float(f) => f,
        }
    }

    /// The value as an integer. Floats are truncated toward zero and saturated.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::Bool(b) => i64::from(b),
            Scalar::Int(i) => i,
            Scalar::Float(f) => f as i64,
        }
    }

    /// The dtype that PyTorch gives to a tensor of this scalar (f32 is the default dtype).
    pub fn default_dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F32,
        }
    }

    fn key(self) -> (u8, u64) {
        match self {
            Scalar::Bool(b) => (0, u64::from(b)),
            Scalar::Int(i) => (1, i as u64),
            Scalar::Float(f) => (2, f.to_bits()),
        }
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Scalar {
        Scalar::Bool(value)
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Scalar {
        Scalar::Int(value)
    }
}

impl From<f64> for Scalar {
    fn from(value: f64) -> Scalar {
        Scalar::Float(value)
    }
}

impl PartialEq for Scalar {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Scalar {}

impl std::hash::Hash for Scalar {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::DType::*;

    #[test]
    fn promotion_is_pytorchs() {
        assert_eq!(U8.promote(I8), I16);
        assert_eq!(I64.promote(F16), F16);
        assert_eq!(BF16.promote(F16), F32);
        assert_eq!(Bool.promote(U8), U8);
        assert_eq!(F32.promote(F64), F64);
        assert_eq!(U8.promote(I32), I32);
    }
}
