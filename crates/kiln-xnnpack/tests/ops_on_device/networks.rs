//! Several ops of an image network.

use super::*;

#[test]
fn images() {
    check("residual block", |b| {
        let x = b.input(DType::F32, [1, 4, 8, 8]);
        let w = b.weights(DType::F32, &[8, 4, 3, 3]);
        let y = b.op(conv2d(1, [1, 1], [1, 1]), &[x, w]);
        let y = b.op(Unary { f: UnaryFn::RELU }, &[y]);
        let w = b.weights(DType::F32, &[8, 8, 3, 3]);
        let z = b.op(conv2d(1, [1, 1], [1, 1]), &[y, w]);
        let z = b.op(Binary { f: BinaryFn::Add }, &[y, z]);
        let s = b.op(
            Reduce {
                f: ReduceFn::Mean,
                axes: vec![2, 3],
            },
            &[z],
        );
        let w = b.weights(DType::F32, &[8, 8, 1, 1]);
        let s = b.op(conv2d(1, [1, 1], [0, 0]), &[s, w]);
        let s = b.op(
            Unary {
                f: Simple::Sigmoid.into(),
            },
            &[s],
        );
        let z = b.op(Binary { f: BinaryFn::Mul }, &[s, z]);
        let z = b.op(Concat { axis: 1 }, &[z, y]);
        let z = b.op(
            Pool {
                ceil: false,
                ..pool(PoolFn::Max, [2, 2], [2, 2], [0, 0])
            },
            &[z],
        );
        let z = b.op(
            Move {
                movement: Movement::merge(&dims(&[1, 16, 4, 4]), 1..4).unwrap(),
            },
            &[z],
        );
        let w = b.weights(DType::F32, &[10, 256]);
        vec![b.op(Linear {}, &[z, w])]
    });
    check("channels to the end and back", |b| {
        let x = b.input(DType::F32, [1, 4, 6, 6]);
        let w = b.weights(DType::F32, &[4, 1, 7, 7]);
        let y = b.op(conv2d(4, [1, 1], [3, 3]), &[x, w]);
        let y = b.op(
            Move {
                movement: Movement::permute(&dims(&[1, 4, 6, 6]), &[0, 2, 3, 1]).unwrap(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[8, 4]);
        let y = b.op(Linear {}, &[y, w]);
        let y = b.op(
            Unary {
                f: Simple::Gelu.into(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[4, 8]);
        let y = b.op(Linear {}, &[y, w]);
        let g = b.weights(DType::F32, &[1, 1, 1, 4]);
        let y = b.op(Binary { f: BinaryFn::Mul }, &[y, g]);
        let y = b.op(
            Move {
                movement: Movement::permute(&dims(&[1, 6, 6, 4]), &[0, 3, 1, 2]).unwrap(),
            },
            &[y],
        );
        vec![b.op(Binary { f: BinaryFn::Add }, &[x, y])]
    });
}
