//! Every op that the target takes, alone or in few, on the stock runtime against the interpreter.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, tensor};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, Op, Scalar, Symbol, ValueId};
use kiln_portable::region::{Boundary, Region};
use kiln_xnnpack::{Options, compile, execute};

/// Largest relative and absolute error, by dtype of the result.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 2e-5,
        DType::F16 => 4e-3,
        DType::BF16 => 2e-2,
        _ => 0.0,
    }
}

fn compare(name: &str, found: &Tensor, expected: &Tensor, loosest: DType) {
    assert_eq!(found.sizes(), expected.sizes(), "{name}");
    let tolerance = tolerance(loosest);
    for (i, (a, b)) in found.scalars().iter().zip(expected.scalars()).enumerate() {
        let (a, b) = (a.as_f64(), b.as_f64());
        let same = a == b || (a.is_nan() && b.is_nan());
        let near = (a - b).abs() <= tolerance * (1.0 + b.abs());
        assert!(same || near, "{name}: element {i} is {a}, not {b}");
    }
}

/// Runs the graph on the device with everything delegated, and on the interpreter.
fn check_fed(name: &str, graph: &Graph, inputs: &[Tensor]) {
    let regions = compile(graph, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let delegated: usize = regions.iter().map(|r| r.nodes.len()).sum();
    let all = graph.nodes_in(graph.root());
    let all = all
        .filter(|(_, n)| !matches!(n.op, Op::Constant(_)))
        .count();
    assert!(
        delegated == all,
        "{name}: {delegated} of {all} nodes are delegated: {:?}",
        why(graph)
    );
    assert_eq!(regions.len(), 1, "{name}");
    let expected = evaluate(
        graph,
        inputs,
        &mut State::new(graph),
        &kiln_eval::Options::default(),
    )
    .unwrap();
    interpret(name, graph, &regions[0], inputs, &expected.outputs);
    let Some(runner) = device::runner() else {
        return;
    };
    let found = device::run(&runner, graph, regions, inputs);
    for (found, expected) in found.iter().zip(&expected.outputs) {
        let loosest = inputs.iter().map(Tensor::dtype).chain([expected.dtype()]);
        let loosest = loosest
            .max_by(|a, b| tolerance(*a).total_cmp(&tolerance(*b)))
            .unwrap();
        compare(name, found, expected, loosest);
    }
}

/// The payload read back and interpreted agrees too. Everything at the border is plain here.
fn interpret(name: &str, graph: &Graph, region: &Region, inputs: &[Tensor], expected: &[Tensor]) {
    let named = |key: &str| {
        region
            .named_data
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, data)| data.bytes().clone())
    };
    let block = graph.block(graph.root());
    let input = |boundary: &Boundary| {
        let at = block
            .params
            .iter()
            .position(|&p| p == boundary.value)
            .unwrap();
        inputs[at].clone()
    };
    let fed: Vec<Tensor> = region.inputs.iter().map(input).collect();
    let found = execute(&region.blob, &named, &fed).unwrap_or_else(|e| panic!("{name}: {e}"));
    for (boundary, found) in region.outputs.iter().zip(&found) {
        let at = block
            .results
            .iter()
            .position(|&r| r == boundary.value)
            .unwrap();
        let loosest = inputs.iter().map(Tensor::dtype).chain([found.dtype()]);
        let loosest = loosest
            .max_by(|a, b| tolerance(*a).total_cmp(&tolerance(*b)))
            .unwrap();
        compare(
            &format!("{name}, interpreted"),
            found,
            &expected[at],
            loosest,
        );
    }
}

fn why(graph: &Graph) -> Vec<String> {
    let nodes = graph.nodes_in(graph.root());
    nodes
        .filter_map(|(id, _)| kiln_xnnpack::support(graph, id).err())
        .map(|r| r.to_string())
        .collect()
}

fn check(name: &str, make: impl FnOnce(&mut Build<'_>) -> Vec<ValueId>) {
    let graph = graph(make);
    let params = &graph.block(graph.root()).params;
    let inputs: Vec<Tensor> = params
        .iter()
        .zip(1..)
        .map(|(&p, seed)| {
            let ty = graph.ty(p);
            let sizes = ty.shape.as_static().unwrap();
            Tensor::from(tensor(seed, ty.dtype, &sizes))
        })
        .collect();
    check_fed(name, &graph, &inputs);
}

/// A border view would stay outside: numbers are made inside first and used inside last.
fn inside(b: &mut Build<'_>, x: ValueId) -> ValueId {
    b.op(
        Unary {
            f: Simple::Tanh.into(),
        },
        &[x],
    )
}

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

#[test]
fn numbers_that_are_none() {
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
                check_fed(
                    &format!("{f:?} {dtype} {clamp}"),
                    &graph,
                    &[feed(dtype, &special), feed(dtype, &other)],
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
            if matches!(f, Log | Sin | Cos | Exp | Sqrt | Rsqrt) && dtype != DType::F32 {
                continue;
            }
            let graph = graph(|b| {
                let x = b.input(dtype, [7, 7]);
                vec![b.op(Unary { f: f.into() }, &[x])]
            });
            check_fed(&format!("{f:?} {dtype}"), &graph, &[feed(dtype, &special)]);
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

fn pool(f: PoolFn, kernel: [i64; 2], stride: [i64; 2], pad: [i64; 2]) -> Pool {
    Pool {
        f,
        kernel: kernel.into(),
        stride: stride.into(),
        pad_low: pad.into(),
        pad_high: pad.into(),
        dilation: vec![1, 1],
        ceil: false,
    }
}

fn conv2d(groups: i64, stride: [i64; 2], pad: [i64; 2]) -> Conv {
    Conv {
        stride: stride.into(),
        pad_low: pad.into(),
        pad_high: pad.into(),
        dilation: vec![1, 1],
        groups,
        transposed: false,
        output_padding: vec![0, 0],
    }
}

#[test]
fn convolutions() {
    for (name, groups, o, c, k, dtype) in [
        ("plain", 1, 5, 6, 3, DType::F32),
        ("half", 1, 5, 6, 3, DType::F16),
        ("pointwise", 1, 5, 6, 1, DType::F32),
        ("grouped", 2, 4, 6, 3, DType::F32),
        ("depthwise", 6, 6, 6, 3, DType::F32),
        ("multiplied", 6, 12, 6, 3, DType::F32),
        ("depthwise 7", 6, 6, 6, 7, DType::F32),
        ("depthwise 9", 6, 6, 6, 9, DType::F32),
        ("one channel", 1, 3, 1, 3, DType::F32),
        ("half depthwise", 4, 4, 4, 3, DType::F16),
    ] {
        for (stride, relu) in [(1, false), (2, true)] {
            check(name, |b| {
                let x = b.input(dtype, [2, c, 12, 11]);
                let w = b.weights(dtype, &[o, c as usize / groups as usize, k, k]);
                let bias = b.weights(dtype, &[o]);
                let y = b.op(
                    conv2d(groups, [stride, stride], [k as i64 / 2; 2]),
                    &[x, w, bias],
                );
                vec![if relu {
                    b.op(Unary { f: UnaryFn::RELU }, &[y])
                } else {
                    y
                }]
            });
        }
    }
    check("uneven padding", |b| {
        let x = b.input(DType::F32, [1, 3, 8, 9]);
        let w = b.weights(DType::F32, &[4, 3, 3, 2]);
        vec![b.op(
            Conv {
                pad_low: vec![1, 0],
                pad_high: vec![2, 3],
                dilation: vec![2, 1],
                ..conv2d(1, [2, 1], [0, 0])
            },
            &[x, w],
        )]
    });
    check("rows", |b| {
        let x = b.input(DType::F32, [2, 3, 20]);
        let w = b.weights(DType::F32, &[4, 3, 5]);
        let bias = b.weights(DType::F32, &[4]);
        let conv = Conv {
            stride: vec![2],
            pad_low: vec![2],
            pad_high: vec![1],
            dilation: vec![1],
            groups: 1,
            transposed: false,
            output_padding: vec![0],
        };
        let y = b.op(conv.clone(), &[x, w, bias]);
        let y = b.op(
            Unary {
                f: Simple::Gelu.into(),
            },
            &[y],
        );
        let w = b.weights(DType::F32, &[4, 1, 3]);
        vec![b.op(Conv { groups: 4, ..conv }, &[y, w])]
    });
    check("a long depthwise row", |b| {
        let x = b.input(DType::F32, [2, 3, 40]);
        let w = b.weights(DType::F32, &[3, 1, 31]);
        let bias = b.weights(DType::F32, &[3]);
        let (stride, dilation, output_padding) = (vec![1], vec![1], vec![0]);
        let y = b.op(
            Conv {
                stride,
                pad_low: vec![15],
                pad_high: vec![15],
                dilation,
                groups: 3,
                transposed: false,
                output_padding,
            },
            &[x, w, bias],
        );
        vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
    });
    for groups in [1i64, 2] {
        for dilation in [1, 2] {
            check("transposed", |b| {
                let x = b.input(DType::F32, [2, 4, 5, 6]);
                let w = b.weights(DType::F32, &[4, 3, 3, 2]);
                let bias = b.weights(DType::F32, &[3 * groups as usize]);
                vec![b.op(
                    Conv {
                        transposed: true,
                        output_padding: vec![1, 0],
                        stride: vec![2, 3],
                        pad_low: vec![1, 0],
                        pad_high: vec![1, 0],
                        dilation: vec![dilation; 2],
                        ..conv2d(groups, [2, 2], [0, 0])
                    },
                    &[x, w, bias],
                )]
            });
        }
    }
    check("transposed rows", |b| {
        let x = b.input(DType::F32, [2, 4, 6]);
        let w = b.weights(DType::F32, &[4, 3, 4]);
        vec![b.op(
            Conv {
                stride: vec![2],
                pad_low: vec![1],
                pad_high: vec![1],
                dilation: vec![1],
                groups: 1,
                transposed: true,
                output_padding: vec![0],
            },
            &[x, w],
        )]
    });
}

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

#[test]
fn windows() {
    for (f, name) in [
        (PoolFn::Max, "max"),
        (
            PoolFn::Avg {
                count_include_pad: false,
                divisor: None,
            },
            "avg",
        ),
        (
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None,
            },
            "avg of padded",
        ),
        (
            PoolFn::Avg {
                count_include_pad: true,
                divisor: Some(5),
            },
            "avg by 5",
        ),
    ] {
        for ceil in [false, true] {
            for (kernel, stride, pad) in [
                ([2, 2], [2, 2], [0, 0]),
                ([3, 3], [2, 2], [1, 1]),
                ([3, 2], [1, 3], [1, 0]),
                ([2, 1], [3, 3], [0, 0]),
                ([1, 1], [2, 2], [0, 0]),
                ([1, 1], [1, 1], [0, 0]),
                ([7, 6], [1, 1], [0, 0]),
                ([7, 8], [1, 1], [0, 0]),
            ] {
                check(
                    &format!("{name} {kernel:?} {stride:?} {pad:?} {ceil}"),
                    |b| {
                        let x = b.input(DType::F32, [2, 3, 7, 8]);
                        vec![b.op(
                            Pool {
                                ceil,
                                ..pool(f, kernel, stride, pad)
                            },
                            &[x],
                        )]
                    },
                );
            }
        }
    }
    check("dilated max", |b| {
        let x = b.input(DType::F32, [2, 3, 7, 8]);
        vec![b.op(
            Pool {
                dilation: vec![2, 1],
                ..pool(PoolFn::Max, [2, 3], [1, 2], [0, 1])
            },
            &[x],
        )]
    });
    check("rows", |b| {
        let x = b.input(DType::F32, [2, 3, 9]);
        vec![b.op(
            Pool {
                f: PoolFn::Max,
                kernel: vec![3],
                stride: vec![2],
                pad_low: vec![1],
                pad_high: vec![1],
                dilation: vec![1],
                ceil: false,
            },
            &[x],
        )]
    });
    check("adaptive", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            AdaptivePool {
                f: PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
                output: dims(&[3, 2]),
            },
            &[x],
        )]
    });
    check("adaptive to one", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            AdaptivePool {
                f: PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
                output: dims(&[1, 1]),
            },
            &[x],
        )]
    });
    for align_corners in [false, true] {
        for (h, w) in [(12, 16), (5, 9), (3, 4), (1, 7)] {
            check(&format!("bilinear {align_corners} {h} {w}"), |b| {
                let x = b.input(DType::F32, [2, 3, 6, 8]);
                vec![b.op(
                    Resize {
                        mode: ResizeMode::Linear,
                        align_corners,
                        output: dims(&[h, w]),
                        scales: vec![None, None],
                    },
                    &[x],
                )]
            });
        }
    }
    check("linear rows", |b| {
        let x = b.input(DType::F32, [2, 3, 6]);
        vec![b.op(
            Resize {
                mode: ResizeMode::Linear,
                align_corners: false,
                output: dims(&[12]),
                scales: vec![None],
            },
            &[x],
        )]
    });
    check("nearest", |b| {
        let x = b.input(DType::F32, [2, 3, 6, 8]);
        vec![b.op(
            Resize {
                mode: ResizeMode::Nearest,
                align_corners: false,
                output: dims(&[12, 24]),
                scales: vec![Some(2.0), None],
            },
            &[x],
        )]
    });
}

#[test]
fn reductions() {
    for f in [ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max, ReduceFn::Min] {
        for axes in [
            vec![0],
            vec![1],
            vec![2],
            vec![3],
            vec![2, 3],
            vec![1, 2],
            vec![0, 2],
            vec![1, 3],
            vec![0, 1, 2, 3],
            vec![1, 2, 3],
        ] {
            check(&format!("{f:?} {axes:?}"), |b| {
                let x = b.input(DType::F32, [2, 3, 4, 5]);
                vec![b.op(
                    Reduce {
                        f,
                        axes: axes.clone(),
                    },
                    &[x],
                )]
            });
        }
        for axes in [vec![0], vec![1], vec![2], vec![1, 2]] {
            check(&format!("{f:?} {axes:?} of 3"), |b| {
                let x = b.input(DType::F32, [2, 3, 4]);
                vec![b.op(
                    Reduce {
                        f,
                        axes: axes.clone(),
                    },
                    &[x],
                )]
            });
        }
        check(&format!("{f:?} of a vector"), |b| {
            let x = b.input(DType::F32, [5]);
            vec![b.op(Reduce { f, axes: vec![0] }, &[x])]
        });
        if matches!(f, ReduceFn::Max | ReduceFn::Min) {
            check(&format!("{f:?} of f16"), |b| {
                let x = b.input(DType::F16, [2, 6]);
                vec![b.op(Reduce { f, axes: vec![1] }, &[x])]
            });
        }
    }
}

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
