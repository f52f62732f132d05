//! The operators.

use super::attributes::*;
use super::dtype::TosaDtype;
use kiln_ir::Content;

/// An operator of TOSA 1.0 with its attributes.
///
/// Both operands of a binary operator have the same rank, and an axis of size 1 is repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum TosaOp {
    /// The index of the greatest element along an axis.
    ArgMax(ArgMax),
    /// Means of windows.
    AvgPool2d(AvgPool),
    /// 2-D convolution.
    Conv2d(Conv<2>),
    /// 3-D convolution.
    Conv3d(Conv<3>),
    /// 2-D convolution by channel.
    DepthwiseConv2d(Conv<2>),
    /// Fourier transform of `[N, H, W]`: real and imaginary part in, both out.
    Fft2d {
        /// Whether it is the inverse, without its factor.
        inverse: bool,
        /// Whether an element's error bound counts only the input elements that the element reads.
        local_bound: bool,
    },
    /// Product of matrices.
    MatMul(MatMul),
    /// Greatest elements of windows.
    MaxPool2d(MaxPool),
    /// Fourier transform of real `[N, H, W]` to both parts of `[N, H, W / 2 + 1]`.
    Rfft2d {
        /// Whether an element's error bound counts only the input elements that the element reads.
        local_bound: bool,
    },
    /// Transposed 2-D convolution.
    TransposeConv2d(TransposeConv),
    /// Limits to a range.
    Clamp(Clamp),
    /// Gauss's error function.
    Erf,
    /// `1 / (1 + exp(-x))`.
    Sigmoid,
    /// Hyperbolic tangent.
    Tanh,
    /// Sum.
    Add,
    /// Arithmetic shift to the right.
    ArithmeticRightShift {
        /// Whether halves are rounded up.
        round: bool,
    },
    /// Bits of both.
    BitwiseAnd,
    /// Bits of either.
    BitwiseOr,
    /// Bits of exactly one of both.
    BitwiseXor,
    /// Quotient, rounded toward zero.
    IntDiv,
    /// True if both are true.
    LogicalAnd,
    /// Shift to the left.
    LogicalLeftShift,
    /// Logical shift to the right.
    LogicalRightShift,
    /// True if one or both are true.
    LogicalOr,
    /// True if exactly one is true.
    LogicalXor,
    /// The greater.
    Maximum {
        /// What it does with NaN.
        nan_mode: NanMode,
    },
    /// The less.
    Minimum {
        /// What it does with NaN.
        nan_mode: NanMode,
    },
    /// Product; of `i8` and of `i16` it is an `i32`.
    Mul {
        /// The shift of an `i32` product to the right, from 0 to 63, halves rounded up.
        shift: u8,
    },
    /// Power.
    Pow,
    /// Difference.
    Sub,
    /// Table: 256 entries of `i8` for an `i8` operand; 513 entries of `i16` for an `i16` operand, interpolated to `i32`
    /// with 7 fractional bits.
    Table {
        /// The bytes of the entries.
        table: Content,
    },
    /// Absolute value.
    Abs,
    /// Bitwise negation.
    BitwiseNot,
    /// Rounded up.
    Ceil,
    /// Number of leading zero bits.
    Clz,
    /// Cosine.
    Cos,
    /// Exponential.
    Exp,
    /// Rounded down.
    Floor,
    /// Natural logarithm.
    Log,
    /// Logical negation.
    LogicalNot,
    /// Negation.
    Negate(Negate),
    /// `1 / x`.
    Reciprocal,
    /// `1 / sqrt(x)`.
    Rsqrt,
    /// Sine.
    Sin,
    /// The second operand where the first is true, else the third.
    Select,
    /// Whether both are equal.
    Equal,
    /// Whether the first is greater.
    Greater,
    /// Whether the first is greater or equal.
    GreaterEqual,
    /// Whether all elements along an axis are true. The axis becomes 1.
    ReduceAll {
        /// The axis.
        axis: usize,
    },
    /// Whether any element along an axis is true. The axis becomes 1.
    ReduceAny {
        /// The axis.
        axis: usize,
    },
    /// The greatest element along an axis, which becomes 1.
    ReduceMax {
        /// The axis.
        axis: usize,
        /// What it does with NaN.
        nan_mode: NanMode,
    },
    /// The least element along an axis, which becomes 1.
    ReduceMin {
        /// The axis.
        axis: usize,
        /// What it does with NaN.
        nan_mode: NanMode,
    },
    /// The product along an axis, which becomes 1.
    ReduceProduct {
        /// The axis.
        axis: usize,
    },
    /// The sum along an axis, which becomes 1.
    ReduceSum {
        /// The axis.
        axis: usize,
    },
    /// The operands joined along an axis.
    Concat {
        /// The axis along which they are joined.
        axis: usize,
    },
    /// A border of one value.
    Pad(Pad),
    /// The same elements under other sizes.
    Reshape {
        /// The sizes.
        shape: Vec<usize>,
    },
    /// The elements of an axis in reverse order.
    Reverse {
        /// The axis.
        axis: usize,
    },
    /// A slice.
    Slice(Slice),
    /// Repetition.
    Tile {
        /// The number of repetitions, by axis.
        multiples: Vec<usize>,
    },
    /// A permutation of the axes.
    Transpose {
        /// The operand's axis for each axis of the result.
        perms: Vec<usize>,
    },
    /// The rows of `[N, K, C]` at the indices `[N, W]`.
    Gather,
    /// `[N, K, C]` with the rows `[N, W, C]` at the indices `[N, W]`. No index occurs twice.
    Scatter,
    /// Another size of an image.
    Resize(Resize),
    /// Conversion to another element type.
    Cast {
        /// The type.
        to: TosaDtype,
    },
    /// Integers of another scale and zero point.
    Rescale(Rescale),
    /// A constant.
    Const {
        /// Type of the elements.
        dtype: TosaDtype,
        /// Sizes.
        shape: Vec<usize>,
        /// The bytes of the elements, as in files.
        values: Content,
    },
    /// The operand itself.
    Identity,
    /// An operator that an implementation defines.
    Custom(Custom),
    /// A branch.
    CondIf(CondIf),
    /// A loop.
    WhileLoop(WhileLoop),
    /// The declaration of a variable.
    Variable(Variable),
    /// Writes its operand to a variable.
    VariableWrite {
        /// The variable.
        name: String,
    },
    /// Reads a variable.
    VariableRead {
        /// The variable.
        name: String,
        /// The type of its elements.
        dtype: TosaDtype,
        /// Its sizes.
        shape: Vec<usize>,
    },
}

impl TosaOp {
    /// The dtype that an attribute gives: the accumulator's, or the result's if the operands do not determine it.
    pub(crate) fn chosen_dtype(&self) -> Option<TosaDtype> {
        match self {
            TosaOp::AvgPool2d(a) => Some(a.acc),
            TosaOp::Conv2d(a) | TosaOp::DepthwiseConv2d(a) => Some(a.acc),
            TosaOp::Conv3d(a) => Some(a.acc),
            TosaOp::TransposeConv2d(a) => Some(a.acc),
            TosaOp::MatMul(a) => Some(a.to),
            TosaOp::Rescale(a) => Some(a.to),
            TosaOp::Variable(a) => Some(a.dtype),
            TosaOp::Cast { to } => Some(*to),
            TosaOp::Const { dtype, .. } | TosaOp::VariableRead { dtype, .. } => Some(*dtype),
            _ => None,
        }
    }

    /// The axis that an attribute names, if there is one.
    pub fn axis(&self) -> Option<usize> {
        match self {
            TosaOp::ArgMax(ArgMax { axis, .. })
            | TosaOp::ReduceAll { axis }
            | TosaOp::ReduceAny { axis }
            | TosaOp::ReduceMax { axis, .. }
            | TosaOp::ReduceMin { axis, .. }
            | TosaOp::ReduceProduct { axis }
            | TosaOp::ReduceSum { axis }
            | TosaOp::Concat { axis }
            | TosaOp::Reverse { axis } => Some(*axis),
            _ => None,
        }
    }
}
