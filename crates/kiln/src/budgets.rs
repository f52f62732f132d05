//! What a program may cost, and which nodes make it cost more.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::explain::html::is_movement;
use crate::placement::Placed;
use crate::report::{name_of, sentence, source_of};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_portable::MethodReport;

/// Limits that fail a compilation which exceeds them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budgets {
    /// Delegates of a method.
    pub delegates: Option<u64>,
    /// Kernel calls of a method.
    pub kernel_calls: Option<u64>,
    /// Bytes that a method reorders.
    pub transposed_bytes: Option<u64>,
    /// Bytes that a method plans.
    pub arena: Option<u64>,
}

/// Nodes named of a broken budget; the others are counted.
const MOST_NODES: usize = 12;

/// Checks every method.
///
/// # Errors
/// What is over budget, with the nodes that break it, each with reason and source.
pub fn check(budgets: &Budgets, compiled: &Compiled) -> Result<(), String> {
    let methods = compiled.reports.iter().zip(&compiled.methods);
    let broken: Vec<String> = methods
        .flat_map(|(figures, method)| broken(budgets, figures, method))
        .collect();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n"))
    }
}

fn broken(budgets: &Budgets, figures: &MethodReport, method: &CompiledMethod) -> Vec<String> {
    type Culprits = fn(&CompiledMethod) -> Vec<String>;
    let kernel_calls = figures.kernel_calls.values().sum::<usize>() as u64;
    let rows: [(&str, Option<u64>, u64, Culprits); 4] = [
        (
            "delegate, cut apart by",
            budgets.delegates,
            figures.delegates as u64,
            outside_delegates,
        ),
        (
            "kernel call, of",
            budgets.kernel_calls,
            kernel_calls,
            outside_delegates,
        ),
        (
            "transposed byte, moved by",
            budgets.transposed_bytes,
            figures.transposed_bytes,
            movements,
        ),
        (
            "planned byte, the largest values made by",
            budgets.arena,
            figures.planned_bytes,
            largest,
        ),
    ];
    let over = rows
        .into_iter()
        .filter_map(|(what, limit, found, culprits)| {
            let limit = limit.filter(|&l| found > l)?;
            let (unit, relation) = what.split_once(", ").unwrap_or((what, ""));
            let (name, found) = (&figures.name, counted(found as usize, unit));
            let nodes = listed(culprits(method), relation);
            Some(format!(
                "method {name}: {found}, the budget is {limit}{nodes}"
            ))
        });
    over.collect()
}

fn listed(mut nodes: Vec<String>, relation: &str) -> String {
    if nodes.is_empty() {
        return String::new();
    }
    let more = nodes.len().saturating_sub(MOST_NODES);
    nodes.truncate(MOST_NODES);
    if more > 0 {
        nodes.push(format!("and {more} more (kiln explain lists all)"));
    }
    format!("; {relation}\n  {}", nodes.join("\n  "))
}

fn source(graph: &Graph, node: NodeId) -> String {
    source_of(graph, node).unwrap_or_else(|| "source unknown".into())
}

/// What no delegate took.
fn outside_delegates(method: &CompiledMethod) -> Vec<String> {
    let line = |p: &Placed| {
        let reason = p.reason.as_ref()?;
        let advice = reason.advice.iter().map(|a| format!("; {a}"));
        Some(format!(
            "{}: {}{} ({})",
            name_of(&method.graph, p.node),
            sentence(reason),
            advice.collect::<String>(),
            source(&method.graph, p.node)
        ))
    };
    method.placements.iter().filter_map(line).collect()
}

/// Nodes that only reorder elements, the most bytes first.
fn movements(method: &CompiledMethod) -> Vec<String> {
    let graph = &method.graph;
    let moves = method
        .placements
        .iter()
        .filter(|p| is_movement(graph, p.node));
    let mut lines = by_size(graph, moves, |bytes| format!("{bytes} bytes reordered"));
    if lines.is_empty() {
        let around = "conversions between the caller's memory order and channels last, around layers of images";
        lines.push(around.into());
    }
    lines
}

/// Nodes whose results the arena holds, the largest first.
fn largest(method: &CompiledMethod) -> Vec<String> {
    let graph = &method.graph;
    let place_of = |value: ValueId| {
        let node = graph.producer(value)?;
        let at = method.placements.iter().find(|p| p.node == node)?;
        Some(at.place.clone())
    };
    let is_planned = |p: &&Placed| {
        let node = graph.node(p.node);
        let leaves = |&result: &ValueId| {
            graph.value(result).uses().iter().any(|u| match u {
                kiln_ir::graph::Use::Operand(reader, _) => {
                    let results = &graph.node(*reader).results;
                    results.first().and_then(|&r| place_of(r)) != Some(p.place.clone())
                }
                _ => true,
            })
        };
        let is_inside = p.place.starts_with("delegate");
        !matches!(node.op, Op::Constant(_)) && (!is_inside || node.results.iter().any(leaves))
    };
    let planned: Vec<&Placed> = method.placements.iter().filter(is_planned).collect();
    by_size(graph, planned.into_iter(), |bytes| format!("{bytes} bytes"))
}

/// Lines of nodes by the size of their results.
fn by_size<'p>(
    graph: &Graph,
    placed: impl Iterator<Item = &'p Placed>,
    shown: impl Fn(i64) -> String,
) -> Vec<String> {
    let bytes = |p: &Placed| {
        let results = graph.node(p.node).results.iter();
        results
            .filter_map(|&r| graph.ty(r).max_bytes(&graph.symbols))
            .sum::<i64>()
    };
    let mut sized: Vec<(i64, &Placed)> = placed.map(|p| (bytes(p), p)).collect();
    sized.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let line = |(bytes, p): (i64, &Placed)| {
        let (name, source) = (name_of(graph, p.node), source(graph, p.node));
        format!("{name} [{}]: {} ({source})", p.place, shown(bytes))
    };
    sized.into_iter().map(line).collect()
}
