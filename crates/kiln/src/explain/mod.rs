//! `kiln explain`: says why each node is where it is.
//!
//! [`text`] explains for reading: a method's costs, the nodes that no delegate took and why, the nodes whose special values
//! differ from PyTorch's, and each module's share; on demand the rewrites too. [`html::page`] shows the same on the graph, and
//! [`crate::report::Report`] gives it as data.

mod arena;
pub mod costs;
pub mod estimate;
pub mod html;
pub mod modules;
mod numbers;
pub mod peak;

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::explain::costs::Cost;
use crate::report::{figures_text, name_of, sentence, source_of};
use indexmap::IndexMap;
use kiln_ir::{Graph, NodeId};
use kiln_target::{Arena, Placed};
use kiln_transforms::decompose;
use kiln_transforms::framework::pass::{Declined, PassRun, names};
use kiln_transforms::framework::target::Reason;
use std::collections::BTreeSet;

/// The number of nodes that a group lists; it counts the others.
const MAX_NAMES: usize = 8;

/// The pass that gives nodes other forms.
const DECOMPOSE: &str = decompose::PASS.name;

/// What an explanation as text says.
#[derive(Clone, Copy, Default)]
pub struct Scope {
    /// Also what the passes did, and the rewrites that were declined.
    pub internals: bool,
}

/// The whole explanation, grouped, as text.
pub fn text(compiled: &Compiled, model: &str, target: &str, size: u64, scope: Scope) -> String {
    let mut text = format!("{model} for {target}: {size} bytes\n");
    for (number, costs) in costs::costs(compiled).iter().enumerate() {
        text += &method_text(compiled, number, costs, scope);
    }
    text
}

/// Whether the target has delegates: others call kernels.
fn has_delegates(method: &CompiledMethod) -> bool {
    method.figures.delegates.is_some()
}

fn method_text(compiled: &Compiled, number: usize, costs: &[Cost], scope: Scope) -> String {
    let method = &compiled.methods[number];
    let arena = compiled.artifact.arena(&method.figures.name);
    let mut text = figures_text(&method.figures);
    if scope.internals {
        text += &passes_text(method);
    }
    text += &arena.as_ref().map(arena_text).unwrap_or_default();
    text += &numbers::text(method);
    let outside: Vec<(&Placed, &Reason)> = method
        .placements
        .iter()
        .filter_map(|p| Some((p, p.reason.as_ref()?)))
        .collect();
    text += &match outside.len() {
        0 if method.figures.delegates == Some(0) && method.placements.is_empty() => String::new(),
        0 if has_delegates(method) => {
            "\n  Every node that computes is in a delegate.\n".to_string()
        }
        0 => "\n  Every node that computes is in calls of kernels.\n".to_string(),
        n if has_delegates(method) => {
            format!("\n  Not in a delegate ({}):\n", counted(n, "node"))
        }
        n => format!("\n  In kernels that cost more ({}):\n", counted(n, "node")),
    };
    text += &groups_text(outside.iter().map(|(p, reason)| Item {
        reason: (*reason).clone(),
        what: what(method, p),
        source: line_of(&method.graph, p.node),
    }));
    text += &added_text(method);
    text += &costs::text(costs);
    let declined = declined(method);
    if scope.internals && !declined.is_empty() {
        text += &format!("\n  Rewrites declined ({}):\n", declined.len());
        text += &groups_text(declined.into_iter());
    }
    let different: Vec<Item> = differences(method).collect();
    if !different.is_empty() {
        let count = counted(different.len(), "node");
        let strict = match has_delegates(method) {
            true => "; --strict-nan avoids them",
            false => "",
        };
        text += &format!(
            "
  Special values differ from PyTorch's, accepted ({count}{strict}):
"
        );
        text += &groups_text(different.into_iter());
    }
    text += &modules::text(method);
    text
}

/// The source of a node whose module is said already.
fn line_of(graph: &Graph, node: NodeId) -> Option<String> {
    let source = source_of(graph, node)?;
    let module = modules::module_of(graph, node).unwrap_or_default();
    let known = format!(" in module {module}");
    Some(source.strip_suffix(&known).unwrap_or(&source).to_owned())
}

/// A node with its place and its module. One without a name from the exporter has its function's.
fn what(method: &CompiledMethod, placed: &Placed) -> String {
    let graph = &method.graph;
    let names = names(graph, placed.node);
    let name = match names.is_empty() {
        true => graph.node(placed.node).op.function().into_owned(),
        false => names.join(", "),
    };
    let module = modules::module_of(graph, placed.node);
    let module = module.map_or(String::new(), |path| format!(" in {path}"));
    format!("{name} [{}]{module}", placed.place)
}

/// The kernel calls that serve no node.
fn added_text(method: &CompiledMethod) -> String {
    let added = &method.figures.added;
    if added.is_empty() {
        return String::new();
    }
    let count = counted(added.values().sum(), "call");
    let lines = added
        .iter()
        .map(|(kernel, n)| format!("    - {n} x {kernel}\n"));
    let lines: String = lines.collect();
    format!("\n  Added for the method's inputs, outputs and state ({count}):\n{lines}")
}

/// What holds the most of the arena.
fn arena_text(arena: &Arena) -> String {
    let Some(call) = peak::call_text(arena) else {
        return String::new();
    };
    let held = peak::lines(arena).into_iter();
    let held: String = held.map(|line| format!("    - {line}\n")).collect();
    format!("\n  Most of the arena is held there: {call}\n{held}")
}

/// The passes that applied or declined something.
fn passes_text(method: &CompiledMethod) -> String {
    let runs = method.passes.iter().filter_map(|run| {
        let counts = [
            (run.report.applied.len(), "applied"),
            (run.report.declined.len(), "declined"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(n, what)| format!("{n} {what}")).collect();
        (!counts.is_empty()).then(|| format!("{} {}", run.pass, counts.join(", ")))
    });
    let runs: Vec<String> = runs.collect();
    match runs.is_empty() {
        true => "    passes: nothing to rewrite\n".into(),
        false => format!("    passes: {}\n", runs.join("; ")),
    }
}

/// The line of one node.
struct Item {
    reason: Reason,
    what: String,
    source: Option<String>,
}

/// The declined rewrites. That a node was not decomposed is of interest only where it is not in its best place.
fn declined(method: &CompiledMethod) -> Vec<Item> {
    let placements = method.placements.iter();
    let settled: BTreeSet<NodeId> = placements
        .filter(|placed| placed.reason.is_none())
        .map(|placed| placed.node)
        .collect();
    let is_idle = |run: &PassRun, d: &Declined| run.pass == DECOMPOSE && settled.contains(&d.node);
    let of_run = |run: &PassRun| -> Vec<Item> {
        let declined = run.report.declined.iter().filter(|d| !is_idle(run, d));
        let item = |d: &Declined| Item {
            reason: Reason {
                rule: format!("{}: {}", d.rule, d.reason.rule),
                ..d.reason.clone()
            },
            what: match d.nodes.is_empty() {
                true => "a node that another rewrite took away".into(),
                false => d.nodes.join(", "),
            },
            source: Some(d.source.clone()).filter(|s| !s.is_empty()),
        };
        declined.map(item).collect()
    };
    method.passes.iter().flat_map(of_run).collect()
}

/// Nodes whose delegate answers special values differently from PyTorch.
fn differences(method: &CompiledMethod) -> impl Iterator<Item = Item> {
    let of_node = |p: &Placed| {
        let reason = p.difference.clone()?;
        Some(Item {
            reason,
            what: format!("{} [{}]", name_of(&method.graph, p.node), p.place),
            source: source_of(&method.graph, p.node),
        })
    };
    method.placements.iter().filter_map(of_node)
}

/// Groups items by reason, in order of each reason's first item.
fn groups_text(items: impl Iterator<Item = Item>) -> String {
    let mut groups: IndexMap<(String, Option<String>), Vec<Item>> = IndexMap::new();
    for item in items {
        let key = (sentence(&item.reason), item.reason.advice.clone());
        groups.entry(key).or_default().push(item);
    }
    let mut text = String::new();
    for ((reason, advice), items) in &groups {
        let count = match items.len() {
            1 => String::new(),
            n => format!(" ({})", counted(n, "node")),
        };
        text += &format!("    {reason}{count}\n");
        if let Some(advice) = advice {
            let lead = match advice.starts_with("nothing to do") {
                true => "",
                false => "what to do: ",
            };
            text += &format!("      {lead}{advice}\n");
        }
        text += &names_text(items);
    }
    text
}

/// The first names of a group. An op of the model may be several nodes, which have one line.
fn names_text(items: &[Item]) -> String {
    let mut lines: IndexMap<String, usize> = IndexMap::new();
    for item in items {
        let source = item.source.as_deref().unwrap_or("source unknown");
        *lines.entry(format!("{}: {source}", item.what)).or_default() += 1;
    }
    let mut text = String::new();
    for (line, &count) in lines.iter().take(MAX_NAMES) {
        let count = match count {
            1 => String::new(),
            n => format!(" ({})", counted(n, "node")),
        };
        text += &format!("      - {line}{count}\n");
    }
    match lines.values().skip(MAX_NAMES).sum::<usize>() {
        0 => {}
        more => {
            let more = counted(more, "more node");
            text += &format!("      - and {more} (--json lists all)\n");
        }
    }
    text
}
