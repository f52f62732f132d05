//! Every op that the target takes, alone or in few, on the stock runtime against the interpreter.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

#[path = "../build/mod.rs"]
mod build;
#[path = "../device/mod.rs"]
mod device;

mod convolutions;
mod functions;
mod movements;
mod networks;
mod odd_numbers;
mod products;
mod reductions;
mod sizes;
mod unknown_sizes;
mod windows;

use build::{Build, dims, graph, tensor};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, Op, Scalar, Symbol, ValueId};
use kiln_portable::region::{Boundary, Region};
use kiln_xnnpack::{Options, compile, execute};

/// Largest relative and absolute error, by dtype of the result.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 2e-5,
        DType::F16 => 4e-3,
        DType::BF16 => 2e-2,
        _ => 0.0,
    }
}

fn compare(name: &str, found: &Tensor, expected: &Tensor, loosest: DType) {
    assert_eq!(found.sizes(), expected.sizes(), "{name}");
    let tolerance = tolerance(loosest);
    for (i, (a, b)) in found.scalars().iter().zip(expected.scalars()).enumerate() {
        let (a, b) = (a.as_f64(), b.as_f64());
        let same = a == b || (a.is_nan() && b.is_nan());
        let near = (a - b).abs() <= tolerance * (1.0 + b.abs());
        assert!(same || near, "{name}: element {i} is {a}, not {b}");
    }
}

/// Runs the graph on the device with everything delegated, and on the interpreter.
fn check_fed(name: &str, graph: &Graph, inputs: &[Tensor]) {
    let regions = compile(graph, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let delegated: usize = regions.iter().map(|r| r.nodes.len()).sum();
    let all = graph.nodes_in(graph.root());
    let all = all
        .filter(|(_, n)| !matches!(n.op, Op::Constant(_)))
        .count();
    assert!(
        delegated == all,
        "{name}: {delegated} of {all} nodes are delegated: {:?}",
        why(graph)
    );
    assert_eq!(regions.len(), 1, "{name}");
    let expected = evaluate(
        graph,
        inputs,
        &mut State::new(graph),
        &kiln_eval::Options::default(),
    )
    .unwrap();
    interpret(name, graph, &regions[0], inputs, &expected.outputs);
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let found = device::run(&runner, graph, regions, inputs);
    for (found, expected) in found.iter().zip(&expected.outputs) {
        let loosest = inputs.iter().map(Tensor::dtype).chain([expected.dtype()]);
        let loosest = loosest
            .max_by(|a, b| tolerance(*a).total_cmp(&tolerance(*b)))
            .unwrap();
        compare(name, found, expected, loosest);
    }
}

/// The payload read back and interpreted agrees too. Everything at the border is plain here.
fn interpret(name: &str, graph: &Graph, region: &Region, inputs: &[Tensor], expected: &[Tensor]) {
    let named = |key: &str| {
        region
            .named_data
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, data)| data.bytes().clone())
    };
    let block = graph.block(graph.root());
    let input = |boundary: &Boundary| {
        let at = block
            .params
            .iter()
            .position(|&p| p == boundary.value)
            .unwrap();
        inputs[at].clone()
    };
    let fed: Vec<Tensor> = region.inputs.iter().map(input).collect();
    let found = execute(&region.blob, &named, &fed).unwrap_or_else(|e| panic!("{name}: {e}"));
    for (boundary, found) in region.outputs.iter().zip(&found) {
        let at = block
            .results
            .iter()
            .position(|&r| r == boundary.value)
            .unwrap();
        let loosest = inputs.iter().map(Tensor::dtype).chain([found.dtype()]);
        let loosest = loosest
            .max_by(|a, b| tolerance(*a).total_cmp(&tolerance(*b)))
            .unwrap();
        compare(
            &format!("{name}, interpreted"),
            found,
            &expected[at],
            loosest,
        );
    }
}

fn why(graph: &Graph) -> Vec<String> {
    let nodes = graph.nodes_in(graph.root());
    nodes
        .filter_map(|(id, _)| kiln_xnnpack::support(graph, id).err())
        .map(|r| r.to_string())
        .collect()
}

fn check(name: &str, make: impl FnOnce(&mut Build<'_>) -> Vec<ValueId>) {
    let graph = graph(make);
    let params = &graph.block(graph.root()).params;
    let inputs: Vec<Tensor> = params
        .iter()
        .zip(1..)
        .map(|(&p, seed)| {
            let ty = graph.ty(p);
            let sizes = ty.shape.as_static().unwrap();
            Tensor::from(tensor(seed, ty.dtype, &sizes))
        })
        .collect();
    check_fed(name, &graph, &inputs);
}

/// A border view would stay outside: numbers are made inside first and used inside last.
fn inside(b: &mut Build<'_>, x: ValueId) -> ValueId {
    b.op(
        Unary {
            f: Simple::Tanh.into(),
        },
        &[x],
    )
}

fn pool(f: PoolFn, kernel: [i64; 2], stride: [i64; 2], pad: [i64; 2]) -> Pool {
    Pool {
        f,
        kernel: kernel.into(),
        stride: stride.into(),
        pad_low: pad.into(),
        pad_high: pad.into(),
        dilation: vec![1, 1],
        ceil: false,
    }
}

fn conv2d(groups: i64, stride: [i64; 2], pad: [i64; 2]) -> Conv {
    Conv {
        stride: stride.into(),
        pad_low: pad.into(),
        pad_high: pad.into(),
        dilation: vec![1, 1],
        groups,
        transposed: false,
        output_padding: vec![0, 0],
    }
}
