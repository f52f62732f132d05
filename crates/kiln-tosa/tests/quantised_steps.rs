//! Ops on quantised values are integer operators in the file. Their results are the integers of the exact reals, or
//! neighbours of them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::{State, Tensor};
use kiln_ir::{Graph, TensorData};
use kiln_target::Border;
use kiln_tosa::Tosa;
use kiln_tosa::dialect::{TosaGraph, TosaOp};
use kiln_transforms::framework::pass::{Options, run_pipeline};

/// The sizes of the result, the operands and the op.
const LINES: &[(&str, &str, &str)] = &[
    (
        "[1, 4, 2, 2]",
        "%2",
        "pool {f=avg none, kernel=[3, 3], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
    ),
    (
        "[1, 4, 6, 6]",
        "%2",
        "pool {f=avg_of_padded none, kernel=[3, 3], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
    ),
    (
        "[1, 4, 6, 6]",
        "%2",
        "pool {f=avg none, kernel=[3, 3], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
    ),
    (
        "[1, 4, 2, 2]",
        "%2",
        "pool {f=avg 4, kernel=[3, 3], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
    ),
    (
        "[1, 4, 1, 1]",
        "%2",
        "adaptive_pool {f=avg none, output=[1, 1]}",
    ),
    (
        "[1, 4, 3, 2]",
        "%2",
        "adaptive_pool {f=avg none, output=[3, 2]}",
    ),
    ("[1, 4, 1, 6]", "%2", "reduce {f=mean, axes=[2]}"),
    (
        "[1, 4, 4, 4]",
        "%2, %1",
        "conv {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=2, transposed=false, output_padding=[0, 0]}",
    ),
    ("[1, 4, 6, 6]", "%2, %3", "binary {f=mul}"),
    ("[1, 4, 6, 6]", "%2", "unary {f=neg}"),
];

/// The next pseudo-random number below 1.
fn next(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as f64 / f64::from(1u32 << 31)
}

/// A graph whose input fills a quarter of the range. The step of the result is finer or coarser than that of the input.
fn graph(
    dtype: &str,
    (least, greatest): (i64, i64),
    finer: f64,
    line: (&str, &str, &str),
) -> Graph {
    let (sizes, operands, op) = line;
    let range = format!("in [{least}, {greatest}]");
    let zero = if dtype == "i8" { 7 } else { 0 };
    let scale = 1.0 / (greatest as f64 * 4.0);
    let from = format!("per_tensor {scale} {zero} {range}");
    let to = format!("per_tensor {} {} {range}", scale / finer, -zero);
    let mut state = 5;
    let weights: Vec<String> = (0..72)
        .map(|_| format!("{}", (next(&mut state) * 255.0) as i64 - 127))
        .collect();
    let by = "per_channel 0 [0.004, 0.003, 0.005, 0.002] [0, 0, 0, 0] in [-127, 127]";
    let text = format!(
        "graph \"steps\" {{
  constant c0 \"weight\" i8[4, 2, 3, 3] as ({by}) = [{}]
  constant c1 \"factor\" {dtype}[1, 1, 1, 1] as (per_tensor 0.0123 0 {range}) = [-101]
  input tensor \"x\" [0, 1, 2, 3]
  output tensor
  block b0 (%0 \"x\": f32[1, 4, 6, 6]) {{
    %1: i8[4, 2, 3, 3] as ({by}) = constant {{value=c0}}
    %2: {dtype}[1, 4, 6, 6] as ({from}) = quantize %0 {{quant={from}, dtype={dtype}}}
    %3: {dtype}[1, 1, 1, 1] as (per_tensor 0.0123 0 {range}) = constant {{value=c1}}
    %4: {dtype}{sizes} as ({to}) = quantised {operands} {{op={op}, quant={to}, dtype={dtype}}}
    %5: f32{sizes} = dequantize %4 {{dtype=f32}}
    return %5
  }}
}}
",
        weights.join(", ")
    );
    kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn input() -> Vec<f32> {
    let mut state = 11;
    (0..144)
        .map(|_| (next(&mut state) as f32 - 0.5) * 0.45)
        .collect()
}

fn compiled(graph: &Graph) -> TosaGraph {
    let mut graph = graph.clone();
    run_pipeline(
        &mut graph,
        &Tosa::default(),
        kiln_tosa::integer_pipeline(),
        &Options::default(),
    )
    .unwrap();
    let mut border = Border::of(&graph, true);
    kiln_tosa::compile(&graph, &mut border).unwrap()
}

/// The reals that the interpreter gives for the graph.
fn wanted(graph: &Graph) -> Vec<f64> {
    let x = Tensor::new([1, 4, 6, 6], input());
    let options = kiln_eval::Options::default();
    let found = kiln_eval::evaluate(graph, &[x], &mut State::new(graph), &options).unwrap();
    TensorData::from(found.outputs[0].clone())
        .scalars()
        .map(|s| s.as_f64())
        .collect()
}

fn found(file: &TosaGraph, dtype: &str, (least, greatest): (i64, i64)) -> Vec<i64> {
    let zero = if dtype == "i8" { 7.0 } else { 0.0 };
    let inverse = (greatest as f64 * 4.0) as f32;
    let code =
        |x: &f32| ((x * inverse).round_ties_even() + zero).clamp(least as f32, greatest as f32);
    let codes: Vec<f32> = input().iter().map(code).collect();
    let x = match dtype {
        "i8" => Tensor::new(
            [1, 4, 6, 6],
            codes.iter().map(|&c| c as i8).collect::<Vec<i8>>(),
        ),
        _ => Tensor::new(
            [1, 4, 6, 6],
            codes.iter().map(|&c| c as i16).collect::<Vec<i16>>(),
        ),
    };
    let found = kiln_tosa::evaluate::evaluate(file, &[x]).unwrap();
    TensorData::from(found[0].clone())
        .scalars()
        .map(|s| s.as_i64())
        .collect()
}

fn floats(file: &TosaGraph) -> Vec<String> {
    let region = &file.regions[0];
    let made = region
        .operators
        .iter()
        .flat_map(|o| o.outputs.iter().map(move |&t| (o, t)));
    let is_float = |t| region.tensor(t).is_some_and(|t| t.dtype.is_float());
    made.filter(|&(_, t)| is_float(t))
        .map(|(o, _)| format!("{:?}", o.op))
        .collect()
}

#[test]
fn integers_are_those_of_the_reals_or_next_to_them() {
    for (dtype, range) in [("i8", (-128, 127)), ("i16", (-32_767, 32_767))] {
        for &line in LINES {
            for finer in [0.7, 1.0, 3.1] {
                let graph = graph(dtype, range, finer, line);
                let file = compiled(&graph);
                let place = format!("{dtype}, steps {finer} times finer: {}", line.2);
                assert_eq!(floats(&file), Vec::<String>::new(), "{place}");
                let step = 1.0 / (range.1 as f64 * 4.0 * finer);
                let zero = if dtype == "i8" { -7 } else { 0 };
                let (reals, codes) = (wanted(&graph), found(&file, dtype, range));
                assert_eq!(reals.len(), codes.len(), "{place}");
                for (real, code) in reals.into_iter().zip(codes) {
                    let exact = (real / step).round() as i64;
                    assert!(
                        (exact - (code - zero)).abs() <= 1,
                        "{place}: {code} for {exact}"
                    );
                }
            }
        }
    }
}

/// The factors of a rescale are exact, not rounded to f32. Golden results cannot tell the two apart, since their sums are
/// in f32 (docs/tosa.md).
#[test]
fn products_have_the_exact_factor() {
    let conv = LINES
        .iter()
        .find(|line| line.2.starts_with("conv"))
        .unwrap();
    let (range, finer) = ((-128, 127), 3.7);
    let file = compiled(&graph("i8", range, finer, *conv));
    let rescales = file.main().operators.iter().filter_map(|o| match &o.op {
        TosaOp::Rescale(rescale) => Some(rescale),
        _ => None,
    });
    let factors: Vec<f64> = rescales
        .flat_map(|r| r.multiplier.iter().zip(&r.shift))
        .map(|(&multiplier, &shift)| f64::from(multiplier) / f64::from(shift).exp2())
        .collect();
    let scale = 1.0 / (range.1 as f64 * 4.0);
    let exact: Vec<f64> = [0.004, 0.003, 0.005, 0.002]
        .iter()
        .map(|weight| weight * scale / (scale / finer))
        .collect();
    assert_eq!(factors.len(), exact.len());
    // A multiplier has 31 bits, the first of which is set. So its rounding error is at most 2^-31 of it.
    for (found, exact) in factors.iter().zip(&exact) {
        assert!(
            (found / exact - 1.0).abs() <= 2f64.powi(-31),
            "{found} for {exact}"
        );
    }
}
