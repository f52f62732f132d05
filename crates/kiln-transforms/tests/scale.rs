//! Passes are nearly linear, on each shape of graph on which a quadratic algorithm becomes slow. The test counts how often
//! each pass looks at nodes and values, in a graph and in one of four times the size.

mod fake_target;

use fake_target::FakeTarget;
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::{Binary, BinaryFn, Move, Simple, Unary};
use kiln_ir::verify::verify;
use kiln_ir::visits::visits;
use kiln_ir::{DType, Graph, Movement, Place, Rewriter, Scalar, TensorData, TensorType, ValueId};
use kiln_transforms::framework::pass::{Pass, run_pass};
use kiln_transforms::passes::all_passes;

const NODES: usize = 20_000;

/// The ratio of the two sizes.
const TIMES: usize = 4;

/// The greatest ratio of the numbers of looks in the two graphs. `n log n` gives 4.6, and `n sqrt n` gives 8.
const MOST: f64 = 6.0;

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

/// The number of times that a pass looks at a node or a value.
struct Looks {
    pass: &'static str,
    count: u64,
}

/// Runs every pass. Returns the number of remaining nodes, and the looks of each pass.
fn run(mut graph: Graph) -> (usize, Vec<Looks>) {
    let target = FakeTarget::parse("none unary.silu binary.sub".split(' '));
    let passes = all_passes().iter().chain(&all_passes()[..1]);
    let one = |pass: &Pass| {
        let before = visits().expect("tests are built with debug assertions");
        run_pass(&mut graph, &target, pass, None);
        let count = visits().expect("as before") - before;
        assert_eq!(verify(&graph), Ok(()), "{}", pass.name);
        Looks {
            pass: pass.name,
            count,
        }
    };
    let looks = passes.map(one).collect();
    (graph.node_count(), looks)
}

/// The passes whose looks grow faster than [`MOST`].
fn steep(small: &[Looks], large: &[Looks]) -> Vec<String> {
    assert_eq!(small.len(), large.len());
    let steep = small.iter().zip(large).filter_map(|(s, l)| {
        assert_eq!(s.pass, l.pass);
        let growth = l.count as f64 / s.count.max(1) as f64;
        (growth > MOST && l.count > NODES as u64)
            .then(|| format!("{} looks {} times, then {}", s.pass, s.count, l.count))
    });
    steep.collect()
}

/// Runs every pass on a graph of about [`NODES`] nodes and on a smaller one. Returns the number of remaining nodes of the
/// large one.
fn check(make: impl Fn(usize) -> Graph) -> usize {
    let (_, small) = run(make(NODES / TIMES));
    let (left, large) = run(make(NODES));
    let all: u64 = large.iter().map(|l| l.count).sum();
    println!("{all} looks at {NODES} nodes");
    assert!(all > NODES as u64, "only {all} looks are counted");
    assert_eq!(steep(&small, &large), Vec::<String>::new());
    left
}

#[test]
fn a_quadratic_pass_is_named() {
    let looks = |count| {
        [Looks {
            pass: "slow",
            count,
        }]
    };
    let n = NODES as u64;
    let found = steep(&looks(n * n / 16), &looks(n * n));
    assert!(found[0].starts_with("slow looks"), "{found:?}");
    assert!(steep(&looks(n / 4), &looks(n + n / 8)).is_empty());
}

#[test]
fn a_chain_with_a_constant_for_each_node() {
    let left = check(|nodes| {
        graph(|rewriter, place, x| {
            (0..nodes / 3).fold(x, |x, i| {
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
        })
    });
    assert!(left < 2 * NODES);
}

#[test]
fn a_chain_of_moves_and_functions() {
    let there = Movement::permute(&[2.into(), 3.into()], &[1, 0]).expect("it fits");
    let back = there.inverse();
    let left = check(|nodes| {
        graph(|rewriter, place, x| {
            (0..nodes / 2).fold(x, |x, i| {
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
        })
    });
    assert!(left < NODES);
}

#[test]
fn one_value_that_everything_reads() {
    let left = check(|nodes| {
        graph(|rewriter, place, x| {
            let read: Vec<ValueId> = (0..nodes / 2)
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
        })
    });
    assert!(left <= NODES);
}

#[test]
fn a_graph_that_nobody_reads() {
    let left = check(|nodes| {
        graph(|rewriter, place, x| {
            (0..nodes).fold(x, |y, _| {
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
        })
    });
    assert_eq!(left, 0);
}
