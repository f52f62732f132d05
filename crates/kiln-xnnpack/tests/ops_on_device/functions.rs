//! Functions of one and two numbers.

use super::*;

#[test]
fn functions_of_one_number() {
    use Simple::*;
    for f in [
        Neg,
        Abs,
        Floor,
        Ceil,
        Exp,
        Square,
        Sin,
        Cos,
        Tanh,
        Sigmoid,
        Gelu,
        Hardswish,
        Hardsigmoid,
        Silu,
        Reciprocal,
    ] {
        for dtype in [DType::F32, DType::F16] {
            if dtype == DType::F16 && matches!(f, Exp | Sin | Cos) {
                continue;
            }
            check(&format!("{f:?} {dtype}"), |b| {
                let x = b.input(dtype, [2, 3, 5]);
                vec![b.op(Unary { f: f.into() }, &[x])]
            });
        }
    }
    for f in [Log, Sqrt, Rsqrt] {
        check(&format!("{f:?}"), |b| {
            let x = b.input(DType::F32, [2, 3, 5]);
            let x = b.op(Unary { f: Square.into() }, &[x]);
            vec![b.op(Unary { f: f.into() }, &[x])]
        });
    }
    for f in [
        UnaryFn::Elu {
            alpha: 1.5,
            scale: 1.0,
            input_scale: 1.0,
        },
        UnaryFn::LeakyRelu { slope: 0.1 },
        UnaryFn::RELU,
        UnaryFn::Clamp {
            min: Some(Scalar::Float(-0.5)),
            max: Some(Scalar::Float(1.0)),
        },
        UnaryFn::Clamp {
            min: None,
            max: Some(Scalar::Float(1.0)),
        },
    ] {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            check(&format!("{f:?} {dtype}"), |b| {
                let x = b.input(dtype, [2, 3, 5]);
                vec![b.op(Unary { f }, &[x])]
            });
        }
    }
}

#[test]
fn functions_of_two_numbers() {
    use BinaryFn::*;
    for f in [Add, Sub, Mul, Div, Max, Min] {
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::I32] {
            if dtype == DType::I32 && f == Div {
                continue;
            }
            check(&format!("{f:?} {dtype}"), |b| {
                let x = b.input(dtype, [2, 3, 5]);
                let y = b.input(dtype, [2, if matches!(f, Max | Min) { 3 } else { 1 }, 5]);
                vec![b.op(Binary { f }, &[x, y])]
            });
        }
        check(&format!("{f:?} constant"), |b| {
            let x = b.input(DType::F32, [2, 3, 5]);
            let y = b.weights(DType::F32, &[1, 3, 1]);
            vec![b.op(Binary { f }, &[x, y])]
        });
        check(&format!("{f:?} clamped"), |b| {
            let x = b.input(DType::F32, [2, 3, 5]);
            let y = b.weights(DType::F32, &[1, 3, 1]);
            let z = b.op(Binary { f }, &[x, y]);
            vec![b.op(Unary { f: UnaryFn::RELU }, &[z])]
        });
    }
    check("prelu", |b| {
        let x = b.input(DType::F32, [2, 3, 5, 4]);
        let s = b.weights(DType::F32, &[1, 3, 1, 1]);
        vec![b.op(Binary { f: Prelu }, &[x, s])]
    });
    check("prelu of one slope", |b| {
        let x = b.input(DType::F32, [2, 3, 5, 4]);
        let s = b.weights(DType::F32, &[1, 1, 1, 1]);
        vec![b.op(Binary { f: Prelu }, &[x, s])]
    });
    check("square by pow", |b| {
        let x = b.input(DType::F32, [2, 3]);
        let s = b.splat(DType::F32, 2, 2.0);
        vec![b.op(Binary { f: Pow }, &[x, s])]
    });
}

#[test]
fn functions_of_numbers_without_axes() {
    use Simple::*;
    for f in [Exp, Sqrt, Rsqrt, Reciprocal, Hardsigmoid, Silu] {
        check(&format!("{f:?} of rank 0"), |b| {
            let x = b.input(DType::F32, kiln_ir::Shape::scalar());
            let x = b.op(Unary { f: Abs.into() }, &[x]);
            vec![b.op(Unary { f: f.into() }, &[x])]
        });
    }
    for f in [BinaryFn::Max, BinaryFn::Min] {
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            check(&format!("{f:?} {dtype} of rank 0"), |b| {
                let x = b.input(dtype, kiln_ir::Shape::scalar());
                let y = b.input(dtype, kiln_ir::Shape::scalar());
                vec![b.op(Binary { f }, &[x, y])]
            });
        }
    }
}

/// Sines of angles up to 5e6 are within 1e-5, and those of others are said to differ.
#[test]
fn large_angles_are_said() {
    for f in [Simple::Sin, Simple::Cos] {
        let alone = |limit: Option<f64>| {
            graph(|b| {
                let x = b.input(DType::F32, [512]);
                let x = match limit {
                    Some(limit) => {
                        let ends = [-limit, limit].map(|end| Some(Scalar::Float(end)));
                        let [min, max] = ends;
                        b.op(
                            Unary {
                                f: UnaryFn::Clamp { min, max },
                            },
                            &[x],
                        )
                    }
                    None => x,
                };
                vec![b.op(Unary { f: f.into() }, &[x])]
            })
        };
        let is_said = |graph: &Graph| {
            let mut nodes = graph.nodes_in(graph.root());
            let options = kiln_xnnpack::Options::default();
            nodes.any(|(id, _)| kiln_xnnpack::difference(graph, id, &options).is_some())
        };
        assert!(is_said(&alone(None)) && is_said(&alone(Some(6e6))));
        let near = alone(Some(5e6));
        assert!(!is_said(&near));
        let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
            return;
        };
        let angles: Vec<f32> = (0..512).map(|i| (i as f32 - 256.0) * 19_531.3).collect();
        let fed = Tensor::new(vec![512], angles.clone());
        let regions = compile(&near, &Options::default()).unwrap();
        let found = device::run(&runner, &near, regions, &[fed]);
        for (angle, found) in angles.iter().zip(found[0].scalars()) {
            let angle = f64::from(*angle).clamp(-5e6, 5e6);
            let expected = if f == Simple::Sin {
                angle.sin()
            } else {
                angle.cos()
            };
            assert!((found.as_f64() - expected).abs() < 2e-5, "{f:?} of {angle}");
        }
    }
}
