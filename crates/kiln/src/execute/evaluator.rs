//! Runs on the reference interpreter.

use super::scalar_tensor;
use crate::tensors::{Role, Runs};
use anyhow::{Context, Result, bail};
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{Graph, TensorData};

/// The outputs, and inputs as left, of every run.
///
/// # Errors
/// If an input is missing or does not fit, or an op fails.
pub fn run_graph(graph: &Graph, inputs: &Runs, runs: usize) -> Result<Runs> {
    let mut state = State::new(graph);
    let mut results = Runs::default();
    for run in 0..runs {
        let tensors = tensor_inputs(graph, inputs, run)?;
        let outcome = evaluate(graph, &tensors, &mut state, &Options::default())
            .with_context(|| format!("run {run}"))?;
        let mut outputs = outcome.outputs.into_iter();
        for (i, spec) in graph.signature.outputs.iter().enumerate() {
            let data = match spec {
                OutputSpec::Tensor { .. } => outputs.next().map(TensorData::from),
                OutputSpec::Scalar(scalar) => Some(scalar_tensor(*scalar)),
                OutputSpec::None | OutputSpec::Text(_) => None,
            };
            if let Some(data) = data {
                results.insert(run, Role::Output, i, data);
            }
        }
        for (position, tensor) in outcome.updated_inputs {
            results.insert(
                run,
                Role::InputAfter,
                position as usize,
                TensorData::from(tensor),
            );
        }
    }
    Ok(results)
}

fn tensor_inputs(graph: &Graph, inputs: &Runs, run: usize) -> Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    for (i, spec) in graph.signature.inputs.iter().enumerate() {
        let InputSpec::Tensor { name, .. } = spec else {
            continue;
        };
        match inputs.get(run, Role::Input, i) {
            Some(data) => tensors.push(Tensor::from(data.clone())),
            None => bail!("run {run} has no tensor {run}.in.{i} for input {name}"),
        }
    }
    Ok(tensors)
}
