//! Executes a graph on the reference interpreter.
//!
//! One loaded graph executes all runs in order, so that state carries over.

use anyhow::Result;
use kiln_eval::{Options, State, Tensor, evaluate};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{Graph, TensorData};
use kiln_target::{
    About, Error, Executor, Expected, Explain, Role, Runs, Session, check_frozen, scalar_tensor,
};

/// A graph on the interpreter.
pub struct Evaluator<'g> {
    graph: &'g Graph,
    expected: Vec<Expected>,
    state: State,
}

impl Evaluator<'_> {
    /// The interpreter, with the state that the graph starts from.
    pub fn new(graph: &Graph) -> Evaluator<'_> {
        Evaluator {
            graph,
            expected: graph.signature.inputs.iter().map(Expected::from).collect(),
            state: State::new(graph),
        }
    }
}

impl Session for Evaluator<'_> {
    fn about(&self) -> About {
        About {
            name: "evaluator",
            text: "the evaluator",
            gives_all_inputs: false,
            gives_numbers: true,
            keeps_dtypes: true,
        }
    }

    fn run_one(&mut self, inputs: &Runs, run: usize, results: &mut Runs) -> Result<(), Error> {
        check_frozen(&self.expected, inputs, run)?;
        let tensors = tensor_inputs(self.graph, inputs, run)?;
        let outcome = evaluate(self.graph, &tensors, &mut self.state, &Options::default());
        let outcome = outcome.explain(|| format!("run {run}"))?;
        let mut outputs = outcome.outputs.into_iter();
        for (i, spec) in self.graph.signature.outputs.iter().enumerate() {
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
            let data = TensorData::from(tensor);
            results.insert(run, Role::InputAfter, position as usize, data);
        }
        Ok(())
    }
}

/// The outputs of every run, and its inputs as the run left them.
///
/// # Errors
/// An input is missing or does not fit, or an op fails.
pub fn run_graph(graph: &Graph, inputs: &Runs, runs: usize) -> Result<Runs> {
    Ok(Evaluator::new(graph).run(inputs, runs, None)?.results)
}

/// The tensors that a graph takes in a run.
///
/// # Errors
/// One is missing.
pub fn tensor_inputs(graph: &Graph, inputs: &Runs, run: usize) -> Result<Vec<Tensor>, Error> {
    let mut tensors = Vec::new();
    for (i, spec) in graph.signature.inputs.iter().enumerate() {
        let InputSpec::Tensor { name, .. } = spec else {
            continue;
        };
        let missing = || {
            Error::new(format!(
                "run {run} has no tensor {run}.in.{i} for input {name}"
            ))
        };
        let data = inputs.get(run, Role::Input, i).ok_or_else(missing)?;
        tensors.push(Tensor::from(data.clone()));
    }
    Ok(tensors)
}
