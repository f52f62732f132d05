//! Passes, their reports, and how a pipeline runs them.

use crate::framework::guard::Guard;
use crate::framework::target::{Reason, Target};
use kiln_ir::verify::{Fault, verify};
use kiln_ir::{Graph, NodeId, Rewriter};
use std::time::{Duration, Instant};

/// A pass: a named function over the rewriter and a target.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name in `--passes`, `--stop-after` and reports.
    pub name: &'static str,
    /// The names of the pass's rules. Its reports have no others among what was applied.
    pub rules: &'static [&'static str],
    /// The facts without which its rewrites are wrong, file by file. Empty where the verifier and the types refuse whatever is
    /// wrong, and all other conditions are of cost or of what a target's kernels do.
    pub guards: &'static [&'static [Guard]],
    /// True if the pass keeps every result bit for bit. Otherwise results may differ by rounding.
    pub keeps_bits: bool,
    /// Rewrites the graph, and adds what it applied and declined to the report.
    pub run: fn(&mut Rewriter<'_>, &dyn Target, &mut Report),
}

/// One applied rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The name of the rule.
    pub rule: &'static str,
    /// The exporter's names of the rewritten node.
    pub nodes: Vec<String>,
    /// Why the target does not take the node as it was, where this is the cause of the rewrite.
    pub why: Option<Reason>,
}

/// One rewrite that a pass considered and declined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// The name of the rule, or of the form that an analysis looked for.
    pub rule: &'static str,
    /// The node that was not rewritten.
    pub node: NodeId,
    /// The exporter's names of the node; empty if another rewrite of the same pass removed the node.
    pub nodes: Vec<String>,
    /// The user's source line from which the node stems; empty if unknown.
    pub source: String,
    /// Why the rule declined.
    pub reason: Reason,
}

/// The rewrites that a pass applied and declined.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The applied rewrites, in order.
    pub applied: Vec<Applied>,
    /// The declined rewrites, in order.
    pub declined: Vec<Declined>,
}

impl Report {
    /// Records a rewrite of `node`; to be called while the node exists.
    pub fn applied(&mut self, rule: &'static str, graph: &Graph, node: NodeId) {
        let nodes = names(graph, node);
        let why = None;
        self.applied.push(Applied { rule, nodes, why });
    }

    /// Gives the last rewrite its cause: why the target does not take the node as it was.
    pub fn because(&mut self, why: Reason) {
        if let Some(last) = self.applied.last_mut() {
            last.why = Some(why);
        }
    }

    /// An applied rule that the pass does not list in [`Pass::rules`]: a bug of the pass.
    pub fn unlisted(&self, pass: &Pass) -> Option<&'static str> {
        let mut rules = self.applied.iter().map(|a| a.rule);
        rules.find(|rule| !pass.rules.contains(rule))
    }

    /// Records a declined rewrite.
    pub fn declined(&mut self, rule: &'static str, node: NodeId, reason: Reason) {
        self.declined.push(Declined {
            rule,
            node,
            nodes: Vec::new(),
            source: String::new(),
            reason,
        });
    }

    /// Fills in the names of declined nodes that still exist, and removes duplicates.
    fn name_declined(&mut self, graph: &Graph) {
        let mut seen = rustc_hash::FxHashSet::default();
        self.declined
            .retain(|d| seen.insert((d.rule, d.node, d.reason.clone())));
        for declined in &mut self.declined {
            if graph.try_node(declined.node).is_some() {
                declined.nodes = names(graph, declined.node);
                declined.source = provenance(graph, declined.node);
            }
        }
    }
}

/// The exporter's names of a node.
pub fn names(graph: &Graph, node: NodeId) -> Vec<String> {
    let sources = graph.node(node).sources.iter();
    sources.map(|&s| graph.source(s).node.to_string()).collect()
}

/// Where a node stems from in the user's program: the source line if it is known, otherwise the module and the
/// exporter's operator. Empty if nothing is known.
pub fn provenance(graph: &Graph, node: NodeId) -> String {
    let sources = || graph.node(node).sources.iter().map(|&s| graph.source(s));
    if let Some(source) = sources().find(|s| !s.line.is_empty()) {
        return source.line.to_string();
    }
    match sources().find(|s| !s.module.is_empty() || !s.target.is_empty()) {
        Some(source) if source.module.is_empty() => source.target.to_string(),
        Some(source) => format!("{} in module {}", source.target, source.module),
        None => String::new(),
    }
}

/// One run of a pass.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The name of the pass.
    pub pass: &'static str,
    /// The number of applied rewrites, counted as [`StopAfter`] counts them.
    pub applications: u64,
    /// What the run applied and declined.
    pub report: Report,
    /// The duration of the run.
    pub time: Duration,
}

/// The point at which a pipeline ends early: after the first run of a pass, or after its n-th application, counted over
/// all its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopAfter {
    /// The name of the pass.
    pub pass: String,
    /// The number of its last application. If absent, the pipeline ends after the pass's first run.
    pub application: Option<u64>,
}

impl StopAfter {
    /// The number of rewrites that the next run of `pass` may apply, given the earlier `runs`. The outer `None` means
    /// that the pipeline does not end at this pass; the inner `None` means no limit.
    pub fn limit(&self, pass: &str, runs: &[PassRun]) -> Option<Option<u64>> {
        let of_pass = runs.iter().filter(|r| r.pass == self.pass);
        let earlier: u64 = of_pass.map(|r| r.applications).sum();
        let left = self.application.map(|n| n.saturating_sub(earlier));
        (pass == self.pass).then_some(left)
    }

    /// True if the pipeline ends after these runs.
    pub fn is_reached(&self, runs: &[PassRun]) -> bool {
        match (runs.last(), self.limit(&self.pass, runs)) {
            (Some(last), Some(left)) => last.pass == self.pass && left.is_none_or(|n| n == 0),
            _ => false,
        }
    }
}

/// How a pipeline runs.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The point at which to end early.
    pub stop_after: Option<StopAfter>,
    /// Run the verifier after each pass in release builds too.
    pub verify: bool,
}

/// A pass left an invalid graph: a bug of the pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pass {pass} broke the graph (a bug in Kiln): {}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Broken {
    /// The name of the pass.
    pub pass: &'static str,
    /// The verifier's faults.
    pub faults: Vec<Fault>,
}

/// Runs the passes in order. The verifier runs after each pass in debug builds, and where [`Options::verify`] asks for
/// it.
///
/// # Errors
/// If a pass left an invalid graph.
pub fn run_pipeline(
    graph: &mut Graph,
    target: &dyn Target,
    pipeline: &[Pass],
    options: &Options,
) -> Result<Vec<PassRun>, Broken> {
    let mut runs: Vec<PassRun> = Vec::new();
    for pass in pipeline {
        let stop = options.stop_after.as_ref();
        let limit = stop.and_then(|s| s.limit(pass.name, &runs)).flatten();
        runs.push(run_pass(graph, target, pass, limit));
        if (options.verify || cfg!(debug_assertions))
            && let Err(faults) = verify(graph)
        {
            return Err(Broken {
                pass: pass.name,
                faults,
            });
        }
        if stop.is_some_and(|s| s.is_reached(&runs)) {
            break;
        }
    }
    Ok(runs)
}

/// Runs one pass with at most `limit` applied rewrites.
pub fn run_pass(
    graph: &mut Graph,
    target: &dyn Target,
    pass: &Pass,
    limit: Option<u64>,
) -> PassRun {
    let mut rewriter = Rewriter::with_limit(graph, limit);
    let (start, mut report) = (Instant::now(), Report::default());
    (pass.run)(&mut rewriter, target, &mut report);
    let (applications, time) = (rewriter.applied(), start.elapsed());
    report.name_declined(graph);
    debug_assert_eq!(report.unlisted(pass), None, "{} lists its rules", pass.name);
    PassRun {
        pass: pass.name,
        applications,
        report,
        time,
    }
}
