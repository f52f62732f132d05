//! Which values a node reads and writes, and what it is called: for all that look at nodes without knowing them.

use smallvec::{SmallVec, smallvec};

use super::graph::ValueId;
use super::node::{BinaryOp, ConvKind, PoolKind, UnaryOp, XnnOp};

/// The values on one side of a node.
pub type Operands = SmallVec<[ValueId; 5]>;

impl XnnOp {
    /// The values read, in the order of the fields; an absent bias is left out.
    pub fn inputs(&self) -> Operands {
        match self {
            Self::Unary { input, .. }
            | Self::Elu { input, .. }
            | Self::LeakyRelu { input, .. }
            | Self::Softmax { input, .. }
            | Self::Pool { input, .. }
            | Self::ArgMaxPool { input, .. }
            | Self::GlobalAveragePool { input, .. }
            | Self::ResizeBilinear { input, .. }
            | Self::Reshape { input, .. }
            | Self::Transpose { input, .. }
            | Self::Slice { input, .. }
            | Self::ConstantPad { input, .. } => smallvec![*input],
            Self::Binary { inputs, .. } | Self::BatchMatMul { inputs, .. } => {
                SmallVec::from_slice(inputs)
            }
            Self::FullyConnected {
                input,
                filter,
                bias,
                ..
            }
            | Self::Conv {
                input,
                filter,
                bias,
                ..
            } => [*input, *filter].into_iter().chain(*bias).collect(),
            Self::Concat { inputs, .. } => SmallVec::from_slice(inputs),
            Self::Attention {
                query,
                key,
                value,
                scale,
                mask,
                ..
            } => smallvec![*query, *key, *value, *scale, *mask],
        }
    }

    /// The values written.
    pub fn outputs(&self) -> Operands {
        match self {
            Self::Unary { output, .. }
            | Self::Binary { output, .. }
            | Self::Elu { output, .. }
            | Self::LeakyRelu { output, .. }
            | Self::Softmax { output, .. }
            | Self::FullyConnected { output, .. }
            | Self::BatchMatMul { output, .. }
            | Self::Conv { output, .. }
            | Self::Pool { output, .. }
            | Self::GlobalAveragePool { output, .. }
            | Self::ResizeBilinear { output, .. }
            | Self::Reshape { output, .. }
            | Self::Transpose { output, .. }
            | Self::Slice { output, .. }
            | Self::ConstantPad { output, .. }
            | Self::Concat { output, .. }
            | Self::Attention { output, .. } => smallvec![*output],
            Self::ArgMaxPool {
                output,
                output_index,
                ..
            } => smallvec![*output, *output_index],
        }
    }

    /// The node's flags.
    pub fn flags(&self) -> u32 {
        match self {
            Self::Unary { flags, .. }
            | Self::Binary { flags, .. }
            | Self::Elu { flags, .. }
            | Self::LeakyRelu { flags, .. }
            | Self::Softmax { flags, .. }
            | Self::FullyConnected { flags, .. }
            | Self::BatchMatMul { flags, .. }
            | Self::Conv { flags, .. }
            | Self::Pool { flags, .. }
            | Self::ArgMaxPool { flags, .. }
            | Self::GlobalAveragePool { flags, .. }
            | Self::ResizeBilinear { flags, .. }
            | Self::Reshape { flags, .. }
            | Self::Transpose { flags, .. }
            | Self::Slice { flags, .. }
            | Self::ConstantPad { flags, .. }
            | Self::Concat { flags, .. }
            | Self::Attention { flags, .. } => *flags,
        }
    }

    /// The node's name in text.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unary { op, .. } => op.name(),
            Self::Binary { op, .. } => op.name(),
            Self::Elu { .. } => "elu",
            Self::LeakyRelu { .. } => "leaky_relu",
            Self::Softmax { .. } => "softmax",
            Self::FullyConnected { .. } => "fully_connected",
            Self::BatchMatMul { .. } => "batch_matmul",
            Self::Conv {
                kind: ConvKind::Conv2d,
                ..
            } => "conv2d",
            Self::Conv {
                kind: ConvKind::Depthwise,
                ..
            } => "depthwise_conv2d",
            Self::Conv {
                kind: ConvKind::Transposed,
                ..
            } => "conv_transpose2d",
            Self::Pool {
                kind: PoolKind::Max,
                ..
            } => "max_pool2d",
            Self::Pool {
                kind: PoolKind::Average,
                ..
            } => "average_pool2d",
            Self::ArgMaxPool { .. } => "argmax_pool2d",
            Self::GlobalAveragePool { .. } => "global_average_pool2d",
            Self::ResizeBilinear { .. } => "resize_bilinear",
            Self::Reshape { .. } => "reshape",
            Self::Transpose { .. } => "transpose",
            Self::Slice { .. } => "slice",
            Self::ConstantPad { .. } => "constant_pad",
            Self::Concat { .. } => "concat",
            Self::Attention { .. } => "attention",
        }
    }
}

impl UnaryOp {
    /// Every function.
    pub const ALL: &[UnaryOp] = &[
        UnaryOp::Abs,
        UnaryOp::Ceiling,
        UnaryOp::Clamp,
        UnaryOp::Convert,
        UnaryOp::Copy,
        UnaryOp::Cos,
        UnaryOp::Exp,
        UnaryOp::Floor,
        UnaryOp::Gelu,
        UnaryOp::Hardswish,
        UnaryOp::Log,
        UnaryOp::Negate,
        UnaryOp::ReciprocalSquareRoot,
        UnaryOp::Sigmoid,
        UnaryOp::Sin,
        UnaryOp::Square,
        UnaryOp::SquareRoot,
        UnaryOp::Tanh,
    ];

    /// The function's name in text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Ceiling => "ceiling",
            Self::Clamp => "clamp",
            Self::Convert => "convert",
            Self::Copy => "copy",
            Self::Cos => "cos",
            Self::Exp => "exp",
            Self::Floor => "floor",
            Self::Gelu => "gelu",
            Self::Hardswish => "hardswish",
            Self::Log => "log",
            Self::Negate => "negate",
            Self::ReciprocalSquareRoot => "reciprocal_square_root",
            Self::Sigmoid => "sigmoid",
            Self::Sin => "sin",
            Self::Square => "square",
            Self::SquareRoot => "square_root",
            Self::Tanh => "tanh",
        }
    }
}

impl BinaryOp {
    /// Every function.
    pub const ALL: &[BinaryOp] = &[
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Minimum,
        BinaryOp::Maximum,
        BinaryOp::PRelu,
    ];

    /// The function's name in text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::PRelu => "prelu",
        }
    }
}
