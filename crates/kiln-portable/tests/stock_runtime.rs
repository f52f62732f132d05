//! Compares emitted programs on the stock runtime with the evaluator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;

use cases::{Case, inputs_of};
use kiln_eval::{State, evaluate};
use kiln_ir::Graph;
use kiln_ir::graph::InputSpec;
use kiln_portable::{Method, Options, emit};
use kiln_target::{Role, Runs};
use kiln_testing::part::STOCK_RUNTIME;
use std::path::Path;
use std::process::Command;

/// The positions of the root block's parameters in the signature.
fn positions(graph: &Graph) -> Vec<usize> {
    let inputs = graph.signature.inputs.iter().enumerate();
    inputs
        .filter(|(_, i)| matches!(i, InputSpec::Tensor { .. }))
        .map(|(position, _)| position)
        .collect()
}

/// The inputs and the evaluator's results.
fn expected(graph: &Graph, case: &Case) -> Result<Runs, String> {
    let (mut state, mut runs) = (State::new(graph), Runs::default());
    for (run, sizes) in case.runs.iter().enumerate() {
        let inputs = inputs_of(graph, sizes, run as u64);
        let outcome = evaluate(graph, &inputs, &mut state, &kiln_eval::Options::default())
            .map_err(|e| e.to_string())?;
        for (position, input) in positions(graph).into_iter().zip(inputs) {
            runs.insert(run, Role::Input, position, input.into());
        }
        for (i, output) in outcome.outputs.into_iter().enumerate() {
            runs.insert(run, Role::Output, i, output.into());
        }
        for (i, after) in outcome.updated_inputs {
            runs.insert(run, Role::InputAfter, i as usize, after.into());
        }
    }
    Ok(runs)
}

fn run(runner: &Path, folder: &Path, case: &Case) -> Result<(), String> {
    let graph = case.graph();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).map_err(|e| e.to_string())?;
    let [program, tensors] =
        ["pte", "safetensors"].map(|e| folder.join(format!("{}.{e}", case.name)));
    kiln_pte::write_file(&emitted.program, &program).map_err(|e| e.to_string())?;
    let expected = expected(&graph, case)?;
    expected.write(&tensors).map_err(|e| e.to_string())?;
    let mut command = Command::new(runner);
    command.arg(&program).arg("--in").arg(&tensors);
    command.args(["--compare", "--poison", "256"]);
    if expected.all(Role::InputAfter).next().is_some() {
        command.arg("--inputs-after");
    }
    let done = command.output().map_err(|e| e.to_string())?;
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
}

#[test]
fn agrees_with_the_evaluator() {
    let Some(runner) = STOCK_RUNTIME.find() else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stock_runtime");
    std::fs::create_dir_all(&folder).unwrap();
    let failures: Vec<String> = cases::all()
        .iter()
        .filter_map(|case| {
            run(&runner, &folder, case)
                .err()
                .map(|e| format!("{}: {e}", case.name))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
