//! The enumerations of the export schema: element types, layouts, memory formats, devices.
//!
//! The numbers are those of the schema (`torch/_export/serde/schema.py`), not the c10 numbers of a `.pte`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ScalarType {
    U8,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    /// A complex number of two `F16`.
    C32,
    /// A complex number of two `F32`.
    C64,
    /// A complex number of two `F64`.
    C128,
    Bool,
    BF16,
    U16,
    F8E4M3FN,
    F8E5M2,
    F8E4M3FNUZ,
    F8E5M2FNUZ,
    F8E8M0FNU,
    U32,
    U64,
    /// A number that this reader does not know. Refused where an element size is needed.
    Unknown(u32),
}

/// The schema number, torch's name and the bytes of an element, for each type.
const SCALAR_TYPES: [(ScalarType, u32, &str, usize); 21] = [
    (ScalarType::U8, 1, "uint8", 1),
    (ScalarType::I8, 2, "int8", 1),
    (ScalarType::I16, 3, "int16", 2),
    (ScalarType::I32, 4, "int32", 4),
    (ScalarType::I64, 5, "int64", 8),
    (ScalarType::F16, 6, "float16", 2),
    (ScalarType::F32, 7, "float32", 4),
    (ScalarType::F64, 8, "float64", 8),
    (ScalarType::C32, 9, "complex32", 4),
    (ScalarType::C64, 10, "complex64", 8),
    (ScalarType::C128, 11, "complex128", 16),
    (ScalarType::Bool, 12, "bool", 1),
    (ScalarType::BF16, 13, "bfloat16", 2),
    (ScalarType::U16, 28, "uint16", 2),
    (ScalarType::F8E4M3FN, 29, "float8_e4m3fn", 1),
    (ScalarType::F8E5M2, 30, "float8_e5m2", 1),
    (ScalarType::F8E4M3FNUZ, 31, "float8_e4m3fnuz", 1),
    (ScalarType::F8E5M2FNUZ, 32, "float8_e5m2fnuz", 1),
    (ScalarType::F8E8M0FNU, 33, "float8_e8m0fnu", 1),
    (ScalarType::U32, 34, "uint32", 4),
    (ScalarType::U64, 35, "uint64", 8),
];

impl ScalarType {
    /// The type for a schema number.
    pub fn from_schema(number: u32) -> Self {
        let row = SCALAR_TYPES.iter().find(|row| row.1 == number);
        row.map_or(Self::Unknown(number), |row| row.0)
    }

    /// The schema number.
    pub fn schema_number(self) -> u32 {
        match self {
            Self::Unknown(number) => number,
            known => known.row().map_or(0, |row| row.1),
        }
    }

    /// The type for torch's name without `torch.`, for example `float32`.
    pub fn from_torch_name(name: &str) -> Option<Self> {
        SCALAR_TYPES
            .iter()
            .find(|row| row.2 == name)
            .map(|row| row.0)
    }

    /// Torch's name without `torch.`; `unknown` for an unknown number.
    pub fn torch_name(self) -> &'static str {
        self.row().map_or("unknown", |row| row.2)
    }

    /// The bytes of one element; `None` for an unknown number.
    pub fn size(self) -> Option<usize> {
        self.row().map(|row| row.3)
    }

    /// True if autograd can track tensors of this type: floats and complex numbers.
    pub fn is_differentiable(self) -> bool {
        let integral = matches!(
            self,
            Self::U8
                | Self::I8
                | Self::I16
                | Self::I32
                | Self::I64
                | Self::U16
                | Self::U32
                | Self::U64
        );
        !integral && !matches!(self, Self::Bool | Self::Unknown(_))
    }

    fn row(self) -> Option<&'static (ScalarType, u32, &'static str, usize)> {
        SCALAR_TYPES.iter().find(|row| row.0 == self)
    }
}

/// `torch.layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Layout {
    SparseCoo,
    SparseCsr,
    SparseCsc,
    SparseBsr,
    SparseBsc,
    Mkldnn,
    Strided,
    /// 0, or a number that this reader does not know.
    Unknown(u32),
}

impl Layout {
    const NUMBERED: [Self; 7] = [
        Self::SparseCoo,
        Self::SparseCsr,
        Self::SparseCsc,
        Self::SparseBsr,
        Self::SparseBsc,
        Self::Mkldnn,
        Self::Strided,
    ];

    /// The layout for a schema number.
    pub fn from_schema(number: u32) -> Self {
        let found = Self::NUMBERED
            .iter()
            .find(|layout| layout.schema_number() == number);
        found.copied().unwrap_or(Self::Unknown(number))
    }

    /// The schema number.
    pub fn schema_number(self) -> u32 {
        match self {
            Self::SparseCoo => 1,
            Self::SparseCsr => 2,
            Self::SparseCsc => 3,
            Self::SparseBsr => 4,
            Self::SparseBsc => 5,
            Self::Mkldnn => 6,
            Self::Strided => 7,
            Self::Unknown(number) => number,
        }
    }
}

/// `torch.memory_format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum MemoryFormat {
    Contiguous,
    ChannelsLast,
    ChannelsLast3d,
    Preserve,
    /// 0, or a number that this reader does not know.
    Unknown(u32),
}

impl MemoryFormat {
    /// The format for a schema number.
    pub fn from_schema(number: u32) -> Self {
        match number {
            1 => Self::Contiguous,
            2 => Self::ChannelsLast,
            3 => Self::ChannelsLast3d,
            4 => Self::Preserve,
            other => Self::Unknown(other),
        }
    }

    /// The schema number.
    pub fn schema_number(self) -> u32 {
        match self {
            Self::Contiguous => 1,
            Self::ChannelsLast => 2,
            Self::ChannelsLast3d => 3,
            Self::Preserve => 4,
            Self::Unknown(number) => number,
        }
    }
}

macro_rules! serde_by_number {
    ($($ty:ty),*) => {$(
        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u32::deserialize(deserializer).map(<$ty>::from_schema)
            }
        }

        impl Serialize for $ty {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.schema_number())
            }
        }
    )*};
}

serde_by_number!(ScalarType, Layout, MemoryFormat);

/// A device as the user named it: `cpu`, `cuda` 0, `meta`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// `cpu`, `cuda`, `meta`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The index of the device; `None` means the current one.
    #[serde(default)]
    pub index: Option<i64>,
}
