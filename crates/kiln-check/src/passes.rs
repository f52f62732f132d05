//! Runs passes and checks each of them.

use crate::close::{Close, Difference, Side, difference};
use crate::compared::Compared;
use crate::inputs::{Situation, inputs, situations};
use crate::run::{Ran, run};
use crate::shrink::{shrink, touched};
use kiln_eval::Tensor;
use kiln_ir::verify::verify;
use kiln_ir::{Graph, NodeId, verify};
use kiln_transforms::framework::pass::{Pass, PassRun, StopAfter, run_pass};
use kiln_transforms::framework::target::Target;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The seed of all inputs. It is fixed, so that a printed region fails again.
const SEED: u64 = 1;

/// Applications beyond which a pass is taken to rewrite for ever.
const MAX_APPLICATIONS: u64 = 20_000;

/// A fault of a pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The pass panicked.
    Panics(String),
    /// The pass rewrites for ever, or about so.
    Endless,
    /// The graph breaks invariants of the verifier.
    Broken(Vec<verify::Fault>),
    /// The new graph fails on inputs on which the old one did not.
    Fails {
        /// The inputs.
        situation: Situation,
        /// The failure.
        error: String,
    },
    /// The new graph computes something else.
    Differs {
        /// The inputs.
        situation: Situation,
        /// The difference.
        difference: Difference,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Panics(text) => write!(f, "it panics: {text}"),
            Fault::Endless => write!(
                f,
                "it rewrites for ever, more than {MAX_APPLICATIONS} times"
            ),
            Fault::Broken(faults) => {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                write!(f, "the graph is broken: {}", faults.join("; "))
            }
            Fault::Fails { situation, error } => {
                write!(f, "the new graph fails on {situation}: {error}")
            }
            Fault::Differs {
                situation,
                difference,
            } => write!(f, "on {situation}, {difference}"),
        }
    }
}

/// A wrong pass, traced to one application if there is one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct Failure {
    /// The pass.
    pub pass: &'static str,
    /// The first application that shows the fault. The count runs over all runs of the pass, as in `--stop-after
    /// PASS:N`.
    pub application: Option<u64>,
    /// The rule of that application.
    pub rule: Option<&'static str>,
    /// The exporter's names of the nodes that the application rewrote.
    pub nodes: Vec<String>,
    /// The fault.
    pub fault: Fault,
    /// The smallest region found, in front of the pass, on which the pass shows a fault.
    pub region: Graph,
}

impl Failure {
    fn text(&self) -> String {
        let mut text = format!("pass {} is wrong (a bug in Kiln)", self.pass);
        if let Some(n) = self.application {
            text += &format!(", from --stop-after {}:{n} on", self.pass);
        }
        if let Some(rule) = self.rule {
            text += &format!(", rule {rule}");
        }
        if !self.nodes.is_empty() {
            text += &format!(" at {}", self.nodes.join(", "));
        }
        format!("{text}: {}", self.fault)
    }
}

/// The log of passes that were found to be right, and what was compared to find it.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The log.
    pub runs: Vec<PassRun>,
    /// How much was compared.
    pub compared: Compared,
}

/// Runs passes as [`kiln_transforms::framework::pass::run_pipeline`] does, and compares the graph behind each pass with
/// the graph before it.
///
/// # Errors
/// The first pass that is wrong.
pub fn check_passes(
    graph: &mut Graph,
    target: &dyn Target,
    passes: &[Pass],
    stop_after: Option<&StopAfter>,
) -> Result<Checked, Box<Failure>> {
    check_passes_from(graph, target, passes, stop_after, None)
}

/// As [`check_passes`], with known results of the graph.
///
/// # Errors
/// As [`check_passes`].
pub fn check_passes_from(
    graph: &mut Graph,
    target: &dyn Target,
    passes: &[Pass],
    stop_after: Option<&StopAfter>,
    known: Option<&[Baseline]>,
) -> Result<Checked, Box<Failure>> {
    let mut baselines = known.map(<[Baseline]>::to_vec);
    let Checked {
        mut runs,
        mut compared,
    } = Checked::default();
    for pass in passes {
        let earlier = runs.iter().filter(|r| r.pass == pass.name);
        let earlier = earlier.map(|r| r.applications).sum();
        let limit = stop_after.and_then(|s| s.limit(pass.name, &runs)).flatten();
        let step = Step {
            pass,
            target,
            before: graph,
        };
        let applied = match step.apply(limit) {
            Ok(applied) => applied,
            Err(fault) => return Err(Box::new(step.trace(None, earlier, fault))),
        };
        if applied.run.applications > 0 {
            let baselines = baselines.get_or_insert_with(|| Baseline::all(graph));
            match step.compare(&applied.graph, baselines) {
                Err(fault) => {
                    let count = Some(applied.run.applications);
                    return Err(Box::new(step.trace(count, earlier, fault)));
                }
                Ok(rans) => {
                    compared += compared_with(baselines);
                    for (baseline, ran) in baselines.iter_mut().zip(rans) {
                        baseline.ran = ran;
                    }
                }
            }
        }
        *graph = applied.graph;
        runs.push(applied.run);
        if stop_after.is_some_and(|s| s.is_reached(&runs)) {
            break;
        }
    }
    Ok(Checked { runs, compared })
}

/// What is compared behind a pass that changes the graph with these results.
fn compared_with(baselines: &[Baseline]) -> Compared {
    let sizes = baselines.iter().map(Baseline::elements);
    Compared {
        changes: 1,
        situations: sizes.clone().filter(|&n| n > 0).count(),
        elements: sizes.sum(),
    }
}

/// The outcome of a pass.
struct Applied {
    graph: Graph,
    run: PassRun,
}

/// A pass and the graph in front of it.
#[derive(Clone, Copy)]
struct Step<'s> {
    pass: &'s Pass,
    target: &'s dyn Target,
    before: &'s Graph,
}

impl Step<'_> {
    /// Runs the pass, up to a number of applications, and then the verifier.
    fn apply(&self, limit: Option<u64>) -> Result<Applied, Fault> {
        let mut graph = self.before.clone();
        let most = Some(limit.unwrap_or(self.most_applications()));
        let run = guarded(|| run_pass(&mut graph, self.target, self.pass, most));
        let run = run.map_err(Fault::Panics)?;
        if limit.is_none() && Some(run.applications) >= most {
            return Err(Fault::Endless);
        }
        verify(&graph).map_err(Fault::Broken)?;
        Ok(Applied { graph, run })
    }

    /// More than a pass applies that comes to an end: many for each node.
    fn most_applications(&self) -> u64 {
        MAX_APPLICATIONS + 100 * self.before.node_count() as u64
    }

    /// The results of the graph behind the pass in each situation.
    fn compare(&self, after: &Graph, baselines: &[Baseline]) -> Result<Vec<Ran>, Fault> {
        let close = if self.pass.keeps_bits {
            Close::Bits
        } else {
            Close::Rounding
        };
        let each = baselines.iter();
        each.map(|b| b.compare(self.before, after, close)).collect()
    }

    /// The fault of the first `limit` applications, if they have one.
    fn fault(&self, limit: Option<u64>, baselines: &[Baseline]) -> Option<Fault> {
        match self.apply(limit) {
            Err(fault) => Some(fault),
            Ok(applied) => self.compare(&applied.graph, baselines).err(),
        }
    }

    /// The first application that is wrong, and the smallest region that shows it. The first `count` applications show
    /// the fault; `None` if the pass did not end.
    fn trace(&self, count: Option<u64>, earlier: u64, fault: Fault) -> Failure {
        let baselines = Baseline::all(self.before);
        // Where a pass never ends, no single application is the wrong one.
        let count = match fault {
            Fault::Endless => None,
            _ => count.or_else(|| self.first_failing_power(&baselines)),
        };
        let (mut good, mut bad) = (0, count.unwrap_or(0));
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            match self.fault(Some(middle), &baselines) {
                Some(_) => bad = middle,
                None => good = middle,
            }
        }
        let mut failure = Failure {
            pass: self.pass.name,
            application: count.map(|_| earlier + bad),
            rule: None,
            nodes: Vec::new(),
            fault,
            region: self.before.clone(),
        };
        let (last_good, first_bad) = (self.apply(Some(good)), self.apply(Some(bad)));
        if let (Ok(_), Ok(bad)) = (&last_good, &first_bad)
            && let Some(last) = bad.run.report.applied.last()
        {
            failure.rule = Some(last.rule);
            failure.nodes = last.nodes.clone();
        }
        let near = match (&last_good, &first_bad) {
            (Ok(good), Ok(bad)) => touched(&good.graph, &bad.graph),
            _ => Vec::new(),
        };
        let good = last_good.map_or_else(|_| self.before.clone(), |applied| applied.graph);
        self.shrink(&good, &near, &mut failure);
        failure
    }

    /// A number of applications that shows the fault, for a pass that did not end.
    fn first_failing_power(&self, baselines: &[Baseline]) -> Option<u64> {
        let powers = (0..24).map(|n| 1u64 << n);
        powers
            .into_iter()
            .find(|&n| self.fault(Some(n), baselines).is_some())
    }

    /// The smallest region of the graph in front of the wrong application, or else of the whole pass.
    fn shrink(&self, good: &Graph, near: &[NodeId], failure: &mut Failure) {
        // A panic of the interpreter on a part is another fault than the one that is traced.
        let fault_of = |part: &Graph| {
            let fault = guarded(|| fault_alone(part, self.pass, self.target));
            fault.ok().flatten()
        };
        for graph in [good, self.before] {
            let region = shrink(graph, near, &|part| fault_of(part).is_some());
            if let Some(fault) = fault_of(&region) {
                failure.fault = fault;
                failure.region = region;
                return;
            }
        }
    }
}

/// The fault of a pass on a small graph; `None` if that graph itself is broken.
///
/// # Panics
/// As [`Baseline::all`].
pub fn fault_alone(graph: &Graph, pass: &Pass, target: &dyn Target) -> Option<Fault> {
    verify(graph).ok()?;
    let step = Step {
        pass,
        target,
        before: graph,
    };
    let applied = match step.apply(None) {
        Err(fault) => return Some(fault),
        Ok(applied) => applied,
    };
    step.compare(&applied.graph, &Baseline::all(graph)).err()
}

/// The results of a graph in one situation.
#[derive(Clone)]
pub struct Baseline {
    situation: Situation,
    inputs: Vec<Tensor>,
    ran: Ran,
}

impl Baseline {
    /// The situations in which the graph has results.
    ///
    /// # Panics
    /// If the interpreter panics: the graph is sound, so that is a fault of the interpreter.
    pub fn all(graph: &Graph) -> Vec<Baseline> {
        let one = |situation| {
            let inputs = inputs(graph, situation, SEED)?;
            let ran = run(graph, &inputs).ok()?;
            Some(Baseline {
                situation,
                inputs,
                ran,
            })
        };
        situations(graph).into_iter().filter_map(one).collect()
    }

    /// The number of elements of all results; without any there is nothing to compare.
    pub fn elements(&self) -> usize {
        self.ran.iter().map(Tensor::len).sum()
    }

    /// The results of the new graph in a situation.
    ///
    /// # Errors
    /// The new graph fails, or its results differ from the baseline: those of the graph before.
    pub fn compare(&self, before: &Graph, after: &Graph, close: Close) -> Result<Ran, Fault> {
        let situation = self.situation;
        let ran = guarded(|| run(after, &self.inputs))
            .and_then(|r| r)
            .map_err(|error| Fault::Fails { situation, error })?;
        let (old, new) = (
            Side {
                graph: before,
                ran: &self.ran,
            },
            Side {
                graph: after,
                ran: &ran,
            },
        );
        match difference(old, new, &self.inputs, close) {
            None => Ok(ran),
            Some(difference) => Err(Fault::Differs {
                situation,
                difference,
            }),
        }
    }
}

/// A panic as an error.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        text.unwrap_or_default()
    })
}
