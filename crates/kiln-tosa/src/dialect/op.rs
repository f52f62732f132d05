//! The operators.

use super::attributes::*;
use super::dtype::TosaDtype;
use kiln_ir::Content;

/// An operator of TOSA 1.0 with its attributes.
///
/// Operands of two-operand operators have the same rank; an axis of 1 is repeated.
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
        /// Whether the error bound of each element may only count what it reads.
        local_bound: bool,
    },
    /// Product of matrices.
    MatMul(MatMul),
    /// Greatest elements of windows.
    MaxPool2d(MaxPool),
    /// Fourier transform of real `[N, H, W]` to both parts of `[N, H, W / 2 + 1]`.
    Rfft2d {
        /// Whether the error bound of each element may only count what it reads.
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
    /// Shift that keeps the sign.
    ArithmeticRightShift {
        /// Whether half is rounded up.
        round: bool,
    },
    /// Bits of both.
    BitwiseAnd,
    /// Bits of either.
    BitwiseOr,
    /// Bits of one only.
    BitwiseXor,
    /// Quotient toward zero.
    IntDiv,
    /// True if both are.
    LogicalAnd,
    /// Shift to the left.
    LogicalLeftShift,
    /// Shift that fills with zeros.
    LogicalRightShift,
    /// True if either is.
    LogicalOr,
    /// True if one only is.
    LogicalXor,
    /// The greater.
    Maximum {
        /// What becomes of NaN.
        nan_mode: NanMode,
    },
    /// The less.
    Minimum {
        /// What becomes of NaN.
        nan_mode: NanMode,
    },
    /// Product; of `i8` and `i16` it is `i32`.
    Mul {
        /// Bits by which the product of `i32` is shifted to the right, half rounded up; 0 to 63.
        shift: u8,
    },
    /// Power.
    Pow,
    /// Difference.
    Sub,
    /// Look-up: 256 entries of `i8` for `i8`; for `i16` 513 entries of `i16`, interpolated to `i32` with 7 fractional
    /// bits.
    Table {
        /// The entries' bytes.
        table: Content,
    },
    /// Absolute value.
    Abs,
    /// Every bit turned.
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
    /// True if it is not.
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
    /// Whether all are true along an axis, which becomes 1.
    ReduceAll {
        /// The axis.
        axis: usize,
    },
    /// Whether any is true along an axis, which becomes 1.
    ReduceAny {
        /// The axis.
        axis: usize,
    },
    /// The greatest along an axis, which becomes 1.
    ReduceMax {
        /// The axis.
        axis: usize,
        /// What becomes of NaN.
        nan_mode: NanMode,
    },
    /// The least along an axis, which becomes 1.
    ReduceMin {
        /// The axis.
        axis: usize,
        /// What becomes of NaN.
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
    /// The operands one behind the other.
    Concat {
        /// The axis that grows.
        axis: usize,
    },
    /// A border of a value.
    Pad(Pad),
    /// The same elements under other sizes.
    Reshape {
        /// The sizes.
        shape: Vec<usize>,
    },
    /// The elements of an axis in the other order.
    Reverse {
        /// The axis.
        axis: usize,
    },
    /// A part.
    Slice(Slice),
    /// Repetition.
    Tile {
        /// How often, by axis.
        multiples: Vec<usize>,
    },
    /// The axes in another order.
    Transpose {
        /// For each axis of the result, the operand's.
        perms: Vec<usize>,
    },
    /// Rows `[N, K, C]` by index `[N, W]`.
    Gather,
    /// `[N, K, C]` with the rows `[N, W, C]` put at index `[N, W]`; no index twice.
    Scatter,
    /// Another size of the image.
    Resize(Resize),
    /// Another element type.
    Cast {
        /// The type.
        to: TosaDtype,
    },
    /// Another scale of integers.
    Rescale(Rescale),
    /// A constant.
    Const {
        /// Type of the elements.
        dtype: TosaDtype,
        /// Sizes.
        shape: Vec<usize>,
        /// Their bytes, as in files.
        values: Content,
    },
    /// The operand.
    Identity,
    /// What an implementation defines.
    Custom(Custom),
    /// A branch.
    CondIf(CondIf),
    /// A loop.
    WhileLoop(WhileLoop),
    /// Declares a variable.
    Variable(Variable),
    /// Gives a variable its operand's value.
    VariableWrite {
        /// The variable.
        name: String,
    },
    /// A variable's value.
    VariableRead {
        /// The variable.
        name: String,
        /// Type of its elements.
        dtype: TosaDtype,
        /// Its sizes.
        shape: Vec<usize>,
    },
}

impl TosaOp {
    /// The dtype that an attribute chooses: that of accumulation, or of the result where the operands leave it open.
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

    /// The axis along which it works, if it has one.
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
