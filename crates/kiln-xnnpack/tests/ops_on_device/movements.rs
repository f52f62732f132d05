//! Ops that move, repeat, pick and join elements.

use super::*;

#[test]
fn moves() {
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::I32] {
        check(&format!("transpose {dtype}"), |b| {
            let x = b.input(dtype, [2, 3, 4]);
            let x = b.op(Binary { f: BinaryFn::Add }, &[x, x]);
            let y = b.op(
                Move {
                    movement: Movement::permute(&dims(&[2, 3, 4]), &[2, 0, 1]).unwrap(),
                },
                &[x],
            );
            vec![b.op(Binary { f: BinaryFn::Add }, &[y, y])]
        });
        check(&format!("slice {dtype}"), |b| {
            let x = b.input(dtype, [2, 6, 4]);
            vec![b.op(
                Slice {
                    axis: 1,
                    start: 2.into(),
                    len: 3.into(),
                    step: 1,
                },
                &[x],
            )]
        });
        check(&format!("strided slice {dtype}"), |b| {
            let x = b.input(dtype, [2, 7, 4]);
            vec![b.op(
                Slice {
                    axis: 1,
                    start: 1.into(),
                    len: 3.into(),
                    step: 2,
                },
                &[x],
            )]
        });
        check(&format!("concat {dtype}"), |b| {
            let x = b.input(dtype, [2, 6, 4]);
            let y = b.input(dtype, [2, 1, 4]);
            vec![b.op(Concat { axis: 1 }, &[x, y, x, x, y, y, x])]
        });
        check(&format!("broadcast {dtype}"), |b| {
            let x = b.input(dtype, [2, 1, 4]);
            vec![b.op(
                Broadcast {
                    shape: [2, 3, 4].into(),
                },
                &[x],
            )]
        });
    }
    for dtype in [DType::F32, DType::BF16] {
        check(&format!("pad {dtype}"), |b| {
            let x = b.input(dtype, [2, 3, 4]);
            vec![b.op(
                Pad {
                    low: dims(&[0, 1, 2]),
                    high: dims(&[1, 0, 3]),
                    mode: PadMode::Constant(Scalar::Float(1.5)),
                },
                &[x],
            )]
        });
    }
    for (from, to) in [
        (DType::F32, DType::F16),
        (DType::F16, DType::F32),
        (DType::F32, DType::BF16),
        (DType::BF16, DType::F32),
        (DType::F16, DType::BF16),
        (DType::I32, DType::F32),
        (DType::I32, DType::F16),
    ] {
        check(&format!("{from} to {to}"), |b| {
            let x = b.input(from, [2, 3]);
            let x = b.op(Binary { f: BinaryFn::Add }, &[x, x]);
            vec![b.op(Cast { to }, &[x])]
        });
    }
    check("an input as output", |b| {
        let x = b.input(DType::F32, [2, 3]);
        let y = inside(b, x);
        vec![x, y, y]
    });
}
