//! What a compilation did, as JSON for scripts (cli.md) and as a summary for people.

use crate::compiler::{Compiled, CompiledMethod};
use crate::placement::Placed;
use crate::target::TargetName;
use kiln_ir::{Graph, NodeId};
use kiln_portable::MethodReport;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The report of `--report`.
pub fn json(compiled: &Compiled, target: TargetName, size: u64) -> Value {
    let methods: Vec<Value> = compiled
        .emitted
        .reports
        .iter()
        .zip(&compiled.methods)
        .map(|(figures, method)| method_json(figures, method))
        .collect();
    json!({ "target": target.to_string(), "size": size, "methods": methods })
}

fn method_json(figures: &MethodReport, method: &CompiledMethod) -> Value {
    let nodes: Vec<Value> = method
        .placements
        .iter()
        .map(|p| node_json(&method.graph, p))
        .collect();
    let passes: Vec<Value> = method
        .passes
        .iter()
        .map(|run| {
            json!({
                "name": run.pass,
                "applied": run.report.applied.iter().map(|a| json!({"rule": a.rule, "nodes": a.nodes})).collect::<Vec<_>>(),
                "declined": run.report.declined.iter().map(|d| json!({"rule": d.rule, "node": d.node.to_string(), "reason": d.reason.to_string()})).collect::<Vec<_>>(),
                "ms": run.time.as_secs_f64() * 1e3,
            })
        })
        .collect();
    let assumed: Vec<Value> = figures
        .assumed_bounds
        .iter()
        .map(|a| json!({"symbol": a.symbol, "max": a.max}))
        .collect();
    json!({
        "name": figures.name,
        "delegates": figures.delegates,
        "kernel_calls": figures.kernel_calls,
        "planned_bytes": figures.planned_bytes,
        "planned_lower_bound": figures.planned_lower_bound,
        "transposed_bytes": figures.transposed_bytes,
        "transposed_lower_bound": Value::Null,
        "assumed_bounds": assumed,
        "nodes": nodes,
        "passes": passes,
    })
}

fn node_json(graph: &Graph, placed: &Placed) -> Value {
    let sources = || {
        graph
            .node(placed.node)
            .sources
            .iter()
            .map(|&s| graph.source(s))
    };
    json!({
        "name": name_of(graph, placed.node),
        "op": graph.node(placed.node).op.name(),
        "placed": placed.place,
        "reason": placed.reason.as_ref().map(ToString::to_string),
        "difference": placed.difference.as_ref().map(ToString::to_string),
        "source": sources().find(|s| !s.line.is_empty()).map(|s| s.line.to_string()),
    })
}

/// The exporter's names of a node, or its op's.
fn name_of(graph: &Graph, node: NodeId) -> String {
    let names: Vec<&str> = graph
        .node(node)
        .sources
        .iter()
        .map(|&s| &*graph.source(s).node)
        .collect();
    if names.is_empty() {
        graph.node(node).op.name().to_string()
    } else {
        names.join(", ")
    }
}

/// The nodes that no delegate took, for messages.
pub fn outside_delegates(method: &CompiledMethod) -> String {
    let mut names: Vec<String> = method
        .placements
        .iter()
        .filter(|p| p.reason.is_some())
        .map(|p| format!("{} ({})", name_of(&method.graph, p.node), p.place))
        .collect();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    let more = names.len().saturating_sub(12);
    names.truncate(12);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(": {}{rest}", names.join(", "))
}

/// A few lines for people.
pub fn summary(compiled: &Compiled, output: &Path, size: u64) -> String {
    let mut text = format!("{}: {} bytes\n", output.display(), size);
    for figures in &compiled.emitted.reports {
        let kernels: usize = figures.kernel_calls.values().sum();
        writeln!(
            text,
            "  {}: {} delegates, {} kernel calls, {} bytes planned (at least {})",
            figures.name,
            figures.delegates,
            kernels,
            figures.planned_bytes,
            figures.planned_lower_bound
        )
        .expect("a string takes all");
        for (kernel, count) in &figures.kernel_calls {
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
    }
    text
}
