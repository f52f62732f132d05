//! What `explain --json` says of a model.

use crate::folder::Folder;
use serde_json::Value;

/// The report for XNNPACK.
pub fn report(folder: &Folder, model: &str) -> Value {
    report_for(folder, model, "xnnpack")
}

/// The report for a target.
pub fn report_for(folder: &Folder, model: &str, target: &str) -> Value {
    let output = folder.kiln(&["explain", model, "--json", "--target", target]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The texts of a list.
pub fn texts(value: &Value) -> Vec<&str> {
    let all = value.as_array().unwrap().iter();
    all.map(|text| text.as_str().unwrap()).collect()
}

/// What the nodes of an op compute in, and why in floats.
pub fn numbers<'v>(report: &'v Value, op: &str) -> Vec<(&'v Value, &'v Value)> {
    let nodes = report["methods"][0]["nodes"].as_array().unwrap().iter();
    let nodes = nodes.filter(|node| node["op"] == op);
    nodes
        .map(|node| (&node["computes"], &node["why_floats"]))
        .collect()
}
