//! Each guard of `repeat_blocks` is taken away in turn, and a random graph must show that results are wrong. `tests/guards.rs` of
//! `kiln-check` does the same for the passes of all targets.

use kiln_check::{Fault, Plant, fault_alone, near_misses, planted, plants};
use kiln_ir::Graph;
use kiln_transforms::framework::guard::{Guard, observed, without};
use kiln_transforms::framework::pass::{Options as Pipeline, Pass, run_pass, run_pipeline};
use kiln_xnnpack::{Options, Xnnpack, pipeline};

/// Graphs in which every guard must be caught.
const GRAPHS: u64 = 300;

const NAME: &str = "repeat_blocks";

fn pattern(seed: u64) -> &'static Plant {
    let all = || plants().chain(near_misses()).filter(|p| p.pass == NAME);
    let number = usize::try_from(seed).expect("small") % all().count();
    all().nth(number).expect("there are as many")
}

/// A target for which no copy of a weight is too small to matter.
fn target() -> Xnnpack {
    Xnnpack::new(Options {
        cached_bytes: 0,
        ..Options::default()
    })
}

/// The graph of a seed, as the passes before the last one leave it.
fn prepared(seed: u64, target: &Xnnpack) -> Graph {
    let mut graph = planted(seed, pattern(seed));
    let (_, before) = pipeline().split_last().expect("a pipeline has passes");
    let runs = run_pipeline(&mut graph, target, before, &Pipeline::default());
    runs.expect("the passes leave a valid graph");
    graph
}

/// What is wrong without a guard in one of the graphs, and in how many the guard forbids something.
fn search(guard: Guard, pass: &Pass, target: &Xnnpack) -> (u64, Option<(u64, Fault)>) {
    let mut forbids = 0;
    for seed in 1..=GRAPHS {
        let graph = prepared(seed, target);
        let (_, forbade) = observed(|| run_pass(&mut graph.clone(), target, pass, None));
        if !forbade.contains(&guard) {
            continue;
        }
        forbids += 1;
        if let Some(fault) = without(guard, || fault_alone(&graph, pass, target)) {
            assert_eq!(fault_alone(&graph, pass, target), None);
            return (forbids, Some((seed, fault)));
        }
    }
    (forbids, None)
}

#[test]
fn every_removed_guard_is_caught() {
    let (target, pass) = (target(), pipeline().last().expect("a pipeline has passes"));
    assert_eq!(pass.name, NAME);
    // What a pass without a guard panics with is no news.
    std::panic::set_hook(Box::new(|_| {}));
    let guards = pass.guards.iter().flat_map(|guards| guards.iter().copied());
    let found: Vec<_> = guards.map(|g| (g, search(g, pass, &target))).collect();
    let _ = std::panic::take_hook();
    let mut missed = Vec::new();
    for (guard, (forbids, caught)) in found {
        match caught {
            Some((seed, fault)) => println!("{}: caught in graph {seed}: {fault}", guard.name),
            None => missed.push(format!("{}: forbids in {forbids} graphs", guard.name)),
        }
    }
    assert_eq!(missed, Vec::<String>::new());
}
