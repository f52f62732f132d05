//! `conformance`: runs every case of suites of the corpus on the evaluator, the builtin runtime and the stock runtime.
//!
//! With `--check` the results are compared with the committed table of the suite. The exit status is 1 if an outcome or a
//! count differs from it. `--bless` writes the table. The last line says how many cases ran, and what was skipped and why. The
//! command fails if nothing ran, and with `--require` also if anything was skipped.

mod case_run;
mod features;
mod folding;
mod golden;
mod judge;
mod peer;
mod random;
mod random_c;
mod select;
mod suite;
mod table;
mod tally;
mod twins;

use anyhow::{Result, bail};
use case_run::{Executor, Settings, run_case};
use clap::{Parser, Subcommand};
use kiln::target::TargetName;
use kiln_check::Compared;
use kiln_target::{Choice, Runtime};
use kiln_testing::corpus::Corpus;
use peer::BesidePeer;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use suite::Suite;
use tally::Tally;

/// Runs corpus cases and compares them with PyTorch's results.
#[derive(Parser)]
#[command(
    after_help = "Examples:\n  conformance ops_fp32 models_small --filter conv\n  conformance random --count 1000",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The suites: names in the corpus, or folders.
    #[arg(required = true)]
    suites: Vec<String>,
    /// A corpus larger than this repository's [default: $KILN_CORPUS, else ../shared/corpus].
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The executors that run the cases.
    #[arg(long, value_delimiter = ',', default_value = "evaluator,builtin,stock")]
    executors: Vec<Executor>,
    /// Run only cases whose name contains this text.
    #[arg(long)]
    filter: Option<String>,
    /// The target that the cases are compiled for.
    #[arg(long, default_value = "xnnpack")]
    target: TargetName,
    /// The extension of the artifacts, for targets that choose their format by it (pte, tosa).
    #[arg(long)]
    extension: Option<String>,
    /// Also check each pass with the verifier and the evaluator.
    #[arg(long)]
    verify: bool,
    /// Write the tables in docs/conformance.
    #[arg(long)]
    bless: bool,
    /// Compare with the tables in docs/conformance.
    #[arg(long)]
    check: bool,
    /// Fail if a suite or an executor is missing.
    #[arg(long)]
    require: bool,
    /// Fail if results on the stock runtime are by more than this many dB farther from the golden outputs than those of ExecuTorch's
    /// own programs, where the suite's index has them. Where the model quantises activations by tensor and the program by row, results
    /// may instead be nearer to the model in floats than the archive's.
    #[arg(long, value_name = "DB")]
    beside_peer: Option<f64>,
    /// Write all results to this file as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Checks passes and programs on random graphs.
    #[command(after_help = "Example:\n  conformance random --count 100000 --seed 1 --out failures")]
    Random(random::Arguments),
    /// Compiles random quantised graphs to C projects, and compares their bits with the evaluator's.
    #[command(
        after_help = "Example:\n  conformance random-c --count 20000 --seed 1 --out failures"
    )]
    RandomC(random_c::Arguments),
    /// Turns float ops of quantised archives into integer ops, and lists the ops that stay in floats.
    #[command(after_help = "Example:\n  conformance folding tosa_int quantised_small --list")]
    Folding(folding::Arguments),
    /// Compares the delegates and kernel calls of quantised archives with those of the same models in floats.
    #[command(after_help = "Example:\n  conformance twins ops_int8_static quantised_small")]
    Twins(twins::Arguments),
    /// Chooses the cases of corpus/ from the larger corpus.
    #[command(after_help = "Example:\n  conformance select --dry-run")]
    Select(select::Arguments),
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    std::panic::set_hook(Box::new(|_| {}));
    let corpus = match arguments.corpus.clone() {
        Some(larger) => Corpus::own().with(larger)?,
        None => Corpus::open()?,
    };
    match &arguments.command {
        Some(Command::Random(arguments)) => return random::run_random(arguments),
        Some(Command::RandomC(arguments)) => return random_c::run_random_c(arguments),
        Some(Command::Folding(arguments)) => return folding::run_folding(arguments, &corpus),
        Some(Command::Twins(arguments)) => return twins::run_twins(arguments, &corpus),
        Some(Command::Select(arguments)) => return select::run_select(arguments, &corpus),
        None => {}
    }
    let (settings, mut tally) = settings(&arguments);
    let mut differences = 0;
    let mut beside_peer = BesidePeer::default();
    let mut everything = indexmap::IndexMap::new();
    for name in &arguments.suites {
        let Some(suite) = Suite::find(&corpus, name)? else {
            tally.skip(format_args!(
                "{name}, which is neither a suite nor a folder"
            ));
            continue;
        };
        let (suite, results) = run_suite(suite, &arguments, &settings);
        tally.ran(results.len(), suite.listed);
        differences += report(&suite, &results, &arguments)?;
        if let Some(allowed) = arguments.beside_peer {
            beside_peer += peer::beside_peer(&suite, &results, allowed, &settings)?;
        }
        everything.insert(suite.name, results);
    }
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_string_pretty(&everything)?)?;
    }
    println!("{tally}");
    tally.note_skips();
    tally.check(arguments.require)?;
    if differences > 0 {
        bail!("{differences} lines differ from docs/conformance; --bless accepts them");
    }
    arguments
        .beside_peer
        .map_or(Ok(()), |_| beside_peer.check())
}

/// The settings of a run, with the requested executors that this machine has.
fn settings(arguments: &Arguments) -> (Settings, Tally) {
    let mut executors = arguments.executors.clone();
    let mut tally = Tally::on(executors.iter().map(|&e| case_run::name(e)).collect());
    let missing = missing(arguments.target);
    if let Some(missing) = missing.filter(|_| executors.contains(&Executor::Stock)) {
        tally.skip_executor(case_run::name(Executor::Stock), missing);
        executors.retain(|&e| e != Executor::Stock);
    }
    let settings = Settings {
        executors,
        target: arguments.target,
        extension: arguments.extension.clone(),
        verify: arguments.verify,
    };
    (settings, tally)
}

/// Why the second runtime of a target cannot run its artifacts; `None` if it can.
fn missing(target: TargetName) -> Option<&'static str> {
    match target.kind().runtimes.get(1) {
        // Programs for Ethos-U call a backend that only the NPU's own runtime has.
        _ if target.has(Choice::Vela) => Some("the stock runtime, whose wheel has no Ethos-U"),
        Some(Runtime::TosaReference) => kiln_tosa::reference::PROGRAM.find().is_err().then_some(
            "TOSA's reference model, which is not there (scripts/tosa-tools installs it)",
        ),
        Some(Runtime::Executorch) => kiln_portable::program::RUNNER.find().is_err().then_some(
            "the stock runtime, whose runner is not there (scripts/stock-runtime installs it)",
        ),
        Some(Runtime::Qemu) if is_for_the_host(target) => Some("QEMU, which has no board for it"),
        Some(Runtime::Qemu) => kiln_cortex_m::lacks_qemu(),
        Some(Runtime::Builtin | Runtime::Host) | None => {
            Some("another runtime, of which there is none")
        }
    }
}

/// Whether a target's artifacts run on any machine, and on no board.
fn is_for_the_host(target: TargetName) -> bool {
    let core = kiln_cortex_m::cores::Core::named(target.name());
    core.is_some_and(|core| core.board.is_none())
}

fn run_suite(
    mut suite: Suite,
    arguments: &Arguments,
    settings: &Settings,
) -> (Suite, table::Results) {
    if let Some(filter) = &arguments.filter {
        suite.filter(filter);
    }
    let (done, total) = (AtomicUsize::new(0), suite.cases.len());
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let results: Vec<_> = suite
        .cases
        .par_iter()
        .map(|case| {
            let result = run_case(case, settings);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if terminal {
                eprint!("\r{} {done}/{total}", suite.name);
            }
            (case.name.clone(), result)
        })
        .collect();
    if terminal {
        eprintln!();
    }
    (suite, results.into_iter().collect())
}

/// Prints the totals and the outcomes that are not ok. Returns the number of lines that differ from the committed table.
fn report(suite: &Suite, results: &table::Results, arguments: &Arguments) -> Result<usize> {
    for (executor, counts) in table::totals(results) {
        let parts: Vec<String> = counts
            .iter()
            .map(|(status, n)| format!("{n} {status}"))
            .collect();
        println!("{} on {executor}: {}", suite.name, parts.join(", "));
    }
    for (case, result) in results {
        for (executor, outcome) in result.outcomes.iter().filter(|(_, o)| o.status != "ok") {
            println!(
                "  {case} on {executor}: {}: {}",
                outcome.status, outcome.detail
            );
        }
    }
    let projects = results.values().filter_map(|r| r.is_in_integers);
    let (count, in_integers) = projects.fold((0, 0), |(count, sum), is_in_integers| {
        (count + 1, sum + usize::from(is_in_integers))
    });
    if count > 0 {
        println!(
            "{}: {in_integers} of {count} quantised models compute in integers throughout",
            suite.name
        );
    }
    if arguments.verify {
        report_compared(suite, results)?;
    }
    if !arguments.bless && !arguments.check {
        return Ok(0);
    }
    let target = arguments.target;
    let mut name = match target == TargetName::default() {
        true => suite.name.clone(),
        false => format!("{}.{target}", suite.name),
    };
    if let Some(extension) = &arguments.extension {
        name = format!("{name}.{extension}");
    }
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/conformance/{name}.md"));
    let differences = table::write_or_check(&path, &name, results, suite.listed, arguments.bless)?;
    differences
        .iter()
        .take(40)
        .for_each(|line| println!("  {line}"));
    Ok(differences.len())
}

/// Prints how much the checks of the passes compared, and the cases of which they compared nothing.
///
/// # Errors
/// If they compared nothing at all.
fn report_compared(suite: &Suite, results: &table::Results) -> Result<()> {
    let of_cases = results
        .iter()
        .filter_map(|(case, r)| Some((case, r.compared?)));
    let mut all = Compared::default();
    for (case, compared) in of_cases {
        all += compared;
        if compared.is_blind() {
            println!(
                "  {case}: passes are checked by the verifier alone: no inputs give it a value"
            );
        }
    }
    println!(
        "{}: {} elements compared behind {} passes that changed the graph",
        suite.name, all.elements, all.changes
    );
    match all.is_blind() {
        true => bail!("{}: --verify compared nothing", suite.name),
        false => Ok(()),
    }
}
