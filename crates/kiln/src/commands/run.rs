//! `kiln run`: a model on inputs, its outputs compared or written.

use crate::compare::{Comparison, Tolerance, compare};
use crate::execute::{
    StockOptions, as_integers, find_runner, run_builtin, run_graph, run_stock, run_tosa,
    tosa_inputs,
};
use crate::model::Model;
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result, bail};
use kiln_check::{Situation, Sizes, Values};
use kiln_ir::graph::InputSpec;
use kiln_ir::{Graph, Scalar, TensorData};
use kiln_pt2::{Archive, SampleValue};
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::dtype_of;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What to do.
pub struct Options {
    /// An archive, a text graph or a program.
    pub file: PathBuf,
    /// Which method of a program.
    pub method: String,
    /// Inputs.
    pub inputs: Option<PathBuf>,
    /// Where outputs go.
    pub outputs: Option<PathBuf>,
    /// Golden outputs.
    pub expect: Option<PathBuf>,
    /// What counts as equal.
    pub tolerance: Tolerance,
    /// A program runs on the stock runtime.
    pub stock: bool,
    /// Fill planned memory with garbage first.
    pub poison: bool,
    /// Threads of the runtime.
    pub threads: Option<usize>,
    /// Time so many further executions of the last run.
    pub repeat: Option<usize>,
    /// One JSON document on stdout.
    pub json: bool,
    /// Say nothing but errors.
    pub quiet: bool,
}

/// What a run showed.
struct Outcome {
    results: Runs,
    runtime: &'static str,
    /// The runner's report, or milliseconds per execution.
    timing: Option<Value>,
}

/// Runs the model on all runs of the inputs.
///
/// # Errors
/// If the model or inputs are refused, running fails, or an output is not as expected.
pub fn run(options: &Options) -> Result<()> {
    let model = Model::open(&options.file)?;
    let golden = options.expect.as_deref().map(Runs::read).transpose()?;
    let outcome = execute(options, &model, golden.as_ref())?;
    if let Some(path) = &options.outputs {
        outcome.results.write(path)?;
    }
    let comparisons = golden
        .as_ref()
        .map(|g| compare_all(g, &outcome.results, &options.tolerance));
    if options.json {
        crate::output::print(&format!("{}\n", document(&outcome, comparisons.as_deref())))?;
    } else if !options.quiet {
        print_human(&outcome, comparisons.as_deref());
    }
    let bad: Vec<&Judged> = comparisons
        .iter()
        .flatten()
        .filter(|j| !j.comparison.ok)
        .collect();
    match bad.first() {
        Some(first) => bail!(
            "{} of the outputs differ from {}; the first is run {} {} {}: {}",
            bad.len(),
            options.expect.as_deref().unwrap_or(Path::new("")).display(),
            first.run,
            first.kind,
            first.position,
            first.comparison.mismatch.as_deref().unwrap_or("")
        ),
        None => Ok(()),
    }
}

fn execute(options: &Options, model: &Model, golden: Option<&Runs>) -> Result<Outcome> {
    match model {
        Model::Program(bytes) if options.stock => {
            let program = kiln_pte::read(bytes.clone())
                .with_context(|| options.file.display().to_string())?;
            stock(options, &program)
        }
        Model::Program(bytes) => {
            let program = kiln_pte::read(bytes.clone())
                .with_context(|| options.file.display().to_string())?;
            let inputs = inputs(options, golden, || {
                program_inputs(&program, &options.method)
            })?;
            let start = Instant::now();
            let results = run_builtin(
                &program,
                &options.method,
                &inputs,
                inputs.count(),
                options.poison,
            )?;
            Ok(Outcome {
                results,
                runtime: "builtin",
                timing: timing(options, start, inputs.count()),
            })
        }
        Model::Payload(_) => bail!(
            "{} is the payload of a delegate; run the program that calls it",
            options.file.display()
        ),
        Model::Archive(_) | Model::Text(_) | Model::Tosa(_) if options.stock => {
            bail!(
                "the stock runtime runs programs; compile {} first",
                options.file.display()
            )
        }
        Model::Tosa(bytes) => {
            let graph =
                kiln_tosa::file::read(bytes).with_context(|| options.file.display().to_string())?;
            let inputs = inputs(options, golden, || made_up(&graph))?;
            let start = Instant::now();
            let results = run_tosa(&graph, &inputs, inputs.count().max(1))?;
            Ok(Outcome {
                results: golden.map_or(results.clone(), |golden| like(&results, golden)),
                runtime: "TOSA evaluator",
                timing: timing(options, start, inputs.count()),
            })
        }
        Model::Archive(_) | Model::Text(_) => {
            let graph = model.graph(&options.file, &options.method)?;
            let inputs = inputs(options, golden, || default_inputs(model, &graph))?;
            let start = Instant::now();
            let results = run_graph(&graph, &inputs, inputs.count().max(1))?;
            Ok(Outcome {
                results,
                runtime: "evaluator",
                timing: timing(options, start, inputs.count()),
            })
        }
    }
}

fn timing(options: &Options, start: Instant, runs: usize) -> Option<Value> {
    options.repeat?;
    Some(json!({ "ms_per_run": start.elapsed().as_secs_f64() * 1e3 / runs.max(1) as f64 }))
}

fn stock(options: &Options, program: &kiln_pte::Program) -> Result<Outcome> {
    if let Some(method) = program.method(&options.method) {
        kiln_pte::runtime::check_planned(&method.arena_sizes)?;
    }
    let runner = find_runner()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let path = match options.inputs.as_ref().or(options.expect.as_ref()) {
        Some(path) => path.clone(),
        None => {
            let path = folder.path().join("in.safetensors");
            program_inputs(program, &options.method)?.write(&path)?;
            path
        }
    };
    let settings = StockOptions {
        method: Some(options.method.clone()),
        poison: options.poison,
        threads: options.threads,
        repeat: options.repeat,
    };
    let run = run_stock(&runner, &options.file, &path, &settings)?;
    Ok(Outcome {
        results: run.results,
        runtime: "executorch",
        timing: options.repeat.map(|_| run.report),
    })
}

/// The inputs given, else those beside the golden outputs, else the default.
fn inputs(
    options: &Options,
    golden: Option<&Runs>,
    default: impl FnOnce() -> Result<Runs>,
) -> Result<Runs> {
    match (&options.inputs, golden) {
        (Some(path), _) => Runs::read(path),
        (None, Some(golden)) => Ok(golden.clone()),
        (None, None) => default(),
    }
}

/// The archive's sample inputs, else seeded noise.
fn default_inputs(model: &Model, graph: &Graph) -> Result<Runs> {
    let samples = match model {
        Model::Archive(archive) => archive_samples(archive)?,
        Model::Text(_) | Model::Program(_) | Model::Payload(_) | Model::Tosa(_) => None,
    };
    if let Some(runs) = samples {
        return Ok(runs);
    }
    let mut runs = Runs::default();
    let situation = Situation {
        sizes: Sizes::Hint,
        values: Values::Noise,
    };
    let mut tensors = kiln_check::inputs(graph, situation, 1)
        .context("the inputs are too large to make up; give --inputs")?
        .into_iter();
    for (i, spec) in graph.signature.inputs.iter().enumerate() {
        if let (InputSpec::Tensor { .. }, Some(tensor)) = (spec, tensors.next()) {
            runs.insert(0, Role::Input, i, TensorData::from(tensor));
        }
    }
    Ok(runs)
}

fn archive_samples(archive: &Archive) -> Result<Option<Runs>> {
    let Some(values) = archive.sample_inputs()? else {
        return Ok(None);
    };
    let mut runs = Runs::default();
    for (i, value) in values.into_iter().enumerate() {
        let data = match value {
            SampleValue::Tensor(stored) => {
                let dtype = crate::import::dtype(stored.dtype())?;
                TensorData::new(dtype, stored.sizes().to_vec(), stored.to_contiguous())?
            }
            SampleValue::Int(v) => crate::execute::scalar_tensor(Scalar::Int(v)),
            SampleValue::Float(v) => crate::execute::scalar_tensor(Scalar::Float(v)),
            SampleValue::Bool(v) => crate::execute::scalar_tensor(Scalar::Bool(v)),
            SampleValue::None | SampleValue::Str(_) => continue,
        };
        runs.insert(0, Role::Input, i, data);
    }
    Ok(Some(runs))
}

/// Seeded noise in the shapes that a TOSA file declares.
fn made_up(graph: &TosaGraph) -> Result<Runs> {
    let mut runs = Runs::default();
    for (i, tensor) in tosa_inputs(graph).enumerate() {
        let dtype = dtype_of(tensor.dtype)
            .with_context(|| format!("input {i}, {tensor}, is not evaluated"))?;
        let made = kiln_check::noise(dtype, tensor.shape.clone(), i as u64 + 1);
        let made = made.with_context(|| format!("{tensor} is too large to make up; give --inputs"));
        runs.insert(0, Role::Input, i, made?);
    }
    Ok(runs)
}

/// Outputs with integers in the dtypes of the golden ones: a TOSA file has fewer.
fn like(results: &Runs, golden: &Runs) -> Runs {
    let mut alike = Runs::default();
    for run in 0..results.count() {
        for position in results.positions(run, Role::Output) {
            let found = results.get(run, Role::Output, position);
            let found = found.expect("the position was listed");
            let data = match golden.get(run, Role::Output, position) {
                Some(golden) => as_integers(found, golden.dtype()),
                None => found.clone(),
            };
            alike.insert(run, Role::Output, position, data);
        }
    }
    alike
}

/// Seeded noise in the shapes that a program declares.
fn program_inputs(program: &kiln_pte::Program, method: &str) -> Result<Runs> {
    let found = program.method(method);
    let method = found.with_context(|| format!("the program has no method {method}"))?;
    let mut runs = Runs::default();
    for (i, value) in method.input_values().enumerate() {
        if let Some(tensor) = value.as_tensor() {
            let dtype = kiln_ir::DType::from_name(tensor.dtype.name()).with_context(|| {
                format!("input {i} is {:?}, which Kiln does not have", tensor.dtype)
            })?;
            let sizes: Vec<usize> = tensor.sizes.iter().map(|&s| s as usize).collect();
            runs.insert(
                0,
                Role::Input,
                i,
                kiln_check::noise(dtype, sizes.clone(), i as u64 + 1).with_context(|| {
                    format!("an input of sizes {sizes:?} is too large to make up; give --inputs")
                })?,
            );
        }
    }
    Ok(runs)
}

/// A golden tensor and how what came out compares.
struct Judged {
    run: usize,
    kind: &'static str,
    position: usize,
    comparison: Comparison,
}

fn compare_all(golden: &Runs, got: &Runs, tolerance: &Tolerance) -> Vec<Judged> {
    let mut all = Vec::new();
    for run in 0..golden.count() {
        for (role, kind) in [(Role::Output, "output"), (Role::InputAfter, "input after")] {
            for position in golden.positions(run, role) {
                let expected = golden
                    .get(run, role, position)
                    .expect("the position was listed");
                let comparison = match got.get(run, role, position) {
                    Some(found) => compare(found, expected, tolerance),
                    None => Comparison {
                        ok: false,
                        max_abs: f64::INFINITY,
                        sqnr: None,
                        mismatch: Some("the model gave none".into()),
                    },
                };
                all.push(Judged {
                    run,
                    kind,
                    position,
                    comparison,
                });
            }
        }
    }
    all
}

fn document(outcome: &Outcome, comparisons: Option<&[Judged]>) -> Value {
    let rows = |list: &[Judged]| -> Vec<Value> {
        list.iter()
            .map(|j| json!({"run": j.run, "kind": j.kind, "index": j.position, "ok": j.comparison.ok, "max_abs": j.comparison.max_abs, "sqnr": j.comparison.sqnr, "mismatch": j.comparison.mismatch}))
            .collect()
    };
    json!({
        "runtime": outcome.runtime,
        "runs": outcome.results.count(),
        "ok": comparisons.is_none_or(|c| c.iter().all(|j| j.comparison.ok)),
        "outputs": comparisons.map(rows),
        "timing": outcome.timing,
    })
}

fn print_human(outcome: &Outcome, comparisons: Option<&[Judged]>) {
    eprintln!(
        "{} runs on the {} runtime",
        outcome.results.count(),
        outcome.runtime
    );
    match comparisons {
        Some(list) => {
            for j in list {
                let sqnr = j
                    .comparison
                    .sqnr
                    .map_or("equal".to_string(), |s| format!("{s:.1} dB"));
                let verdict = if j.comparison.ok { "ok" } else { "WRONG" };
                eprintln!(
                    "  run {} {} {}: {verdict}, max abs {:.3e}, {sqnr}",
                    j.run, j.kind, j.position, j.comparison.max_abs
                );
                if let Some(mismatch) = &j.comparison.mismatch {
                    eprintln!("    {mismatch}");
                }
            }
        }
        None => {
            for run in 0..outcome.results.count() {
                for position in outcome.results.positions(run, Role::Output) {
                    let data = outcome
                        .results
                        .get(run, Role::Output, position)
                        .expect("the position was listed");
                    let first: Vec<String> = data
                        .scalars()
                        .take(6)
                        .map(|s| format!("{}", s.as_f64()))
                        .collect();
                    let more = if data.elements() > 6 { ", .." } else { "" };
                    eprintln!(
                        "  run {run} output {position}: {data:?} = [{}{more}]",
                        first.join(", ")
                    );
                }
            }
        }
    }
    if let Some(timing) = &outcome.timing {
        eprintln!("  timing: {timing}");
    }
}
