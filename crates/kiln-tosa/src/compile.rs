//! From a graph to a file.

use crate::border::Border;
use crate::dialect::{Spec, TosaGraph, TosaOp};
use crate::lower::lower;
use crate::orders::Orders;
use crate::verify::{Fault, verify};
use kiln_ir::{Graph, NodeId};
use kiln_transforms::layout::{self, Least};
use kiln_transforms::regions::Partition;
use kiln_transforms::target::Reason;

/// Why a graph has no TOSA file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} does not compile to TOSA: {reason}")]
pub struct CompileError {
    /// The node, in words for the user.
    pub place: String,
    /// Why.
    pub reason: Reason,
}

/// The file of a graph that went through the [`crate::pipeline()`], with those inputs and outputs. An output that PyTorch
/// gives in another order is given so or plain, whichever moves less: the border is told.
///
/// # Errors
/// The first node for which TOSA has nothing, and why.
pub fn compile(graph: &Graph, border: &mut Border) -> Result<TosaGraph, CompileError> {
    let partition = whole(graph);
    let layouts = layout::assign(graph, &partition, &Orders, &graph.symbols);
    for port in &mut border.outputs {
        port.dim_order = layouts.border(graph, port.outer).dim_order();
    }
    let lowered = lower(graph, &layouts, border);
    let file = lowered.map_err(|(node, reason)| CompileError {
        place: node.map_or_else(|| "the signature".into(), |id| place(graph, id)),
        reason,
    })?;
    match verify(&file, Spec::all()) {
        Ok(()) => Ok(file),
        Err(faults) => Err(refused(&faults)),
    }
}

/// A file that no device has to take: a tensor is larger, or of more axes, than its level allows.
fn refused(faults: &[Fault]) -> CompileError {
    let first = faults.first();
    let rules: Vec<&str> = faults.iter().map(|f| f.rule.as_str()).collect();
    CompileError {
        place: first.map_or_else(|| "the file".into(), |f| f.place.clone()),
        reason: Reason::new("the file keeps to TOSA 1.0 at level 8K", rules.join("; ")),
    }
}

/// How many bytes a file of the graph transposes at least.
pub fn least_moved(graph: &Graph) -> Least {
    layout::least(graph, &whole(graph), &Orders, &graph.symbols)
}

/// How many bytes the file's transposes write, loops once.
pub fn moved_bytes(file: &TosaGraph) -> u64 {
    let regions = file.regions.iter();
    let moved = regions.flat_map(|region| {
        let transposes = region
            .operators
            .iter()
            .filter(|o| matches!(o.op, TosaOp::Transpose { .. }));
        transposes.flat_map(|o| o.outputs.iter().filter_map(|&t| region.tensor(t)?.bytes()))
    });
    moved.fold(0, |sum, bytes| sum.saturating_add(bytes as u64))
}

fn whole(graph: &Graph) -> Partition {
    let nodes = |(block, _)| graph.nodes_in(block).map(|(id, _)| id).collect();
    Partition::of(graph, graph.blocks().map(nodes).collect())
}

fn place(graph: &Graph, id: NodeId) -> String {
    let names = kiln_transforms::pass::names(graph, id).join(", ");
    let source = kiln_transforms::pass::provenance(graph, id);
    let op = graph.node(id).op.name();
    match (names.is_empty(), source.is_empty()) {
        (true, _) => format!("{id} ({op})"),
        (false, true) => format!("node {names} ({op})"),
        (false, false) => format!("node {names} ({op}, {source})"),
    }
}
