//! Budgets: limits on what a program may cost. An error names the nodes that use a budget up.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::explain::peak;
use crate::report::{name_of, sentence, source_of};
use indexmap::IndexMap;
use kiln_ir::graph::{CellInit, InputSpec, StateCell};
use kiln_ir::{Graph, NodeId, Op, TensorType, ValueId};
use kiln_target::{Arena, Figures, Mover, Place, Placed};

/// Limits. A compilation that exceeds one fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budgets {
    /// Delegates in a method.
    pub delegates: Option<u64>,
    /// Kernel calls in a method.
    pub kernel_calls: Option<u64>,
    /// Bytes that a method moves only to reorder elements.
    pub transposed_bytes: Option<u64>,
    /// Bytes of a method's planned memory.
    pub arena: Option<u64>,
}

/// The number of lines of nodes that an error lists; it counts the others.
const MAX_LINES: usize = 12;
/// The number of nodes that a line names; it counts the others.
const MAX_NAMES: usize = 4;

/// Checks the budgets of every method.
///
/// # Errors
/// A budget is exceeded. The error lists the nodes that use it up, with reasons and source lines.
pub fn check(budgets: &Budgets, compiled: &Compiled) -> Result<(), String> {
    let methods = compiled.methods.iter();
    let broken: Vec<String> = methods.flat_map(|m| broken(budgets, m, compiled)).collect();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n"))
    }
}

/// The limits that were given on what the artifact does not have, in words.
pub fn unused(budgets: &Budgets, compiled: &Compiled) -> Vec<String> {
    let kind = compiled.artifact.kind().name;
    let has = |figure: fn(&Figures) -> bool| compiled.methods.iter().any(|m| figure(&m.figures));
    let rows = [
        (
            "--max-delegates",
            budgets.delegates,
            has(|f| f.delegates.is_some()),
            "delegates",
        ),
        (
            "--max-kernel-calls",
            budgets.kernel_calls,
            has(|f| f.kernel_calls.is_some()),
            "kernel calls",
        ),
        (
            "--max-arena",
            budgets.arena,
            has(|f| f.planned_bytes.is_some()),
            "planned memory",
        ),
    ];
    let unused = rows
        .into_iter()
        .filter(|(_, limit, has, _)| limit.is_some() && !has);
    unused
        .map(|(option, _, _, what)| format!("{option} changes nothing: {kind} has no {what}"))
        .collect()
}

fn broken(budgets: &Budgets, method: &CompiledMethod, compiled: &Compiled) -> Vec<String> {
    type Culprits = fn(&CompiledMethod) -> Vec<String>;
    let figures: &Figures = &method.figures;
    // An artifact that tells what lies in its arena has an error of its own.
    let over_arena = budgets.arena.and_then(|limit| {
        let is_over = figures.planned_bytes? > limit;
        let arena = is_over.then(|| compiled.artifact.arena(&figures.name))??;
        Some(arena_over(&figures.name, &arena, limit))
    });
    let arena_limit = budgets.arena.filter(|_| over_arena.is_none());
    // Nodes outside of delegates cut a graph into several. A single delegate is listed by its content.
    let is_cut = method.placements.iter().any(|p| p.reason.is_some());
    let (cut, apart): (&str, Culprits) = match budgets.delegates {
        Some(1..) if is_cut => ("delegate, cut apart by", outside_delegates),
        _ => ("delegate, by delegate, and what is outside", all_delegates),
    };
    let rows: [(&str, Option<u64>, Option<u64>, Culprits); 4] = [
        (
            cut,
            budgets.delegates,
            figures.delegates.map(|n| n as u64),
            apart,
        ),
        (
            "kernel call, of",
            budgets.kernel_calls,
            Some(figures.kernel_call_count() as u64),
            callers,
        ),
        (
            "transposed byte, moved by",
            budgets.transposed_bytes,
            Some(figures.transposed_bytes),
            movements,
        ),
        (
            "planned byte, the largest values made by",
            arena_limit,
            figures.planned_bytes,
            largest,
        ),
    ];
    let over = rows
        .into_iter()
        .filter_map(|(what, limit, found, culprits)| {
            let found = found?;
            let limit = limit.filter(|&l| found > l)?;
            let (unit, relation) = what.split_once(", ").unwrap_or((what, ""));
            let (name, found) = (&figures.name, counted(found as usize, unit));
            let nodes = listed(culprits(method), relation);
            Some(format!(
                "method {name}: {found}, the budget is {limit}{nodes}"
            ))
        });
    over.chain(over_arena).collect()
}

/// The error of an arena that is too large: how small it gets, what holds the most of it, and what to do.
fn arena_over(name: &str, arena: &Arena, limit: u64) -> String {
    let (bytes, bound) = (arena.bytes, arena.lower_bound);
    let least = match bound < bytes {
        true => format!("no plan of these calls in this order needs less than {bound}"),
        false => "no plan of these calls in this order needs less".to_owned(),
    };
    let Some(call) = peak::call_text(arena) else {
        return format!("method {name}: an arena of {bytes} bytes, the budget is {limit}");
    };
    let held = peak::lines(arena).join("\n  ");
    format!(
        "method {name}: the smallest arena found has {bytes} bytes, the budget is {limit}; {least}\n  the most is held there: {call}\n  \
         {held}\n  what to do: {}",
        peak::advice(arena)
    )
}

fn listed(mut nodes: Vec<String>, relation: &str) -> String {
    if nodes.is_empty() {
        return String::new();
    }
    let more = nodes.len().saturating_sub(MAX_LINES);
    nodes.truncate(MAX_LINES);
    if more > 0 {
        nodes.push(format!("and {more} more (kiln explain lists all)"));
    }
    format!("; {relation}\n  {}", nodes.join("\n  "))
}

fn source(graph: &Graph, node: NodeId) -> String {
    source_of(graph, node).unwrap_or_else(|| "source unknown".into())
}

/// The nodes that no delegate took. Nodes of one reason are one line.
fn outside_delegates(method: &CompiledMethod) -> Vec<String> {
    let mut by_reason: IndexMap<String, Vec<NodeId>> = IndexMap::new();
    for placed in &method.placements {
        if let Some(why) = why_outside(placed) {
            by_reason.entry(why).or_default().push(placed.node);
        }
    }
    let line = |(why, nodes): (String, Vec<NodeId>)| {
        let names = nodes.iter().take(MAX_NAMES);
        let mut names: Vec<String> = names.map(|&n| name_of(&method.graph, n)).collect();
        if let more @ 1.. = nodes.len().saturating_sub(MAX_NAMES) {
            names.push(format!("{more} more"));
        }
        let (names, source) = (names.join(", "), source(&method.graph, nodes[0]));
        match nodes.len() {
            1 => format!("{names}: {why} ({source})"),
            _ => format!("{names}: {why} (the first: {source})"),
        }
    };
    by_reason.into_iter().map(line).collect()
}

fn why_outside(placed: &Placed) -> Option<String> {
    let reason = placed.reason.as_ref()?;
    let advice = reason.advice.iter().map(|a| format!("; {a}"));
    Some(sentence(reason) + &advice.collect::<String>())
}

/// The delegates, each with its first node, and the nodes that no delegate took.
fn all_delegates(method: &CompiledMethod) -> Vec<String> {
    let mut delegates: IndexMap<Place, Vec<NodeId>> = IndexMap::new();
    let placements = method.placements.iter();
    for placed in placements.filter(|p| p.place.is_delegate()) {
        delegates.entry(placed.place).or_default().push(placed.node);
    }
    let line = |(place, nodes): (Place, Vec<NodeId>)| {
        let (first, source) = (
            name_of(&method.graph, nodes[0]),
            source(&method.graph, nodes[0]),
        );
        let nodes = counted(nodes.len(), "node");
        format!("{place}: {nodes}, the first is {first} ({source})")
    };
    let outside = outside_delegates(method);
    delegates.into_iter().map(line).chain(outside).collect()
}

/// Kernel calls by node, the most frequent first. Their counts add up to the total.
fn callers(method: &CompiledMethod) -> Vec<String> {
    let figures = &method.figures;
    let mut callers: Vec<(Option<NodeId>, usize)> = figures
        .callers
        .iter()
        .map(|(&node, &calls)| (node, calls))
        .collect();
    callers.sort_by_key(|&(_, calls)| std::cmp::Reverse(calls));
    let line = |(node, calls): (Option<NodeId>, usize)| {
        let calls = counted(calls, "call");
        let Some(node) = node else {
            return format!("the method's inputs, outputs and state: {calls}");
        };
        let (name, source) = (name_of(&method.graph, node), source(&method.graph, node));
        let placed = method.placements.iter().find(|p| p.node == node);
        match placed.and_then(why_outside) {
            Some(why) => format!("{name}: {calls}; {why} ({source})"),
            None => {
                let place = placed.map_or(Place::Free, |p| p.place);
                format!("{name} [{place}]: {calls} ({source})")
            }
        }
    };
    // Each listed line counts, so that the listed and the remaining lines add up to the total.
    let rest = callers.split_off(callers.len().min(MAX_LINES - 1));
    let mut lines: Vec<String> = callers.into_iter().map(line).collect();
    match rest[..] {
        [] | [_] => lines.extend(rest.into_iter().map(line)),
        [..] => lines.push(format!(
            "{} more nodes (kiln explain lists all): {}",
            rest.len(),
            counted(rest.iter().map(|(_, calls)| calls).sum(), "call")
        )),
    }
    lines
}

/// The reordered bytes by the node that needs the other order, the most bytes first.
fn movements(method: &CompiledMethod) -> Vec<String> {
    let graph = &method.graph;
    let mut by_mover: IndexMap<&Mover, u64> = IndexMap::new();
    for moved in &method.figures.moves {
        let bytes = by_mover.entry(&moved.mover).or_default();
        *bytes = bytes.saturating_add(moved.bytes);
    }
    by_mover.sort_by(|_, a, _, b| b.cmp(a));
    let line = |(mover, bytes): (&Mover, u64)| match mover {
        Mover::Node(node) => {
            let (name, source) = (name_of(graph, *node), source(graph, *node));
            format!("{name}: {bytes} bytes reordered ({source})")
        }
        Mover::Line(line) => format!("{bytes} bytes reordered ({line})"),
        Mover::Method => format!("the method's inputs, outputs and state: {bytes} bytes reordered"),
    };
    by_mover.into_iter().map(line).collect()
}

/// The arena's content: inputs, state and results of nodes, the largest first.
fn largest(method: &CompiledMethod) -> Vec<String> {
    let graph = &method.graph;
    let place_of = |value: ValueId| {
        let node = graph.producer(value)?;
        let at = method.placements.iter().find(|p| p.node == node)?;
        Some(at.place)
    };
    let is_planned = |p: &&Placed| {
        let node = graph.node(p.node);
        let leaves = |&result: &ValueId| {
            graph.value(result).uses().iter().any(|u| match u {
                kiln_ir::graph::Use::Operand(reader, _) => {
                    let results = &graph.node(*reader).results;
                    results.first().and_then(|&r| place_of(r)) != Some(p.place)
                }
                _ => true,
            })
        };
        let is_inside = p.place.is_delegate();
        !matches!(node.op, Op::Constant(_)) && (!is_inside || node.results.iter().any(leaves))
    };
    let planned = method.placements.iter().filter(is_planned);
    let mut sized: Vec<(i64, String)> = planned.map(|p| result_line(graph, p)).collect();
    sized.extend(given(graph));
    sized.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    sized.into_iter().map(|(_, line)| line).collect()
}

/// Inputs, and buffers that hold state.
fn given(graph: &Graph) -> Vec<(i64, String)> {
    let specs = graph.signature.inputs.iter();
    let names = specs.filter_map(|spec| match spec {
        InputSpec::Tensor { name, .. } => Some(format!("input {name}")),
        InputSpec::None | InputSpec::Scalar(_) | InputSpec::Text(_) => None,
    });
    let inputs = names.zip(graph.block(graph.root()).params.iter());
    let inputs = inputs.map(|(name, &value)| (name, graph.ty(value)));
    let is_kept = |cell: &StateCell| matches!(cell.init, CellInit::Constant(_));
    let cells = graph.cells().filter(|(_, cell)| is_kept(cell));
    let state = cells.map(|(_, cell)| (format!("buffer {}", cell.name), &cell.ty));
    let line = |(name, ty): (String, &TensorType)| {
        let bytes = ty.max_bytes(&graph.symbols).unwrap_or(0);
        (bytes, format!("{name}: {bytes} bytes"))
    };
    inputs.chain(state).map(line).collect()
}

/// The bytes of a node's results, and the line that lists them.
fn result_line(graph: &Graph, placed: &Placed) -> (i64, String) {
    let results = graph.node(placed.node).results.iter();
    let sizes = results.filter_map(|&r| graph.ty(r).max_bytes(&graph.symbols));
    let (bytes, name) = (sizes.sum::<i64>(), name_of(graph, placed.node));
    let (place, source) = (&placed.place, source(graph, placed.node));
    (bytes, format!("{name} [{place}]: {bytes} bytes ({source})"))
}
