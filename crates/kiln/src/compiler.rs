//! The compilation of models to an artifact: import, the target's passes, and the target's own compilation.

use crate::arithmetic::{Given, unpacked};
use crate::choices;
use crate::counted::counted;
use crate::custom;
use crate::growth;
use crate::import::ImportOptions;
use crate::model::Model;
use crate::operators::with_names;
use crate::quantisation::Quantisation;
use crate::refusals;
use crate::target::{RATES, TargetName};
use crate::usage::UsageError;
use crate::verified::Verified;
use anyhow::{Context, Result, bail};
use kiln_check::{Checked, check_passes};
use kiln_ir::{DType, Graph, Rewriter};
use kiln_target::{
    Artifact, Border, Choice, CompileError, CompileTarget, Figures, Options as TargetOptions,
    Placed, Rates, SourceMethod, progress,
};
use kiln_transforms::framework::pass::{Options, Pass, PassRun, StopAfter, run_pipeline};
use kiln_transforms::layout::Least;
use kiln_transforms::precision;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How passes run.
#[derive(Clone, Debug, Default)]
pub struct PassOptions {
    /// Check each pass: the verifier behind it, the evaluator before and behind it.
    pub verify: bool,
    /// End the pipeline early, at this application of a pass.
    pub stop_after: Option<StopAfter>,
}

/// What the user says about a size that is known only when running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimChoice {
    /// The name of the symbol.
    pub symbol: String,
    /// The size.
    pub size: i64,
    /// True if the symbol has this size, false if it has this at most.
    pub is_exact: bool,
}

impl std::fmt::Display for DimChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let relation = if self.is_exact { "==" } else { "=" };
        write!(f, "--dim {}{relation}{}", self.symbol, self.size)
    }
}

impl std::str::FromStr for DimChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<DimChoice, Self::Err> {
        let relations = [("==", true), ("<=", false), ("=", false)];
        let parsed = relations.into_iter().find_map(|(relation, is_exact)| {
            let (symbol, size) = text.split_once(relation)?;
            Some(DimChoice {
                symbol: symbol.trim().to_string(),
                size: size.trim().parse().ok()?,
                is_exact,
            })
        });
        parsed
            .filter(|dim| !dim.symbol.is_empty() && dim.size >= 0)
            .filter(|dim| !dim.symbol.contains(['<', '>', '=', '!']))
            .ok_or("expected SYMBOL<=MAX, which SYMBOL=MAX means too, or SYMBOL==SIZE")
    }
}

/// The input of a compilation.
#[derive(Clone, Debug)]
pub struct Job {
    /// Methods: name and model file.
    pub methods: Vec<(String, PathBuf)>,
    /// The target.
    pub target: TargetName,
    /// The user's options for the target.
    pub target_options: TargetOptions,
    /// How passes run.
    pub passes: PassOptions,
    /// What the user says about symbols.
    pub dims: Vec<DimChoice>,
    /// Namespaces whose unknown ops are kernels that the user registers with the runtime.
    pub custom_ops: Vec<String>,
    /// The floats in which the models compute, if not those in which they were exported: f16, bf16 or f32.
    pub precision: Option<DType>,
    /// How models of floats are quantised.
    pub quantisation: Option<Quantisation>,
}

impl Job {
    /// A job that compiles one model as `forward`, with the default of everything else.
    pub fn new(model: impl Into<PathBuf>, target: TargetName) -> Self {
        Self::of(vec![("forward".into(), model.into())], target)
    }

    /// A job that compiles methods, each a name and a model, with the default of everything else.
    pub fn of(methods: Vec<(String, PathBuf)>, target: TargetName) -> Self {
        Self {
            methods,
            target,
            target_options: TargetOptions::default(),
            passes: PassOptions::default(),
            dims: Vec::new(),
            custom_ops: Vec::new(),
            precision: None,
            quantisation: None,
        }
    }

    /// The path of the first method's model.
    pub fn model(&self) -> &Path {
        self.methods.first().map_or(Path::new(""), |(_, path)| path)
    }

    /// The paths that are read.
    pub fn paths(&self) -> Vec<&Path> {
        let models = self.methods.iter().map(|(_, path)| path.as_path());
        let samples = self.quantisation.iter().flat_map(Quantisation::paths);
        models.chain(samples).collect()
    }
}

/// A compiled method, with what is known from compiling it.
pub struct CompiledMethod {
    /// The graph that was compiled.
    pub graph: Graph,
    /// The log of the passes.
    pub passes: Vec<PassRun>,
    /// The method's costs.
    pub figures: Figures,
    /// Where each node runs.
    pub placements: Vec<Placed>,
    /// The target as it knows this graph, if compiling taught it which nodes do not fit.
    pub target: Option<Box<dyn CompileTarget>>,
    /// The artifact's border, if it differs from the model's inputs and outputs.
    pub border: Option<Border>,
    /// Warnings about this method.
    pub warnings: Vec<String>,
    /// What differs from the model to the user's advantage.
    pub notes: Vec<String>,
    /// What the model quantises.
    pub given: Given,
    /// What the checks of the passes compared; `None` without checks.
    pub verified: Option<Verified>,
    /// How long the target's operators take.
    pub rates: &'static Rates,
}

/// An artifact, with what is known from making it.
pub struct Compiled {
    /// The artifact, not yet written.
    pub artifact: Box<dyn Artifact>,
    /// Its methods, in order.
    pub methods: Vec<CompiledMethod>,
    /// Sections of the report that only this target has, by their name in JSON.
    pub sections: Map<String, Value>,
    /// Warnings about the whole artifact.
    warnings: Vec<String>,
}

impl Compiled {
    /// All warnings about the artifact, whose size in bytes is known when it is written.
    pub fn warnings(&self, size: u64) -> Vec<String> {
        let of_methods = self.said(|method| &method.warnings);
        let known = of_methods.chain(self.warnings.iter().cloned());
        known.chain(growth::warning(self, size)).collect()
    }

    /// What differs from the models to the user's advantage.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.said(|method| &method.notes)
    }

    /// What is said of each method. Of several, each is named.
    fn said(&self, of: fn(&CompiledMethod) -> &Vec<String>) -> impl Iterator<Item = String> {
        let is_only = self.methods.len() == 1;
        self.methods.iter().flat_map(move |method| {
            let name = &method.figures.name;
            of(method).iter().map(move |text| match is_only {
                true => text.clone(),
                false => format!("method {name}: {text}"),
            })
        })
    }

    /// A lower bound of the bytes that the method at a position must move on the target.
    pub fn least_moved(&self, method: usize, target: &dyn CompileTarget) -> Least {
        let found = &self.methods[method];
        let known = found.target.as_deref().unwrap_or(target);
        let least = known.least_moved(&found.graph);
        let is_exact = least.is_exact || least.bytes == found.figures.transposed_bytes;
        Least { is_exact, ..least }
    }
}

/// A method that went through the pipeline.
struct Prepared {
    graph: Graph,
    given: Given,
    passes: Vec<PassRun>,
    /// What was noticed in front of the pipeline.
    warnings: Vec<String>,
    notes: Vec<String>,
    verified: Option<Verified>,
}

/// All passes that a user can name for a target: those for all targets, and its own.
pub fn known_passes(target: &dyn CompileTarget) -> Vec<Pass> {
    let mut known = kiln_transforms::passes::all_passes().to_vec();
    for pass in target.pipeline() {
        if known.iter().all(|k| k.name != pass.name) {
            known.push(*pass);
        }
    }
    known
}

/// The passes with these names, in order.
///
/// # Errors
/// There is no pass of that name.
pub fn passes_named(names: &[String], target: &dyn CompileTarget) -> Result<Vec<Pass>> {
    let known = known_passes(target);
    let one = |name: &String| {
        let found = known.iter().find(|p| p.name == name).copied();
        found.ok_or_else(|| {
            let list: Vec<&str> = known.iter().map(|p| p.name).collect();
            let list = list.join(", ");
            UsageError::new(format!("there is no pass {name}; the passes are {list}")).into()
        })
    };
    names.iter().map(one).collect()
}

/// The log of passes, and what the checks compared if there were any.
pub struct Passed {
    /// The log.
    pub runs: Vec<PassRun>,
    /// The checks.
    pub verified: Option<Verified>,
}

/// Runs passes on a graph.
///
/// # Errors
/// A pass broke a rule of the verifier, or, with checks, changed what the graph computes.
pub fn run_passes(
    graph: &mut Graph,
    target: &dyn CompileTarget,
    passes: &[Pass],
    options: &PassOptions,
) -> Result<Passed> {
    if let Some(stop) = &options.stop_after
        && !passes.iter().any(|p| p.name == stop.pass)
    {
        let list: Vec<&str> = passes.iter().map(|p| p.name).collect();
        let message = format!(
            "there is no pass {} to stop after; the passes are {}",
            stop.pass,
            list.join(", ")
        );
        return Err(UsageError::new(message).into());
    }
    let work = if options.verify {
        "verifying"
    } else {
        "running"
    };
    let _stage = progress::stage(format!("{work} {} passes", passes.len()));
    if options.verify {
        let stop = options.stop_after.as_ref();
        let start = Instant::now();
        let Checked { runs, compared } = check_passes(graph, target.as_target(), passes, stop)?;
        let time = start.elapsed();
        let verified = Some(Verified { time, compared });
        return Ok(Passed { runs, verified });
    }
    let settings = Options {
        stop_after: options.stop_after.clone(),
        verify: false,
    };
    Ok(Passed {
        runs: run_pipeline(graph, target.as_target(), passes, &settings)?,
        verified: None,
    })
}

/// Compiles methods to one artifact.
///
/// # Errors
/// A model is refused.
pub fn compile(job: &Job) -> Result<Compiled> {
    compile_with(job, Model::open)
}

/// As [`compile`], with models that the caller opens: they need not be files. Messages name each by its path in the job.
///
/// # Errors
/// A model does not open, or is refused.
pub fn compile_with(job: &Job, mut open: impl FnMut(&Path) -> Result<Model>) -> Result<Compiled> {
    choices::check(job)?;
    let target = job.target.create(&job.target_options);
    let [bounds, fixed] = [false, true].map(|is_exact| sizes_of(&job.dims, is_exact));
    let custom = custom::parsed(&job.custom_ops)?;
    let mut methods = Vec::new();
    let mut symbols = BTreeMap::new();
    if let Some(quantisation) = &job.quantisation {
        quantisation.check_methods(job.methods.iter().map(|(name, _)| name.as_str()))?;
    }
    for (name, path) in &job.methods {
        let model = open(path)?;
        // 0.2 ms for each MB. A damaged weight would be a program that runs and is wrong.
        model.verify_checksums()?;
        let options = ImportOptions {
            fixed: &fixed,
            custom: Some(&custom),
            loops: target.takes_loops() && !is_unrolled(job),
        };
        let mut graph = model.graph_with(path, name, options)?;
        symbols.extend(refusals::sizes(&graph));
        let mut warnings = narrow(&mut graph, &bounds, path)?;
        let mut notes = Vec::from_iter(custom::without_schema(&graph, &custom));
        // Another method may read what this one writes, and is refused then.
        if job.methods.len() == 1 {
            notes.extend(without_unread_state(&mut graph));
        }
        let mut given = Given::of(&graph);
        if let Some(to) = job.precision {
            notes.push(in_precision(&mut graph, &given, to, path)?);
        }
        if let Some(quantisation) = &job.quantisation {
            let done = quantisation.apply(&mut graph, &*target, job.target, (name, &model));
            let done = done.with_context(|| path.display().to_string())?;
            notes.push(done.note);
            warnings.extend(done.warnings);
            given = Given::of(&graph);
        }
        let Passed { runs, verified } =
            run_passes(&mut graph, &*target, target.pipeline(), &job.passes)?;
        methods.push(Prepared {
            graph,
            given,
            passes: runs,
            warnings,
            notes,
            verified,
        });
    }
    check_dims(&job.dims, &symbols)?;
    let mut compiled = finish(&*target, methods, &bounds).map_err(|(method, error)| {
        let (_, path) = &job.methods[method];
        error.context(path.display().to_string())
    })?;
    compiled.warnings.extend(ignored(job, &*target, &compiled));
    Ok(compiled)
}

/// True if the job changes types in a way that stops at loops: ranges are those of the outermost block, and a carried value keeps
/// its type.
fn is_unrolled(job: &Job) -> bool {
    let has_ranges = job
        .quantisation
        .as_ref()
        .is_some_and(|q| q.mode.takes_samples());
    has_ranges || job.precision.is_some()
}

/// Compiles one graph that went through the target's pipeline.
///
/// # Errors
/// The graph is refused.
pub fn compile_graph(graph: Graph, target: &dyn CompileTarget) -> Result<Compiled> {
    let method = Prepared {
        graph,
        given: Given::default(),
        passes: Vec::new(),
        warnings: Vec::new(),
        notes: Vec::new(),
        verified: None,
    };
    finish(target, vec![method], &[]).map_err(|(_, error)| error)
}

/// The compiled artifact, or the position of the method that is refused and the reason.
fn finish(
    target: &dyn CompileTarget,
    methods: Vec<Prepared>,
    dims: &[(String, i64)],
) -> Result<Compiled, (usize, anyhow::Error)> {
    let mut methods = methods;
    let mut sources: Vec<SourceMethod<'_>> = methods
        .iter_mut()
        .map(|method| SourceMethod {
            graph: &mut method.graph,
            is_quantised: method.given.is_quantised,
        })
        .collect();
    let made = target.compile(&mut sources, dims);
    let made = made.map_err(|error| match error {
        CompileError::Part { method, error } => (method, error.into()),
        CompileError::Unsupported(error) => {
            let graphs = methods.iter().map(|m| &m.graph);
            let target = target.as_target();
            (0, crate::refusals::with_all(error.into(), graphs, target))
        }
    })?;
    let rates = target.rates().unwrap_or(RATES);
    let both = methods.into_iter().zip(made.methods);
    let methods = both.map(|(source, made)| CompiledMethod {
        warnings: [
            source.warnings,
            made.warnings,
            unpacked::warnings(
                &source.given.layers,
                &source.graph,
                &source.passes,
                target.as_target(),
            ),
        ]
        .concat(),
        notes: [source.notes, made.notes].concat(),
        given: source.given,
        placements: with_names(&source.graph, made.placements),
        graph: source.graph,
        passes: source.passes,
        figures: made.figures,
        target: made.target,
        border: made.border,
        verified: source.verified,
        rates,
    });
    Ok(Compiled {
        methods: methods.collect(),
        artifact: made.artifact,
        sections: made.sections,
        warnings: made.warnings,
    })
}

/// Makes a model compute in other floats. Says what stays.
///
/// # Errors
/// The model is quantised.
fn in_precision(graph: &mut Graph, given: &Given, to: DType, path: &Path) -> Result<String> {
    if given.has_integers {
        bail!(
            "{}: --precision {to} is for models in floats, and this one is quantised; leave the option out",
            path.display()
        );
    }
    let done = precision::convert(graph, to);
    let (nodes, kept) = (counted(done.nodes, "node"), counted(done.kept, "node"));
    Ok(match (done.nodes, done.kept) {
        (0, _) => format!("--precision {to}: no node computes in other floats"),
        (_, 0) => format!("--precision {to}: {nodes} converted"),
        (_, n) => format!(
            "--precision {to}: {nodes} converted; {kept} {} in f32, whose results or constants {to} holds badly (exponentials, powers, \
             sums, quotients, counts, state, tiny and huge numbers), or which {} such results",
            if n == 1 { "stays" } else { "stay" },
            if n == 1 { "reads" } else { "read" },
        ),
    })
}

/// The user's options that change nothing, in words.
fn ignored(job: &Job, target: &dyn CompileTarget, compiled: &Compiled) -> Vec<String> {
    let mut choices = target.ignores().to_vec();
    let of_delegate = Choice::OF_DELEGATE.into_iter();
    choices.extend(of_delegate.filter(|&own| !job.target.has(own)));
    let given = job.target_options.given(&choices).into_iter();
    let (kind, name) = (compiled.artifact.kind().name, job.target);
    let useless = given.map(|choice| {
        let option = choice.option();
        format!("{option} changes nothing in {kind} for {name}")
    });
    let graphs = compiled.methods.iter().map(|method| &method.graph);
    let absent = custom::unused(&job.custom_ops, graphs);
    useless.chain(absent).collect()
}

/// Removes the updates of buffers from which no output follows, and names them.
fn without_unread_state(graph: &mut Graph) -> Option<String> {
    let unread = Rewriter::new(graph).remove_unread_updates();
    let mut names = unread.iter().map(|&cell| &*graph.cell(cell).name);
    let first = names.next()?;
    let more = match names.count() {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more buffer")),
    };
    Some(format!(
        "left out, since no output follows from what is written there: {first}{more}"
    ))
}

/// The symbols that the user fixes, or those that he bounds, with their sizes.
fn sizes_of(dims: &[DimChoice], is_exact: bool) -> Vec<(String, i64)> {
    let chosen = dims.iter().filter(|dim| dim.is_exact == is_exact);
    chosen.map(|dim| (dim.symbol.clone(), dim.size)).collect()
}

/// Refuses a size for a symbol that no method has, and two for one symbol. `symbols` says which size each is.
fn check_dims(dims: &[DimChoice], symbols: &BTreeMap<String, String>) -> Result<()> {
    for (i, dim) in dims.iter().enumerate() {
        if let Some(other) = dims[..i].iter().find(|other| other.symbol == dim.symbol) {
            let message = format!("{other} and {dim} are for one dim; give it one size");
            return Err(UsageError::new(message).into());
        }
    }
    let Some(dim) = dims.iter().find(|dim| !symbols.contains_key(&dim.symbol)) else {
        return Ok(());
    };
    let known: Vec<&str> = symbols.values().map(String::as_str).collect();
    match known.as_slice() {
        [] => bail!("{dim}: the model has no symbolic dims"),
        known => bail!(
            "{dim}: there is no dim {}; the model has {} (an archive may lack the names that its export gave to dims)",
            dim.symbol,
            known.join(", ")
        ),
    }
}

/// Applies the user's bounds to the symbols. Gives the symbols whose own bound in the model is lower.
fn narrow(graph: &mut Graph, dims: &[(String, i64)], path: &Path) -> Result<Vec<String>> {
    let mut loose = Vec::new();
    for (name, max) in dims {
        let Some(id) = graph.symbols.find(name) else {
            continue;
        };
        let symbol = graph.symbols.get_mut(id);
        if *max < symbol.min {
            bail!(
                "{}: --dim {name}={max} lies below the least value {}",
                path.display(),
                symbol.min
            );
        }
        if let Some(most) = symbol.max.filter(|most| max > most) {
            loose.push(format!(
                "{}: --dim {name}={max} changes nothing, for {name} is {most} at most since the export; export the model \
                 with a larger range for more",
                path.display()
            ));
        }
        symbol.max = Some(symbol.max.map_or(*max, |m| m.min(*max)));
    }
    Ok(loose)
}
