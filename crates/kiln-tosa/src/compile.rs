//! Compiles a graph to a TOSA graph.

use crate::dialect::{Spec, TosaGraph, TosaOp};
use crate::lower::lower;
use crate::machine::Machine;
use crate::orders::Orders;
use crate::verify::{Fault, verify};
use kiln_ir::graph::{CellInit, Update};
use kiln_ir::{Graph, NodeId};
use kiln_target::Border;
use kiln_target::operands::{described, whole};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::{self, Layouts, Least};

/// Why a graph does not lower to TOSA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} does not compile to TOSA: {reason}")]
pub struct CompileError {
    /// The node, in words for the user.
    pub place: String,
    /// Why it does not lower.
    pub reason: Reason,
}

/// Lowers a graph that went through the [`crate::pipeline()`], with the inputs and outputs of a border. If PyTorch
/// gives an output in another memory order, the file gives it in that order or plain, whichever moves fewer bytes, and
/// the border records which.
///
/// # Errors
/// The first node that does not lower, and why.
pub fn compile(graph: &Graph, border: &mut Border) -> Result<TosaGraph, CompileError> {
    compile_for(graph, border, Machine::default())
}

/// As [`compile()`], for a machine.
///
/// # Errors
/// As [`compile()`].
pub fn compile_for(
    graph: &Graph,
    border: &mut Border,
    machine: Machine,
) -> Result<TosaGraph, CompileError> {
    refuse_writes(graph)?;
    let partition = whole(graph);
    let layouts = layout::assign(graph, &partition, &Orders { machine }, &graph.symbols);
    for port in &mut border.outputs {
        port.dim_order = layouts.border(graph, port.outer).dim_order();
    }
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    compile_part(graph, &layouts, &nodes, border, machine)
}

/// Lowers some nodes of one block, in the memory orders of a layout, with these inputs and outputs, for a machine.
///
/// # Errors
/// The first node that does not lower, and why.
pub fn compile_part(
    graph: &Graph,
    layouts: &Layouts,
    nodes: &[NodeId],
    border: &Border,
    machine: Machine,
) -> Result<TosaGraph, CompileError> {
    let lowered = lower(graph, layouts, nodes, border, machine);
    let file = lowered.map_err(|(node, reason)| CompileError {
        place: node.map_or_else(|| "the signature".into(), |id| described(graph, id)),
        reason,
    })?;
    match verify(&file, Spec::all()) {
        Ok(()) => Ok(file),
        Err(faults) => Err(refused(&faults)),
    }
}

/// Refuses a model that keeps state: a file only computes outputs. What is written to an input is not lost if it is an
/// output too.
fn refuse_writes(graph: &Graph) -> Result<(), CompileError> {
    let results = &graph.block(graph.root()).results;
    let is_given = |update: &Update| {
        let init = graph.cell(update.cell).init;
        matches!(init, CellInit::Input(_)) && results.contains(&update.value)
    };
    let Some(update) = graph.updates().iter().find(|u| !is_given(u)) else {
        return Ok(());
    };
    let cell = graph.cell(update.cell);
    let (kind, advice) = match cell.init {
        CellInit::Constant(_) => ("buffer", "pass it in and its new content out as tensors"),
        CellInit::Input(_) => ("input", "return the new content as an output"),
    };
    let found = format!("a write to {kind} {:?}", cell.name);
    Err(CompileError {
        place: format!("{kind} {:?}", cell.name),
        reason: Reason::new("a file of TOSA changes nothing but its outputs", found).advise(advice),
    })
}

/// Refuses a file that exceeds the level: tensors that are too large or have too many axes.
fn refused(faults: &[Fault]) -> CompileError {
    let first = faults.first();
    let rules: Vec<&str> = faults.iter().map(|f| f.rule.as_str()).collect();
    CompileError {
        place: first.map_or_else(|| "the file".into(), |f| f.place.clone()),
        reason: Reason::new("the file keeps to TOSA 1.0 at level 8K", rules.join("; ")),
    }
}

/// A lower bound of the bytes that a file of the graph writes in transposes.
pub fn least_moved(graph: &Graph) -> Least {
    layout::least(graph, &whole(graph), &Orders::default(), &graph.symbols)
}

/// The bytes that the file's transposes write; loop bodies count once.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_refused_by_name() {
        let written = |cell: &str, result: &str| {
            let text = format!(
                "graph \"state\" {{\n  constant c0 \"cache\" f32[3] = splat 0.0\n  state m0 {cell}\n  input tensor \"x\" [0]\n  output tensor\n  block b0 (%0 \"x\": f32[3]) {{\n    %1: f32[3] = unary %0 {{f=abs}}\n    return {result}\n  }}\n  update m0 = %1\n}}\n"
            );
            let graph = kiln_ir::text::parse(&text).expect("a graph");
            let mut border = Border::of(&graph, false);
            compile(&graph, &mut border)
                .map(drop)
                .map_err(|e| e.to_string())
        };
        let error = written("\"cache\" f32[3] = c0", "%1").expect_err("a buffer is written");
        assert!(error.contains("buffer \"cache\""), "{error}");
        let input = "\"x\" f32[3] = input 0";
        assert_eq!(written(input, "%1"), Ok(()));
        let error = written(input, "%0").expect_err("an input is written");
        assert!(error.contains("input \"x\""), "{error}");
    }
}
