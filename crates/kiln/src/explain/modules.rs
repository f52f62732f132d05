//! What each module of the user's model costs.

use super::estimate::work;
use crate::arithmetic::packed_bytes;
use crate::compiler::CompiledMethod;
use indexmap::IndexMap;
use kiln_ir::{Graph, NodeId};
use kiln_target::{Mover, Place};
use rustc_hash::FxHashSet;

/// The most rows of the table. Modules are taken together until so many are left.
const MAX_ROWS: usize = 20;

/// The costs of a module with all that is in it.
#[derive(Default)]
struct Costs {
    nodes: usize,
    undelegated: usize,
    moved_bytes: u64,
    weight_bytes: u64,
    /// The estimated share of the method's time.
    share: f64,
}

/// The module that a node stems from, if it is known: `encoder.layers.0`. Of a node that several were joined to, the first one's.
pub fn module_of(graph: &Graph, node: NodeId) -> Option<&str> {
    let sources = graph.node(node).sources.iter();
    let mut modules = sources.map(|&source| &*graph.source(source).module);
    modules.find(|module| !module.is_empty())
}

/// The first so many parts of a path.
fn prefix(path: &str, depth: usize) -> &str {
    match path.match_indices('.').nth(depth - 1) {
        Some((end, _)) => &path[..end],
        None => path,
    }
}

/// The table: a line for each module. Empty if fewer than two are known.
pub(super) fn text(method: &CompiledMethod) -> String {
    let graph = &method.graph;
    let paths: FxHashSet<&str> = method
        .placements
        .iter()
        .filter_map(|placed| module_of(graph, placed.node))
        .collect();
    let deepest = paths.iter().map(|path| path.matches('.').count() + 1);
    let deepest = deepest.max().unwrap_or(1);
    let rows = |depth: &usize| {
        let distinct: FxHashSet<&str> = paths.iter().map(|path| prefix(path, *depth)).collect();
        distinct.len()
    };
    let depth = (2..=deepest).take_while(|d| rows(d) <= MAX_ROWS).last();
    let costs = costs(method, depth.unwrap_or(1));
    if costs.len() < 2 {
        return String::new();
    }
    let mut table = vec![
        [
            "module",
            "nodes",
            "outside",
            "moved bytes",
            "weights",
            "time",
        ]
        .map(String::from),
    ];
    table.extend(costs.iter().take(MAX_ROWS).map(|(module, costs)| {
        let Costs {
            nodes,
            undelegated,
            moved_bytes,
            weight_bytes,
            share,
        } = costs;
        [
            (*module).to_owned(),
            nodes.to_string(),
            undelegated.to_string(),
            moved_bytes.to_string(),
            weight_bytes.to_string(),
            format!("{:.0} %", 100.0 * share),
        ]
    }));
    let mut text = "\n  By module (the time is an estimate):\n".to_owned() + &aligned(&table);
    if costs.len() > MAX_ROWS {
        let more = costs.len() - MAX_ROWS;
        text += &format!("    and {more} more (--json lists all nodes)\n");
    }
    text
}

/// The costs of modules at this depth, in the order of their first nodes.
fn costs(method: &CompiledMethod, depth: usize) -> IndexMap<&str, Costs> {
    let graph = &method.graph;
    let module = |node| module_of(graph, node).map_or("(no module)", |path| prefix(path, depth));
    let mut all: IndexMap<&str, Costs> = IndexMap::new();
    let mut seen = FxHashSet::default();
    let work = work(method);
    let placed = method.placements.iter().zip(&work);
    for (placed, work) in placed.filter(|(p, _)| p.place != Place::Free) {
        let costs = all.entry(module(placed.node)).or_default();
        costs.share += work.share;
        costs.nodes += 1;
        costs.undelegated += usize::from(placed.reason.is_some());
        for &operand in &graph.node(placed.node).operands {
            if let Some(constant) = graph.as_constant(operand).filter(|_| seen.insert(operand)) {
                costs.weight_bytes += packed_bytes(constant);
            }
        }
    }
    for moved in &method.figures.moves {
        if let Mover::Node(node) = moved.mover {
            all.entry(module(node)).or_default().moved_bytes += moved.bytes;
        }
    }
    all
}

/// Rows with the first column to the left and the others to the right.
fn aligned<const N: usize>(table: &[[String; N]]) -> String {
    let width = |column: usize| table.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in table {
        let mut line = format!("    {:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        text += &line;
        text.push('\n');
    }
    text
}
