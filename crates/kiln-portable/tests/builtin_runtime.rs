//! Graphs emitted and run on the builtin runtime with poisoned memory, against the evaluator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;

use cases::{Case, inputs_of};
use kiln_eval::{State, evaluate};
use kiln_portable::{Method, Options, emit};
use kiln_pte::runtime::{self, Item, Runtime};

fn run(case: &Case) -> Result<(), String> {
    let graph = case.graph();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).map_err(|e| e.to_string())?;
    let options = runtime::Options { poison: Some(0xA5) };
    let mut loaded = Runtime::load(&emitted.program, "forward", &[], &options)
        .map_err(|error| error.to_string())?;
    let mut state = State::new(&graph);
    for (run, sizes) in case.runs.iter().enumerate() {
        let inputs = inputs_of(&graph, sizes, run as u64);
        let wanted = evaluate(&graph, &inputs, &mut state, &kiln_eval::Options::default())
            .map_err(|error| error.to_string())?;
        let inputs: Vec<_> = inputs.into_iter().map(Some).collect();
        let found = loaded.execute(&inputs).map_err(|e| e.to_string())?;
        let counts = [found.len(), wanted.outputs.len()];
        if counts[0] != counts[1] {
            return Err(format!(
                "run {run}: {} outputs, not {}",
                counts[0], counts[1]
            ));
        }
        for (i, (found, wanted)) in found.iter().zip(&wanted.outputs).enumerate() {
            let Item::Tensor(found) = found else {
                return Err(format!("run {run} output {i}: {found:?}"));
            };
            if found.sizes() != wanted.sizes() || found.bytes() != wanted.bytes() {
                return Err(format!("run {run} output {i}: {found:?}, not {wanted:?}"));
            }
        }
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
