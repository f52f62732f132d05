//! Element types and quantisation parameters of a payload's values.

use super::graph::ConstantIndex;

macro_rules! datatypes {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $bits:literal, $text:literal;)*) => {
        /// The type of a value's elements (XNNPACK's `xnn_datatype`, under the payload's own codes).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(i16)]
        pub enum Datatype {
            $($(#[$doc])* $name = $code,)*
        }

        impl Datatype {
            /// Every type, by ascending code.
            pub const ALL: &[Datatype] = &[$(Datatype::$name),*];

            /// Bits of one element.
            pub fn bits(self) -> u64 {
                match self { $(Self::$name => $bits,)* }
            }

            /// XNNPACK's name without the prefix: `fp32`, `qcint8`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

datatypes! {
    /// IEEE single.
    Fp32 = 1, 32, "fp32";
    /// IEEE half.
    Fp16 = 2, 16, "fp16";
    /// Signed 8 bits, one scale and zero point.
    QInt8 = 3, 8, "qint8";
    /// Unsigned 8 bits, one scale and zero point.
    QUInt8 = 4, 8, "quint8";
    /// Signed 32 bits, one scale: biases.
    QInt32 = 5, 32, "qint32";
    /// Signed 8 bits, a scale per channel: weights.
    QcInt8 = 6, 8, "qcint8";
    /// Signed 32 bits, a scale per channel: biases.
    QcInt32 = 7, 32, "qcint32";
    /// Signed 4 bits, a scale per channel; two to a byte, low nibble first, each stored plus 8.
    QcInt4 = 8, 4, "qcint4";
    /// Signed 8 bits, quantised at run time per batch row; only a `Convert` makes one.
    QdInt8 = 9, 8, "qdint8";
    /// Signed 4 bits, a scale per group of a row; packed like [`QcInt4`](Self::QcInt4).
    QbInt4 = 10, 4, "qbint4";
    /// Row-quantised and packed, of the runtime's own making.
    QpInt8 = 11, 8, "qpint8";
    /// Plain signed 32 bits.
    Int32 = 12, 32, "int32";
    /// Packed single, of the runtime's own making.
    PFp32 = 13, 32, "pfp32";
    /// bfloat16.
    Bf16 = 14, 16, "bf16";
}

impl Datatype {
    /// True for floats that are plain elements.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Fp32 | Self::Fp16 | Self::Bf16)
    }

    /// The payload's code.
    pub fn code(self) -> i16 {
        self as i16
    }

    /// The type with this code.
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.code() == code)
    }
}

impl std::fmt::Display for Datatype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How stored integers stand for reals.
#[derive(Clone, Debug, PartialEq)]
pub enum Quant {
    /// One scale and zero point.
    PerTensor {
        /// Real value of one step.
        scale: f32,
        /// The integer that stands for 0.
        zero_point: i32,
    },
    /// A scale for each index along one dim; zero point 0.
    PerChannel {
        /// One scale per channel.
        scales: Scales,
        /// The dim.
        channel_dim: i32,
    },
    /// Chosen at run time, one scale and zero point per row.
    PerTokenDynamic {
        /// How many trailing dims share one scale: 1 for fully connected, 3 for convolutions.
        num_nonbatch_dims: i32,
    },
    /// A scale for each group of consecutive elements of a row.
    PerGroup {
        /// `rows * columns / group_size` scales; bf16 where they are in a constant.
        scales: Scales,
        /// The dim of the rows; 0.
        channel_dim: i32,
        /// Elements in a group; a multiple of 32.
        group_size: i32,
    },
}

/// Where scales are.
#[derive(Clone, Debug, PartialEq)]
pub enum Scales {
    /// In the graph itself.
    Inline(Vec<f32>),
    /// In a constant.
    Constant {
        /// The constant.
        data: ConstantIndex,
        /// How many scales it holds.
        count: u32,
    },
}

impl From<Vec<f32>> for Scales {
    fn from(scales: Vec<f32>) -> Scales {
        Scales::Inline(scales)
    }
}

impl Scales {
    /// How many scales there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Inline(scales) => scales.len(),
            Self::Constant { count, .. } => *count as usize,
        }
    }
}
