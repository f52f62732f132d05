//! Every rule keeps what a graph computes: graphs of a family in many sizes, evaluated before and after.

mod fake_target;

use fake_target::FakeTarget;
use kiln_eval::{Options as EvalOptions, State, Tensor, evaluate};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::ops::attribute::Attribute;
use kiln_ir::text::cursor::Cursor;
use kiln_ir::text::{Data, print};
use kiln_ir::verify::verify;
use kiln_ir::{
    DType, Graph, Op, Place, Rewriter, Scalar, Shape, Symbol, TensorData, TensorType, ValueId,
};
use kiln_transforms::all_passes;
use kiln_transforms::pass::{Options, Pass, StopAfter, run_pipeline};

/// How close results must be.
#[derive(Clone, Copy)]
enum Close {
    /// The same bits.
    Bits,
    /// Within an absolute and relative distance.
    Within(f64),
}

/// A graph of one block, and the inputs to try it on.
struct Case {
    graph: Graph,
    inputs: Vec<Tensor>,
    seed: u64,
}

impl Case {
    fn new(seed: u64) -> Case {
        Case {
            graph: Graph::new("case"),
            inputs: Vec::new(),
            seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    fn random(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random() % n
    }

    /// A number between -4 and 4, often a quarter.
    fn number(&mut self) -> f64 {
        (self.below(33) as f64 - 16.0) / 4.0
    }

    fn symbol(&mut self, name: &str, min: i64, max: i64) {
        let (name, max) = (name.into(), Some(max));
        Rewriter::new(&mut self.graph).add_symbol(Symbol {
            name,
            min,
            max,
            hint: None,
        });
    }

    fn values(&mut self, dtype: DType, count: usize) -> Vec<Scalar> {
        let make = |case: &mut Case| match dtype {
            DType::Bool => Scalar::Bool(case.below(2) == 0),
            d if d.is_float() => Scalar::Float(case.number()),
            _ => Scalar::Int(case.below(9) as i64 - 4),
        };
        (0..count).map(|_| make(self)).collect()
    }

    /// An input; `shape` is its text, `sizes` what it is this time.
    fn input(&mut self, dtype: DType, shape: &str, sizes: &[usize]) -> ValueId {
        let values = self.values(dtype, sizes.iter().product());
        self.input_of(dtype, shape, sizes, values)
    }

    fn input_of(
        &mut self,
        dtype: DType,
        shape: &str,
        sizes: &[usize],
        values: Vec<Scalar>,
    ) -> ValueId {
        self.inputs.push(Tensor::from(TensorData::from_scalars(
            dtype,
            sizes.to_vec(),
            values,
        )));
        let shape = Shape::parse(&mut Cursor::new(shape, &self.graph.symbols)).unwrap();
        let root = self.graph.root();
        let mut rewriter = Rewriter::new(&mut self.graph);
        rewriter.signature().inputs.push(InputSpec::Tensor {
            name: "x".into(),
            dim_order: (0..sizes.len() as u8).collect(),
        });
        rewriter.add_param(root, TensorType::new(dtype, shape), None)
    }

    /// An input of known sizes.
    fn known(&mut self, dtype: DType, sizes: &[usize]) -> ValueId {
        self.input(dtype, &format!("{sizes:?}"), sizes)
    }

    fn constant(&mut self, dtype: DType, sizes: &[usize]) -> ValueId {
        let values = self.values(dtype, sizes.iter().product());
        self.constant_of(dtype, sizes, &values)
    }

    fn constant_of(&mut self, dtype: DType, sizes: &[usize], values: &[Scalar]) -> ValueId {
        let data = TensorData::from_scalars(dtype, sizes.to_vec(), values.iter().copied());
        let place = Place::End(self.graph.root());
        Rewriter::new(&mut self.graph).constant_value(place, "k", data)
    }

    fn node(&mut self, op: &str, operands: &[ValueId], attributes: &str) -> ValueId {
        self.nodes(1, op, operands, attributes)[0]
    }

    fn nodes(
        &mut self,
        results: usize,
        op: &str,
        operands: &[ValueId],
        attributes: &str,
    ) -> Vec<ValueId> {
        let mut cursor = Cursor::new(attributes, &self.graph.symbols);
        let op =
            Op::parse_attributes(op, &mut cursor).unwrap_or_else(|e| panic!("{e}: {attributes}"));
        let place = Place::End(self.graph.root());
        let node = Rewriter::new(&mut self.graph)
            .insert(place, op, operands)
            .unwrap();
        let made = self.graph.node(node).results.to_vec();
        assert_eq!(made.len(), results);
        made
    }

    fn result(&mut self, value: ValueId) {
        let root = self.graph.root();
        let mut results = self.graph.block(root).results.clone();
        results.push(value);
        let mut rewriter = Rewriter::new(&mut self.graph);
        rewriter.set_results(root, results);
        rewriter.signature().outputs.push(OutputSpec::Tensor);
    }

    /// Runs passes for a target, and compares. Gives the text behind them.
    fn check(&self, passes: &str, close: Close) -> String {
        let text = print(&self.graph, Data::Full);
        assert_eq!(verify(&self.graph), Ok(()), "{text}");
        let mut after = self.graph.clone();
        run(&mut after, passes);
        let printed = print(&after, Data::Full);
        let (left, right) = (
            evaluated(&self.graph, &self.inputs),
            evaluated(&after, &self.inputs),
        );
        match (left, right) {
            (Ok(left), Ok(right)) => {
                for (l, r) in left.iter().zip(&right) {
                    assert_close(l, r, close, &format!("{passes}\n{text}\n{printed}"));
                }
            }
            (Err(e), _) => panic!("before: {e}\n{text}"),
            (Ok(_), Err(e)) => panic!("{e}\n{passes}\n{text}\n{printed}"),
        }
        printed
    }

    /// As [`Case::check`], and the named op must be gone.
    fn check_gone(&self, passes: &str, op: &str, close: Close) {
        let printed = self.check(passes, close);
        assert!(
            !printed.contains(&format!(" = {op} ")),
            "{op} stays\n{passes}\n{}\n{printed}",
            print(&self.graph, Data::Full)
        );
    }
}

fn run(graph: &mut Graph, passes: &str) {
    let words: Vec<&str> = passes.split_whitespace().collect();
    let lists = ["kernel", "none", "prefers"];
    let split = words
        .iter()
        .position(|w| lists.contains(w))
        .unwrap_or(words.len());
    let named = |name: &&str| {
        *all_passes()
            .iter()
            .find(|p| p.name == *name)
            .expect("a pass")
    };
    let pipeline: Vec<Pass> = words[..split].iter().map(named).collect();
    let target = FakeTarget::parse(words[split..].iter().copied());
    let options = Options {
        verify: true,
        ..Options::default()
    };
    run_pipeline(graph, &target, &pipeline, &options).unwrap_or_else(|e| panic!("{e}"));
}

fn evaluated(graph: &Graph, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let mut state = State::new(graph);
    evaluate(graph, inputs, &mut state, &EvalOptions::default())
        .map(|o| o.outputs)
        .map_err(|e| e.to_string())
}

fn assert_close(left: &Tensor, right: &Tensor, close: Close, what: &str) {
    assert_eq!(
        (left.dtype(), left.sizes()),
        (right.dtype(), right.sizes()),
        "{what}"
    );
    for (i, (l, r)) in left.scalars().into_iter().zip(right.scalars()).enumerate() {
        let is_close = match close {
            _ if l == r => true,
            _ if l.as_f64().is_nan() && r.as_f64().is_nan() => true,
            Close::Bits => false,
            Close::Within(d) => {
                let (l, r) = (l.as_f64(), r.as_f64());
                l == r || (l - r).abs() <= d * (1.0 + l.abs())
            }
        };
        assert!(is_close, "element {i}: {l:?} became {r:?}\n{what}");
    }
}

const F32: DType = DType::F32;

/// Runs a family on many seeds.
fn each(mut family: impl FnMut(&mut Case)) {
    for seed in 1..=24 {
        family(&mut Case::new(seed));
    }
}

#[test]
fn functions_of_one_number() {
    let names = [
        "silu",
        "mish",
        "hardswish",
        "hardsigmoid",
        "gelu",
        "gelu_tanh",
        "log_sigmoid",
        "erfinv",
        "exp2",
        "square",
        "reciprocal",
        "rsqrt",
        "expm1",
        "log1p",
        "log2",
        "log10",
        "tan",
        "sigmoid",
        "sign",
        "neg",
        "abs",
        "trunc",
        "ceil",
        "clamp[-1.5, 2]",
        "clamp[none, 0.5]",
        "elu[1.0, 1.0, 1.0]",
        "elu[1.5, 2.0, 0.5]",
        "leaky_relu[0.1]",
        "softplus[1.0, 20.0]",
        "softplus[2.0, 3.0]",
    ];
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.3,
        1e-6,
        -1e-6,
        25.0,
        -25.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for f in names {
        let family = f.split('[').next().unwrap();
        for dtype in [F32, DType::F16, DType::BF16] {
            let mut case = Case::new(7);
            let values: Vec<Scalar> = edges.iter().map(|&v| Scalar::Float(v)).collect();
            let x = case.input_of(
                dtype,
                &format!("[{}]", values.len()),
                &[values.len()],
                values,
            );
            let y = case.node("unary", &[x], &format!("f={f}"));
            case.result(y);
            let close = match dtype {
                DType::BF16 => Close::Within(8e-3),
                DType::F16 => Close::Within(1e-3),
                _ => Close::Within(2e-6),
            };
            let printed = case.check(
                &format!("decompose none unary.{family} unary.plain_elu"),
                close,
            );
            assert!(
                !printed.contains(&format!("f={f}}}")),
                "{f} stays\n{printed}"
            );
        }
    }
}

#[test]
fn elu_by_a_plain_elu() {
    each(|case| {
        let x = case.known(F32, &[9]);
        let y = case.node("unary", &[x], "f=elu[1.5, 2.0, 0.5]");
        case.result(y);
        let printed = case.check("decompose none unary.elu", Close::Within(2e-6));
        assert!(printed.contains("f=elu[0.75, 1.0, 1.0]"), "{printed}");
    });
}

#[test]
fn binary_functions() {
    each(|case| {
        for (f, d) in [
            ("floor_div", F32),
            ("trunc_div", F32),
            ("remainder", F32),
            ("fmod", F32),
            ("prelu", F32),
            ("sub", F32),
            ("remainder", DType::I32),
            ("fmod", DType::I64),
        ] {
            let mut case = Case::new(case.random());
            let x = case.known(d, &[2, 3]);
            let values: Vec<Scalar> = (0..3)
                .map(|i| {
                    if d.is_float() {
                        Scalar::Float([0.5, -2.0, 4.0][i])
                    } else {
                        Scalar::Int([2, -3, 1][i])
                    }
                })
                .collect();
            let y = case.input_of(d, "[1, 3]", &[1, 3], values);
            let z = case.node("binary", &[x, y], &format!("f={f}"));
            case.result(z);
            case.check(&format!("decompose none binary.{f}"), Close::Within(1e-6));
        }
    });
}

#[test]
fn powers() {
    for exponent in [2.0, 3.0, 0.5, -0.5, -1.0, -2.0] {
        each(|case| {
            let x = case.known(F32, &[5, 1]);
            let e = case.constant_of(
                F32,
                &[1, 2],
                &[Scalar::Float(exponent), Scalar::Float(exponent)],
            );
            let y = case.node("binary", &[x, e], "f=pow");
            case.result(y);
            case.check_gone(
                "decompose none binary.pow",
                "binary.pow",
                Close::Within(1e-6),
            );
        });
    }
}

#[test]
fn softmax() {
    each(|case| {
        let shapes: [&[usize]; 5] = [&[3, 1, 4], &[1], &[2, 2, 2, 2], &[0, 3], &[3, 0]];
        for shape in shapes {
            for axis in 0..shape.len() {
                for (log, dtype) in [(false, F32), (true, F32), (false, DType::F16)] {
                    let mut case = Case::new(case.random());
                    let x = case.known(dtype, shape);
                    let y = case.node("softmax", &[x], &format!("axis={axis}, log={log}"));
                    case.result(y);
                    let d = if dtype == F32 { 1e-6 } else { 2e-3 };
                    case.check_gone("decompose none softmax", "softmax", Close::Within(d));
                    case.check("decompose none softmax.inner", Close::Within(d));
                }
            }
        }
    });
}

#[test]
fn softmax_of_a_symbolic_axis() {
    each(|case| {
        case.symbol("s0", 1, 9);
        let n = 1 + case.below(9) as usize;
        let x = case.input(F32, "[2, s0]", &[2, n]);
        let y = case.node("softmax", &[x], "axis=1, log=false");
        case.result(y);
        case.check_gone("decompose none softmax", "softmax", Close::Within(1e-6));
    });
}

#[test]
fn normalisations() {
    each(|case| {
        let n = case.below(3) as usize;
        for (kind, shape, parameters) in [
            ("layer 1", vec![n, 3, 4], vec![4]),
            ("layer 2", vec![2, 3, 5], vec![3, 5]),
            ("rms 1", vec![2, 1, 7], vec![7]),
            ("group 2", vec![2, 4, 3, 3], vec![4]),
            ("group 3", vec![n, 3], vec![3]),
            ("group 1", vec![1, 2, 5], vec![2]),
        ] {
            for count in 0..3 {
                let mut case = Case::new(case.random());
                let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
                let mut operands = vec![case.known(dtype, &shape)];
                (0..count).for_each(|_| operands.push(case.known(dtype, &parameters)));
                let y = case.node("normalize", &operands, &format!("kind={kind}, eps=1e-3"));
                case.result(y);
                let d = if dtype == F32 { 1e-5 } else { 4e-3 };
                case.check_gone("decompose none normalize", "normalize", Close::Within(d));
            }
        }
    });
}

#[test]
fn batch_normalisation() {
    each(|case| {
        for is_constant in [false, true] {
            for count in 2..5 {
                let mut case = Case::new(case.random());
                let shape = [2, 3, 2, 1];
                let mut operands = vec![case.known(F32, &shape)];
                for i in 0..count {
                    let values: Vec<Scalar> = (0..3)
                        .map(|_| {
                            Scalar::Float(case.number().abs() + if i == 1 { 0.25 } else { -1.0 })
                        })
                        .collect();
                    operands.push(if is_constant {
                        case.constant_of(F32, &[3], &values)
                    } else {
                        case.input_of(F32, "[3]", &[3], values)
                    });
                }
                let y = case.node("normalize", &operands, "kind=batch, eps=1e-5");
                case.result(y);
                case.check_gone("decompose none normalize", "normalize", Close::Within(1e-5));
            }
        }
    });
}

#[test]
fn attention() {
    each(|case| {
        for (batch, kv, grouped) in [
            (vec![], vec![], false),
            (vec![2, 3], vec![2, 3], false),
            (vec![2, 4], vec![2, 2], true),
            (vec![6], vec![1], true),
            (vec![2, 2], vec![2, 2], true),
            (vec![2, 3], vec![1, 3], false),
        ] {
            for mask in ["none", "bool", "float", "const_bool", "const_float"] {
                for causal in [false, true] {
                    let mut case = Case::new(case.random());
                    let dtype = if case.below(5) == 0 { DType::BF16 } else { F32 };
                    let (l, s, e, d) = (
                        1 + case.below(4) as usize,
                        case.below(4) as usize,
                        1 + case.below(3) as usize,
                        case.below(3) as usize,
                    );
                    let s = if mask == "none" { s } else { s.max(1) };
                    let shape = |head: &Vec<usize>, a, b| [head.as_slice(), &[a, b]].concat();
                    let mut operands = vec![
                        case.known(dtype, &shape(&batch, l, e)),
                        case.known(dtype, &shape(&kv, s, e)),
                        case.known(dtype, &shape(&kv, s, d)),
                    ];
                    let mask_shape = shape(&vec![1; batch.len()], l, s);
                    let count = mask_shape.iter().product();
                    let floats: Vec<Scalar> = (0..count)
                        .map(|_| {
                            Scalar::Float(if case.below(2) == 0 {
                                0.5
                            } else {
                                f64::NEG_INFINITY
                            })
                        })
                        .collect();
                    match mask {
                        "bool" => operands.push(case.known(DType::Bool, &mask_shape)),
                        "const_bool" => operands.push(case.constant(DType::Bool, &mask_shape)),
                        "float" => operands.push(case.input_of(
                            dtype,
                            &format!("{mask_shape:?}"),
                            &mask_shape,
                            floats,
                        )),
                        "const_float" => {
                            operands.push(case.constant_of(dtype, &mask_shape, &floats))
                        }
                        _ => {}
                    }
                    let scale = ["none", "0.5", "1.0"][case.below(3) as usize];
                    let y = case.node(
                        "attention",
                        &operands,
                        &format!("scale={scale}, causal={causal}, grouped={grouped}"),
                    );
                    case.result(y);
                    let close = Close::Within(if dtype == F32 { 1e-5 } else { 1e-2 });
                    case.check_gone("decompose none attention", "attention", close);
                }
            }
        }
    });
}

#[test]
fn attention_of_symbolic_length() {
    each(|case| {
        case.symbol("s0", 1, 9);
        let n = 1 + case.below(9) as usize;
        let q = case.input(F32, "[1, 2, s0, 4]", &[1, 2, n, 4]);
        let k = case.input(F32, "[1, 1, s0, 4]", &[1, 1, n, 4]);
        let y = case.node(
            "attention",
            &[q, k, k],
            "scale=none, causal=true, grouped=true",
        );
        case.result(y);
        case.check_gone("decompose none attention", "attention", Close::Within(1e-5));
    });
}

#[test]
fn adaptive_pools() {
    each(|case| {
        for f in ["avg none", "max", "max_with_indices"] {
            let f = if f == "avg none" {
                "avg_of_padded none"
            } else {
                f
            };
            let (h, w) = (1 + case.below(7), 1 + case.below(7));
            let (oh, ow) = (1 + case.below(4), 1 + case.below(4));
            let mut case = Case::new(case.random());
            let x = case.known(F32, &[1, 2, h as usize, w as usize]);
            let count = if f == "max_with_indices" { 2 } else { 1 };
            let y = case.nodes(
                count,
                "adaptive_pool",
                &[x],
                &format!("f={f}, output=[{oh}, {ow}]"),
            );
            y.into_iter().for_each(|v| case.result(v));
            case.check_gone(
                "decompose none adaptive_pool",
                "adaptive_pool",
                Close::Within(1e-6),
            );
        }
    });
}

#[test]
fn pools_of_one_and_three_axes() {
    each(|case| {
        for n in [1usize, 3] {
            for f in [
                "avg none",
                "avg_of_padded none",
                "avg 3",
                "max",
                "max_with_indices",
            ] {
                let mut case = Case::new(case.random());
                let mut list = |low: u64, high: u64| -> String {
                    let v: Vec<u64> = (0..n).map(|_| low + case.below(high - low + 1)).collect();
                    format!("{v:?}")
                };
                let (kernel, stride) = (list(2, 3), list(1, 3));
                let (low, high) = (list(0, 1), list(0, 1));
                let dilation = if f.starts_with("max") {
                    list(1, 2)
                } else {
                    format!("{:?}", vec![1; n])
                };
                let ceil = case.below(2) == 0;
                let mut sizes = vec![1 + case.below(2) as usize, 2];
                (0..n).for_each(|_| sizes.push(5 + case.below(3) as usize));
                let x = case.known(F32, &sizes);
                let count = if f == "max_with_indices" { 2 } else { 1 };
                let y = case.nodes(count, "pool", &[x], &format!("f={f}, kernel={kernel}, stride={stride}, pad_low={low}, pad_high={high}, dilation={dilation}, ceil={ceil}"));
                y.into_iter().for_each(|v| case.result(v));
                let printed = case.check(&format!("decompose none pool.{n}d"), Close::Within(1e-6));
                assert!(
                    printed.contains("kernel=[") && !printed.contains(&format!("kernel={kernel},"))
                        || n == 2,
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn convolutions_of_one_and_three_axes() {
    each(|case| {
        for n in [1usize, 3] {
            for transposed in [false, true] {
                let mut case = Case::new(case.random());
                let mut list = |low: u64, high: u64| -> Vec<u64> {
                    (0..n).map(|_| low + case.below(high - low + 1)).collect()
                };
                let (kernel, stride, low, high, dilation) =
                    (list(1, 3), list(1, 2), list(0, 1), list(0, 1), list(1, 2));
                let extra: Vec<u64> = stride
                    .iter()
                    .map(|s| if transposed { s - 1 } else { 0 })
                    .collect();
                let groups = 1 + case.below(2) as usize;
                let (inputs, outputs) = (2 * groups, 3 * groups);
                let mut sizes = vec![case.below(3) as usize, inputs];
                (0..n).for_each(|_| sizes.push(6));
                let mut weight = if transposed {
                    vec![inputs, outputs / groups]
                } else {
                    vec![outputs, inputs / groups]
                };
                weight.extend(kernel.iter().map(|&k| k as usize));
                let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
                let mut operands = vec![case.known(dtype, &sizes)];
                operands.push(if case.below(2) == 0 {
                    case.known(dtype, &weight)
                } else {
                    case.constant(dtype, &weight)
                });
                if case.below(2) == 0 {
                    operands.push(case.known(dtype, &[outputs]));
                }
                let y = case.node("conv", &operands, &format!("stride={stride:?}, pad_low={low:?}, pad_high={high:?}, dilation={dilation:?}, groups={groups}, transposed={transposed}, output_padding={extra:?}"));
                case.result(y);
                let d = if dtype == F32 { 1e-5 } else { 2e-3 };
                let printed = case.check(&format!("decompose none conv.{n}d"), Close::Within(d));
                assert!(
                    !printed.contains(&format!("stride={stride:?}")),
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn products() {
    each(|case| {
        for (a, b) in [
            (vec![2, 3, 4, 5], vec![2, 3, 5, 2]),
            (vec![2, 3, 4, 5], vec![1, 1, 5, 2]),
            (vec![2, 1, 4, 5], vec![1, 3, 5, 2]),
            (vec![1, 4, 5], vec![3, 5, 2]),
            (vec![0, 2, 1, 3], vec![0, 2, 3, 1]),
        ] {
            let mut case = Case::new(case.random());
            let (x, y) = (case.known(F32, &a), case.known(F32, &b));
            let z = case.node("matmul", &[x, y], "");
            case.result(z);
            case.check(
                &format!(
                    "decompose none matmul.4d matmul.{}d",
                    if a.len() == 4 { 4 } else { 5 }
                ),
                Close::Within(1e-6),
            );
        }
        for shape in [vec![3], vec![2, 3], vec![2, 0, 3]] {
            let mut case = Case::new(case.random());
            let mut operands = vec![case.known(F32, &shape), case.known(F32, &[4, 3])];
            if case.below(2) == 0 {
                operands.push(case.known(F32, &[4]));
            }
            let z = case.node("linear", &operands, "");
            case.result(z);
            case.check_gone("decompose none linear", "linear", Close::Within(1e-6));
            case.check("decompose none linear.1d", Close::Within(1e-6));
        }
    });
}

#[test]
fn resizes() {
    each(|case| {
        for mode in ["nearest", "linear", "cubic"] {
            let mut case = Case::new(case.random());
            let sizes = [1, 2, 1 + case.below(6) as usize, 1 + case.below(6) as usize];
            let output = if case.below(3) == 0 {
                [2 * sizes[2], 3 * sizes[3]]
            } else {
                [1 + case.below(9) as usize, 1 + case.below(9) as usize]
            };
            let align = mode != "nearest" && case.below(2) == 0;
            let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
            let x = case.known(dtype, &sizes);
            let y = case.node(
                "resize",
                &[x],
                &format!(
                    "mode={mode}, align_corners={align}, output={output:?}, scales=[none, none]"
                ),
            );
            case.result(y);
            let d = if dtype == F32 { 1e-5 } else { 2e-3 };
            case.check_gone("decompose none resize", "resize", Close::Within(d));
        }
    });
}

#[test]
fn data_movement() {
    each(|case| {
        case.symbol("s0", 3, 9);
        let n = 3 + case.below(7) as usize;
        let x = case.input(F32, "[s0, 4]", &[n, 4]);
        let u = case.known(F32, &[2, 4]);
        let values = [
            ("reverse", vec![x], "axes=[0, 1]", "reverse"),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[1, 3], mode=reflect",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[4, 0], mode=replicate",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[0, 3], mode=circular",
                "pad",
            ),
            (
                "pad",
                vec![x],
                "low=[2, 1], high=[0, 3], mode=constant -inf",
                "pad",
            ),
            (
                "slice",
                vec![x],
                "axis=1, start=1, len=2, step=2",
                "slice.strided",
            ),
            (
                "slice",
                vec![x],
                "axis=1, start=0, len=2, step=2",
                "slice.strided",
            ),
            (
                "slice",
                vec![x],
                "axis=0, start=0, len=1, step=3",
                "slice.strided",
            ),
            (
                "slice_update",
                vec![x, u],
                "axis=0, start=1, step=1",
                "slice_update",
            ),
            (
                "slice_update",
                vec![x, u],
                "axis=0, start=0, step=1",
                "slice_update",
            ),
        ];
        let results: Vec<ValueId> = values
            .iter()
            .map(|(op, operands, attributes, _)| case.node(op, operands, attributes))
            .collect();
        results.into_iter().for_each(|v| case.result(v));
        let lacks: Vec<&str> = values.iter().map(|v| v.3).collect();
        let printed = case.check(&format!("decompose none {}", lacks.join(" ")), Close::Bits);
        for gone in ["reverse", "slice_update"] {
            assert!(!printed.contains(&format!(" = {gone} ")), "{printed}");
        }
        assert!(
            !printed.contains("step=2") && !printed.contains("mode=re"),
            "{printed}"
        );
    });
}

#[test]
fn scans_and_orders() {
    each(|case| {
        for dtype in [F32, DType::I32, DType::BF16] {
            for f in ["sum", "prod", "max", "min"] {
                let mut case = Case::new(case.random());
                case.symbol("s0", 0, 9);
                let n = case.below(10) as usize;
                let x = case.input(dtype, "[2, s0]", &[2, n]);
                let y = case.node("scan", &[x], &format!("f={f}, axis=1"));
                case.result(y);
                let d = if dtype == DType::BF16 { 8e-3 } else { 1e-5 };
                case.check_gone("decompose none scan", "scan", Close::Within(d));
            }
        }
        let x = case.known(F32, &[2, 5]);
        let y = case.nodes(2, "sort", &[x], "axis=1, descending=true")[0];
        case.result(y);
        case.check_gone("decompose none sort", "sort", Close::Bits);
    });
}

#[test]
fn reductions() {
    each(|case| {
        for (f, other) in [
            ("sum", ""),
            ("mean", ""),
            ("max", ""),
            ("min", ""),
            ("prod", ""),
        ] {
            for dtype in [F32, DType::F16] {
                let mut case = Case::new(case.random());
                let x = case.known(dtype, &[2, 3, 5]);
                let axes = ["[1]", "[0, 2]", "[0, 1, 2]"][case.below(3) as usize];
                let y = case.node("reduce", &[x], &format!("f={f}, axes={axes}"));
                case.result(y);
                let d = if dtype == F32 { 1e-5 } else { 2e-3 };
                let printed = case.check(
                    &format!("decompose none reduce.{f} {other}"),
                    Close::Within(d),
                );
                assert!(!printed.contains(&format!("f={f},")), "{printed}");
            }
        }
        for f in ["any", "all"] {
            for lacks in [format!("reduce.{f}"), "reduce.any reduce.all".to_string()] {
                let mut case = Case::new(case.random());
                let x = case.known(DType::Bool, &[2, 3]);
                let y = case.node("reduce", &[x], &format!("f={f}, axes=[1]"));
                case.result(y);
                case.check(&format!("decompose none {lacks}"), Close::Bits);
            }
        }
        let x = case.known(F32, &[2, 5]);
        let y = case.node("arg_reduce", &[x], "f=min, axis=1");
        case.result(y);
        let printed = case.check("decompose none arg_reduce.min", Close::Bits);
        assert!(
            printed.contains("arg_reduce") && !printed.contains("f=min"),
            "{printed}"
        );
    });
}

#[test]
fn factors_and_summands_go_into_layers() {
    each(|case| {
        for kind in ["conv", "transposed", "linear"] {
            let mut case = Case::new(case.random());
            let dtype = if case.below(4) == 0 { DType::F16 } else { F32 };
            let groups = 1 + case.below(2) as usize;
            let (inputs, outputs) = (2 * groups, 3 * groups);
            let (x, weight, name, attributes, per_channel) = match kind {
                "linear" => {
                    let sizes: &[usize] = if case.below(2) == 0 {
                        &[2, 4, 3]
                    } else {
                        &[0, 3]
                    };
                    let x = case.known(dtype, sizes);
                    let mut per_channel = vec![1; sizes.len()];
                    *per_channel.last_mut().unwrap() = outputs;
                    (x, vec![outputs, 3], "linear", String::new(), per_channel)
                }
                _ => {
                    let x = case.known(dtype, &[2, inputs, 4, 5]);
                    let transposed = kind == "transposed";
                    let weight = if transposed {
                        vec![inputs, outputs / groups, 2, 1]
                    } else {
                        vec![outputs, inputs / groups, 2, 1]
                    };
                    let attributes = format!(
                        "stride=[1, 2], pad_low=[1, 0], pad_high=[0, 1], dilation=[1, 1], groups={groups}, transposed={transposed}, output_padding=[0, 0]"
                    );
                    (x, weight, "conv", attributes, vec![1, outputs, 1, 1])
                }
            };
            let mut operands = vec![x, case.constant(dtype, &weight)];
            if case.below(2) == 0 {
                operands.push(case.constant(dtype, &[outputs]));
            }
            let mut value = case.node(name, &operands, &attributes);
            let count = 1 + case.below(3);
            for _ in 0..count {
                let shape = if case.below(3) == 0 {
                    vec![1; per_channel.len()]
                } else {
                    per_channel.clone()
                };
                let values: Vec<Scalar> = (0..shape.iter().product())
                    .map(|_| Scalar::Float(case.number().abs() + 0.5))
                    .collect();
                let c = case.constant_of(dtype, &shape, &values);
                let f = ["mul", "div", "add", "sub"][case.below(4) as usize];
                let swap = matches!(f, "mul" | "add") && case.below(2) == 0;
                value = case.node(
                    "binary",
                    &if swap { [c, value] } else { [value, c] },
                    &format!("f={f}"),
                );
            }
            case.result(value);
            let d = if dtype == F32 { 1e-5 } else { 2e-2 };
            case.check_gone("fold_affine", "binary", Close::Within(d));
        }
    });
}

#[test]
fn batch_norms_go_into_the_layer_behind() {
    each(|case| {
        for is_conv in [false, true] {
            for padding in [0, 1] {
                let mut case = Case::new(case.random());
                let groups = 1 + case.below(2) as usize;
                let channels = 2 * groups;
                let shape = if is_conv {
                    vec![2, channels, 4, 3]
                } else {
                    vec![3, channels]
                };
                let x = case.known(F32, &shape);
                let mut operands = vec![x];
                for i in 0..4 {
                    let values: Vec<Scalar> = (0..channels)
                        .map(|_| {
                            Scalar::Float(case.number().abs() + if i == 1 { 0.25 } else { -1.0 })
                        })
                        .collect();
                    operands.push(case.constant_of(F32, &[channels], &values));
                }
                let normal = case.node("normalize", &operands, "kind=batch, eps=1e-3");
                let mut operands = vec![normal];
                let weight = if is_conv {
                    vec![3 * groups, 2, 2, 2]
                } else {
                    vec![3 * groups, channels]
                };
                operands.push(case.constant(F32, &weight));
                if case.below(2) == 0 {
                    operands.push(case.constant(F32, &[3 * groups]));
                }
                let y = if is_conv {
                    case.node("conv", &operands, &format!("stride=[1, 1], pad_low=[0, {padding}], pad_high=[0, 0], dilation=[1, 1], groups={groups}, transposed=false, output_padding=[0, 0]"))
                } else {
                    case.node("linear", &operands, "")
                };
                case.result(y);
                let printed = case.check("fold_affine clean", Close::Within(1e-5));
                assert_eq!(
                    printed.contains(" = normalize "),
                    is_conv && padding == 1,
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn products_become_layers() {
    each(|case| {
        for is_moved in [false, true] {
            let mut case = Case::new(case.random());
            case.symbol("s0", 1, 9);
            let n = 1 + case.below(9) as usize;
            let x = case.input(F32, "[2, s0, 3]", &[2, n, 3]);
            let matrix = if is_moved {
                let c = case.constant(F32, &[4, 3]);
                case.node("move", &[c], "movement=(a:4 b:3 -> 1 b a)")
            } else {
                case.constant(F32, &[1, 3, 4])
            };
            let y = case.node("matmul", &[x, matrix], "");
            let size = [1, 4][case.below(2) as usize];
            let c = case.constant(F32, &[1, 1, size]);
            let z = case.node("binary", &if is_moved { [c, y] } else { [y, c] }, "f=add");
            case.result(z);
            for first in ["", "clean "] {
                case.check_gone(
                    &format!("{first}linear_forms"),
                    "matmul",
                    Close::Within(1e-6),
                );
                let printed =
                    case.check(&format!("{first}linear_forms clean"), Close::Within(1e-6));
                assert!(
                    !printed.contains(" = move ") && !printed.contains(" = binary "),
                    "{printed}"
                );
            }
        }
    });
}

#[test]
fn canonical_forms() {
    each(|case| {
        let x = case.known(F32, &[2, 3]);
        let powers: Vec<Scalar> = (0..3)
            .map(|_| Scalar::Float([0.25, -2.0, 1024.0][case.below(3) as usize]))
            .collect();
        let powers = case.constant_of(F32, &[1, 3], &powers);
        let others = case.constant(F32, &[1, 1]);
        let a = case.node("binary", &[x, powers], "f=div");
        let b = case.node("binary", &[a, others], "f=sub");
        let c = case.node("binary", &[others, b], "f=max");
        let d = case.node("binary", &[powers, c], "f=mul");
        let e = case.node("binary", &[d, others], "f=div");
        case.result(e);
        let printed = case.check("canonical", Close::Bits);
        assert!(!printed.contains("f=sub"), "{printed}");
    });
}

/// Elementwise ops, moves, slices, joins, reductions and constants on random values.
fn random_graph(case: &mut Case) {
    case.symbol("s0", 1, 5);
    let n = 1 + case.below(5) as usize;
    let mut values = vec![
        case.input(F32, "[s0, 3]", &[n, 3]),
        case.input(F32, "[s0, 1]", &[n, 1]),
        case.known(F32, &[1, 3]),
        case.constant(F32, &[1, 3]),
    ];
    for special in [0.0, -0.0, 1.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
        values.push(case.constant_of(F32, &[1, 1], &[Scalar::Float(special)]));
    }
    for _ in 0..20 {
        let pick = |case: &mut Case| case.below(values.len() as u64) as usize;
        let (i, j, k) = (pick(case), pick(case), pick(case));
        let (a, b, c) = (values[i], values[j], values[k]);
        let made = match case.below(12) {
            0 | 1 => {
                let f = ["add", "sub", "mul", "div", "max", "min"][case.below(6) as usize];
                case.node("binary", &[a, b], &format!("f={f}"))
            }
            2 | 3 => {
                let f = [
                    "neg",
                    "abs",
                    "floor",
                    "round",
                    "sign",
                    "clamp[-1, 2]",
                    "clamp[0.5, none]",
                    "exp",
                ][case.below(8) as usize];
                case.node("unary", &[a], &format!("f={f}"))
            }
            4 => {
                let wide = ["f64", "f16", "i32"][case.below(3) as usize];
                let there = case.node("cast", &[a], &format!("to={wide}"));
                case.node("cast", &[there], "to=f32")
            }
            5 => {
                let condition = case.node("compare", &[a, b], "f=le");
                case.node("select", &[condition, b, c], "")
            }
            6 => case.node("reduce", &[a], "f=max, axes=[1]"),
            7 => case.node("reduce", &[a], "f=sum, axes=[1]"),
            8 => case.node("slice", &[a], "axis=1, start=0, len=1, step=1"),
            9 => {
                let joined = case.node("concat", &[a, a], "axis=1");
                let len = case.graph.ty(a).shape[1].as_const().unwrap();
                case.node(
                    "slice",
                    &[joined],
                    &format!("axis=1, start={}, len={len}, step=1", len - 1),
                )
            }
            10 => {
                let text = match case.graph.ty(a).shape.to_vec() {
                    s if s[0].is(1) && s[1].is(1) => "1 1 -> 1 1 1",
                    s if s[0].is(1) => "1 b:3 -> b 1 1",
                    s if s[1].is(1) => "a:{s0} 1 -> 1 1 a",
                    _ => "a:{s0} b:3 -> b 1 a",
                };
                let there = case.node("move", &[a], &format!("movement=({text})"));
                let through = case.node("unary", &[there], "f=neg");
                let back = match text {
                    "1 1 -> 1 1 1" => "1 1 1 -> 1 1",
                    "1 b:3 -> b 1 1" => "b:3 1 1 -> 1 b",
                    "a:{s0} 1 -> 1 1 a" => "1 1 a:{s0} -> a 1",
                    _ => "b:3 1 a:{s0} -> a b",
                };
                case.node("move", &[through], &format!("movement=({back})"))
            }
            _ => {
                let shape = case.graph.ty(a).shape.to_vec();
                let rows = if shape[0].is(1) { "s0" } else { "s0" };
                let columns = if shape[1].is(1) { "3" } else { "3" };
                case.node("broadcast", &[a], &format!("shape=[{rows}, {columns}]"))
            }
        };
        values.push(made);
    }
    for value in &values[values.len() - 4..] {
        case.result(*value);
    }
}

#[test]
fn cleaning_keeps_every_bit_of_random_graphs() {
    for seed in 1..=200 {
        let mut case = Case::new(seed);
        random_graph(&mut case);
        let printed = case.check("clean", Close::Bits);
        let mut again = kiln_ir::text::parse(&printed).unwrap();
        run(&mut again, "clean");
        assert_eq!(
            print(&again, Data::Full).lines().count(),
            printed.lines().count(),
            "cleaning again\n{printed}"
        );
        case.check("canonical clean sink_moves join_moves clean", Close::Bits);
    }
}

#[test]
fn every_number_of_applications_leaves_a_sound_graph() {
    for seed in 1..=10 {
        let mut case = Case::new(seed);
        random_graph(&mut case);
        let expected = evaluated(&case.graph, &case.inputs).unwrap();
        for application in 0..60 {
            let mut graph = case.graph.clone();
            let stop_after = Some(StopAfter {
                pass: "clean".into(),
                application: Some(application),
            });
            let options = Options {
                verify: true,
                stop_after,
            };
            let pass = *all_passes().iter().find(|p| p.name == "clean").unwrap();
            run_pipeline(&mut graph, &FakeTarget::default(), &[pass], &options).unwrap();
            for (l, r) in expected
                .iter()
                .zip(evaluated(&graph, &case.inputs).unwrap())
            {
                assert_close(l, &r, Close::Bits, &print(&graph, Data::Full));
            }
        }
    }
}

#[test]
fn what_is_preferred_decomposed_is_so_only_if_all_parts_are_delegated() {
    let mut case = Case::new(3);
    let x = case.known(F32, &[2, 3]);
    let y = case.node("normalize", &[x], "kind=layer 1, eps=1e-5");
    case.result(y);
    case.check_gone(
        "decompose prefers normalize",
        "normalize",
        Close::Within(1e-6),
    );
    case.check_gone(
        "decompose prefers normalize none unary.rsqrt",
        "normalize",
        Close::Within(1e-6),
    );
    let printed = case.check(
        "decompose prefers normalize kernel unary.sqrt none unary.rsqrt",
        Close::Bits,
    );
    assert!(
        printed.contains(" = normalize ") && !printed.contains(" = reduce "),
        "{printed}"
    );
}
