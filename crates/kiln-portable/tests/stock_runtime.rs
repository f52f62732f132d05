//! Compares emitted programs on the stock runtime with the evaluator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cases;

use cases::{Case, inputs_of};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::graph::InputSpec;
use kiln_ir::{DType, Graph};
use kiln_portable::{Method, Options, emit};
use kiln_testing::part::STOCK_RUNTIME;
use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
use std::path::Path;
use std::process::Command;

fn stored(dtype: DType) -> Dtype {
    match dtype {
        DType::Bool => Dtype::BOOL,
        DType::U8 => Dtype::U8,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
    }
}

/// The positions of the root block's parameters in the signature.
fn positions(graph: &Graph) -> Vec<usize> {
    let inputs = graph.signature.inputs.iter().enumerate();
    inputs
        .filter(|(_, i)| matches!(i, InputSpec::Tensor { .. }))
        .map(|(position, _)| position)
        .collect()
}

/// The inputs and the evaluator's results, by the names that the runner uses.
fn expected(graph: &Graph, case: &Case) -> Result<Vec<(String, Tensor)>, String> {
    let (mut state, mut tensors) = (State::new(graph), Vec::new());
    for (run, sizes) in case.runs.iter().enumerate() {
        let inputs = inputs_of(graph, sizes, run as u64);
        let outcome = evaluate(graph, &inputs, &mut state, &kiln_eval::Options::default())
            .map_err(|e| e.to_string())?;
        for (position, input) in positions(graph).into_iter().zip(inputs) {
            tensors.push((format!("{run}.in.{position}"), input));
        }
        for (i, output) in outcome.outputs.into_iter().enumerate() {
            tensors.push((format!("{run}.out.{i}"), output));
        }
        for (i, after) in outcome.updated_inputs {
            tensors.push((format!("{run}.in_after.{i}"), after));
        }
    }
    Ok(tensors)
}

fn run(runner: &Path, folder: &Path, case: &Case) -> Result<(), String> {
    let graph = case.graph();
    let emitted = emit(&[Method::new(&graph)], &Options::default()).map_err(|e| e.to_string())?;
    let [program, tensors] =
        ["pte", "safetensors"].map(|e| folder.join(format!("{}.{e}", case.name)));
    kiln_pte::write_file(&emitted.program, &program).map_err(|e| e.to_string())?;
    let expected = expected(&graph, case)?;
    let views = expected.iter().map(|(name, t)| {
        let view = TensorView::new(stored(t.dtype()), t.sizes().to_vec(), t.bytes()).unwrap();
        (name.as_str(), view)
    });
    serialize_to_file(views, None, &tensors).map_err(|e| e.to_string())?;
    let mut command = Command::new(runner);
    command.arg(&program).arg("--in").arg(&tensors);
    command.args(["--compare", "--poison", "256"]);
    if expected.iter().any(|(name, _)| name.contains("in_after")) {
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
