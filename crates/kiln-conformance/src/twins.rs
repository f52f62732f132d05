//! `conformance twins`: compares the programs of quantised archives with those of the same models in floats.
//!
//! The twin of an archive is its graph without the rounding: conversions to integers and back are left out, and weights of integers
//! are floats. Where a twin is one delegate without kernels, the quantised model should be one too.

use crate::suite::{Case, Suite};
use anyhow::{Context, Result, bail};
use clap::Args;
use indexmap::IndexMap;
use kiln::compiler::{Job, compile_with};
use kiln::model::Model;
use kiln::target::TargetName;
use kiln_ir::{Builder, Graph, NodeId, Op};
use kiln_target::Options as TargetOptions;
use kiln_testing::corpus::Corpus;
use kiln_transforms::framework::emitter::Emitter;
use kiln_transforms::framework::folding;
use kiln_transforms::framework::pass::{Options, Pass, Report, run_pipeline};
use kiln_transforms::framework::rewriting::{Rewritten, Rule, run_pass};
use kiln_transforms::framework::target::{Reason, Target};
use rayon::prelude::*;

/// The arguments of `conformance twins`.
#[derive(Args)]
pub struct Arguments {
    /// The suites: names in the corpus, or folders.
    #[arg(required = true)]
    suites: Vec<String>,
    /// Compile only cases whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// The target that both are compiled for.
    #[arg(long, default_value = "xnnpack")]
    target: TargetName,
}

/// The pass that makes a twin.
const FLOATS: Pass = Pass {
    name: "floats",
    keeps_bits: false,
    run,
    rules: &[RULE.name],
    guards: &[],
};

const RULE: Rule = Rule {
    name: "floats",
    rewrite,
};

fn run(rewriter: &mut kiln_ir::Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let to = match &node.op {
        Op::FakeQuantize(op) => op.dtype,
        Op::Dequantize(op) => op.dtype,
        _ => return Ok(None),
    };
    let x = node.operands[0];
    if graph.as_constant(x).is_some() {
        let made = folding::fold(graph, &node.op, &node.operands, u64::MAX);
        let made = made.map_err(|cause| Reason::new("a constant", cause.to_string()))?;
        let constant = made.and_then(|made| made.into_iter().next());
        return Ok(constant.map(|constant| emitter.known_constant(constant)));
    }
    let real = match &node.op {
        Op::FakeQuantize(_) => Some(x),
        _ => {
            let maker = graph.producer(x).map(|maker| graph.node(maker));
            let maker = maker.filter(|maker| matches!(maker.op, Op::Quantize(_)));
            maker.map(|maker| maker.operands[0])
        }
    };
    Ok(real.filter(|&real| graph.ty(real).dtype == to))
}

/// What a program runs: its delegates, and its calls of kernels by name.
#[derive(Debug, PartialEq)]
struct Steps {
    delegates: usize,
    kernels: IndexMap<String, usize>,
}

impl Steps {
    fn of(job: &Job, graph: &Graph) -> Result<Steps> {
        let open = |_: &std::path::Path| Ok(Model::Text(Box::new(graph.clone())));
        let compiled = compile_with(job, open)?;
        let figures = &compiled.methods[0].figures;
        let calls = figures.kernel_calls.clone().unwrap_or_default();
        Ok(Steps {
            delegates: figures.delegates.unwrap_or(0),
            kernels: calls.into_iter().collect(),
        })
    }

    /// True for at most one delegate, and no kernel.
    fn is_whole(&self) -> bool {
        self.delegates <= 1 && self.kernels.is_empty()
    }
}

/// A case and its twin.
struct Pair {
    own: Steps,
    twin: Steps,
    /// True if no value of the twin is quantised. Inputs and outputs of integers stay.
    is_float: bool,
}

/// A graph without the rounding of its activations, and with the reals of its quantised weights; `None` if nothing is rounded.
///
/// # Errors
/// If the graph without it is no valid graph.
pub fn without_rounding(graph: &Graph) -> Result<Option<Graph>> {
    let mut twin = graph.clone();
    let runs = run_pipeline(
        &mut twin,
        &crate::folding::Unasked,
        &[FLOATS],
        &Options::default(),
    )?;
    let is_changed = runs.iter().any(|run| !run.report.applied.is_empty());
    Ok(is_changed.then_some(twin))
}

/// `None` if nothing is quantised in the case.
fn pair(case: &Case, target: TargetName) -> Result<Option<Pair>> {
    let path = case.archive();
    let graph = Model::open(&path)?.graph(&path, "forward")?;
    let Some(twin) = without_rounding(&graph)? else {
        return Ok(None);
    };
    let job = Job {
        target_options: TargetOptions {
            stand_in: true,
            ..TargetOptions::default()
        },
        ..Job::new(path, target)
    };
    Ok(Some(Pair {
        own: Steps::of(&job, &graph)?,
        twin: Steps::of(&job, &twin).context("the twin")?,
        is_float: !kiln_target::has_quantised(&twin),
    }))
}

/// Runs the command and prints a table with one row per suite.
///
/// # Errors
/// If a suite cannot be read, nothing was compared, a case does not compile, or the program of a twin is one delegate and that of its case is not.
pub fn run_twins(arguments: &Arguments, corpus: &Corpus) -> Result<()> {
    println!(
        "| suite | cases | with a twin | all in floats | twins in one delegate | own in one | only the twin | not compiled |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let (mut lines, mut compared) = (Vec::new(), 0);
    for name in &arguments.suites {
        let suite = Suite::find(corpus, name)?;
        let mut suite = suite.with_context(|| format!("there is no suite {name}"))?;
        if let Some(filter) = &arguments.filter {
            suite.filter(filter);
        }
        let cases = suite.cases.par_iter();
        let all: Vec<_> = cases
            .map(|case| (case, pair(case, arguments.target)))
            .collect();
        let (mut twins, mut floats, mut whole, mut cut, mut failed) = (0, 0, [0; 2], 0, 0);
        for (case, found) in &all {
            let place = format!("{}/{}", suite.name, case.name);
            match found {
                Ok(None) => {}
                Ok(Some(Pair {
                    own,
                    twin,
                    is_float,
                })) => {
                    twins += 1;
                    floats += usize::from(*is_float);
                    whole[0] += usize::from(own.is_whole());
                    whole[1] += usize::from(twin.is_whole());
                    if twin.is_whole() && !own.is_whole() {
                        cut += 1;
                        lines.push(format!("{place}: {own:?}, the twin {twin:?}"));
                    }
                }
                Err(error) => {
                    failed += 1;
                    let text = format!("{error:#}");
                    let first = text.lines().next().unwrap_or_default();
                    lines.push(format!("{place}: not compiled: {first}"));
                }
            }
        }
        compared += twins;
        println!(
            "| {} | {} | {twins} | {floats} | {} | {} | {cut} | {failed} |",
            suite.name,
            all.len(),
            whole[1],
            whole[0],
        );
    }
    if compared == 0 {
        bail!("no case has a twin");
    }
    if !lines.is_empty() {
        bail!(
            "{} do not compile, or are not one delegate where their twins are:\n{}",
            lines.len(),
            lines.join("\n")
        );
    }
    Ok(())
}
