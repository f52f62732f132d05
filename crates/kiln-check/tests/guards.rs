//! A test of the tests: each guard of each pass is taken away in turn, and a random graph must show that results are wrong.
//!
//! Only graphs in which the guard forbids something can show it. So each graph goes through all passes once with all guards,
//! which says what forbids something there, and once more without each of those that are not yet caught.
//!
//! `KILN_GUARD_GRAPHS=100000 cargo test --release -p kiln-check --test guards -- --nocapture` searches longer and prints all.

use kiln_check::{FakeTarget, Fault, Plant, fault_alone, planted, plants};
use kiln_ir::Graph;
use kiln_transforms::framework::guard::{Guard, observed, without};
use kiln_transforms::framework::pass::{Pass, run_pass};
use kiln_transforms::passes::all_passes;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Graphs in which every guard must be caught.
const GRAPHS: u64 = 6000;

/// Graphs in which the removal of one guard is judged: judging costs more than all else.
const MOST_JUDGED: u64 = 300;

/// What is known of a guard.
#[derive(Default)]
struct Outcome {
    /// Graphs in which it forbids something.
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

/// Takes away what forbids something in the graph of a seed, one by one.
fn try_graph(seed: u64, outcomes: &Outcomes) {
    let count = plants().count();
    let plant = plants().nth(usize::try_from(seed).expect("small") % count);
    let plant = plant.expect("there are as many");
    let graph = planted(seed, plant);
    let target = FakeTarget::parse(plant.lacks.split_whitespace());
    for pass in all_passes() {
        let (_, forbade) = observed(|| run_pass(&mut graph.clone(), &target, pass, None));
        for guard in forbade {
            let mut known = outcomes.lock().expect("no thread panics");
            let outcome = known.entry(guard).or_default();
            outcome.reached += 1;
            let is_done = outcome.caught.is_some() || outcome.reached > MOST_JUDGED;
            drop(known);
            if is_done {
                continue;
            }
            if let Some(fault) = fault_without(guard, &graph, pass, &target) {
                let mut known = outcomes.lock().expect("no thread panics");
                let outcome = known.entry(guard).or_default();
                outcome.caught.get_or_insert((seed, plant, pass, fault));
            }
        }
    }
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
            missed.push(format!("{name}: no graph reaches it"));
            continue;
        };
        let reached = outcome.reached;
        match &outcome.caught {
            Some((seed, plant, pass, fault)) => println!(
                "{name}: reached by {reached} graphs, caught in graph {seed} ({} of {}) behind {}: {fault}",
                plant.rule, plant.pass, pass.name
            ),
            None => missed.push(format!(
                "{name}: reached by {reached} graphs, none is wrong"
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
