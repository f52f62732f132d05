//! Random networks: the interpreted payloads, together with the nodes outside of delegates, give the evaluator's results.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

use kiln_check::{Close, Recipe, Side, Situation, Sizes, Values, difference, generate, inputs};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::Move;
use kiln_ir::{Dim, Graph, Movement, NodeId, Op, Symbols, ValueId};
use kiln_portable::region::{Boundary, Region};
use kiln_xnnpack::{Options, compile, execute};
use std::collections::HashMap;

fn run_region(region: &Region, values: &HashMap<ValueId, Tensor>) -> Vec<(ValueId, Tensor)> {
    let named = |key: &str| {
        let delegated = region.delegated().unwrap();
        delegated
            .named_data
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, data)| data.bytes().clone())
    };
    let moved = |t: &Tensor, order: &[usize]| {
        let shape: Vec<Dim> = t.sizes().iter().map(|&n| Dim::constant(n as i64)).collect();
        let op = Op::from(Move {
            movement: Movement::permute(&shape, order).unwrap(),
        });
        evaluate_op(
            &op,
            std::slice::from_ref(t),
            &mut Bindings::new(&Symbols::default()),
            1 << 30,
        )
        .unwrap()
        .remove(0)
    };
    let axes = |b: &Boundary| {
        b.dim_order
            .iter()
            .map(|&a| usize::from(a))
            .collect::<Vec<_>>()
    };
    let inputs: Vec<Tensor> = region
        .inputs
        .iter()
        .map(|b| moved(&values[&b.value], &axes(b)))
        .collect();
    let outputs = execute(region.blob().unwrap(), &named, &inputs).unwrap();
    let back = region.outputs.iter().zip(outputs).map(|(b, t)| {
        let axes = axes(b);
        let inverse: Vec<usize> = (0..axes.len())
            .map(|a| axes.iter().position(|&x| x == a).unwrap())
            .collect();
        (b.value, moved(&t, &inverse))
    });
    back.collect()
}

/// The graph with its regions run as delegates.
fn run(graph: &Graph, regions: &[Region], inputs: &[Tensor]) -> Vec<Tensor> {
    let mut region_of = HashMap::new();
    for (i, region) in regions.iter().enumerate() {
        region.nodes.iter().for_each(|&n| {
            region_of.insert(n, i);
        });
    }
    let params = graph.block(graph.root()).params.iter().copied();
    let mut values: HashMap<ValueId, Tensor> = params.zip(inputs.iter().cloned()).collect();
    let mut pending: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    while !pending.is_empty() {
        let before = pending.len();
        pending.retain(|&id| {
            let node = graph.node(id);
            if let Op::Constant(op) = &node.op {
                let constant = graph.constant(op.value);
                let tensor = Tensor::from(constant.data.clone());
                values.insert(node.result(), tensor.with_quant(constant.ty.quant.clone()));
                return false;
            }
            if let Some(&region) = region_of.get(&id) {
                let region = &regions[region];
                if region.inputs.iter().all(|b| values.contains_key(&b.value)) {
                    let results = run_region(region, &values);
                    // Payloads know integers by their bytes.
                    values.extend(
                        results
                            .into_iter()
                            .map(|(v, t)| (v, t.with_quant(graph.ty(v).quant.clone()))),
                    );
                    return false;
                }
                return true;
            }
            if node.operands.iter().all(|v| values.contains_key(v)) {
                let operands: Vec<Tensor> =
                    node.operands.iter().map(|v| values[v].clone()).collect();
                let results = evaluate_op(
                    &node.op,
                    &operands,
                    &mut Bindings::new(&Symbols::default()),
                    1 << 30,
                )
                .unwrap();
                let typed =
                    |(&v, t): (&ValueId, Tensor)| (v, t.with_quant(graph.ty(v).quant.clone()));
                values.extend(node.results.iter().zip(results).map(typed));
                return false;
            }
            true
        });
        assert!(pending.len() < before, "regions wait for each other");
    }
    graph
        .block(graph.root())
        .results
        .iter()
        .map(|v| values[v].clone())
        .collect()
}

#[test]
fn delegates_compute_what_the_graph_means() {
    let mut nodes = 0;
    for seed in 1..=200 {
        let graph = generate(seed, &Recipe::DENSE);
        let situation = Situation {
            sizes: Sizes::Hint,
            values: Values::Noise,
        };
        let inputs = inputs(&graph, situation, seed).unwrap();
        let Ok(expected) = kiln_check::run(&graph, &inputs) else {
            continue;
        };
        let regions = compile(&graph, &Options::default()).unwrap();
        nodes += regions.iter().map(|r| r.nodes.len()).sum::<usize>();
        let found = run(&graph, &regions, &inputs);
        let side = |ran| Side { graph: &graph, ran };
        let apart = difference(side(&expected), side(&found), &inputs, Close::SingleFactors);
        assert_eq!(apart, None, "seed {seed}");
    }
    assert!(nodes > 1000, "delegates took only {nodes} nodes");
}

/// Reduced graphs that once gave wrong results, each with the cause.
const FOUND: [(&str, &str); 3] = [
    (
        "rows of several unknown sizes have no image",
        r#"graph "softmax" {
  symbol s0 in 1..=6 like 6
  input tensor "x" [0, 1, 2]
  output tensor
  block b0 (%0: f32[s0, s0, s0]) {
    %1: f32[s0, s0, s0] = softmax %0 {axis=1, log=false}
    return %1
  }
}"#,
    ),
    (
        "a window of two columns and a stride over rows is no window of columns alone",
        r#"graph "pool" {
  symbol s0 in 2..=8 like 7
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0: f32[s0, 4, 4, 3]) {
    %1: f32[s0, 4, 2, 2] = pool %0 {f=avg_of_padded 3, kernel=[2, 1], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=true}
    return %1
  }
}"#,
    ),
    (
        "the root of -0 is -0",
        r#"graph "rsqrt" {
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0: f32[16, 16]) {
    %1: f32[16, 16] = unary %0 {f=rsqrt}
    %2: f32[16, 16] = unary %1 {f=clamp[-0.5, 0.5]}
    return %2
  }
}"#,
    ),
];

#[test]
fn what_random_search_found_stays_right() {
    for (what, text) in FOUND {
        let graph = kiln_ir::text::parse(text).unwrap();
        let regions = compile(&graph, &Options::default()).unwrap();
        for (sizes, values) in [
            (Sizes::Hint, Values::Noise),
            (Sizes::Least, Values::Finite),
            (Sizes::Greatest, Values::Finite),
        ] {
            let inputs = inputs(&graph, Situation { sizes, values }, 1).unwrap();
            let expected = kiln_check::run(&graph, &inputs).unwrap();
            let found = run(&graph, &regions, &inputs);
            let side = |ran| Side { graph: &graph, ran };
            let apart = difference(side(&expected), side(&found), &inputs, Close::Rounding);
            assert_eq!(apart, None, "{what}");
        }
    }
}
