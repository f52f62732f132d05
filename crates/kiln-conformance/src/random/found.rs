//! What was found wrong on random graphs, by cause.

use super::compared;
use super::coverage::{self, Coverage};
use super::{Arguments, is_on_integers};
use anyhow::{Context, Result, bail};
use indexmap::IndexMap;
use kiln_check::{Baseline, Failure, guarded, shrink};
use kiln_ir::Graph;
use kiln_ir::text::{Data, print};
use kiln_ir::verify::verify;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is wrong with one graph.
pub struct Found {
    /// What failures of the same cause share.
    pub key: String,
    /// In words.
    pub text: String,
    /// The part of the graph that shows it.
    pub region: Box<Graph>,
    /// What repeats it on the region's file.
    pub command: String,
}

impl Found {
    /// A pass that is wrong.
    pub fn of_failure(failure: Box<Failure>, target: &str) -> Found {
        let rule = failure.rule.unwrap_or("");
        Found {
            key: format!("{} {rule}", failure.pass),
            text: format!("{failure} (target: {target})"),
            command: format!("kiln opt FILE --passes {} --verify", failure.pass),
            region: failure.region.into(),
        }
    }

    /// A panic of the interpreter on a graph that no pass has changed.
    pub fn of_interpreter(graph: &Graph, panic: &str) -> Found {
        let shows = |part: &Graph| verify(part).is_ok() && guarded(|| Baseline::all(part)).is_err();
        Found {
            key: format!("interpreter {panic}"),
            text: format!("the interpreter panics: {panic}"),
            region: shrink(graph, &[], &shows).into(),
            command: String::new(),
        }
    }

    /// A panic elsewhere: of the generator, the checker, or the interpreter on what passes made.
    pub fn of_panic(text: &str) -> Found {
        Found::without_region("panic", format!("the check panics: {text}"))
    }

    /// What no part of the graph shows.
    pub fn without_region(kind: &str, text: String) -> Found {
        Found {
            key: format!("{kind} {text}"),
            text,
            region: Graph::new("none").into(),
            command: String::new(),
        }
    }
}

/// What was found wrong.
#[derive(Default)]
pub struct Failures {
    /// By key: the smallest, with all seeds, its own first.
    found: Mutex<IndexMap<String, (Vec<u64>, Found)>>,
}

impl Failures {
    /// Notes what is wrong with the graph of a seed.
    pub fn note(&self, seed: u64, found: Found) {
        let mut all = self.found.lock().expect(NO_PANIC);
        match all.get_mut(&found.key) {
            None => {
                all.insert(found.key.clone(), (vec![seed], found));
            }
            Some((seeds, kept)) => {
                seeds.push(seed);
                let size = |f: &Found| f.region.node_count();
                if size(&found) < size(kept) {
                    *kept = found;
                    let last = seeds.len() - 1;
                    seeds.swap(0, last);
                }
            }
        }
    }

    /// Prints the failures, writes their regions into a folder, and gives the number of causes.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn show(self, folder: Option<&Path>) -> Result<usize> {
        let mut found = self.found.into_inner().unwrap_or_default();
        found.sort_keys();
        for (number, (_, (seeds, found))) in found.iter().enumerate() {
            show(number, seeds, found, folder)?;
        }
        Ok(found.len())
    }
}

/// What a run counts and finds.
#[derive(Default)]
pub struct Tally {
    pub graphs: AtomicU64,
    pub nodes: AtomicU64,
    /// Graphs with quantised values.
    pub quantised: AtomicU64,
    pub compared: compared::Tally,
    pub coverage: Coverage,
    pub failures: Failures,
    /// Graphs that did not compile, by reason.
    refused: Mutex<IndexMap<String, u64>>,
}

impl Tally {
    /// Notes that a graph did not compile.
    pub fn refuse(&self, reason: String) {
        let mut refused = self.refused.lock().expect(NO_PANIC);
        *refused.entry(reason).or_default() += 1;
    }

    /// Prints what was counted and found, and writes the regions into a folder. Graphs beyond those that were asked for
    /// were added for rare rules.
    ///
    /// # Errors
    /// If something was found, too little was compared, or a rule was applied too rarely.
    pub fn report(self, arguments: &Arguments) -> Result<()> {
        let (wanted, first_seed) = (arguments.count, arguments.seed);
        let (graphs, nodes) = (self.graphs.into_inner(), self.nodes.into_inner());
        let (compared, too_little) = self.compared.report();
        print!(
            "{graphs} graphs of {} nodes on average, {} of them quantised, seeds from {first_seed} on, {} for rare rules\n{compared}",
            nodes / graphs.max(1),
            self.quantised.into_inner(),
            graphs.saturating_sub(wanted),
        );
        let mut refused = self.refused.into_inner().unwrap_or_default();
        refused.sort_by(|_, a, _, b| b.cmp(a));
        for (reason, count) in refused.iter().take(12) {
            println!("  {count} not compiled: {reason}");
        }
        println!("\nApplications by rule and target:\n{}", self.coverage);
        if coverage::wanted(wanted).is_none() {
            println!("too few graphs for minima of applications");
        }
        let found = self.failures.show(arguments.out.as_deref())?;
        let has_minimum = |pass: &str| !arguments.quantised || is_on_integers(pass);
        let gaps = self.coverage.gaps(wanted, has_minimum);
        for fault in gaps.iter().chain(&too_little) {
            println!("{fault}");
        }
        match (found, gaps.len() + too_little.len()) {
            (0, 0) => Ok(()),
            (causes, gaps) => bail!("{causes} causes of failure, {gaps} faults of coverage"),
        }
    }
}

const NO_PANIC: &str = "no thread panics while it holds the lock";

fn show(number: usize, seeds: &[u64], found: &Found, folder: Option<&Path>) -> Result<()> {
    let text = print(&found.region, Data::Full);
    let (count, seed) = (seeds.len(), seeds[0]);
    println!("\n{count} graphs, for one seed {seed}: {}", found.text);
    if count > 1 {
        println!("# seeds {:?}", &seeds[..count.min(12)]);
    }
    println!("# {}\n{text}", found.command);
    let Some(folder) = folder else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("{number}-{seed}.kiln"));
    let words = found.text.replace('\n', " ");
    let text = format!("# {words}\n# {}\n{text}", found.command);
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

/// Adds one.
pub fn count(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}
