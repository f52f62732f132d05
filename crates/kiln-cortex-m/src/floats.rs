//! What a quantised model leaves in floats: which nodes, what they cost, and what to quantise.

use crate::cores::{Core, Floats};
use crate::dialect::{Access, Call, Program};
use crate::project::Project;
use kiln_ir::graph::Node;
use kiln_ir::{Graph, Op};
use kiln_target::Placed;
use kiln_transforms::framework::pass::names;
use kiln_transforms::framework::target::Reason;

/// How many nodes a warning names.
const MOST_NAMES: usize = 4;

/// Why a node computes in floats. `None` if it computes in integers, or if it only quantises.
pub(crate) fn reason(graph: &Graph, node: &Node) -> Option<Reason> {
    let ty = graph.ty(*node.results.first()?);
    let is_float = ty.dtype.is_float() && !matches!(node.op, Op::Dequantize(_));
    let found = || format!("{}{:?}", ty.dtype.name(), ty.shape);
    is_float.then(|| {
        let reason = Reason::new("kernels of integers give quantised values", found());
        reason.advise("quantise its operands and its result before the export")
    })
}

/// The warning of a quantised model that computes some nodes in floats.
pub(crate) fn warning(graph: &Graph, placements: &[Placed], project: &Project) -> Option<String> {
    let in_floats = placements.iter().filter(|placed| placed.reason.is_some());
    let mut nodes: Vec<String> = in_floats
        .map(|placed| names(graph, placed.node).join(", "))
        .filter(|name| !name.is_empty())
        .collect();
    nodes.dedup();
    if nodes.is_empty() {
        return None;
    }
    let more = nodes.len().saturating_sub(MOST_NAMES);
    let shown = nodes[..nodes.len().min(MOST_NAMES)].join(", ");
    let others = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let cost = cost(project.program(), project.core());
    Some(format!(
        "{shown}{others} compute in floats, {cost}; kiln explain says what to quantise"
    ))
}

/// The share of the work that is in floats, and what a float costs on the core.
fn cost(program: &Program, core: &Core) -> String {
    let floats = program
        .calls
        .iter()
        .filter(|call| gives_floats(program, call));
    let floats: u64 = floats.map(Call::multiplications).sum();
    let share = 100.0 * floats as f64 / program.multiplications().max(1) as f64;
    let speed = match core.floats {
        Floats::None => format!(", which {} has no instructions for", core.name),
        Floats::Single | Floats::Double => String::new(),
    };
    format!("{share:.0} % of the multiplications{speed}")
}

fn gives_floats(program: &Program, call: &Call) -> bool {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    let written = slots.filter(|(slot, _)| slot.access != Access::Read);
    written
        .filter_map(|(_, id)| program.buffer((*id)?))
        .any(|buffer| buffer.dtype.is_float())
}
