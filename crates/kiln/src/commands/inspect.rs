//! `kiln inspect`: what a file holds.

use crate::model::Model;
use anyhow::{Context, Result};
use kiln_ir::graph::{InputSpec, OutputSpec};
use kiln_ir::{DType, Graph};
use kiln_pt2::Archive;
use kiln_pte::{Instruction, Method, Program, TensorValue, Value as ProgramValue};
use serde_json::{Value, json};
use std::path::Path;

/// Describes a file on stdout.
///
/// # Errors
/// If it cannot be read.
pub fn run(path: &Path, as_json: bool) -> Result<()> {
    let document = match Model::open(path)? {
        Model::Program(bytes) => {
            let program = kiln_pte::read(bytes).with_context(|| path.display().to_string())?;
            program_json(&program)
        }
        Model::Archive(archive) => {
            archive_json(&archive).with_context(|| path.display().to_string())?
        }
        Model::Text(graph) => graph_json(&graph),
        Model::Payload(bytes) => {
            let graph = kiln_xnnpack::payload::read(bytes.clone())
                .with_context(|| path.display().to_string())?;
            payload_json(&graph, bytes.len())
        }
        Model::Tosa(bytes) => {
            let graph =
                kiln_tosa::file::read(&bytes).with_context(|| path.display().to_string())?;
            super::inspect_tosa::tosa_json(&graph, bytes.len())
        }
    };
    if as_json {
        crate::output::print(&format!("{}\n", serde_json::to_string_pretty(&document)?))?;
    } else {
        crate::output::print(&outline(&document))?;
    }
    Ok(())
}

fn archive_json(archive: &Archive) -> Result<Value> {
    let program = archive.program()?;
    let mut targets = std::collections::BTreeMap::<&str, usize>::new();
    for node in &program.graph.nodes {
        *targets.entry(node.target.as_str()).or_default() += 1;
    }
    let weights: usize = archive
        .tensor_names()
        .filter_map(|n| archive.tensor(n).ok())
        .map(|t| t.storage().len())
        .sum();
    let imported = crate::import::import_archive(archive, "forward");
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
            (InputSpec::Scalar(s), _) => json!({ "frozen": format!("{s:?}") }),
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
        .map(|(_, c)| json!({"name": &*c.name, "type": format!("{:?}", c.ty)}))
        .collect();
    json!({
        "kind": "graph", "method": graph.name, "inputs": inputs, "outputs": outputs,
        "ops": ops, "symbols": symbols, "state": state,
    })
}

/// All outputs by position, those too that are no tensor.
fn outputs_json(graph: &Graph) -> Vec<Value> {
    let mut results = graph.block(graph.root()).results.iter();
    let output = |spec: &OutputSpec| {
        match spec {
        OutputSpec::Tensor { dim_order } => results.next().map_or(Value::Null, |&v| {
            json!({"dtype": graph.ty(v).dtype.name(), "shape": shape_text(graph, v), "dim_order": dim_order})
        }),
        OutputSpec::Scalar(s) => json!({ "frozen": format!("{s:?}") }),
        OutputSpec::Text(t) => json!({ "frozen": t }),
        OutputSpec::None => Value::Null,
    }
    };
    graph.signature.outputs.iter().map(output).collect()
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

fn program_json(program: &Program) -> Value {
    let constants: u64 = program.constants.iter().map(|(_, b)| b.len() as u64).sum();
    let named: u64 = program.named_data.iter().map(|n| n.data.len() as u64).sum();
    let blobs: u64 = program
        .delegate_blobs
        .iter()
        .map(|(_, b)| b.len() as u64)
        .sum();
    json!({
        "kind": "ExecuTorch program",
        "version": program.version,
        "operators_to_link": program.operators().iter().map(kiln_pte::Operator::key).collect::<Vec<_>>(),
        "segments": {"constants": constants, "named_data": named, "delegate_blobs": blobs,
                     "initial_data": program.initial_data.iter().map(|(_, b)| b.len() as u64).sum::<u64>()},
        "methods": program.methods.iter().map(|m| method_json(program, m)).collect::<Vec<_>>(),
    })
}

fn method_json(program: &Program, method: &Method) -> Value {
    let delegates: Vec<Value> = method
        .delegates_with_blobs(program)
        .map(|(delegate, blob)| delegate_json(&delegate.id, blob))
        .collect();
    let count = |f: fn(&Instruction) -> bool| method.instructions.iter().filter(|i| f(i)).count();
    json!({
        "name": method.name,
        "inputs": method.input_values().map(value_json).collect::<Vec<_>>(),
        "outputs": method.output_values().map(value_json).collect::<Vec<_>>(),
        "arenas": method.arena_sizes,
        "planned_bytes": method.planned_bytes(),
        "kernel_calls": method.kernel_calls(),
        "delegate_calls": count(|i| matches!(i, Instruction::DelegateCall { .. })),
        "instructions": method.instructions.len(),
        "delegates": delegates,
    })
}

fn delegate_json(id: &str, blob: Option<&bytes::Bytes>) -> Value {
    let Some(blob) = blob else {
        return json!({ "backend": id });
    };
    let described = match id {
        kiln_xnnpack::BACKEND => kiln_xnnpack::payload::read(blob.clone())
            .map(|graph| payload_json(&graph, blob.len()))
            .map_err(|e| e.to_string()),
        kiln_ethos::BACKEND => kiln_ethos::payload::read(blob)
            .map(|payload| super::inspect_ethos_u::payload_json(&payload, blob.len()))
            .map_err(|e| e.to_string()),
        _ => return json!({ "backend": id, "bytes": blob.len() }),
    };
    match described {
        Ok(mut described) => {
            described["backend"] = id.into();
            described
        }
        Err(error) => json!({ "backend": id, "bytes": blob.len(), "unreadable": error }),
    }
}

fn payload_json(graph: &kiln_xnnpack::payload::XnnGraph, bytes: usize) -> Value {
    let mut nodes = std::collections::BTreeMap::<&str, usize>::new();
    let names = graph.nodes.iter().map(|n| n.op.name());
    names.for_each(|name| *nodes.entry(name).or_default() += 1);
    let lines: Vec<String> = graph.to_string().lines().map(str::to_string).collect();
    json!({ "kind": "XNNPACK payload", "bytes": bytes, "nodes": nodes, "payload": lines })
}

fn value_json(value: &ProgramValue) -> Value {
    match value {
        ProgramValue::Tensor(tensor) => tensor_json(tensor),
        ProgramValue::Int(v) => json!({ "int": v }),
        ProgramValue::Bool(v) => json!({ "bool": v }),
        ProgramValue::Double(v) => json!({ "double": v }),
        ProgramValue::String(v) => json!({ "string": v }),
        ProgramValue::None => Value::Null,
        other => json!({ "kind": other.kind() }),
    }
}

fn tensor_json(tensor: &TensorValue) -> Value {
    let dtype = DType::from_name(tensor.dtype.name()).map_or("other", DType::name);
    json!({
        "dtype": dtype,
        "shape": tensor.sizes,
        "dim_order": tensor.dim_order,
        "dynamic": tensor.dynamism == kiln_pte::Dynamism::Bounded,
        "bytes": tensor.nbytes(),
    })
}

/// A JSON document as indented lines for people.
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
