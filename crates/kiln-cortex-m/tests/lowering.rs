//! What graphs lower to: the functions that are called, and what is computed ahead.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::compile;
use kiln_cortex_m::cores::{CORES, Core};
use kiln_cortex_m::dialect::{Build, Function, Parameters, Program, Role};
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::verify::verify;
use kiln_target::Border;

fn core(build: Build) -> &'static Core {
    CORES.iter().find(|core| core.build == build).unwrap()
}

/// A graph of one 8-bit input, with these constants and nodes; the last value is the result.
fn graph(input: &str, output: &str, constants: &str, nodes: &str, last: u32) -> String {
    let (next, axes) = (last + 1, (0..input.split(',').count()).collect::<Vec<_>>());
    format!(
        "graph \"g\" {{\n\
        {constants}  input tensor \"x\" {axes:?}\n\
        output tensor\n\
        block b0 (%0 \"x\": f32{input}) {{\n\
        %1: i8{input} as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 \
        {{quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}}\n\
        {nodes}    %{next}: f32{output} = dequantize %{last} {{dtype=f32}}\n\
        return %{next}\n\
        }}\n\
        }}\n"
    )
}

fn compiled(text: &str, build: Build) -> Program {
    let graph = kiln_ir::text::parse(text).unwrap();
    let mut border = Border::of(&graph, true);
    compile(&graph, &mut border, core(build)).unwrap()
}

fn functions(program: &Program) -> Vec<Function> {
    program.calls.iter().map(|call| call.function).collect()
}

const LINEAR: &str = "    %2: i8[2, 2] as (per_tensor 0.25 0 in [-127, 127]) = constant {value=c0}\n\
    %3: i8[1, 2] as (per_tensor 1.0 -1 in [-128, 127]) = quantised %1, %2 {op=linear \
    {}, quant=per_tensor 1.0 -1 in [-128, 127], dtype=i8}\n";
const WEIGHT: &str =
    "  constant c0 \"w\" i8[2, 2] as (per_tensor 0.25 0 in [-127, 127]) = [100, 2, 3, 4]\n";

#[test]
fn kernel_sums_are_constants_where_they_are_read() {
    let text = graph("[1, 2]", "[1, 2]", WEIGHT, LINEAR, 3);
    for build in Build::ALL {
        let program = compiled(&text, build);
        assert_eq!(functions(&program), [Function::FullyConnectedS8]);
        let sums = program.calls[0].buffers[4];
        assert_eq!(sums.is_some(), build == Build::Mve);
        let verified = verify(&program, build).unwrap();
        let found = evaluate(&verified, &[Data::I8(vec![5, 9])]).unwrap();
        // (2 * 100 + 6 * 2) / 8 - 1 and (2 * 3 + 6 * 4) / 8 - 1, in steps of 1.
        assert_eq!(found, [Data::I8(vec![26, 3])]);
    }
}

#[test]
fn a_clamp_is_the_range_of_the_call_before_it() {
    let clamped = format!(
        "{LINEAR}    %4: i8[1, 2] as (per_tensor 1.0 -1 in [-128, 127]) = unary %3 {{f=clamp[0.0, 6.0]}}\n"
    );
    let text = graph("[1, 2]", "[1, 2]", WEIGHT, &clamped, 4);
    let program = compiled(&text, Build::Dsp);
    assert_eq!(functions(&program), [Function::FullyConnectedS8]);
    let Parameters::FullyConnected(layer) = &program.calls[0].parameters else {
        panic!("{program}");
    };
    let range = &layer.fc_params.activation;
    assert_eq!((range.min, range.max), (-1, 5));
}

#[test]
fn a_slice_that_lies_together_is_a_part_of_its_buffer() {
    let nodes = "    %2: i8[3] as (per_tensor 0.5 3 in [-128, 127]) = slice %1 {axis=0, start=2, len=3, step=1}\n\
        %3: i8[3] as (per_tensor 0.25 0 in [-128, 127]) = quantised %2 {op=unary \
        {f=tanh}, quant=per_tensor 0.25 0 in [-128, 127], dtype=i8}\n";
    let program = compiled(&graph("[6]", "[3]", "", nodes, 3), Build::Dsp);
    assert_eq!(functions(&program), [Function::KilnTableS8]);
    let view = program.calls[0].views[1].unwrap();
    assert_eq!((view.first, view.elements), (2, 3));
}

#[test]
fn a_convolution_of_one_element_is_the_function_for_it() {
    let constants =
        "  constant c0 \"w\" i8[4, 8, 1, 1] as (per_tensor 0.25 0 in [-127, 127]) = splat 100\n";
    let nodes = "    %2: i8[4, 8, 1, 1] as (per_tensor 0.25 0 in [-127, 127]) = constant {value=c0}\n\
        %3: i8[1, 4, 3, 3] as (per_tensor 8.0 0 in [-128, 127]) = quantised %1, %2 {op=conv \
        {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, \
        output_padding=[0, 0]}, quant=per_tensor 8.0 0 in [-128, 127], dtype=i8}\n";
    let text = graph("[1, 8, 3, 3]", "[1, 4, 3, 3]", constants, nodes, 3);
    let program = compiled(&text, Build::Dsp);
    assert!(
        functions(&program).contains(&Function::Convolve1x1S8Fast),
        "{program}"
    );
    let inputs = program
        .buffers
        .iter()
        .filter(|b| matches!(b.role, Role::Input));
    assert_eq!(inputs.count(), 1);
}

/// Convolutions put the channels innermost, and the numbers are for the columns.
#[test]
fn known_floats_follow_the_memory_order_of_the_operand() {
    let constants = "  constant c0 \"w\" i8[2, 2, 1, 1] as (per_tensor 0.5 0 in [-127, 127]) = [2, 0, 0, 2]\n\
        constant c1 \"k\" f32[1, 1, 1, 3] = [0.5, 1.0, 1.5]\n";
    let ty = "i8[1, 2, 2, 3] as (per_tensor 0.5 3 in [-128, 127])";
    let to = "quant=per_tensor 0.5 3 in [-128, 127], dtype=i8";
    let conv = "op=conv {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, \
        output_padding=[0, 0]}";
    let nodes = format!(
        "    %2: i8[2, 2, 1, 1] as (per_tensor 0.5 0 in [-127, 127]) = constant {{value=c0}}\n\
        %3: f32[1, 1, 1, 3] = constant {{value=c1}}\n\
        %4: {ty} = quantised %1, %2 {{{conv}, {to}}}\n\
        %5: {ty} = quantised %4, %3 {{op=binary {{f=mul}}, {to}}}\n\
        %6: {ty} = quantised %5, %2 {{{conv}, {to}}}\n"
    );
    let text = graph("[1, 2, 2, 3]", "[1, 2, 2, 3]", constants, &nodes, 6);
    for build in Build::ALL {
        let program = compiled(&text, build);
        let verified = verify(&program, build).unwrap();
        let distances: Vec<i8> = (0..12).map(|i| 2 * i - 10).collect();
        let input = distances.iter().map(|d| d + 3).collect();
        let found = evaluate(&verified, &[Data::I8(input)]);
        let scaled = distances.iter().enumerate();
        let scaled = scaled.map(|(i, d)| d * (i as i8 % 3 + 1) / 2 + 3);
        assert_eq!(found.unwrap(), [Data::I8(scaled.collect())], "{program}");
    }
}

/// CMSIS-NN finds the half of a byte by counting the taps that it reads, which is wrong for an odd count of channels in padding.
#[test]
fn narrow_depthwise_weights_are_packed_for_even_counts_of_channels() {
    for (channels, is_packed) in [(2, true), (3, false), (4, true)] {
        let outputs = 2 * channels;
        let weights: Vec<String> = (0..outputs * 4).map(|i| (i % 15 - 7).to_string()).collect();
        let constants = format!(
            "  constant c0 \"w\" i8[{outputs}, 1, 2, 2] as (per_tensor 0.25 0 in [-8, 7]) = [{}]\n",
            weights.join(", ")
        );
        let nodes = format!(
            "    %2: i8[{outputs}, 1, 2, 2] as (per_tensor 0.25 0 in [-8, 7]) = constant {{value=c0}}\n\
            %3: i8[1, {outputs}, 4, 4] as (per_tensor 1.0 -1 in [-128, 127]) = quantised %1, %2 {{op=conv \
            {{stride=[1, 1], pad_low=[1, 1], pad_high=[0, 0], dilation=[1, 1], groups={channels}, transposed=false, \
            output_padding=[0, 0]}}, quant=per_tensor 1.0 -1 in [-128, 127], dtype=i8}}\n"
        );
        let [input, output] = [channels, outputs].map(|n| format!("[1, {n}, 4, 4]"));
        let program = compiled(&graph(&input, &output, &constants, &nodes, 3), Build::Dsp);
        let calls = functions(&program);
        assert_eq!(
            calls.contains(&Function::DepthwiseConvS4),
            is_packed,
            "{channels} channels: {calls:?}"
        );
    }
}
