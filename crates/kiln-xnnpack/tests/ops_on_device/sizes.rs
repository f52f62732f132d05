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
