//! Passes: what they are, what they report, and how a pipeline runs them.

use crate::framework::target::{Reason, Target};
use kiln_ir::verify::{Fault, verify};
use kiln_ir::{Graph, NodeId, Rewriter};
use std::time::{Duration, Instant};

/// A pass: a named function over the rewriter and a target.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name for `--passes`, `--stop-after` and reports.
    pub name: &'static str,
    /// The names of its rules: no other is in its reports.
    pub rules: &'static [&'static str],
    /// True if every result keeps its bits; else results may differ by rounding.
    pub keeps_bits: bool,
    /// What it does; it adds to the report what it applied and declined.
    pub run: fn(&mut Rewriter<'_>, &dyn Target, &mut Report),
}

/// One rewrite that a pass did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The rewrite's name.
    pub rule: &'static str,
    /// The exporter's names of what was rewritten.
    pub nodes: Vec<String>,
}

/// One rewrite that a pass considered and did not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// The rewrite's name.
    pub rule: &'static str,
    /// The node.
    pub node: NodeId,
    /// The exporter's names of the node; empty if another rewrite of the same pass took it away.
    pub nodes: Vec<String>,
    /// The user's line that the node stems from, empty if unknown.
    pub source: String,
    /// Why.
    pub reason: Reason,
}

/// What a pass did and did not.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rewrites done, in order.
    pub applied: Vec<Applied>,
    /// Rewrites declined, in order.
    pub declined: Vec<Declined>,
}

impl Report {
    /// Notes a rewrite of `node`, before the node goes.
    pub fn applied(&mut self, rule: &'static str, graph: &Graph, node: NodeId) {
        let nodes = names(graph, node);
        self.applied.push(Applied { rule, nodes });
    }

    /// A rule that was applied and that the pass does not list: a bug of the pass.
    pub fn unlisted(&self, pass: &Pass) -> Option<&'static str> {
        let mut rules = self.applied.iter().map(|a| a.rule);
        rules.find(|rule| !pass.rules.contains(rule))
    }

    /// Notes that a rewrite was not done.
    pub fn declined(&mut self, rule: &'static str, node: NodeId, reason: Reason) {
        self.declined.push(Declined {
            rule,
            node,
            nodes: Vec::new(),
            source: String::new(),
            reason,
        });
    }

    /// Names the nodes of what was declined, as far as they live, and leaves what was declined twice.
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

/// Where a node comes from in the user's program: the line where it is known, else the module and the
/// exporter's operator; empty if nothing is known.
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

/// A pass's report with its name and time.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The pass.
    pub pass: &'static str,
    /// How many rewrites it counted, as [`StopAfter`] does.
    pub applications: u64,
    /// What it did.
    pub report: Report,
    /// How long it took.
    pub time: Duration,
}

/// Where a pipeline ends early: after the first run of a pass, or after its n-th application, counted
/// over all its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopAfter {
    /// The pass.
    pub pass: String,
    /// Its last application; all of the first run if absent.
    pub application: Option<u64>,
}

impl StopAfter {
    /// What a run of `pass` may still apply behind the earlier `runs`: `None` if it is not the pass that
    /// ends the pipeline, a limit where that is given.
    pub fn limit(&self, pass: &str, runs: &[PassRun]) -> Option<Option<u64>> {
        let of_pass = runs.iter().filter(|r| r.pass == self.pass);
        let earlier: u64 = of_pass.map(|r| r.applications).sum();
        let left = self.application.map(|n| n.saturating_sub(earlier));
        (pass == self.pass).then_some(left)
    }

    /// True if the pipeline ends behind these runs.
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
    /// Where to end early.
    pub stop_after: Option<StopAfter>,
    /// Run the verifier after each pass, in release builds too.
    pub verify: bool,
}

/// A pass broke the graph: a bug of the pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pass {pass} broke the graph (a bug in Kiln): {}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Broken {
    /// The pass.
    pub pass: &'static str,
    /// What is wrong with the graph after it.
    pub faults: Vec<Fault>,
}

/// Runs passes in order; the verifier runs after each in debug builds and where asked.
///
/// # Errors
/// If a pass broke the graph.
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

/// Runs one pass, which applies no more than `limit` rewrites.
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
