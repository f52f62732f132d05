//! The arguments of functions, in the order of C.

pub(super) const CONV: &[&str] = &[
    "ctx",
    "conv_params",
    "quant_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "filter_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];
/// With the null pointer that only the library's transposed convolution replaces.
pub(super) const CONV_S8: &[&str] = &[
    "ctx",
    "conv_params",
    "quant_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "filter_data",
    "bias_dims",
    "bias_data",
    "NULL",
    "output_dims",
    "output_data",
];
pub(super) const DEPTHWISE: &[&str] = &[
    "ctx",
    "dw_conv_params",
    "quant_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "filter_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];
pub(super) const TRANSPOSE_CONV: &[&str] = &[
    "ctx",
    "output_ctx",
    "transpose_conv_params",
    "quant_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "filter_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];
pub(super) const FC: &[&str] = &[
    "ctx",
    "fc_params",
    "quant_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "filter_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];
pub(super) const BMM: &[&str] = &[
    "ctx",
    "bmm_params",
    "quant_params",
    "input_lhs_dims",
    "input_lhs",
    "input_rhs_dims",
    "input_rhs",
    "output_dims",
    "output",
];
pub(super) const ADD: &[&str] = &[
    "input_1_vect",
    "input_2_vect",
    "input_1_offset",
    "input_1_mult",
    "input_1_shift",
    "input_2_offset",
    "input_2_mult",
    "input_2_shift",
    "left_shift",
    "output",
    "out_offset",
    "out_mult",
    "out_shift",
    "out_activation_min",
    "out_activation_max",
    "block_size",
];
pub(super) const MUL: &[&str] = &[
    "input_1_vect",
    "input_2_vect",
    "input_1_offset",
    "input_2_offset",
    "output",
    "out_offset",
    "out_mult",
    "out_shift",
    "out_activation_min",
    "out_activation_max",
    "block_size",
];
pub(super) const MIN_MAX: &[&str] = &[
    "ctx",
    "input_1_data",
    "input_1_dims",
    "input_2_data",
    "input_2_dims",
    "output_data",
    "output_dims",
];
pub(super) const POOL: &[&str] = &[
    "ctx",
    "pool_params",
    "input_dims",
    "input_data",
    "filter_dims",
    "output_dims",
    "output_data",
];
pub(super) const SOFTMAX: &[&str] = &[
    "input", "num_rows", "row_size", "mult", "shift", "diff_min", "output",
];
pub(super) const SOFTMAX_TABLE: &[&str] = &[
    "input",
    "num_rows",
    "row_size",
    "mult",
    "shift",
    "softmax_params",
    "output",
];
pub(super) const CONCAT: &[&str] = &[
    "input",
    "input_x",
    "input_y",
    "input_z",
    "input_w",
    "output",
    "output_size",
    "offset",
];
pub(super) const CONCAT_OUTER: &[&str] = &[
    "input", "input_x", "input_y", "input_z", "input_w", "output", "offset",
];
pub(super) const LSTM: &[&str] = &["input", "output", "params", "buffers"];
pub(super) const REQUANTISE: &[&str] = &["scaling", "input", "output", "size"];
pub(super) const TABLE: &[&str] = &["table", "input", "output", "size"];
pub(super) const BROADCAST: &[&str] = &["operands", "strides", "input_1", "input_2", "output"];
pub(super) const BROADCAST_MIN_MAX: &[&str] = &["strides", "input_1", "input_2", "output"];
pub(super) const AXIS_SUM: &[&str] = &["scaling", "input", "outer", "n", "inner", "output"];
pub(super) const AXIS_MEAN: &[&str] = &["mean", "input", "outer", "n", "inner", "output"];
pub(super) const AXIS_ARGMAX: &[&str] = &["input", "outer", "n", "inner", "output"];
pub(super) const SVDF: &[&str] = &[
    "ctx",
    "input_ctx",
    "output_ctx",
    "svdf_params",
    "input_quant_params",
    "output_quant_params",
    "input_dims",
    "input_data",
    "state_dims",
    "state_data",
    "weights_feature_dims",
    "weights_feature_data",
    "weights_time_dims",
    "weights_time_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];
pub(super) const SVDF_S16: &[&str] = &[
    "input_ctx",
    "output_ctx",
    "svdf_params",
    "input_quant_params",
    "output_quant_params",
    "input_dims",
    "input_data",
    "state_dims",
    "state_data",
    "weights_feature_dims",
    "weights_feature_data",
    "weights_time_dims",
    "weights_time_data",
    "bias_dims",
    "bias_data",
    "output_dims",
    "output_data",
];

pub(super) const COUNTED_POOL: &[&str] = &[
    "params",
    "average",
    "input_dims",
    "input",
    "filter_dims",
    "output_dims",
    "output",
];
pub(super) const RESIZE: &[&str] = &[
    "scaling",
    "input_dims",
    "input",
    "rows",
    "row_taps",
    "columns",
    "column_taps",
    "output_dims",
    "output",
];
pub(super) const DILATED_POOL: &[&str] = &[
    "params",
    "dilation",
    "input_dims",
    "input",
    "filter_dims",
    "output_dims",
    "output",
];

pub(super) const MAP: &[&str] = &["input", "output", "size"];
pub(super) const COMPARE: &[&str] = &["strides", "comparison", "input_1", "input_2", "output"];
pub(super) const SELECT: &[&str] = &[
    "strides",
    "condition_strides",
    "element_size",
    "condition",
    "input_1",
    "input_2",
    "output",
];
pub(super) const INTEGERS: &[&str] = &["strides", "function", "input_1", "input_2", "output"];
pub(super) const QUANTISE: &[&str] = &[
    "input",
    "outer",
    "n",
    "inner",
    "inverse_scales",
    "zero_points",
    "activation",
    "output",
];
pub(super) const DEQUANTISE: &[&str] = &[
    "input",
    "outer",
    "n",
    "inner",
    "scales",
    "zero_points",
    "output",
];
pub(super) const FLOAT_CONV: &[&str] = &[
    "convolution",
    "input_dims",
    "input",
    "filter_dims",
    "filter",
    "bias",
    "output_dims",
    "output",
];
pub(super) const SCATTER: &[&str] = &[
    "strides",
    "source_strides",
    "function",
    "axis_size",
    "axis_stride",
    "source",
    "indices",
    "output",
];
pub(super) const AXIS_SOFTMAX: &[&str] = &[
    "input",
    "outer",
    "n",
    "inner",
    "multiplier",
    "shift",
    "diff_min",
    "output",
];
pub(super) const FLOAT_MAX_POOL: &[&str] = &[
    "windows",
    "input_dims",
    "input",
    "filter_dims",
    "output_dims",
    "output",
];
pub(super) const FLOAT_AVG_POOL: &[&str] = &[
    "windows",
    "divisor",
    "padding_counts",
    "input_dims",
    "input",
    "filter_dims",
    "output_dims",
    "output",
];
