//! The parameters of kernels of floats and of plain integers.

use super::kernel_enums::{Comparison, ElementType, IntegerFunction, ScatterFunction};
use super::kernel_structs::Strides;
use super::structs::{Activation, Dims, Tile};
use super::value::{Misread, Parameter, Value, c_structs};

/// The limits of a result. The default has none.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatRange {
    /// The least result.
    pub min: f32,
    /// The greatest result.
    pub max: f32,
}

impl Default for FloatRange {
    fn default() -> FloatRange {
        FloatRange {
            min: f32::NEG_INFINITY,
            max: f32::INFINITY,
        }
    }
}

impl Parameter for FloatRange {
    fn value(&self) -> Value {
        let members = [("min", self.min), ("max", self.max)];
        let members = members.map(|(name, real)| (name.into(), Value::Real(real)));
        Value::Struct("kiln_float_range", members.into())
    }

    fn of(value: &Value) -> Result<FloatRange, Misread> {
        Ok(FloatRange {
            min: value.member("min")?,
            max: value.member("max")?,
        })
    }
}

impl Parameter for f32 {
    fn value(&self) -> Value {
        Value::Real(*self)
    }

    fn of(value: &Value) -> Result<f32, Misread> {
        match value {
            Value::Real(real) => Ok(*real),
            _ => Err(Misread::new(format!("{value} is no float"))),
        }
    }
}

c_structs! {
    /// Sizes of a product of matrices, and the strides of both.
    Matrices "kiln_matrices" {
        /// Rows of the result.
        rows: i32,
        /// The terms of a sum.
        depth: i32,
        /// Columns of the result.
        columns: i32,
        /// From one row to the next in the first.
        lhs_row: i32,
        /// From one column to the next in the first.
        lhs_column: i32,
        /// From one row to the next in the second.
        rhs_row: i32,
        /// From one column to the next in the second.
        rhs_column: i32,
        /// The result's limits.
        range: FloatRange,
    }

    /// The windows of a convolution.
    Convolution "kiln_float_convolution" {
        /// From one window to the next.
        stride: Tile,
        /// Zeros in front; a negative number crops.
        padding: Tile,
        /// From one tap to the next.
        dilation: Tile,
        /// One more than the zeros after each element of the input.
        upscale: Tile,
        /// Whether the kernel is turned round.
        flipped: bool,
        /// The result's limits.
        range: FloatRange,
    }

    /// The windows of a pooling.
    Windows "kiln_windows" {
        /// From one window to the next.
        stride: Tile,
        /// Elements in front.
        padding: Tile,
        /// From one tap to the next.
        dilation: Tile,
    }

    /// A function of each element.
    Map "" {
        /// Elements.
        size: i32,
    }

    /// Each element within limits; NaN stays.
    Clamp "" {
        /// The least result.
        min: f32,
        /// The greatest result.
        max: f32,
        /// Elements.
        size: i32,
    }

    /// Negative elements times a slope.
    LeakyRelu "" {
        /// The slope.
        slope: f32,
        /// Elements.
        size: i32,
    }

    /// `scale * x`, or `scale * alpha * (exp(input_scale * x) - 1)`.
    Elu "" {
        /// The limit toward minus infinity, negated, before `scale`.
        alpha: f32,
        /// The factor of the result.
        scale: f32,
        /// The factor of the exponent.
        input_scale: f32,
        /// Elements.
        size: i32,
    }

    /// `log(1 + exp(beta * x)) / beta`, or `x` if `beta * x` is above the threshold.
    Softplus "" {
        /// The sharpness of the bend.
        beta: f32,
        /// Where the identity begins.
        threshold: f32,
        /// Elements.
        size: i32,
    }

    /// A function of two elements, by strides.
    Pairs "" {
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
    }

    /// Whether two elements compare so, by strides.
    Compare "" {
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
        /// The comparison.
        comparison: Comparison,
    }

    /// The element of one tensor or of another, by a condition.
    Select "" {
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
        /// The same sizes, and the condition's strides in front.
        condition_strides: Strides,
        /// Bytes of an element.
        element_size: i32,
    }

    /// A function of two plain integers, by strides.
    Integers "" {
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
        /// The function.
        function: IntegerFunction,
    }

    /// Values put to places that indices choose, by strides.
    Scatter "" {
        /// Sizes of the indices, the strides of the output (0 along the axis) and of the indices.
        strides: Strides,
        /// The same sizes, and the strides of the source in front.
        source_strides: Strides,
        /// What becomes of the element.
        function: ScatterFunction,
        /// The axis.
        axis_size: i32,
        /// From one element of the axis to the next.
        axis_stride: i32,
    }

    /// Elements of one type as elements of another.
    Cast "" {
        /// The input's.
        from: ElementType,
        /// The output's.
        to: ElementType,
        /// Elements.
        size: i32,
    }

    /// Floats as integers with a step and a zero point for each place along the middle axis.
    Quantise "" {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
        /// The range of the integers.
        activation: Activation,
    }

    /// Integers with a step and a zero point for each place along the middle axis as floats.
    Dequantise "" {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
    }

    /// Products of matrices, with a bias for each column.
    FloatMatmul "" {
        /// Sizes and strides of one product.
        matrices: Matrices,
        /// How many products, and where they lie in both operands.
        batches: Strides,
    }

    /// A convolution.
    FloatConv "" {
        /// Windows and limits.
        convolution: Convolution,
        /// NHWC.
        input_dims: Dims,
        /// Output channels, height, width, input channels of a group; 1, height, width, output channels of a depthwise one.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// Greatest elements of windows.
    FloatMaxPool "" {
        /// Windows.
        windows: Windows,
        /// NHWC.
        input_dims: Dims,
        /// Height and width of a window.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// Averages of windows.
    FloatAvgPool "" {
        /// Windows.
        windows: Windows,
        /// The divisor, or 0 for the elements that count.
        divisor: i32,
        /// Whether the padding counts.
        padding_counts: bool,
        /// NHWC.
        input_dims: Dims,
        /// Height and width of a window.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// A function of each row along the middle axis.
    AxisReduce "" {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
    }

    /// Rows brought to a mean of 0 and a variance of 1.
    Norm "" {
        /// Rows.
        rows: i32,
        /// Elements of each.
        n: i32,
        /// What is added to the variance.
        eps: f32,
        /// Whether the mean is taken off.
        centred: bool,
    }

    /// The first elements of each row along the middle axis, in order.
    TopK "" {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
        /// How many.
        k: i32,
        /// Whether the greatest come first.
        largest: bool,
    }
}
