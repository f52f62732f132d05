//! Compares emitted programs on the builtin runtime, with poisoned memory, with the evaluator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;

use cases::{Case, inputs_of};
use kiln_check::{Side, difference_elsewhere};
use kiln_eval::Tensor;
use kiln_ir::Graph;
use kiln_ir::graph::{CellInit, Update};
use kiln_portable::{Method, Options, emit};
use kiln_pte::Program;
use kiln_pte::runtime::{self, Item, Runtime};

fn load(program: &Program) -> Result<Runtime<'_>, String> {
    let options = runtime::Options { poison: Some(0xA5) };
    Runtime::load(program, "forward", &[], &options).map_err(|e| e.to_string())
}

/// True if a call reads what an earlier one left.
fn has_state(graph: &Graph) -> bool {
    let keeps = |u: &Update| matches!(graph.cell(u.cell).init, CellInit::Constant(_));
    graph.updates().iter().any(keeps)
}

fn run(case: &Case) -> Result<(), String> {
    let graph = case.graph();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).map_err(|e| e.to_string())?;
    let mut loaded = load(&emitted.program)?;
    for (run, sizes) in case.runs.iter().enumerate() {
        // The evaluator's state is new for each of these runs, in which it calls the graph twice.
        if has_state(&graph) && run > 0 {
            loaded = load(&emitted.program)?;
        }
        let inputs = inputs_of(&graph, sizes, run as u64);
        let expected = kiln_check::run(&graph, &inputs)?;
        let mut found = expected.clone();
        let calls = if has_state(&graph) { 2 } else { 1 };
        for results in found.chunks_mut(expected.len() / calls) {
            call(&mut loaded, &graph, &inputs, results).map_err(|e| format!("run {run}: {e}"))?;
        }
        let own = Side {
            graph: &graph,
            ran: &expected,
        };
        if let Some(difference) = difference_elsewhere(own, &found, &inputs) {
            return Err(format!("run {run}: {difference}"));
        }
    }
    Ok(())
}

/// Puts the outputs of a call in place of the evaluator's, which stand in front of its state.
fn call(
    loaded: &mut Runtime<'_>,
    graph: &Graph,
    inputs: &[Tensor],
    results: &mut [Tensor],
) -> Result<(), String> {
    let inputs: Vec<_> = inputs.iter().cloned().map(Some).collect();
    let outputs = loaded.execute(&inputs).map_err(|e| e.to_string())?;
    let wanted = graph.block(graph.root()).results.len();
    if outputs.len() != wanted {
        return Err(format!("{} outputs, not {wanted}", outputs.len()));
    }
    for (i, (output, result)) in outputs.into_iter().zip(results).enumerate() {
        let Item::Tensor(output) = output else {
            return Err(format!("output {i}: {output:?}"));
        };
        *result = output;
    }
    Ok(())
}

#[test]
fn agrees_with_the_evaluator() {
    let failures: Vec<String> = cases::all()
        .iter()
        .filter_map(|case| run(case).err().map(|e| format!("{}: {e}", case.name)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
