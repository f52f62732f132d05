//! Every rule of every pass has a pattern, and the pattern reaches the rule.

use kiln_check::{FakeTarget, planted, plants};
use kiln_ir::verify::verify;
use kiln_transforms::framework::pass::run_pass;
use kiln_transforms::passes::all_passes;

/// Graphs for each pattern, and how many of them the rule is applied to at least.
const GRAPHS: u64 = 60;
const LEAST: usize = 4;

/// It says why a layer is no pointwise map, and rewrites nothing.
const SAYS_ONLY: &str = "pointwise_map";

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
    let mut missed = Vec::new();
    for plant in plants() {
        let Some(pass) = all_passes().iter().find(|p| p.name == plant.pass) else {
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
        if reached < LEAST && plant.rule != SAYS_ONLY {
            missed.push((plant.pass, plant.rule, reached));
        }
    }
    assert_eq!(missed, []);
}
