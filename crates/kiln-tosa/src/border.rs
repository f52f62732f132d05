//! The inputs and outputs of a file.

use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{Graph, ValueId};

/// The tensor inputs with their names, in order.
pub(crate) fn inputs(graph: &Graph) -> Vec<(String, ValueId)> {
    let specs = graph.signature.inputs.iter().filter_map(|spec| match spec {
        InputSpec::Tensor { name, .. } => Some(name.to_string()),
        InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
    });
    specs
        .zip(graph.block(graph.root()).params.iter().copied())
        .collect()
}

/// The tensor outputs with names for them, in order.
pub(crate) fn outputs(graph: &Graph) -> Vec<(String, ValueId)> {
    let specs = graph
        .signature
        .outputs
        .iter()
        .filter(|spec| matches!(spec, OutputSpec::Tensor { .. }));
    let names = specs.enumerate().map(|(i, _)| format!("output_{i}"));
    names
        .zip(graph.block(graph.root()).results.iter().copied())
        .collect()
}
