//! Compares the support table with Vela: Vela must compile every graph that the table accepts. The graphs are random, for
//! each operator.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../kiln-tosa/tests/cases/mod.rs"]
mod cases;

use cases::Case;
use kiln_ethos::{CommandStreams, Core, Vela, support};
use kiln_testing::part;
use kiln_tosa::dialect::{Region, TensorId, TosaGraph};

/// One core of each family whose rules differ.
const CORES: [&str; 2] = ["ethos-u55-128", "ethos-u85-256"];

/// `KILN_SEEDS=N` sets the number of seeds.
#[test]
fn what_the_table_lets_pass_vela_takes() {
    if part::VELA.find().is_none() {
        return;
    }
    let seeds: u64 = std::env::var("KILN_SEEDS").map_or(2, |n| n.parse().unwrap());
    for core in CORES.map(|name| name.parse::<Core>().unwrap()) {
        let all = (0..seeds).flat_map(cases::all);
        // A delegate never returns a 48-bit sum.
        let passing: Vec<Case> = all
            .filter(|case| support(core, &case.graph).is_ok() && !case.name.contains("i48"))
            .collect();
        assert!(passing.len() > 20, "{core}: {} graphs pass", passing.len());
        check(&Vela::new(core, Vec::new()), &passing, core);
    }
}

/// Compiles all graphs in one file. If Vela refuses it, halves the list to find the graphs that it refuses.
fn check(vela: &Vela, cases: &[Case], core: Core) {
    let (alone, together): (Vec<&Case>, Vec<&Case>) =
        cases.iter().partition(|case| case.graph.regions.len() > 1);
    for case in alone {
        let made = vela.make(&case.graph);
        assert!(made.is_ok(), "{core}: {}: {}", case.name, made.unwrap_err());
    }
    halves(vela, &together, core);
}

fn halves(vela: &Vela, cases: &[&Case], core: Core) {
    let Err(error) = vela.make(&joined(cases)) else {
        return;
    };
    if let [only] = cases {
        panic!("{core}: {}: {error}\n{}", only.name, only.graph);
    }
    let (left, right) = cases.split_at(cases.len() / 2);
    halves(vela, left, core);
    halves(vela, right, core);
    panic!(
        "{core}: Vela takes the halves of {} graphs, but not all: {error}",
        cases.len()
    );
}

/// One graph with the operators of all graphs, each of which has one region.
fn joined(cases: &[&Case]) -> TosaGraph {
    let mut all = Region {
        name: "main".into(),
        ..Region::default()
    };
    for (number, case) in cases.iter().enumerate() {
        let mut own = case.graph.main().clone();
        let first = all.tensors.len() as u32;
        let moved = |id: &mut TensorId| id.0 += first;
        for operator in &mut own.operators {
            operator
                .inputs
                .iter_mut()
                .chain(&mut operator.outputs)
                .for_each(moved);
        }
        own.inputs
            .iter_mut()
            .chain(&mut own.outputs)
            .for_each(moved);
        for tensor in &mut own.tensors {
            tensor.name = format!("{}_{number}", tensor.name);
        }
        all.tensors.extend(own.tensors);
        all.operators.extend(own.operators);
        all.inputs.extend(own.inputs);
        all.outputs.extend(own.outputs);
    }
    TosaGraph { regions: vec![all] }
}
