//! `conformance random-c`: random quantised networks as C projects, compiled and run.
//!
//! Each network is lowered for a core and streamed. Its program runs on the evaluator, whose results are compared with the meaning of
//! the core graph, within the errors of fixed-point arithmetic, and each op by itself with that of the integers in front of it. Where
//! errors add up, few of the graph's runs meet their sum: then results count as right that follow step by step.
//! Its C runs too, on this machine with sanitisers or on a board in QEMU:
//! equal to the evaluator to the bit. Many projects are one executable ([`kiln_cortex_m::Workshop`]).
//!
//! The run says what it exercised, and fails if a function that the lowering can emit was never called ([`called`]).

mod called;
mod case;
#[cfg(test)]
mod judged;
mod stepwise;
mod trial;

use crate::random::found::{Failures, Found, count};
use crate::random::program::kind_of;
use crate::random::turns::in_turn;
use anyhow::{Result, bail};
use called::Called;
use case::{Case, Choice, Compared};
use clap::Args;
use indexmap::IndexMap;
use kiln_check::guarded;
use kiln_cortex_m::Workshop;
use kiln_cortex_m::cores::{CORES, Core};
use kiln_cortex_m::dialect::Build;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How many networks, and which.
#[derive(Args)]
pub struct Arguments {
    /// How many networks.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first network's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Build for the board of this core and run in QEMU, instead of this machine with any core.
    #[arg(long, value_name = "CORE", value_parser = core)]
    board: Option<&'static Core>,
    /// Link the functions of this checkout of CMSIS-NN in place of Kiln's own. On this machine only cores without extensions take
    /// part, since their functions are plain C.
    #[arg(long, value_name = "FOLDER")]
    cmsis_nn: Option<PathBuf>,
    /// Where to write failing regions, each into a file of its own.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Arguments {
    /// The cores whose projects this run can execute.
    fn cores(&self) -> Vec<&'static Core> {
        let runs = |core: &&Core| match self.board {
            Some(board) => core.name == board.name,
            None => self.cmsis_nn.is_none() || core.build == Build::Scalar,
        };
        CORES.iter().filter(runs).collect()
    }

    /// Where the projects run, and with which functions.
    fn place(&self) -> String {
        let place = self
            .board
            .map_or("this machine, with sanitisers", |core| core.name);
        match (&self.cmsis_nn, self.board) {
            (None, _) => place.to_owned(),
            (Some(_), Some(_)) => format!("{place}, linked with CMSIS-NN"),
            (Some(_), None) => format!("{place} but for CMSIS-NN, which is linked"),
        }
    }
}

fn core(name: &str) -> Result<&'static Core, String> {
    let known = Core::named(name).filter(|core| core.board.is_some());
    known.ok_or_else(|| format!("QEMU has no board for {name}"))
}

/// The projects of one executable.
const TOGETHER: u64 = 100;

/// The failures that are cut down; each takes many compilations.
const CUT_DOWN: usize = 12;

/// Of 100 networks, how many have integers computed in them.
const LEAST_QUANTISED: u64 = 95;

/// Of 100 networks, how many become projects.
const LEAST_BUILT: u64 = 95;

/// Of 100 runs, of how many elements are compared.
const LEAST_COMPARED: u64 = 95;

/// What a run counts and finds.
#[derive(Default)]
struct Tally {
    graphs: AtomicU64,
    nodes: AtomicU64,
    quantised: AtomicU64,
    built: AtomicU64,
    streamed: AtomicU64,
    chains: AtomicU64,
    /// The runs, those that the evaluator and the C refuse alike, and those of which elements are compared to the bit.
    runs: AtomicU64,
    refusing: AtomicU64,
    compared: AtomicU64,
    elements: AtomicU64,
    /// The runs whose results have bounds, and those of which elements are compared with the meaning.
    bounded: AtomicU64,
    of_meaning: AtomicU64,
    within: AtomicU64,
    /// The runs whose integers are compared kernel by kernel, and the integers.
    of_kernels: AtomicU64,
    by_kernel: AtomicU64,
    called: Called,
    /// The seeds of networks that do not compile, by reason.
    refused: Mutex<IndexMap<String, Vec<u64>>>,
    faults: Mutex<Vec<Fault>>,
}

/// A network that shows a fault.
struct Fault {
    seed: u64,
    text: String,
    case: Option<Case>,
}

/// Runs the networks.
///
/// # Errors
/// If one of them shows a fault, or too little was exercised.
pub fn run_random_c(arguments: &Arguments) -> Result<()> {
    let begun = Instant::now();
    let workshop = Workshop::new(arguments.board, arguments.cmsis_nn.as_deref())?;
    let cores = arguments.cores();
    let tally = Tally::default();
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let end = arguments.seed.saturating_add(arguments.count);
    let batches = (arguments.seed..end).step_by(TOGETHER as usize);
    in_turn(batches, |first| {
        let seeds = first..end.min(first.saturating_add(TOGETHER));
        check_batch(seeds, &cores, &workshop, &tally);
        if terminal {
            let done = tally.graphs.load(Ordering::Relaxed);
            eprint!("\r{done}/{}", arguments.count);
        }
    });
    if terminal {
        eprintln!();
    }
    tally.report(arguments, &workshop, begun)
}

/// Compiles and evaluates the networks of some seeds, builds them as one program, runs it, and compares.
fn check_batch(
    seeds: std::ops::Range<u64>,
    cores: &[&'static Core],
    workshop: &Workshop,
    tally: &Tally,
) {
    let mut cases: Vec<(u64, Case)> = Vec::new();
    for seed in seeds {
        count(&tally.graphs);
        let choice = Choice::of(seed, cores);
        let made = guarded(|| Case::of_seed(seed, &choice));
        match made {
            Ok(Ok(case)) => {
                tally.note_case(&case);
                match case.beyond_bound() {
                    Ok(found) => tally.note_meaning(&case, found),
                    Err(text) => tally.fault(seed, text, Some(case.clone())),
                }
                match case.beyond_kernels() {
                    Ok(found) => {
                        add(&tally.of_kernels, found.runs);
                        add(&tally.by_kernel, found.elements);
                    }
                    Err(text) => tally.fault(seed, text, Some(case.clone())),
                }
                cases.push((seed, case));
            }
            Ok(Err(case::Stop::Refused(reason))) => {
                let mut refused = tally.refused.lock().expect(NO_PANIC);
                refused.entry(kind_of(&reason)).or_default().push(seed);
            }
            Ok(Err(case::Stop::Wrong(text))) => tally.fault(seed, text, None),
            Err(panic) => tally.fault(seed, format!("panic: {panic}"), None),
        }
    }
    let of_cases: Vec<&Case> = cases.iter().map(|(_, case)| case).collect();
    for ((seed, case), outcome) in cases.iter().zip(trial::run_together(&of_cases, workshop)) {
        match outcome {
            Ok(found) => tally.note_bits(case, found),
            Err(text) => tally.fault(*seed, text, Some(case.clone())),
        }
    }
}

const NO_PANIC: &str = "no thread panics while it holds the lock";

fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

impl Tally {
    fn note_case(&self, case: &Case) {
        add(&self.nodes, case.graph.node_count() as u64);
        add(&self.quantised, u64::from(case.is_quantised()));
        add(&self.streamed, u64::from(case.chains > 0));
        add(&self.chains, case.chains as u64);
    }

    /// Counts what is within the bounds around the meaning.
    fn note_meaning(&self, case: &Case, found: Compared) {
        let bounded = case.runs.iter().filter(|run| run.is_bounded()).count();
        add(&self.bounded, bounded as u64);
        add(&self.of_meaning, found.runs);
        add(&self.within, found.elements);
    }

    /// Counts what the C and the evaluator give alike.
    fn note_bits(&self, case: &Case, found: Compared) {
        let refusing = case.runs.iter().filter(|run| run.outputs.is_none()).count();
        count(&self.built);
        add(&self.runs, case.runs.len() as u64);
        add(&self.refusing, refusing as u64);
        add(&self.compared, found.runs);
        add(&self.elements, found.elements);
        self.called.add(case.project.program());
    }

    fn fault(&self, seed: u64, text: String, case: Option<Case>) {
        let fault = Fault { seed, text, case };
        self.faults.lock().expect(NO_PANIC).push(fault);
    }

    /// Prints what was counted and found.
    ///
    /// # Errors
    /// If something was found, or too little was exercised.
    fn report(self, arguments: &Arguments, workshop: &Workshop, begun: Instant) -> Result<()> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (graphs, quantised, built) =
            (load(&self.graphs), load(&self.quantised), load(&self.built));
        let place = arguments.place();
        println!(
            "{graphs} graphs of {} nodes on average, seeds from {} on; {quantised} of them compute in integers\n\
             {built} projects built for {place}: {} runs, {} of them refused; {} elements of {} runs equal to the evaluator's to the bit\n\
             {} elements of {} of {} runs within the bounds of fixed-point arithmetic around the core graph's meaning\n\
             {} integers, intermediate ones included, within the error of the kernel that computed them\n\
             {} projects with {} chains of layers that are computed by rows\n\
             {} s",
            load(&self.nodes) / built.max(1),
            arguments.seed,
            load(&self.runs),
            load(&self.refusing),
            load(&self.elements),
            load(&self.compared),
            load(&self.within),
            load(&self.of_meaning),
            load(&self.bounded),
            load(&self.by_kernel),
            load(&self.streamed),
            load(&self.chains),
            begun.elapsed().as_secs(),
        );
        self.print_refused();
        println!("\nCalls by function:\n{}", self.called);
        let gaps = self.gaps(&arguments.cores());
        gaps.iter().for_each(|gap| println!("{gap}"));
        let faults = self.faults.into_inner().unwrap_or_default();
        let count = faults.len();
        let causes = cut_down(faults, workshop).show(arguments.out.as_deref())?;
        match (causes, gaps.len()) {
            (0, 0) => Ok(()),
            (causes, gaps) => {
                bail!("{count} graphs show {causes} causes of failure; {gaps} faults of coverage")
            }
        }
    }

    /// Prints why networks are not compiled.
    fn print_refused(&self) {
        let mut refused = self.refused.lock().expect(NO_PANIC).clone();
        refused.sort_by(|_, a, _, b| b.len().cmp(&a.len()));
        for (reason, seeds) in &refused {
            let first = seeds.iter().min().copied().unwrap_or(0);
            println!("  {} not compiled, as seed {first}: {reason}", seeds.len());
        }
    }

    /// What was exercised too little, as messages.
    fn gaps(&self, cores: &[&Core]) -> Vec<String> {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let graphs = load(&self.graphs);
        let of_graphs = [
            ("compute in integers", &self.quantised, LEAST_QUANTISED),
            ("were built and run", &self.built, LEAST_BUILT),
            ("are streamed", &self.streamed, 1),
        ];
        let of_graphs = of_graphs.map(|(what, found, percent)| {
            lack(&format!("graphs {what}"), load(found), graphs, percent)
        });
        let of_runs = [
            ("to the bit", &self.compared, &self.runs),
            ("with the meaning", &self.of_meaning, &self.bounded),
            ("kernel by kernel", &self.of_kernels, &self.bounded),
        ];
        let of_runs = of_runs.map(|(how, found, all)| {
            let what = format!("runs are compared {how}");
            lack(&what, load(found), load(all), LEAST_COMPARED)
        });
        let mut gaps = self.called.gaps(graphs, cores);
        gaps.extend(of_graphs.into_iter().chain(of_runs).flatten());
        gaps
    }
}

/// What is said if fewer than so many of a hundred are found.
fn lack(what: &str, found: u64, all: u64, percent: u64) -> Option<String> {
    let is_lack = found == 0 || 100 * found < percent * all;
    is_lack.then(|| format!("{found} of {all} {what}, at least {percent} % are wanted"))
}

/// The failures by cause. The first of them are cut down to small regions.
fn cut_down(faults: Vec<Fault>, workshop: &Workshop) -> Failures {
    let failures = Failures::default();
    for (number, fault) in faults.into_iter().enumerate() {
        let Fault { seed, text, case } = fault;
        let found = match case {
            Some(case) if number < CUT_DOWN => case.cut_down(&text, workshop),
            Some(case) => Found {
                key: case::key_of(&text),
                text,
                region: case.graph.into(),
                command: String::new(),
            },
            None => Found::without_region("compiler", text),
        };
        failures.note(seed, found);
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::lack;

    #[test]
    fn runs_that_compare_nothing_are_a_lack() {
        assert_eq!(lack("runs", 95, 100, 95), None);
        assert!(lack("runs", 94, 100, 95).is_some());
        assert!(lack("runs", 0, 0, 95).is_some());
    }
}
