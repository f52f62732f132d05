//! Random networks: the payloads, interpreted, together with what stays outside, give what the graph means.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;

use build::{Build, dims, graph, tensor};
use kiln_eval::{Bindings, State, Tensor, evaluate, evaluate_op};
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, NodeId, Op, Symbols, ValueId};
use kiln_portable::region::{Boundary, Region};
use kiln_xnnpack::{Options, compile, execute};
use proptest::prelude::*;
use std::collections::HashMap;

fn sizes(b: &Build<'_>, v: ValueId) -> Vec<i64> {
    let sizes = b.rewriter.graph().ty(v).shape.as_static().unwrap();
    sizes.into_iter().map(|n| n as i64).collect()
}

fn permuted(b: &mut Build<'_>, x: ValueId, order: &[usize]) -> ValueId {
    let shape = dims(&sizes(b, x));
    let movement = Movement::permute(&shape, order).unwrap();
    b.op(Move { movement }, &[x])
}

/// One more value from earlier ones.
fn grow(b: &mut Build<'_>, values: &[ValueId], (kind, at, other): (u8, usize, usize)) -> ValueId {
    let x = values[values.len() - 1 - at % values.len()];
    let n = sizes(b, x);
    let same = values
        .iter()
        .copied()
        .filter(|&v| sizes(b, v) == n)
        .collect::<Vec<_>>();
    let y = same[other % same.len()];
    match kind {
        0 => b.op(Unary { f: UnaryFn::RELU }, &[x]),
        1 => b.op(Binary { f: BinaryFn::Add }, &[x, y]),
        2 | 3 => {
            let k = if kind == 2 { 1 } else { 3 };
            let w = b.weights(DType::F32, &[4, n[1] as usize, k, k]);
            let pad = vec![k as i64 / 2; 2];
            let (stride, dilation, output_padding) = (vec![1, 1], vec![1, 1], vec![0, 0]);
            b.op(
                Conv {
                    stride,
                    pad_low: pad.clone(),
                    pad_high: pad,
                    dilation,
                    groups: 1,
                    transposed: false,
                    output_padding,
                },
                &[x, w],
            )
        }
        4 => permuted(b, x, &[0, 2, 3, 1]),
        5 => permuted(b, x, &[0, 3, 1, 2]),
        6 => permuted(
            b,
            x,
            [[0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 2, 3]][other % 3].as_slice(),
        ),
        7 => {
            let axes = [vec![2, 3], vec![1], vec![3], vec![0, 2]][other % 4].clone();
            let mean = b.op(
                Reduce {
                    f: ReduceFn::Mean,
                    axes,
                },
                &[x],
            );
            b.op(Binary { f: BinaryFn::Sub }, &[x, mean])
        }
        8 => b.op(
            Softmax {
                axis: other % 4,
                log: false,
            },
            &[x],
        ),
        9 => {
            let joined = b.op(Concat { axis: other % 4 }, &[x, y]);
            let (axis, len) = (other % 4, n[other % 4]);
            b.op(
                Slice {
                    axis,
                    start: 1.into(),
                    len: len.into(),
                    step: 1,
                },
                &[joined],
            )
        }
        10 => b.op(
            Unary {
                f: Simple::Erf.into(),
            },
            &[x],
        ),
        11 => {
            let w = b.weights(DType::F32, &[4, n[3] as usize]);
            b.op(Linear {}, &[x, w])
        }
        12 => {
            let merged = Movement::merge(&dims(&n), 2..4).unwrap();
            let split = merged.inverse();
            let row = b.op(Move { movement: merged }, &[x]);
            let row = b.op(
                Unary {
                    f: Simple::Tanh.into(),
                },
                &[row],
            );
            b.op(Move { movement: split }, &[row])
        }
        _ => {
            let p = permuted(b, x, &[0, 1, 3, 2]);
            let m = b.op(MatMul {}, &[x, p]);
            let s = b.splat(DType::F32, 4, 0.25);
            b.op(Binary { f: BinaryFn::Mul }, &[m, s])
        }
    }
}

fn run_region(region: &Region, values: &HashMap<ValueId, Tensor>) -> Vec<(ValueId, Tensor)> {
    let named = |key: &str| {
        region
            .named_data
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, data)| data.bytes().clone())
    };
    let moved = |t: &Tensor, order: &[usize]| {
        let shape = dims(&t.sizes().iter().map(|&n| n as i64).collect::<Vec<_>>());
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
    let outputs = execute(&region.blob, &named, &inputs).unwrap();
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
fn run(graph: &Graph, regions: &[Region], input: &Tensor) -> Vec<Tensor> {
    let mut region_of = HashMap::new();
    for (i, region) in regions.iter().enumerate() {
        region.nodes.iter().for_each(|&n| {
            region_of.insert(n, i);
        });
    }
    let mut values: HashMap<ValueId, Tensor> =
        HashMap::from([(graph.block(graph.root()).params[0], input.clone())]);
    let mut pending: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    while !pending.is_empty() {
        let before = pending.len();
        pending.retain(|&id| {
            let node = graph.node(id);
            if let Op::Constant(op) = &node.op {
                values.insert(
                    node.result(),
                    Tensor::from(graph.constant(op.value).data.clone()),
                );
                return false;
            }
            if let Some(&region) = region_of.get(&id) {
                let region = &regions[region];
                if region.inputs.iter().all(|b| values.contains_key(&b.value)) {
                    let results = run_region(region, &values);
                    values.extend(results);
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
                values.extend(node.results.iter().copied().zip(results));
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn delegates_compute_what_the_graph_means(steps in prop::collection::vec((0..14u8, 0..5usize, 0..12usize), 1..16)) {
        let graph = graph(|b| {
            let mut values = vec![b.input(DType::F32, [4, 4, 4, 4])];
            for step in steps {
                let next = grow(b, &values, step);
                values.push(next);
            }
            values.split_off(values.len().saturating_sub(3))
        });
        let input = Tensor::from(tensor(3, DType::F32, &[4, 4, 4, 4]));
        let regions = compile(&graph, &Options::default()).unwrap();
        let expected = evaluate(&graph, std::slice::from_ref(&input), &mut State::new(&graph), &kiln_eval::Options::default()).unwrap();
        let found = run(&graph, &regions, &input);
        for (found, expected) in found.iter().zip(&expected.outputs) {
            prop_assert_eq!(found.sizes(), expected.sizes());
            let largest = expected.scalars().iter().fold(1.0f64, |m, s| m.max(s.as_f64().abs()));
            let off = |(a, b): (&kiln_ir::Scalar, &kiln_ir::Scalar)| (a.as_f64() - b.as_f64()).abs();
            let worst = found.scalars().iter().zip(expected.scalars().iter()).map(off).fold(0.0, f64::max);
            prop_assert!(worst <= largest * 1e-4, "{worst} of {largest}");
        }
    }
}
