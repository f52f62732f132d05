//! The families of functions, and the parameters of each.

use super::families::{families, family_types};
use super::fc_quant::FcQuant;
use super::float_parameters::*;
use super::kernel_enums::PadMode;
use super::kernel_structs::{Average, Mean, Operands, Padding, Scaling, Strides};
use super::structs::*;
use super::value::{Misread, Parameter, Value, c_structs};

families! {
    /// A convolution. Groups follow from the channels of input and filter.
    Conv {
        /// Offsets, windows, range.
        conv_params: ConvParams,
        /// Factors by output channel.
        quant_params: PerChannel,
        /// NHWC.
        input_dims: Dims,
        /// Output channels, height, width, input channels of a group.
        filter_dims: Dims,
        /// Not read.
        bias_dims: Dims,
        /// The type of the bias, for 16-bit inputs.
        bias_data: Option<BiasData>,
        /// NHWC.
        output_dims: Dims,
    }

    /// A convolution of each channel by itself.
    Depthwise {
        /// Offsets, windows, range.
        dw_conv_params: DwConvParams,
        /// Factors by output channel.
        quant_params: PerChannel,
        /// NHWC.
        input_dims: Dims,
        /// 1, height, width, output channels.
        filter_dims: Dims,
        /// Not read.
        bias_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// A transposed convolution.
    TransposeConv {
        /// Offsets, windows, range.
        transpose_conv_params: TransposeConvParams,
        /// Factors by output channel.
        quant_params: PerChannel,
        /// NHWC.
        input_dims: Dims,
        /// Output channels, height, width, input channels.
        filter_dims: Dims,
        /// Not read.
        bias_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// A fully connected layer.
    FullyConnected {
        /// Offsets and range.
        fc_params: FcParams,
        /// Its factors.
        quant_params: FcQuant,
        /// Batches in `n`, and inputs.
        input_dims: Dims,
        /// Inputs in `n`, outputs in `c`.
        filter_dims: Dims,
        /// Not read.
        bias_dims: Dims,
        /// Batches in `n`, outputs in `c`.
        output_dims: Dims,
    }

    /// Products of matrices, the right ones transposed.
    BatchMatmul {
        /// Offsets and range.
        bmm_params: BmmParams,
        /// The factor.
        quant_params: PerTensor,
        /// Batches in `n` and `h`, rows in `w`, and the common axis.
        input_lhs_dims: Dims,
        /// As those of the left, transposed: columns in `w`, and the common axis.
        input_rhs_dims: Dims,
        /// Batches in `n` and `h`, rows, columns.
        output_dims: Dims,
    }

    /// Sums of two operands of the same size.
    Add {
        /// Less the zero point of the first.
        input_1_offset: i32,
        /// The factor of the first.
        input_1_mult: i32,
        /// Its shift.
        input_1_shift: i32,
        /// Less the zero point of the second.
        input_2_offset: i32,
        /// The factor of the second.
        input_2_mult: i32,
        /// Its shift.
        input_2_shift: i32,
        /// By how much both are shifted to the left at first.
        left_shift: i32,
        /// The zero point of the output.
        out_offset: i32,
        /// The factor of the sum.
        out_mult: i32,
        /// Its shift.
        out_shift: i32,
        /// The least result.
        out_activation_min: i32,
        /// The greatest result.
        out_activation_max: i32,
        /// Elements.
        block_size: i32,
    }

    /// Products of two operands of the same size.
    Mul {
        /// Less the zero point of the first.
        input_1_offset: i32,
        /// Less the zero point of the second.
        input_2_offset: i32,
        /// The zero point of the output.
        out_offset: i32,
        /// The factor of the product.
        out_mult: i32,
        /// Its shift.
        out_shift: i32,
        /// The least result.
        out_activation_min: i32,
        /// The greatest result.
        out_activation_max: i32,
        /// Elements.
        block_size: i32,
    }

    /// The greater or the lesser of two operands; an axis of size 1 is repeated.
    MinMax {
        /// NHWC.
        input_1_dims: Dims,
        /// NHWC.
        input_2_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// Averages or greatest elements of windows.
    Pool {
        /// Windows and range.
        pool_params: PoolParams,
        /// NHWC.
        input_dims: Dims,
        /// Height and width of a window.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// A softmax of rows, by fixed-point arithmetic.
    Softmax {
        /// Rows.
        num_rows: i32,
        /// Their size.
        row_size: i32,
        /// The factor of differences.
        mult: i32,
        /// Its shift.
        shift: i32,
        /// Differences below it give 0.
        diff_min: i32,
    }

    /// A softmax of rows of 16 bits, by tables.
    SoftmaxTable {
        /// Rows.
        num_rows: i32,
        /// Their size.
        row_size: i32,
        /// The factor of differences.
        mult: i32,
        /// Its shift.
        shift: i32,
        /// The tables.
        softmax_params: SoftmaxLuts,
    }

    /// A clamp in place.
    Relu {
        /// Elements.
        size: i32,
    }

    /// A 16-bit sigmoid or tanh.
    Gate {
        /// Elements.
        size: i32,
        /// The input stands for `integer * 2^(left_shift - 12)`.
        left_shift: i32,
        /// Which of the two.
        r#type: ActivationType,
    }

    /// A tensor with a border.
    Pad {
        /// What the border holds.
        pad_value: i32,
        /// NHWC.
        input_size: Dims,
        /// In front, by axis.
        pre_pad: Dims,
        /// Behind, by axis.
        post_pad: Dims,
    }

    /// A tensor with its axes in another order.
    Transpose {
        /// Sizes, from `n` on.
        input_dims: Dims,
        /// Sizes, from `n` on.
        output_dims: Dims,
        /// The order.
        transpose_params: TransposeParams,
    }

    /// A copy of a tensor to its place in a concatenation. The axes are w, z, y, x from the outermost on.
    Concat {
        /// The innermost size.
        input_x: i32,
        /// The next.
        input_y: i32,
        /// The next.
        input_z: i32,
        /// The outermost size.
        input_w: i32,
        /// The size of the result along the axis; the outermost axis needs none.
        output_size: Option<i32>,
        /// Where the tensor begins along the axis.
        offset: i32,
    }

    /// A copy.
    Reshape {
        /// Elements.
        total_size: i32,
    }

    /// An LSTM over sequences.
    Lstm {
        /// All numbers.
        params: LstmParams,
        /// Its memory.
        buffers: LstmContext,
    }

    /// A time step of an SVDF layer (singular value decomposition filter).
    Svdf {
        /// Offsets, rank, ranges.
        svdf_params: SvdfParams,
        /// The factor of the input's products.
        input_quant_params: PerTensor,
        /// The factor of the state's products.
        output_quant_params: PerTensor,
        /// Batches in `n`, inputs in `h`.
        input_dims: Dims,
        /// Not read.
        state_dims: Dims,
        /// Features in `n`, inputs in `h`.
        weights_feature_dims: Dims,
        /// Features in `n`, steps in `h`.
        weights_time_dims: Dims,
        /// Not read.
        bias_dims: Dims,
        /// Not read.
        output_dims: Dims,
    }

    /// `bias + lhs_offset * sum(row + rhs_offset)` of each row of weights.
    VectorSum {
        /// The size of a row.
        vector_cols: i32,
        /// Rows.
        vector_rows: i32,
        /// Less the zero point of the input.
        lhs_offset: i32,
        /// Less the zero point of the weights; sums of 64 bits have none.
        rhs_offset: Option<i32>,
    }

    /// Integers requantised to another scale, zero point or type.
    Requantise {
        /// Offsets, factor, range.
        scaling: Scaling,
        /// Elements.
        size: i32,
    }

    /// A function of one integer, by a table.
    Table {
        /// Elements.
        size: i32,
    }

    /// A function of two operands, by strides.
    Broadcast {
        /// Offsets, factors, range.
        operands: Operands,
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
    }

    /// The greater or the lesser of two operands, by strides.
    BroadcastMinMax {
        /// Sizes of the result, and the operands' strides.
        strides: Strides,
    }

    /// Sums along an axis.
    AxisSum {
        /// Offsets, factor, range.
        scaling: Scaling,
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
    }

    /// Means along an axis, in the step of what they are of.
    AxisMean {
        /// The quantisation.
        mean: Mean,
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
    }

    /// The place of the first greatest element along an axis.
    AxisArgmax {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
    }

    /// A softmax along an axis.
    AxisSoftmax {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Elements behind the axis.
        inner: i32,
        /// The factor of differences.
        multiplier: i32,
        /// Its shift.
        shift: i32,
        /// Differences below it give 0.
        diff_min: i32,
    }

    /// Averages of windows, halves as floats have them, with a choice of the divisor.
    CountedPool {
        /// Windows and range.
        params: PoolParams,
        /// The divisor.
        average: Average,
        /// NHWC.
        input_dims: Dims,
        /// Height and width of a window.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// Greatest elements of dilated windows.
    DilatedPool {
        /// Windows and range.
        params: PoolParams,
        /// From one element of a window to the next.
        dilation: Tile,
        /// NHWC.
        input_dims: Dims,
        /// Height and width of a window.
        filter_dims: Dims,
        /// NHWC.
        output_dims: Dims,
    }

    /// Images of another size: weighted sums of neighbours along height and width.
    Resize {
        /// Offsets, factor, range.
        scaling: Scaling,
        /// NHWC.
        input_dims: Dims,
        /// The neighbours along the height.
        row_taps: i32,
        /// The neighbours along the width.
        column_taps: i32,
        /// NHWC.
        output_dims: Dims,
    }

    /// A copy of elements from places by strides to places by strides.
    Copy {
        /// Sizes, and the strides of input and output.
        strides: Strides,
        /// Bytes of an element.
        element_size: i32,
        /// The element of the input buffer at which the pointer points.
        input_first: i32,
        /// The element of the output buffer at which the pointer points.
        output_first: i32,
    }

    /// A border around a tensor of any rank.
    Border {
        /// Sizes and borders.
        padding: Padding,
        /// How the border is filled.
        mode: PadMode,
        /// Bytes of an element.
        element_size: i32,
    }

    /// Blocks chosen by indices along an axis; negative indices count from its end.
    Gather {
        /// Elements in front of the axis.
        outer: i32,
        /// The axis.
        n: i32,
        /// Bytes of a block.
        inner_bytes: i32,
        /// How many blocks are chosen.
        count: i32,
    }

    /// Elements chosen by an index each; negative indices count from the end of the axis.
    GatherElements {
        /// Sizes of the result, and the strides of the input (0 along the axis) and of the indices.
        strides: Strides,
        /// The axis.
        axis_size: i32,
        /// From one element of the axis to the next.
        axis_stride: i32,
        /// Bytes of an element.
        element_size: i32,
    }
    @elsewhere
    /// A function of each element.
    Map,
    /// Elements within limits.
    Clamp,
    /// Negative elements times a slope.
    LeakyRelu,
    /// An exponential below 0.
    Elu,
    /// A bend in place of an edge.
    Softplus,
    /// A function of two elements.
    Pairs,
    /// A comparison of two elements.
    Compare,
    /// Elements of one tensor or another.
    Select,
    /// A function of two plain integers.
    Integers,
    /// Values that are written to places which indices choose.
    Scatter,
    /// Elements of another type.
    Cast,
    /// Floats as integers.
    Quantise,
    /// Integers as floats.
    Dequantise,
    /// Products of matrices of floats.
    FloatMatmul,
    /// A convolution of floats.
    FloatConv,
    /// Greatest floats of windows.
    FloatMaxPool,
    /// Averages of windows of floats.
    FloatAvgPool,
    /// A function of rows along an axis.
    AxisReduce,
    /// Rows of a mean of 0 and a variance of 1.
    Norm,
    /// The first elements of rows, in order.
    TopK,
}

impl Parameters {
    /// Changes an integer parameter, if there is one of this name.
    pub(crate) fn set(&mut self, name: &str, to: i64) {
        let Value::Struct(of, mut members) = self.value() else {
            return;
        };
        for (member, value) in &mut members {
            if member == name {
                *value = Value::Int(to);
            }
        }
        if let Ok(changed) = Parameters::of(self.family(), &Value::Struct(of, members)) {
            *self = changed;
        }
    }
}

impl Pad {
    /// The sizes of the result.
    pub fn output_size(&self) -> Dims {
        let [input, pre, post] =
            [&self.input_size, &self.pre_pad, &self.post_pad].map(|d| [d.n, d.h, d.w, d.c]);
        std::array::from_fn(|i| input[i].saturating_add(pre[i]).saturating_add(post[i])).into()
    }
}

impl Transpose {
    /// The sizes of the axes that are used.
    pub fn input_sizes(&self) -> Vec<usize> {
        Transpose::used(&self.input_dims, self.transpose_params.num_dims)
    }

    /// The sizes of the result's axes that are used.
    pub fn output_sizes(&self) -> Vec<usize> {
        Transpose::used(&self.output_dims, self.transpose_params.num_dims)
    }

    fn used(dims: &Dims, axes: i32) -> Vec<usize> {
        let axes = usize::try_from(axes).unwrap_or(0).min(4);
        dims.sizes()[..axes].to_vec()
    }
}

impl AxisSoftmax {
    /// The softmax of one row.
    pub fn row(&self) -> Softmax {
        Softmax {
            num_rows: 1,
            row_size: self.n,
            mult: self.multiplier,
            shift: self.shift,
            diff_min: self.diff_min,
        }
    }
}
