//! Compares the stock runtime with the interpreter, for every op that the target takes, alone or with a few others.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

#[path = "../build/mod.rs"]
mod build;
#[path = "../device/mod.rs"]
mod device;
#[path = "../losses/mod.rs"]
mod losses;

mod convolutions;
mod functions;
mod integers;
mod movements;
mod networks;
mod odd_numbers;
mod products;
mod reductions;
mod sizes;
mod unknown_sizes;
mod windows;

use build::{Build, dims, graph, tensor};
use kiln_check::{check_elsewhere, run};
use kiln_eval::Tensor;
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, Op, Scalar, Symbol, ValueId};
use kiln_portable::region::{Boundary, Region};
use kiln_xnnpack::{Options, compile, execute};

/// Runs the graph on the device with everything delegated, and on the interpreter.
fn check_fed(name: &str, graph: &Graph, inputs: &[Tensor]) {
    check_with(name, graph, inputs, &Options::default());
}

/// As [`check_fed`], with options.
fn check_with(name: &str, graph: &Graph, inputs: &[Tensor], options: &Options) {
    let regions = compile(graph, options).unwrap_or_else(|e| panic!("{name}: {e}"));
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
    interpret(name, graph, &regions[0], inputs);
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let found = device::run(&runner, graph, regions, inputs);
    let ran = run(graph, inputs).unwrap_or_else(|e| panic!("{name}: {e}"));
    losses::check(graph, inputs, &ran, &found).unwrap_or_else(|e| panic!("{name}: {e}"));
}

/// Checks that the payload, read back and interpreted, gives the same results. All tensors at the border have the plain order.
fn interpret(name: &str, graph: &Graph, region: &Region, inputs: &[Tensor]) {
    let named = |key: &str| {
        let delegated = region.delegated().unwrap();
        delegated
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
    let found =
        execute(region.blob().unwrap(), &named, &fed).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(found.len(), region.outputs.len(), "{name}");
    let result = |value: &ValueId| {
        let own = region.outputs.iter().zip(&found);
        let given = block.params.iter().zip(inputs);
        let mut all = own.map(|(b, t)| (&b.value, t)).chain(given);
        let found = all.find(|(v, _)| *v == value);
        found
            .unwrap_or_else(|| panic!("{name}: a result is missing"))
            .1
            .clone()
    };
    let found = block.results.iter().map(result).collect();
    check_elsewhere(graph, inputs, &found).unwrap_or_else(|e| panic!("{name}, interpreted: {e}"));
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

/// Adds a `tanh`. A view at the border would stay outside of the delegate, so values are computed before it and behind it.
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
