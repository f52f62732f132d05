//! NaN, infinities, and the greatest and least numbers.

use super::*;
use kiln_xnnpack::Half;

#[test]
fn numbers_that_are_none() {
    // Kernels of f16 drop NaN.
    let single = Options {
        half: Half::Single,
        ..Options::default()
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let special: Vec<f64> = [nan, inf, -inf, 0.0, -0.0, 1.5, -2.0]
        .into_iter()
        .cycle()
        .take(49)
        .collect();
    let other: Vec<f64> = (0..49).map(|i| special[i / 7]).collect();
    let feed = |dtype, v: &[f64]| {
        Tensor::from(kiln_ir::TensorData::from_scalars(
            dtype,
            vec![7, 7],
            v.iter().map(|&x| Scalar::Float(x)),
        ))
    };
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        for f in [
            BinaryFn::Add,
            BinaryFn::Sub,
            BinaryFn::Mul,
            BinaryFn::Div,
            BinaryFn::Max,
            BinaryFn::Min,
        ] {
            for clamp in [false, true] {
                let graph = graph(|b| {
                    let (x, y) = (b.input(dtype, [7, 7]), b.input(dtype, [7, 7]));
                    let z = b.op(Binary { f }, &[x, y]);
                    vec![if clamp {
                        b.op(Unary { f: UnaryFn::RELU }, &[z])
                    } else {
                        z
                    }]
                });
                check_with(
                    &format!("{f:?} {dtype} {clamp}"),
                    &graph,
                    &[feed(dtype, &special), feed(dtype, &other)],
                    &single,
                );
            }
        }
        use Simple::*;
        for f in [
            Neg,
            Abs,
            Floor,
            Ceil,
            Square,
            Tanh,
            Sigmoid,
            Gelu,
            Hardswish,
            Hardsigmoid,
            Silu,
            Reciprocal,
            Log,
            Sin,
            Cos,
            Exp,
            Sqrt,
            Rsqrt,
        ] {
            let graph = graph(|b| {
                let x = b.input(dtype, [7, 7]);
                vec![b.op(Unary { f: f.into() }, &[x])]
            });
            let fed = [feed(dtype, &special)];
            check_with(&format!("{f:?} {dtype}"), &graph, &fed, &single);
        }
        let constant = graph(|b| {
            let x = b.input(dtype, [7, 7]);
            let c = b.splat(dtype, 2, 0.5);
            vec![
                b.op(Binary { f: BinaryFn::Max }, &[x, c]),
                b.op(Binary { f: BinaryFn::Min }, &[c, x]),
            ]
        });
        check_fed(
            "extremes with a constant",
            &constant,
            &[feed(dtype, &special)],
        );
    }
    for axes in [vec![0], vec![1]] {
        let extremes = graph(|b| {
            let x = b.input(DType::F32, [7, 7]);
            let of = |f| Reduce {
                f,
                axes: axes.clone(),
            };
            vec![b.op(of(ReduceFn::Max), &[x]), b.op(of(ReduceFn::Min), &[x])]
        });
        check_fed(
            "extremes along an axis",
            &extremes,
            &[feed(DType::F32, &special)],
        );
        let numbers: Vec<f64> = special
            .iter()
            .map(|x| if x.is_nan() { 1.0 } else { *x })
            .collect();
        check_fed(
            "infinite extremes",
            &extremes,
            &[feed(DType::F32, &numbers)],
        );
    }
    let average = graph(|b| {
        let x = b.input(DType::F32, [1, 1, 7, 7]);
        vec![b.op(
            pool(
                PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
                [2, 2],
                [1, 1],
                [1, 0],
            ),
            &[x],
        )]
    });
    let numbers: Vec<f64> = (0..49).map(|i| if i == 24 { nan } else { 1.0 }).collect();
    let x = Tensor::from(kiln_ir::TensorData::from_scalars(
        DType::F32,
        vec![1, 1, 7, 7],
        numbers.iter().map(|&x| Scalar::Float(x)),
    ));
    check_fed("average of NaN", &average, std::slice::from_ref(&x));
    for groups in [1, 4] {
        let conv = graph(|b| {
            let x = b.input(DType::F32, [1, 4, 7, 7]);
            let w = b.weights(DType::F32, &[4, 4 / groups as usize, 3, 3]);
            let y = b.op(conv2d(groups, [1, 1], [1, 1]), &[x, w]);
            vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
        });
        let x = Tensor::from(kiln_ir::TensorData::from_scalars(
            DType::F32,
            vec![1, 4, 7, 7],
            (0..196).map(|i| {
                Scalar::Float(if i == 24 {
                    nan
                } else if i == 100 {
                    inf
                } else {
                    1.0
                })
            }),
        ));
        check_fed("convolution of NaN", &conv, &[x]);
    }
}
