//! The bytes of scratch memory that functions need (`*_get_buffer_sizes_*.c`), if GCC compiled the library.
//!
//! Compiled by armclang, `arm_convolve_1x1_s8_fast` is faster with scratch memory on cores with the DSP extension. It also runs
//! without.

use super::build::Build;
use super::parameters::{Conv, Depthwise, Parameters, TransposeConv};
use super::structs::{ConvParams, Dims};

/// The channels that a depthwise convolution computes at once on MVE (`CH_IN_BLOCK_MVE`).
pub(super) const CHANNEL_BLOCK: usize = 124;

/// The most input channels for which a transposed convolution runs as such. With more it runs as a convolution
/// (`REVERSE_TCOL_EFFICIENT_THRESHOLD`).
const REVERSED_ABOVE: i32 = 16;

/// No memory.
pub(super) fn none(_: &Parameters, _: Build) -> usize {
    0
}

fn size(n: i32) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// The elements of a window.
fn window(filter: &Dims) -> usize {
    size(filter.h) * size(filter.w)
}

/// Declares the rules of functions, each for the parameters of its family.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident($parameters:ident is $family:ident, $of:ident, $build:ident) $body:block)*) => {$(
        $(#[$doc])*
        pub(super) fn $rule($parameters: &Parameters, $build: Build) -> usize {
            match $parameters {
                Parameters::$family($of) => $body,
                _ => 0,
            }
        }
    )*};
}

rules! {
    /// `arm_convolve_s8`.
    conv_s8(parameters is Conv, conv, build) {
        columns_s8(window(&conv.filter_dims) * size(conv.input_dims.c), build)
    }

    /// `arm_convolve_1_x_n_s8`.
    conv_1_x_n_s8(parameters is Conv, conv, build) {
        match (build, row_sections(conv)) {
            (Build::Mve, Some(sections)) => sections.bytes(conv),
            _ => columns_s8(window(&conv.filter_dims) * size(conv.input_dims.c), build),
        }
    }

    /// `arm_convolve_wrapper_s8`.
    conv_wrapper_s8(parameters is Conv, conv, build) {
        route(conv).bytes(parameters, build, [conv_1_x_n_s8, conv_s8])
    }

    /// `arm_convolve_s4`, `arm_convolve_even_s4`.
    conv_s4(parameters is Conv, conv, build) {
        let column = window(&conv.filter_dims) * size(conv.input_dims.c);
        match build {
            Build::Mve => 4 * column.next_multiple_of(16),
            Build::Scalar | Build::Dsp => 4 * column,
        }
    }

    /// `arm_convolve_1_x_n_s4`.
    conv_1_x_n_s4(parameters is Conv, conv, build) {
        match (build, row_sections(conv)) {
            (Build::Mve, Some(_)) => 0,
            _ => conv_s4(parameters, build),
        }
    }

    /// `arm_convolve_wrapper_s4`.
    conv_wrapper_s4(parameters is Conv, conv, build) {
        route(conv).bytes(parameters, build, [conv_1_x_n_s4, conv_s4])
    }

    /// `arm_convolve_s16`.
    conv_s16(parameters is Conv, conv, build) {
        let column = window(&conv.filter_dims) * size(conv.input_dims.c);
        match build {
            Build::Mve => 8 * column.next_multiple_of(8),
            Build::Scalar | Build::Dsp => 4 * column,
        }
    }

    /// `arm_depthwise_conv_s8_opt`.
    depthwise_s8_opt(parameters is Depthwise, conv, build) {
        match build {
            Build::Scalar => 0,
            Build::Dsp | Build::Mve => blocks(conv, build),
        }
    }

    /// `arm_depthwise_conv_wrapper_s8`. With one input channel and more outputs, MVE computes a convolution with the filter transposed.
    depthwise_wrapper_s8(parameters is Depthwise, conv, build) {
        let (window, padding) = (&conv.filter_dims, &conv.dw_conv_params.padding);
        let is_small = (window.w, window.h) == (3, 3) && padding.w <= 1 && padding.h <= 1;
        match build {
            Build::Mve if conv.input_dims.c == 1 && conv.output_dims.c > 1 => {
                conv_wrapper_s8(&conv.as_convolution().into(), build) + conv.filter_dims.elements()
            }
            _ if !is_optimised(conv) || build != Build::Mve && is_small => 0,
            _ => depthwise_s8_opt(parameters, build),
        }
    }

    /// `arm_depthwise_conv_s4_opt`.
    depthwise_s4_opt(parameters is Depthwise, conv, build) { blocks(conv, build) }

    /// `arm_depthwise_conv_wrapper_s4`.
    depthwise_wrapper_s4(parameters is Depthwise, conv, build) {
        if is_optimised(conv) { blocks(conv, build) } else { 0 }
    }

    /// `arm_depthwise_conv_fast_s16`.
    depthwise_fast_s16(parameters is Depthwise, conv, build) {
        let column = 2 * window(&conv.filter_dims) * size(conv.input_dims.c);
        match build {
            Build::Scalar => 0,
            Build::Dsp => column,
            // Eight bytes more are read.
            Build::Mve => 4 * column + 8,
        }
    }

    /// `arm_depthwise_conv_wrapper_s16`.
    depthwise_wrapper_s16(parameters is Depthwise, conv, build) {
        let dilation = &conv.dw_conv_params.dilation;
        let is_plain = conv.dw_conv_params.ch_mult == 1 && (dilation.w, dilation.h) == (1, 1);
        match is_plain && window(&conv.filter_dims) < 512 {
            true => depthwise_fast_s16(parameters, build),
            false => 0,
        }
    }

    /// `arm_transpose_conv_wrapper_s8`: columns of the convolution, or the sums of the rows of a window.
    transpose_conv(parameters is TransposeConv, conv, build) {
        match is_reversed(conv) {
            true => columns_s8(window(&conv.filter_dims) * size(conv.input_dims.c), build),
            false => transpose_conv_sums(parameters, build),
        }
    }

    /// `arm_transpose_conv_s8`. The library's own rule confuses the stride of the height with that of the width. This size is
    /// enough for either.
    transpose_conv_sums(parameters is TransposeConv, conv, _build) {
        let stride = &conv.transpose_conv_params.stride;
        let (filter, input) = (&conv.filter_dims, &conv.input_dims);
        let columns = size((input.w - 1) * stride.w + filter.w.max(stride.w).max(stride.h));
        4 * columns * size(conv.output_dims.c) * size(filter.h.max(stride.h))
    }

    /// `arm_transpose_conv_wrapper_s8`: the filter with its windows reversed.
    transpose_conv_filter(parameters is TransposeConv, conv, _build) {
        if is_reversed(conv) { conv.filter_dims.elements() } else { 0 }
    }

    /// `arm_avgpool_s8`, `arm_avgpool_s16`: sums by channel.
    average_pool(parameters is Pool, pool, build) {
        match build {
            Build::Dsp => 4 * size(pool.input_dims.c),
            Build::Scalar | Build::Mve => 0,
        }
    }

    /// `arm_batch_matmul_s8`: kernel sums, which it computes itself.
    batch_matmul_s8(parameters is BatchMatmul, product, build) {
        match build {
            Build::Mve => 4 * size(product.input_rhs_dims.w),
            Build::Scalar | Build::Dsp => 0,
        }
    }

    /// `arm_svdf_*`: the sums of features.
    svdf_features(parameters is Svdf, svdf, _build) {
        4 * size(svdf.input_dims.n) * size(svdf.weights_feature_dims.n)
    }

    /// `arm_svdf_*`: the sums of units.
    svdf_units(parameters is Svdf, svdf, _build) {
        let rank = size(svdf.svdf_params.rank).max(1);
        4 * size(svdf.input_dims.n) * (size(svdf.weights_feature_dims.n) / rank)
    }

    /// `arm_lstm_unidirectional_*`: a gate of 16 bits.
    lstm_gate(parameters is Lstm, lstm, _build) {
        2 * size(lstm.params.batch_size) * size(lstm.params.hidden_size)
    }
}

/// Whether a transposed convolution runs as a convolution with its filter reversed.
pub(crate) fn is_reversed(conv: &TransposeConv) -> bool {
    let stride = &conv.transpose_conv_params.stride;
    stride.w <= 2 && stride.h <= 2 && conv.input_dims.c > REVERSED_ABOVE
}

/// The bytes of the columns of 8-bit elements: two columns of 16 bits, or four on MVE.
fn columns_s8(column: usize, build: Build) -> usize {
    match build {
        Build::Mve => 4 * column.next_multiple_of(16),
        Build::Scalar | Build::Dsp => 4 * column.next_multiple_of(4),
    }
}

/// The function that the wrappers of a convolution call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A window of one element.
    Pointwise,
    /// A window in an input of one row.
    Row,
    /// Any window.
    Plane,
}

impl Route {
    /// The bytes of the function that a wrapper calls: a window of one element needs none, the others have these rules.
    fn bytes(
        self,
        parameters: &Parameters,
        build: Build,
        [row, plane]: [fn(&Parameters, Build) -> usize; 2],
    ) -> usize {
        match self {
            Route::Pointwise => 0,
            Route::Row => row(parameters, build),
            Route::Plane => plane(parameters, build),
        }
    }
}

/// The route of a convolution.
pub(crate) fn route(conv: &Conv) -> Route {
    let ConvParams {
        stride,
        padding,
        dilation,
        ..
    } = &conv.conv_params;
    let (filter, input) = (&conv.filter_dims, &conv.input_dims);
    let is_grouped = input.c != filter.c;
    let is_pointwise = (padding.w, padding.h) == (0, 0) && (filter.w, filter.h) == (1, 1);
    if is_pointwise && (dilation.w, dilation.h) == (1, 1) && !is_grouped {
        return Route::Pointwise;
    }
    let is_row = input.h == 1 && filter.h == 1 && dilation.w == 1 && stride.w * input.c % 4 == 0;
    if is_row && !is_grouped {
        Route::Row
    } else {
        Route::Plane
    }
}

/// The sections of a row: how many results read padding in front, none, or padding behind, as MVE's convolution of rows counts
/// them.
pub(crate) struct Sections {
    pub left: i32,
    pub middle: i32,
    pub right: i32,
    /// Whether there is one element more of padding behind than in front.
    is_uneven: bool,
}

/// The sections of a row. `None` if they do not make up the row; MVE then computes it as a plane.
pub(crate) fn row_sections(conv: &Conv) -> Option<Sections> {
    let (stride, padding) = (conv.conv_params.stride.w.max(1), conv.conv_params.padding.w);
    let output = conv.output_dims.w;
    let uneven = row_padding(conv) % 2;
    let around = |padding: i32| (padding + stride - 1) / stride;
    let right = if padding + uneven != 0 {
        around(padding + uneven).max(1)
    } else {
        0
    };
    let left = if padding != 0 {
        around(padding).max(1)
    } else {
        0
    };
    let middle = (output - left - right).max(0);
    (left + middle + right == output).then_some(Sections {
        left,
        middle,
        right,
        is_uneven: uneven != 0,
    })
}

/// The whole padding of a row, in front and behind.
pub(crate) fn row_padding(conv: &Conv) -> i32 {
    (conv.output_dims.w - 1) * conv.conv_params.stride.w + conv.filter_dims.w - conv.input_dims.w
}

impl Sections {
    /// The bytes of the longer end of a row, with its padding.
    fn bytes(&self, conv: &Conv) -> usize {
        let channels = size(conv.input_dims.c);
        let window = size(conv.filter_dims.w) * channels;
        let left = size(conv.conv_params.padding.w) * channels;
        let right = if self.is_uneven {
            size(self.right) * channels
        } else {
            left
        };
        (window + left).max((window + right).saturating_sub(channels))
    }
}

/// Whether the wrappers of a depthwise convolution call the optimised function.
pub(crate) fn is_optimised(conv: &Depthwise) -> bool {
    let dilation = &conv.dw_conv_params.dilation;
    conv.dw_conv_params.ch_mult == 1 && conv.input_dims.n == 1 && (dilation.w, dilation.h) == (1, 1)
}

/// The bytes of a column of all channels, or on MVE of four columns of a block.
fn blocks(conv: &Depthwise, build: Build) -> usize {
    match build {
        Build::Mve => 4 * CHANNEL_BLOCK * window(&conv.filter_dims),
        Build::Scalar | Build::Dsp => 2 * size(conv.input_dims.c) * window(&conv.filter_dims),
    }
}

impl Depthwise {
    /// The convolution that MVE computes for one input channel.
    pub(crate) fn as_convolution(&self) -> Conv {
        let (params, filter) = (&self.dw_conv_params, &self.filter_dims);
        Conv {
            conv_params: ConvParams {
                stride: params.stride.clone(),
                padding: params.padding.clone(),
                dilation: params.dilation.clone(),
                ..ConvParams::default()
            },
            input_dims: self.input_dims.clone(),
            filter_dims: [filter.c, filter.h, filter.w, filter.n].into(),
            output_dims: self.output_dims.clone(),
            ..Conv::default()
        }
    }
}
