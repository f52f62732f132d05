//! The support table against Vela: what passes it Vela takes, for random graphs of every operator.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "../../kiln-tosa/tests/cases/mod.rs"]
mod cases;

use kiln_ethos::{CommandStreams, Core, Vela, find, support};

/// One core of each family whose rules differ.
const CORES: [&str; 2] = ["ethos-u55-128", "ethos-u85-256"];

#[test]
fn what_the_table_lets_pass_vela_takes() {
    if find().is_err() {
        return println!("skipped: Vela is not there (scripts/tosa-tools)");
    }
    let seeds: u64 = std::env::var("KILN_SEEDS").map_or(1, |n| n.parse().unwrap());
    for core in CORES.map(|name| name.parse::<Core>().unwrap()) {
        let vela = Vela::new(core, Vec::new());
        let mut taken = 0;
        for case in (0..seeds).flat_map(cases::all) {
            if support(core, &case.graph).is_err() {
                continue;
            }
            // A sum of 48 bits leaves no delegate.
            let is_wide = |d: &str| case.name.contains(d);
            if is_wide("i48") {
                continue;
            }
            let made = vela.make(&case.graph);
            assert!(made.is_ok(), "{core}: {}: {}", case.name, made.unwrap_err());
            taken += 1;
        }
        assert!(taken > 20, "{core}: only {taken} graphs pass the table");
    }
}
