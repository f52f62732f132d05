//! The buffers of functions, in the order in which calls list them.

use super::super::build::Build;
use super::super::dtype::Dtype;
use super::super::parameters::Parameters;
use super::super::row::{Extent, Slot};
use super::super::scratch;
use Extent::{AtLeast, Computed, Product};

pub(super) const I4: &[Dtype] = &[Dtype::I4];
pub(super) const I8: &[Dtype] = &[Dtype::I8];
pub(super) const U8: &[Dtype] = &[Dtype::U8];
pub(super) const I16: &[Dtype] = &[Dtype::I16];
pub(super) const I32: &[Dtype] = &[Dtype::I32];
pub(super) const I64: &[Dtype] = &[Dtype::I64];
pub(super) const F32: &[Dtype] = &[Dtype::F32];
pub(super) const F16: &[Dtype] = &[Dtype::F16];
pub(super) const BF16: &[Dtype] = &[Dtype::Bf16];
pub(super) const I32_OR_I64: &[Dtype] = &[Dtype::I32, Dtype::I64];

pub(super) const fn read(name: &'static str, dtypes: &'static [Dtype], extent: Extent) -> Slot {
    Slot::read(name, dtypes, extent)
}

pub(super) const fn write(name: &'static str, dtypes: &'static [Dtype], extent: Extent) -> Slot {
    Slot::write(name, dtypes, extent)
}

pub(super) const fn update(name: &'static str, dtypes: &'static [Dtype], extent: Extent) -> Slot {
    Slot::update(name, dtypes, extent)
}

pub(super) const INPUT: Extent = Product(&["input_dims"]);
pub(super) const FILTER: Extent = Product(&["filter_dims"]);
pub(super) const OUTPUT: Extent = Product(&["output_dims"]);
pub(super) const CHANNELS: Extent = Product(&["output_dims.c"]);

/// Input, filter, bias and output of a convolution.
macro_rules! conv_slots {
    ($data:expr, $filter:expr, $bias_name:literal $bias:expr) => {
        &[
            read("input_data", $data, INPUT),
            read("filter_data", $filter, FILTER),
            read($bias_name, $bias, CHANNELS).optional(),
            write("output_data", $data, OUTPUT),
        ]
    };
}
pub(super) const CONV_OF_S8: &[Slot] = conv_slots!(I8, I8, "bias_data" I32);
pub(super) const CONV_OF_S4: &[Slot] = conv_slots!(I8, I4, "bias_data" I32);
pub(super) const CONV_OF_S16: &[Slot] = conv_slots!(I16, I8, "bias_data.data" I32_OR_I64);
pub(super) const DEPTHWISE_OF_S16: &[Slot] = conv_slots!(I16, I8, "bias_data" I64);

/// As a convolution's, with the sums that only MVE reads, and only in place of the bias.
macro_rules! fc_slots {
    ($data:expr, $filter:expr, $bias:expr $(, $sums:expr)?) => {
        &[
            read("input_data", $data, Product(&["input_dims.n", "filter_dims.n"])),
            read("filter_data", $filter, Product(&["filter_dims.n", "filter_dims.c"])),
            read("bias_data", $bias, CHANNELS).optional(),
            write("output_data", $data, Product(&["output_dims.n", "output_dims.c"])),
            $($sums,)?
        ]
    };
}
pub(super) const FC_SUMS: Slot = read("ctx.buf", I32, CHANNELS).optional();
pub(super) const FC_OF_S8: &[Slot] = fc_slots!(I8, I8, I32, FC_SUMS);
pub(super) const FC_OF_S4: &[Slot] = fc_slots!(I8, I4, I32);
pub(super) const FC_OF_S16: &[Slot] = fc_slots!(I16, I8, I64);

macro_rules! bmm_slots {
    ($data:expr) => {
        &[
            read("input_lhs", $data, Product(&["input_lhs_dims"])),
            read("input_rhs", $data, Product(&["input_rhs_dims"])),
            write("output", $data, OUTPUT),
        ]
    };
}

pub(super) const BLOCK: Extent = Product(&["block_size"]);

macro_rules! pair_slots {
    ($data:expr) => {
        &[
            read("input_1_vect", $data, BLOCK),
            read("input_2_vect", $data, BLOCK),
            write("output", $data, BLOCK),
        ]
    };
}
pub(super) const PAIR: &[&str] = &["input_1_vect", "input_2_vect"];

/// An operand of as many bytes as the result is not repeated, so each of its elements is read where it is replaced.
pub(super) const MIN_MAX_PAIR: &[&str] = &["input_1_data", "input_2_data"];
pub(super) const MIN_MAX_SLOTS: &[Slot] = &[
    read("input_1_data", I8, Product(&["input_1_dims"])),
    read("input_2_data", I8, Product(&["input_2_dims"])),
    write("output_data", I8, OUTPUT),
];

macro_rules! pool_slots {
    ($data:expr) => {
        &[
            read("input_data", $data, INPUT),
            write("output_data", $data, OUTPUT),
        ]
    };
}

pub(super) const ROWS_OF: Extent = Product(&["num_rows", "row_size"]);

macro_rules! softmax_slots {
    ($from:expr, $to:expr) => {
        &[read("input", $from, ROWS_OF), write("output", $to, ROWS_OF)]
    };
}

macro_rules! concat_slots {
    ($extent:expr) => {
        &[
            read(
                "input",
                I8,
                Product(&["input_x", "input_y", "input_z", "input_w"]),
            ),
            Slot::part("output", I8, $extent),
        ]
    };
}

/// The elements of a concatenation whose axis has this place, from the innermost on.
pub(super) fn concatenated(parameters: &Parameters, axis: usize) -> usize {
    let Parameters::Concat(concat) = parameters else {
        return 0;
    };
    let mut sizes = [
        concat.input_x,
        concat.input_y,
        concat.input_z,
        concat.input_w,
    ];
    // The outermost axis has no size: it ends at least where the tensor does.
    sizes[axis] = concat
        .output_size
        .unwrap_or(concat.offset.saturating_add(sizes[axis]));
    sizes
        .iter()
        .map(|&size| usize::try_from(size).unwrap_or(0))
        .product()
}

/// Weights, biases and state of an LSTM.
macro_rules! lstm_slots {
    ($data:expr, $bias:expr) => {
        &[
            read("input", $data, Product(&["params.time_steps", "params.batch_size", "params.input_size"])),
            write("output", $data, Product(&["params.time_steps", "params.batch_size", "params.hidden_size"])),
            lstm_slots!(@ "forget_gate" "input_weights" I8 "input_size"),
            lstm_slots!(@ "forget_gate" "input_effective_bias" $bias),
            lstm_slots!(@ "forget_gate" "hidden_weights" I8 "hidden_size"),
            lstm_slots!(@ "forget_gate" "hidden_effective_bias" $bias),
            lstm_slots!(@ "input_gate" "input_weights" I8 "input_size"),
            lstm_slots!(@ "input_gate" "input_effective_bias" $bias),
            lstm_slots!(@ "input_gate" "hidden_weights" I8 "hidden_size"),
            lstm_slots!(@ "input_gate" "hidden_effective_bias" $bias),
            lstm_slots!(@ "cell_gate" "input_weights" I8 "input_size"),
            lstm_slots!(@ "cell_gate" "input_effective_bias" $bias),
            lstm_slots!(@ "cell_gate" "hidden_weights" I8 "hidden_size"),
            lstm_slots!(@ "cell_gate" "hidden_effective_bias" $bias),
            lstm_slots!(@ "output_gate" "input_weights" I8 "input_size"),
            lstm_slots!(@ "output_gate" "input_effective_bias" $bias),
            lstm_slots!(@ "output_gate" "hidden_weights" I8 "hidden_size"),
            lstm_slots!(@ "output_gate" "hidden_effective_bias" $bias),
            update("buffers.cell_state", I16, LSTM_STATE),
            update("buffers.hidden_state", $data, LSTM_STATE).optional(),
        ]
    };
    (@ $gate:literal $member:literal $bias:expr) => {
        read(concat!("params.", $gate, ".", $member), $bias, Product(&["params.hidden_size"]))
    };
    (@ $gate:literal $member:literal $data:ident $size:literal) => {
        read(concat!("params.", $gate, ".", $member), $data, Product(&["params.hidden_size", concat!("params.", $size)]))
    };
}
pub(super) const LSTM_STATE: Extent = Product(&["params.batch_size", "params.hidden_size"]);
pub(super) const LSTM_OF_S8: &[Slot] = lstm_slots!(I8, I32);
pub(super) const LSTM_OF_S16: &[Slot] = lstm_slots!(I16, I64);

macro_rules! svdf_slots {
    ($state:expr $(, $sums:expr)?) => {
        &[
            read("input_data", I8, Product(&["input_dims.n", "input_dims.h"])),
            update("state_data", $state, Product(&["input_dims.n", "weights_feature_dims.n", "weights_time_dims.h"])),
            read("weights_feature_data", I8, Product(&["weights_feature_dims.n", "input_dims.h"])),
            read("weights_time_data", $state, Product(&["weights_feature_dims.n", "weights_time_dims.h"])),
            read("bias_data", I32, SVDF_UNITS).optional(),
            write("output_data", I8, Computed(|parameters| scratch::svdf_units(parameters, Build::Scalar) / 4)),
            $($sums,)?
        ]
    };
}
pub(super) const SVDF_UNITS: Extent = Computed(|parameters| match parameters {
    Parameters::Svdf(svdf) => {
        scratch::svdf_units(parameters, Build::Scalar) / 4 / (svdf.input_dims.n.max(1) as usize)
    }
    _ => 0,
});
pub(super) const SVDF_SUMS: Slot =
    read("ctx.buf", I32, Product(&["weights_feature_dims.n"])).optional();

macro_rules! vector_sum_slots {
    ($sum:expr) => {
        &[
            write("vector_sum_buf", $sum, Product(&["vector_rows"])),
            read("vector_data", I8, Product(&["vector_rows", "vector_cols"])),
            read("bias_data", $sum, Product(&["vector_rows"])).optional(),
        ]
    };
}

/// Input and output of as many elements.
macro_rules! map_slots {
    ($from:expr, $to:expr) => {
        &[read("input", $from, SIZE), write("output", $to, SIZE)]
    };
}
pub(super) const SIZE: Extent = Product(&["size"]);

macro_rules! table_slots {
    ($entries:literal of $entry:expr, $from:expr, $to:expr) => {
        &[
            read("table", $entry, Extent::Fixed($entries)),
            read("input", $from, SIZE),
            write("output", $to, SIZE),
        ]
    };
}

/// Operands of any size that the strides do not leave, which is a rule.
macro_rules! broadcast_slots {
    ($data:expr) => {
        &[
            read("input_1", $data, ANY),
            read("input_2", $data, ANY),
            write("output", $data, Computed(visited)),
        ]
    };
}
pub(super) const ANY: Extent = AtLeast(|_| 0);
pub(super) const OUTER_INNER: Extent = Product(&["outer", "inner"]);

macro_rules! axis_slots {
    ($from:expr, $to:expr, $extent:expr) => {
        &[
            read("input", $from, Product(&["outer", "n", "inner"])),
            write("output", $to, $extent),
        ]
    };
}

macro_rules! own_pool_slots {
    ($data:expr) => {
        &[read("input", $data, INPUT), write("output", $data, OUTPUT)]
    };
}

/// Tables have a row of a place and weights for each element of an axis.
macro_rules! resize_slots {
    ($data:expr) => {
        &[
            read("input", $data, INPUT),
            read("rows", I32, Computed(|p| resize_words(p, 0))),
            read("columns", I32, Computed(|p| resize_words(p, 1))),
            write("output", $data, OUTPUT),
        ]
    };
}

/// The words of the table of an axis: of the height, or of the width.
pub(super) fn resize_words(parameters: &Parameters, axis: usize) -> usize {
    let Parameters::Resize(of) = parameters else {
        return 0;
    };
    let pairs = [
        (of.output_dims.h, of.row_taps),
        (of.output_dims.w, of.column_taps),
    ];
    let (places, taps) = pairs[axis];
    let words = i64::from(places) * (i64::from(taps) + 1);
    usize::try_from(words).unwrap_or(0)
}

/// What is moved by elements of 1, 2, 4 or 8 bytes.
pub(super) const MOVED: &[Dtype] = &[
    Dtype::I8,
    Dtype::U8,
    Dtype::I16,
    Dtype::I32,
    Dtype::I64,
    Dtype::F32,
    Dtype::F16,
    Dtype::Bf16,
];

/// How many elements sizes have.
fn elements(sizes: &[i32]) -> usize {
    let sizes = sizes.iter().map(|&size| usize::try_from(size).unwrap_or(0));
    sizes.product()
}

/// The elements that strides visit, or that a border makes.
pub(super) fn visited(parameters: &Parameters) -> usize {
    match parameters {
        Parameters::Broadcast(of) => of.strides.elements(),
        Parameters::BroadcastMinMax(of) => of.strides.elements(),
        Parameters::Copy(of) => of.strides.elements(),
        Parameters::GatherElements(of) => of.strides.elements(),
        Parameters::Pairs(of) => of.strides.elements(),
        Parameters::Compare(of) => of.strides.elements(),
        Parameters::Select(of) => of.strides.elements(),
        Parameters::Integers(of) => of.strides.elements(),
        Parameters::Border(of) => elements(&of.padding.output_sizes()),
        _ => 0,
    }
}

/// The elements of a transposition: the first dims, as many as it has axes.
pub(super) fn transposed(parameters: &Parameters) -> usize {
    match parameters {
        Parameters::Transpose(transpose) => transpose.input_sizes().iter().product(),
        _ => 0,
    }
}

pub(super) const ALL_OF_AXIS: Extent = Product(&["outer", "n", "inner"]);

macro_rules! compare_slots {
    ($data:expr) => {
        &[
            read("input_1", $data, ANY),
            read("input_2", $data, ANY),
            write("output", U8, Computed(visited)),
        ]
    };
}

pub(super) const SELECT_SLOTS: &[Slot] = &[
    read("condition", U8, ANY),
    read("input_1", MOVED, ANY),
    read("input_2", MOVED, ANY),
    write("output", MOVED, Computed(visited)),
];

macro_rules! scatter_slots {
    ($data:expr) => {
        &[
            read("source", $data, ANY),
            read("indices", I32, ANY),
            update("output", $data, ANY),
        ]
    };
}

macro_rules! quantise_slots {
    ($from:expr, $scales:literal, $to:expr) => {
        &[
            read("input", $from, ALL_OF_AXIS),
            read($scales, F32, Product(&["n"])),
            read("zero_points", I32, Product(&["n"])),
            write("output", $to, ALL_OF_AXIS),
        ]
    };
}

pub(super) const FLOAT_MATMUL_SLOTS: &[Slot] = &[
    read("lhs", F32, ANY),
    read("rhs", F32, ANY),
    read("bias", F32, Product(&["matrices.columns"])).optional(),
    write(
        "output",
        F32,
        Product(&["batches.sizes", "matrices.rows", "matrices.columns"]),
    ),
];

pub(super) const FLOAT_CONV_SLOTS: &[Slot] = &[
    read("input", F32, INPUT),
    read("filter", F32, FILTER),
    read("bias", F32, CHANNELS).optional(),
    write("output", F32, OUTPUT),
];

pub(super) const NORM_SLOTS: &[Slot] = &[
    read("input", F32, Product(&["rows", "n"])),
    read("weight", F32, Product(&["n"])).optional(),
    read("bias", F32, Product(&["n"])).optional(),
    write("output", F32, Product(&["rows", "n"])),
];

pub(super) const TOP_K_SLOTS: &[Slot] = &[
    read("input", F32, ALL_OF_AXIS),
    write("values", F32, Product(&["outer", "k", "inner"])),
    write("indices", I32, Product(&["outer", "k", "inner"])),
];
