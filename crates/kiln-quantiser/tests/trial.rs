//! Where ranges end, by what the model makes of large numbers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::Tensor;
use kiln_ir::{Graph, Op, QuantScheme, TensorData};
use kiln_quantiser::{Ends, Mode, Nearest, Ranges, Scope, quantise_nearest};

const ROWS: usize = 256;
const COLUMNS: usize = 1024;
/// The number that is far from all others, the first of the first row.
const FAR: f32 = 12.0;

/// A layer with one output, whose weight is a function of the column, and what follows it.
fn graph(weight: impl Fn(usize) -> f32, body: &str) -> Graph {
    let weights: Vec<String> = (0..COLUMNS).map(|i| format!("{:?}", weight(i))).collect();
    let text = format!(
        "graph \"g\" {{
  constant c0 \"w\" f32[1, {COLUMNS}] = [{}]
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[{ROWS}, {COLUMNS}]) {{
    %1: f32[1, {COLUMNS}] = constant {{value=c0}}
    {body}
  }}
}}
",
        weights.join(", ")
    );
    kiln_ir::text::parse(&text).unwrap()
}

const LAYER: &str = "%2: f32[256, 1] = linear %0, %1 {}
    return %2";

/// Numbers between -1 and 1, and a far one.
fn sample() -> Vec<Tensor> {
    let mut bits = 1u32;
    let number = |_| {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bits as f32 / (1u64 << 31) as f32 - 1.0
    };
    let mut numbers: Vec<f32> = (0..ROWS * COLUMNS).map(number).collect();
    numbers[0] = FAR;
    vec![Tensor::from(TensorData::from_f32(
        vec![ROWS, COLUMNS],
        &numbers,
    ))]
}

/// A weight that leaves the far number out.
fn all_but_the_first(column: usize) -> f32 {
    match column {
        0 => 0.0,
        _ => ((column * 31) % 17) as f32 - 8.0,
    }
}

fn tried(graph: &mut Graph) -> Nearest {
    let samples = [sample()];
    let ranges = Ranges::observe(graph, samples.iter().cloned()).unwrap();
    quantise_nearest(graph, &ranges, &samples, Scope::Layers, Mode::Static).unwrap()
}

/// The greatest number that the input's integers stand for.
fn reach(graph: &Graph) -> f64 {
    let input = graph.block(graph.root()).params[0];
    let mut nodes = graph.nodes_in(graph.root());
    let of_input = |op: &Op| match op {
        Op::Quantize(op) => Some(op.quant.clone()),
        _ => None,
    };
    let quant =
        nodes.find_map(|(_, node)| of_input(&node.op).filter(|_| node.operands[0] == input));
    match quant.unwrap().scheme {
        QuantScheme::PerTensor { scale, zero_point } => scale * (127 - zero_point) as f64,
        _ => panic!("an activation has one scale"),
    }
}

#[test]
fn a_far_number_that_hardly_counts_is_clamped() {
    let mut graph = graph(all_but_the_first, LAYER);
    let nearest = tried(&mut graph);
    assert_eq!(nearest.ends, Ends::LeastError);
    assert!(reach(&graph) < 10.0, "{}", reach(&graph));
    assert!(nearest.noise.unwrap() < 1e-3, "{nearest:?}");
}

#[test]
fn a_far_number_that_is_all_that_counts_is_kept() {
    let mut graph = graph(|i| if i == 0 { 1.0 } else { 0.0 }, LAYER);
    let nearest = tried(&mut graph);
    assert_eq!(nearest.ends, Ends::Extremes);
    assert!(reach(&graph) > 11.9, "{}", reach(&graph));
}

#[test]
fn what_an_op_picks_is_not_clamped() {
    // The layer reads the maxima of a function of the input, and the input itself through another layer.
    let body = "%2: f32[256, 1024] = unary %0 {f=tanh}
    %3: f32[1, 1024] = reduce %2 {f=max, axes=[0]}
    %4: f32[1, 1] = linear %3, %1 {}
    %5: f32[256, 1] = linear %0, %1 {}
    %6: f32[256, 1] = binary %5, %4 {f=add}
    return %6";
    let mut graph = graph(all_but_the_first, body);
    tried(&mut graph);
    assert!(reach(&graph) > 11.9, "{}", reach(&graph));
}

#[test]
fn what_the_caller_reads_is_not_clamped() {
    let body = "%2: f32[256, 1] = linear %0, %1 {}
    %3: f32[256, 1025] = concat %0, %2 {axis=1}
    return %3";
    let mut graph = graph(all_but_the_first, body);
    tried(&mut graph);
    assert!(reach(&graph) > 11.9, "{}", reach(&graph));
}
