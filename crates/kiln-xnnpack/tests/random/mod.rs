//! Random networks of images, matrices and movements.

#![allow(dead_code, reason = "each test file uses a part")]

use super::build::{Build, dims, graph};
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, ValueId};
use proptest::prelude::*;

/// A kind of op, the earlier value that it reads, and the choice of its other operand or attribute.
pub type Step = (u8, usize, usize);

/// Steps of a network.
pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..14u8, 0..5usize, 0..12usize), 1..16)
}

/// The network of these steps, on one input of 4 by 4 by 4 by 4.
pub fn network(steps: Vec<Step>) -> Graph {
    graph(|b| {
        let mut values = vec![b.input(DType::F32, [4, 4, 4, 4])];
        for step in steps {
            let next = grow(b, &values, step);
            values.push(next);
        }
        values.split_off(values.len().saturating_sub(3))
    })
}

pub fn sizes(b: &Build<'_>, v: ValueId) -> Vec<i64> {
    let sizes = b.rewriter.graph().ty(v).shape.as_static().unwrap();
    sizes.into_iter().map(|n| n as i64).collect()
}

pub fn permuted(b: &mut Build<'_>, x: ValueId, order: &[usize]) -> ValueId {
    let shape = dims(&sizes(b, x));
    let movement = Movement::permute(&shape, order).unwrap();
    b.op(Move { movement }, &[x])
}

/// Adds an op on earlier values.
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
