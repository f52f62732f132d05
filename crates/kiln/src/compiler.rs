//! From a model to a program: import, the target's passes, its delegates' regions, emission.

use crate::model::Model;
use crate::placement::{Placed, placements};
use crate::target::{PteTarget, TargetName};
use anyhow::{Context, Result, anyhow, bail};
use kiln_eval::{State, evaluate};
use kiln_ir::Graph;
use kiln_portable::{Emitted, Method};
use kiln_transforms::pass::{Options, Pass, PassRun, StopAfter, run_pipeline};
use std::path::{Path, PathBuf};

/// What the user chose of a target.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    /// Refuse delegate ops whose NaN or infinity differs from PyTorch's.
    pub strict_nan: bool,
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
    /// What the passes did.
    pub passes: Vec<PassRun>,
    /// Where each node runs.
    pub placements: Vec<Placed>,
}

/// A program with what its making showed.
pub struct Compiled {
    /// The program and its figures.
    pub emitted: Emitted,
    /// The methods, in order.
    pub methods: Vec<CompiledMethod>,
}

/// The passes of those names, in order.
///
/// # Errors
/// If there is no such pass.
pub fn passes_named(names: &[String]) -> Result<Vec<Pass>> {
    let known = kiln_transforms::all_passes();
    names
        .iter()
        .map(|name| {
            known
                .iter()
                .find(|p| p.name == name)
                .copied()
                .ok_or_else(|| {
                    let list: Vec<&str> = known.iter().map(|p| p.name).collect();
                    anyhow!(
                        "there is no pass {name}; the passes are {}",
                        list.join(", ")
                    )
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
    target: &dyn PteTarget,
    passes: &[Pass],
    options: &PassOptions,
) -> Result<Vec<PassRun>> {
    if let Some(stop) = &options.stop_after
        && !passes.iter().any(|p| p.name == stop.pass)
    {
        let list: Vec<&str> = passes.iter().map(|p| p.name).collect();
        bail!(
            "there is no pass {} to stop after; the passes are {}",
            stop.pass,
            list.join(", ")
        );
    }
    let settings = Options {
        stop_after: options.stop_after.clone(),
        verify: options.verify,
    };
    let before = options.verify.then(|| graph.clone());
    let runs = run_pipeline(graph, target.as_target(), passes, &settings)?;
    if let Some(before) = before {
        crate::check::same_results(&before, graph)
            .context("the passes changed what the model computes (a bug in Kiln)")?;
    }
    Ok(runs)
}

/// Compiles methods to one program.
///
/// # Errors
/// If a model is refused.
pub fn compile(job: &Job) -> Result<Compiled> {
    let target = job.target.create(&job.target_options);
    let (mut methods, mut all_regions) = (Vec::new(), Vec::new());
    for (name, path) in &job.methods {
        let mut graph = Model::open(path)?.graph(path, name)?;
        narrow(&mut graph, &job.dims, path)?;
        let passes = run_passes(&mut graph, &*target, target.pipeline(), &job.passes)?;
        let regions = target
            .regions(&graph)
            .with_context(|| path.display().to_string())?;
        let placements = placements(&graph, &regions, target.as_target());
        methods.push(CompiledMethod {
            graph,
            passes,
            placements,
        });
        all_regions.push(regions);
    }
    let inputs: Vec<Method<'_>> = methods
        .iter()
        .zip(all_regions)
        .map(|(method, regions)| Method {
            graph: &method.graph,
            regions,
            container: None,
        })
        .collect();
    let options = kiln_portable::Options {
        dims: job.dims.clone(),
        plan: kiln_plan::Limits::default(),
    };
    let emitted = kiln_portable::emit(&inputs, &options)
        .with_context(|| job.methods[0].1.display().to_string())?;
    Ok(Compiled { emitted, methods })
}

/// Applies the user's bounds to the symbols.
fn narrow(graph: &mut Graph, dims: &[(String, i64)], path: &Path) -> Result<()> {
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
        symbol.max = Some(symbol.max.map_or(*max, |m| m.min(*max)));
    }
    Ok(())
}

/// The outputs of a graph on inputs, by the evaluator.
///
/// # Errors
/// If the inputs do not fit or an op fails.
pub fn outputs_of(graph: &Graph, inputs: &[kiln_eval::Tensor]) -> Result<Vec<kiln_eval::Tensor>> {
    let mut state = State::new(graph);
    Ok(evaluate(graph, inputs, &mut state, &kiln_eval::Options::default())?.outputs)
}
