//! `kiln run`: a model on inputs, its outputs compared or written.

mod declared;
mod inputs;
mod timing;
mod verdict;

use crate::compare::Tolerance;
use crate::counted::counted;
use crate::execute::{
    Builtin, Evaluator, Executor, Expected, RUNNER, StockOptions, TosaEvaluator, as_integers,
    check_frozen, run_all, run_stock, time_run,
};
use crate::model::Model;
use crate::tensors::{Role, Runs};
use crate::usage::UsageError;
use anyhow::{Context, Result, anyhow, bail};
use declared::Declaration;
use inputs::Inputs;
use kiln_pte::{Method, Program};
use serde_json::{Value, json};
use std::path::PathBuf;
use timing::Timing;
use verdict::Verdict;

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
    runtime: Runtime,
    inputs: Inputs,
    timing: Option<Timing>,
    /// The stock runner's own report.
    runner: Option<Value>,
}

/// What executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runtime {
    Builtin,
    Stock,
    Evaluator,
    Tosa,
}

impl Runtime {
    fn name(self) -> &'static str {
        match self {
            Runtime::Builtin => "builtin",
            Runtime::Stock => "executorch",
            Runtime::Evaluator => "evaluator",
            Runtime::Tosa => "TOSA evaluator",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Runtime::Builtin => "the builtin runtime",
            Runtime::Stock => "the stock runtime",
            Runtime::Evaluator => "the evaluator",
            Runtime::Tosa => "the TOSA evaluator",
        }
    }
}

/// Runs the model on all runs of the inputs.
///
/// # Errors
/// If the model or inputs are refused, running fails, or an output is not as expected or not compared.
pub fn run(options: &Options) -> Result<()> {
    let model = Model::open(&options.file)?;
    let golden = options.expect.as_deref().map(Runs::read).transpose()?;
    if let Some(threads) = options.threads.filter(|_| !options.stock) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let built = pool.build_global();
        built.with_context(|| format!("cannot start {}", counted(threads, "thread")))?;
    }
    let outcome = execute(options, &model, golden.as_ref())?;
    if let Some(path) = &options.outputs {
        written(&outcome).write(path)?;
    }
    let verdict = golden
        .as_ref()
        .map(|g| outcome.judge(g, &options.tolerance));
    let path = options.expect.as_deref().unwrap_or(&options.file);
    let failure = verdict
        .as_ref()
        .and_then(|v| v.failure(&path.display().to_string()));
    if options.json {
        let document = document(&outcome, verdict.as_ref(), failure.is_none());
        crate::output::print(&format!("{document}\n"))?;
    } else if !options.quiet {
        print_human(&outcome, verdict.as_ref());
    }
    failure.map_or(Ok(()), |message| Err(anyhow!(message)))
}

fn execute(options: &Options, model: &Model, golden: Option<&Runs>) -> Result<Outcome> {
    match model {
        Model::Program(bytes) => {
            let program = kiln_pte::read(bytes.clone())
                .with_context(|| options.file.display().to_string())?;
            let method = method(options, &program)?;
            match options.stock {
                true => stock(options, method, golden),
                false => builtin(options, &program, method, golden),
            }
        }
        Model::Payload(_) => bail!(
            "{} is the payload of a delegate; run the program that calls it",
            options.file.display()
        ),
        Model::Tosa(_) if options.stock => bail!(
            "the stock runtime runs ExecuTorch programs (.pte), and {} is a TOSA file; run it without --runtime, on the \
             evaluator of TOSA's arithmetic",
            options.file.display()
        ),
        Model::Archive(_) | Model::Text(_) if options.stock => bail!(
            "the stock runtime runs ExecuTorch programs (.pte); compile {} first, and run what comes of it",
            options.file.display()
        ),
        Model::Tosa(bytes) => {
            only_forward(options)?;
            let graph =
                kiln_tosa::file::read(bytes).with_context(|| options.file.display().to_string())?;
            let inputs = Inputs::find(options, golden, || inputs::of_tosa(&graph))?;
            let mut outcome = evaluated(
                options,
                &mut TosaEvaluator::new(&graph),
                inputs,
                Runtime::Tosa,
            )?;
            if let Some(golden) = golden {
                outcome.results = like(&outcome.results, golden);
            }
            Ok(outcome)
        }
        Model::Archive(_) | Model::Text(_) => {
            only_forward(options)?;
            let graph = model.graph(&options.file, &options.method)?;
            let inputs = Inputs::find(options, golden, || inputs::of_graph(model, &graph))?;
            Declaration::of_graph(&graph).check(&inputs)?;
            let mut evaluator = Evaluator::new(&graph);
            evaluated(options, &mut evaluator, inputs, Runtime::Evaluator)
        }
    }
}

/// The method asked for.
fn method<'p>(options: &Options, program: &'p Program) -> Result<&'p Method> {
    program.method(&options.method).ok_or_else(|| {
        let names: Vec<&str> = program.methods.iter().map(|m| m.name.as_str()).collect();
        anyhow!(
            "{} has no method {}; it has {}",
            options.file.display(),
            options.method,
            names.join(", ")
        )
    })
}

fn only_forward(options: &Options) -> Result<()> {
    if options.method == "forward" {
        return Ok(());
    }
    let message = format!(
        "{} has no method {}; only a program (.pte) has methods besides forward",
        options.file.display(),
        options.method
    );
    Err(UsageError::new(message).into())
}

/// All runs, and then the last again as often as is asked for.
fn evaluated(
    options: &Options,
    executor: &mut dyn Executor,
    inputs: Inputs,
    runtime: Runtime,
) -> Result<Outcome> {
    let count = inputs.count();
    let results = run_all(executor, &inputs.runs, count);
    let results = match &inputs.path {
        Some(path) => results.with_context(|| path.display().to_string())?,
        None => results?,
    };
    let times = options
        .repeat
        .map(|n| time_run(executor, &inputs.runs, count - 1, n))
        .transpose()?;
    Ok(Outcome {
        results,
        runtime,
        timing: times.map(|times| Timing::of(&times, count)),
        inputs,
        runner: None,
    })
}

fn builtin(
    options: &Options,
    program: &Program,
    method: &Method,
    golden: Option<&Runs>,
) -> Result<Outcome> {
    let inputs = Inputs::find(options, golden, || inputs::of_method(method))?;
    Declaration::of_method(method).check(&inputs)?;
    let mut runtime = Builtin::load(program, &method.name, options.poison)?;
    evaluated(options, &mut runtime, inputs, Runtime::Builtin)
}

fn stock(options: &Options, method: &Method, golden: Option<&Runs>) -> Result<Outcome> {
    kiln_pte::runtime::check_planned(&method.arena_sizes)?;
    let mut inputs = Inputs::find(options, golden, || inputs::of_method(method))?;
    Declaration::of_method(method).check(&inputs)?;
    let expected: Vec<Expected> = method.input_values().map(Expected::from).collect();
    let check = |run| check_frozen(&expected, &inputs.runs, run);
    (0..inputs.count())
        .try_for_each(check)
        .with_context(|| inputs.source())?;
    let runner = RUNNER.find()?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let added = inputs::add_frozen(method, &mut inputs);
    let path = match options.inputs.as_ref().or(options.expect.as_ref()) {
        Some(path) if !added => path.clone(),
        _ => {
            let path = folder.path().join("in.safetensors");
            inputs.runs.write(&path)?;
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
        runtime: Runtime::Stock,
        timing: options.repeat.and_then(|_| Timing::of_runner(&run.report)),
        inputs,
        runner: Some(run.report),
    })
}

/// Outputs with integers in the dtypes of the golden ones: a TOSA file has fewer.
fn like(results: &Runs, golden: &Runs) -> Runs {
    let mut alike = Runs::default();
    for (run, position, found) in results.all(Role::Output) {
        let data = match golden.get(run, Role::Output, position) {
            Some(golden) => as_integers(found, golden.dtype()),
            None => found.clone(),
        };
        alike.insert(run, Role::Output, position, data);
    }
    alike
}

/// What goes to a file: of a program's inputs, which are all known as they were left, those that a run changed.
fn written(outcome: &Outcome) -> Runs {
    let mut results = outcome.results.clone();
    if matches!(outcome.runtime, Runtime::Builtin | Runtime::Stock) {
        let inputs = &outcome.inputs.runs;
        results.retain(|run, role, i, data| {
            let given = inputs.get(run, Role::Input, i);
            role != Role::InputAfter || given.is_some_and(|given| given.bytes() != data.bytes())
        });
    }
    results
}

impl Outcome {
    /// A TOSA file has no numbers that the export froze.
    fn judge(&self, golden: &Runs, tolerance: &Tolerance) -> Verdict {
        let is_number = |run, i| {
            let golden = golden.get(run, Role::Output, i);
            golden.is_some_and(|g| g.sizes().is_empty())
        };
        let is_absent = |run, i| {
            let found = self.results.get(run, Role::Output, i);
            self.runtime == Runtime::Tosa && found.is_none() && is_number(run, i)
        };
        Verdict::of(golden, &self.results, tolerance, is_absent)
    }
}

fn document(outcome: &Outcome, verdict: Option<&Verdict>, ok: bool) -> Value {
    let mut document = json!({
        "runtime": outcome.runtime.name(),
        "inputs": outcome.inputs.origin.name(),
        "runs": outcome.inputs.count(),
        "ok": ok,
        "outputs": verdict.map(Verdict::rows),
        "timing": outcome.timing.as_ref().map(Timing::json),
    });
    if let Some(verdict) = verdict {
        document["not_compared"] = verdict.missing().into();
        document["not_read"] = verdict.unread().into();
    }
    if let Some(runner) = &outcome.runner {
        document["runner"] = runner.clone();
    }
    document
}

fn print_human(outcome: &Outcome, verdict: Option<&Verdict>) {
    eprintln!(
        "{} on {}, of {}",
        counted(outcome.inputs.count(), "run"),
        outcome.runtime.text(),
        outcome.inputs.origin.text()
    );
    match verdict {
        Some(verdict) => eprint!("{}", verdict.text()),
        None => print_outputs(&outcome.results),
    }
    if let Some(timing) = &outcome.timing {
        eprintln!("  {}", timing.text());
    }
}

fn print_outputs(results: &Runs) {
    for (run, position, data) in results.all(Role::Output) {
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
