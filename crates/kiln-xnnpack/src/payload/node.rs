//! The payload's nodes: one variant for each shape of parameters, in XNNPACK's own terms.
//!
//! Dims are positions outermost first in memory. Images are `[N, H, W, C]`.

use super::graph::ValueId;

/// A node with what every node has.
#[derive(Clone, Debug, PartialEq)]
pub struct XnnNode {
    /// What it computes.
    pub op: XnnOp,
    /// The range that the result is clamped to, in real (dequantised) terms. The runtime applies it for add,
    /// subtract, multiply, divide, clamp, fully connected, convolutions and pools, and ignores it elsewhere.
    pub clamp: Option<Clamp>,
    /// A number that the runtime shows in error messages.
    pub debug_handle: u32,
}

impl XnnOp {
    /// True for an operator between number formats.
    pub fn is_conversion(&self) -> bool {
        matches!(
            self,
            XnnOp::Unary {
                op: UnaryOp::Convert,
                ..
            }
        )
    }

    /// A convolution by a kernel, of `[input, filter]`.
    pub fn conv(
        (kind, params): (ConvKind, ConvParams),
        [input, filter]: [ValueId; 2],
        bias: Option<ValueId>,
        output: ValueId,
    ) -> XnnOp {
        XnnOp::Conv {
            kind,
            params,
            input,
            filter,
            bias,
            output,
            flags: 0,
        }
    }
}

impl XnnNode {
    /// A node without clamp and handle.
    pub fn new(op: XnnOp) -> Self {
        Self {
            op,
            clamp: None,
            debug_handle: 0,
        }
    }
}

/// An inclusive range of reals; infinities leave a side open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Least value.
    pub min: f32,
    /// Greatest value.
    pub max: f32,
}

/// Bits of a node's `flags`.
pub mod flags {
    /// Fully connected: the filter is `[I, O]`. Batch matrix multiply: the second operand is transposed.
    pub const TRANSPOSE_WEIGHTS: u32 = 1;
    /// Convolution: pad so that the output is `ceil(input / stride)`, ignoring the given padding.
    pub const SAME_PADDING: u32 = 4;
    /// Resize: sample positions of TensorFlow's legacy mode.
    pub const RESIZE_LEGACY: u32 = 4;
    /// Resize: corners map onto corners.
    pub const ALIGN_CORNERS: u32 = 8;
    /// Global pooling: keep the reduced dims, as 1.
    pub const KEEP_DIMS: u32 = 0x40;
}

/// An element-wise function of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Abs,
    Ceiling,
    /// Into the node's range.
    Clamp,
    /// To the result's datatype: between floats and `int32` (to nearest even), quantise, dequantise, requantise.
    Convert,
    Copy,
    Cos,
    Exp,
    Floor,
    /// Exact, by the error function.
    Gelu,
    Hardswish,
    Log,
    Negate,
    ReciprocalSquareRoot,
    Sigmoid,
    Sin,
    Square,
    SquareRoot,
    Tanh,
}

/// An element-wise function of two operands that broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Minimum,
    Maximum,
    /// `x` where positive, else `x` times the second operand, which broadcasts along the last dim.
    PRelu,
}

/// Which convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConvKind {
    /// Filter `[O, kh, kw, I/groups]`.
    Conv2d,
    /// Filter `[1, kh, kw, C * multiplier]`; groups = C, group_output_channels = multiplier.
    Depthwise,
    /// Filter `[O, kh, kw, I/groups]`; the adjustment is the output padding.
    Transposed,
}

/// Which pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PoolKind {
    /// Padding is minus infinity.
    Max,
    /// Divides by the elements that are not padding.
    Average,
}

/// Padding of the two image dims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Padding2d {
    pub top: u32,
    pub right: u32,
    pub bottom: u32,
    pub left: u32,
}

/// The numbers of a convolution. Pairs are `[height, width]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvParams {
    /// Padding of the input (of the output, for a transposed convolution).
    pub padding: Padding2d,
    /// Kernel size.
    pub kernel: [u32; 2],
    /// Stride.
    pub stride: [u32; 2],
    /// Dilation.
    pub dilation: [u32; 2],
    /// How many parts of the channels are convolved apart: channels `g * n .. (g + 1) * n` of input and output are group
    /// `g`'s.
    pub groups: u32,
    /// Input channels of a group.
    pub group_input_channels: u32,
    /// Output channels of a group.
    pub group_output_channels: u32,
    /// Rows added at the bottom and columns added at the right of a transposed convolution's output, less than the stride;
    /// 0 for the others.
    pub adjustment: [u32; 2],
}

/// The numbers of a pool. Pairs are `[height, width]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PoolParams {
    /// Padding of the input.
    pub padding: Padding2d,
    /// Window size.
    pub kernel: [u32; 2],
    /// Stride.
    pub stride: [u32; 2],
    /// Dilation; `[1, 1]` for averages, which ignore it.
    pub dilation: [u32; 2],
}

/// What a node computes, from which values, into which. Each variant has `flags`, the sum of [`flags`] that it knows; the
/// sizes of lists are the rank of the input, in its order of dims.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "operands and results go by the variant's own words"
)]
pub enum XnnOp {
    /// Element-wise, or a conversion.
    Unary {
        op: UnaryOp,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Element-wise with broadcasting.
    Binary {
        op: BinaryOp,
        inputs: [ValueId; 2],
        output: ValueId,
        flags: u32,
    },
    /// `x` where positive, else `alpha * (exp(x) - 1)`.
    Elu {
        alpha: f32,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// `x` where positive, else `negative_slope * x`.
    LeakyRelu {
        negative_slope: f32,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Over the last dim.
    Softmax {
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// `input * filter^T + bias` over the last dim; filter `[O, I]` unless [`flags::TRANSPOSE_WEIGHTS`].
    FullyConnected {
        input: ValueId,
        filter: ValueId,
        bias: Option<ValueId>,
        output: ValueId,
        flags: u32,
    },
    /// Matrix product of the last two dims, leading dims broadcast.
    BatchMatMul {
        inputs: [ValueId; 2],
        output: ValueId,
        flags: u32,
    },
    /// Any of the convolutions.
    Conv {
        kind: ConvKind,
        params: ConvParams,
        input: ValueId,
        filter: ValueId,
        bias: Option<ValueId>,
        output: ValueId,
        flags: u32,
    },
    /// Maximum or average over windows.
    Pool {
        kind: PoolKind,
        params: PoolParams,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Maximum and its position inside the window, stride = kernel; the index is `int32`.
    ArgMaxPool {
        padding: Padding2d,
        kernel: [u32; 2],
        input: ValueId,
        output: ValueId,
        output_index: ValueId,
        flags: u32,
    },
    /// Mean over the dims before the last.
    GlobalAveragePool {
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Bilinear, of `[N, H, W, C]`; `size` is `[height, width]`.
    ResizeBilinear {
        size: [u32; 2],
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// One new dim may be 0: inferred.
    Reshape {
        shape: Vec<u32>,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Result dim `i` is input dim `perm[i]`.
    Transpose {
        perm: Vec<u32>,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Of each dim `sizes` elements from `offsets` on, step 1; a size of 0 with offset 0 is the whole dim.
    Slice {
        offsets: Vec<u32>,
        sizes: Vec<u32>,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// As many elements `before` and `after` each dim, of a real value.
    ConstantPad {
        before: Vec<u32>,
        after: Vec<u32>,
        value: f32,
        input: ValueId,
        output: ValueId,
        flags: u32,
    },
    /// Joins 2 to 5 inputs; `axis` `u32::MAX` is the last.
    Concat {
        axis: u32,
        inputs: Vec<ValueId>,
        output: ValueId,
        flags: u32,
    },
    /// In the schema, but the runtime refuses it.
    Attention {
        query: ValueId,
        key: ValueId,
        value: ValueId,
        scale: ValueId,
        mask: ValueId,
        output: ValueId,
        flags: u32,
    },
}
