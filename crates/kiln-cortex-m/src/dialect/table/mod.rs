//! One row for each function: the facts for verifier, printer, evaluator and the emission of C.
//!
//! From CMSIS-NN's `Include/arm_nnfunctions.h` and its sources; those of Kiln's own kernels from `kiln_nn/kiln_ops.h`.

mod arguments;
#[macro_use]
mod slots;

use super::build::Build;
use super::parameters::{Family, Parameters};
use super::row::{Builds, Extent, Row, Scratch, Slot};
use super::scratch;
use Extent::{AtLeast, Computed, Fixed, Product};
use arguments::*;
use slots::*;

/// Declares the functions: names and rows, in one list.
macro_rules! functions {
    ($($function:ident = $row:expr,)*) => {
        /// A function. Its row says what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "a row is the documentation")]
        pub enum Function {
            $($function,)*
        }

        impl Function {
            /// All functions, in the order of the table.
            pub const ALL: &'static [Function] = &[$(Function::$function),*];
        }

        /// The rows, in the order of the functions.
        static ROWS: &[Row] = &[$($row),*];
    };
}

impl Function {
    /// The facts.
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The C name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The function of a C name.
    pub fn named(name: &str) -> Option<Function> {
        Function::ALL.iter().copied().find(|f| f.name() == name)
    }
}

/// A row of a function that all builds have and that returns a status.
const fn row(
    name: &'static str,
    family: Family,
    arguments: &'static [&'static str],
    slots: &'static [Slot],
    scratch: &'static [Scratch],
) -> Row {
    Row {
        name,
        family,
        arguments,
        slots,
        scratch,
        builds: Builds::All,
        has_status: true,
        overwritable: &[],
    }
}

impl Row {
    const fn only(self, build: Build) -> Row {
        Row {
            builds: Builds::Only(build),
            ..self
        }
    }

    const fn without_status(self) -> Row {
        Row {
            has_status: false,
            ..self
        }
    }

    const fn over(self, overwritable: &'static [&'static str]) -> Row {
        Row {
            overwritable,
            ..self
        }
    }
}

/// A context of this many bytes.
macro_rules! ctx {
    ($($name:literal $rule:ident),*) => {
        &[$(Scratch { name: $name, bytes: scratch::$rule }),*]
    };
}

/// A gate and another of an LSTM.
const LSTM_SCRATCH: &[Scratch] = ctx!("buffers.temp1" lstm_gate, "buffers.temp2" lstm_gate);

functions! {
    ConvolveS8 = row("arm_convolve_s8", Family::Conv, CONV_S8, CONV_OF_S8, ctx!("ctx" conv_s8)),
    Convolve1x1S8 = row("arm_convolve_1x1_s8", Family::Conv, CONV, CONV_OF_S8, ctx!("ctx" none)),
    Convolve1x1S8Fast = row("arm_convolve_1x1_s8_fast", Family::Conv, CONV, CONV_OF_S8, ctx!("ctx" none)),
    Convolve1XNS8 = row("arm_convolve_1_x_n_s8", Family::Conv, CONV, CONV_OF_S8, ctx!("ctx" conv_1_x_n_s8)),
    ConvolveWrapperS8 = row("arm_convolve_wrapper_s8", Family::Conv, CONV, CONV_OF_S8, ctx!("ctx" conv_wrapper_s8)),
    ConvolveS4 = row("arm_convolve_s4", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" conv_s4)),
    ConvolveEvenS4 =
        row("arm_convolve_even_s4", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" conv_s4)).only(Build::Mve),
    Convolve1x1S4 = row("arm_convolve_1x1_s4", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" none)),
    Convolve1x1S4Fast = row("arm_convolve_1x1_s4_fast", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" none)),
    Convolve1XNS4 = row("arm_convolve_1_x_n_s4", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" conv_1_x_n_s4)),
    ConvolveWrapperS4 = row("arm_convolve_wrapper_s4", Family::Conv, CONV, CONV_OF_S4, ctx!("ctx" conv_wrapper_s4)),
    ConvolveS16 = row("arm_convolve_s16", Family::Conv, CONV, CONV_OF_S16, ctx!("ctx" conv_s16)),
    ConvolveWrapperS16 = row("arm_convolve_wrapper_s16", Family::Conv, CONV, CONV_OF_S16, ctx!("ctx" conv_s16)),

    DepthwiseConvS8 = row("arm_depthwise_conv_s8", Family::Depthwise, DEPTHWISE, CONV_OF_S8, ctx!("ctx" none)),
    DepthwiseConvS8Opt =
        row("arm_depthwise_conv_s8_opt", Family::Depthwise, DEPTHWISE, CONV_OF_S8, ctx!("ctx" depthwise_s8_opt)),
    DepthwiseConv3x3S8 = row("arm_depthwise_conv_3x3_s8", Family::Depthwise, DEPTHWISE, CONV_OF_S8, ctx!("ctx" none)),
    DepthwiseConvWrapperS8 =
        row("arm_depthwise_conv_wrapper_s8", Family::Depthwise, DEPTHWISE, CONV_OF_S8, ctx!("ctx" depthwise_wrapper_s8)),
    DepthwiseConvS4 = row("arm_depthwise_conv_s4", Family::Depthwise, DEPTHWISE, CONV_OF_S4, ctx!("ctx" none)),
    DepthwiseConvS4Opt =
        row("arm_depthwise_conv_s4_opt", Family::Depthwise, DEPTHWISE, CONV_OF_S4, ctx!("ctx" depthwise_s4_opt)),
    DepthwiseConvWrapperS4 =
        row("arm_depthwise_conv_wrapper_s4", Family::Depthwise, DEPTHWISE, CONV_OF_S4, ctx!("ctx" depthwise_wrapper_s4)),
    DepthwiseConvS16 = row("arm_depthwise_conv_s16", Family::Depthwise, DEPTHWISE, DEPTHWISE_OF_S16, ctx!("ctx" none)),
    DepthwiseConvFastS16 =
        row("arm_depthwise_conv_fast_s16", Family::Depthwise, DEPTHWISE, DEPTHWISE_OF_S16, ctx!("ctx" depthwise_fast_s16)),
    DepthwiseConvWrapperS16 = row(
        "arm_depthwise_conv_wrapper_s16", Family::Depthwise, DEPTHWISE, DEPTHWISE_OF_S16, ctx!("ctx" depthwise_wrapper_s16)
    ),

    TransposeConvS8 = row(
        "arm_transpose_conv_s8", Family::TransposeConv, TRANSPOSE_CONV, CONV_OF_S8,
        ctx!("ctx" transpose_conv_sums, "output_ctx" none)
    ),
    TransposeConvWrapperS8 = row(
        "arm_transpose_conv_wrapper_s8", Family::TransposeConv, TRANSPOSE_CONV, CONV_OF_S8,
        ctx!("ctx" transpose_conv, "output_ctx" transpose_conv_filter)
    ),

    FullyConnectedS8 = row("arm_fully_connected_s8", Family::FullyConnected, FC, FC_OF_S8, ctx!("ctx" none)),
    FullyConnectedPerChannelS8 =
        row("arm_fully_connected_per_channel_s8", Family::FullyConnected, FC, FC_OF_S8, ctx!("ctx" none)),
    FullyConnectedWrapperS8 =
        row("arm_fully_connected_wrapper_s8", Family::FullyConnected, FC, FC_OF_S8, ctx!("ctx" none)),
    FullyConnectedS4 = row("arm_fully_connected_s4", Family::FullyConnected, FC, FC_OF_S4, ctx!("ctx" none)),
    FullyConnectedS16 = row("arm_fully_connected_s16", Family::FullyConnected, FC, FC_OF_S16, ctx!("ctx" none)),
    BatchMatmulS8 = row("arm_batch_matmul_s8", Family::BatchMatmul, BMM, bmm_slots!(I8), ctx!("ctx" batch_matmul_s8)),
    BatchMatmulS16 = row("arm_batch_matmul_s16", Family::BatchMatmul, BMM, bmm_slots!(I16), ctx!("ctx" none)),
    VectorSumS8 = row(
        "arm_vector_sum_s8", Family::VectorSum,
        &["vector_sum_buf", "vector_cols", "vector_rows", "vector_data", "lhs_offset", "rhs_offset", "bias_data"],
        vector_sum_slots!(I32), &[]
    ),
    VectorSumS8S64 = row(
        "arm_vector_sum_s8_s64", Family::VectorSum,
        &["vector_sum_buf", "vector_cols", "vector_rows", "vector_data", "lhs_offset", "bias_data"],
        vector_sum_slots!(I64), &[]
    ),

    ElementwiseAddS8 = row("arm_elementwise_add_s8", Family::Add, ADD, pair_slots!(I8), &[]).over(PAIR),
    ElementwiseAddS16 = row("arm_elementwise_add_s16", Family::Add, ADD, pair_slots!(I16), &[]).over(PAIR),
    ElementwiseMulS8 = row("arm_elementwise_mul_s8", Family::Mul, MUL, pair_slots!(I8), &[]).over(PAIR),
    ElementwiseMulS16 = row("arm_elementwise_mul_s16", Family::Mul, MUL, pair_slots!(I16), &[]).over(PAIR),
    MaximumS8 = row("arm_maximum_s8", Family::MinMax, MIN_MAX, MIN_MAX_SLOTS, ctx!("ctx" none)).over(MIN_MAX_PAIR),
    MinimumS8 = row("arm_minimum_s8", Family::MinMax, MIN_MAX, MIN_MAX_SLOTS, ctx!("ctx" none)).over(MIN_MAX_PAIR),

    AvgpoolS8 = row("arm_avgpool_s8", Family::Pool, POOL, pool_slots!(I8), ctx!("ctx" average_pool)),
    AvgpoolS16 = row("arm_avgpool_s16", Family::Pool, POOL, pool_slots!(I16), ctx!("ctx" average_pool)),
    MaxPoolS8 = row("arm_max_pool_s8", Family::Pool, POOL, pool_slots!(I8), ctx!("ctx" none)),
    MaxPoolS16 = row("arm_max_pool_s16", Family::Pool, POOL, pool_slots!(I16), ctx!("ctx" none)),

    SoftmaxS8 = row("arm_softmax_s8", Family::Softmax, SOFTMAX, softmax_slots!(I8, I8), &[]).without_status(),
    SoftmaxS8S16 = row("arm_softmax_s8_s16", Family::Softmax, SOFTMAX, softmax_slots!(I8, I16), &[]).without_status(),
    SoftmaxU8 = row("arm_softmax_u8", Family::Softmax, SOFTMAX, softmax_slots!(U8, U8), &[]).without_status(),
    SoftmaxS16 = row(
        "arm_softmax_s16", Family::SoftmaxTable, SOFTMAX_TABLE,
        &[
            read("input", I16, ROWS_OF),
            read("softmax_params.exp_lut", I16, Fixed(513)),
            read("softmax_params.one_by_one_lut", I16, Fixed(513)),
            write("output", I16, ROWS_OF),
        ],
        &[]
    ),
    ReluQ7 = row("arm_relu_q7", Family::Relu, &["data", "size"], &[update("data", I8, Product(&["size"]))], &[])
        .without_status(),
    ReluQ15 = row("arm_relu_q15", Family::Relu, &["data", "size"], &[update("data", I16, Product(&["size"]))], &[])
        .without_status(),
    Relu6S8 = row("arm_relu6_s8", Family::Relu, &["data", "size"], &[update("data", I8, Product(&["size"]))], &[])
        .without_status(),
    NnActivationS16 = row(
        "arm_nn_activation_s16", Family::Gate, &["input", "output", "size", "left_shift", "type"],
        &[read("input", I16, Product(&["size"])), write("output", I16, Product(&["size"]))],
        &[]
    ).over(&["input"]),

    PadS8 = row(
        "arm_pad_s8", Family::Pad, &["input", "output", "pad_value", "input_size", "pre_pad", "post_pad"],
        &[
            read("input", I8, Product(&["input_size"])),
            write("output", I8, Computed(|parameters| match parameters {
                Parameters::Pad(pad) => pad.output_size().elements(),
                _ => 0,
            })),
        ],
        &[]
    ),
    TransposeS8 = row(
        "arm_transpose_s8", Family::Transpose,
        &["input_data", "output_data", "input_dims", "output_dims", "transpose_params"],
        &[
            read("input_data", I8, Computed(transposed)),
            write("output_data", I8, Computed(transposed)),
        ],
        &[]
    ),
    ConcatenationS8X = row(
        "arm_concatenation_s8_x", Family::Concat, CONCAT, concat_slots!(Computed(|p| concatenated(p, 0))), &[]
    ).without_status(),
    ConcatenationS8Y = row(
        "arm_concatenation_s8_y", Family::Concat, CONCAT, concat_slots!(Computed(|p| concatenated(p, 1))), &[]
    ).without_status(),
    ConcatenationS8Z = row(
        "arm_concatenation_s8_z", Family::Concat, CONCAT, concat_slots!(Computed(|p| concatenated(p, 2))), &[]
    ).without_status(),
    ConcatenationS8W = row(
        "arm_concatenation_s8_w", Family::Concat, CONCAT_OUTER, concat_slots!(AtLeast(|p| concatenated(p, 3))), &[]
    ).without_status(),
    ReshapeS8 = row(
        "arm_reshape_s8", Family::Reshape, &["input", "output", "total_size"],
        &[read("input", I8, Product(&["total_size"])), write("output", I8, Product(&["total_size"]))],
        &[]
    ).without_status(),

    LstmUnidirectionalS8 = row("arm_lstm_unidirectional_s8", Family::Lstm, LSTM, LSTM_OF_S8, LSTM_SCRATCH),
    LstmUnidirectionalS16 = row("arm_lstm_unidirectional_s16", Family::Lstm, LSTM, LSTM_OF_S16, LSTM_SCRATCH),
    SvdfS8 = row(
        "arm_svdf_s8", Family::Svdf, SVDF, svdf_slots!(I8, SVDF_SUMS),
        ctx!("ctx" none, "input_ctx" svdf_features, "output_ctx" svdf_units)
    ),
    SvdfStateS16S8 = row(
        "arm_svdf_state_s16_s8", Family::Svdf, SVDF_S16, svdf_slots!(I16),
        ctx!("input_ctx" svdf_features, "output_ctx" svdf_units)
    ),

    KilnRequantizeS8S8 =
        row("kiln_requantize_s8_s8", Family::Requantise, REQUANTISE, map_slots!(I8, I8), &[]).without_status().over(&["input"]),
    KilnRequantizeS8S16 = row("kiln_requantize_s8_s16", Family::Requantise, REQUANTISE, map_slots!(I8, I16), &[]).without_status(),
    KilnRequantizeS16S8 = row("kiln_requantize_s16_s8", Family::Requantise, REQUANTISE, map_slots!(I16, I8), &[]).without_status(),
    KilnRequantizeS16S16 = row("kiln_requantize_s16_s16", Family::Requantise, REQUANTISE, map_slots!(I16, I16), &[])
        .without_status().over(&["input"]),
    KilnRequantizeS32S8 = row("kiln_requantize_s32_s8", Family::Requantise, REQUANTISE, map_slots!(I32, I8), &[]).without_status(),
    KilnRequantizeS32S16 = row("kiln_requantize_s32_s16", Family::Requantise, REQUANTISE, map_slots!(I32, I16), &[]).without_status(),
    KilnTableS8 = row("kiln_table_s8", Family::Table, TABLE, table_slots!(256 of I8, I8, I8), &[]).without_status().over(&["input"]),
    KilnTableS8S16 = row("kiln_table_s8_s16", Family::Table, TABLE, table_slots!(256 of I16, I8, I16), &[]).without_status(),
    KilnTableS16 = row("kiln_table_s16", Family::Table, TABLE, table_slots!(65536 of I16, I16, I16), &[]).without_status().over(&["input"]),
    KilnTableInterpolatedS16 = row("kiln_table_interpolated_s16", Family::Table, TABLE, table_slots!(513 of I16, I16, I16), &[])
        .without_status().over(&["input"]),
    KilnAddSameS8 = row("kiln_add_same_s8", Family::Add, ADD, pair_slots!(I8), &[]).without_status().over(PAIR),
    KilnAddS8 = row("kiln_add_s8", Family::Broadcast, BROADCAST, broadcast_slots!(I8), &[]).without_status(),
    KilnAddS16 = row("kiln_add_s16", Family::Broadcast, BROADCAST, broadcast_slots!(I16), &[]).without_status(),
    KilnSubS8 = row("kiln_sub_s8", Family::Broadcast, BROADCAST, broadcast_slots!(I8), &[]).without_status(),
    KilnSubS16 = row("kiln_sub_s16", Family::Broadcast, BROADCAST, broadcast_slots!(I16), &[]).without_status(),
    KilnMulS8 = row("kiln_mul_s8", Family::Broadcast, BROADCAST, broadcast_slots!(I8), &[]).without_status(),
    KilnMulS16 = row("kiln_mul_s16", Family::Broadcast, BROADCAST, broadcast_slots!(I16), &[]).without_status(),
    KilnDivS8 = row("kiln_div_s8", Family::Broadcast, BROADCAST, broadcast_slots!(I8), &[]).without_status(),
    KilnDivS16 = row("kiln_div_s16", Family::Broadcast, BROADCAST, broadcast_slots!(I16), &[]).without_status(),
    KilnMinimumS8 = row("kiln_minimum_s8", Family::BroadcastMinMax, BROADCAST_MIN_MAX, broadcast_slots!(I8), &[]).without_status(),
    KilnMinimumS16 = row("kiln_minimum_s16", Family::BroadcastMinMax, BROADCAST_MIN_MAX, broadcast_slots!(I16), &[]).without_status(),
    KilnMaximumS8 = row("kiln_maximum_s8", Family::BroadcastMinMax, BROADCAST_MIN_MAX, broadcast_slots!(I8), &[]).without_status(),
    KilnMaximumS16 = row("kiln_maximum_s16", Family::BroadcastMinMax, BROADCAST_MIN_MAX, broadcast_slots!(I16), &[]).without_status(),
    KilnSumS8 = row("kiln_sum_s8", Family::AxisSum, AXIS_SUM, axis_slots!(I8, I8, OUTER_INNER), &[]).without_status(),
    KilnSumS16 = row("kiln_sum_s16", Family::AxisSum, AXIS_SUM, axis_slots!(I16, I16, OUTER_INNER), &[]).without_status(),
    KilnMeanS8 = row("kiln_mean_s8", Family::AxisMean, AXIS_MEAN, axis_slots!(I8, I8, OUTER_INNER), &[]).without_status(),
    KilnArgmaxS8 = row("kiln_argmax_s8", Family::AxisArgmax, AXIS_ARGMAX, axis_slots!(I8, I32, OUTER_INNER), &[]).without_status(),
    KilnArgmaxS16 = row("kiln_argmax_s16", Family::AxisArgmax, AXIS_ARGMAX, axis_slots!(I16, I32, OUTER_INNER), &[]).without_status(),
    KilnSoftmaxS8 = row("kiln_softmax_s8", Family::AxisSoftmax, AXIS_SOFTMAX,
        axis_slots!(I8, I8, Product(&["outer", "n", "inner"])), &[]).without_status(),
    KilnSoftmaxS16 = row("kiln_softmax_s16", Family::AxisSoftmax, AXIS_SOFTMAX,
        axis_slots!(I16, I16, Product(&["outer", "n", "inner"])), &[]).without_status(),
    KilnAvgPoolS8 = row("kiln_avg_pool_s8", Family::CountedPool, COUNTED_POOL, own_pool_slots!(I8), &[]),
    KilnAvgPoolS16 = row("kiln_avg_pool_s16", Family::CountedPool, COUNTED_POOL, own_pool_slots!(I16), &[]),
    KilnMaxPoolS8 = row("kiln_max_pool_s8", Family::DilatedPool, DILATED_POOL, own_pool_slots!(I8), &[]),
    KilnMaxPoolS16 = row("kiln_max_pool_s16", Family::DilatedPool, DILATED_POOL, own_pool_slots!(I16), &[]),
    KilnResizeS8 = row("kiln_resize_s8", Family::Resize, RESIZE, resize_slots!(I8), &[]),
    KilnResizeS16 = row("kiln_resize_s16", Family::Resize, RESIZE, resize_slots!(I16), &[]),
    KilnPad = row(
        "kiln_pad", Family::Border, &["padding", "mode", "value", "element_size", "input", "output"],
        &[
            read("value", MOVED, Fixed(1)).optional(),
            read("input", MOVED, Product(&["padding.sizes"])),
            write("output", MOVED, Computed(visited)),
        ],
        &[]
    ),
    KilnGather = row(
        "kiln_gather", Family::Gather, &["input", "outer", "n", "inner_bytes", "indices", "count", "output"],
        &[read("input", MOVED, ANY), read("indices", I32, Product(&["count"])), write("output", MOVED, ANY)],
        &[]
    ),
    KilnGatherElements = row(
        "kiln_gather_elements", Family::GatherElements,
        &["strides", "axis_size", "axis_stride", "element_size", "input", "indices", "output"],
        &[read("input", MOVED, ANY), read("indices", I32, ANY), write("output", MOVED, Computed(visited))],
        &[]
    ),
    KilnCopy = row("kiln_copy", Family::Copy, &["strides", "element_size", "input", "output"],
        &[read("input", MOVED, ANY), Slot::part("output", MOVED, ANY)], &[]),

    KilnNegF32 = row("kiln_neg_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAbsF32 = row("kiln_abs_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSignF32 = row("kiln_sign_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSquareF32 = row("kiln_square_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnReciprocalF32 = row("kiln_reciprocal_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnFloorF32 = row("kiln_floor_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnCeilF32 = row("kiln_ceil_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnRoundF32 = row("kiln_round_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnTruncF32 = row("kiln_trunc_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnHardsigmoidF32 = row("kiln_hardsigmoid_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnHardswishF32 = row("kiln_hardswish_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnExpF32 = row("kiln_exp_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnExp2F32 = row("kiln_exp2_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnExpm1F32 = row("kiln_expm1_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnLogF32 = row("kiln_log_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnLog2F32 = row("kiln_log2_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnLog10F32 = row("kiln_log10_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnLog1pF32 = row("kiln_log1p_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnLogSigmoidF32 = row("kiln_log_sigmoid_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSqrtF32 = row("kiln_sqrt_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnRsqrtF32 = row("kiln_rsqrt_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSinF32 = row("kiln_sin_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnCosF32 = row("kiln_cos_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnTanF32 = row("kiln_tan_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAsinF32 = row("kiln_asin_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAcosF32 = row("kiln_acos_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAtanF32 = row("kiln_atan_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSinhF32 = row("kiln_sinh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnCoshF32 = row("kiln_cosh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAsinhF32 = row("kiln_asinh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAcoshF32 = row("kiln_acosh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnAtanhF32 = row("kiln_atanh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnTanhF32 = row("kiln_tanh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnGeluTanhF32 = row("kiln_gelu_tanh_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSigmoidF32 = row("kiln_sigmoid_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSiluF32 = row("kiln_silu_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnMishF32 = row("kiln_mish_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnErfF32 = row("kiln_erf_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnGeluF32 = row("kiln_gelu_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnErfinvF32 = row("kiln_erfinv_f32", Family::Map, MAP, map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnClampF32 = row("kiln_clamp_f32", Family::Clamp, &["input", "min", "max", "output", "size"], map_slots!(F32, F32), &[])
        .without_status().over(&["input"]),
    KilnLeakyReluF32 = row("kiln_leaky_relu_f32", Family::LeakyRelu, &["input", "slope", "output", "size"],
        map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnEluF32 = row("kiln_elu_f32", Family::Elu, &["input", "alpha", "scale", "input_scale", "output", "size"],
        map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnSoftplusF32 = row("kiln_softplus_f32", Family::Softplus, &["input", "beta", "threshold", "output", "size"],
        map_slots!(F32, F32), &[]).without_status().over(&["input"]),
    KilnIsNanF32 = row("kiln_is_nan_f32", Family::Map, MAP, map_slots!(F32, U8), &[]).without_status(),
    KilnIsInfF32 = row("kiln_is_inf_f32", Family::Map, MAP, map_slots!(F32, U8), &[]).without_status(),
    KilnAddF32 = row("kiln_add_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnSubF32 = row("kiln_sub_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnMulF32 = row("kiln_mul_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnDivF32 = row("kiln_div_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnMaximumF32 = row("kiln_maximum_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnMinimumF32 = row("kiln_minimum_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnPreluF32 = row("kiln_prelu_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnFmodF32 = row("kiln_fmod_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnRemainderF32 = row("kiln_remainder_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnFloorDivF32 = row("kiln_floor_div_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnTruncDivF32 = row("kiln_trunc_div_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnAtan2F32 = row("kiln_atan2_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnPowF32 = row("kiln_pow_f32", Family::Pairs, BROADCAST_MIN_MAX, broadcast_slots!(F32), &[]).without_status(),
    KilnCompareF32 = row("kiln_compare_f32", Family::Compare, COMPARE, compare_slots!(F32), &[]).without_status(),
    KilnCompareS8 = row("kiln_compare_s8", Family::Compare, COMPARE, compare_slots!(I8), &[]).without_status(),
    KilnCompareU8 = row("kiln_compare_u8", Family::Compare, COMPARE, compare_slots!(U8), &[]).without_status(),
    KilnCompareS16 = row("kiln_compare_s16", Family::Compare, COMPARE, compare_slots!(I16), &[]).without_status(),
    KilnCompareS32 = row("kiln_compare_s32", Family::Compare, COMPARE, compare_slots!(I32), &[]).without_status(),
    KilnCompareS64 = row("kiln_compare_s64", Family::Compare, COMPARE, compare_slots!(I64), &[]).without_status(),
    KilnSelect = row("kiln_select", Family::Select, SELECT, SELECT_SLOTS, &[]),
    KilnIntegersU8 = row("kiln_integers_u8", Family::Integers, INTEGERS, broadcast_slots!(U8), &[]),
    KilnIntegersS8 = row("kiln_integers_s8", Family::Integers, INTEGERS, broadcast_slots!(I8), &[]),
    KilnIntegersS16 = row("kiln_integers_s16", Family::Integers, INTEGERS, broadcast_slots!(I16), &[]),
    KilnIntegersS32 = row("kiln_integers_s32", Family::Integers, INTEGERS, broadcast_slots!(I32), &[]),
    KilnIntegersS64 = row("kiln_integers_s64", Family::Integers, INTEGERS, broadcast_slots!(I64), &[]),
    KilnCast = row("kiln_cast", Family::Cast, &["input", "from", "output", "to", "size"], map_slots!(MOVED, MOVED), &[]).without_status(),
    KilnQuantizeS8 = row("kiln_quantize_s8", Family::Quantise, QUANTISE, quantise_slots!(F32, "inverse_scales", I8), &[]).without_status(),
    KilnQuantizeU8 = row("kiln_quantize_u8", Family::Quantise, QUANTISE, quantise_slots!(F32, "inverse_scales", U8), &[]).without_status(),
    KilnQuantizeS16 =
        row("kiln_quantize_s16", Family::Quantise, QUANTISE, quantise_slots!(F32, "inverse_scales", I16), &[]).without_status(),
    KilnDequantizeS8 = row("kiln_dequantize_s8", Family::Dequantise, DEQUANTISE, quantise_slots!(I8, "scales", F32), &[]).without_status(),
    KilnDequantizeU8 = row("kiln_dequantize_u8", Family::Dequantise, DEQUANTISE, quantise_slots!(U8, "scales", F32), &[]).without_status(),
    KilnDequantizeS16 =
        row("kiln_dequantize_s16", Family::Dequantise, DEQUANTISE, quantise_slots!(I16, "scales", F32), &[]).without_status(),
    KilnDequantizeS32 =
        row("kiln_dequantize_s32", Family::Dequantise, DEQUANTISE, quantise_slots!(I32, "scales", F32), &[]).without_status(),
    KilnMatmulF32 = row("kiln_matmul_f32", Family::FloatMatmul, &["matrices", "batches", "lhs", "rhs", "bias", "output"],
        FLOAT_MATMUL_SLOTS, &[]).without_status(),
    KilnConvolveF32 = row("kiln_convolve_f32", Family::FloatConv, FLOAT_CONV, FLOAT_CONV_SLOTS, &[]).without_status(),
    KilnDepthwiseConvF32 = row("kiln_depthwise_conv_f32", Family::FloatConv, FLOAT_CONV, FLOAT_CONV_SLOTS, &[]).without_status(),
    KilnMaxPoolF32 = row("kiln_max_pool_f32", Family::FloatMaxPool, FLOAT_MAX_POOL, own_pool_slots!(F32), &[]).without_status(),
    KilnAvgPoolF32 = row("kiln_avg_pool_f32", Family::FloatAvgPool, FLOAT_AVG_POOL, own_pool_slots!(F32), &[]).without_status(),
    KilnSumF32 = row("kiln_sum_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, OUTER_INNER), &[]).without_status(),
    KilnMeanF32 = row("kiln_mean_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, OUTER_INNER), &[]).without_status(),
    KilnProdF32 = row("kiln_prod_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, OUTER_INNER), &[]).without_status(),
    KilnMaxF32 = row("kiln_max_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, OUTER_INNER), &[]).without_status(),
    KilnMinF32 = row("kiln_min_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, OUTER_INNER), &[]).without_status(),
    KilnSumS32 = row("kiln_sum_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, OUTER_INNER), &[]).without_status(),
    KilnSumS64 = row("kiln_sum_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, OUTER_INNER), &[]).without_status(),
    KilnMaxU8 = row("kiln_max_u8", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(U8, U8, OUTER_INNER), &[]).without_status(),
    KilnMaxS8 = row("kiln_max_s8", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I8, I8, OUTER_INNER), &[]).without_status(),
    KilnMaxS16 = row("kiln_max_s16", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I16, I16, OUTER_INNER), &[]).without_status(),
    KilnMaxS32 = row("kiln_max_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, OUTER_INNER), &[]).without_status(),
    KilnMaxS64 = row("kiln_max_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, OUTER_INNER), &[]).without_status(),
    KilnMinU8 = row("kiln_min_u8", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(U8, U8, OUTER_INNER), &[]).without_status(),
    KilnMinS8 = row("kiln_min_s8", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I8, I8, OUTER_INNER), &[]).without_status(),
    KilnMinS16 = row("kiln_min_s16", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I16, I16, OUTER_INNER), &[]).without_status(),
    KilnMinS32 = row("kiln_min_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, OUTER_INNER), &[]).without_status(),
    KilnMinS64 = row("kiln_min_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, OUTER_INNER), &[]).without_status(),
    KilnArgmaxF32 = row("kiln_argmax_f32", Family::AxisArgmax, AXIS_ARGMAX, axis_slots!(F32, I32, OUTER_INNER), &[]).without_status(),
    KilnArgminF32 = row("kiln_argmin_f32", Family::AxisArgmax, AXIS_ARGMAX, axis_slots!(F32, I32, OUTER_INNER), &[]).without_status(),
    KilnMaxPoolPlaceF32 = row("kiln_max_pool_place_f32", Family::AxisArgmax, AXIS_ARGMAX, axis_slots!(F32, I32, OUTER_INNER), &[]).without_status(),
    KilnCumsumF32 = row("kiln_cumsum_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumsumS32 = row("kiln_cumsum_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumsumS64 = row("kiln_cumsum_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnScatterF32 = row("kiln_scatter_f32", Family::Scatter, SCATTER, scatter_slots!(F32), &[]),
    KilnScatterS8 = row("kiln_scatter_s8", Family::Scatter, SCATTER, scatter_slots!(I8), &[]),
    KilnScatterU8 = row("kiln_scatter_u8", Family::Scatter, SCATTER, scatter_slots!(U8), &[]),
    KilnScatterS16 = row("kiln_scatter_s16", Family::Scatter, SCATTER, scatter_slots!(I16), &[]),
    KilnScatterS32 = row("kiln_scatter_s32", Family::Scatter, SCATTER, scatter_slots!(I32), &[]),
    KilnScatterS64 = row("kiln_scatter_s64", Family::Scatter, SCATTER, scatter_slots!(I64), &[]),
    KilnCumprodF32 = row("kiln_cumprod_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumprodS32 = row("kiln_cumprod_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumprodS64 = row("kiln_cumprod_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCummaxF32 = row("kiln_cummax_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCummaxS32 = row("kiln_cummax_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCummaxS64 = row("kiln_cummax_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumminF32 = row("kiln_cummin_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumminS32 = row("kiln_cummin_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnCumminS64 = row("kiln_cummin_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnProdS32 = row("kiln_prod_s32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I32, I32, OUTER_INNER), &[]).without_status(),
    KilnProdS64 = row("kiln_prod_s64", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(I64, I64, OUTER_INNER), &[]).without_status(),
    KilnSoftmaxF32 = row("kiln_softmax_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnLogSoftmaxF32 = row("kiln_log_softmax_f32", Family::AxisReduce, AXIS_ARGMAX, axis_slots!(F32, F32, ALL_OF_AXIS), &[])
        .without_status().over(&["input"]),
    KilnNormF32 = row("kiln_norm_f32", Family::Norm, &["input", "rows", "n", "eps", "centred", "weight", "bias", "output"],
        NORM_SLOTS, &[]).without_status().over(&["input"]),
    KilnF16ToF32 = row("kiln_f16_to_f32", Family::Map, MAP, map_slots!(F16, F32), &[]).without_status(),
    KilnBf16ToF32 = row("kiln_bf16_to_f32", Family::Map, MAP, map_slots!(BF16, F32), &[]).without_status(),
    KilnF32ToF16 = row("kiln_f32_to_f16", Family::Map, MAP, map_slots!(F32, F16), &[]).without_status(),
    KilnF32ToBf16 = row("kiln_f32_to_bf16", Family::Map, MAP, map_slots!(F32, BF16), &[]).without_status(),
    KilnTopKF32 = row("kiln_top_k_f32", Family::TopK, &["input", "outer", "n", "inner", "k", "largest", "values", "indices"],
        TOP_K_SLOTS, &[]).without_status(),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Access;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_found() {
        for &function in Function::ALL {
            assert_eq!(Function::named(function.name()), Some(function));
        }
        assert_eq!(Function::ALL.len(), ROWS.len());
        assert_eq!(Function::named("arm_nothing"), None);
    }

    /// Every slot and scratch memory is an argument or a member of one, and every function writes.
    #[test]
    fn rows_agree_with_their_arguments() {
        for row in ROWS {
            let arguments: BTreeSet<&str> = row.arguments.iter().copied().collect();
            let names = row.slots.iter().map(|slot| slot.name);
            let names: Vec<&str> = names.chain(row.scratch.iter().map(|s| s.name)).collect();
            for name in &names {
                let argument = name.split('.').next().expect("the first part");
                assert!(arguments.contains(argument), "{}: {name}", row.name);
            }
            let unique: BTreeSet<&&str> = names.iter().collect();
            assert_eq!(unique.len(), names.len(), "{}", row.name);
            assert!(
                row.slots.iter().any(|slot| slot.access != Access::Read),
                "{}",
                row.name
            );
            assert!(
                row.overwritable.iter().all(|name| row.slot(name).is_some()),
                "{}",
                row.name
            );
        }
    }
}
