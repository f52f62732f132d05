//! Programs of kernels, and special values for them.

use crate::cases;
use kiln_eval::Tensor;
use kiln_ir::ops::{ArgFn, BinaryFn, CompareFn, ReduceFn, ScanFn, Simple};
use kiln_ir::{DType, Graph, Scalar, TensorData};

/// One program, its inputs, and what computes each of its results.
pub struct Probe {
    pub dtype: DType,
    pub names: Vec<String>,
    text: String,
    pub inputs: Vec<Tensor>,
}

const DTYPES: [DType; 10] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
];

const FLOATS: [f64; 36] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    0.3,
    -0.7,
    7.0,
    -7.5,
    88.0,
    -104.0,
    255.0,
    -129.0,
    65504.0,
    -65505.0,
    2147483520.0,
    2147483648.0,
    -2147483648.0,
    -2147483904.0,
    9.3e18,
    -9.3e18,
    3e38,
    -3e38,
    1e-40,
];

const INTS: [i64; 20] = [
    i64::MIN,
    i64::MAX,
    i32::MIN as i64,
    i32::MAX as i64,
    i16::MIN as i64,
    i16::MAX as i64,
    -128,
    127,
    255,
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    -7,
    31,
    64,
];

/// Special numbers of a dtype, as many for each: what an integer does not hold wraps.
const COUNT: usize = 36;

fn special(dtype: DType) -> Vec<Scalar> {
    let int = |i: usize| {
        let n = INTS[i % INTS.len()];
        match dtype {
            DType::Bool => Scalar::Bool(i % 2 == 0),
            DType::U8 => Scalar::Int(i64::from(n as u8)),
            DType::I8 => Scalar::Int(i64::from(n as i8)),
            DType::I16 => Scalar::Int(i64::from(n as i16)),
            DType::I32 => Scalar::Int(i64::from(n as i32)),
            _ => Scalar::Int(n),
        }
    };
    match dtype.is_float() {
        true => FLOATS.map(Scalar::Float).to_vec(),
        false => (0..COUNT).map(int).collect(),
    }
}

fn tensor(dtype: DType, sizes: &[usize]) -> Tensor {
    let all = special(dtype);
    // A stride that has no common factor with the count, so that rows differ.
    let count: usize = sizes.iter().product();
    let scalars = (0..count).map(|i| all[(i * 7 + i / COUNT) % COUNT]);
    TensorData::from_scalars(dtype, sizes.to_vec(), scalars).into()
}

/// The special numbers in order, as a column or a row.
fn line(dtype: DType, sizes: &[usize]) -> Tensor {
    TensorData::from_scalars(dtype, sizes.to_vec(), special(dtype)).into()
}

impl Probe {
    pub fn graph(&self) -> Graph {
        kiln_ir::text::parse(&self.text).unwrap_or_else(|e| panic!("{e}\n{}", self.text))
    }

    /// The elements of the inputs of which element `i` of a result of these sizes is made, where it is made of single ones.
    pub fn at(&self, sizes: &[usize], i: usize) -> Vec<Scalar> {
        let mut at = Vec::new();
        for input in &self.inputs {
            let own = input.sizes();
            if own.len() != sizes.len() || own.iter().zip(sizes).any(|(&a, &b)| a != 1 && a != b) {
                continue;
            }
            let (mut rest, mut place, mut step) = (i, 0, 1);
            for (&size, &result) in own.iter().zip(sizes).rev() {
                place += (rest % result % size) * step;
                (rest, step) = (rest / result, step * size);
            }
            at.push(input.scalars()[place]);
        }
        at
    }
}

/// True for functions that two libraries approximate, and for sums whose order is open.
pub fn is_approximate(name: &str) -> bool {
    const EXACT: [&str; 22] = [
        "neg",
        "abs",
        "sign",
        "floor",
        "ceil",
        "round",
        "trunc",
        "sqrt",
        "square",
        "bit_not",
        "is_nan",
        "is_inf",
        "add",
        "sub",
        "mul",
        "max",
        "min",
        "clamp",
        "leaky_relu",
        "reciprocal",
        "relu",
        "prelu",
    ];
    let function = name.split("f=").nth(1);
    let function = function.map(|f| f.split(['}', ',', '[']).next().unwrap_or(f));
    match function {
        Some(f) => !EXACT.contains(&f) || name.starts_with("reduce") || name.starts_with("scan"),
        None => [
            "softmax",
            "normalize",
            "matmul",
            "linear",
            "conv",
            "pool",
            "adaptive_pool",
            "resize",
            "grid_sample",
        ]
        .iter()
        .any(|family| name.starts_with(family)),
    }
}

/// A candidate line: its results' types, and what stands behind the `=`.
struct Line {
    types: Vec<String>,
    op: String,
}

fn made(ty: impl Into<String>, op: impl Into<String>) -> Line {
    Line {
        types: vec![ty.into()],
        op: op.into(),
    }
}

/// What is fed, what is declared, and the lines that may be.
struct Bench {
    dtype: DType,
    inputs: Vec<Tensor>,
    constants: Vec<(Scalar, DType, usize)>,
    lines: Vec<Line>,
}

impl Bench {
    fn new(dtype: DType, inputs: Vec<Tensor>) -> Bench {
        Bench {
            dtype,
            inputs,
            constants: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn text(&self, lines: &[&Line]) -> String {
        let mut head = String::new();
        let mut body = Vec::new();
        let mut next = self.inputs.len();
        for (i, (value, dtype, rank)) in self.constants.iter().enumerate() {
            let ones = vec!["1"; *rank].join(", ");
            let number = match value {
                Scalar::Float(x) if x.is_nan() => "nan".to_owned(),
                Scalar::Float(x) => format!("{x:?}"),
                Scalar::Int(n) => n.to_string(),
                Scalar::Bool(b) => b.to_string(),
            };
            head += &format!("  constant c{i} \"\" {dtype}[{ones}] = [{number}]\n");
            body.push(format!(
                "%{next}: {dtype}[{ones}] = constant {{value=c{i}}}"
            ));
            next += 1;
        }
        let mut results = Vec::new();
        for line in lines {
            let named: Vec<String> = line
                .types
                .iter()
                .enumerate()
                .map(|(i, ty)| format!("%{}: {ty}", next + i))
                .collect();
            body.push(format!("{} = {}", named.join(", "), line.op));
            results.extend(next as u32..(next + line.types.len()) as u32);
            next += line.types.len();
        }
        let params: Vec<String> = self
            .inputs
            .iter()
            .map(|t| format!("{}{:?}", t.dtype(), t.sizes()))
            .collect();
        let params: Vec<&str> = params.iter().map(String::as_str).collect();
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        cases::graph_text(&head, &params, &body, &results) + "}\n"
    }

    /// True if the line is a graph, and kernels run it.
    fn runs(&self, line: &Line) -> bool {
        let Ok(graph) = kiln_ir::text::parse(&self.text(&[line])) else {
            return false;
        };
        let mut nodes = graph.nodes_in(graph.root());
        kiln_ir::verify::verify(&graph).is_ok()
            && nodes.all(|(id, _)| kiln_portable::support(&graph, id).is_ok())
    }

    fn probes(self) -> Vec<Probe> {
        let lines: Vec<&Line> = self.lines.iter().filter(|line| self.runs(line)).collect();
        // Few lines a program, so that one that fails hides few others.
        let of = |lines: &[&Line]| Probe {
            dtype: self.dtype,
            names: lines
                .iter()
                .flat_map(|l| {
                    l.types
                        .iter()
                        .map(|ty| format!("{} to {ty} of {}", l.op, self.dtype))
                })
                .collect(),
            text: self.text(lines),
            inputs: self.inputs.clone(),
        };
        lines.chunks(16).map(of).collect()
    }
}

fn unary(dtype: DType) -> Vec<Probe> {
    let mut bench = Bench::new(dtype, vec![line(dtype, &[COUNT])]);
    let own = format!("{dtype}[{COUNT}]");
    let mut functions: Vec<String> = Simple::ALL.iter().map(|f| f.text().to_owned()).collect();
    functions.extend(
        [
            "clamp[-1.5, 2]",
            "clamp[none, 2]",
            "clamp[1, none]",
            "clamp[3, -3]",
            "elu[1.5, 1.0, 1.0]",
            "leaky_relu[0.1]",
        ]
        .map(str::to_owned),
    );
    functions.push("softplus[2.0, 20.0]".into());
    for f in functions {
        let op = format!("unary %0 {{f={f}}}");
        bench.lines.push(made(own.clone(), op.clone()));
        bench.lines.push(made(format!("bool[{COUNT}]"), op));
    }
    for to in DTYPES {
        bench.lines.push(made(
            format!("{to}[{COUNT}]"),
            format!("cast %0 {{to={to}}}"),
        ));
    }
    if dtype.is_float() {
        for (to, least, greatest) in [("i8", -128, 127), ("u8", 0, 255), ("i16", -32768, 32767)] {
            for scale in ["0.5", "0.1"] {
                let quant = format!("per_tensor {scale} 3 in [{least}, {greatest}]");
                let op = format!("quantize %0 {{quant={quant}, dtype={to}}}");
                bench
                    .lines
                    .push(made(format!("{to}[{COUNT}] as ({quant})"), op));
            }
        }
    }
    bench.probes()
}

fn pairs(dtype: DType) -> Vec<Probe> {
    let inputs = vec![line(dtype, &[COUNT, 1]), line(dtype, &[1, COUNT])];
    let mut bench = Bench::new(dtype, inputs);
    let (own, truth) = (
        format!("{dtype}[{COUNT}, {COUNT}]"),
        format!("bool[{COUNT}, {COUNT}]"),
    );
    for f in BinaryFn::ALL {
        bench.lines.push(made(
            own.clone(),
            format!("binary %0, %1 {{f={}}}", f.text()),
        ));
    }
    for f in CompareFn::ALL {
        bench.lines.push(made(
            truth.clone(),
            format!("compare %0, %1 {{f={}}}", f.text()),
        ));
    }
    bench.probes()
}

fn with_numbers(dtype: DType) -> Vec<Probe> {
    let numbers: &[f64] = &[0.0, 1.0, -1.0, 2.0, 0.5, -3.0, f64::NAN, f64::INFINITY];
    let mut probes = Vec::new();
    for &number in numbers {
        let scalar = match dtype {
            _ if dtype.is_float() => Scalar::Float(number),
            DType::Bool => Scalar::Bool(number == 1.0),
            _ if number.fract() == 0.0 && (number >= 0.0 || dtype != DType::U8) => {
                Scalar::Int(number as i64)
            }
            _ => continue,
        };
        let mut bench = Bench::new(dtype, vec![line(dtype, &[COUNT])]);
        bench.constants.push((scalar, dtype, 1));
        let (own, truth) = (format!("{dtype}[{COUNT}]"), format!("bool[{COUNT}]"));
        for f in BinaryFn::ALL {
            bench.lines.push(made(
                own.clone(),
                format!("binary %0, %1 {{f={}}}", f.text()),
            ));
            bench.lines.push(made(
                own.clone(),
                format!("binary %1, %0 {{f={}}}", f.text()),
            ));
        }
        for f in CompareFn::ALL {
            bench.lines.push(made(
                truth.clone(),
                format!("compare %0, %1 {{f={}}}", f.text()),
            ));
        }
        probes.extend(bench.probes().into_iter().map(|mut probe| {
            probe
                .names
                .iter_mut()
                .for_each(|name| *name += &format!(" with {number}"));
            probe
        }));
    }
    probes
}

fn rows(dtype: DType) -> Vec<Probe> {
    let mut bench = Bench::new(
        dtype,
        vec![tensor(dtype, &[COUNT, 5]), line(DType::Bool, &[COUNT, 1])],
    );
    let (own, one) = (
        format!("{dtype}[{COUNT}, 5]"),
        format!("{dtype}[{COUNT}, 1]"),
    );
    for f in ReduceFn::ALL {
        bench.lines.push(made(
            one.clone(),
            format!("reduce %0 {{f={}, axes=[1]}}", f.text()),
        ));
    }
    for f in ArgFn::ALL {
        let op = format!("arg_reduce %0 {{f={}, axis=1}}", f.text());
        bench.lines.push(made(format!("i64[{COUNT}, 1]"), op));
    }
    for f in ScanFn::ALL {
        bench.lines.push(made(
            own.clone(),
            format!("scan %0 {{f={}, axis=1}}", f.text()),
        ));
    }
    for largest in [true, false] {
        bench.lines.push(Line {
            types: vec![format!("{dtype}[{COUNT}, 3]"), format!("i64[{COUNT}, 3]")],
            op: format!("top_k %0 {{axis=1, k=3, largest={largest}}}"),
        });
    }
    for log in [true, false] {
        bench.lines.push(made(
            own.clone(),
            format!("softmax %0 {{axis=1, log={log}}}"),
        ));
    }
    bench
        .lines
        .push(made(own.clone(), "normalize %0 {kind=layer 1, eps=1e-05}"));
    bench.lines.push(made(own.clone(), "select %1, %0, %0 {}"));
    bench.lines.push(made(own.clone(), "reverse %0 {axes=[1]}"));
    bench.probes()
}

fn of_cases() -> Vec<Probe> {
    let mut probes = Vec::new();
    for case in cases::all()
        .into_iter()
        .filter(|case| case.runs.iter().all(Vec::is_empty))
    {
        let graph = case.graph();
        let root = graph.block(graph.root());
        let inputs = cases::inputs_of(&graph, &case.runs[0], 3);
        // Integers are indices here.
        let fed = inputs.into_iter().map(|t| match t.dtype().is_float() {
            true => tensor(t.dtype(), t.sizes()),
            false => t,
        });
        probes.push(Probe {
            dtype: DType::F32,
            names: (0..root.results.len())
                .map(|i| format!("case {} result {i}", case.name))
                .collect(),
            inputs: fed.collect(),
            text: case.text,
        });
    }
    probes
}

/// Every probe.
pub fn all() -> Vec<Probe> {
    let mut probes = Vec::new();
    for dtype in DTYPES {
        for family in [unary, pairs, with_numbers, rows] {
            probes.extend(family(dtype));
        }
    }
    probes.extend(of_cases());
    probes
}
