//! Kinds of operators: their names without attributes.

use super::op::TosaOp;
use std::fmt;

macro_rules! kinds {
    ($($kind:ident $code:literal $name:literal,)*) => {
        /// The kind of an operator. The discriminant is its code in files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Kind {
            $(#[doc = concat!("`", $name, "`.")] $kind = $code,)*
        }

        impl Kind {
            /// All kinds, in the order of their codes.
            pub const ALL: &'static [Kind] = &[$(Kind::$kind),*];

            /// The name in the specification.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                }
            }
        }

        impl TosaOp {
            /// The operator's kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(TosaOp::$kind { .. } => Kind::$kind,)*
                }
            }
        }
    };
}

kinds! {
    ArgMax 1 "ARGMAX",
    AvgPool2d 2 "AVG_POOL2D",
    Conv2d 3 "CONV2D",
    Conv3d 4 "CONV3D",
    DepthwiseConv2d 5 "DEPTHWISE_CONV2D",
    Fft2d 6 "FFT2D",
    MatMul 7 "MATMUL",
    MaxPool2d 8 "MAX_POOL2D",
    Rfft2d 9 "RFFT2D",
    TransposeConv2d 10 "TRANSPOSE_CONV2D",
    Clamp 11 "CLAMP",
    Erf 12 "ERF",
    Sigmoid 13 "SIGMOID",
    Tanh 14 "TANH",
    Add 15 "ADD",
    ArithmeticRightShift 16 "ARITHMETIC_RIGHT_SHIFT",
    BitwiseAnd 17 "BITWISE_AND",
    BitwiseOr 18 "BITWISE_OR",
    BitwiseXor 19 "BITWISE_XOR",
    IntDiv 20 "INTDIV",
    LogicalAnd 21 "LOGICAL_AND",
    LogicalLeftShift 22 "LOGICAL_LEFT_SHIFT",
    LogicalRightShift 23 "LOGICAL_RIGHT_SHIFT",
    LogicalOr 24 "LOGICAL_OR",
    LogicalXor 25 "LOGICAL_XOR",
    Maximum 26 "MAXIMUM",
    Minimum 27 "MINIMUM",
    Mul 28 "MUL",
    Pow 29 "POW",
    Sub 30 "SUB",
    Table 31 "TABLE",
    Abs 32 "ABS",
    BitwiseNot 33 "BITWISE_NOT",
    Ceil 34 "CEIL",
    Clz 35 "CLZ",
    Cos 36 "COS",
    Exp 37 "EXP",
    Floor 38 "FLOOR",
    Log 39 "LOG",
    LogicalNot 40 "LOGICAL_NOT",
    Negate 41 "NEGATE",
    Reciprocal 42 "RECIPROCAL",
    Rsqrt 43 "RSQRT",
    Sin 44 "SIN",
    Select 45 "SELECT",
    Equal 46 "EQUAL",
    Greater 47 "GREATER",
    GreaterEqual 48 "GREATER_EQUAL",
    ReduceAll 49 "REDUCE_ALL",
    ReduceAny 50 "REDUCE_ANY",
    ReduceMax 51 "REDUCE_MAX",
    ReduceMin 52 "REDUCE_MIN",
    ReduceProduct 53 "REDUCE_PRODUCT",
    ReduceSum 54 "REDUCE_SUM",
    Concat 55 "CONCAT",
    Pad 56 "PAD",
    Reshape 57 "RESHAPE",
    Reverse 58 "REVERSE",
    Slice 59 "SLICE",
    Tile 60 "TILE",
    Transpose 61 "TRANSPOSE",
    Gather 62 "GATHER",
    Scatter 63 "SCATTER",
    Resize 64 "RESIZE",
    Cast 65 "CAST",
    Rescale 66 "RESCALE",
    Const 67 "CONST",
    Identity 68 "IDENTITY",
    Custom 69 "CUSTOM",
    CondIf 70 "COND_IF",
    WhileLoop 71 "WHILE_LOOP",
    Variable 72 "VARIABLE",
    VariableWrite 73 "VARIABLE_WRITE",
    VariableRead 74 "VARIABLE_READ",
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
