//! Matrix products, layers and softmax.

use super::*;

#[test]
fn products() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        check(&format!("linear {dtype}"), |b| {
            let x = b.input(dtype, [2, 3, 8]);
            let w = b.weights(dtype, &[5, 8]);
            let c = b.weights(dtype, &[5]);
            vec![b.op(Linear {}, &[x, w, c])]
        });
        check(&format!("linear of a vector {dtype}"), |b| {
            let x = b.input(dtype, [8]);
            let w = b.weights(dtype, &[5, 8]);
            vec![b.op(Linear {}, &[x, w])]
        });
    }
    check("linear clamped", |b| {
        let x = b.input(DType::F32, [2, 3, 8]);
        let w = b.weights(DType::F32, &[5, 8]);
        let y = b.op(Linear {}, &[x, w]);
        vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
    });
    check("linear by a computed weight", |b| {
        let x = b.input(DType::F32, [3, 8]);
        let w = b.input(DType::F32, [5, 8]);
        let c = b.input(DType::F32, [5]);
        vec![b.op(Linear {}, &[x, w, c])]
    });
    for dtype in [DType::F32, DType::F16] {
        check("linear by a computed weight with a constant bias", |b| {
            let x = b.input(dtype, [3, 8]);
            let w = b.input(dtype, [5, 8]);
            let c = b.weights(dtype, &[5]);
            let y = b.op(Linear {}, &[x, w, c]);
            vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
        });
        check("linear by a constant weight with a computed bias", |b| {
            let x = b.input(dtype, [2, 3, 8]);
            let w = b.weights(dtype, &[5, 8]);
            let c = b.input(dtype, [5]);
            vec![b.op(Linear {}, &[x, w, c])]
        });
    }
    for dtype in [DType::F32, DType::F16] {
        check("matmul", |b| {
            let x = b.input(dtype, [2, 3, 4, 8]);
            let y = b.input(dtype, [2, 1, 8, 5]);
            vec![b.op(MatMul {}, &[x, y])]
        });
        check("matmul of matrices", |b| {
            let x = b.input(dtype, [4, 8]);
            let y = b.input(dtype, [8, 5]);
            vec![b.op(MatMul {}, &[x, y])]
        });
    }
    check("matmul by a constant", |b| {
        let x = b.input(DType::F32, [2, 3, 8]);
        let y = b.weights(DType::F32, &[1, 8, 5]);
        vec![b.op(MatMul {}, &[x, y])]
    });
    check("attention", |b| {
        let x = b.input(DType::F32, [1, 9, 32]);
        let head = |b: &mut Build<'_>| {
            let w = b.weights(DType::F32, &[32, 32]);
            let q = b.op(Linear {}, &[x, w]);
            let split = Movement::split(&dims(&[1, 9, 32]), 2, &dims(&[4, 8])).unwrap();
            let q = b.op(Move { movement: split }, &[q]);
            b.op(
                Move {
                    movement: Movement::permute(&dims(&[1, 9, 4, 8]), &[0, 2, 1, 3]).unwrap(),
                },
                &[q],
            )
        };
        let (q, k, v) = (head(b), head(b), head(b));
        let k = b.op(
            Move {
                movement: Movement::permute(&dims(&[1, 4, 9, 8]), &[0, 1, 3, 2]).unwrap(),
            },
            &[k],
        );
        let scores = b.op(MatMul {}, &[q, k]);
        let p = b.op(
            Softmax {
                axis: 3,
                log: false,
            },
            &[scores],
        );
        let y = b.op(MatMul {}, &[p, v]);
        let y = b.op(
            Move {
                movement: Movement::permute(&dims(&[1, 4, 9, 8]), &[0, 2, 1, 3]).unwrap(),
            },
            &[y],
        );
        let y = b.op(
            Move {
                movement: Movement::merge(&dims(&[1, 9, 4, 8]), 2..4).unwrap(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[32, 32]);
        let y = b.op(Linear {}, &[y, w]);
        vec![b.op(Binary { f: BinaryFn::Add }, &[x, y])]
    });
    for axis in 0..4 {
        check(&format!("softmax {axis}"), |b| {
            let x = b.input(DType::F32, [2, 3, 4, 5]);
            vec![b.op(Softmax { axis, log: false }, &[x])]
        });
    }
    check("softmax of a vector", |b| {
        let x = b.input(DType::F32, [5]);
        vec![b.op(
            Softmax {
                axis: 0,
                log: false,
            },
            &[x],
        )]
    });
}
