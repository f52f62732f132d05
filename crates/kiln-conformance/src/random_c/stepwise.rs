//! Each op of a network by itself: a program of the same lowering that gives all integers, each of which is within the error of its kernel.

use super::case::{Case, Stop};
use kiln_check::within_kernels;
use kiln_eval::Tensor;
use kiln_ir::graph::OutputSpec;
use kiln_ir::ops::Meaning;
use kiln_ir::{Graph, Op, Rewriter, ValueId};

/// The quantised values that nodes of the root compute, or quantise floats to.
fn computed(graph: &Graph) -> Vec<ValueId> {
    let nodes = graph.nodes_in(graph.root());
    let computes = |op: &Op| match op {
        Op::Quantised(_) | Op::Requantize(_) | Op::Quantize(_) => true,
        op => op.on_quantised() == Meaning::Computed,
    };
    let nodes = nodes.filter(|(_, node)| computes(&node.op) && node.results.len() == 1);
    let values = nodes.map(|(_, node)| node.results[0]);
    values
        .filter(|&value| graph.ty(value).quant.is_some())
        .collect()
}

impl Case {
    /// The elements of all integers that were compared.
    ///
    /// # Errors
    /// If one of them is beyond the error of its kernel.
    pub fn beyond_kernels(&self) -> Result<u64, String> {
        let values = computed(&self.graph);
        let mut graph = self.graph.clone();
        let root = graph.root();
        let own = graph.block(root).results.len();
        let results = graph.block(root).results.iter().chain(&values);
        let results: Vec<ValueId> = results.copied().collect();
        let mut rewriter = Rewriter::new(&mut graph);
        rewriter.signature().outputs = vec![OutputSpec::TENSOR; results.len()];
        rewriter.set_results(root, results);
        let case = match Case::of_graph(graph, &self.choice) {
            Ok(case) => case,
            Err(Stop::Refused(_)) => return Ok(0),
            Err(Stop::Wrong(text)) => return Err(text),
        };
        let mut compared = 0;
        for run in case.runs.iter().filter(|run| run.is_bounded()) {
            let found = run.model_outputs.iter().skip(own).cloned();
            let found: Vec<Tensor> = found.collect();
            if found.len() != values.len() {
                continue;
            }
            let found = values.iter().copied().zip(found).collect();
            let elements = within_kernels(&case.graph, &run.model_inputs, &found);
            let core = self.choice.core.name;
            let elements =
                elements.map_err(|fault| format!("beyond the kernel: on {core}, {fault}"))?;
            compared += elements as u64;
        }
        Ok(compared)
    }
}
