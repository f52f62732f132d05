//! What a quantised model leaves in floats: which nodes, what they cost, and what to quantise.

use crate::cores::{Core, Floats};
use crate::dialect::{Access, Call, Program};
use crate::project::Project;
use kiln_ir::graph::{Node, Use};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_target::{Placed, is_rounding};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::pass::names;
use kiln_transforms::framework::target::Reason;

/// Which nodes of a graph take steps that the program finds as it runs (dynamic quantisation).
pub(crate) enum Dynamic {
    /// None.
    None,
    /// The rounding and its readers; other nodes may have known steps.
    Some,
    /// No step is known ahead, so each node would need steps.
    All,
}

impl Dynamic {
    /// The nodes of a graph.
    pub(crate) fn of(graph: &Graph) -> Dynamic {
        let nodes = || graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
        // Steps follow from the least and the greatest number.
        let finds = |node: &Node| matches!(node.op, Op::Reduce(_)) && is_rounding(graph, node);
        if !nodes().any(|(_, node)| finds(node)) {
            return Dynamic::None;
        }
        match nodes().any(|(_, node)| matches!(node.op, Op::Quantize(_))) {
            true => Dynamic::Some,
            false => Dynamic::All,
        }
    }

    fn has(&self, graph: &Graph, node: &Node) -> bool {
        let is_rounded = |&value: &ValueId| {
            let made = behind_moves(graph, value).and_then(|value| graph.producer(value));
            made.is_some_and(|id| is_rounding(graph, graph.node(id)))
        };
        match self {
            Dynamic::None => false,
            Dynamic::Some => is_rounding(graph, node) || node.operands.iter().any(is_rounded),
            Dynamic::All => true,
        }
    }
}

/// Why a node computes in floats. `None` if it computes in integers, or if it only quantises.
pub(crate) fn reason(graph: &Graph, node: &Node, dynamic: &Dynamic) -> Option<Reason> {
    let result = *node.results.first()?;
    if !graph.ty(result).dtype.is_float() || matches!(node.op, Op::Dequantize(_)) {
        return None;
    }
    if dynamic.has(graph, node) {
        let rule = "kernels of integers take steps that are known before the program runs";
        let reason = Reason::new(
            rule,
            "steps that it finds as it runs (dynamic quantisation)",
        );
        return Some(reason.advise(
            "quantise statically: give kiln quantize the model in floats and samples of its inputs, or calibrate before the export",
        ));
    }
    let rule = "a node computes in integers if its operands and its result are quantised, and there is a kernel";
    let mut operands = node.operands.iter().enumerate();
    if let Some((i, &value)) = operands.find(|&(_, &value)| is_in_floats(graph, value)) {
        let made = graph.producer(value).map(|id| named(graph, id));
        let made = made.map_or("an input".to_owned(), |name| format!("made by {name}"));
        let reason = Reason::new(rule, format!("operand {i} in floats, {made}"));
        return Some(reason.advise("quantise that operand before the export"));
    }
    if let Some(reader) = float_reader(graph, result) {
        let reason = Reason::new(rule, format!("a result in floats, {reader}"));
        return Some(reason.advise("quantise its result before the export"));
    }
    let weight = node.operands.get(1).filter(|_| has_weight(&node.op));
    if weight.is_some_and(|&value| is_constant(graph, value) && !was_quantised(graph, value)) {
        let reason = Reason::new(rule, "a weight in floats");
        return Some(reason.advise("quantise the weight before the export"));
    }
    Some(Reason::new(
        rule,
        format!(
            "{}, for which there is no kernel of integers",
            node.op.function()
        ),
    ))
}

/// Whether the second operand of an op is a weight.
fn has_weight(op: &Op) -> bool {
    matches!(op, Op::Conv(_) | Op::Linear(_) | Op::MatMul(_))
}

/// Whether a constant is of a dequantisation that was folded.
fn was_quantised(graph: &Graph, value: ValueId) -> bool {
    let sources = graph.producer(value).map(|id| &graph.node(id).sources);
    let mut sources = sources.into_iter().flatten();
    sources.any(|&source| graph.source(source).target.contains(".dequantize"))
}

/// Whether a value is computed or given in floats, and does not stand for integers.
fn is_in_floats(graph: &Graph, value: ValueId) -> bool {
    behind_moves(graph, value).is_some_and(|value| graph.ty(value).dtype.is_float())
}

/// The value of which moves make another. `None` if it is constant or stands for integers.
fn behind_moves(graph: &Graph, mut value: ValueId) -> Option<ValueId> {
    while let Some(id) = graph.producer(value) {
        let node = graph.node(id);
        match node.op {
            Op::Move(_) => value = node.operands[0],
            Op::Dequantize(_) | Op::Constant(_) => return None,
            _ => break,
        }
    }
    Some(value)
}

/// What reads a value as floats.
fn float_reader(graph: &Graph, value: ValueId) -> Option<String> {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        for use_ in graph.value(value).uses() {
            let Use::Operand(reader, _) = *use_ else {
                return Some("which nothing quantises".to_owned());
            };
            match graph.node(reader).op {
                Op::Quantize(_) => {}
                Op::Move(_) => waiting.extend(&graph.node(reader).results),
                _ => return Some(format!("read by {}", named(graph, reader))),
            }
        }
    }
    None
}

/// The exporter's names of a node, else its op.
fn named(graph: &Graph, id: NodeId) -> String {
    match names(graph, id).join(", ") {
        none if none.is_empty() => graph.node(id).op.name().to_owned(),
        names => names,
    }
}

/// The warning of a quantised model that computes some nodes in floats.
pub(crate) fn warning(graph: &Graph, placements: &[Placed], project: &Project) -> Option<String> {
    let in_floats = placements.iter().filter(|placed| placed.reason.is_some());
    let what = kiln_target::in_floats(graph, in_floats.map(|placed| placed.node))?;
    let cost = cost(project.program(), project.core());
    Some(format!(
        "{what}, {cost}; kiln explain says what to quantise"
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
    let share = match share {
        none if none < 0.5 => "less than 1 %".to_owned(),
        share => format!("{share:.0} %"),
    };
    format!("{share} of the multiplications{speed}")
}

fn gives_floats(program: &Program, call: &Call) -> bool {
    let slots = call.function.row().slots.iter().zip(&call.buffers);
    let written = slots.filter(|(slot, _)| slot.access != Access::Read);
    written
        .filter_map(|(_, id)| program.buffer((*id)?))
        .any(|buffer| buffer.dtype.is_float())
}
