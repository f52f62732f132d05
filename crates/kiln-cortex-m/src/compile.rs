//! Compiles a graph to a program of calls.

use crate::cores::Core;
use crate::dialect::Program;
use crate::linked::{Linked, Machine};
use crate::lower::lower;
use crate::orders::Orders;
use crate::verify::{Fault, verify};
use kiln_ir::{Graph, NodeId};
use kiln_target::Border;
use kiln_target::operands::{described, whole};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::{self, Least};

/// Why a graph does not lower to calls.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place} does not compile to calls: {reason}")]
pub struct CompileError {
    /// The node, in words for the user.
    pub place: String,
    /// Why it does not lower.
    pub reason: Reason,
}

impl CompileError {
    /// The error of a node that does not lower, or of the signature.
    pub(crate) fn of(graph: &Graph, (node, reason): (Option<NodeId>, Reason)) -> CompileError {
        CompileError {
            place: node.map_or_else(|| "the signature".into(), |id| described(graph, id)),
            reason,
        }
    }
}

/// Lowers a graph that went through the [`crate::pipeline()`] for a core. `border` says what the inputs and outputs are. PyTorch
/// may give an output in another memory order; the program then gives it in that order or in the plain one, whichever moves fewer
/// bytes, and `border` records the choice.
///
/// # Errors
/// The first node that does not lower, and why.
pub fn compile(graph: &Graph, border: &mut Border, core: &Core) -> Result<Program, CompileError> {
    let layouts = layout::assign(graph, &whole(graph), &Orders, &graph.symbols);
    for port in border.inputs.iter_mut().chain(&mut border.outputs) {
        port.dim_order = layouts.border(graph, port.outer).dim_order();
    }
    let machine = Machine {
        build: core.build,
        linked: Linked::Project,
    };
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let lowered = lower(graph, &layouts, &nodes, border, machine);
    let program = lowered
        .map_err(|failed| CompileError::of(graph, failed))?
        .program;
    match verify(&program, core.build) {
        Ok(_) => Ok(program),
        Err(faults) => Err(refused(&faults)),
    }
}

/// The error for faults that the verifier found. A program of the lowering has none, so this is a bug of the lowering.
fn refused(faults: &[Fault]) -> CompileError {
    let rules: Vec<String> = faults.iter().map(ToString::to_string).collect();
    CompileError {
        place: "the program".into(),
        reason: Reason::new("calls keep to the library's rules", rules.join("; ")),
    }
}

/// A lower bound of the bytes that a program of the graph moves in transposes.
pub fn least_moved(graph: &Graph) -> Least {
    layout::least(graph, &whole(graph), &Orders, &graph.symbols)
}
