//! What is rounded and what is not, on graphs of a few nodes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::{Graph, Op, TensorData};
use kiln_quantiser::{
    Ends, Mode, Quantised, Ranges, Scope, prepare, quantise, quantise_dynamically,
};

fn graph(header: &str, body: &str, footer: &str) -> Graph {
    let text = format!(
        "graph \"g\" {{
  constant c0 \"w\" f32[4, 4] = [0.5, -0.25, 1.0, 0.125, 0.5, 0.5, -0.75, 0.25, 1.0, -0.5, 0.25, 0.75, -1.0, 0.5, 0.25, 0.5]
  constant c1 \"one\" f32[1, 1] = [1.0]
  {header}
  output tensor
  block b0 (%0 \"x\": f32[2, 4]) {{
    %1: f32[4, 4] = constant {{value=c0}}
    %2: f32[1, 1] = constant {{value=c1}}
    {body}
  }}
  {footer}
}}
"
    );
    kiln_ir::text::parse(&text).unwrap()
}

fn sample(numbers: [f32; 8]) -> Vec<Tensor> {
    vec![Tensor::from(TensorData::from_f32(vec![2, 4], &numbers))]
}

const NUMBERS: [f32; 8] = [0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 0.75, -2.0];

fn outputs(graph: &Graph) -> Vec<Tensor> {
    let mut state = State::new(graph);
    let done = evaluate(graph, &sample(NUMBERS), &mut state, &Options::default());
    done.unwrap().outputs
}

fn quantised(mut graph: Graph, scope: Scope) -> (Graph, Quantised) {
    prepare(&mut graph);
    let ranges = Ranges::observe(&graph, [sample(NUMBERS)].into_iter()).unwrap();
    let done = quantise(&mut graph, &ranges, scope, Mode::Static, Ends::Extremes);
    assert_eq!(kiln_ir::verify::verify(&graph), Ok(()));
    (graph, done)
}

/// The functions whose results are rounded, `x` for the input.
fn rounded(graph: &Graph) -> Vec<&'static str> {
    let nodes = graph.nodes_in(graph.root()).map(|(_, node)| node);
    let quantisations = nodes.filter(|node| matches!(node.op, Op::Quantize(_)));
    let name = |value| match graph.producer(value) {
        Some(node) => graph.node(node).op.name(),
        None => "x",
    };
    let mut names: Vec<&str> = quantisations.map(|node| name(node.operands[0])).collect();
    names.sort_unstable();
    names
}

const X: &str = "input tensor \"x\" [0, 1]";

#[test]
fn what_stands_between_layers_is_rounded() {
    let body = "%3: f32[2, 4] = linear %0, %1 {}
    %4: f32[2, 4] = binary %3, %0 {f=add}
    %5: f32[2, 4] = linear %4, %1 {}
    return %5";
    let (graph, done) = quantised(graph(X, body, ""), Scope::Layers);
    assert_eq!(rounded(&graph), ["binary", "linear", "linear", "x"]);
    assert_eq!((done.layers, done.left, done.activations), (2, 0, 4));
}

#[test]
fn what_goes_to_no_layer_stays() {
    let body = "%3: f32[2, 4] = linear %0, %1 {}
    %4: f32[2, 4] = binary %3, %0 {f=mul}
    return %4";
    let (graph, _) = quantised(graph(X, body, ""), Scope::Layers);
    assert_eq!(rounded(&graph), ["linear", "x"]);
}

#[test]
fn what_no_layer_made_stays() {
    let body = "%3: f32[2, 4] = unary %0 {f=exp}
    %4: f32[2, 4] = binary %3, %0 {f=mul}
    %5: f32[2, 4] = linear %4, %1 {}
    return %5";
    let (graph, done) = quantised(graph(X, body, ""), Scope::Layers);
    // The layer takes the product's integers; its operands are floats.
    assert_eq!(rounded(&graph), ["binary", "linear"]);
    assert_eq!(done.layers, 1);
}

#[test]
fn state_is_not_rounded() {
    let header = "constant c2 \"n\" f32[2, 4] = splat 0
  state m0 \"n\" f32[2, 4] = c2
  input tensor \"x\" [0, 1]";
    let body = "%3: f32[2, 4] = linear %0, %1 {}
    %4: f32[2, 4] = read_state {cell=m0}
    %5: f32[2, 4] = binary %4, %3 {f=add}
    %6: f32[2, 4] = linear %5, %1 {}
    return %6";
    let (graph, _) = quantised(graph(header, body, "update m0 = %5"), Scope::Layers);
    let update = graph.updates()[0].value;
    let made = graph.producer(update).unwrap();
    assert_eq!(graph.node(made).op.name(), "binary");
}

/// What a mask takes out weighs nothing behind the softmax, and the other scores keep their steps.
#[test]
fn a_mask_leaves_the_other_scores() {
    for mask in ["-1e9", "-inf"] {
        let header = format!("constant c2 \"mask\" f32[1, 4] = [0, 0, {mask}, 0]\n  {X}");
        let body = "%3: f32[2, 4] = linear %0, %1 {}
    %4: f32[1, 4] = constant {value=c2}
    %5: f32[2, 4] = binary %3, %4 {f=add}
    %6: f32[2, 4] = softmax %5 {axis=1, log=false}
    return %6";
        let floats = graph(&header, body, "");
        let expected = outputs(&floats);
        for scope in [Scope::Layers, Scope::All] {
            let (graph, _) = quantised(floats.clone(), scope);
            let found = outputs(&graph);
            for (a, b) in found[0].scalars().into_iter().zip(expected[0].scalars()) {
                let (a, b) = (a.as_f64(), b.as_f64());
                assert!((a - b).abs() < 0.04, "{mask} {scope:?}: {a} is not {b}");
            }
        }
    }
}

#[test]
fn products_with_constants_are_layers() {
    let body = "%3: f32[2, 4] = matmul %0, %1 {}
    %4: f32[2, 4] = binary %3, %2 {f=add}
    return %4";
    // One number is no bias of four channels.
    let mut sum = graph(X, body, "");
    let expected = outputs(&sum);
    prepare(&mut sum);
    assert_eq!(outputs(&sum), expected);
    assert_eq!(quantise_dynamically(&mut sum, Mode::Dynamic).layers, 1);

    let header = format!("constant c2 \"b\" f32[1, 4] = [1, 2, 3, 4]\n  {X}");
    let body = "%3: f32[2, 4] = matmul %0, %1 {}
    %4: f32[1, 4] = constant {value=c2}
    %5: f32[2, 4] = binary %3, %4 {f=add}
    return %5";
    let mut with_bias = graph(&header, body, "");
    let expected = outputs(&with_bias);
    prepare(&mut with_bias);
    assert_eq!(outputs(&with_bias), expected);
    let result = graph_result(&with_bias);
    assert_eq!((result.0, result.1), ("linear", 3));
}

fn graph_result(graph: &Graph) -> (&'static str, usize) {
    let result = graph.block(graph.root()).results[0];
    let node = graph.node(graph.producer(result).unwrap());
    (node.op.name(), node.operands.len())
}

/// The bias is counted in steps of the input times steps of the weight: with a weight of 1e-9 it would need more than 32 bits.
#[test]
fn a_tiny_channel_leaves_room_for_its_bias() {
    let header = format!(
        "constant c2 \"tiny\" f32[2, 4] = [1e-9, 0, 0, 0, 0.5, 0.25, -1, 0]
  constant c3 \"b\" f32[2] = [2, 1]
  {X}"
    );
    let body = "%3: f32[2, 4] = constant {value=c2}
    %4: f32[2] = constant {value=c3}
    %5: f32[2, 2] = linear %0, %3, %4 {}
    return %5";
    let (graph, _) = quantised(graph(&header, body, ""), Scope::Layers);
    let constants = graph.constants().filter_map(|(_, c)| c.ty.quant.clone());
    let weights = constants.last().unwrap();
    let step_of_input = 4.0 / 255.0;
    let scales = weights.scheme.scales();
    assert!(
        2.0 / (scales[0] * step_of_input) < 1.1 * f64::from(1 << 30),
        "{scales:?}"
    );
    assert!((scales[1] - 1.0 / 127.0).abs() < 1e-6, "{scales:?}");
}

#[test]
fn samples_of_nothing_are_refused_or_named() {
    let body = "%3: f32[2, 4] = linear %0, %1 {}
    return %3";
    let graph = graph(X, body, "");
    let refused = |numbers: [f32; 8]| {
        let samples = [sample(NUMBERS), sample(numbers)];
        let error = Ranges::observe(&graph, samples.into_iter()).unwrap_err();
        error.to_string()
    };
    let mut partly = NUMBERS;
    (partly[1], partly[6]) = (f32::NAN, -f32::NAN);
    let said = refused(partly);
    assert!(
        said.starts_with("input 0 of sample 1 has 2 NaN among 8 elements"),
        "{said}"
    );
    let nothing = [sample([f32::INFINITY; 8])].into_iter();
    let error = Ranges::observe(&graph, nothing).unwrap_err();
    assert!(
        error.to_string().contains("input 0 has no finite number"),
        "{error}"
    );
    let zeros = Ranges::observe(&graph, [sample([0.0; 8])].into_iter()).unwrap();
    assert_eq!(zeros.zero_inputs(&graph), [0]);
    let some = Ranges::observe(&graph, [sample([0.0; 8]), sample(NUMBERS)].into_iter()).unwrap();
    assert!(some.zero_inputs(&graph).is_empty());
}

/// A product that an op of three operands reads last has no bias.
#[test]
fn a_product_may_be_a_third_operand() {
    let body = "%3: f32[2, 4] = matmul %0, %1 {}
    %4: bool[2, 4] = compare %0, %0 {f=lt}
    %5: f32[2, 4] = select %4, %0, %3 {}
    return %5";
    let mut graph = graph(X, body, "");
    let expected = outputs(&graph);
    prepare(&mut graph);
    assert_eq!(outputs(&graph), expected);
    assert_eq!(quantise_dynamically(&mut graph, Mode::Dynamic).layers, 1);
}
