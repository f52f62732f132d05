//! Passes stay near linear: graphs of 50,000 nodes in each shape that a quadratic step would stall on.

mod fake_target;

use fake_target::FakeTarget;
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::{Binary, BinaryFn, Move, Simple, Unary};
use kiln_ir::verify::verify;
use kiln_ir::{DType, Graph, Movement, Place, Rewriter, Scalar, TensorData, TensorType, ValueId};
use kiln_transforms::framework::pass::{Options, Pass, run_pipeline};
use kiln_transforms::passes::all_passes;

const NODES: usize = 50_000;

fn graph(build: impl FnOnce(&mut Rewriter<'_>, Place, ValueId) -> ValueId) -> Graph {
    let mut graph = Graph::new("scale");
    let root = graph.root();
    let mut rewriter = Rewriter::new(&mut graph);
    let x = rewriter.add_param(root, TensorType::new(DType::F32, [2, 3]), None);
    rewriter.signature().inputs.push(InputSpec::Tensor {
        name: "x".into(),
        dim_order: vec![0, 1],
    });
    rewriter.signature().outputs.push(OutputSpec::TENSOR);
    let result = build(&mut rewriter, Place::End(root), x);
    rewriter.set_results(root, vec![result]);
    graph
}

/// Runs every pass; gives the number of nodes left.
fn run(mut graph: Graph) -> usize {
    let target = FakeTarget::parse("none unary.silu binary.sub".split(' '));
    let pipeline: Vec<Pass> = all_passes()
        .iter()
        .chain(&all_passes()[..1])
        .copied()
        .collect();
    run_pipeline(&mut graph, &target, &pipeline, &Options::default()).expect("sound graphs");
    assert_eq!(verify(&graph), Ok(()));
    graph.node_count()
}

#[test]
fn a_chain_with_a_constant_for_each_node() {
    let left = run(graph(|rewriter, place, x| {
        (0..NODES / 3).fold(x, |x, i| {
            let value = Scalar::Float((i % 7) as f64 + 1.5);
            let c = rewriter.constant_value(
                place,
                "c",
                TensorData::splat(DType::F32, vec![1, 1], value),
            );
            let sum = rewriter
                .value(place, Binary { f: BinaryFn::Sub }, &[x, c])
                .expect("it fits");
            rewriter
                .value(
                    place,
                    Unary {
                        f: Simple::Silu.into(),
                    },
                    &[sum],
                )
                .expect("it fits")
        })
    }));
    assert!(left < 2 * NODES);
}

#[test]
fn a_chain_of_moves_and_functions() {
    let there = Movement::permute(&[2.into(), 3.into()], &[1, 0]).expect("it fits");
    let back = there.inverse();
    let left = run(graph(|rewriter, place, x| {
        (0..NODES / 2).fold(x, |x, i| {
            let movement = if i % 2 == 0 {
                there.clone()
            } else {
                back.clone()
            };
            let moved = rewriter
                .value(place, Move { movement }, &[x])
                .expect("it fits");
            let f = if i % 3 == 0 { Simple::Exp } else { Simple::Sin };
            rewriter
                .value(place, Unary { f: f.into() }, &[moved])
                .expect("it fits")
        })
    }));
    assert!(left < NODES);
}

#[test]
fn one_value_that_everything_reads() {
    let left = run(graph(|rewriter, place, x| {
        let read: Vec<ValueId> = (0..NODES / 2)
            .map(|i| {
                let f = if i % 2 == 0 { Simple::Exp } else { Simple::Neg };
                rewriter
                    .value(place, Unary { f: f.into() }, &[x])
                    .expect("it fits")
            })
            .collect();
        read.into_iter().fold(x, |sum, y| {
            rewriter
                .value(place, Binary { f: BinaryFn::Add }, &[sum, y])
                .expect("it fits")
        })
    }));
    assert!(left <= NODES);
}

#[test]
fn a_graph_that_nobody_reads() {
    let left = run(graph(|rewriter, place, x| {
        (0..NODES).fold(x, |y, _| {
            rewriter
                .value(
                    place,
                    Unary {
                        f: Simple::Exp.into(),
                    },
                    &[y],
                )
                .expect("it fits")
        });
        x
    }));
    assert_eq!(left, 0);
}
