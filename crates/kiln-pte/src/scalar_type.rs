//! Element types, with the c10 codes that the file and the dtype arguments of kernels use.

macro_rules! scalar_types {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $bytes:literal, $text:literal;)*) => {
        /// The element type of a tensor. `as u8` (or [`code`](Self::code)) gives the c10 code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum ScalarType {
            $($(#[$doc])* $name = $code,)*
        }

        impl ScalarType {
            /// All types that a program can hold, by ascending code.
            pub const ALL: &[ScalarType] = &[$(ScalarType::$name),*];

            /// The bytes of one element in memory.
            pub fn size(self) -> u64 {
                match self { $(Self::$name => $bytes,)* }
            }

            /// A short lower-case name, such as `f32`, `i64` and `bool`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

scalar_types! {
    /// Unsigned 8 bits.
    U8 = 0, 1, "u8";
    /// Signed 8 bits.
    I8 = 1, 1, "i8";
    /// Signed 16 bits.
    I16 = 2, 2, "i16";
    /// Signed 32 bits.
    I32 = 3, 4, "i32";
    /// Signed 64 bits.
    I64 = 4, 8, "i64";
    /// IEEE half.
    F16 = 5, 2, "f16";
    /// IEEE single.
    F32 = 6, 4, "f32";
    /// IEEE double.
    F64 = 7, 8, "f64";
    /// One byte, 0 or 1.
    Bool = 11, 1, "bool";
    /// PyTorch's quantised signed 8 bits.
    QInt8 = 12, 1, "qint8";
    /// PyTorch's quantised unsigned 8 bits.
    QUInt8 = 13, 1, "quint8";
    /// PyTorch's quantised signed 32 bits.
    QInt32 = 14, 4, "qint32";
    /// bfloat16.
    BF16 = 15, 2, "bf16";
    /// Two 4-bit values in one byte.
    QUInt4x2 = 16, 1, "quint4x2";
    /// Four 2-bit values in one byte.
    QUInt2x4 = 17, 1, "quint2x4";
    /// 16 bits without an interpretation.
    Bits16 = 22, 2, "bits16";
    /// 8-bit float, e5m2.
    F8E5M2 = 23, 1, "f8e5m2";
    /// 8-bit float, e4m3fn.
    F8E4M3FN = 24, 1, "f8e4m3fn";
    /// 8-bit float, e5m2fnuz.
    F8E5M2FNUZ = 25, 1, "f8e5m2fnuz";
    /// 8-bit float, e4m3fnuz.
    F8E4M3FNUZ = 26, 1, "f8e4m3fnuz";
    /// Unsigned 16 bits.
    U16 = 27, 2, "u16";
    /// Unsigned 32 bits.
    U32 = 28, 4, "u32";
    /// Unsigned 64 bits.
    U64 = 29, 8, "u64";
}

impl ScalarType {
    /// The c10 code, as in dtype arguments of kernels.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The type with this c10 code; `None` for codes that no program can hold (such as complex types).
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.code() == code)
    }
}

impl std::fmt::Display for ScalarType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::ScalarType;

    #[test]
    fn codes_name_their_types() {
        for code in 0..=u8::MAX {
            assert_eq!(
                ScalarType::from_code(code).map_or(code, ScalarType::code),
                code
            );
        }
        assert_eq!(ScalarType::from_code(6), Some(ScalarType::F32));
        assert_eq!(ScalarType::from_code(8), None);
    }
}
