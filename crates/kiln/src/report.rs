//! The report of a compilation as JSON, for `compile --report` and `explain --json`. Fields may be added, but never
//! change.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::target::TargetName;
use kiln_ir::{Graph, NodeId};
use kiln_target::{Bands, Figures, Moved, Mover, Options, Place, Placed};
use kiln_transforms::framework::pass::{PassRun, names, provenance};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Least;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The report of an artifact for a target with these options.
pub fn json(compiled: &Compiled, target: TargetName, options: &Options, size: u64) -> Value {
    let created = target.create(options);
    let methods: Vec<Value> = compiled
        .methods
        .iter()
        .enumerate()
        .map(|(i, method)| method_json(method, compiled.least_moved(i, &*created)))
        .collect();
    let mut report = json!({
        "target": target.to_string(),
        "size": size,
        "warnings": compiled.warnings(),
        "methods": methods,
    });
    for (name, section) in &compiled.sections {
        report[name] = section.clone();
    }
    report
}

/// A figure that the target does not have is 0, so that readers of the report find every field.
fn method_json(method: &CompiledMethod, least: Least) -> Value {
    let figures = &method.figures;
    let nodes: Vec<Value> = method
        .placements
        .iter()
        .map(|p| node_json(&method.graph, p))
        .collect();
    let passes: Vec<Value> = method.passes.iter().map(pass_json).collect();
    let assumed: Vec<Value> = figures
        .assumed_bounds
        .iter()
        .map(|a| json!({"symbol": a.symbol, "max": a.max}))
        .collect();
    let moves: Vec<Value> = figures
        .moves
        .iter()
        .map(|moved| move_json(&method.graph, moved))
        .collect();
    json!({
        "name": figures.name,
        "delegates": figures.delegates.unwrap_or(0),
        "kernel_calls": figures.kernel_calls.clone().unwrap_or_default(),
        "bands": figures.bands.map(|bands| json!({
            "layer_calls": bands.layers,
            "by_rows": bands.by_rows,
            "bands": bands.bands,
            "row_moves": bands.moves,
        })),
        "added_kernel_calls": figures.added,
        "planned_bytes": figures.planned_bytes.unwrap_or(0),
        "planned_lower_bound": figures.planned_lower_bound.unwrap_or(0),
        "scratch_bytes": figures.scratch_bytes,
        "transposed_bytes": figures.transposed_bytes,
        "transposed_lower_bound": least.bytes,
        "transposed_lower_bound_kind": if least.is_exact { "exact" } else { "relaxation" },
        "assumed_bounds": assumed,
        "moves": moves,
        "nodes": nodes,
        "passes": passes,
    })
}

fn move_json(graph: &Graph, moved: &Moved) -> Value {
    let mover = match &moved.mover {
        Mover::Node(node) => Some(name_of(graph, *node)),
        Mover::Line(line) => Some(line.clone()),
        Mover::Method => None,
    };
    json!({"node": mover, "bytes": moved.bytes})
}

fn node_json(graph: &Graph, placed: &Placed) -> Value {
    json!({
        "name": name_of(graph, placed.node),
        "op": graph.node(placed.node).op.name(),
        "placed": placed.place.to_string(),
        "reason": placed.reason.as_ref().map(ToString::to_string),
        "difference": placed.difference.as_ref().map(ToString::to_string),
        "found": placed.reason.as_ref().map(|r| r.found.clone()),
        "allowed": placed.reason.as_ref().map(|r| r.rule.clone()),
        "advice": placed.reason.as_ref().and_then(|r| r.advice.clone()),
        "why": why(placed),
        "source": source_of(graph, placed.node),
    })
}

fn pass_json(run: &PassRun) -> Value {
    let applied: Vec<Value> = run
        .report
        .applied
        .iter()
        .map(|a| json!({"rule": a.rule, "nodes": a.nodes}))
        .collect();
    let declined: Vec<Value> = run
        .report
        .declined
        .iter()
        .map(|d| {
            json!({
                "rule": d.rule,
                "node": if d.nodes.is_empty() { d.node.to_string() } else { d.nodes.join(", ") },
                "reason": d.reason.to_string(),
                "found": d.reason.found,
                "allowed": d.reason.rule,
                "advice": d.reason.advice,
                "source": (!d.source.is_empty()).then_some(&d.source),
            })
        })
        .collect();
    json!({
        "name": run.pass,
        "applied": applied,
        "declined": declined,
        "ms": run.time.as_secs_f64() * 1e3,
    })
}

/// The reason for a node's place, in words.
pub fn why(placed: &Placed) -> String {
    match &placed.reason {
        Some(reason) => sentence(reason),
        None if placed.place == Place::Free => {
            "costs nothing when running: a constant, a size, a state or a view".into()
        }
        None if placed.place == Place::Kernel => "a kernel runs it".into(),
        None => "the delegate runs it".into(),
    }
}

/// A reason as a sentence.
pub fn sentence(reason: &Reason) -> String {
    format!("{}; found {}", reason.rule, reason.found)
}

/// The source of a node, if it is known.
pub fn source_of(graph: &Graph, node: NodeId) -> Option<String> {
    Some(provenance(graph, node)).filter(|s| !s.is_empty())
}

/// The exporter's names for a node, else the name of its op.
pub fn name_of(graph: &Graph, node: NodeId) -> String {
    let names = names(graph, node);
    if names.is_empty() {
        graph.node(node).op.name().to_string()
    } else {
        names.join(", ")
    }
}

/// The summary of a method: a few lines of text.
pub fn summary(compiled: &Compiled, target: TargetName, output: &Path, size: u64) -> String {
    let name = compiled.artifact.name();
    let name = name.map_or(String::new(), |name| format!(", called {name} (--name)"));
    let mut text = format!("{}: {size} bytes{name}\n", output.display());
    for method in &compiled.methods {
        text += &figures_text(&method.figures);
        if let Some(verified) = &method.verified {
            text += &format!("    {}\n", verified.text(method.passes.len()));
        }
    }
    let misnamed = crate::warnings::of_name(output, compiled.artifact.kind(), target);
    for warning in compiled.warnings().into_iter().chain(misnamed) {
        text += &format!("warning: {warning}\n");
    }
    text
}

/// The figures that a method has, and a line for each kernel.
pub fn figures_text(figures: &Figures) -> String {
    let delegates = figures.delegates.map(|n| counted(n, "delegate"));
    let kernels = figures.kernel_calls.as_ref();
    let kernels = kernels.map(|_| {
        let bands = figures.bands.as_ref().and_then(Bands::text);
        let bands = bands.map_or(String::new(), |text| format!(" ({text})"));
        counted(figures.kernel_call_count(), "kernel call") + &bands
    });
    let planned = figures.planned_bytes.map(|bytes| {
        let least = figures
            .planned_lower_bound
            .map(|n| format!(" (at least {n})"));
        format!("{bytes} bytes planned{}", least.unwrap_or_default())
    });
    let scratch = figures.scratch_bytes;
    let scratch = scratch.map(|bytes| format!("{bytes} bytes of scratch memory beside"));
    let moved = format!("{} bytes only moved", figures.transposed_bytes);
    let parts = [delegates, kernels, planned, scratch, Some(moved)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let mut text = format!("  {}: {}\n", figures.name, parts.join(", "));
    for (kernel, count) in figures.kernel_calls.iter().flatten() {
        writeln!(text, "    {count} x {kernel}").expect("a string takes all");
    }
    for bound in &figures.assumed_bounds {
        writeln!(
            text,
            "    {} has no upper bound: planned for up to {} (--dim {}=MAX changes it)",
            bound.symbol, bound.max, bound.symbol
        )
        .expect("a string takes all");
    }
    text
}
