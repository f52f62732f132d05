//! Functions of one operand and of two, and conversions.

use super::build::{Build, dims};
use super::probe::{FLOATS, Probe, clamp, of_op, probe};
use kiln_ir::ops::*;
use kiln_ir::{DType, Scalar, TensorData, ValueId};

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

/// What masks put in place of what they hide: the elements follow each other.
const HIDDEN: [&[f64]; 5] = [
    &[f64::NEG_INFINITY],
    &[f64::INFINITY],
    &[0.5],
    &[0.0],
    &[f64::INFINITY, -1.5, f64::NEG_INFINITY, 0.0],
];

/// `where` with constant masks of several sizes, which hide every third element, by infinities and by numbers.
pub fn masks(probes: &mut Vec<Probe>) {
    const SIZES: [&[i64]; 4] = [&[3, 37], &[1, 37], &[3, 1], &[2, 3, 1, 5]];
    for sizes in SIZES {
        for hidden in HIDDEN {
            for is_kept in [true, false] {
                let name = format!("where {hidden:?} hides by {sizes:?}, {is_kept}");
                probes.push(probe(&name, DType::F32, |b| {
                    let shape: &[i64] = if sizes.len() == 2 {
                        &[3, 37]
                    } else {
                        &[2, 3, 4, 5]
                    };
                    let x = b.input(DType::F32, dims(shape));
                    vec![masked(b, x, sizes, hidden, is_kept)]
                }));
            }
        }
    }
}

/// `where` with every third element of a mask of these sizes hidden.
fn masked(b: &mut Build, x: ValueId, sizes: &[i64], hidden: &[f64], is_kept: bool) -> ValueId {
    let count = sizes.iter().product::<i64>();
    let own: Vec<usize> = sizes.iter().map(|&n| n as usize).collect();
    let bits = (0..count).map(|i| Scalar::Bool((i % 3 != 0) == is_kept));
    let bits = bits.collect::<Vec<_>>();
    let mask = b.constant(TensorData::from_scalars(DType::Bool, own.clone(), bits));
    let hidden = match hidden {
        &[number] => b.splat(DType::F32, sizes.len(), number),
        numbers => {
            let numbers = numbers.iter().cycle().map(|&n| Scalar::Float(n));
            let numbers = numbers.take(count as usize).collect::<Vec<_>>();
            b.constant(TensorData::from_scalars(DType::F32, own, numbers))
        }
    };
    let [a, b_] = if is_kept { [x, hidden] } else { [hidden, x] };
    b.op(Select {}, &[mask, a, b_])
}
