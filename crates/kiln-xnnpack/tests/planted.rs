//! The patterns of `kiln-check` for passes of this crate reach their rules, and what the passes make of them is right.

use kiln_check::{check_passes, planted, plants};
use kiln_ir::verify::verify;
use kiln_transforms::passes::all_passes;
use kiln_xnnpack::{Options, Xnnpack, pipeline};

/// Graphs for each pattern, and how many of them the rule is applied to at least.
const GRAPHS: u64 = 60;
const LEAST: usize = 4;

#[test]
fn patterns_reach_the_rules_of_this_crate() {
    // Copies of weights fit no cache, so that steps of small recurrences become blocks.
    let target = Xnnpack::new(Options {
        cached_bytes: 0,
        ..Options::default()
    });
    let own = |name: &str| !all_passes().iter().any(|pass| pass.name == name);
    for pass in pipeline().iter().filter(|pass| own(pass.name)) {
        for rule in pass.rules {
            let mut reached = 0;
            let of_rule = plants().filter(|p| (p.pass, p.rule) == (pass.name, *rule));
            for (plant, seed) in of_rule.flat_map(|p| (1..=GRAPHS).map(move |seed| (p, seed))) {
                let mut graph = planted(seed, plant);
                assert_eq!(verify(&graph), Ok(()), "{rule} {seed}");
                let checked = check_passes(&mut graph, &target, pipeline(), None);
                let checked = checked.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
                let runs = checked.runs.iter().filter(|run| run.pass == pass.name);
                let mut applied = runs.flat_map(|run| &run.report.applied);
                let is_checked = !checked.compared.is_blind();
                reached += usize::from(is_checked && applied.any(|a| a.rule == *rule));
            }
            println!("{rule} of {}: {reached} graphs", pass.name);
            assert!(
                reached >= LEAST,
                "{rule} of {}: {reached} graphs",
                pass.name
            );
        }
    }
}
