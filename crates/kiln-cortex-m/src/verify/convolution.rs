//! The rules of convolutions.

use super::rules::Rules;
use crate::dialect::scratch::{Route, is_optimised, is_reversed, route, row_padding, row_sections};
use crate::dialect::{Build, Conv, Depthwise, Dims, Dtype, Function, Tile, TransposeConv};

/// The most products of 16-bit inputs whose sum stays within 32 bits with any weights (`MAX_COL_COUNT`).
const SAFE_COLUMN: usize = 512;

/// The channels that MVE computes at once. Behind the first block it moves the bias pointer, even if it is null.
const CHANNEL_BLOCK: i32 = 124;

/// The function that a convolution comes down to in the library.
enum Kind {
    Pointwise { is_fast: bool },
    Row,
    Plane,
}

impl Rules<'_> {
    /// `arm_convolve_*`.
    pub fn conv(&mut self, conv: &Conv) {
        let params = &conv.conv_params;
        let is_wide = conv
            .bias_data
            .as_ref()
            .is_some_and(|bias| !bias.is_int32_bias);
        self.factors(
            &conv.quant_params.multiplier,
            &conv.quant_params.shift,
            conv.output_dims.c,
            is_wide,
        );
        self.range("output_data", &params.activation);
        if self.dtype("input_data") == Some(Dtype::I16) {
            self.no_offset("input_offset", params.input_offset);
            self.no_offset("output_offset", params.output_offset);
            self.bias_of_16_bits(conv);
        } else {
            self.offset("input_offset", params.input_offset);
            self.output_offset(params.output_offset);
        }
        self.extents(&conv.input_dims, &conv.output_dims);
        self.equal(
            "output channels of the filter",
            conv.filter_dims.n,
            conv.output_dims.c,
        );
        let has_groups = self.groups(conv);
        if self.windows(&params.stride, &params.padding) && has_groups {
            self.route(conv);
        }
    }

    /// Groups have equal numbers of channels. Only `arm_convolve_s8` takes several groups, and it moves the bias pointer behind
    /// the first, even if it is null.
    fn groups(&mut self, conv: &Conv) -> bool {
        let (input, group, output) = (conv.input_dims.c, conv.filter_dims.c, conv.output_dims.c);
        let divides = group > 0 && input % group == 0 && input > 0 && output % (input / group) == 0;
        self.rule(divides, || {
            format!("groups of {group} of {input} channels, for {output} channels")
        });
        let is_grouped = divides && input != group;
        let takes_groups = matches!(
            self.function(),
            Function::ConvolveS8 | Function::ConvolveWrapperS8
        );
        self.rule(!is_grouped || takes_groups, || {
            format!("{input} input channels, {group} of the filter")
        });
        self.rule(!is_grouped || self.buffer("bias_data").is_some(), || {
            "groups without a bias: the library moves the null pointer".to_owned()
        });
        divides
    }

    /// The bias has the type that the parameters say. Where the library accumulates in 32 bits, accumulators fit them.
    fn bias_of_16_bits(&mut self, conv: &Conv) {
        let is_narrow = conv
            .bias_data
            .as_ref()
            .is_some_and(|bias| bias.is_int32_bias);
        let expected = if is_narrow { Dtype::I32 } else { Dtype::I64 };
        let found = self.dtype("bias_data.data").unwrap_or(expected);
        self.rule(found == expected, || {
            format!("a bias of {found}, not {expected}")
        });
        if !is_narrow && self.build != Build::Mve {
            self.last_column(conv);
        }
    }

    /// If the number of windows is odd, the accumulator of the last one has 32 bits; all others have 64.
    fn last_column(&mut self, conv: &Conv) {
        let [_, height, width, _] = conv.output_dims.sizes();
        let column = conv.filter_dims.sizes()[1..].iter().product::<usize>();
        if column <= SAFE_COLUMN || (height * width).is_multiple_of(2) {
            return;
        }
        let filter = self
            .buffer("filter_data")
            .and_then(|filter| filter.constant());
        let greatest = filter.map(|bytes| {
            let size = |row: &[u8]| {
                row.iter()
                    .map(|&w| i64::from((w as i8).unsigned_abs()))
                    .sum::<i64>()
            };
            bytes.chunks(column).map(size).max().unwrap_or(0) << 15
        });
        self.rule(greatest.is_some_and(|greatest| greatest <= i32::MAX.into()), || {
            format!("sums of {column} products may not fit 32 bits, which the last of an odd number of windows has")
        });
    }

    /// Sizes fit the 16 bits in which the library holds them, and batches are equal.
    fn extents(&mut self, input: &Dims, output: &Dims) {
        self.equal("batches of the output", output.n, input.n);
        for (name, dims) in [("input", input), ("output", output)] {
            self.fits(&format!("height of the {name}"), dims.h, 15);
            self.fits(&format!("width of the {name}"), dims.w, 15);
            self.fits(&format!("channels of the {name}"), dims.c, 16);
        }
    }

    /// The rules of the function that a wrapper calls.
    fn route(&mut self, conv: &Conv) {
        let kind = match self.function() {
            Function::Convolve1x1S8 | Function::Convolve1x1S4 => Kind::Pointwise { is_fast: false },
            Function::Convolve1x1S8Fast | Function::Convolve1x1S4Fast => {
                Kind::Pointwise { is_fast: true }
            }
            Function::Convolve1XNS8 | Function::Convolve1XNS4 => Kind::Row,
            Function::ConvolveWrapperS8 | Function::ConvolveWrapperS4 => match route(conv) {
                Route::Pointwise => {
                    let Tile { w, h } = conv.conv_params.stride;
                    Kind::Pointwise {
                        is_fast: (w, h) == (1, 1),
                    }
                }
                Route::Row => Kind::Row,
                Route::Plane => Kind::Plane,
            },
            _ => Kind::Plane,
        };
        let is_s4 = self.dtype("filter_data") == Some(Dtype::I4);
        match kind {
            Kind::Pointwise { is_fast } => self.pointwise(conv, is_fast),
            Kind::Row => self.row(conv, is_s4),
            Kind::Plane => self.dilation(&conv.conv_params.dilation, &conv.filter_dims),
        }
        let column = conv.filter_dims.sizes()[1..].iter().product::<usize>();
        self.rule(
            self.function() != Function::ConvolveEvenS4 || column.is_multiple_of(2),
            || format!("{column} weights of a channel; it takes an even number"),
        );
    }

    /// Windows have one element, and do not leave the input.
    fn pointwise(&mut self, conv: &Conv, is_fast: bool) {
        let (stride, padding) = (&conv.conv_params.stride, &conv.conv_params.padding);
        let (input, filter, output) = (&conv.input_dims, &conv.filter_dims, &conv.output_dims);
        self.rule((padding.w, padding.h) == (0, 0), || {
            format!("a padding of {} x {}; it takes none", padding.h, padding.w)
        });
        self.rule((filter.w, filter.h) == (1, 1), || {
            format!("a filter of {} x {}, not 1 x 1", filter.h, filter.w)
        });
        if is_fast {
            self.rule((stride.w, stride.h) == (1, 1), || {
                format!("a stride of {} x {}, not 1 x 1", stride.h, stride.w)
            });
            self.equal("height of the output", output.h, input.h);
            self.equal("width of the output", output.w, input.w);
        } else {
            for (size, stride, input) in
                [(output.h, stride.h, input.h), (output.w, stride.w, input.w)]
            {
                let last = i64::from(size - 1) * i64::from(stride);
                self.rule(last < input.into(), || {
                    format!("{size} windows, {stride} apart, leave the input of {input}")
                });
            }
        }
    }

    /// Windows lie in one row. MVE copies the ends of the row with their padding, and counts the elements that it copies. Behind
    /// a row that is shorter than the filter it may copy a few further elements, which do not count.
    fn row(&mut self, conv: &Conv, is_s4: bool) {
        let (params, input, filter) = (&conv.conv_params, &conv.input_dims, &conv.filter_dims);
        self.equal("height of the input", input.h, 1);
        self.equal("dilation of the width", params.dilation.w, 1);
        self.rule(params.stride.w * input.c % 4 == 0, || {
            format!(
                "a stride of {} times {} channels is no multiple of 4",
                params.stride.w, input.c
            )
        });
        if self.build != Build::Mve {
            return self.dilation(&params.dilation, filter);
        }
        self.equal("height of the filter", filter.h, 1);
        self.equal("height of the output", conv.output_dims.h, 1);
        let (padding, total) = (params.padding.w, row_padding(conv));
        if 2 * padding + total % 2 != total {
            let behind = total - padding;
            let found = format!("a padding of {padding} in front and {behind} behind");
            return self
                .found
                .push(format!("{found}; MVE takes one more behind at most"));
        }
        let Some(sections) = row_sections(conv) else {
            self.rule(!is_s4, || {
                "so short a row has no window without padding; MVE takes none".to_owned()
            });
            return;
        };
        // Elements of the row that the last window with padding in front reads.
        let read = (sections.left - 1) * params.stride.w + filter.w - padding;
        self.rule(sections.left == 0 || read <= input.w, || {
            format!(
                "a window with padding in front and behind: a filter of {}, a row of {}",
                filter.w, input.w
            )
        });
        if is_s4 {
            self.rule(padding == 0 && total == 0 || input.c % 2 == 0, || {
                format!(
                    "{} channels with padding; MVE takes an even number",
                    input.c
                )
            });
        } else if sections.right > 0 {
            let first = params.stride.w * (sections.left + sections.middle) - padding;
            self.rule(input.w - first == filter.w - 1, || {
                format!(
                    "a stride of {} with a padding of {padding}: MVE reads beyond the row",
                    params.stride.w
                )
            });
        }
    }

    /// A window of more than one element has a dilation of at least 1.
    fn dilation(&mut self, dilation: &Tile, filter: &Dims) {
        let holds = (filter.h == 1 || dilation.h >= 1) && (filter.w == 1 || dilation.w >= 1);
        self.rule(holds, || {
            format!("a dilation of {} x {}", dilation.h, dilation.w)
        });
    }

    fn no_dilation(&mut self, dilation: &Tile) {
        self.rule((dilation.w, dilation.h) == (1, 1), || {
            format!(
                "a dilation of {} x {}; it takes none",
                dilation.h, dilation.w
            )
        });
    }

    /// `arm_depthwise_conv_*`.
    pub fn depthwise(&mut self, conv: &Depthwise) {
        let params = &conv.dw_conv_params;
        let is_wide = self.dtype("input_data") == Some(Dtype::I16);
        self.factors(
            &conv.quant_params.multiplier,
            &conv.quant_params.shift,
            conv.output_dims.c,
            is_wide,
        );
        self.range("output_data", &params.activation);
        if is_wide {
            self.no_offset("input_offset", params.input_offset);
            self.no_offset("output_offset", params.output_offset);
        } else {
            self.offset("input_offset", params.input_offset);
            self.output_offset(params.output_offset);
        }
        self.extents(&conv.input_dims, &conv.output_dims);
        let channels = i64::from(conv.input_dims.c) * i64::from(params.ch_mult);
        self.rule(
            conv.input_dims.c > 0 && channels == i64::from(conv.output_dims.c),
            || {
                format!(
                    "{} output channels, not {} times {}",
                    conv.output_dims.c, conv.input_dims.c, params.ch_mult
                )
            },
        );
        self.equal("first size of the filter", conv.filter_dims.n, 1);
        self.equal(
            "channels of the filter",
            conv.filter_dims.c,
            conv.output_dims.c,
        );
        self.dilation(&params.dilation, &conv.filter_dims);
        if self.windows(&params.stride, &params.padding) {
            self.depthwise_route(conv);
        }
    }

    fn depthwise_route(&mut self, conv: &Depthwise) {
        let (filter, padding) = (&conv.filter_dims, &conv.dw_conv_params.padding);
        let is_mve = self.build == Build::Mve;
        let is_small = (filter.w, filter.h) == (3, 3) && padding.h <= 1 && padding.w <= 1;
        match self.function() {
            Function::DepthwiseConv3x3S8 => self.depthwise_3x3(conv),
            Function::DepthwiseConvS8Opt | Function::DepthwiseConvS4Opt => {
                self.depthwise_optimised(conv)
            }
            Function::DepthwiseConvFastS16 => {
                self.no_dilation(&conv.dw_conv_params.dilation);
                self.equal(
                    "output channels for each input channel",
                    conv.dw_conv_params.ch_mult,
                    1,
                );
                self.rule(filter.w * filter.h < 512, || {
                    format!(
                        "a filter of {} x {}; it has less than 512 elements",
                        filter.h, filter.w
                    )
                });
            }
            Function::DepthwiseConvWrapperS8
                if is_mve && conv.input_dims.c == 1 && conv.output_dims.c > 1 =>
            {
                let same = conv.as_convolution();
                if route(&same) == Route::Row {
                    self.row(&same, false);
                }
            }
            Function::DepthwiseConvWrapperS8 if is_optimised(conv) && !is_mve && is_small => {
                self.depthwise_3x3(conv)
            }
            Function::DepthwiseConvWrapperS8 | Function::DepthwiseConvWrapperS4
                if is_optimised(conv) =>
            {
                self.depthwise_optimised(conv);
            }
            _ => {}
        }
    }

    fn depthwise_optimised(&mut self, conv: &Depthwise) {
        self.no_dilation(&conv.dw_conv_params.dilation);
        self.equal("batches", conv.input_dims.n, 1);
        self.equal(
            "output channels for each input channel",
            conv.dw_conv_params.ch_mult,
            1,
        );
        let is_moved = self.build == Build::Mve && conv.output_dims.c > CHANNEL_BLOCK;
        self.rule(!is_moved || self.buffer("bias_data").is_some(), || {
            format!(
                "{} channels without a bias: MVE moves the null pointer",
                conv.output_dims.c
            )
        });
    }

    /// The middle column of every window lies in the input, as it is always read.
    fn depthwise_3x3(&mut self, conv: &Depthwise) {
        let (filter, params) = (&conv.filter_dims, &conv.dw_conv_params);
        self.no_dilation(&params.dilation);
        self.equal("batches", conv.input_dims.n, 1);
        self.equal("output channels for each input channel", params.ch_mult, 1);
        self.rule((filter.w, filter.h) == (3, 3), || {
            format!("a filter of {} x {}, not 3 x 3", filter.h, filter.w)
        });
        self.rule(params.padding.w <= 1, || {
            format!("a padding of {}; the width has 1 at most", params.padding.w)
        });
        let middle = i64::from(conv.output_dims.w - 1) * i64::from(params.stride.w)
            - i64::from(params.padding.w)
            + 1;
        self.rule(middle < conv.input_dims.w.into(), || {
            format!(
                "the last window has its middle at {middle}, behind the row of {}",
                conv.input_dims.w
            )
        });
    }

    /// `arm_transpose_conv_*`.
    pub fn transpose_conv(&mut self, conv: &TransposeConv) {
        let params = &conv.transpose_conv_params;
        let (input, filter, output) = (&conv.input_dims, &conv.filter_dims, &conv.output_dims);
        self.factors(
            &conv.quant_params.multiplier,
            &conv.quant_params.shift,
            output.c,
            false,
        );
        self.range("output_data", &params.activation);
        self.offset("input_offset", params.input_offset);
        self.output_offset(params.output_offset);
        self.extents(input, output);
        self.equal("input channels of the filter", filter.c, input.c);
        self.equal("output channels of the filter", filter.n, output.c);
        self.no_dilation(&params.dilation);
        if !self.windows(&params.stride, &params.padding) {
            return;
        }
        let (stride, padding) = (&params.stride, &params.padding);
        if self.function() == Function::TransposeConvWrapperS8 && is_reversed(conv) {
            self.rule(padding.w < filter.w && padding.h < filter.h, || {
                format!(
                    "a padding of {} x {} crops a filter of {} x {}",
                    padding.h, padding.w, filter.h, filter.w
                )
            });
            return;
        }
        let whole = i64::from(input.h) * i64::from(stride.h);
        self.rule(i64::from(padding.h) <= whole, || {
            let crop = padding.h;
            format!("{crop} rows cropped in front of {whole}: the library mixes up its rows")
        });
        let rows = whole - i64::from(padding.h)
            ..=whole + i64::from((filter.h - stride.h).max(0)) - i64::from(padding.h);
        self.rule(rows.contains(&output.h.into()), || {
            format!(
                "{} rows of the output; the library writes {} to {}",
                output.h,
                rows.start(),
                rows.end()
            )
        });
        let columns = i64::from(input.w - 1) * i64::from(stride.w)
            + i64::from(filter.w.max(stride.w) - padding.w);
        self.rule(i64::from(output.w) <= columns, || {
            format!("{} columns of the output; there are {columns}", output.w)
        });
    }
}
