//! How results are rounded: layers and means as PyTorch's floats between quantisations, or as the library with the usual factors.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_cortex_m::cores::Core;
use kiln_cortex_m::dialect::{Build, Function, Parameters, Program};
use kiln_cortex_m::evaluate::{Data, evaluate};
use kiln_cortex_m::verify::verify;
use kiln_cortex_m::{CortexM, compile, pipeline};
use kiln_quantised::multiplier::Multiplier;
use kiln_target::Border;
use kiln_transforms::framework::pass::run_pipeline;

/// The scale of inputs, of weights and of results. A factor is near 2^-7.
const X: f64 = 0.0237;
const W: [f64; 2] = [0.0071, 0.0059];
const Y: f64 = 0.0211;

/// A graph of one input of these sizes; the lines give `%2`, its floats, to `%last`, the floats of the result.
fn graph(sizes: &str, quant: &str, constants: &str, lines: &str, last: u32) -> String {
    let axes = (0..sizes.split(',').count()).collect::<Vec<_>>();
    format!(
        "graph \"g\" {{\n{constants}  input tensor \"x\" {axes:?}\n  output tensor\n  block b0 (%0 \"x\": f32{sizes}) {{\n    %1: i8{sizes} as ({quant}) = quantize %0 {{quant={quant}, dtype=i8}}\n    %2: f32{sizes} = dequantize %1 {{dtype=f32}}\n{lines}    return %{last}\n  }}\n}}\n"
    )
}

fn program(text: &str) -> Program {
    let mut graph = kiln_ir::text::parse(text).unwrap();
    let core = Core::named("host-c").unwrap();
    run_pipeline(
        &mut graph,
        &CortexM { core },
        pipeline(),
        &Default::default(),
    )
    .unwrap();
    compile(&graph, &mut Border::of(&graph, true), core).unwrap()
}

fn results(program: &Program, x: Vec<i8>) -> Vec<i8> {
    let core = Core::named("host-c").unwrap();
    let found = evaluate(&verify(program, core.build).unwrap(), &[Data::I8(x)]).unwrap();
    match &found[..] {
        [Data::I8(found)] => found.clone(),
        _ => panic!("8 bits"),
    }
}

const ROWS: usize = 4096;
const WEIGHTS: [[i32; 2]; 2] = [[87, -31], [-5, 7]];

/// A linear layer with these weights and biases.
fn layer(range: &str, bias: [f64; 2]) -> Program {
    let scheme = format!("per_channel 0 {W:?} [0, 0] in {range}");
    let weights: Vec<i32> = WEIGHTS.into_iter().flatten().collect();
    let constants = format!(
        "  constant c0 \"w\" i8[2, 2] as ({scheme}) = {weights:?}\n  constant c1 \"b\" f32[2] = {bias:?}\n"
    );
    let y = format!("per_tensor {Y:?} -20 in [-128, 127]");
    let lines = format!(
        "    %3: i8[2, 2] as ({scheme}) = constant {{value=c0}}\n    %4: f32[2, 2] = dequantize %3 {{dtype=f32}}\n    %5: f32[2] = constant {{value=c1}}\n    %6: f32[{ROWS}, 2] = linear %2, %4, %5 {{}}\n    %7: i8[{ROWS}, 2] as ({y}) = quantize %6 {{quant={y}, dtype=i8}}\n    %8: f32[{ROWS}, 2] = dequantize %7 {{dtype=f32}}\n"
    );
    let x = format!("per_tensor {X:?} 5 in [-128, 127]");
    program(&graph(&format!("[{ROWS}, 2]"), &x, &constants, &lines, 8))
}

/// How many results of a layer are not the nearest integers, of those that are a five-thousandth of a step from a tie.
fn apart(program: &Program, bias: [f64; 2]) -> (usize, usize) {
    let x: Vec<i8> = (0..2 * ROWS)
        .map(|i| (i * 7919 % 65_521 % 256) as u8 as i8)
        .collect();
    let found = results(program, x.clone());
    let (mut apart, mut near) = (0, 0);
    for (row, found) in x.chunks(2).zip(found.chunks(2)) {
        for channel in 0..2 {
            let products = row.iter().zip(WEIGHTS[channel]);
            let sum: i32 = products.map(|(&x, w)| (i32::from(x) - 5) * w).sum();
            let real = f64::from(sum) * X * W[channel] + bias[channel];
            let steps = real / Y - 20.0;
            let below = (steps.floor() + 0.5 - steps).abs();
            if below > 2e-4 {
                let exact = steps.round().clamp(-128.0, 127.0);
                apart += usize::from(f64::from(found[channel]) != exact);
            }
            near += usize::from(below < 2f64.powi(-7));
        }
    }
    (apart, near)
}

/// A bias that is a float has a rest beyond whole units, and the library rounds twice: neither moves a result.
#[test]
fn layers_with_biases_of_floats_are_rounded_once() {
    let unit = X * W[0];
    for rest in [0.0, 0.25, 0.4999, -0.37] {
        let bias = [(12.0 + rest) * unit, 0.3];
        let (apart, near) = apart(&layer("[-128, 127]", bias), bias);
        assert!(near > 50, "{near} results could be apart");
        assert_eq!(apart, 0, "rest {rest}");
    }
}

/// Of integers throughout, the factors and the offset are those that other compilers compute, and some results are apart.
#[test]
fn layers_of_integers_keep_the_usual_factors() {
    let bias = [12.0 * X * W[0], -40.0 * X * W[1]];
    let program = layer("[-128, 127]", bias);
    let conv = program
        .calls
        .iter()
        .find_map(|call| match &call.parameters {
            Parameters::Conv(conv) => Some(conv),
            _ => None,
        });
    let conv = conv.unwrap();
    let usual = W.map(|w| Multiplier::of(X * w / Y).unwrap());
    let expected: (Vec<i32>, Vec<i32>) = usual.iter().map(|by| (by.multiplier, by.shift)).unzip();
    let of = |numbers: &[i32]| numbers.to_vec();
    let quant = &conv.quant_params;
    assert_eq!((of(&quant.multiplier), of(&quant.shift)), expected);
    assert_eq!(conv.conv_params.output_offset, -20);
    assert!(apart(&program, bias).0 > 0);
}

/// Weights of 4 bits are in no model of the Cortex-M quantiser.
#[test]
fn layers_of_4_bits_are_rounded_once() {
    let narrow = layer_of_4_bits();
    assert!(narrow.0 > 50, "{} results could be apart", narrow.0);
    assert_eq!(narrow.1, 0);
}

fn layer_of_4_bits() -> (usize, usize) {
    let (x, w, y) = (0.03, 0.047, 0.0174);
    let scheme = format!("per_tensor {w:?} 0 in [-8, 7]");
    let constants = format!("  constant c0 \"w\" i8[1, 2] as ({scheme}) = [7, -3]\n");
    let [qx, qy] = [x, y].map(|scale: f64| format!("per_tensor {scale:?} 0 in [-128, 127]"));
    let lines = format!(
        "    %3: i8[1, 2] as ({scheme}) = constant {{value=c0}}\n    %4: f32[1, 2] = dequantize %3 {{dtype=f32}}\n    %5: f32[{ROWS}, 1] = linear %2, %4 {{}}\n    %6: i8[{ROWS}, 1] as ({qy}) = quantize %5 {{quant={qy}, dtype=i8}}\n    %7: f32[{ROWS}, 1] = dequantize %6 {{dtype=f32}}\n"
    );
    let program = program(&graph(&format!("[{ROWS}, 2]"), &qx, &constants, &lines, 7));
    let given: Vec<i8> = (0..2 * ROWS)
        .map(|i| (i * 7919 % 65_521 % 256) as u8 as i8)
        .collect();
    let found = results(&program, given.clone());
    let (mut near, mut apart) = (0, 0);
    for (row, found) in given.chunks(2).zip(found) {
        let sum = i32::from(row[0]) * 7 - i32::from(row[1]) * 3;
        let steps = f64::from(sum) * x * w / y;
        let below = (steps.floor() + 0.5 - steps).abs();
        let exact = steps.round().clamp(-128.0, 127.0);
        near += usize::from(below < 1.0 / 16.0);
        apart += usize::from(below > 2e-4 && f64::from(found) != exact);
    }
    (near, apart)
}

/// The scale of the means below.
const SCALE: f64 = 0.01946684904396534;

/// Windows of two by two, and what PyTorch's `avg_pool2d` gives for them between dequantisation and quantisation. All are ties; half
/// of them do not go to the even integer.
const WINDOWS: [[i8; 4]; 16] = [
    [44, -35, 39, 14],
    [-68, 1, 51, -38],
    [21, -1, 78, 116],
    [88, -73, -117, 84],
    [10, -16, 80, -52],
    [-108, -120, 24, 78],
    [72, 124, -102, 24],
    [-4, -43, -77, -38],
    [-22, 24, 121, 3],
    [29, -22, 24, 123],
    [-4, 100, -29, 91],
    [-95, -76, 113, 124],
    [-38, 104, 44, 48],
    [-99, 32, 48, -119],
    [-110, 63, -126, 87],
    [99, 20, -66, 81],
];
const OF_WINDOWS: [i8; 16] = [
    15, -13, 53, -5, 5, -31, 29, -41, 32, 38, 40, 16, 40, -34, -22, 34,
];

/// Rows of 12 elements, and what PyTorch's `mean` gives for them, likewise.
const LINES: [[i8; 12]; 16] = [
    [55, 2, 0, -95, 61, -106, 10, 13, -105, 86, 88, -15],
    [9, 105, -64, -97, -75, 19, -81, 115, 67, -120, -2, 106],
    [80, -74, -90, 122, -36, 54, -39, -86, 105, -38, -58, 42],
    [127, -94, -83, 95, -56, -122, -84, -15, -39, -21, -37, -25],
    [-126, -10, 104, -125, 69, -76, 61, 91, 13, -26, 49, -114],
    [-46, 8, 112, 24, -44, -46, 24, -117, -77, 73, 111, 8],
    [8, 61, -43, 9, -47, -111, -96, 89, -29, -28, 51, 46],
    [37, 103, -83, 16, -35, -114, 73, -107, -111, -39, 76, -74],
    [27, -103, -74, -17, 25, 17, 74, 66, 48, -1, -10, 98],
    [-2, 50, 108, -51, -66, -56, -104, -34, 22, -63, 61, 57],
    [86, -103, 108, -16, -20, -52, 116, -24, -118, -112, -109, 94],
    [-1, -33, -102, -14, 56, -71, 117, -57, -26, -81, -18, -52],
    [-17, 26, -120, -83, -124, -110, -79, -8, -34, 18, 107, 70],
    [37, -25, -119, 51, 77, 18, -37, 50, 52, 104, -11, 121],
    [23, -26, 17, -103, -44, -103, -65, 26, -54, 31, -41, 33],
    [96, -81, -72, -14, -23, 123, 108, 74, -68, -97, -42, -106],
];
const OF_LINES: [i8; 16] = [
    -1, -1, -1, -29, -7, 3, -7, -21, 12, -6, -12, -24, -30, 26, -26, -8,
];

/// The mean of an input of these sizes in its own step.
fn mean(sizes: &str, op: &str, result: &str) -> Program {
    let quant = format!("per_tensor {SCALE:?} 0 in [-128, 127]");
    let lines = format!(
        "    %3: f32{result} = {op}\n    %4: i8{result} as ({quant}) = quantize %3 {{quant={quant}, dtype=i8}}\n    %5: f32{result} = dequantize %4 {{dtype=f32}}\n"
    );
    program(&graph(sizes, &quant, "", &lines, 5))
}

fn calls(program: &Program, function: Function) -> bool {
    program.calls.iter().any(|call| call.function == function)
}

#[test]
fn ties_of_averages_go_where_floats_go() {
    let pool = "pool %2 {f=avg none, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}";
    let program = mean("[16, 1, 2, 2]", pool, "[16, 1, 1, 1]");
    assert!(calls(&program, Function::KilnAvgPoolS8), "{program}");
    let given = WINDOWS.iter().flatten().copied().collect();
    assert_eq!(results(&program, given), OF_WINDOWS);
}

#[test]
fn ties_of_means_go_where_floats_go() {
    let reduce = "reduce %2 {f=mean, axes=[1]}";
    let program = mean("[16, 12]", reduce, "[16, 1]");
    assert!(calls(&program, Function::KilnMeanS8), "{program}");
    let given = LINES.iter().flatten().copied().collect();
    assert_eq!(results(&program, given), OF_LINES);
}

/// A caller may give all integers of the type: those beyond the range of the quantisation stand for its ends. Unsigned bytes are signed ones
/// at the border.
#[test]
fn unsigned_inputs_are_limited_too() {
    let text = "graph \"g\" {\n  input tensor \"x\" [0, 1]\n  output tensor\n  block b0 (%0 \"x\": f32[2, 2]) {\n    \
        %1: u8[2, 2] as (per_tensor 0.5 3 in [2, 9]) = quantize %0 {quant=per_tensor 0.5 3 in [2, 9], dtype=u8}\n    \
        %2: f32[2, 2] = dequantize %1 {dtype=f32}\n    %3: f32[2, 2] = unary %2 {f=abs}\n    return %3\n  }\n}\n";
    let program = program(text);
    let verified = verify(&program, Build::Scalar).unwrap();
    let found = evaluate(&verified, &[Data::I8(vec![-128, -126, -119, 72])]).unwrap();
    assert_eq!(found, [Data::F32(vec![0.5, 0.5, 3.0, 3.0])], "{program}");
}

#[test]
fn inputs_are_limited_to_the_range_of_their_quantisation() {
    let x = "per_tensor 0.05 0 in [-64, 63]";
    let y = "per_tensor 0.1 0 in [-128, 127]";
    let lines = format!(
        "    %3: f32[4] = binary %2, %2 {{f=add}}\n    %4: i8[4] as ({y}) = quantize %3 {{quant={y}, dtype=i8}}\n    %5: f32[4] = dequantize %4 {{dtype=f32}}\n"
    );
    let program = program(&graph("[4]", x, "", &lines, 5));
    assert_eq!(
        results(&program, vec![-128, -65, 63, 127]),
        [-64, -64, 63, 63]
    );
}
