//! `conformance folding`: counts the ops of quantised archives that the pass `fold_quantised` turns into integer ops, and
//! measures how far the pass moves the results.
//!
//! The interpreter runs every case twice: as imported, and behind the pass. The difference of an output that a dequantisation
//! gives is counted in steps of its scale.

use crate::suite::{Case, Suite};
use anyhow::{Context, Result};
use clap::Args;
use indexmap::IndexMap;
use kiln::evaluator::run_graph;
use kiln::model::Model;
use kiln_ir::graph::Use;
use kiln_ir::{Graph, NodeId, Op, QuantScheme, TensorData, ValueId};
use kiln_target::{Role, Runs};
use kiln_testing::corpus::Corpus;
use kiln_transforms::framework::pass::{Options, PassRun, run_pipeline};
use kiln_transforms::framework::rewriting::nodes_in_use;
use kiln_transforms::framework::target::{Placement, Reason, Target};
use kiln_transforms::passes::{clean, fold_quantised};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The arguments of `conformance folding`.
#[derive(Args)]
pub struct Arguments {
    /// The suites: names in the corpus, or folders.
    #[arg(required = true)]
    suites: Vec<String>,
    /// Fold only cases whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// List the cases that keep float ops, with these ops.
    #[arg(long)]
    list: bool,
}

/// A target for passes that never ask it anything.
pub struct Unasked;

impl Target for Unasked {
    fn placement(&self, _: &Graph, _: NodeId) -> Placement {
        Placement::None(Reason::new("nothing runs here", "a node"))
    }

    fn prefers_decomposed(&self, _: &Graph, _: NodeId) -> bool {
        false
    }
}

/// A case behind the pass.
struct Folded {
    /// True if the case has no quantised value.
    is_plain: bool,
    /// The families of float ops that are left outside of islands.
    left: Vec<String>,
    islands: usize,
    reasons: Vec<String>,
    /// The greatest difference from the graph before the pass, in quantisation steps for outputs that have them.
    steps: f64,
    /// The greatest difference from the golden results, before the pass and behind it.
    golden: [f64; 2],
}

/// Runs the command and prints a table with one row per suite.
///
/// # Errors
/// If a suite cannot be read.
pub fn run_folding(arguments: &Arguments, corpus: &Corpus) -> Result<()> {
    println!(
        "| suite | cases | quantised | no float op left | islands only | floats left | failed | same | within 1 step | more |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut reasons: IndexMap<String, usize> = IndexMap::new();
    let mut lines = Vec::new();
    for name in &arguments.suites {
        let suite = Suite::find(corpus, name)?;
        let mut suite = suite.with_context(|| format!("there is no suite {name}"))?;
        if let Some(filter) = &arguments.filter {
            suite.filter(filter);
        }
        let cases = suite.cases.par_iter();
        let all: Vec<_> = cases.map(|case| (case, fold_case(case))).collect();
        row(&suite, &all);
        for (case, folded) in &all {
            match folded {
                Err(error) => lines.push(format!("{}/{}: {error:#}", suite.name, case.name)),
                Ok(folded) => {
                    lines.extend(line(&suite, case, folded));
                    for reason in &folded.reasons {
                        *reasons.entry(reason.clone()).or_default() += 1;
                    }
                }
            }
        }
    }
    reasons.sort_by(|a, n, b, m| m.cmp(n).then(a.cmp(b)));
    println!("\n| cases | reason |\n|---:|---|");
    for (reason, count) in &reasons {
        println!("| {count} | {reason} |");
    }
    if arguments.list {
        println!("\n{}", lines.join("\n"));
    }
    Ok(())
}

fn row(suite: &Suite, all: &[(&Case, Result<Folded>)]) {
    let good: Vec<&Folded> = all.iter().filter_map(|(_, f)| f.as_ref().ok()).collect();
    let quantised: Vec<&&Folded> = good.iter().filter(|f| !f.is_plain).collect();
    let count = |is: &dyn Fn(&Folded) -> bool| quantised.iter().filter(|f| is(f)).count();
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        suite.name,
        all.len(),
        quantised.len(),
        count(&|f| f.left.is_empty() && f.islands == 0),
        count(&|f| f.left.is_empty() && f.islands > 0),
        count(&|f| !f.left.is_empty()),
        all.len() - good.len(),
        count(&|f| f.steps == 0.0),
        count(&|f| f.steps > 0.0 && f.steps <= 1.01),
        count(&|f| f.steps > 1.01),
    );
}

fn line(suite: &Suite, case: &Case, folded: &Folded) -> Option<String> {
    let is_dull = folded.is_plain || folded.left.is_empty() && folded.steps <= 1.01;
    let Folded {
        left,
        islands,
        steps,
        golden: [before, behind],
        ..
    } = folded;
    let place = format!("{}/{}", suite.name, case.name);
    (!is_dull).then(|| {
        format!(
            "{place}: {} islands {islands} steps {steps:.3} golden {before:.3} to {behind:.3}",
            left.join(" ")
        )
    })
}

fn fold_case(case: &Case) -> Result<Folded> {
    let path = case.archive();
    let golden = Runs::read(&case.golden())?;
    let graph = Model::open(&path)?.graph(&path, "forward")?;
    let mut folded = graph.clone();
    let options = Options {
        verify: true,
        ..Options::default()
    };
    let pipeline = [fold_quantised::PASS, clean::PASS];
    let runs = run_pipeline(&mut folded, &Unasked, &pipeline, &options)?;
    let before = run_graph(&graph, &golden, golden.count()).context("unfolded")?;
    let behind = run_graph(&folded, &golden, golden.count()).context("folded")?;
    let scales = scales(&folded);
    let islands = fold_quantised::islands(&folded);
    let inside: BTreeSet<NodeId> = islands.iter().flat_map(|i| i.nodes.clone()).collect();
    let is_plain = nodes_in_use(&folded).iter().all(|&n| {
        folded
            .node(n)
            .results
            .iter()
            .all(|&r| folded.ty(r).quant.is_none())
    });
    Ok(Folded {
        is_plain,
        left: left(&folded, &inside),
        islands: islands.len(),
        reasons: reasons(&runs),
        steps: distance(&golden, &before, &behind, &scales),
        golden: [&before, &behind].map(|got| distance(&golden, &golden, got, &scales)),
    })
}

fn reasons(runs: &[PassRun]) -> Vec<String> {
    let declined = runs.iter().flat_map(|r| &r.report.declined);
    let own = declined.filter(|d| d.rule == fold_quantised::PASS.name);
    let texts: BTreeSet<String> = own.map(|d| d.reason.to_string()).collect();
    texts.into_iter().collect()
}

/// The scale of each output that a dequantisation gives; 1 for the other outputs.
fn scales(graph: &Graph) -> Vec<f64> {
    let scale = |&value: &ValueId| {
        let node = graph.node(graph.producer(value)?);
        let quant = graph.ty(*node.operands.first()?).quant.clone()?;
        match quant.scheme {
            QuantScheme::PerTensor { scale, .. } => Some(scale),
            QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
        }
    };
    let results = graph.block(graph.root()).results.iter();
    results.map(|v| scale(v).unwrap_or(1.0)).collect()
}

/// The greatest difference of two outputs, in steps.
fn distance(golden: &Runs, left: &Runs, right: &Runs, scales: &[f64]) -> f64 {
    let mut greatest = 0.0f64;
    for run in 0..golden.count() {
        for position in golden.positions(run, Role::Output) {
            let of = |runs: &Runs| runs.get(run, Role::Output, position).cloned();
            let scale = scales.get(position).copied().unwrap_or(1.0);
            match (of(left), of(right)) {
                (Some(l), Some(r)) => greatest = greatest.max(difference(&l, &r) / scale),
                _ => greatest = f64::INFINITY,
            }
        }
    }
    greatest
}

fn difference(left: &TensorData, right: &TensorData) -> f64 {
    if left.dtype() != right.dtype() || left.sizes() != right.sizes() {
        return f64::INFINITY;
    }
    let pairs = left.scalars().zip(right.scalars());
    let apart = pairs.map(|(l, r)| match (l.as_f64(), r.as_f64()) {
        (l, r) if l == r || l.is_nan() && r.is_nan() => 0.0,
        (l, r) if l.is_nan() || r.is_nan() => f64::INFINITY,
        (l, r) => (l - r).abs(),
    });
    apart.fold(0.0, f64::max)
}

/// The families of float ops, except those at the border of the graph and in islands.
fn left(graph: &Graph, islands: &BTreeSet<NodeId>) -> Vec<String> {
    let is_float = |&v: &ValueId| graph.ty(v).quant.is_none() && graph.ty(v).dtype.is_float();
    let mut names = BTreeSet::new();
    for id in nodes_in_use(graph) {
        let node = graph.node(id);
        let is_returned = |v: &ValueId| {
            graph
                .value(*v)
                .uses()
                .iter()
                .all(|u| !matches!(u, Use::Operand(..)))
        };
        let at_border = match &node.op {
            Op::Constant(_) | Op::ReadState(_) | Op::Quantised(_) => true,
            Op::Quantize(_) => graph
                .producer(node.operands[0])
                .is_none_or(|n| matches!(graph.node(n).op, Op::ReadState(_))),
            Op::Dequantize(_) => {
                node.results.iter().all(is_returned)
                    || node.results.iter().all(|&v| {
                        let uses = graph.value(v).uses();
                        uses.iter().all(|u| match u {
                            Use::Operand(n, _) => islands.contains(n),
                            _ => true,
                        })
                    })
            }
            _ => false,
        };
        let is_compute = node.operands.iter().chain(&node.results).any(is_float);
        if is_compute && !at_border && !islands.contains(&id) {
            names.insert(node.op.name().to_string());
        }
    }
    names.into_iter().collect()
}
