//! Executes graphs on inputs.

use kiln_eval::{Observer, Options, State, Tensor, evaluate_observed};
use kiln_ir::graph::{CellInit, Update};
use kiln_ir::{Graph, NodeId};

/// The results of the calls of a graph, in a fixed order: outputs, mutated inputs and state of each call.
pub type Ran = Vec<Tensor>;

/// Limits of an execution, so that a check ends on any graph.
fn limits() -> Options {
    Options {
        max_bytes: 4 << 30,
        max_iterations: 4096,
    }
}

/// Executes a graph. A graph with state is called twice, so that the second call reads what the first one left.
///
/// # Errors
/// The inputs do not fit, or an op has no value for them.
pub fn run(graph: &Graph, inputs: &[Tensor]) -> Result<Ran, String> {
    run_observed(graph, inputs, &mut |_: &Graph, _: NodeId, _: &[Tensor]| {})
}

/// As [`run`]. The observer sees each node's results and may change them.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    graph: &Graph,
    inputs: &[Tensor],
    observer: &mut dyn Observer,
) -> Result<Ran, String> {
    let mut state = State::new(graph);
    let keeps = |u: &Update| matches!(graph.cell(u.cell).init, CellInit::Constant(_));
    let has_state = graph.updates().iter().any(keeps);
    let mut left = Ran::new();
    for _ in 0..if has_state { 2 } else { 1 } {
        let outcome = evaluate_observed(graph, inputs, &mut state, &limits(), observer)
            .map_err(|e| e.to_string())?;
        left.extend(outcome.outputs);
        left.extend(outcome.updated_inputs.into_iter().map(|(_, tensor)| tensor));
        let updated = graph.updates().iter().filter_map(|u| state.get(u.cell));
        left.extend(updated.cloned());
    }
    Ok(left)
}
