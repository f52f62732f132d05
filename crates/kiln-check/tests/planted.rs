//! Every rule of every pass has a pattern, and the pattern reaches the rule.

use kiln_check::{FakeTarget, planted, plants};
use kiln_ir::verify::verify;
use kiln_transforms::framework::pass::run_pass;
use kiln_transforms::passes::all_passes;
use std::collections::BTreeSet;

/// Graphs for each pattern, and how many of them the rule is applied to at least.
const GRAPHS: u64 = 60;
const LEAST: usize = 4;

/// Passes of `kiln-xnnpack`, which this crate does not see: `tests/planted.rs` there checks their patterns.
const ELSEWHERE: [&str; 1] = ["repeat_blocks"];

#[test]
fn every_rule_has_a_pattern() {
    for pass in all_passes() {
        for rule in pass.rules {
            let has = plants().any(|p| (p.pass, p.rule) == (pass.name, *rule));
            assert!(has, "no pattern for {rule} of {}", pass.name);
        }
    }
}

#[test]
fn patterns_reach_their_rules() {
    let (mut missed, mut elsewhere) = (Vec::new(), BTreeSet::new());
    for plant in plants() {
        let Some(pass) = all_passes().iter().find(|p| p.name == plant.pass) else {
            elsewhere.insert(plant.pass);
            continue;
        };
        let target = FakeTarget::parse(plant.lacks.split_whitespace());
        let mut reached = 0;
        for seed in 1..=GRAPHS {
            let mut graph = planted(seed, plant);
            assert_eq!(verify(&graph), Ok(()), "{} {seed}", plant.rule);
            let run = run_pass(&mut graph, &target, pass, None);
            let is_reached = run.report.applied.iter().any(|a| a.rule == plant.rule);
            reached += usize::from(is_reached);
        }
        if reached < LEAST {
            missed.push((plant.pass, plant.rule, reached));
        }
    }
    assert_eq!(missed, []);
    assert_eq!(elsewhere, BTreeSet::from(ELSEWHERE));
}
