//! What a compilation did, as JSON for scripts: `compile --report` and `explain --json` share it. Fields are added, never
//! changed.

use crate::artifact::Artifact;
use crate::compiler::{Compiled, CompiledMethod, TargetOptions};
use crate::counted::counted;
use crate::placement::{Place, Placed};
use crate::target::{Least, TargetName};
use kiln_ir::{Graph, NodeId};
use kiln_portable::MethodReport;
use kiln_transforms::framework::pass::{PassRun, names, provenance};
use kiln_transforms::framework::target::Reason;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// The report of what was compiled for a target with those options.
pub fn json(compiled: &Compiled, target: TargetName, options: &TargetOptions, size: u64) -> Value {
    let created = target.create(options);
    let methods: Vec<Value> = compiled
        .reports
        .iter()
        .zip(&compiled.methods)
        .enumerate()
        .map(|(i, (figures, method))| {
            method_json(figures, method, compiled.least_moved(i, &*created))
        })
        .collect();
    let mut report = json!({
        "target": target.to_string(),
        "size": size,
        "warnings": compiled.warnings(target),
        "methods": methods,
    });
    match &compiled.artifact {
        Artifact::Tosa(file, border) => {
            report["io"] = crate::artifact::io(&compiled.methods[0].graph, file, border);
        }
        Artifact::Program(_) if target.is_npu() => {
            report["io"] = crate::artifact::own_io(&compiled.methods[0].graph);
        }
        Artifact::Program(_) => {}
    }
    report
}

fn method_json(figures: &MethodReport, method: &CompiledMethod, least: Least) -> Value {
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
        .reordered
        .iter()
        .map(|r| {
            let name = r.node.map(|n| name_of(&method.graph, n));
            json!({"node": name, "bytes": r.bytes})
        })
        .collect();
    json!({
        "name": figures.name,
        "delegates": figures.delegates,
        "kernel_calls": figures.kernel_calls,
        "planned_bytes": figures.planned_bytes,
        "planned_lower_bound": figures.planned_lower_bound,
        "transposed_bytes": figures.transposed_bytes,
        "transposed_lower_bound": least.bytes,
        "transposed_lower_bound_kind": if least.is_exact { "exact" } else { "relaxation" },
        "assumed_bounds": assumed,
        "moves": moves,
        "nodes": nodes,
        "passes": passes,
    })
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

/// Why a node is where it is, in words.
pub fn why(placed: &Placed) -> String {
    match &placed.reason {
        Some(reason) => sentence(reason),
        None if placed.place == Place::Free => {
            "costs nothing when running: a constant, a size, a state or a view".into()
        }
        None => "the delegate runs it".into(),
    }
}

/// A reason as a sentence.
pub fn sentence(reason: &Reason) -> String {
    format!("{}; found {}", reason.rule, reason.found)
}

/// Where a node comes from, if that is known.
pub fn source_of(graph: &Graph, node: NodeId) -> Option<String> {
    Some(provenance(graph, node)).filter(|s| !s.is_empty())
}

/// The exporter's names of a node, or its op's.
pub fn name_of(graph: &Graph, node: NodeId) -> String {
    let names = names(graph, node);
    if names.is_empty() {
        graph.node(node).op.name().to_string()
    } else {
        names.join(", ")
    }
}

/// A few lines for people.
pub fn summary(compiled: &Compiled, target: TargetName, output: &Path, size: u64) -> String {
    let mut text = format!("{}: {} bytes\n", output.display(), size);
    for (figures, method) in compiled.reports.iter().zip(&compiled.methods) {
        text += &figures_text(figures);
        if let Some(time) = method.verified {
            text += &format!("    {}\n", verified_text(method.passes.len(), time));
        }
    }
    let misnamed = crate::warnings::of_name(output, target);
    for warning in compiled.warnings(target).into_iter().chain(misnamed) {
        text += &format!("warning: {warning}\n");
    }
    text
}

/// That passes were checked.
pub fn verified_text(passes: usize, time: Duration) -> String {
    let (passes, seconds) = (counted(passes, "pass"), time.as_secs_f64());
    format!("verified: {passes}, each checked against the graph before it, in {seconds:.2} s")
}

/// The figures of a method, a line each.
pub fn figures_text(figures: &MethodReport) -> String {
    let kernels: usize = figures.kernel_calls.values().sum();
    let mut text = format!(
        "  {}: {}, {}, {} bytes planned (at least {}), {} bytes only moved\n",
        figures.name,
        counted(figures.delegates, "delegate"),
        counted(kernels, "kernel call"),
        figures.planned_bytes,
        figures.planned_lower_bound,
        figures.transposed_bytes
    );
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
    text
}
