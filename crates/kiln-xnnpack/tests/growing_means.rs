//! Means of integers of a number of images that grows from call to call, beside floats that are read later: the results of the graph on the
//! stock runtime, in one process.

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
use kiln_ir::ops::{Binary, BinaryFn, Dequantize, Quantize, Reduce, ReduceFn, Simple, Unary};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, Symbol, ValueId};
use kiln_xnnpack::payload::{Datatype, XnnOp};
use std::sync::Arc;

const MOST: i64 = 16;
const CHANNELS: usize = 64;

fn rounded(b: &mut Build<'_>, x: ValueId, scale: f64) -> ValueId {
    let (min, max, dtype) = (-128, 127, DType::I8);
    let zero_point = 0;
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    let quant = Arc::new(Quant { scheme, min, max });
    let integers = b.op(Quantize { quant, dtype }, &[x]);
    b.op(Dequantize { dtype: DType::F32 }, &[integers])
}

fn mean(b: &mut Build<'_>, x: ValueId) -> ValueId {
    let op = Reduce {
        f: ReduceFn::Mean,
        axes: vec![2, 3],
    };
    b.op(op, &[x])
}

/// A mean of integers, and one of the floats behind a function that stays. With `places`, the image's height is not known either.
fn model(places: bool) -> Graph {
    graph(|b| {
        let mut symbol = |name: &str, most: i64| {
            let symbol = Symbol {
                name: name.into(),
                min: 1,
                max: Some(most),
                hint: None,
            };
            Dim::symbol(b.rewriter.add_symbol(symbol))
        };
        let mut sizes = dims(&[MOST, CHANNELS as i64, 4, 4]);
        sizes[0] = symbol("n", MOST);
        if places {
            sizes[2] = symbol("h", 8);
        }
        let given = b.input(DType::F32, sizes);
        let x = b.op(
            Unary {
                f: Simple::Tanh.into(),
            },
            &[given],
        );
        let integers = rounded(b, x, 0.01);
        let pooled = mean(b, integers);
        let pooled = rounded(b, pooled, 0.004);
        let floats = mean(b, x);
        let sum = b.op(Binary { f: BinaryFn::Add }, &[pooled, floats]);
        vec![pooled, floats, sum]
    })
}

/// The types of which means are taken.
fn types(graph: &Graph) -> Vec<Datatype> {
    let (_, regions) = compiled(graph);
    let mut found = Vec::new();
    for graph in payloads(&regions) {
        for node in &graph.nodes {
            if let XnnOp::GlobalAveragePool { input, .. } = &node.op {
                found.push(graph.values[input.index()].datatype);
            }
        }
    }
    found
}

/// Runs images of these numbers and heights in one process, and compares with the graph.
fn check(graph: &Graph, calls: &[[usize; 2]]) {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let input =
        |&[n, h]: &[usize; 2]| vec![Tensor::from(tensor(9, DType::F32, &[n, CHANNELS, h, 4]))];
    let fed: Vec<Vec<Tensor>> = calls.iter().map(input).collect();
    let (made, regions) = compiled(graph);
    let found = device::run_all(&runner, &made, regions, &fed);
    for (inputs, found) in fed.iter().zip(found) {
        let settings = kiln_eval::Options::default();
        let expected = evaluate(graph, inputs, &mut State::new(graph), &settings).unwrap();
        for (found, expected) in found.iter().zip(&expected.outputs) {
            for (found, expected) in found.scalars().iter().zip(expected.scalars()) {
                let off = (found.as_f64() - expected.as_f64()).abs();
                assert!(off <= 0.0041, "{calls:?}: {found:?}, not {expected:?}");
            }
        }
    }
}

#[test]
fn images_may_grow_in_number() {
    let graph = model(false);
    let found = types(&graph);
    assert!(found.contains(&Datatype::QInt8), "{found:?}");
    for counts in [&[2usize, 1, 16][..], &[15, 16], &[1, 3, 9, 2, 16]] {
        let calls: Vec<[usize; 2]> = counts.iter().map(|&n| [n, 4]).collect();
        check(&graph, &calls);
    }
}

/// Memory that is planned for a call of few high images does not do for one of many.
#[test]
fn means_beside_two_unknown_sizes_are_of_floats() {
    let graph = model(true);
    let found = types(&graph);
    let is_single = |found: &Datatype| *found == Datatype::Fp32;
    assert!(
        !found.is_empty() && found.iter().all(is_single),
        "{found:?}"
    );
    check(&graph, &[[16, 1], [1, 8], [16, 1], [2, 8], [16, 8]]);
}
