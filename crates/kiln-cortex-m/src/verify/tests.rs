//! Programs that break one rule each.

use super::verify;
use crate::dialect::*;
use bytes::Bytes;

/// A program of one call: the buffers that the row asks for, what is read as inputs except weights, which are constants of 1.
fn program(function: Function, parameters: impl Into<Parameters>) -> Program {
    let parameters = parameters.into();
    let mut program = Program::default();
    let mut buffers = Vec::new();
    for slot in function.row().slots {
        if slot.is_optional {
            buffers.push(None);
            continue;
        }
        let elements = slot
            .extent
            .elements(&parameters)
            .map_or(0, |(elements, _)| elements);
        let dtype = slot.dtypes[0];
        let ones = || Bytes::from(vec![1; dtype.bytes(elements)]);
        let role = match slot.access {
            Access::Write => Role::Output,
            Access::Update | Access::Part => Role::State(ones()),
            Access::Read if slot.name.contains("weights") || slot.name.contains("filter") => {
                Role::Constant(ones())
            }
            Access::Read => Role::Input,
        };
        buffers.push(Some(
            program.add(Buffer::new(slot.name, dtype, elements, role)),
        ));
    }
    program.call(function, parameters, &buffers);
    program
}

/// The faults of a program on a build, without their place.
fn faults(program: &Program, build: Build) -> Vec<String> {
    match verify(program, build) {
        Ok(_) => Vec::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.rule).collect(),
    }
}

/// The program passes on the build.
#[track_caller]
fn passes(program: &Program, build: Build) {
    assert_eq!(faults(program, build), Vec::<String>::new());
}

/// The program has this one fault on the build.
#[track_caller]
fn fails(program: &Program, build: Build, expected: &str) {
    assert_eq!(faults(program, build), [expected]);
}

const RANGE: Activation = Activation {
    min: -128,
    max: 127,
};

fn tile(h: i32, w: i32) -> Tile {
    Tile { w, h }
}

fn per_channel(channels: usize) -> PerChannel {
    PerChannel {
        multiplier: vec![1 << 30; channels].into(),
        shift: vec![-7; channels].into(),
    }
}

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

#[test]
fn transposed_convolutions_write_whole_strides() {
    let of = |rows: i32| {
        let filter: Dims = [2, 3, 3, 4].into();
        program(
            Function::TransposeConvS8,
            TransposeConv {
                transpose_conv_params: TransposeConvParams {
                    stride: tile(2, 2),
                    dilation: tile(1, 1),
                    activation: RANGE,
                    ..TransposeConvParams::default()
                },
                quant_params: per_channel(2),
                input_dims: [1, 3, 3, 4].into(),
                filter_dims: filter,
                output_dims: [1, rows, 7, 2].into(),
                ..TransposeConv::default()
            },
        )
    };
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

#[test]
fn kernel_sums_are_those_of_the_weights() {
    let layer = FullyConnected {
        fc_params: FcParams {
            input_offset: 3,
            activation: RANGE,
            ..FcParams::default()
        },
        quant_params: FcQuant::Tensor(PerTensor {
            multiplier: 1 << 30,
            shift: -3,
        }),
        input_dims: [1, 1, 1, 5].into(),
        filter_dims: [5, 1, 1, 2].into(),
        output_dims: [1, 1, 1, 2].into(),
        ..FullyConnected::default()
    };
    let mut program = program(Function::FullyConnectedS8, layer);
    passes(&program, Build::Dsp);
    fails(
        &program,
        Build::Mve,
        "MVE reads kernel sums, and ctx.buf is a null pointer",
    );
    let mut with_sums = |sums: [i32; 2]| {
        let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
        let name = format!("{sums:?}");
        let id = program.add(Buffer::new(
            name,
            Dtype::I32,
            2,
            Role::Constant(bytes.into()),
        ));
        program.calls[0].buffers[4] = Some(id);
        program.clone()
    };
    passes(&with_sums([15, 15]), Build::Mve);
    fails(
        &with_sums([15, 16]),
        Build::Mve,
        "ctx.buf has not the kernel sums of the weights, the input's offset and the bias",
    );
}

#[test]
fn functions_that_move_elements() {
    let transpose = |order: [i32; 4]| {
        let sizes = [2, 3, 4, 5];
        program(
            Function::TransposeS8,
            Transpose {
                input_dims: sizes.into(),
                output_dims: order.map(|axis| sizes[axis as usize]).into(),
                transpose_params: TransposeParams {
                    num_dims: 4,
                    permutations: Permutation(order.to_vec()),
                },
            },
        )
    };
    passes(&transpose([0, 2, 3, 1]), Build::Mve);
    passes(&transpose([0, 1, 3, 2]), Build::Mve);
    passes(&transpose([0, 1, 2, 3]), Build::Dsp);
    fails(
        &transpose([0, 1, 2, 3]),
        Build::Mve,
        "an order of [0, 1, 2, 3]: the last two axes are exchanged",
    );
    fails(
        &transpose([0, 1, 1, 3]),
        Build::Dsp,
        "[0, 1, 1, 3] is no order of 4 axes",
    );
    let concat = Concat {
        input_x: 2,
        input_y: 2,
        input_z: 1,
        input_w: 1,
        output_size: Some(3),
        offset: 2,
    };
    fails(
        &program(Function::ConcatenationS8X, concat),
        Build::Dsp,
        "it ends at 4, behind the result's 3",
    );
    let dims = MinMax {
        input_1_dims: [1, 3, 1, 1].into(),
        input_2_dims: [1, 3, 2, 4].into(),
        output_dims: [1, 3, 2, 4].into(),
    };
    fails(
        &program(Function::MaximumS8, dims),
        Build::Dsp,
        "[1, 3, 1, 1] with [1, 3, 2, 4]: the library skips every other row",
    );
}

#[test]
fn rows_of_a_softmax_and_windows_of_a_pool() {
    let softmax = |row_size, diff_min| Softmax {
        num_rows: 1,
        row_size,
        mult: 1 << 30,
        shift: 20,
        diff_min,
    };
    passes(&program(Function::SoftmaxS8, softmax(4095, 1)), Build::Dsp);
    fails(
        &program(Function::SoftmaxS8, softmax(4096, 0)),
        Build::Dsp,
        "rows of 4096; they have 1 to 4095 elements",
    );
    fails(
        &program(Function::SoftmaxU8, softmax(4, 1)),
        Build::Dsp,
        "diff_min is 1; without an exponential there is no sum",
    );
    let pool = |output| Pool {
        pool_params: PoolParams {
            stride: tile(2, 2),
            padding: tile(1, 1),
            activation: RANGE,
        },
        input_dims: [1, 4, 4, 3].into(),
        filter_dims: [1, 2, 2, 3].into(),
        output_dims: [1, 3, output, 3].into(),
    };
    passes(&program(Function::AvgpoolS8, pool(3)), Build::Dsp);
    assert!(
        faults(&program(Function::AvgpoolS8, pool(4)), Build::Dsp)[0]
            .starts_with("along the width a window of 2 lies outside")
    );
    let whole = |side: i32| Pool {
        pool_params: PoolParams {
            stride: tile(1, 1),
            padding: tile(0, 0),
            activation: RANGE,
        },
        input_dims: [1, side, side, 1].into(),
        filter_dims: [1, side, side, 1].into(),
        output_dims: [1, 1, 1, 1].into(),
    };
    passes(&program(Function::AvgpoolS16, whole(181)), Build::Dsp);
    fails(
        &program(Function::AvgpoolS16, whole(182)),
        Build::Dsp,
        "a sum of 33124 elements exceeds 32 bits",
    );
}

fn relu(size: i32) -> Relu {
    Relu { size }
}

#[test]
fn buffers_and_their_order() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Temporary));
    program.call(Function::ReluQ7, relu(4), &[Some(x)]);
    fails(&program, Build::Dsp, "x is read before it is written");

    program.buffers[0].role = Role::Constant(Bytes::from_static(&[1; 4]));
    fails(&program, Build::Dsp, "x is written, and is a constant");
    program.buffers[0].role = Role::State(Bytes::from_static(&[1; 3]));
    fails(&program, Build::Dsp, "3 bytes, not 4");
    program.buffers[0].role = Role::Input;
    passes(&program, Build::Dsp);
    program.calls[0].parameters = relu(5).into();
    fails(&program, Build::Dsp, "data has 4 elements, not 5");
    program.calls[0].parameters = Reshape { total_size: 4 }.into();
    fails(&program, Build::Dsp, "parameters of Reshape, not Relu");
    program.calls[0].parameters = relu(4).into();
    program.calls[0].buffers = vec![];
    fails(&program, Build::Dsp, "0 buffers, not 1");
    program.calls[0].buffers = vec![Some(BufferId(7))];
    fails(&program, Build::Dsp, "there is no buffer %7");
    program.calls.clear();
    program.add(Buffer::new("x", Dtype::I4, 3, Role::Output));
    assert_eq!(
        faults(&program, Build::Dsp),
        [
            "another buffer has its name",
            "4-bit integers that are no constant",
            "0 of its 3 elements are written"
        ]
    );
}

#[test]
fn a_result_takes_over_only_what_its_row_allows() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Input));
    let copy = Reshape { total_size: 4 };
    program.call(Function::ReshapeS8, copy, &[Some(x), Some(x)]);
    fails(&program, Build::Dsp, "input and output are the same buffer");
    let twice = Add {
        out_activation_min: -128,
        out_activation_max: 127,
        block_size: 4,
        ..Add::default()
    };
    program.calls.clear();
    program.call(Function::ElementwiseAddS8, twice, &[Some(x); 3]);
    passes(&program, Build::Dsp);
}

/// A concatenation is whole when its parts are.
#[test]
fn parts_make_up_a_whole() {
    let mut program = Program::default();
    let x = program.add(Buffer::new("x", Dtype::I8, 4, Role::Input));
    let y = program.add(Buffer::new("y", Dtype::I8, 8, Role::Output));
    let part = |offset| Concat {
        input_x: 2,
        input_y: 2,
        input_z: 1,
        input_w: 1,
        output_size: Some(4),
        offset,
    };
    program.call(Function::ConcatenationS8X, part(0), &[Some(x), Some(y)]);
    fails(&program, Build::Dsp, "4 of its 8 elements are written");
    program.call(Function::ConcatenationS8X, part(2), &[Some(x), Some(y)]);
    passes(&program, Build::Dsp);
}

/// A program of three copies, in which a branch or a loop may be.
fn copies() -> (Program, [BufferId; 4]) {
    let mut program = Program::default();
    let add = |program: &mut Program, name: &str, dtype, elements, role| {
        program.add(Buffer::new(name, dtype, elements, role))
    };
    let decides = add(&mut program, "decides", Dtype::U8, 1, Role::Input);
    let x = add(&mut program, "x", Dtype::I8, 4, Role::Input);
    let t = add(&mut program, "t", Dtype::I8, 4, Role::Temporary);
    let y = add(&mut program, "y", Dtype::I8, 4, Role::Output);
    for [from, to] in [[x, t], [t, y], [x, y]] {
        let copy = Reshape { total_size: 4 };
        program.call(Function::ReshapeS8, copy, &[Some(from), Some(to)]);
    }
    (program, [decides, x, t, y])
}

/// Behind a branch only those parts of a buffer are written that both sides write.
#[test]
fn branches_that_write_parts() {
    let (mut program, [condition, ..]) = copies();
    let copies = program.calls.split_off(0);
    let part = |first, elements| {
        let mut call = copies[2].clone();
        let copy = Reshape {
            total_size: elements,
        };
        let elements = elements as usize;
        call.parameters = copy.into();
        call.views = vec![Some(View { first, elements }); call.buffers.len()];
        call
    };
    program.flows = vec![Flow::If {
        condition,
        then: 0..1,
        otherwise: 1..2,
    }];
    program.calls = vec![part(0, 2), part(2, 2)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    program.calls.push(part(2, 2));
    fails(&program, Build::Dsp, "2 of its 4 elements are written");
    program.calls = vec![part(0, 3), part(1, 3)];
    fails(&program, Build::Dsp, "2 of its 4 elements are written");
    program.calls = vec![part(0, 2), part(0, 2), part(2, 2)];
    passes(&program, Build::Dsp);
    program.calls = vec![part(0, 4), part(0, 2), part(2, 2)];
    passes(&program, Build::Dsp);
}

/// What is read behind a branch is written by both sides, and behind a loop by more than its body.
#[test]
fn branches_and_loops() {
    let (mut program, [condition, x, t, _]) = copies();
    let branch = |then, otherwise| Flow::If {
        condition,
        then,
        otherwise,
    };
    program.flows = vec![branch(0..2, 2..3)];
    passes(&program, Build::Dsp);
    program.flows = vec![branch(0..1, 1..3)];
    assert_eq!(
        faults(&program, Build::Dsp),
        [
            "t is read before it is written",
            "0 of its 4 elements are written"
        ]
    );
    program.flows = vec![branch(0..3, 3..3)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    let looped = |condition| Flow::While {
        condition,
        test: 0..1,
        body: 1..3,
    };
    program.flows = vec![looped(condition)];
    fails(&program, Build::Dsp, "0 of its 4 elements are written");
    program.flows = vec![looped(x)];
    fails(&program, Build::Dsp, "it does not decide by a byte");
    program.buffers[t.index()] = Buffer::new("t", Dtype::U8, 1, Role::Temporary);
    program.flows = vec![branch(0..1, 2..3)];
    fails(&program, Build::Dsp, "its calls do not follow one another");
    program.flows = vec![branch(0..2, 2..2), branch(1..2, 2..3)];
    fails(
        &program,
        Build::Dsp,
        "it crosses another, or comes behind an outer one's",
    );
    let nested = |test| Flow::While {
        condition,
        test,
        body: 2..3,
    };
    program.flows = vec![nested(1..2), nested(0..2)];
    assert!(faults(&program, Build::Dsp)[0].contains("ends with the same call"));
    program.flows = vec![branch(1..1, 1..1)];
    fails(&program, Build::Dsp, "it has no calls");
    let empty = Flow::While {
        condition,
        test: 0..1,
        body: 1..1,
    };
    program.flows = vec![empty];
    fails(
        &program,
        Build::Dsp,
        "nothing changes what decides on the loop",
    );
}
