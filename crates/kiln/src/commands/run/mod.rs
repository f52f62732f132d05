//! `kiln run`: executes a model, and compares or writes its outputs.

mod activations;
mod border;
mod declared;
pub(crate) mod inputs;
mod plain;
mod timing;
mod verdict;

use crate::compare::Tolerance;
use crate::compiler::Compiled;
use crate::counted::counted;
use crate::evaluator::Evaluator;
use crate::model::Model;
use crate::output::say;
use crate::target::FORMATS;
use crate::usage::UsageError;
use anyhow::{Context, Result, anyhow, bail};
use border::Converted;
use inputs::Inputs;
use kiln_ir::Graph;
use kiln_target::{
    About, Activations, Artifact, AtModelBorder, Border, Executor, Loading, Role, RunChoice, Runs,
    Runtime, Signature, as_integers,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use timing::Timing;
use verdict::Basis;
pub use verdict::Verdict;

/// The arguments of `kiln run`.
pub struct Options {
    /// An archive, a text graph or a program.
    pub file: PathBuf,
    /// The method of a program.
    pub method: String,
    /// The file of inputs.
    pub inputs: Option<PathBuf>,
    /// The file for outputs.
    pub outputs: Option<PathBuf>,
    /// The file of golden outputs.
    pub expect: Option<PathBuf>,
    /// The tolerance.
    pub tolerance: Tolerance,
    /// The runtime that executes an artifact.
    pub runtime: Runtime,
    /// Fill planned memory with garbage before each run.
    pub poison: bool,
    /// Threads of the runtime.
    pub threads: Option<usize>,
    /// The folder of CMSIS-NN for C projects.
    pub cmsis_nn: Option<PathBuf>,
    /// Execute the last run this many more times, and measure each.
    pub repeat: Option<usize>,
    /// Print one JSON document on stdout.
    pub json: bool,
    /// Print nothing but errors.
    pub quiet: bool,
}

/// The outcome of the runs.
struct Outcome {
    results: Runs,
    about: About,
    inputs: Inputs,
    timing: Option<Timing>,
    /// The report of an external runtime.
    runner: Option<Value>,
    /// The floats that stood for the artifact's integers.
    converted: Converted,
    /// The coarsest numbers that each output follows from, by its position.
    activations: BTreeMap<usize, Activations>,
    /// The outputs as the golden tensors have them, if they are not as the artifact gives them.
    compared: Option<Runs>,
}

/// Executes the model on all runs of the inputs.
///
/// # Errors
/// The model or an input is refused, the execution fails, or an output is not compared. An output that differs from its golden
/// tensor is a [`crate::usage::OtherValues`].
pub fn run(options: &Options) -> Result<()> {
    if let Some(path) = &options.outputs {
        if options.json && path == Path::new(crate::output::STDOUT) {
            let message = "--json and --outputs - both write to stdout; give one of them a file";
            return Err(UsageError::new(message.to_owned()).into());
        }
        let mut read = vec![options.file.as_path()];
        read.extend(
            options
                .inputs
                .iter()
                .chain(&options.expect)
                .map(PathBuf::as_path),
        );
        crate::output::check_paths(&[("--outputs", path)], &read)?;
    }
    let model = Model::open(&options.file)?;
    warn_of_ignored(options, &model);
    let golden = options.expect.as_deref().map(Runs::read).transpose()?;
    if let Some(threads) = options
        .threads
        .filter(|_| options.runtime == Runtime::Builtin)
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let built = pool.build_global();
        built.with_context(|| format!("cannot start {}", counted(threads, "thread")))?;
    }
    let Tolerance { rtol, atol, sqnr } = options.tolerance;
    if sqnr.is_some() && (rtol.is_some() || atol.is_some()) && !options.quiet {
        say(
            "warning: --rtol and --atol change nothing beside --sqnr, which judges tensors as a whole",
        );
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
    failure.map_or(Ok(()), Err)
}

/// What a method gave on tensors in memory.
pub struct Execution {
    /// Outputs, and inputs as the runs left them.
    pub results: Runs,
    /// The comparison with the outputs that were given beside the inputs.
    pub verdict: Verdict,
}

/// Runs a method of a compiled model on the builtin runtime, or else the first that its artifact has, on inputs in memory. Compares the
/// results with the outputs that `given` holds, if any. Messages name the artifact by the path of its model.
///
/// # Errors
/// There is no such method, an input is refused, or the execution fails.
pub fn executed(
    compiled: &Compiled,
    model: &Path,
    method: &str,
    given: &Runs,
    tolerance: Tolerance,
) -> Result<Execution> {
    let options = in_memory(&*compiled.artifact, model, method, tolerance);
    let outcome = run_compiled(&options, compiled, given, |_| {
        Ok(Inputs {
            runs: given.clone(),
            origin: inputs::Origin::Given,
            path: None,
        })
    })?;
    Ok(Execution {
        verdict: outcome.judge(given, &tolerance),
        results: written(&outcome),
    })
}

/// Runs a method of a compiled model with the model's inputs and outputs, also where the artifact does not tell how its own differ.
fn run_compiled(
    options: &Options,
    compiled: &Compiled,
    golden: &Runs,
    find: impl FnOnce(&Signature) -> Result<Inputs>,
) -> Result<Outcome> {
    let Some((graph, border)) = hidden_border(compiled, &options.method) else {
        return run_artifact(options, &*compiled.artifact, Some(golden), find);
    };
    let signature = declared::of_graph(graph);
    let inputs = find(&signature)?;
    declared::check(&signature, &inputs)?;
    let loading = Loading {
        runtime: options.runtime,
        ..Loading::default()
    };
    let artifact = compiled.artifact.load(&options.method, &loading)?;
    let mut executor = AtModelBorder {
        graph,
        border,
        artifact,
    };
    let mut outcome = measured(options, &mut executor, inputs)?;
    outcome.activations = activations_of(&*compiled.artifact, options, &signature);
    Ok(outcome)
}

/// The graph and the border of a method whose artifact does not tell how its inputs and outputs differ from the model's.
fn hidden_border<'c>(compiled: &'c Compiled, method: &str) -> Option<(&'c Graph, &'c Border)> {
    let signature = compiled.artifact.signature(method)?;
    let mut all = signature.inputs.iter().chain(&signature.outputs);
    if all.any(|declared| declared.order.is_some() || declared.reals.is_some()) {
        return None;
    }
    let mut methods = compiled.methods.iter();
    let found = methods.find(|found| found.figures.name == method)?;
    Some((&found.graph, found.border.as_ref()?))
}

/// Runs the method `forward` of a compiled model as [`executed`] does, and compares its outputs with a file of golden ones.
///
/// # Errors
/// The golden file or an input is refused, or the execution fails.
pub fn judged(
    compiled: &Compiled,
    model: &Path,
    expect: &Path,
    tolerance: Tolerance,
) -> Result<Verdict> {
    let options = Options {
        expect: Some(expect.to_path_buf()),
        ..in_memory(&*compiled.artifact, model, "forward", tolerance)
    };
    let golden = Runs::read(expect)?;
    let outcome = run_compiled(&options, compiled, &golden, |signature| {
        Inputs::find(&options, Some(&golden), || inputs::of_artifact(signature))
    })?;
    Ok(outcome.judge(&golden, &tolerance))
}

/// The options of a run without files, on the builtin runtime, or else the first that the artifact has.
fn in_memory(artifact: &dyn Artifact, model: &Path, method: &str, tolerance: Tolerance) -> Options {
    let runtimes = artifact.kind().runtimes;
    let is_builtin = runtimes.contains(&Runtime::Builtin);
    let first = runtimes.first().copied().unwrap_or_default();
    Options {
        file: model.to_path_buf(),
        method: method.to_owned(),
        inputs: None,
        outputs: None,
        expect: None,
        tolerance,
        runtime: if is_builtin { Runtime::Builtin } else { first },
        poison: false,
        threads: None,
        cmsis_nn: None,
        repeat: None,
        json: false,
        quiet: true,
    }
}

/// Names the options that change nothing for what is run.
fn warn_of_ignored(options: &Options, model: &Model) {
    let (kind, ignored) = match model {
        Model::Archive(_) | Model::Text(_) => {
            let evaluator: &[RunChoice] = &[RunChoice::Poison, RunChoice::CmsisNn];
            ("a model, which the evaluator runs", evaluator)
        }
        Model::Artifact(artifact) => (artifact.kind().name, artifact.kind().ignores),
    };
    for &choice in ignored.iter().filter(|_| !options.quiet) {
        let is_given = match choice {
            RunChoice::Poison => options.poison,
            RunChoice::Threads => options.threads.is_some(),
            RunChoice::CmsisNn => options.cmsis_nn.is_some(),
        };
        if is_given {
            let (option, file) = (choice.option(), options.file.display());
            say(format_args!(
                "warning: {option} changes nothing: {file} is {kind}"
            ));
        }
    }
}

fn execute(options: &Options, model: &Model, golden: Option<&Runs>) -> Result<Outcome> {
    match model {
        Model::Artifact(artifact) => run_artifact(options, &**artifact, golden, |signature| {
            Inputs::find(options, golden, || inputs::of_artifact(signature))
        }),
        Model::Archive(_) | Model::Text(_) if options.runtime != Runtime::Builtin => bail!(
            "{} runs {}; compile {} first, and run what comes of it",
            options.runtime.text(),
            taken(options.runtime),
            options.file.display()
        ),
        Model::Archive(_) | Model::Text(_) => {
            only_forward(options)?;
            model.verify_checksums()?;
            let graph = model.graph(&options.file, &options.method)?;
            let inputs = Inputs::find(options, golden, || inputs::of_graph(model, &graph))?;
            declared::check(&declared::of_graph(&graph), &inputs)?;
            let mut outcome = measured(options, &mut Evaluator::new(&graph), inputs)?;
            let positions = declared::of_graph(&graph).outputs.into_iter();
            let positions = positions.map(|output| output.position);
            outcome.activations = positions.zip(activations::of_graph(&graph)).collect();
            Ok(outcome)
        }
    }
}

/// The options for loading a method.
fn taken(runtime: Runtime) -> String {
    let kinds = FORMATS.iter().map(|format| format.kind());
    let taken = kinds.filter(|kind| kind.runtimes.contains(&runtime));
    let taken: Vec<String> = taken
        .map(|kind| match kind.extension {
            "" => kind.name.to_owned(),
            extension => format!("{} (.{extension})", kind.name),
        })
        .collect();
    taken.join(" and ")
}

fn run_artifact(
    options: &Options,
    artifact: &dyn Artifact,
    golden: Option<&Runs>,
    find: impl FnOnce(&Signature) -> Result<Inputs>,
) -> Result<Outcome> {
    let (kind, file) = (artifact.kind(), options.file.display());
    if kind.runtimes.is_empty() {
        bail!("{file} is {}; {}", kind.name, kind.advice);
    }
    if !kind.runtimes.contains(&options.runtime) {
        let (runtime, taken) = (options.runtime.text(), taken(options.runtime));
        bail!(
            "{runtime} runs {taken}, and {file} is {}; {}",
            kind.name,
            kind.advice
        );
    }
    let signature = signature(options, artifact)?;
    let loading = Loading {
        runtime: options.runtime,
        poison: options.poison,
        threads: options.threads,
        program: None,
        cmsis_nn: options.cmsis_nn.clone(),
    };
    // A file that is damaged is refused before inputs are made up for it.
    let mut loaded = artifact.load(&options.method, &loading)?;
    let mut inputs = find(&signature)?;
    let mut converted = Converted::default();
    converted.inputs(&signature, &mut inputs)?;
    declared::check(&signature, &inputs)?;
    let given = std::mem::take(&mut inputs.runs);
    inputs.runs = border::inward(&signature, &given)?;
    let mut outcome = measured(options, &mut *loaded, inputs)?;
    outcome.inputs.runs = given;
    if kind.ignores.contains(&RunChoice::Threads) {
        outcome.timing = outcome.timing.map(Timing::on_one_thread);
    }
    border::outward(&signature, &mut outcome.results)?;
    if let Some(golden) = golden.filter(|_| !outcome.about.keeps_dtypes) {
        outcome.results = like(&outcome.results, golden);
    }
    if let Some(golden) = golden {
        let mut compared = outcome.results.clone();
        converted.outputs(&signature, &mut compared, golden)?;
        outcome.compared = Some(compared);
    }
    outcome.converted = converted;
    outcome.activations = activations_of(artifact, options, &signature);
    Ok(outcome)
}

/// The inputs and outputs of the method that the user named.
fn signature(options: &Options, artifact: &dyn Artifact) -> Result<Signature> {
    let names = artifact.methods();
    if names.is_empty() {
        only_forward(options)?;
    }
    artifact.signature(&options.method).ok_or_else(|| {
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

/// Executes all runs, then repeats the last one for measuring.
fn measured(options: &Options, executor: &mut dyn Executor, inputs: Inputs) -> Result<Outcome> {
    let count = inputs.count();
    let measured = executor.run(&inputs.runs, count, options.repeat);
    let measured = match &inputs.path {
        Some(path) => measured.with_context(|| {
            format!(
                "{} on the inputs of {}",
                options.file.display(),
                path.display()
            )
        })?,
        None => measured?,
    };
    let timing = options.repeat.and_then(|_| match &measured.report {
        Some(report) => Timing::of_runner(report),
        None => Some(Timing::of(&measured.times, count)),
    });
    Ok(Outcome {
        results: measured.results,
        about: executor.about(),
        timing,
        inputs,
        runner: measured.report,
        converted: Converted::default(),
        activations: BTreeMap::new(),
        compared: None,
    })
}

fn activations_of(
    artifact: &dyn Artifact,
    options: &Options,
    signature: &Signature,
) -> BTreeMap<usize, Activations> {
    let in_f16 = options.runtime == Runtime::Executorch && kiln_xnnpack::adds_up_in_f16();
    let of =
        |position| activations::computed(artifact.activations(&options.method, position), in_f16);
    let positions = signature.outputs.iter().map(|output| output.position);
    positions.map(|position| (position, of(position))).collect()
}

/// Converts integer outputs to the dtypes of the golden tensors, since some formats have fewer integer types.
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

/// The tensors that go to the output file. Of the inputs, only those that a run changed.
fn written(outcome: &Outcome) -> Runs {
    let mut results = outcome.results.clone();
    if outcome.about.gives_all_inputs {
        let inputs = &outcome.inputs.runs;
        results.retain(|run, role, i, data| {
            let given = inputs.get(run, Role::Input, i);
            role != Role::InputAfter || given.is_some_and(|given| given.bytes() != data.bytes())
        });
    }
    results
}

impl Outcome {
    /// The coarsest numbers that any output follows from.
    fn coarsest(&self) -> Activations {
        self.activations.values().copied().max().unwrap_or_default()
    }

    /// Adds the numbers that the export made constant, which some formats leave out.
    fn judge(&self, golden: &Runs, tolerance: &Tolerance) -> Verdict {
        let is_number = |run, i| {
            let golden = golden.get(run, Role::Output, i);
            golden.is_some_and(|g| g.sizes().is_empty())
        };
        let results = self.compared.as_ref().unwrap_or(&self.results);
        let is_absent = |run, i| {
            let found = results.get(run, Role::Output, i);
            !self.about.gives_numbers && found.is_none() && is_number(run, i)
        };
        let step = |i| self.converted.step(i);
        let basis = Basis {
            tolerance,
            activations: &self.activations,
        };
        Verdict::of(golden, results, &basis, step, is_absent)
    }
}

fn document(outcome: &Outcome, verdict: Option<&Verdict>, ok: bool) -> Value {
    let mut document = json!({
        "runtime": outcome.about.name,
        "inputs": outcome.inputs.origin.name(),
        "runs": outcome.inputs.count(),
        "ok": ok,
        "outputs": verdict.map(Verdict::rows),
        "timing": outcome.timing.as_ref().map(Timing::json),
        "computes_in_integers": outcome.coarsest().are_integers(),
        "quantises_while_running": outcome.coarsest() == Activations::IntegersByRow,
        "plain": plain::rows(&outcome.results),
    });
    if let Some(converted) = outcome.converted.json() {
        document["converted"] = converted;
    }
    if let Some(verdict) = verdict {
        document["not_compared"] = verdict.missing().into();
        document["not_read"] = verdict.unread().into();
    }
    if let Some(runner) = &outcome.runner {
        // What was counted stands on top.
        for counted in ["instructions", "kernels", "layers"] {
            if let Some(found) = runner.get(counted) {
                document[counted] = found.clone();
            }
        }
        document["runner"] = runner.clone();
    }
    document
}

fn print_human(outcome: &Outcome, verdict: Option<&Verdict>) {
    say(format_args!(
        "{} on {}, of {}",
        counted(outcome.inputs.count(), "run"),
        outcome.about.text,
        outcome.inputs.origin.text()
    ));
    for line in outcome.converted.lines() {
        say(format_args!("  {line}"));
    }
    match outcome.coarsest() {
        Activations::F64 | Activations::F32 => {}
        Activations::F16 => say("  activations are rounded to f16"),
        Activations::SumsOfF16 => {
            say("  products of f16 are added up in f16 on this processor");
        }
        Activations::BF16 => say("  activations are rounded to bf16"),
        Activations::Integers => {
            say("  activations are rounded to whole numbers, so elements may be some steps beside")
        }
        Activations::IntegersByRow => {
            say("  layers quantise their inputs while running, so ties may be decided otherwise");
        }
    }
    match verdict {
        Some(verdict) => say(verdict.text().trim_end()),
        None => print_outputs(&outcome.results),
    }
    for line in plain::lines(&outcome.results) {
        say(format_args!("  {line}"));
    }
    if let Some(instructions) = outcome
        .runner
        .as_ref()
        .and_then(|r| r["instructions"].as_u64())
    {
        say(format_args!("  {instructions} instructions"));
    }
    if let Some(timing) = &outcome.timing {
        say(format_args!("  {}", timing.text()));
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
        say(format_args!(
            "  run {run} output {position}: {data:?} = [{}{more}]",
            first.join(", ")
        ));
    }
}
