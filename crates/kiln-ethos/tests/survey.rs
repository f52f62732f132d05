//! The support table against Vela: what passes it Vela takes, for random graphs of every operator.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../kiln-tosa/tests/cases/mod.rs"]
mod cases;

use cases::Case;
use kiln_ethos::{CommandStreams, Core, Vela, support};
use kiln_testing::part;
use kiln_tosa::dialect::{Region, TensorId, TosaGraph};

/// One core of each family whose rules differ.
const CORES: [&str; 2] = ["ethos-u55-128", "ethos-u85-256"];

/// `KILN_SEEDS=N` takes so many times as many graphs.
#[test]
fn what_the_table_lets_pass_vela_takes() {
    if part::VELA.find().is_none() {
        return;
    }
    let seeds: u64 = std::env::var("KILN_SEEDS").map_or(2, |n| n.parse().unwrap());
    for core in CORES.map(|name| name.parse::<Core>().unwrap()) {
        let all = (0..seeds).flat_map(cases::all);
        // A sum of 48 bits leaves no delegate.
        let passing: Vec<Case> = all
            .filter(|case| support(core, &case.graph).is_ok() && !case.name.contains("i48"))
            .collect();
        assert!(passing.len() > 20, "{core}: {} graphs pass", passing.len());
        check(&Vela::new(core, Vec::new()), &passing, core);
    }
}

/// Vela takes all graphs in one file; if not, the halves tell which it does not.
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

/// Graphs of one region beside each other.
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
