//! A TOSA file as a document.

use crate::dialect::{Region, Spec, TensorId, TosaGraph, TosaOp};
use crate::verify::{needed, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A graph as a document: its border, operators by name, what it needs, its faults, and every operator as a line.
pub(super) fn tosa_json(graph: &TosaGraph, bytes: u64) -> Value {
    let spec = needed(graph);
    let faults = verify(graph, Spec::all()).err().unwrap_or_default();
    let regions = graph.regions.iter().map(region_json);
    let lines: Vec<String> = graph.to_string().lines().map(str::to_owned).collect();
    json!({
        "kind": "TOSA file",
        "bytes": bytes,
        "needs": spec.to_string(),
        "faults": faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "transposed_bytes": crate::moved_bytes(graph),
        "regions": regions.collect::<Vec<_>>(),
        "graph": lines,
    })
}

fn region_json(region: &Region) -> Value {
    let mut operators = BTreeMap::<&str, usize>::new();
    let mut constants = 0;
    for operator in &region.operators {
        *operators.entry(operator.op.kind().name()).or_default() += 1;
        if let TosaOp::Const { values, .. } = &operator.op {
            constants += values.len();
        }
    }
    json!({
        "name": region.name,
        "inputs": border(region, &region.inputs),
        "outputs": border(region, &region.outputs),
        "operators": operators,
        "constant_bytes": constants,
    })
}

fn border(region: &Region, ids: &[TensorId]) -> Vec<Value> {
    let tensors = ids.iter().filter_map(|&id| region.tensor(id));
    tensors
        .map(|t| json!({"name": t.name, "dtype": t.dtype.name(), "shape": t.shape}))
        .collect()
}
