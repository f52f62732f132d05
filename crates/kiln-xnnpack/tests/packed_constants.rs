//! Constants that a layer packs and that another operator reads: the stock runtime frees what is packed, so each has a value of its own.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, tensor};
use device::{compiled, payloads};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Binary, BinaryFn, Concat, Linear};
use kiln_ir::{DType, Graph, ValueId};
use kiln_xnnpack::payload::{XnnGraph, XnnOp};

const SIZE: usize = 8;

fn binary(b: &mut Build<'_>, f: BinaryFn, operands: [ValueId; 2]) -> ValueId {
    b.op(Binary { f }, &operands)
}

/// A layer whose weight, or bias, something else reads.
fn linear(
    dtype: DType,
    rank: usize,
    then: impl FnOnce(&mut Build<'_>, [ValueId; 3]) -> ValueId,
) -> Graph {
    graph(|b| {
        let x = b.input(dtype, dims(&vec![SIZE as i64; rank]));
        let weight = b.weights(dtype, &[SIZE, SIZE]);
        let bias = b.weights(dtype, &[SIZE]);
        let y = b.op(Linear {}, &[x, weight, bias]);
        vec![then(b, [y, weight, bias])]
    })
}

/// The constants that are packed and read in other ways too.
fn shared(graph: &XnnGraph) -> usize {
    let mut roles = vec![[false; 2]; graph.values.len()];
    for node in &graph.nodes {
        let packs = matches!(node.op, XnnOp::FullyConnected { .. } | XnnOp::Conv { .. });
        for (i, value) in node.op.inputs().into_iter().enumerate() {
            roles[value.index()][usize::from(packs && i > 0)] = true;
        }
    }
    let values = graph.values.iter().zip(roles);
    let shared = values.filter(|(value, roles)| value.constant.is_some() && *roles == [true; 2]);
    shared.count()
}

fn check(what: &str, graph: &Graph) {
    let (made, regions) = compiled(graph);
    let graphs = payloads(&regions);
    assert_eq!(graphs.len(), 1, "{what}");
    assert_eq!(shared(&graphs[0]), 0, "{what}");
    // The other reader is in the delegate, or nothing is shown.
    let mut values = graphs[0].values.iter().filter_map(|value| value.constant);
    let mut seen = std::collections::HashSet::new();
    assert!(
        !values.all(|c| seen.insert(c)),
        "{what}: no constant has two values"
    );
    let input = graph.block(graph.root()).params[0];
    let ty = graph.ty(input);
    let fed = vec![Tensor::from(tensor(
        9,
        ty.dtype,
        &ty.shape.as_static().unwrap(),
    ))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(graph, &fed, &mut State::new(graph), &settings).unwrap();
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let made = &device::run(&runner, &made, regions, &fed)[0];
    let expected = expected.outputs[0].scalars();
    let largest = expected
        .iter()
        .fold(0.0, |most, s| s.as_f64().abs().max(most));
    let bound = if ty.dtype == DType::F16 { 1e-2 } else { 1e-5 } * largest;
    for (found, expected) in made.scalars().iter().zip(expected) {
        let off = (found.as_f64() - expected.as_f64()).abs();
        assert!(off <= bound, "{what}: {found:?}, not {expected:?}");
    }
}

#[test]
fn packed_constants_may_be_operands_too() {
    for dtype in [DType::F32, DType::F16] {
        let add =
            |b: &mut Build<'_>, [y, weight, _]: [ValueId; 3]| binary(b, BinaryFn::Add, [y, weight]);
        check("a weight", &linear(dtype, 2, add));
        let max =
            |b: &mut Build<'_>, [y, _, bias]: [ValueId; 3]| binary(b, BinaryFn::Max, [y, bias]);
        check("a bias", &linear(dtype, 1, max));
        let cat = |b: &mut Build<'_>, [y, weight, _]: [ValueId; 3]| {
            b.op(Concat { axis: 0 }, &[y, weight])
        };
        check("a weight that is joined", &linear(dtype, 2, cat));
        let twice = |b: &mut Build<'_>, [y, weight, bias]: [ValueId; 3]| {
            let y = b.op(Linear {}, &[y, weight, bias]);
            let y = binary(b, BinaryFn::Add, [y, weight]);
            b.op(Linear {}, &[y, weight, bias])
        };
        check("two layers", &linear(dtype, 2, twice));
    }
}
