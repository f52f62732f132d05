//! All nodes that a target refuses, for an error that names them together.

use crate::counted::counted;
use crate::report::{name_of, source_of};
use anyhow::{Error, anyhow};
use kiln_ir::{Graph, NodeId};
use kiln_transforms::framework::target::{Placement, Reason, Target};

/// The number of nodes that an error names; it counts the others.
const MAX_NODES: usize = 24;

/// Extends an error by every node that the target refuses, if there are several.
pub(crate) fn with_all<'g>(
    error: Error,
    graphs: impl Iterator<Item = &'g Graph>,
    target: &dyn Target,
) -> Error {
    let lines: Vec<String> = graphs
        .flat_map(|graph| refused(graph, target).map(|(node, reason)| line(graph, node, &reason)))
        .collect();
    if lines.len() < 2 {
        return error;
    }
    let mut shown = lines[..lines.len().min(MAX_NODES)].to_vec();
    if lines.len() > MAX_NODES {
        shown.push(format!("and {} more", lines.len() - MAX_NODES));
    }
    let count = counted(lines.len(), "node");
    anyhow!("{count} cannot be compiled\n  {}", shown.join("\n  "))
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
    let (name, op) = (name_of(graph, node), graph.node(node).op.name());
    let source = source_of(graph, node).map(|s| format!(" ({s})"));
    format!("{name} ({op}): {reason}{}", source.unwrap_or_default())
}
