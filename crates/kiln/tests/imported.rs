//! Small archives of what exports hold beside plain calls; `archives/make.py` writes them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::compare::{Tolerance, compare};
use kiln::evaluator::run_graph;
use kiln::model::Model;
use kiln_target::{Role, Runs};
use std::path::PathBuf;

/// The tolerance of each dtype.
const BY_DTYPE: Tolerance = Tolerance {
    rtol: None,
    atol: None,
    sqnr: None,
};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/archives")
        .join(name)
}

fn check(name: &str) {
    let path = file(&format!("{name}.pt2"));
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let golden = Runs::read(&file(&format!("{name}.safetensors"))).unwrap();
    let found = run_graph(&graph, &golden, golden.count()).unwrap();
    for run in 0..golden.count() {
        for position in golden.positions(run, Role::Output) {
            let expected = golden.get(run, Role::Output, position).unwrap();
            let got = found.get(run, Role::Output, position).unwrap();
            let outcome = compare(got, expected, &BY_DTYPE);
            assert!(
                outcome.ok,
                "{name} run {run} output {position}: {:?}",
                outcome.mismatch
            );
        }
    }
}

#[test]
fn branches_and_state_are_named_by_what_they_are() {
    check("branch");
    let path = file("branch.pt2");
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let names = |op: &str| -> Vec<String> {
        let nodes = graph
            .blocks()
            .flat_map(|(block, _)| graph.nodes_in(block).map(|(id, _)| id));
        let of_op = nodes.filter(|&id| graph.node(id).op.name() == op);
        let named = of_op.flat_map(|id| kiln_transforms::framework::pass::names(&graph, id));
        named.collect()
    };
    assert_eq!(names("if"), ["cond"]);
    assert_eq!(names("read_state"), ["total"]);
}

#[test]
fn graphs_that_only_switch_modes_are_read_in_place() {
    check("wrapped");
}

#[test]
fn complex_constants_are_read_as_their_parts() {
    check("rotary");
}

#[test]
fn buffers_that_share_memory_see_what_each_is_given() {
    check("cache");
}

#[test]
fn a_write_to_memory_that_no_buffer_covers_is_refused() {
    let path = file("overlapping.pt2");
    let error = Model::open(&path).unwrap().graph(&path, "forward");
    let message = format!("{:#}", error.unwrap_err());
    assert!(message.contains("shares memory with b"), "{message}");
}

#[test]
fn autocast_is_refused_with_what_to_do() {
    let path = file("autocast.pt2");
    let error = Model::open(&path).unwrap().graph(&path, "forward");
    let message = format!("{:#}", error.unwrap_err());
    assert!(message.contains("run_decompositions"), "{message}");
}
