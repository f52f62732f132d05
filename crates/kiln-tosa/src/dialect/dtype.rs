//! Element types.

use kiln_ir::{DType, Scalar};
use std::fmt;

/// The element type of a TOSA tensor. Integers are signed, unless an attribute of `RESCALE` says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TosaDtype {
    /// One byte, 0 or 1.
    Bool,
    /// 4-bit integer, for weights.
    I4,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 48-bit integer, for accumulators.
    I48,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE 754 binary32.
    F32,
    /// 8-bit float with 4 bits of exponent and no infinity.
    F8E4M3,
    /// 8-bit float with 5 bits of exponent.
    F8E5M2,
}

impl TosaDtype {
    /// Every element type.
    pub const ALL: [TosaDtype; 11] = [
        TosaDtype::Bool,
        TosaDtype::I4,
        TosaDtype::I8,
        TosaDtype::I16,
        TosaDtype::I32,
        TosaDtype::I48,
        TosaDtype::F16,
        TosaDtype::BF16,
        TosaDtype::F32,
        TosaDtype::F8E4M3,
        TosaDtype::F8E5M2,
    ];

    /// The name, as in `i48`.
    pub const fn name(self) -> &'static str {
        match self {
            TosaDtype::Bool => "bool",
            TosaDtype::I4 => "i4",
            TosaDtype::I8 => "i8",
            TosaDtype::I16 => "i16",
            TosaDtype::I32 => "i32",
            TosaDtype::I48 => "i48",
            TosaDtype::F16 => "f16",
            TosaDtype::BF16 => "bf16",
            TosaDtype::F32 => "f32",
            TosaDtype::F8E4M3 => "fp8e4m3",
            TosaDtype::F8E5M2 => "fp8e5m2",
        }
    }

    /// The bits of an element in a file.
    pub const fn bits(self) -> usize {
        match self {
            TosaDtype::I4 => 4,
            TosaDtype::Bool | TosaDtype::I8 | TosaDtype::F8E4M3 | TosaDtype::F8E5M2 => 8,
            TosaDtype::I16 | TosaDtype::F16 | TosaDtype::BF16 => 16,
            TosaDtype::I32 | TosaDtype::F32 => 32,
            TosaDtype::I48 => 48,
        }
    }

    /// The bytes of this many elements in a file; `None` if the number does not fit.
    pub fn bytes_of(self, elements: usize) -> Option<usize> {
        Some(elements.checked_mul(self.bits())?.div_ceil(8))
    }

    /// True for the float types.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            TosaDtype::F16
                | TosaDtype::BF16
                | TosaDtype::F32
                | TosaDtype::F8E4M3
                | TosaDtype::F8E5M2
        )
    }

    /// True for the integer types, to which bool does not belong.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, TosaDtype::Bool)
    }

    /// The least and the greatest integer of the type, signed; `None` for floats and bool. The least `i4` is -7.
    pub const fn int_range(self) -> Option<(i64, i64)> {
        if !self.is_int() {
            return None;
        }
        if matches!(self, TosaDtype::I4) {
            return Some((-7, 7));
        }
        let half = 1i64 << (self.bits() - 1);
        Some((-half, half - 1))
    }

    /// TOSA's type for a core dtype. `u8` is held as `i8` with the same bits. `None` for 64-bit types.
    pub const fn of(dtype: DType) -> Option<TosaDtype> {
        match dtype {
            DType::Bool => Some(TosaDtype::Bool),
            DType::U8 | DType::I8 => Some(TosaDtype::I8),
            DType::I16 => Some(TosaDtype::I16),
            DType::I32 => Some(TosaDtype::I32),
            DType::F16 => Some(TosaDtype::F16),
            DType::BF16 => Some(TosaDtype::BF16),
            DType::F32 => Some(TosaDtype::F32),
            DType::I64 | DType::F64 => None,
        }
    }

    /// The scalar as the dtype holds it: a float is rounded, and a number becomes a float for float types. `None` if an
    /// integer is out of range, and for floats and bools that would become integers.
    pub fn represent(self, scalar: Scalar) -> Option<Scalar> {
        match (self, scalar) {
            (TosaDtype::Bool, Scalar::Bool(_)) => Some(scalar),
            (_, Scalar::Int(i)) if self.is_int() => {
                let (low, high) = self.int_range()?;
                (low <= i && i <= high).then_some(scalar)
            }
            (_, Scalar::Int(_) | Scalar::Float(_)) if self.is_float() => {
                Some(Scalar::Float(self.round(scalar.as_f64())))
            }
            _ => None,
        }
    }

    /// The nearest value of a float type. Numbers for 8-bit floats are not rounded, since none are made here.
    fn round(self, x: f64) -> f64 {
        match self {
            TosaDtype::F16 => half::f16::from_f64(x).to_f64(),
            TosaDtype::BF16 => half::bf16::from_f64(x).to_f64(),
            TosaDtype::F32 => f64::from(x as f32),
            _ => x,
        }
    }

    /// Appends a scalar's bytes. `None` if the dtype does not hold the scalar, and for `i4` and 8-bit floats.
    pub fn put(self, scalar: Scalar, out: &mut Vec<u8>) -> Option<()> {
        match (self, self.represent(scalar)?) {
            (TosaDtype::I4 | TosaDtype::F8E4M3 | TosaDtype::F8E5M2, _) => return None,
            (_, Scalar::Bool(b)) => out.push(u8::from(b)),
            (_, Scalar::Int(i)) => out.extend(&i.to_le_bytes()[..self.bits() / 8]),
            (TosaDtype::F16, Scalar::Float(x)) => out.extend(half::f16::from_f64(x).to_le_bytes()),
            (TosaDtype::BF16, Scalar::Float(x)) => {
                out.extend(half::bf16::from_f64(x).to_le_bytes());
            }
            (_, Scalar::Float(x)) => out.extend((x as f32).to_le_bytes()),
        }
        Some(())
    }

    /// The scalar of an element's bytes. `None` for other lengths, and for types without whole bytes.
    pub fn get(self, bytes: &[u8]) -> Option<Scalar> {
        if bytes.len() * 8 != self.bits() {
            return None;
        }
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = u64::from_le_bytes(word);
        Some(match self {
            TosaDtype::Bool => Scalar::Bool(word != 0),
            TosaDtype::I8 | TosaDtype::I16 | TosaDtype::I32 | TosaDtype::I48 => {
                let unused = 64 - self.bits();
                Scalar::Int((word << unused) as i64 >> unused)
            }
            TosaDtype::F16 => Scalar::Float(half::f16::from_bits(word as u16).to_f64()),
            TosaDtype::BF16 => Scalar::Float(half::bf16::from_bits(word as u16).to_f64()),
            TosaDtype::F32 => Scalar::Float(f64::from(f32::from_bits(word as u32))),
            TosaDtype::I4 | TosaDtype::F8E4M3 | TosaDtype::F8E5M2 => return None,
        })
    }
}

impl fmt::Display for TosaDtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_come_back_from_their_bytes() {
        let scalars = [
            (TosaDtype::Bool, Scalar::Bool(true)),
            (TosaDtype::I8, Scalar::Int(-128)),
            (TosaDtype::I48, Scalar::Int(-(1 << 47))),
            (TosaDtype::F16, Scalar::Float(-0.5)),
            (TosaDtype::BF16, Scalar::Float(f64::INFINITY)),
            (TosaDtype::F32, Scalar::Float(f64::from(0.1f32))),
        ];
        for (dtype, scalar) in scalars {
            let mut bytes = Vec::new();
            dtype.put(scalar, &mut bytes).unwrap();
            assert_eq!(dtype.get(&bytes), Some(scalar), "{dtype}");
        }
    }

    #[test]
    fn a_dtype_represents_what_it_holds() {
        assert_eq!(TosaDtype::I8.represent(Scalar::Int(128)), None);
        assert_eq!(TosaDtype::I8.represent(Scalar::Float(1.0)), None);
        let tenth = Scalar::Float(f64::from(0.1f32));
        assert_eq!(TosaDtype::F32.represent(Scalar::Float(0.1)), Some(tenth));
    }
}
