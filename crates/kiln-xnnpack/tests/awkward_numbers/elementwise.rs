//! Functions of one operand and of two, and conversions.

use super::probe::{FLOATS, Probe, clamp, of_op, probe};
use kiln_ir::ops::*;

pub fn functions(probes: &mut Vec<Probe>) {
    use Simple::*;
    let simple = [
        Neg,
        Abs,
        Square,
        Floor,
        Ceil,
        Tanh,
        Sigmoid,
        Gelu,
        Hardswish,
        Hardsigmoid,
        Silu,
        Reciprocal,
        Rsqrt,
        Exp,
        Log,
        Sqrt,
        Sin,
        Cos,
        Log1p,
        Expm1,
        LogSigmoid,
        Mish,
        Sinh,
        Cosh,
        Atan,
    ]
    .map(|f| (format!("{f:?}"), UnaryFn::from(f)));
    let elu = UnaryFn::Elu {
        alpha: 1.5,
        scale: 1.0,
        input_scale: 1.0,
    };
    let others = [
        ("elu".to_owned(), elu),
        ("leaky relu".to_owned(), UnaryFn::LeakyRelu { slope: 0.1 }),
        (
            "leaky relu, negative".to_owned(),
            UnaryFn::LeakyRelu { slope: -0.5 },
        ),
        (
            "softplus".to_owned(),
            UnaryFn::Softplus {
                beta: -2.0,
                threshold: 20.0,
            },
        ),
        ("relu".to_owned(), UnaryFn::RELU),
        ("relu6".to_owned(), clamp(Some(0.0), Some(6.0))),
        ("clamp from below".to_owned(), clamp(Some(-1.0), None)),
        ("clamp from above".to_owned(), clamp(None, Some(0.5))),
    ];
    for dtype in FLOATS {
        for (name, f) in simple.iter().chain(&others) {
            probes.push(of_op(name, dtype, &[3, 37], Unary { f: *f }));
        }
    }
}

pub fn pairs(probes: &mut Vec<Probe>) {
    use BinaryFn::*;
    for dtype in FLOATS {
        for f in [Add, Sub, Mul, Div, Max, Min] {
            probes.push(probe(&format!("{f:?}"), dtype, |b| {
                let (x, y) = (b.input(dtype, [3, 37]), b.input(dtype, [3, 37]));
                vec![b.op(Binary { f }, &[x, y])]
            }));
            probes.push(probe(&format!("{f:?} of a row"), dtype, |b| {
                let (x, y) = (b.input(dtype, [3, 37]), b.input(dtype, [1, 37]));
                vec![b.op(Binary { f }, &[x, y])]
            }));
            probes.push(probe(&format!("{f:?}, clamped"), dtype, |b| {
                let (x, y) = (b.input(dtype, [3, 37]), b.input(dtype, [3, 1]));
                let z = b.op(Binary { f }, &[x, y]);
                vec![b.op(
                    Unary {
                        f: clamp(Some(-1.0), Some(1.0)),
                    },
                    &[z],
                )]
            }));
            probes.push(probe(&format!("{f:?} with a number"), dtype, |b| {
                let (x, y) = (b.input(dtype, [3, 37]), b.splat(dtype, 2, 0.5));
                vec![b.op(Binary { f }, &[x, y])]
            }));
            probes.push(probe(&format!("{f:?} with a vector"), dtype, |b| {
                let (x, y) = (b.input(dtype, [3, 37]), b.weights(dtype, &[3, 1]));
                vec![b.op(Binary { f }, &[y, x])]
            }));
        }
        probes.push(probe("prelu", dtype, |b| {
            let (x, slope) = (
                b.input(dtype, [2, 5, 3, 4]),
                b.weights(dtype, &[1, 5, 1, 1]),
            );
            vec![b.op(Binary { f: Prelu }, &[x, slope])]
        }));
        probes.push(probe("square by pow", dtype, |b| {
            let (x, two) = (b.input(dtype, [3, 37]), b.splat(dtype, 2, 2.0));
            vec![b.op(Binary { f: Pow }, &[x, two])]
        }));
        for to in FLOATS {
            probes.push(of_op(
                &format!("cast to {to}"),
                dtype,
                &[3, 37],
                Cast { to },
            ));
        }
    }
}
