//! Programs that call kernels, and their inputs of special values.

use crate::cases;
use crate::values::{COUNT, DTYPES, exact_tensor, line, tensor};
use kiln_eval::Tensor;
use kiln_ir::ops::{ArgFn, BinaryFn, CompareFn, ReduceFn, ScanFn, Simple};
use kiln_ir::{DType, Graph, Scalar};
use kiln_portable::{Method, Options, emit};

/// A program, its inputs, and the name of the op that computes each result.
#[derive(Clone)]
pub struct Probe {
    pub dtype: DType,
    pub names: Vec<String>,
    text: String,
    pub inputs: Vec<Tensor>,
    /// The program of each line alone, with the names of its results.
    pub lines: Vec<(String, Vec<String>)>,
}

impl Probe {
    /// A program whose lines do not run alone.
    pub fn whole(dtype: DType, names: Vec<String>, text: String, inputs: Vec<Tensor>) -> Probe {
        Probe {
            dtype,
            names,
            text,
            inputs,
            lines: Vec::new(),
        }
    }

    pub fn graph(&self) -> Graph {
        kiln_ir::text::parse(&self.text).unwrap_or_else(|e| panic!("{e}\n{}", self.text))
    }

    /// The probes of single lines.
    pub fn alone(&self) -> Vec<Probe> {
        let alone = |(text, names): &(String, Vec<String>)| Probe {
            dtype: self.dtype,
            names: names.clone(),
            text: text.clone(),
            inputs: self.inputs.clone(),
            lines: Vec::new(),
        };
        self.lines.iter().map(alone).collect()
    }

    /// For elementwise ops: the elements of the inputs from which element `i` of a result of these sizes is computed.
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

/// A candidate line: the types of its results, and the text behind the `=`.
pub struct Line {
    pub types: Vec<String>,
    pub op: String,
}

pub fn made(ty: impl Into<String>, op: impl Into<String>) -> Line {
    Line {
        types: vec![ty.into()],
        op: op.into(),
    }
}

/// The inputs, the declarations, and the candidate lines of a program.
pub struct Bench {
    dtype: DType,
    inputs: Vec<Tensor>,
    constants: Vec<(Scalar, DType, usize)>,
    pub lines: Vec<Line>,
}

impl Bench {
    pub fn new(dtype: DType, inputs: Vec<Tensor>) -> Bench {
        Bench {
            dtype,
            inputs,
            constants: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Declares a constant of one element.
    pub fn constant(&mut self, value: Scalar, dtype: DType, rank: usize) {
        self.constants.push((value, dtype, rank));
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

    /// True if the line makes a valid graph that kernels can run.
    fn runs(&self, line: &Line) -> bool {
        let Ok(graph) = kiln_ir::text::parse(&self.text(&[line])) else {
            return false;
        };
        let mut nodes = graph.nodes_in(graph.root());
        kiln_ir::verify::verify(&graph).is_ok()
            && nodes.all(|(id, _)| kiln_portable::support(&graph, id).is_ok())
    }

    pub fn probes(self) -> Vec<Probe> {
        let lines: Vec<&Line> = self.lines.iter().filter(|line| self.runs(line)).collect();
        let names = |line: &Line| -> Vec<String> {
            let name = |ty| format!("{} to {ty} of {}", line.op, self.dtype);
            line.types.iter().map(name).collect()
        };
        let of = |lines: &[&Line]| Probe {
            dtype: self.dtype,
            names: lines.iter().flat_map(|line| names(line)).collect(),
            text: self.text(lines),
            inputs: self.inputs.clone(),
            lines: lines
                .iter()
                .map(|line| (self.text(&[line]), names(line)))
                .collect(),
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
    let numbers: &[f64] = &[
        0.0,
        1.0,
        -1.0,
        2.0,
        0.5,
        -0.5,
        -3.0,
        f64::NAN,
        f64::INFINITY,
    ];
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
        bench.constant(scalar, dtype, 1);
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
            let of_lines = probe.lines.iter_mut().flat_map(|(_, names)| names);
            let names = probe.names.iter_mut().chain(of_lines);
            names.for_each(|name| *name += &format!(" with {number}"));
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

/// Kernels that add up products in an order that depends on the library.
const OPEN_ORDER: [&str; 3] = ["aten::mm.out", "aten::bmm.out", "aten::linear.out"];

fn of_cases() -> Vec<Probe> {
    let mut probes = Vec::new();
    for case in cases::all() {
        let graph = case.graph();
        let emitted = emit(&[Method::new(&graph)], &Options::default()).unwrap();
        let calls = &emitted.reports[0].kernel_calls;
        let numbers = match OPEN_ORDER.iter().any(|&kernel| calls.contains_key(kernel)) {
            true => exact_tensor,
            false => tensor,
        };
        let results = graph.block(graph.root()).results.len();
        for (i, run) in case.runs.iter().enumerate() {
            // Integers stay, since they are indices.
            let fed = cases::inputs_of(&graph, run, 3 + i as u64).into_iter();
            let fed = fed.map(|t| match t.dtype().is_float() {
                true => numbers(t.dtype(), t.sizes()),
                false => t,
            });
            probes.push(Probe {
                dtype: DType::F32,
                names: (0..results)
                    .map(|i| format!("case {} result {i}", case.name))
                    .collect(),
                inputs: fed.collect(),
                text: case.text.clone(),
                lines: Vec::new(),
            });
        }
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
