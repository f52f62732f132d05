//! `conformance random`: random graphs through every pass alone, passes in random orders, the whole
//! pipeline, and, for a share of them, a compiled program on the builtin runtime.
//!
//! Each pass is checked against the graph before it ([`kiln_check::check_passes`]); a failure is traced to
//! one rule, cut down, and printed as text that `kiln opt` loads. Failures of one rule count as one; none is let off.
//! 100,000 graphs take some ten minutes of CPU time; `--seed` and `--count` cut them into parts.

use anyhow::{Context, Result, bail};
use clap::Args;
use indexmap::IndexMap;
use kiln::compiler::{TargetOptions, compile_graph};
use kiln::execute::run_builtin;
use kiln::target::TargetName;
use kiln::tensors::{Role, Runs};
use kiln_check::{
    Baseline, Close, Failure, FakeTarget, Random, Recipe, Side, Situation, Sizes, Values,
    check_passes_from, difference, generate, guarded, inputs, run, shrink,
};
use kiln_ir::text::{Data, print};
use kiln_ir::verify::verify;
use kiln_ir::{Graph, TensorData};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::framework::target::Target;
use kiln_transforms::passes::all_passes;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many graphs, and which.
#[derive(Args)]
pub struct Arguments {
    /// How many graphs.
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first graph's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Of 100 graphs, how many are compiled and run on the builtin runtime too.
    #[arg(long, default_value_t = 10)]
    compiled: u64,
    /// Where to write failing regions, each into a file of its own.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// What is wrong with one graph.
struct Found {
    /// What failures of the same cause share.
    key: String,
    text: String,
    region: Graph,
    command: String,
}

#[derive(Default)]
struct Tally {
    graphs: AtomicU64,
    nodes: AtomicU64,
    compiled: AtomicU64,
    /// Failures by key: the smallest, with all seeds, its own first.
    found: Mutex<IndexMap<String, (Vec<u64>, Found)>>,
    /// Graphs that did not compile, by reason.
    refused: Mutex<IndexMap<String, u64>>,
}

/// Runs the graphs.
///
/// # Errors
/// If one of them fails.
pub fn run_random(arguments: &Arguments) -> Result<()> {
    let tally = Tally::default();
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let seeds = arguments.seed..arguments.seed.saturating_add(arguments.count);
    seeds.into_par_iter().for_each(|seed| {
        let found = guarded(|| check(seed, arguments.compiled, &tally));
        if let Some(found) = found.unwrap_or_else(|panic| Some(of_panic(&panic))) {
            note(&tally, seed, found);
        }
        let done = tally.graphs.fetch_add(1, Ordering::Relaxed) + 1;
        if terminal && done.is_multiple_of(64) {
            eprint!("\r{done}/{}", arguments.count);
        }
    });
    if terminal {
        eprintln!();
    }
    report(arguments, tally)
}

fn note(tally: &Tally, seed: u64, found: Found) {
    let mut all = tally
        .found
        .lock()
        .expect("no thread panics while it holds the lock");
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

fn report(arguments: &Arguments, tally: Tally) -> Result<()> {
    let (graphs, nodes) = (tally.graphs.into_inner(), tally.nodes.into_inner());
    println!(
        "{graphs} graphs of {} nodes on average, seeds from {} on; {} compiled and run",
        nodes / graphs.max(1),
        arguments.seed,
        tally.compiled.into_inner()
    );
    let mut refused = tally.refused.into_inner().unwrap_or_default();
    refused.sort_by(|_, a, _, b| b.cmp(a));
    for (reason, count) in refused.iter().take(12) {
        println!("  {count} not compiled: {reason}");
    }
    let mut found = tally.found.into_inner().unwrap_or_default();
    found.sort_keys();
    for (number, (_, (seeds, found))) in found.iter().enumerate() {
        let text = print(&found.region, Data::Full);
        let (count, seed) = (seeds.len(), seeds[0]);
        println!("\n{count} graphs, for one seed {seed}: {}", found.text);
        if count > 1 {
            println!("# seeds {:?}", &seeds[..count.min(12)]);
        }
        println!("# {}\n{text}", found.command);
        if let Some(folder) = &arguments.out {
            std::fs::create_dir_all(folder)?;
            let path = folder.join(format!("{number}-{seed}.kiln"));
            let text = format!(
                "# {}\n# {}\n{text}",
                found.text.replace('\n', " "),
                found.command
            );
            std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    bail!("{} causes of failure", found.len())
}

/// Everything that is tried on the graph of a seed; the first that is wrong.
fn check(seed: u64, compiled: u64, tally: &Tally) -> Option<Found> {
    let mut random = Random::new(!seed);
    let recipe = if random.chance(75) {
        Recipe::ANY
    } else {
        Recipe::DENSE
    };
    let graph = generate(seed, &recipe);
    tally
        .nodes
        .fetch_add(graph.node_count() as u64, Ordering::Relaxed);
    if let Err(faults) = verify(&graph) {
        return Some(Found {
            key: "generator".into(),
            text: format!("the generator's graph is broken: {faults:?}"),
            region: graph,
            command: String::new(),
        });
    }
    let known = Baseline::all(&graph);
    let delegates = TargetName::Xnnpack.create(&TargetOptions::default());
    let words = fake_words(&mut random);
    let fake = FakeTarget::parse(words.iter().copied());
    let targets: [(&dyn Target, String); 2] = [
        (delegates.as_target(), "xnnpack".into()),
        (&fake, format!("a fake target: {}", words.join(" "))),
    ];
    let (target, name) = &targets[random.below(2)];
    for pass in all_passes() {
        let mut graph = graph.clone();
        if let Err(failure) = check_passes_from(&mut graph, *target, &[*pass], None, Some(&known)) {
            return Some(of_failure(failure, name));
        }
    }
    let (target, name) = &targets[random.below(2)];
    let order = random_passes(&mut random);
    if let Err(failure) = check_passes_from(&mut graph.clone(), *target, &order, None, Some(&known))
    {
        return Some(of_failure(failure, name));
    }
    let mut lowered = graph.clone();
    let (target, name) = &targets[0];
    let pipeline = delegates.pipeline();
    match check_passes_from(&mut lowered, *target, pipeline, None, Some(&known)) {
        Err(failure) => Some(of_failure(failure, name)),
        Ok(_) if random.chance(compiled) => check_program(&lowered, tally),
        Ok(_) => None,
    }
}

/// A panic outside what is checked: of the generator, the evaluator or the checker.
fn of_panic(text: &str) -> Found {
    Found {
        key: format!("panic {text}"),
        text: format!("the check panics: {text}"),
        region: Graph::new("none"),
        command: String::new(),
    }
}

fn random_passes(random: &mut Random) -> Vec<Pass> {
    let count = 2 + random.below(2 * all_passes().len());
    (0..count).map(|_| *random.pick(all_passes())).collect()
}

/// What a fake target lacks: a few of what passes can express by other ops. No float division that rounds:
/// in parts it is off by one where the rounded quotient is whole, as its rule says.
fn fake_words(random: &mut Random) -> Vec<&'static str> {
    const NAMES: [&str; 37] = [
        "softmax",
        "softmax.log",
        "softmax.inner",
        "normalize",
        "normalize.layer",
        "normalize.rms",
        "normalize.group",
        "normalize.batch",
        "attention",
        "unary.gelu",
        "unary.silu",
        "unary.mish",
        "unary.hardswish",
        "unary.elu",
        "unary.leaky_relu",
        "unary.softplus",
        "unary.log_sigmoid",
        "unary.expm1",
        "unary.log1p",
        "unary.erfinv",
        "unary.rsqrt",
        "unary.reciprocal",
        "binary.pow",
        "binary.prelu",
        "pool",
        "pool.1d",
        "adaptive_pool",
        "conv.1d",
        "conv.transposed",
        "matmul",
        "linear",
        "reduce.mean",
        "reduce.prod",
        "resize",
        "scan",
        "pad",
        "slice_update",
    ];
    let mut words = Vec::new();
    for list in ["none", "prefers", "kernel"] {
        words.push(list);
        for _ in 0..random.below(6) {
            words.push(*random.pick(&NAMES));
        }
    }
    if random.chance(50) {
        words.extend(["copies", "joins"]);
    }
    words
}

fn of_failure(failure: Box<Failure>, target: &str) -> Found {
    let rule = failure.rule.unwrap_or("");
    Found {
        key: format!("{} {rule}", failure.pass),
        text: format!("{failure} (target: {target})"),
        command: format!("kiln opt FILE --passes {} --verify", failure.pass),
        region: failure.region,
    }
}

/// Compiles a graph that has passed the pipeline, runs it, and compares with the evaluator.
fn check_program(graph: &Graph, tally: &Tally) -> Option<Found> {
    match program_fault(graph) {
        Ok(None) => {
            tally.compiled.fetch_add(1, Ordering::Relaxed);
            None
        }
        Err(reason) => {
            let mut refused = tally
                .refused
                .lock()
                .expect("no thread panics while it holds the lock");
            *refused.entry(reason).or_default() += 1;
            None
        }
        Ok(Some(fault)) => {
            let shows =
                |part: &Graph| verify(part).is_ok() && matches!(program_fault(part), Ok(Some(_)));
            let region = shrink(graph, &[], &shows);
            let fault = program_fault(&region).ok().flatten().unwrap_or(fault);
            let key = fault.split([':', ';']).next().unwrap_or_default();
            Some(Found {
                key: format!("program {key}"),
                text: format!("the program is wrong: {fault}"),
                region,
                command: "kiln compile FILE -o OUT.pte".into(),
            })
        }
    }
}

/// What is wrong with the graph's program; nothing if it is right.
///
/// # Errors
/// If the graph does not compile.
fn program_fault(graph: &Graph) -> Result<Option<String>, String> {
    let target = TargetName::Xnnpack.create(&TargetOptions::default());
    let compiled = match guarded(|| compile_graph(graph.clone(), &*target)) {
        Err(panic) => return Ok(Some(format!("the compiler panics: {panic}"))),
        Ok(Err(error)) => {
            let error = format!("{error:#}");
            // What is not supported is refused with a reason; a fault of ours says so.
            return match error.contains("a bug in Kiln") {
                true => Ok(Some(error)),
                false => Err(kind_of(&error)),
            };
        }
        Ok(Ok(compiled)) => compiled,
    };
    let Some(program) = compiled.artifact.program() else {
        return Ok(Some("the target makes no program".into()));
    };
    let mut bytes = Vec::new();
    if let Err(error) = kiln_pte::write(program, &mut bytes) {
        return Ok(Some(format!("the program cannot be written: {error}")));
    }
    let program = match kiln_pte::read(bytes.into()) {
        Ok(program) => program,
        Err(error) => return Ok(Some(format!("the program cannot be read: {error}"))),
    };
    for (sizes, values) in [
        (Sizes::Hint, Values::Noise),
        (Sizes::Least, Values::Finite),
        (Sizes::Greatest, Values::Noise),
    ] {
        let situation = Situation { sizes, values };
        if let Some(fault) = runs_apart(graph, &program, &compiled.methods[0].graph, situation) {
            return Ok(Some(fault));
        }
    }
    Ok(None)
}

/// A refusal without its numbers and names.
fn kind_of(error: &str) -> String {
    let words = error
        .split_whitespace()
        .filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
    words.take(24).collect::<Vec<_>>().join(" ")
}

fn runs_apart(
    graph: &Graph,
    program: &kiln_pte::Program,
    lowered: &Graph,
    situation: Situation,
) -> Option<String> {
    let inputs = inputs(graph, situation, 1)?;
    let mut expected = run(graph, &inputs).ok()?;
    // What the first call gives: state is compared by what later outputs show.
    expected.truncate(graph.block(graph.root()).results.len());
    let mut runs = Runs::default();
    for (i, tensor) in inputs.iter().enumerate() {
        runs.insert(0, Role::Input, i, TensorData::from(tensor.clone()));
    }
    let found = match guarded(|| run_builtin(program, &graph.name, &runs, 1, true)) {
        Err(panic) => return Some(format!("the runtime panics: {panic}")),
        Ok(Err(error)) => return Some(format!("the program fails: {error:#}")),
        Ok(Ok(found)) => found,
    };
    let count = expected.len();
    let tensors = (0..count).filter_map(|i| found.get(0, Role::Output, i));
    let found: Vec<_> = tensors
        .map(|t| kiln_eval::Tensor::from(t.clone()))
        .collect();
    let (old, new) = (
        Side {
            graph,
            ran: &expected,
        },
        Side {
            graph: lowered,
            ran: &found,
        },
    );
    let difference = difference(old, new, &inputs, Close::Rounding)?;
    Some(format!("wrong results; on {situation}, {difference}"))
}
