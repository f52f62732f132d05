//! The features of a case: what it exercises, as lines of text. `conformance select` chooses cases by them.

use anyhow::{Context, Result};
use kiln_pt2::{Archive, Argument, Graph, InputSpec, OutputSpec, ScalarType, SymExpr, SymInt};
use kiln_testing::corpus::Case;
use serde_json::Value;
use std::collections::BTreeSet;

/// The suites whose cases are whole models. Each model counts as a feature of its own.
const MODELS: [&str; 3] = ["models_small", "quantised_cm", "quantised_small"];

/// The features of a case of a suite.
///
/// # Errors
/// If the archive of the case cannot be read.
pub fn features(suite: &str, case: &Case) -> Result<BTreeSet<String>> {
    let mut found = of_entry(&case.entry);
    if MODELS.contains(&suite) {
        found.insert(format!("model {}", case.name));
    }
    let path = case.file("pt2");
    if path.is_file() {
        of_archive(&path, &mut found).with_context(|| path.display().to_string())?;
    } else if case.entry.is_null() {
        // A problem of the memory planner or a program: each file counts as a feature of its own.
        found.insert(format!("file {}", case.name));
    }
    Ok(found.into_iter().map(|f| format!("{suite}: {f}")).collect())
}

/// The features that the index names: tags, functions, the rule that judges values, dtypes and dim orders of inputs and
/// outputs.
fn of_entry(entry: &Value) -> BTreeSet<String> {
    let texts = |key: &str| {
        let items = entry[key].as_array().into_iter().flatten();
        let texts = items.filter_map(Value::as_str).map(str::to_owned);
        texts.collect::<Vec<_>>()
    };
    let mut found = BTreeSet::new();
    found.extend(texts("tags").iter().map(|tag| format!("tag {tag}")));
    found.extend(texts("functions").iter().map(|f| format!("function {f}")));
    if let Some(version) = entry["saved_by"].as_str() {
        let how = texts("tags").join(" ");
        found.insert(format!("saved by torch {version} {how}"));
    }
    if entry["runs"].as_u64() > Some(1) {
        found.insert("several runs".into());
    }
    for rule in ["sqnr_min", "qtol"] {
        if entry[rule].as_f64().is_some_and(|limit| limit > 0.0) {
            found.insert(format!("judged by {rule}"));
        }
    }
    for side in ["in", "out"] {
        for tensor in entry[side].as_array().into_iter().flatten() {
            let dtype = tensor[0].as_str().unwrap_or("None");
            let rank = tensor[1].as_array().map_or(0, Vec::len);
            found.insert(format!("{side} {dtype} of rank {rank}"));
            if !tensor[2].is_null() {
                found.insert(format!("{side} in order {}", tensor[2]));
            }
        }
    }
    found
}

fn of_archive(path: &std::path::Path, found: &mut BTreeSet<String>) -> Result<()> {
    let archive = Archive::open(path)?;
    let program = archive.program()?;
    found.insert(format!(
        "archive {:?} {:?}",
        archive.form(),
        program.dialect()
    ));
    for spec in &program.signature.input_specs {
        found.insert(format!("input {}", input_kind(spec)));
    }
    for spec in &program.signature.output_specs {
        found.insert(format!("output {}", output_kind(spec)));
    }
    for range in program.range_constraints.values() {
        let end =
            |bound: Option<i64>| bound.map_or("open", |n| if n == 0 { "zero" } else { "closed" });
        let [min, max] = [range.min, range.max].map(end);
        found.insert(format!("symbol from {min} to {max}"));
    }
    of_graph(&program.graph, found);
    Ok(())
}

fn input_kind(spec: &InputSpec) -> String {
    match spec {
        InputSpec::UserInput { arg } => format!("of user, {}", argument_kind(arg)),
        InputSpec::Parameter { .. } => "parameter".into(),
        InputSpec::Buffer { persistent, .. } => format!("buffer, persistent {persistent}"),
        InputSpec::TensorConstant { .. } => "constant tensor".into(),
        InputSpec::CustomObj { .. } => "object".into(),
        InputSpec::Token { .. } => "token".into(),
        InputSpec::ConstantInput { value, .. } => {
            let text = format!("{value:?}");
            let kind = text.split('(').next().unwrap_or_default();
            format!("frozen, {kind}")
        }
    }
}

fn output_kind(spec: &OutputSpec) -> String {
    match spec {
        OutputSpec::UserOutput { arg } => format!("of user, {}", argument_kind(arg)),
        other => {
            let text = format!("{other:?}");
            text.split(' ').next().unwrap_or_default().to_owned()
        }
    }
}

/// The name of the variant.
fn argument_kind(argument: &Argument) -> String {
    let text = format!("{argument:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_owned()
}

/// The operators with the dtype of their results, and the expressions of sizes, also of nested graphs.
fn of_graph(graph: &Graph, found: &mut BTreeSet<String>) {
    for node in &graph.nodes {
        let given = node
            .outputs
            .iter()
            .chain(node.inputs.iter().map(|i| &i.arg));
        let dtype = given.filter_map(|a| dtype_of(graph, a)).next();
        let op = node.target.trim_start_matches("torch.ops.");
        found.insert(match dtype {
            Some(dtype) => format!("op {op} {dtype:?}"),
            None => format!("op {op}"),
        });
        for input in &node.inputs {
            if let Argument::Graph(nested) = &input.arg {
                of_graph(&nested.graph, found);
            }
        }
    }
    let sizes = graph.tensor_values.values().flat_map(|meta| &meta.sizes);
    for size in sizes.chain(graph.sym_int_values.values()) {
        if let SymInt::Expr { expr, hint } = size {
            found.insert(format!("size known to export: {}", hint.is_some()));
            of_size(expr, found);
        }
    }
}

fn dtype_of(graph: &Graph, argument: &Argument) -> Option<ScalarType> {
    let name = match argument {
        Argument::Tensor(name) | Argument::OptionalTensor(Some(name)) => name,
        Argument::Tensors(names) => names.first()?,
        _ => return None,
    };
    graph.tensor_values.get(name).map(|meta| meta.dtype)
}

fn of_size(expr: &SymExpr, found: &mut BTreeSet<String>) {
    if let SymExpr::Op(op, operands) = expr {
        found.insert(format!("size by {op:?}"));
        operands.iter().for_each(|operand| of_size(operand, found));
    }
}
