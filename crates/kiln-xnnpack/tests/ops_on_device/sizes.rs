//! Sizes that are known only when running.

use super::*;

#[test]
fn sizes_that_are_known_only_when_running() {
    let graph = |make: &dyn Fn(&mut Build<'_>, kiln_ir::Dim) -> Vec<ValueId>| {
        graph(|b| {
            let symbol = Symbol {
                name: "n".into(),
                min: 1,
                max: Some(8),
                hint: None,
            };
            let n = kiln_ir::Dim::symbol(b.rewriter.add_symbol(symbol));
            make(b, n)
        })
    };
    let feed = |sizes: &[usize]| Tensor::from(tensor(7, DType::F32, sizes));
    let linear = graph(&|b, n| {
        let x = b.input(DType::F32, vec![n, 4.into()]);
        let w = b.weights(DType::F32, &[3, 4]);
        let y = b.op(Linear {}, &[x, w]);
        vec![b.op(
            Softmax {
                axis: 1,
                log: false,
            },
            &[y],
        )]
    });
    for n in [1, 5, 8] {
        check_fed("rows of unknown number", &linear, &[feed(&[n, 4])]);
    }
    let image = graph(&|b, n| {
        let x = b.input(DType::F32, vec![n, 3.into(), 8.into(), 8.into()]);
        let w = b.weights(DType::F32, &[4, 3, 3, 3]);
        let y = b.op(conv2d(1, [2, 2], [1, 1]), &[x, w]);
        let y = b.op(Unary { f: UnaryFn::RELU }, &[y]);
        let y = b.op(pool(PoolFn::Max, [2, 2], [2, 2], [0, 0]), &[y]);
        let shape = b.rewriter.graph().ty(y).shape.clone();
        let y = b.op(
            Move {
                movement: Movement::merge(&shape, 1..4).unwrap(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[5, 16]);
        vec![b.op(Linear {}, &[y, w])]
    });
    for n in [1, 3, 8] {
        check_fed("images of unknown number", &image, &[feed(&[n, 3, 8, 8])]);
    }
    let heads = graph(&|b, n| {
        let x = b.input(DType::F32, vec![1.into(), n.clone(), 8.into()]);
        let x = inside(b, x);
        let shape = b.rewriter.graph().ty(x).shape.clone();
        let q = b.op(
            Move {
                movement: Movement::split(&shape, 2, &dims(&[2, 4])).unwrap(),
            },
            &[x],
        );
        let shape = b.rewriter.graph().ty(q).shape.clone();
        let q = b.op(
            Move {
                movement: Movement::permute(&shape, &[0, 2, 1, 3]).unwrap(),
            },
            &[q],
        );
        let shape = b.rewriter.graph().ty(q).shape.clone();
        let k = b.op(
            Move {
                movement: Movement::permute(&shape, &[0, 1, 3, 2]).unwrap(),
            },
            &[q],
        );
        let s = b.op(MatMul {}, &[q, k]);
        let s = b.op(
            Softmax {
                axis: 3,
                log: false,
            },
            &[s],
        );
        let y = b.op(MatMul {}, &[s, q]);
        let y = b.op(
            Slice {
                axis: 3,
                start: 1.into(),
                len: 2.into(),
                step: 1,
            },
            &[y],
        );
        vec![b.op(
            Reduce {
                f: ReduceFn::Mean,
                axes: vec![2],
            },
            &[y],
        )]
    });
    for n in [1, 6, 8] {
        check_fed("tokens of unknown number", &heads, &[feed(&[1, n, 8])]);
    }
}

/// A window whose padding is at most half its size is split into parts that work for every height. With more padding, one
/// kernel reads beyond the window.
#[test]
fn depthwise_windows_on_unknown_heights() {
    for (kernel, pad, is_exact) in [
        ([7, 7], 3, true),
        ([9, 9], 4, true),
        ([31, 1], 15, true),
        ([7, 7], 0, false),
    ] {
        let graph = graph(|b| {
            let symbol = Symbol {
                name: "n".into(),
                min: 8,
                max: Some(40),
                hint: None,
            };
            let n = kiln_ir::Dim::symbol(b.rewriter.add_symbol(symbol));
            let x = b.input(DType::F32, vec![1.into(), 5.into(), n, 12.into()]);
            let w = b.weights(DType::F32, &[5, 1, kernel[0], kernel[1]]);
            let pad = [pad, if kernel[1] == 1 { 0 } else { pad }];
            vec![b.op(conv2d(5, [1, 1], pad), &[x, w])]
        });
        let mut nodes = graph.nodes_in(graph.root());
        let differs = nodes.any(|(node, _)| {
            kiln_xnnpack::difference(&graph, node, &kiln_xnnpack::Options::default()).is_some()
        });
        assert_eq!(differs, !is_exact, "{kernel:?}");
        for n in [8, 21, 40] {
            let x = Tensor::from(tensor(7, DType::F32, &[1, 5, n, 12]));
            check_fed(&format!("{kernel:?} padded {pad}"), &graph, &[x]);
        }
    }
}

/// A graph with a symbolic size from 0 to 8.
fn may_be_empty(make: impl FnOnce(&mut Build<'_>, kiln_ir::Dim) -> Vec<ValueId>) -> Graph {
    graph(|b| {
        let symbol = Symbol {
            name: "n".into(),
            min: 0,
            max: Some(8),
            hint: None,
        };
        let n = kiln_ir::Dim::symbol(b.rewriter.add_symbol(symbol));
        make(b, n)
    })
}

#[test]
fn no_rows_at_all() {
    let rows = may_be_empty(|b, n| {
        let x = b.input(DType::F32, vec![n, 3.into(), 4.into()]);
        let w = b.weights(DType::F32, &[5, 4]);
        let y = b.op(Linear {}, &[x, w]);
        let shape = b.rewriter.graph().ty(y).shape.clone();
        let movement = Movement::permute(&shape, &[0, 2, 1]).unwrap();
        let turned = b.op(Move { movement }, &[y]);
        let scores = b.op(MatMul {}, &[y, turned]);
        let axis = 2;
        let scores = b.op(Softmax { axis, log: false }, &[scores]);
        let both = b.op(Concat { axis }, &[scores, y]);
        let f = ReduceFn::Mean;
        let mean = b.op(Reduce { f, axes: vec![1] }, &[both]);
        vec![both, mean]
    });
    for n in [0, 1, 8] {
        let x = Tensor::from(tensor(7, DType::F32, &[n, 3, 4]));
        check_fed("rows that may be none", &rows, &[x]);
    }
}

#[test]
fn sums_over_nothing_stay_outside() {
    let sums = may_be_empty(|b, n| {
        let x = b.input(DType::F32, vec![3.into(), n.clone()]);
        let y = b.input(DType::F32, vec![n, 4.into()]);
        vec![b.op(MatMul {}, &[x, y])]
    });
    let (id, _) = sums.nodes_in(sums.root()).next().unwrap();
    let refused = kiln_xnnpack::support(&sums, id).unwrap_err();
    assert!(refused.rule.contains("no elements"), "{refused:?}");
}

#[test]
fn windows_of_nothing_are_said() {
    let image = may_be_empty(|b, n| {
        let x = b.input(DType::F32, vec![n, 3.into(), 8.into(), 8.into()]);
        let w = b.weights(DType::F32, &[4, 3, 3, 3]);
        vec![b.op(conv2d(1, [1, 1], [1, 1]), &[x, w])]
    });
    let mut nodes = image.nodes_in(image.root());
    let (id, _) = nodes.find(|(_, n)| matches!(n.op, Op::Conv(_))).unwrap();
    assert!(kiln_xnnpack::support(&image, id).is_ok());
    let strict = kiln_xnnpack::Options {
        strict_nan: true,
        ..Default::default()
    };
    assert!(kiln_xnnpack::support_with(&image, id, &strict).is_err());
    assert!(kiln_xnnpack::difference(&image, id, &kiln_xnnpack::Options::default()).is_some());
}
