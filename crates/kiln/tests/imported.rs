//! Small archives with features of exports other than plain calls. `archives/make.py` writes them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln::evaluator::run_graph;
use kiln::model::Model;
use kiln_check::{Ran, Side, difference_elsewhere};
use kiln_eval::Tensor;
use kiln_target::{Role, Runs};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/archives")
        .join(name)
}

/// The results of the first call are PyTorch's, as near as the graph's sensitivity to rounding explains. The results of
/// later calls, whose state is exact in these archives, are equal.
fn check(name: &str) {
    let path = file(&format!("{name}.pt2"));
    let graph = Model::open(&path).unwrap().graph(&path, "forward").unwrap();
    let golden = Runs::read(&file(&format!("{name}.safetensors"))).unwrap();
    let found = run_graph(&graph, &golden, golden.count()).unwrap();
    let of = |runs: &Runs, run: usize, role: Role| -> Ran {
        let tensors = golden.positions(run, role);
        let tensors = tensors.map(|i| Tensor::from(runs.get(run, role, i).unwrap()));
        tensors.collect()
    };
    for run in 0..golden.count() {
        let [ours, theirs] = [&found, &golden].map(|runs| of(runs, run, Role::Output));
        assert!(!theirs.is_empty(), "{name} run {run}");
        if run > 0 {
            assert_eq!(ours, theirs, "{name} run {run}");
            continue;
        }
        let own = Side {
            graph: &graph,
            ran: &ours,
        };
        let apart = difference_elsewhere(own, &theirs, &of(&golden, run, Role::Input));
        assert_eq!(apart, None, "{name}");
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
