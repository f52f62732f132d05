//! Layers, sums and products whose scales are far apart: results stay within a step, in integers or in floats.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use kiln_cortex_m::dialect::{Build, Program};
use kiln_cortex_m::evaluate::{Data, evaluate as evaluate_program};
use kiln_cortex_m::{CortexM, compile, pipeline};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::Graph;
use kiln_target::Border;
use kiln_transforms::framework::pass::run_pipeline;
use meaning::{floats, host, of_data};

/// A quantisation as text.
struct Quant {
    dtype: &'static str,
    scale: f64,
    zero_point: i64,
}

impl Quant {
    fn text(&self) -> String {
        let end = if self.dtype == "i8" { 128 } else { 32_768 };
        let (scale, zero_point) = (self.scale, self.zero_point);
        format!("per_tensor {scale:e} {zero_point} in [-{end}, {}]", end - 1)
    }

    /// The lines that quantise and dequantise a value of these sizes: `%to` is quantised, `%to + 1` its floats.
    fn lines(&self, from: u32, to: u32, sizes: &str) -> String {
        let (quant, dtype, next) = (self.text(), self.dtype, to + 1);
        format!(
            "    %{to}: {dtype}{sizes} as ({quant}) = quantize %{from} {{quant={quant}, dtype={dtype}}}\n\
            %{next}: f32{sizes} = dequantize %{to} {{dtype=f32}}\n"
        )
    }
}

const fn i8_of(scale: f64) -> Quant {
    Quant {
        dtype: "i8",
        scale,
        zero_point: 0,
    }
}

const fn i16_of(scale: f64) -> Quant {
    Quant {
        dtype: "i16",
        scale,
        zero_point: 0,
    }
}

/// A linear layer of two inputs and outputs, with a scale, weights and a bias for each output.
fn linear(x: &Quant, scales: [f64; 2], weights: [i8; 4], bias: [f64; 2], y: &Quant) -> String {
    let scheme = format!("per_channel 0 {scales:?} [0, 0] in [-128, 127]");
    format!(
        "graph \"g\" {{\n\
        constant c0 \"w\" i8[2, 2] as ({scheme}) = {weights:?}\n\
        constant c1 \"b\" f32[2] = {bias:?}\n\
        input tensor \"x\" [0, 1]\n\
        output tensor\n\
        block b0 (%0 \"x\": f32[1, 2]) {{\n\
        {}    %3: i8[2, 2] as ({scheme}) = constant {{value=c0}}\n\
        %4: f32[2, 2] = dequantize %3 {{dtype=f32}}\n\
        %5: f32[2] = constant {{value=c1}}\n\
        %6: f32[1, 2] = linear %2, %4, %5 {{}}\n\
        {}    return %8\n\
        }}\n\
        }}\n",
        x.lines(0, 1, "[1, 2]"),
        y.lines(6, 7, "[1, 2]")
    )
}

/// The sum of an input and a float for each channel.
fn sum(x: &Quant, numbers: [f64; 2], y: &Quant) -> String {
    format!(
        "graph \"g\" {{\n\
        constant c0 \"c\" f32[1, 2] = {numbers:?}\n\
        input tensor \"x\" [0, 1]\n\
        output tensor\n\
        block b0 (%0 \"x\": f32[1, 2]) {{\n\
        {}    %3: f32[1, 2] = constant {{value=c0}}\n\
        %4: f32[1, 2] = binary %2, %3 {{f=add}}\n\
        {}    return %6\n\
        }}\n\
        }}\n",
        x.lines(0, 1, "[1, 2]"),
        y.lines(4, 5, "[1, 2]")
    )
}

/// The product of a row and a column, both computed.
fn product(x: &Quant, y: &Quant) -> String {
    format!(
        "graph \"g\" {{\n\
        input tensor \"x\" [0, 1]\n\
        output tensor\n\
        block b0 (%0 \"x\": f32[1, 2]) {{\n\
        {}    %3: f32[2, 1] = move %2 {{movement=(a:1 b:2 -> b a)}}\n\
        %4: f32[1, 1] = matmul %2, %3 {{}}\n\
        {}    return %6\n\
        }}\n\
        }}\n",
        x.lines(0, 1, "[1, 2]"),
        y.lines(4, 5, "[1, 1]")
    )
}

/// The averages of windows of 3 x 3 of two channels.
fn average(x: &Quant, y: &Quant) -> String {
    format!(
        "graph \"g\" {{\n  input tensor \"x\" [0, 1, 2, 3]\n  output tensor\n  block b0 (%0 \"x\": f32[1, 2, 3, 3]) {{\n{}    %3: f32[1, 2, 1, 1] = pool %2 {{f=avg none, kernel=[3, 3], stride=[3, 3], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}}\n{}    return %5\n  }}\n}}\n",
        x.lines(0, 1, "[1, 2, 3, 3]"),
        y.lines(3, 4, "[1, 2, 1, 1]")
    )
}

/// The maxima of windows of 2 elements that lie 2 apart, with a border of 1: that in the middle lies in it.
fn maxima(x: &Quant, y: &Quant) -> String {
    format!(
        "graph \"g\" {{\n  input tensor \"x\" [0, 1, 2, 3]\n  output tensor\n  block b0 (%0 \"x\": f32[1, 1, 2, 1]) {{\n{}    %3: f32[1, 1, 2, 1] = pool %2 {{f=max, kernel=[1, 2], stride=[1, 1], pad_low=[0, 1], pad_high=[0, 1], dilation=[1, 2], ceil=false}}\n{}    return %5\n  }}\n}}\n",
        x.lines(0, 1, "[1, 1, 2, 1]"),
        y.lines(3, 4, "[1, 1, 2, 1]")
    )
}

fn program(graph: &Graph) -> Program {
    let mut after = graph.clone();
    let target = CortexM { core: host() };
    run_pipeline(&mut after, &target, pipeline(), &Default::default()).unwrap();
    let mut border = Border::of(&after, false);
    compile(&after, &mut border, host()).unwrap()
}

/// Checks a graph with the ends of its input, 0 and numbers between. Returns whether it computes in integers.
fn check(text: &str, x: &Quant, step: f64) -> bool {
    check_within(1.01, text, x, step)
}

/// As [`check`], within so many steps.
fn check_within(most: f64, text: &str, x: &Quant, step: f64) -> bool {
    let graph = kiln_ir::text::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let program = program(&graph);
    let verified = kiln_cortex_m::verify::verify(&program, Build::Scalar).unwrap();
    let end = if x.dtype == "i8" { 127.0 } else { 32_767.0 };
    let shape = &graph.ty(graph.block(graph.root()).params[0]).shape;
    let sizes = shape.as_static().unwrap();
    let count = sizes.iter().product();
    for [a, b] in [
        [1.0, 1.0],
        [-1.0, 1.0],
        [-1.0, -1.0],
        [0.0, 0.0],
        [0.01, -0.3],
    ] {
        let input = [a, b].map(|part| (part * end * x.scale) as f32);
        let input: Vec<f32> = input.into_iter().cycle().take(count).collect();
        let tensor = Tensor::new(sizes.clone(), input.clone());
        let mut state = State::new(&graph);
        let expected = evaluate(&graph, &[tensor], &mut state, &Options::default()).unwrap();
        let expected = floats(&expected.outputs.into_iter().next().unwrap().into());
        let found = of_data(evaluate_program(&verified, &[Data::F32(input)]).unwrap());
        assert_eq!(expected.len(), found[0].len());
        for (expected, found) in expected.iter().zip(&found[0]) {
            let apart = (f64::from(*expected) - f64::from(*found)).abs() / step;
            assert!(
                apart <= most,
                "{apart} steps: {found}, not {expected}\n{text}\n{program}"
            );
        }
    }
    let is_layer = |name: &str| name.ends_with("_f32") && !name.contains("quantize");
    !program
        .calls
        .iter()
        .any(|call| is_layer(call.function.name()))
}

#[test]
fn a_channel_without_weights_gives_its_bias() {
    let (x, y) = (i8_of(0.05), i8_of(0.2));
    for bias in [20.0, -20.0, 0.3, 1e9, 0.0] {
        let text = linear(&x, [0.01, 1.192_092_9e-7], [10, -20, 0, 0], [0.1, bias], &y);
        assert!(check(&text, &x, y.scale), "{text}");
    }
}

#[test]
fn biases_that_whole_units_cannot_give_are_floats() {
    for (x, scale, bias, y) in [
        // Half a unit is 30 steps; the accumulator has 32 bits; the factor would be 0.
        (i8_of(1.0), 1.0, [0.4, -0.3], i8_of(0.01)),
        (i8_of(1e-6), 1e-5, [1000.0, -2000.0], i8_of(20.0)),
        (i16_of(1e-9), 1e-9, [10.0, 20.0], i16_of(0.2)),
    ] {
        let text = linear(&x, [scale; 2], [10, -20, 1, 2], bias, &y);
        assert!(!check(&text, &x, y.scale), "{text}");
    }
    let usual = i8_of(0.05);
    let text = linear(&usual, [0.01; 2], [10, -20, 1, 2], [0.4, -0.3], &i8_of(0.2));
    assert!(check(&text, &usual, 0.2), "{text}");
}

/// A line through the results is near only where they do not saturate: all but 0 do, and 0 has to stay.
#[test]
fn sums_that_saturate_or_are_zero_are_exact() {
    let (x, mut y) = (i8_of(10.596_67), i8_of(0.018_817_24));
    y.zero_point = -128;
    let text = linear(&x, [1.7e-4, 2.164_054_6], [10, -20, 5, -5], [0.3, 0.0], &y);
    assert!(check_within(0.01, &text, &x, y.scale), "{text}");
}

#[test]
fn sums_with_floats_of_another_size_are_right() {
    for (x, numbers, y, is_in_integers) in [
        (i16_of(1e-6), [-3000.0, 5.0], i16_of(1.0), true),
        (i8_of(1.0), [0.05, 0.023], i8_of(0.001), false),
        (i16_of(1.0), [0.001, 0.023], i16_of(1e-5), false),
        (i8_of(0.1), [0.5, -0.25], i8_of(0.1), true),
    ] {
        let text = sum(&x, numbers, &y);
        assert_eq!(check(&text, &x, y.scale), is_in_integers, "{text}");
    }
}

#[test]
fn wide_sums_do_not_wrap() {
    for (x, y, is_in_integers) in [
        (i16_of(1e-3), i16_of(1e-6), false),
        (i16_of(1e-3), i16_of(0.1), true),
    ] {
        let text = product(&x, &y);
        assert_eq!(check(&text, &x, y.scale), is_in_integers, "{text}");
        let text = linear(&x, [1e-3; 2], [127, 127, -127, 127], [0.0; 2], &y);
        check(&text, &x, y.scale);
    }
}

#[test]
fn sums_of_windows_do_not_wrap() {
    for (x, y) in [
        (i16_of(1.0), i16_of(1.0 / 35_000.0)),
        (i16_of(1e-3), i16_of(2e-3)),
        (i8_of(1.0), i8_of(1.0 / 7000.0)),
    ] {
        check(&average(&x, &y), &x, y.scale);
    }
}

#[test]
fn the_maximum_of_padding_is_the_least_integer() {
    let (x, y) = (i8_of(0.01), i8_of(0.03));
    check(&maxima(&x, &x), &x, x.scale);
    assert!(!check(&maxima(&x, &y), &x, y.scale));
}
