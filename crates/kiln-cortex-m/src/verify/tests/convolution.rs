//! Programs that break a rule of convolutions.

use super::{RANGE, fails, faults, passes, per_channel, program, tile};
use crate::dialect::*;

/// A convolution of a stride of 1 without padding.
fn conv(input: [i32; 4], filter: [i32; 4], output: [i32; 4]) -> Conv {
    Conv {
        conv_params: ConvParams {
            stride: tile(1, 1),
            dilation: tile(1, 1),
            activation: RANGE,
            ..ConvParams::default()
        },
        quant_params: per_channel(output[3] as usize),
        input_dims: input.into(),
        filter_dims: filter.into(),
        output_dims: output.into(),
        ..Conv::default()
    }
}

fn depthwise(input: [i32; 4], filter: [i32; 4], output: [i32; 4]) -> Depthwise {
    Depthwise {
        dw_conv_params: DwConvParams {
            ch_mult: output[3] / input[3],
            stride: tile(1, 1),
            dilation: tile(1, 1),
            activation: RANGE,
            ..DwConvParams::default()
        },
        quant_params: per_channel(output[3] as usize),
        input_dims: input.into(),
        filter_dims: filter.into(),
        output_dims: output.into(),
        ..Depthwise::default()
    }
}

#[test]
fn parameters_of_convolutions() {
    let plain = || conv([1, 4, 4, 2], [3, 3, 3, 2], [1, 2, 2, 3]);
    let function = Function::ConvolveS8;
    Build::ALL
        .into_iter()
        .for_each(|build| passes(&program(function, plain()), build));
    let fails_with = |change: fn(&mut Conv), expected: &str| {
        let mut conv = plain();
        change(&mut conv);
        fails(&program(function, conv), Build::Dsp, expected);
    };
    fails_with(
        |c| c.conv_params.input_offset = 129,
        "input_offset is 129; it is -127 to 128",
    );
    fails_with(
        |c| c.conv_params.output_offset = 1 << 20,
        "the output's offset is 1048576",
    );
    fails_with(
        |c| c.conv_params.activation.max = 128,
        "the range is -128 to 128; it lies within -128 to 127",
    );
    fails_with(
        |c| c.conv_params.activation.max = -129,
        "the range is -128 to -129; it lies within -128 to 127",
    );
    fails_with(|c| c.conv_params.stride.w = 0, "a stride of 1 x 0");
    fails_with(|c| c.conv_params.padding.h = -1, "a padding of -1 x 0");
    fails_with(|c| c.conv_params.dilation.h = 0, "a dilation of 0 x 1");
    fails_with(
        |c| c.quant_params.multiplier = vec![1 << 30, -1, 1 << 30].into(),
        "the multiplier of channel 1 is -1; it is not negative",
    );
    fails_with(
        |c| c.quant_params.shift = vec![-7, -7, 31].into(),
        "the shift of channel 2 is 31; it is -31 to 30",
    );
    fails_with(
        |c| c.quant_params.shift = vec![-7; 2].into(),
        "[3, 2] multipliers and shifts of 3 channels",
    );
    fails_with(
        |c| c.filter_dims.n = 4,
        "output channels of the filter: 4, not 3",
    );
    fails_with(|c| c.output_dims.n = 2, "batches of the output: 2, not 1");
    fails_with(
        |c| c.filter_dims.c = 3,
        "groups of 3 of 2 channels, for 3 channels",
    );
    fails_with(|c| c.input_dims.h = -4, "input_dims is [1, -4, 4, 2]");
    fails_with(
        |c| {
            c.bias_data = Some(BiasData {
                is_int32_bias: true,
            })
        },
        "the function has no bias_data",
    );
}

#[test]
fn groups_need_a_bias() {
    let grouped = conv([1, 4, 4, 4], [2, 3, 3, 2], [1, 2, 2, 2]);
    fails(
        &program(Function::ConvolveS8, grouped.clone()),
        Build::Scalar,
        "groups without a bias: the library moves the null pointer",
    );
    let mut with_bias = program(Function::ConvolveS8, grouped.clone());
    let bias = with_bias.add(Buffer::new("bias_data", Dtype::I32, 2, Role::Input));
    with_bias.calls[0].buffers[2] = Some(bias);
    passes(&with_bias, Build::Scalar);
    let with_s4 = faults(&program(Function::ConvolveS4, grouped), Build::Scalar);
    assert_eq!(with_s4[0], "4 input channels, 2 of the filter");
}

#[test]
fn windows_of_one_element() {
    let strided = |function, output| {
        let mut conv = conv([1, 5, 5, 4], [3, 1, 1, 4], output);
        conv.conv_params.stride = tile(2, 2);
        program(function, conv)
    };
    passes(&strided(Function::Convolve1x1S8, [1, 3, 3, 3]), Build::Mve);
    fails(
        &strided(Function::Convolve1x1S8, [1, 4, 3, 3]),
        Build::Mve,
        "4 windows, 2 apart, leave the input of 5",
    );
    let fast = faults(
        &strided(Function::Convolve1x1S8Fast, [1, 5, 5, 3]),
        Build::Mve,
    );
    assert_eq!(fast, ["a stride of 2 x 2, not 1 x 1"]);
    let wide = conv([1, 4, 4, 2], [3, 3, 3, 2], [1, 2, 2, 3]);
    assert!(
        faults(&program(Function::Convolve1x1S8, wide), Build::Scalar)
            .contains(&"a filter of 3 x 3, not 1 x 1".into())
    );
}

/// MVE computes rows by sections with and without padding; where it counts wrongly, other builds do not.
#[test]
fn rows_on_mve() {
    let row = |stride, padding, width, output| {
        let mut conv = conv([1, 1, width, 4], [2, 1, 5, 4], [1, 1, output, 2]);
        conv.conv_params.stride = tile(1, stride);
        conv.conv_params.padding = tile(0, padding);
        program(Function::ConvolveWrapperS8, conv)
    };
    passes(&row(1, 2, 10, 10), Build::Mve);
    let even = row(2, 2, 9, 5);
    passes(&even, Build::Dsp);
    fails(
        &even,
        Build::Mve,
        "a stride of 2 with a padding of 2: MVE reads beyond the row",
    );
    let unused = row(4, 0, 12, 2);
    passes(&unused, Build::Dsp);
    fails(
        &unused,
        Build::Mve,
        "a padding of 0 in front and -3 behind; MVE takes one more behind at most",
    );
    fails(
        &program(
            Function::ConvolveEvenS4,
            conv([1, 4, 4, 1], [1, 3, 3, 1], [1, 2, 2, 1]),
        ),
        Build::Mve,
        "9 weights of a channel; it takes an even number",
    );
    let elsewhere = program(
        Function::ConvolveEvenS4,
        conv([1, 4, 4, 2], [1, 3, 3, 2], [1, 2, 2, 1]),
    );
    passes(&elsewhere, Build::Mve);
    fails(&elsewhere, Build::Dsp, "the dsp build does not have it");
}

#[test]
fn depthwise_convolutions_of_3x3_read_the_middle() {
    let strided = |width, output| {
        let mut conv = depthwise([1, 5, width, 4], [1, 3, 3, 4], [1, 2, output, 4]);
        conv.dw_conv_params.stride = tile(2, 2);
        program(Function::DepthwiseConvWrapperS8, conv)
    };
    passes(&strided(6, 3), Build::Dsp);
    fails(
        &strided(5, 3),
        Build::Dsp,
        "the last window has its middle at 5, behind the row of 5",
    );
    passes(&strided(5, 3), Build::Mve);
    let many = program(
        Function::DepthwiseConvS8Opt,
        depthwise([1, 5, 5, 125], [1, 3, 3, 125], [1, 3, 3, 125]),
    );
    passes(&many, Build::Dsp);
    fails(
        &many,
        Build::Mve,
        "125 channels without a bias: MVE moves the null pointer",
    );
}

/// A transposed convolution of 3 x 3 elements to `rows` x 7.
fn transposed(kernel: i32, rows: i32) -> TransposeConv {
    TransposeConv {
        transpose_conv_params: TransposeConvParams {
            stride: tile(2, 2),
            dilation: tile(1, 1),
            activation: RANGE,
            ..TransposeConvParams::default()
        },
        quant_params: per_channel(2),
        input_dims: [1, 3, 3, 4].into(),
        filter_dims: [2, kernel, kernel, 4].into(),
        output_dims: [1, rows, 7, 2].into(),
        ..TransposeConv::default()
    }
}

#[test]
fn transposed_convolutions_crop_what_they_have() {
    let cropped = |crop: i32, rows: i32| {
        let mut conv = transposed(9, rows);
        conv.transpose_conv_params.padding.h = crop;
        program(Function::TransposeConvS8, conv)
    };
    passes(&cropped(6, 5), Build::Dsp);
    fails(
        &cropped(7, 5),
        Build::Dsp,
        "7 rows cropped in front of 6: the library mixes up its rows",
    );
}

#[test]
fn transposed_convolutions_write_whole_strides() {
    let of = |rows: i32| program(Function::TransposeConvS8, transposed(3, rows));
    passes(&of(6), Build::Dsp);
    passes(&of(7), Build::Dsp);
    fails(
        &of(5),
        Build::Dsp,
        "5 rows of the output; the library writes 6 to 7",
    );
    fails(
        &of(8),
        Build::Dsp,
        "8 rows of the output; the library writes 6 to 7",
    );
}
