//! Quantised values outside of delegates: the stock kernels know no quantised types, so that ops on them compute in floats, between a
//! kernel that dequantises and one that quantises.

use kiln_ir::ops::Meaning;
use kiln_ir::{Graph, Id, NodeId, Op};
use kiln_target::{Place, Placed, is_of_quantised};
use std::collections::BTreeSet;

/// The warning about ops that compute in floats between such kernels; `None` if there are none. A target's own kernels do know
/// quantised types; only stock kernels have a reason why no delegate took the node.
pub fn warning_of_quantised_kernels(graph: &Graph, placements: &[Placed]) -> Option<String> {
    let outside = placements
        .iter()
        .filter(|p| p.place == Place::Kernel && p.reason.is_some());
    let outside: BTreeSet<NodeId> = outside
        .filter(|p| is_of_quantised(graph, p.node))
        .map(|p| p.node)
        .collect();
    let count = match computes_between(graph, placements, &outside) {
        true => outside.len(),
        false => return None,
    };
    let nodes = match count {
        1 => "node",
        _ => "nodes",
    };
    Some(format!(
        "quantised values are not delegated: {count} {nodes} run as kernels, and what is between them computes in floats"
    ))
}

/// True if a node computes in floats behind one of these dequantisations and in front of one of these quantisations.
fn computes_between(graph: &Graph, placements: &[Placed], outside: &BTreeSet<NodeId>) -> bool {
    let mut is_real = vec![false; graph.value_bound()];
    let mut is_computed = vec![false; graph.value_bound()];
    for id in placements.iter().map(|p| p.node) {
        let node = graph.node(id);
        let has = |known: &[bool]| node.operands.iter().any(|v| known[v.index()]);
        match &node.op {
            Op::Quantize(_) if outside.contains(&id) && has(&is_computed) => return true,
            Op::Quantize(_) => {}
            Op::Dequantize(_) => is_real[node.result().index()] = outside.contains(&id),
            op => {
                let computes = op.on_quantised() != Meaning::Carried;
                let (real, computed) = (has(&is_real), has(&is_computed));
                for result in &node.results {
                    is_real[result.index()] = real;
                    is_computed[result.index()] = computed || real && computes;
                }
            }
        }
    }
    false
}
