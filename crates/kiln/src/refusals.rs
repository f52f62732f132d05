//! All that a target refuses, for an error that names it together.
//!
//! Nodes that are refused because a size is known only when running have one cause: the symbol of that size. The error names each symbol
//! once, with the input that has it, and not its nodes.

use crate::counted::counted;
use crate::operators;
use crate::report::{name_of, source_of};
use anyhow::{Error, anyhow};
use indexmap::IndexMap;
use kiln_ir::dim::DimNames;
use kiln_ir::graph::Node;
use kiln_ir::{Dim, Graph, NodeId, Symbol, SymbolId, ValueId};
use kiln_target::operands::FIXED_SIZES;
use kiln_transforms::framework::target::{Placement, Reason, Target};
use std::collections::BTreeSet;

/// The number of nodes that an error names; it counts the others.
const MAX_NODES: usize = 24;

/// Extends an error by every node that the target refuses, if there are several, and by the sizes for which it refuses nodes.
pub(crate) fn with_all<'g>(
    error: Error,
    graphs: impl Iterator<Item = &'g Graph>,
    target: &dyn Target,
) -> Error {
    // An op of the model's may be several nodes, which are refused for one reason.
    let (mut sizes, mut nodes) = (Vec::new(), IndexMap::<String, usize>::new());
    for graph in graphs {
        let mut symbols = BTreeSet::new();
        for (node, reason) in refused(graph, target) {
            match reason.rule == FIXED_SIZES {
                true => symbols.extend(symbols_of(graph, graph.node(node))),
                false => *nodes.entry(line(graph, node, &reason)).or_default() += 1,
            }
        }
        sizes.extend(symbols.iter().map(|&symbol| size_line(graph, symbol)));
    }
    let all: usize = nodes.values().sum();
    if sizes.is_empty() && all < 2 {
        return error;
    }
    let count = counted(all, "node");
    let named = nodes.iter().take(MAX_NODES);
    let mut lines: Vec<String> = named
        .map(|(line, &times)| match times {
            1 => line.clone(),
            _ => format!("{line}, and {} like it", counted(times - 1, "more node")),
        })
        .collect();
    if let more @ 1.. = nodes.values().skip(MAX_NODES).sum::<usize>() {
        lines.push(format!("and {more} more"));
    }
    let nodes = lines.join("\n  ");
    let sizes_text = sizes.join("\n  ");
    match (sizes.len(), nodes.is_empty()) {
        (0, _) => anyhow!("{count} cannot be compiled\n  {nodes}"),
        (n, true) => anyhow!("{}\n  {sizes_text}", dynamic(n)),
        (n, false) => anyhow!(
            "{}, and {count} cannot be compiled for other reasons\n  {sizes_text}\n  {nodes}",
            dynamic(n)
        ),
    }
}

fn dynamic(count: usize) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!(
        "{} {are} known only when running, and the target takes fixed sizes",
        counted(count, "size")
    )
}

/// The symbols in the types and attributes of a node.
fn symbols_of(graph: &Graph, node: &Node) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let mut note = |dim: &Dim| {
        dim.for_each_symbol(&mut |symbol| {
            found.insert(symbol);
        });
    };
    for &value in node.operands.iter().chain(&node.results) {
        graph.ty(value).shape.iter().for_each(&mut note);
    }
    node.op.for_each_dim(&mut note);
    found
}

/// The sizes that are known only when running, by the names of their symbols, with their place and range.
pub(crate) fn sizes(graph: &Graph) -> impl Iterator<Item = (String, String)> + '_ {
    graph.symbols.iter().map(|(symbol, known)| {
        let name = known.name.clone();
        let text = match input_of(graph, symbol) {
            Some((input, axis, _)) => {
                format!("{name} (input {input}, dim {axis}, {})", range_of(known))
            }
            None => name.clone(),
        };
        (name, text)
    })
}

fn range_of(symbol: &Symbol) -> String {
    match symbol.max {
        Some(max) => format!("{} to {max}", symbol.min),
        None => format!("{} or more", symbol.min.max(0)),
    }
}

/// What has a size, and what to do about it.
fn size_line(graph: &Graph, symbol: SymbolId) -> String {
    let known = graph.symbols.get(symbol);
    let name = &known.name;
    let range = range_of(known);
    if let Some((input, axis, dim)) = input_of(graph, symbol) {
        let size = known.hint.unwrap_or(known.min.max(1));
        // A size that is computed from the symbol, as 2*n.
        let computed = match dim.as_symbol() {
            Some(_) => String::new(),
            None => format!("{}, with ", DimNames(&dim, &graph.symbols)),
        };
        return format!(
            "input {input}, dim {axis} {computed}\"{name}\" ({range}): export the model without dynamic_shapes for it, or give its size, \
             such as --dim {name}=={size}"
        );
    }
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    let mut nodes = nodes.filter(|(_, node)| symbols_of(graph, node).contains(&symbol));
    let node = nodes.next().map(|(node, _)| node);
    let made = node.map_or_else(
        || "the model".to_owned(),
        |node| {
            let source = source_of(graph, node).map(|s| format!(" ({s})"));
            format!("{}{}", name_of(graph, node), source.unwrap_or_default())
        },
    );
    format!(
        "{made} gives the size \"{name}\", which follows from values: compute with all elements and a mask in its place"
    )
}

/// The first input with a symbol in a size, the axis, and that size. A size that is the symbol itself is preferred.
fn input_of(graph: &Graph, symbol: SymbolId) -> Option<(String, usize, Dim)> {
    let has = |dim: &Dim| {
        let mut is_found = false;
        dim.for_each_symbol(&mut |other| is_found |= other == symbol);
        is_found
    };
    let params = graph.block(graph.root()).params.iter().enumerate();
    let mut sizes: Vec<(usize, ValueId, usize, &Dim)> = params
        .flat_map(|(i, &value)| {
            let axes = graph.ty(value).shape.iter().enumerate();
            axes.map(move |(axis, dim)| (i, value, axis, dim))
        })
        .filter(|(.., dim)| has(dim))
        .collect();
    sizes.sort_by_key(|(.., dim)| dim.as_symbol().is_none());
    let &(i, value, axis, dim) = sizes.first()?;
    Some((input_name(graph, i, value), axis, dim.clone()))
}

fn input_name(graph: &Graph, position: usize, value: ValueId) -> String {
    let name = graph.value(value).name.as_deref();
    name.map_or_else(|| position.to_string(), str::to_owned)
}

fn refused<'g>(
    graph: &'g Graph,
    target: &'g dyn Target,
) -> impl Iterator<Item = (NodeId, Reason)> + 'g {
    let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.filter_map(|(node, _)| match target.placement(graph, node) {
        Placement::None(reason) => Some((node, reason)),
        Placement::Delegate | Placement::Kernel(_) => None,
    })
}

fn line(graph: &Graph, node: NodeId, reason: &Reason) -> String {
    let (name, op) = (name_of(graph, node), operators::name_of(graph, node));
    let source = source_of(graph, node).map(|s| format!(" ({s})"));
    format!("{name} ({op}): {reason}{}", source.unwrap_or_default())
}
