//! Archives of the corpus as programs of calls for Cortex-M, evaluated in the library's arithmetic.
//!
//! A program is judged at the model's border: its results are within one step of the golden ones, which eager PyTorch computes in
//! floats between quantisations. The models of `quantised_cm` sum up to more than a step over their layers; they have the bits that
//! CMSIS-NN gives.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::model::Model;
use kiln_cortex_m::cores::{CORES, Core};
use kiln_cortex_m::dialect::{Build, Dtype, Program};
use kiln_cortex_m::evaluate::{Data, Runs as Evaluation};
use kiln_cortex_m::verify::verify;
use kiln_cortex_m::{CortexM, compile, pipeline};
use kiln_ir::{DType, Graph, Scalar, TensorData};
use kiln_target::{About, AtModelBorder, Border, Error, Executor, Role, Runs, Session};
use kiln_testing::corpus::{Case, Corpus, Suite};
use kiln_transforms::framework::pass::{Options, run_pipeline};
use safetensors::SafeTensors;

/// A core of each build.
fn cores() -> [&'static Core; 3] {
    Build::ALL.map(|build| CORES.iter().find(|core| core.build == build).unwrap())
}

/// A case, compiled for a core.
struct Compiled {
    graph: Graph,
    border: Border,
    program: Program,
    core: &'static Core,
}

impl Compiled {
    fn of(case: &Case, core: &'static Core) -> Result<Compiled, String> {
        let path = case.file("pt2");
        let mut graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
        let options = Options::default();
        run_pipeline(&mut graph, &CortexM { core }, pipeline(), &options).unwrap();
        let mut border = Border::of(&graph, true);
        let program = compile(&graph, &mut border, core);
        let program = program.map_err(|e| format!("{e}; in floats: {}", in_floats(&graph)))?;
        Ok(Compiled {
            graph,
            border,
            program,
            core,
        })
    }

    /// True if no call takes or gives floats.
    fn is_integer(&self) -> bool {
        let mut buffers = self.program.buffers.iter();
        buffers.all(|buffer| buffer.dtype != Dtype::F32)
    }

    /// The outputs of all runs at the model's border.
    fn run(&self, inputs: &Runs, runs: usize) -> Runs {
        let artifact: Box<dyn Executor> = Box::new(Evaluated(self));
        let mut executor = AtModelBorder {
            graph: &self.graph,
            border: &self.border,
            artifact,
        };
        executor.run(inputs, runs, None).unwrap().results
    }
}

/// The ops that compute in floats.
fn in_floats(graph: &Graph) -> String {
    let mut found: Vec<String> = Vec::new();
    for (_, node) in graph.nodes_in(graph.root()) {
        let mut values = node.operands.iter().chain(&node.results);
        let is_float = values.any(|&v| graph.ty(v).quant.is_none());
        let kind = node.op.name();
        if is_float && !matches!(kind, "constant" | "quantize" | "dequantize" | "move") {
            let types: Vec<String> = node
                .operands
                .iter()
                .map(|&v| format!("{:?}", graph.ty(v)))
                .collect();
            let text = format!("{kind} {}", types.join(", "));
            let names = kiln_transforms::framework::pass::names(
                graph,
                graph.producer(node.results[0]).unwrap(),
            );
            found.push(format!("{text} ({})", names.join(",")));
        }
    }
    found.join(" | ")
}

/// The program as an executor at its own border.
struct Evaluated<'c>(&'c Compiled);

impl Session for Evaluated<'_> {
    fn about(&self) -> About {
        About {
            name: "evaluator",
            text: "the evaluator",
            gives_all_inputs: false,
            gives_numbers: false,
            keeps_dtypes: false,
        }
    }

    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        let Compiled {
            program,
            core,
            border,
            graph,
        } = self.0;
        let verified = verify(program, core.build).unwrap();
        let given = inputs.positions(run, Role::Input).collect::<Vec<_>>();
        let given = given.iter().map(|&i| inputs.get(run, Role::Input, i));
        let given: Vec<Data> = given
            .zip(program.inputs())
            .map(|(data, id)| {
                let (data, buffer) = (data.unwrap(), program.buffer(id).unwrap());
                Data::of_bytes(buffer.dtype, buffer.elements, data.bytes())
            })
            .collect();
        let made = Evaluation::new(&verified).run(&given).unwrap();
        for (i, (data, port)) in made.into_iter().zip(&border.outputs).enumerate() {
            let shape = graph.ty(port.outer).shape.as_static().unwrap();
            let axes = port.dim_order.iter().map(|&a| usize::from(a));
            let sizes = axes.map(|axis| shape[axis]).collect();
            results.insert(run, Role::Output, i, tensor(data, sizes));
        }
        Ok(())
    }
}

fn tensor(data: Data, sizes: Vec<usize>) -> TensorData {
    let integers = |dtype, all: Vec<i64>| {
        TensorData::from_scalars(dtype, sizes.clone(), all.into_iter().map(Scalar::Int))
    };
    match data {
        Data::I8(x) => integers(DType::I8, x.into_iter().map(i64::from).collect()),
        Data::U8(x) => integers(DType::U8, x.into_iter().map(i64::from).collect()),
        Data::I16(x) => integers(DType::I16, x.into_iter().map(i64::from).collect()),
        Data::I32(x) => integers(DType::I32, x.into_iter().map(i64::from).collect()),
        Data::I64(x) => integers(DType::I64, x),
        Data::F32(x) => TensorData::from_f32(sizes.clone(), &x),
        other => panic!("no output is {}", other.dtype()),
    }
}

/// What the index of a suite allows.
struct Allowed {
    relative: f64,
    absolute: f64,
    /// The least ratio of signal to noise, in dB, where a case is judged by that.
    sqnr: Option<f64>,
}

impl Allowed {
    fn of(case: &Case) -> Allowed {
        let folder = case.file("pt2");
        let index = std::fs::read(folder.with_file_name("index.json")).unwrap_or_default();
        let index: serde_json::Value = serde_json::from_slice(&index).unwrap_or_default();
        let cases = index["cases"].as_array().cloned().unwrap_or_default();
        let found = cases.into_iter().find(|found| found["name"] == *case.name);
        let found = found.unwrap_or_default();
        Allowed {
            relative: found["rtol"].as_f64().unwrap_or(1e-5),
            absolute: found["atol"].as_f64().unwrap_or(1e-5),
            sqnr: found["sqnr_min"].as_f64(),
        }
    }
}

/// How far results are from the golden ones, where 1 is allowed: a step of a quantised output, and what the index allows.
fn apart(compiled: &Compiled, golden: &Runs, allowed: &Allowed) -> f64 {
    let found = compiled.run(golden, golden.count());
    let mut most: f64 = 0.0;
    for (run, position, golden) in golden.all(Role::Output) {
        let found = found.get(run, Role::Output, position).unwrap();
        let pairs = || {
            found
                .scalars()
                .zip(golden.scalars())
                .map(|(a, b)| (a.as_f64(), b.as_f64()))
        };
        if let Some(least) = allowed.sqnr {
            let signal: f64 = pairs().map(|(_, b)| b * b).sum();
            let noise: f64 = pairs().map(|(a, b)| (a - b) * (a - b)).sum();
            let ratio = 10.0 * (signal / noise).log10();
            most = most.max(if noise == 0.0 || ratio >= least {
                0.0
            } else {
                1.0 + least - ratio
            });
            continue;
        }
        let port = compiled.border.outputs.iter().find(|p| p.index == position);
        let quant = port.and_then(|p| compiled.graph.ty(p.value).quant.clone());
        let step = quant.map_or(0.0, |quant| quant.scheme.scales()[0]);
        for (a, b) in pairs() {
            let unit = step + allowed.absolute + allowed.relative * b.abs();
            let is_same = a == b || a.is_nan() && b.is_nan();
            let apart = if is_same { 0.0 } else { (a - b).abs() / unit };
            most = most.max(if apart.is_nan() { f64::INFINITY } else { apart });
        }
    }
    most
}

/// The results of a suite on each build.
#[derive(Default)]
struct Tally {
    compiled: usize,
    integer: usize,
    near: usize,
    refused: Vec<String>,
    in_floats: Vec<String>,
    wrong: Vec<String>,
}

impl Tally {
    fn of(suite: &Suite, core: &'static Core, takes: impl Fn(&Case) -> bool) -> Tally {
        let mut tally = Tally::default();
        for case in suite.cases.iter().filter(|case| takes(case)) {
            match Compiled::of(case, core) {
                Err(reason) => tally.refused.push(format!("{}: {reason}", case.name)),
                Ok(compiled) => tally.add(case, &compiled),
            }
        }
        tally
    }

    fn add(&mut self, case: &Case, compiled: &Compiled) {
        let golden = Runs::read(&case.file("safetensors")).unwrap();
        let apart = apart(compiled, &golden, &Allowed::of(case));
        self.compiled += 1;
        self.integer += usize::from(compiled.is_integer());
        if !compiled.is_integer() {
            self.in_floats
                .push(format!("{}: {}", case.name, in_floats(&compiled.graph)));
        }
        match apart <= 1.0 {
            true => self.near += 1,
            false => self.wrong.push(format!("{}: {apart:.2}", case.name)),
        }
    }
}

/// The integers that CMSIS-NN gives.
fn cmsis(case: &Case, run: usize) -> Vec<i8> {
    let bytes = std::fs::read(case.file("safetensors")).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let tensor = tensors.tensor(&format!("{run}.cmsis.0")).unwrap();
    tensor.data().iter().map(|&b| b as i8).collect()
}

#[test]
fn small_models_have_the_bits_of_the_library() {
    let suite = Corpus::open().unwrap().suite("quantised_cm").unwrap();
    assert!(!suite.cases.is_empty());
    for (case, core) in suite
        .cases
        .iter()
        .flat_map(|c| cores().map(|core| (c, core)))
    {
        let compiled = Compiled::of(case, core).unwrap();
        assert!(compiled.is_integer(), "{}", case.name);
        let golden = Runs::read(&case.file("safetensors")).unwrap();
        let made = compiled.run(&golden, golden.count());
        let step = compiled
            .graph
            .ty(compiled.border.outputs[0].value)
            .quant
            .clone()
            .unwrap();
        for run in 0..golden.count() {
            let found = made.get(run, Role::Output, 0).unwrap();
            let expected = cmsis(case, run);
            let (scale, zero) = (step.scheme.scales()[0], step.scheme.zero_points()[0]);
            let integer = |real: Scalar| ((real.as_f64() / scale).round() as i64 + zero) as i8;
            let found: Vec<i8> = found.scalars().map(integer).collect();
            assert_eq!(found, expected, "{} for {} run {run}", case.name, core.name);
        }
    }
}

/// Cases that compute in floats, and what does.
const IN_FLOATS: [(&str, &str); 11] = [
    (
        "activation_conv2d_hardsigmoid_inplace",
        "a sum and a function of it before the quantisation",
    ),
    ("activation_linear_hardsigmoid", "as the other"),
    ("nn_modules_hardsigmoid", "as the other"),
    ("conv_conv2d_nchw", "weights that are not quantised"),
    ("conv_conv3d", "weights that are not quantised"),
    (
        "conv_transpose_conv_transpose2d_all_params",
        "weights that are not quantised",
    ),
    (
        "conv_transpose_conv_transpose2d_complex",
        "weights that are not quantised",
    ),
    (
        "conv_transpose_conv_transpose2d_depthwise",
        "weights that are not quantised",
    ),
    (
        "conv_transpose_conv_transpose2d_groups_2",
        "weights that are not quantised",
    ),
    (
        "conv_transpose_conv_transpose2d_output_padding_asym",
        "weights that are not quantised",
    ),
    ("lstm_lstm_fp32", "an LSTM that is not quantised"),
];

/// The names of the cases of a list, in order.
fn names(lines: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.split(':').next())
        .collect();
    names.sort_unstable();
    names
}

/// The names of those of some cases that a suite has, in order.
fn known<'k>(suite: &Suite, cases: &[(&'k str, &str)]) -> Vec<&'k str> {
    let found = cases.iter().filter(|(name, _)| suite.case(name).is_some());
    let mut names: Vec<&str> = found.map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

#[test]
fn operators_are_within_a_step() {
    let suite = Corpus::own().suite("cortex_m").unwrap();
    assert!(!suite.cases.is_empty());
    for core in cores() {
        let tally = Tally::of(&suite, core, |_| true);
        assert_eq!(tally.refused, Vec::<String>::new(), "{}", core.name);
        assert_eq!(tally.wrong, Vec::<String>::new(), "{}", core.name);
        assert_eq!(
            names(&tally.in_floats),
            known(&suite, &IN_FLOATS),
            "{}",
            core.name
        );
    }
}
