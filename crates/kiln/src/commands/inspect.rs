//! `kiln inspect`: describes a file.

use crate::model::Model;
use anyhow::{Context, Result};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{Graph, Scalar, TypeNames};
use kiln_pt2::{Archive, Payload, StoredTensor};
use serde_json::{Value, json};
use std::path::Path;

/// Describes a file on stdout.
///
/// # Errors
/// The file cannot be read; or it is damaged, which is said behind its description.
pub fn run(path: &Path, as_json: bool) -> Result<()> {
    let model = Model::open(path)?;
    let is_whole = model.verify_checksums();
    let document = match model {
        Model::Archive(archive) => {
            archive_json(&archive).with_context(|| path.display().to_string())?
        }
        Model::Text(graph) => graph_json(&graph),
        Model::Artifact(artifact) => {
            let document = artifact.inspect();
            document.with_context(|| path.display().to_string())?
        }
    };
    if as_json {
        crate::output::print(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    } else {
        crate::output::print(&outline(&document))?;
    }
    // A damaged member may still be read, as something else.
    is_whole
}

fn archive_json(archive: &Archive) -> Result<Value> {
    let program = archive.program()?;
    let mut targets = std::collections::BTreeMap::<&str, usize>::new();
    for node in &program.graph.nodes {
        *targets.entry(node.target.as_str()).or_default() += 1;
    }
    let weights: usize = archive
        .tensor_names()
        .filter_map(|n| archive.payload(n).ok())
        .map(|payload| stored_bytes(&payload))
        .sum();
    let imported = crate::import::import_archive(archive, "forward", Default::default());
    let graph = match &imported {
        Ok(graph) => graph_json(graph),
        Err(error) => json!({ "refused": format!("{error:#}") }),
    };
    Ok(json!({
        "kind": "torch.export archive",
        "torch": program.torch_version,
        "schema": format!("{}.{}", program.schema_version.major, program.schema_version.minor),
        "dialect": format!("{:?}", program.dialect()),
        "nodes": program.graph.nodes.len(),
        "weight_bytes": weights,
        "operators": targets,
        "graph": graph,
    }))
}

/// The bytes that the archive stores under one name, with all that a tensor subclass wraps.
fn stored_bytes(payload: &Payload) -> usize {
    let bytes = |tensor: &StoredTensor| tensor.storage().len();
    match payload {
        Payload::Tensor(tensor) => bytes(tensor),
        Payload::Subclass(subclass) => subclass.inner.values().map(bytes).sum(),
    }
}

fn graph_json(graph: &Graph) -> Value {
    let root = graph.block(graph.root());
    let mut params = root.params.iter();
    let inputs: Vec<Value> = graph
        .signature
        .inputs
        .iter()
        .map(|spec| match (spec, spec_is_tensor(spec).then(|| params.next()).flatten()) {
            (InputSpec::Tensor { name, dim_order }, Some(&value)) => {
                let ty = graph.ty(value);
                json!({"name": &**name, "dtype": ty.dtype.name(), "shape": shape_text(graph, value), "dim_order": dim_order})
            }
            (InputSpec::Scalar(s), _) => json!({ "frozen": frozen(*s) }),
            (InputSpec::Text(t), _) => json!({ "frozen": t }),
            _ => Value::Null,
        })
        .collect();
    let outputs = outputs_json(graph);
    let mut ops = std::collections::BTreeMap::<&str, usize>::new();
    for (block, _) in graph.blocks() {
        for (_, node) in graph.nodes_in(block) {
            *ops.entry(node.op.name()).or_default() += 1;
        }
    }
    let symbols: Vec<Value> = graph
        .symbols
        .iter()
        .map(|(_, s)| json!({"name": s.name, "min": s.min, "max": s.max}))
        .collect();
    let state: Vec<Value> = graph
        .cells()
        .map(|(_, c)| json!({"name": &*c.name, "type": TypeNames(&c.ty, &graph.symbols).to_string()}))
        .collect();
    json!({
        "kind": "graph", "method": graph.name, "inputs": inputs, "outputs": outputs,
        "ops": ops, "symbols": symbols, "state": state,
    })
}

/// The outputs by position, including those that are not tensors.
fn outputs_json(graph: &Graph) -> Vec<Value> {
    let mut results = graph.block(graph.root()).results.iter();
    let output = |spec: &OutputSpec| {
        match spec {
        OutputSpec::Tensor { dim_order } => results.next().map_or(Value::Null, |&v| {
            json!({"dtype": graph.ty(v).dtype.name(), "shape": shape_text(graph, v), "dim_order": dim_order})
        }),
        OutputSpec::Scalar(s) => json!({ "frozen": frozen(*s) }),
        OutputSpec::Text(t) => json!({ "frozen": t }),
        OutputSpec::None => Value::Null,
    }
    };
    graph.signature.outputs.iter().map(output).collect()
}

/// A number that was fixed at export, as a program shows it.
fn frozen(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Int(number) => json!({ "int": number }),
        Scalar::Float(number) => json!({ "float": number }),
        Scalar::Bool(flag) => json!({ "bool": flag }),
    }
}

fn spec_is_tensor(spec: &InputSpec) -> bool {
    matches!(spec, InputSpec::Tensor { .. })
}

fn shape_text(graph: &Graph, value: kiln_ir::ValueId) -> Vec<String> {
    graph
        .ty(value)
        .shape
        .iter()
        .map(|d| kiln_ir::dim::DimNames(d, &graph.symbols).to_string())
        .collect()
}

/// A JSON document as indented lines of text.
fn outline(value: &Value) -> String {
    fn write(value: &Value, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        match value {
            Value::Object(map) => {
                for (key, item) in map {
                    if is_flat(item) {
                        out.push_str(&format!("{pad}{key}: {}\n", flat(item)));
                    } else {
                        out.push_str(&format!("{pad}{key}:\n"));
                        write(item, depth + 1, out);
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    if is_flat(item) {
                        out.push_str(&format!("{pad}{}\n", flat(item)));
                    } else {
                        out.push_str(&format!("{pad}-\n"));
                        write(item, depth + 1, out);
                    }
                }
            }
            other => out.push_str(&format!("{pad}{}\n", flat(other))),
        }
    }
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn is_flat(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.len() <= 6 && map.values().all(|v| !v.is_object() && is_flat(v)),
        Value::Array(items) => {
            items
                .iter()
                .all(|v| v.is_number() || v.as_str().is_some_and(|s| s.len() < 24))
                && items.len() <= 16
        }
        _ => true,
    }
}

fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(flat).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(map) => map
            .iter()
            .map(|(k, v)| format!("{k} {}", flat(v)))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    }
}
