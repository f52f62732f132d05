//! NaN and infinities through everything that a delegate runs: on the stock runtime they come out where the
//! interpreter has them. Each is put at many positions, alone and in company, since kernels that see several
//! elements at once may lose one by where it stands. Finite results are near those expected, beside such numbers too.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, numbers};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::*;
use kiln_ir::{DType, Graph, Movement, Op, Scalar, TensorData, ValueId};
use kiln_transforms::framework::pass::{self, run_pipeline};
use kiln_xnnpack::{Options, Xnnpack, compile, difference, pipeline};

/// A graph to put numbers into.
struct Probe {
    name: String,
    dtype: DType,
    graph: Graph,
}

impl Probe {
    /// What the passes make of it.
    fn made(&self, options: &Options) -> Graph {
        let mut graph = self.graph.clone();
        let target = Xnnpack::new(*options);
        run_pipeline(&mut graph, &target, pipeline(), &pass::Options::default()).unwrap();
        graph
    }

    /// True if the target says that a delegate's NaN or infinities may differ.
    fn is_known(&self, options: &Options) -> bool {
        let made = self.made(options);
        let regions = compile(&made, options).unwrap();
        let mut nodes = regions.iter().flat_map(|r| &r.nodes);
        nodes.any(|&node| difference(&made, node).is_some())
    }
}

const SPECIALS: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
/// Positions of each number in each input.
const PLACES: usize = 24;

/// Runs with one special number in one input, and with several.
fn feeds(graph: &Graph) -> Vec<Vec<Tensor>> {
    let params = &graph.block(graph.root()).params;
    let types: Vec<(DType, Vec<usize>)> = params
        .iter()
        .map(|&p| {
            let ty = graph.ty(p);
            (ty.dtype, ty.shape.as_static().unwrap())
        })
        .collect();
    let plain: Vec<Vec<f64>> = types
        .iter()
        .zip(1..)
        .map(|((_, sizes), seed)| numbers(seed, sizes.iter().product()).collect())
        .collect();
    let tensors = |values: &[Vec<f64>]| -> Vec<Tensor> {
        let pairs = values.iter().zip(&types);
        let tensor = |(v, (dtype, sizes)): (&Vec<f64>, &(DType, Vec<usize>))| {
            let scalars = v.iter().map(|&x| Scalar::Float(x));
            Tensor::from(TensorData::from_scalars(*dtype, sizes.clone(), scalars))
        };
        pairs.map(tensor).collect()
    };
    let mut feeds = Vec::new();
    for input in 0..plain.len() {
        let count = plain[input].len();
        // An odd stride, so that all phases of a vector are met.
        let stride = (count / PLACES).max(1) | 1;
        for special in SPECIALS {
            for place in (0..count).step_by(stride).chain([count - 1]) {
                let mut values = plain.clone();
                values[input][place] = special;
                feeds.push(tensors(&values));
            }
        }
    }
    for seed in 0..12 {
        let mut values = plain.clone();
        for (i, input) in values.iter_mut().enumerate() {
            let picks: Vec<f64> = numbers(1000 + seed * 7 + i as u64, 2 * input.len()).collect();
            for (pair, value) in picks.chunks(2).zip(input) {
                if pair[0] > 1.2 {
                    *value = SPECIALS[((pair[1] + 2.0) * 0.75) as usize % 3];
                }
            }
        }
        feeds.push(tensors(&values));
    }
    feeds
}

/// NaN, an infinity of a sign, or finite.
fn kind(x: f64) -> &'static str {
    match x {
        x if x.is_nan() => "NaN",
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => "-inf",
        _ => "finite",
    }
}

/// The first places where kinds differ, for people.
fn differences(probe: &Probe, runner: &std::path::PathBuf, options: &Options) -> Vec<String> {
    let graph = &probe.graph;
    let feeds = feeds(graph);
    let made = probe.made(options);
    let regions = compile(&made, options).unwrap_or_else(|e| panic!("{}: {e}", probe.name));
    let found = device::run_all(runner, &made, regions, &feeds);
    let mut differences = Vec::new();
    assert_eq!(found.len(), feeds.len(), "{}", probe.name);
    for (feed, found) in feeds.iter().zip(&found) {
        let settings = kiln_eval::Options::default();
        let expected = evaluate(graph, feed, &mut State::new(graph), &settings).unwrap();
        let sizes = |all: &[Tensor]| -> Vec<_> { all.iter().map(|t| t.sizes().to_vec()).collect() };
        assert_eq!(sizes(found), sizes(&expected.outputs), "{}", probe.name);
        for (found, expected) in found.iter().zip(&expected.outputs) {
            for (i, (a, b)) in found.scalars().iter().zip(expected.scalars()).enumerate() {
                let (a, b) = (a.as_f64(), b.as_f64());
                let is_near = !a.is_finite() || (a - b).abs() <= 3e-2 * (1.0 + b.abs());
                let (a, b) = (kind(a), kind(b));
                if a != b || !is_near {
                    let of = |t: &Tensor| {
                        let special = t.scalars().into_iter().enumerate();
                        let special = special.filter(|(_, s)| !s.as_f64().is_finite());
                        special
                            .map(|(i, s)| format!("{i}={}", s.as_f64()))
                            .take(4)
                            .collect::<Vec<_>>()
                    };
                    let fed: Vec<_> = feed.iter().map(of).collect();
                    differences.push(format!("element {i} is {a}, not {b}, of {fed:?}"));
                }
            }
        }
    }
    differences
}

fn probe(name: &str, dtype: DType, make: impl FnOnce(&mut Build<'_>) -> Vec<ValueId>) -> Probe {
    Probe {
        name: name.to_owned(),
        dtype,
        graph: graph(make),
    }
}

/// A probe of one op on one input.
fn of_op(name: &str, dtype: DType, sizes: &[i64], op: impl Into<Op>) -> Probe {
    probe(name, dtype, |b| {
        let x = b.input(dtype, dims(sizes));
        vec![b.op(op, &[x])]
    })
}

fn clamp(min: Option<f64>, max: Option<f64>) -> UnaryFn {
    UnaryFn::Clamp {
        min: min.map(Scalar::Float),
        max: max.map(Scalar::Float),
    }
}

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

fn functions(probes: &mut Vec<Probe>) {
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

fn pairs(probes: &mut Vec<Probe>) {
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

fn moves(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        let permute = Movement::permute(&dims(&[3, 5, 7]), &[2, 0, 1]).unwrap();
        probes.push(of_op(
            "transpose",
            dtype,
            &[3, 5, 7],
            Move { movement: permute },
        ));
        let shape = [3, 5, 7].into();
        probes.push(of_op("broadcast", dtype, &[3, 1, 7], Broadcast { shape }));
        for step in [1, 2] {
            let slice = Slice {
                axis: 1,
                start: 1.into(),
                len: 2.into(),
                step,
            };
            probes.push(of_op(&format!("slice by {step}"), dtype, &[3, 5, 7], slice));
        }
        let pad = Pad {
            low: dims(&[0, 1, 2]),
            high: dims(&[1, 0, 1]),
            mode: PadMode::Constant(Scalar::Float(0.5)),
        };
        probes.push(of_op("pad", dtype, &[3, 5, 7], pad));
        probes.push(probe("concat", dtype, |b| {
            let (x, y) = (b.input(dtype, [3, 5]), b.input(dtype, [2, 5]));
            vec![b.op(Concat { axis: 0 }, &[x, y, x])]
        }));
        let nearest = Resize {
            mode: ResizeMode::Nearest,
            align_corners: false,
            output: dims(&[8, 12]),
            scales: vec![None, None],
        };
        probes.push(of_op("nearest", dtype, &[1, 5, 4, 6], nearest));
        for align_corners in [false, true] {
            let linear = Resize {
                mode: ResizeMode::Linear,
                align_corners,
                output: dims(&[7, 9]),
                scales: vec![None, None],
            };
            let name = format!("linear resize, corners {align_corners}");
            probes.push(of_op(&name, dtype, &[1, 5, 4, 6], linear.clone()));
            probes.push(probe(&format!("{name}, bounded"), dtype, |b| {
                let x = b.input(dtype, [1, 5, 4, 6]);
                let y = b.op(
                    Unary {
                        f: Simple::Tanh.into(),
                    },
                    &[x],
                );
                vec![b.op(linear, &[y])]
            }));
        }
    }
}

fn reductions(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for f in [ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max, ReduceFn::Min] {
            for axes in [
                vec![3],
                vec![1],
                vec![0],
                vec![2, 3],
                vec![1, 3],
                vec![0, 1, 2, 3],
            ] {
                let name = format!("{f:?} along {axes:?}");
                probes.push(of_op(&name, dtype, &[2, 5, 3, 4], Reduce { f, axes }));
            }
            let name = format!("{f:?} of many");
            probes.push(of_op(&name, dtype, &[3, 137], Reduce { f, axes: vec![1] }));
            probes.push(of_op(
                &format!("{name} rows"),
                dtype,
                &[137, 3],
                Reduce { f, axes: vec![0] },
            ));
        }
        for (axis, log) in [(1, false), (3, false), (1, true), (3, true)] {
            let name = format!("softmax along {axis}, log {log}");
            probes.push(of_op(&name, dtype, &[2, 21, 3, 19], Softmax { axis, log }));
        }
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

fn windows(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for [kernel, stride, pad] in [
            [[2, 2], [2, 2], [0, 0]],
            [[3, 3], [2, 2], [1, 1]],
            [[3, 3], [1, 1], [1, 1]],
            [[1, 3], [1, 2], [0, 1]],
            [[5, 5], [1, 1], [2, 2]],
            [[6, 7], [3, 3], [3, 3]],
            [[4, 4], [2, 2], [2, 2]],
            [[2, 1], [2, 1], [0, 0]],
            [[1, 5], [1, 2], [0, 2]],
            [[2, 6], [1, 1], [1, 0]],
            [[7, 7], [1, 1], [3, 3]],
            [[7, 2], [1, 2], [0, 1]],
        ] {
            let name = format!("{kernel:?} by {stride:?}, padded {pad:?}");
            let max = pool(PoolFn::Max, kernel, stride, pad);
            probes.push(of_op(
                &format!("maximum over {name}"),
                dtype,
                &[1, 19, 8, 9],
                max.clone(),
            ));
            probes.push(probe(
                &format!("maximum over {name} behind relu"),
                dtype,
                |b| {
                    let x = b.input(dtype, [1, 19, 8, 9]);
                    let y = b.op(Unary { f: UnaryFn::RELU }, &[x]);
                    vec![b.op(max, &[y])]
                },
            ));
            for count_include_pad in [false, true] {
                let f = PoolFn::Avg {
                    count_include_pad,
                    divisor: None,
                };
                let name = format!("average over {name}, padding counts {count_include_pad}");
                probes.push(of_op(
                    &name,
                    dtype,
                    &[1, 19, 8, 9],
                    pool(f, kernel, stride, pad),
                ));
            }
        }
        let dilated = Pool {
            dilation: vec![2, 2],
            ceil: true,
            ..pool(PoolFn::Max, [3, 3], [2, 2], [0, 0])
        };
        probes.push(of_op(
            "maximum over a dilated window",
            dtype,
            &[1, 19, 8, 9],
            dilated,
        ));
        for f in [
            PoolFn::Max,
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None,
            },
        ] {
            let output = dims(&[2, 3]);
            let adaptive = AdaptivePool { f, output };
            probes.push(of_op(
                &format!("adaptive {f:?}"),
                dtype,
                &[1, 19, 8, 9],
                adaptive,
            ));
        }
        let rows = Pool {
            f: PoolFn::Max,
            kernel: vec![3],
            stride: vec![2],
            pad_low: vec![1],
            pad_high: vec![1],
            dilation: vec![1],
            ceil: false,
        };
        probes.push(of_op("maximum of a row", dtype, &[1, 19, 17], rows));
    }
}

fn conv(groups: i64, transposed: bool) -> Conv {
    Conv {
        stride: vec![1, 1],
        pad_low: vec![1, 1],
        pad_high: vec![1, 1],
        dilation: vec![1, 1],
        groups,
        transposed,
        output_padding: vec![0, 0],
    }
}

fn products(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for relu in [false, true] {
            let then = |b: &mut Build<'_>, x: ValueId| {
                if relu {
                    vec![b.op(
                        Unary {
                            f: clamp(Some(0.0), Some(6.0)),
                        },
                        &[x],
                    )]
                } else {
                    vec![x]
                }
            };
            let tail = if relu { ", clamped" } else { "" };
            for (groups, inputs) in [(1, 4), (4, 1), (2, 2)] {
                for taps in [1, 3] {
                    probes.push(probe(
                        &format!("convolution {taps} of {groups} groups{tail}"),
                        dtype,
                        |b| {
                            let x = b.input(dtype, [1, 4, 6, 7]);
                            let w = b.weights(dtype, &[8, inputs, taps, taps]);
                            let bias = b.weights(dtype, &[8]);
                            let y = b.op(conv(groups, false), &[x, w, bias]);
                            then(b, y)
                        },
                    ));
                }
            }
            probes.push(probe(
                &format!("transposed convolution{tail}"),
                dtype,
                |b| {
                    let x = b.input(dtype, [1, 4, 6, 7]);
                    let w = b.weights(dtype, &[4, 8, 3, 3]);
                    let y = b.op(conv(1, true), &[x, w]);
                    then(b, y)
                },
            ));
            probes.push(probe(&format!("linear{tail}"), dtype, |b| {
                let x = b.input(dtype, [5, 19]);
                let w = b.weights(dtype, &[7, 19]);
                let bias = b.weights(dtype, &[7]);
                let y = b.op(Linear {}, &[x, w, bias]);
                then(b, y)
            }));
        }
        for (kernel, pad) in [
            ([1, 1], 0),
            ([1, 1], 1),
            ([2, 2], 1),
            ([3, 1], 0),
            ([3, 3], 1),
            ([5, 1], 2),
            ([5, 5], 2),
            ([7, 7], 3),
            ([7, 7], 0),
            ([2, 1], 0),
            ([2, 2], 1),
            ([2, 3], 1),
            ([4, 6], 2),
            ([8, 8], 1),
        ] {
            let name = format!("depthwise convolution of {kernel:?} padded {pad}");
            probes.push(probe(&name, dtype, |b| {
                let x = b.input(dtype, [1, 19, 8, 9]);
                let w = b.weights(dtype, &[19, 1, kernel[0], kernel[1]]);
                let padded = Conv {
                    pad_low: vec![pad, pad],
                    pad_high: vec![pad, pad],
                    ..conv(19, false)
                };
                vec![b.op(padded, &[x, w])]
            }));
        }
        probes.push(probe("matrix product", dtype, |b| {
            let (x, y) = (b.input(dtype, [2, 3, 11]), b.input(dtype, [2, 11, 5]));
            vec![b.op(MatMul {}, &[x, y])]
        }));
    }
}

fn all_probes() -> Vec<Probe> {
    let mut probes = Vec::new();
    for family in [functions, pairs, moves, reductions, windows, products] {
        family(&mut probes);
    }
    probes
}

/// Every difference is one that the target knows of, and what it knows of does differ.
fn check(options: Options) {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let mut wrong = Vec::new();
    for probe in all_probes() {
        let found = differences(&probe, &runner, &options);
        let is_known = probe.is_known(&options);
        assert!(!is_known || !options.strict_nan, "{}", probe.name);
        if found.is_empty() == is_known {
            let first = found.first().map_or("nothing differs any more", |d| d);
            wrong.push(format!(
                "{} {}: {} times: {first}",
                probe.name,
                probe.dtype,
                found.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_number_stays_none() {
    check(Options::default());
}

#[test]
fn what_is_no_number_stays_none_strictly() {
    check(Options {
        strict_nan: true,
        ..Options::default()
    });
}
