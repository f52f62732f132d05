//! A test of the tests: each guard of each pass is taken away in turn, and a random graph must show that results are wrong.
//!
//! Only graphs in which the guard forbids something can show it. So each graph goes through all passes once with all guards,
//! which says what forbids something there, and once more without each of those that are not yet caught. If the graph behind
//! the pass is another one then, its results are judged.
//!
//! `KILN_GUARD_GRAPHS=100000 cargo test --release -p kiln-check --test guards -- --nocapture` searches longer and prints all.

use kiln_check::{FakeTarget, Fault, Plant, fault_alone, guarded, near_misses, planted, plants};
use kiln_ir::Graph;
use kiln_ir::text::{Data, print};
use kiln_transforms::framework::guard::{Guard, observed, without};
use kiln_transforms::framework::pass::{Pass, run_pass};
use kiln_transforms::passes::all_passes;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Graphs in which every guard must be caught.
const GRAPHS: u64 = 6000;

/// Graphs in which the removal of one guard is judged: judging costs more than all else.
const MAX_JUDGED: u64 = 300;

/// What is known of a guard.
#[derive(Default)]
struct Outcome {
    /// Graphs that a pass rewrites otherwise without it, until it is caught.
    reached: u64,
    /// The first graph that shows its removal: seed, pattern, pass, and how.
    caught: Option<(u64, &'static Plant, &'static Pass, Fault)>,
}

type Outcomes = Mutex<BTreeMap<Guard, Outcome>>;

fn graphs() -> u64 {
    let wanted = std::env::var("KILN_GUARD_GRAPHS").ok();
    wanted.map_or(GRAPHS, |n| n.parse().expect("a number of graphs"))
}

fn all_guards() -> impl Iterator<Item = Guard> {
    let lists = all_passes().iter().flat_map(|pass| pass.guards);
    lists.flat_map(|guards| guards.iter().copied())
}

/// The pattern for the graph of a seed: every second one is a near miss.
fn plant_of(seed: u64) -> &'static Plant {
    let number = usize::try_from(seed / 2).expect("small");
    let found = match seed.is_multiple_of(2) {
        true => plants().nth(number % plants().count()),
        false => near_misses().nth(number % near_misses().count()),
    };
    found.expect("there are as many")
}

/// Takes away what forbids something in the graph of a seed, one by one.
fn try_graph(seed: u64, outcomes: &Outcomes) {
    let plant = plant_of(seed);
    let graph = planted(seed, plant);
    let target = FakeTarget::parse(plant.lacks.split_whitespace());
    for pass in all_passes() {
        let (with, forbade) = observed(|| rewritten(&graph, pass, &target));
        for guard in forbade {
            if is_done(guard, outcomes)
                || without(guard, || rewritten(&graph, pass, &target)) == with
            {
                continue;
            }
            outcomes
                .lock()
                .expect("no thread panics")
                .entry(guard)
                .or_default()
                .reached += 1;
            if let Some(fault) = fault_without(guard, &graph, pass, &target) {
                let mut known = outcomes.lock().expect("no thread panics");
                let outcome = known.entry(guard).or_default();
                outcome.caught.get_or_insert((seed, plant, pass, fault));
            }
        }
    }
}

fn is_done(guard: Guard, outcomes: &Outcomes) -> bool {
    let known = outcomes.lock().expect("no thread panics");
    let outcome = known.get(&guard);
    outcome.is_some_and(|o| o.caught.is_some() || o.reached > MAX_JUDGED)
}

/// The graph behind the pass as text; `None` if the pass panics.
fn rewritten(graph: &Graph, pass: &Pass, target: &FakeTarget) -> Option<String> {
    let mut graph = graph.clone();
    guarded(|| run_pass(&mut graph, target, pass, None)).ok()?;
    Some(print(&graph, Data::Digest))
}

/// What is wrong without the guard and right with it.
fn fault_without(guard: Guard, graph: &Graph, pass: &Pass, target: &FakeTarget) -> Option<Fault> {
    let fault = without(guard, || fault_alone(graph, pass, target))?;
    assert_eq!(fault_alone(graph, pass, target), None, "{}", pass.name);
    Some(fault)
}

fn search() -> BTreeMap<Guard, Outcome> {
    let (next, outcomes) = (AtomicU64::new(1), Outcomes::default());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (last, all) = (graphs(), all_guards().count());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let known = outcomes.lock().expect("no thread panics");
                    let caught = known.values().filter(|o| o.caught.is_some()).count();
                    drop(known);
                    if seed > last || caught == all {
                        return;
                    }
                    try_graph(seed, &outcomes);
                }
            });
        }
    });
    outcomes.into_inner().expect("no thread panics")
}

#[test]
fn every_removed_guard_is_caught() {
    // What a pass without a guard panics with is no news.
    std::panic::set_hook(Box::new(|_| {}));
    let outcomes = search();
    let _ = std::panic::take_hook();
    let mut missed = Vec::new();
    for guard in all_guards() {
        let name = format!("{} {}", guard.module, guard.name);
        let Some(outcome) = outcomes.get(&guard) else {
            missed.push(format!("{name}: no graph changes without it"));
            continue;
        };
        let reached = outcome.reached;
        match &outcome.caught {
            Some((seed, plant, pass, fault)) => println!(
                "{name}: caught in {reached} tries, in graph {seed} ({} of {}) behind {}: {fault}",
                plant.rule, plant.pass, pass.name
            ),
            None => missed.push(format!(
                "{name}: {reached} graphs change without it, none is wrong"
            )),
        }
    }
    let all = all_guards().count();
    println!("{} of {all} guards caught", all - missed.len());
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn guards_are_named_once() {
    let mut names: Vec<_> = all_guards()
        .map(|guard| (guard.module, guard.name))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Passes that need no guard, with the reasons.
const WITHOUT_GUARDS: [(&str, &str); 9] = [
    (
        "signed_integers",
        "each unsigned byte has a signed one that stands for the same real, whatever the scales are",
    ),
    (
        "centred_weights",
        "integers less their zero points stand for the same reals; the type has no others",
    ),
    (
        "linear_forms",
        "the shapes of a product and of a layer refuse every matrix that is none; all other conditions are of cost",
    ),
    (
        "outer_views",
        "any movement is the composition of its parts; where it stands only decides what the parts cost",
    ),
    (
        "saturate_quantize",
        "reals above a limit quantise to the greatest integer with or without it; kernels decide where it is needed",
    ),
    (
        "quantize_nan",
        "the number in place of NaN quantises to the integer that NaN has; kernels and domains decide where it is needed",
    ),
    (
        "widen_integers",
        "the same steps about 0 stand for the same reals; ranges beyond 2^24 steps would lose nothing but speed",
    ),
    (
        "sink_moves",
        "functions of single elements pass any movement, and shapes refuse operands of several elements",
    ),
    (
        "unrepeat",
        "the factors of movements say what is repeated, and shapes refuse rows and matrices that do not correspond",
    ),
];

#[test]
fn every_pass_has_a_guard_or_a_reason() {
    let reasoned: Vec<&str> = WITHOUT_GUARDS.iter().map(|(name, _)| *name).collect();
    for pass in all_passes() {
        let has_guard = pass.guards.iter().any(|guards| !guards.is_empty());
        let has_reason = reasoned.contains(&pass.name);
        assert_ne!(has_guard, has_reason, "{}", pass.name);
    }
    let is_known = |name: &&str| all_passes().iter().any(|pass| pass.name == *name);
    assert!(reasoned.iter().all(is_known), "{reasoned:?}");
}
