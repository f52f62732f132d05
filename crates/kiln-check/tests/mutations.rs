//! A test of the tests: seeded wrong rewrites are caught, traced to their rule, and cut down to a region
//! that shows them again when it is read back from its text.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod mutants;

use kiln_check::{Failure, FakeTarget, Fault, Recipe, check_passes, fault_alone, generate};
use kiln_ir::text::{Data, parse, print};
use kiln_ir::{Graph, Op};
use kiln_transforms::framework::pass::Pass;
use kiln_transforms::passes::all_passes;
use mutants::MUTANTS;

/// Graphs in which a mutant must be caught: CI runs a thousand.
const GRAPHS: u64 = 1000;

fn caught(mutant: &Pass) -> Option<(u64, Box<Failure>)> {
    (1..=GRAPHS).find_map(|seed| {
        let mut graph = generate(seed, &Recipe::ANY);
        let target = FakeTarget::default();
        let failure = check_passes(&mut graph, &target, &[*mutant], None).err()?;
        Some((seed, failure))
    })
}

/// Nodes but constants.
fn size(graph: &Graph) -> usize {
    let nodes = graph.nodes_in(graph.root());
    nodes
        .filter(|(_, n)| !matches!(n.op, Op::Constant(_)))
        .count()
}

#[test]
fn every_mutant_is_caught_and_cut_down() {
    let mut shown = String::new();
    for mutant in &MUTANTS {
        let (seed, failure) =
            caught(mutant).unwrap_or_else(|| panic!("{} is not caught", mutant.name));
        assert_eq!(failure.rule, rule_of(mutant, &failure), "{failure}");
        assert!(failure.application.is_some(), "{failure}");
        let text = print(&failure.region, Data::Full);
        assert!(size(&failure.region) <= 3, "{failure}\n{text}");
        let again = parse(&text).unwrap();
        let fault = fault_alone(&again, mutant, &FakeTarget::default());
        assert_eq!(fault.as_ref(), Some(&failure.fault), "{text}");
        shown += &format!("seed {seed}: {failure}\n");
    }
    println!("{shown}");
}

/// A pass that panics or breaks the graph leaves no report of the application.
fn rule_of(mutant: &Pass, failure: &Failure) -> Option<&'static str> {
    match failure.fault {
        Fault::Fails { .. } | Fault::Differs { .. } => Some(mutant.name),
        Fault::Panics(_) | Fault::Endless | Fault::Broken(_) => None,
    }
}

#[test]
fn the_verifier_catches_what_breaks_the_graph() {
    let mutant = MUTANTS
        .iter()
        .find(|m| m.name == "defined_behind_its_use")
        .unwrap();
    let (_, failure) = caught(mutant).unwrap();
    assert!(matches!(failure.fault, Fault::Broken(_)), "{failure}");
}

#[test]
fn a_mutant_is_found_among_right_passes() {
    let mutant = MUTANTS
        .iter()
        .find(|m| m.name == "concat_in_reverse")
        .unwrap();
    let clean = *all_passes().iter().find(|p| p.name == "clean").unwrap();
    let found = (1..=GRAPHS).find_map(|seed| {
        let mut graph = generate(seed, &Recipe::ANY);
        let passes = [clean, *mutant, clean];
        check_passes(&mut graph, &FakeTarget::default(), &passes, None).err()
    });
    assert_eq!(found.unwrap().pass, mutant.name);
}

/// A graph is the same for a seed, and graphs differ in size, dtype and families.
#[test]
fn graphs_repeat_and_vary() {
    let mut families = std::collections::BTreeSet::new();
    let (mut symbolic, mut nodes) = (0, 0);
    for seed in 1..=400 {
        let graph = generate(seed, &Recipe::ANY);
        let text = print(&graph, Data::Full);
        assert_eq!(text, print(&generate(seed, &Recipe::ANY), Data::Full));
        for (block, _) in graph.blocks() {
            families.extend(graph.nodes_in(block).map(|(_, n)| n.op.name()));
        }
        symbolic += usize::from(graph.symbols.iter().next().is_some());
        nodes += graph.node_count();
    }
    let missing: Vec<&str> = kiln_ir::ops::TABLE
        .iter()
        .map(|row| row.name)
        .filter(|name| !families.contains(name))
        .collect();
    assert_eq!(
        missing,
        ["bind_symbol", "foreign"],
        "families that no graph has"
    );
    assert!(symbolic > 80, "{symbolic} graphs with symbolic dims");
    assert!(nodes > 400 * 8, "{nodes} nodes");
}
