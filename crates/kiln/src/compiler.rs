//! From a model to a program: import, the target's passes, its delegates' regions, emission.

use crate::artifact::Artifact;
use crate::model::Model;
use crate::placement::{Placed, placements};
use crate::target::{CompileTarget, Delegates, Format, Least, TargetName};
use crate::usage::UsageError;
use crate::{progress, warnings};
use anyhow::{Context, Result, bail};
use kiln_check::check_passes;
use kiln_ir::Graph;
use kiln_portable::region::Region;
use kiln_portable::{Method, MethodReport};
use kiln_tosa::border::Border;
use kiln_transforms::framework::pass::{Options, Pass, PassRun, StopAfter, run_pipeline};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What the user chose of a target.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    /// Refuse delegate ops whose NaN or infinity differs from PyTorch's.
    pub strict_nan: bool,
    /// Floats at the border of a program of integers.
    pub float_io: bool,
    /// What only NPUs are told.
    pub npu: NpuOptions,
}

/// What the user chose of an NPU.
#[derive(Clone, Debug, Default)]
pub struct NpuOptions {
    /// Write the TOSA file.
    pub as_tosa: bool,
    /// Arguments for Vela, behind those that the core gives.
    pub vela: Vec<String>,
    /// TOSA files in place of command streams, for checks where there is no NPU.
    pub stand_in: bool,
}

/// How passes run.
#[derive(Clone, Debug, Default)]
pub struct PassOptions {
    /// Verifier after each pass, evaluator before and after.
    pub verify: bool,
    /// Where to end early.
    pub stop_after: Option<StopAfter>,
}

/// A compilation's input.
#[derive(Clone, Debug)]
pub struct Job {
    /// Methods by name, each from a model file.
    pub methods: Vec<(String, PathBuf)>,
    /// What the program runs on.
    pub target: TargetName,
    /// What the user chose of the target.
    pub target_options: TargetOptions,
    /// How passes run.
    pub passes: PassOptions,
    /// Greatest values of symbols that nothing bounds.
    pub dims: Vec<(String, i64)>,
}

/// A compiled method beside its program.
pub struct CompiledMethod {
    /// The graph that was emitted.
    pub graph: Graph,
    /// The target for this graph, where that is another than the compilation's; see [`Delegates::target`].
    pub target: Option<Box<dyn CompileTarget>>,
    /// What the passes did.
    pub passes: Vec<PassRun>,
    /// Where each node runs.
    pub placements: Vec<Placed>,
    /// True if the model has quantised values, whatever became of them.
    pub is_quantised: bool,
    /// What the user's bounds of symbols do not change, in words.
    pub loose_dims: Vec<String>,
    /// How long the passes and their checks took, if they were checked.
    pub verified: Option<Duration>,
}

impl CompiledMethod {
    /// The target for this graph.
    fn target_or<'t>(&'t self, target: &'t dyn CompileTarget) -> &'t dyn CompileTarget {
        self.target.as_deref().unwrap_or(target)
    }
}

/// A program with what its making showed.
pub struct Compiled {
    /// The file.
    pub artifact: Artifact,
    /// Its figures, by method.
    pub reports: Vec<MethodReport>,
    /// The methods, in order.
    pub methods: Vec<CompiledMethod>,
}

impl Compiled {
    /// What a user of the target would not expect.
    pub fn warnings(&self, target: TargetName) -> Vec<String> {
        let methods = self.methods.iter();
        let of_methods =
            methods.flat_map(|m| m.loose_dims.iter().cloned().chain(warnings::of(m, target)));
        let of_file = match (&self.artifact, target) {
            (Artifact::Tosa(file, _), TargetName::EthosU(core)) => warnings::of_file(file, core),
            _ => None,
        };
        of_methods.chain(of_file).collect()
    }

    /// How many bytes a method of that number moves at least on the target.
    pub fn least_moved(&self, method: usize, target: &dyn CompileTarget) -> Least {
        let (found, report) = (&self.methods[method], &self.reports[method]);
        let least = found.target_or(target).least_moved(&found.graph);
        let is_exact = least.is_exact || least.bytes == report.transposed_bytes;
        Least { is_exact, ..least }
    }
}

/// The passes of those names, in order.
///
/// # Errors
/// If there is no such pass.
pub fn passes_named(names: &[String]) -> Result<Vec<Pass>> {
    let known = kiln_transforms::passes::all_passes();
    names
        .iter()
        .map(|name| {
            known
                .iter()
                .find(|p| p.name == name)
                .copied()
                .ok_or_else(|| {
                    let list: Vec<&str> = known.iter().map(|p| p.name).collect();
                    let list = list.join(", ");
                    UsageError::new(format!("there is no pass {name}; the passes are {list}"))
                        .into()
                })
        })
        .collect()
}

/// Runs passes on a graph.
///
/// # Errors
/// If a pass broke the graph, or, checking, changed what it computes.
pub fn run_passes(
    graph: &mut Graph,
    target: &dyn CompileTarget,
    passes: &[Pass],
    options: &PassOptions,
) -> Result<Vec<PassRun>> {
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
        return Ok(check_passes(graph, target.as_target(), passes, stop)?);
    }
    let settings = Options {
        stop_after: options.stop_after.clone(),
        verify: false,
    };
    Ok(run_pipeline(graph, target.as_target(), passes, &settings)?)
}

/// Compiles methods to one program.
///
/// # Errors
/// If a model is refused.
pub fn compile(job: &Job) -> Result<Compiled> {
    let target = job.target.create(&job.target_options);
    let (mut methods, mut all_regions) = (Vec::new(), Vec::new());
    let mut symbols = BTreeSet::new();
    for (name, path) in &job.methods {
        let mut graph = Model::open(path)?.graph(path, name)?;
        symbols.extend(graph.symbols.iter().map(|(_, s)| s.name.clone()));
        let loose_dims = narrow(&mut graph, &job.dims, path)?;
        let is_quantised = warnings::is_quantised(&graph);
        let start = Instant::now();
        let passes = run_passes(&mut graph, &*target, target.pipeline(), &job.passes)?;
        let verified = job.passes.verify.then(|| start.elapsed());
        let (method, regions) =
            place(graph, passes, &*target).with_context(|| path.display().to_string())?;
        methods.push(CompiledMethod {
            is_quantised,
            loose_dims,
            verified,
            ..method
        });
        all_regions.push(regions);
    }
    check_dims(&job.dims, &symbols)?;
    emit(&*target, methods, all_regions, &job.dims)
        .with_context(|| job.methods[0].1.display().to_string())
}

/// Compiles one graph that has passed the target's pipeline.
///
/// # Errors
/// If the graph is refused.
pub fn compile_graph(graph: Graph, target: &dyn CompileTarget) -> Result<Compiled> {
    let (method, regions) = place(graph, Vec::new(), target)?;
    emit(target, vec![method], vec![regions], &[])
}

/// Cuts a graph into delegates and what kernels run.
fn place(
    mut graph: Graph,
    passes: Vec<PassRun>,
    target: &dyn CompileTarget,
) -> Result<(CompiledMethod, Vec<Region>)> {
    let _stage = progress::stage("compiling delegates");
    let Delegates {
        regions,
        target: own,
    } = target.delegates(&mut graph)?;
    let known = own.as_deref().unwrap_or(target);
    let placements = placements(&graph, &regions, known.as_target());
    let method = CompiledMethod {
        graph,
        target: own,
        passes,
        placements,
        is_quantised: false,
        loose_dims: Vec::new(),
        verified: None,
    };
    Ok((method, regions))
}

fn emit(
    target: &dyn CompileTarget,
    methods: Vec<CompiledMethod>,
    regions: Vec<Vec<Region>>,
    dims: &[(String, i64)],
) -> Result<Compiled> {
    if let Format::Tosa {
        has_integer_border,
        machine,
    } = target.format()
    {
        let [method] = &methods[..] else {
            bail!("a TOSA file has one method; compile each to a file of its own");
        };
        let mut border = Border::of(&method.graph, has_integer_border);
        let file = kiln_tosa::compile_for(&method.graph, &mut border, machine);
        let file = file.map_err(|error| all_refused(error.into(), &methods, target))?;
        return Ok(Compiled {
            reports: vec![crate::artifact::tosa_report(&method.graph.name, &file)],
            artifact: Artifact::Tosa(file, border),
            methods,
        });
    }
    let inputs: Vec<Method<'_>> = methods
        .iter()
        .zip(regions)
        .map(|(method, regions)| Method {
            graph: &method.graph,
            regions,
            container: None,
        })
        .collect();
    let options = kiln_portable::Options {
        dims: dims.to_vec(),
        plan: kiln_plan::Limits::default(),
    };
    let _stage = progress::stage("planning memory");
    let emitted = kiln_portable::emit(&inputs, &options)
        .map_err(|error| all_refused(error.into(), &methods, target))?;
    Ok(Compiled {
        artifact: Artifact::Program(Box::new(emitted.program)),
        reports: emitted.reports,
        methods,
    })
}

fn all_refused(
    error: anyhow::Error,
    methods: &[CompiledMethod],
    target: &dyn CompileTarget,
) -> anyhow::Error {
    let graphs = methods.iter().map(|m| &m.graph);
    crate::refusals::with_all(error, graphs, target.as_target())
}

/// Refuses bounds of what no method has.
fn check_dims(dims: &[(String, i64)], symbols: &BTreeSet<String>) -> Result<()> {
    let Some((name, max)) = dims.iter().find(|(name, _)| !symbols.contains(name)) else {
        return Ok(());
    };
    let known: Vec<&str> = symbols.iter().map(String::as_str).collect();
    match known.as_slice() {
        [] => bail!("--dim {name}={max}: the model has no symbolic dims"),
        known => bail!(
            "--dim {name}={max}: there is no dim {name}; the model has {}",
            known.join(", ")
        ),
    }
}

/// Applies the user's bounds to the symbols; says which the model's own are below.
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
