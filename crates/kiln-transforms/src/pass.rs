//! Passes: what they are, what they report, and how a pipeline runs them.

use crate::target::{Reason, Target};
use kiln_ir::verify::{Fault, verify};
use kiln_ir::{Graph, NodeId, Rewriter};
use std::time::{Duration, Instant};

/// A pass: a named function over the rewriter and a target.
#[derive(Clone, Copy)]
pub struct Pass {
    /// The name for `--passes`, `--stop-after` and reports.
    pub name: &'static str,
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
        let sources = &graph.node(node).sources;
        let nodes = sources
            .iter()
            .map(|&s| graph.source(s).node.to_string())
            .collect();
        self.applied.push(Applied { rule, nodes });
    }

    /// Notes that a rewrite was not done.
    pub fn declined(&mut self, rule: &'static str, node: NodeId, reason: Reason) {
        self.declined.push(Declined { rule, node, reason });
    }
}

/// A pass's report with its name and time.
#[derive(Clone, Debug)]
pub struct PassRun {
    /// The pass.
    pub pass: &'static str,
    /// What it did.
    pub report: Report,
    /// How long it took.
    pub time: Duration,
}

/// Where a pipeline ends early: after a pass, or after its n-th application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopAfter {
    /// The pass.
    pub pass: String,
    /// Its last application; all if absent.
    pub application: Option<u64>,
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
    let mut runs = Vec::new();
    for pass in pipeline {
        let stop = options.stop_after.as_ref().filter(|s| s.pass == pass.name);
        let mut rewriter = Rewriter::with_limit(graph, stop.and_then(|s| s.application));
        let (start, mut report) = (Instant::now(), Report::default());
        (pass.run)(&mut rewriter, target, &mut report);
        runs.push(PassRun {
            pass: pass.name,
            report,
            time: start.elapsed(),
        });
        if (options.verify || cfg!(debug_assertions))
            && let Err(faults) = verify(graph)
        {
            return Err(Broken {
                pass: pass.name,
                faults,
            });
        }
        if stop.is_some() {
            break;
        }
    }
    Ok(runs)
}
