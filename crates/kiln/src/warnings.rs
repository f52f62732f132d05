//! What a user would not expect of a compilation that succeeded.

use crate::compiler::CompiledMethod;
use crate::counted::counted;
use crate::placement::Place;
use crate::target::TargetName;
use indexmap::IndexMap;
use kiln_ethos::Core;
use kiln_ir::{Graph, NodeId, Op};
use kiln_tosa::dialect::TosaGraph;
use kiln_transforms::framework::target::Reason;
use std::path::Path;

/// Places that a warning names.
const MOST_REFUSED: usize = 4;

/// True for a model with quantised values, before passes.
pub(crate) fn is_quantised(graph: &Graph) -> bool {
    let mut nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
    nodes.any(|(id, _)| is_of_quantised(graph, id))
}

/// The warnings of a method.
pub(crate) fn of(method: &CompiledMethod, target: TargetName) -> Vec<String> {
    match target {
        TargetName::TosaInt if !method.is_quantised => vec![
            "the model has no quantised values, so the file computes in floats; quantise it before the export, or \
             compile for tosa-fp"
                .into(),
        ],
        TargetName::EthosU(_) if !method.is_quantised && !has_integers_inside(method) => vec![
            "the model has no quantised values, so nothing of it is for the NPU, which computes in integers; quantise it \
             before the export"
                .into(),
        ],
        TargetName::TosaInt | TargetName::TosaFp | TargetName::EthosU(_) => Vec::new(),
        TargetName::Xnnpack | TargetName::Portable => in_floats(method).into_iter().collect(),
    }
}

/// That a file's name says another format than the target's.
pub(crate) fn of_name(output: &Path, target: TargetName) -> Option<String> {
    let named = output.extension()?;
    let file = output.display();
    match target {
        TargetName::Xnnpack | TargetName::Portable if named == "tosa" => Some(format!(
            "{file} is an ExecuTorch program, as --target {target} makes them, and no TOSA file; give --target tosa-fp or \
             tosa-int for one, or end -o in .pte"
        )),
        TargetName::TosaFp | TargetName::TosaInt if named == "pte" => Some(format!(
            "{file} is a TOSA file, as --target {target} makes them, and no ExecuTorch program; leave --target out for one, \
             or end -o in .tosa"
        )),
        _ => None,
    }
}

/// What of a TOSA file its core does not take, as lines of the model.
pub(crate) fn of_file(file: &TosaGraph, core: Core) -> Option<String> {
    let mut refused: IndexMap<&str, Reason> = IndexMap::new();
    for (operator, reason) in kiln_ethos::refusals(core, file) {
        let place = operator.location.as_deref().unwrap_or("the file");
        refused.entry(place).or_insert(reason);
    }
    let more = match refused.len().saturating_sub(MOST_REFUSED) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    let first = refused.iter().take(MOST_REFUSED);
    let first: Vec<String> = first
        .map(|(place, reason)| format!("{place}: {reason}"))
        .collect();
    (!first.is_empty()).then(|| {
        let first = first.join("; ");
        format!("{core} does not take the file, while a .pte leaves to kernels what it does not take: {first}{more}")
    })
}

/// Quantised values outside of delegates.
fn in_floats(method: &CompiledMethod) -> Option<String> {
    let graph = &method.graph;
    let outside = method
        .placements
        .iter()
        .filter(|p| p.place == Place::Kernel);
    let count = outside.filter(|p| is_of_quantised(graph, p.node)).count();
    (count > 0).then(|| {
        format!(
            "quantised values are not delegated: {} run as kernels, and what is between them computes in floats",
            counted(count, "node")
        )
    })
}

/// True if a delegate takes a node that makes no floats.
fn has_integers_inside(method: &CompiledMethod) -> bool {
    let graph = &method.graph;
    let inside = method.placements.iter().filter(|p| p.place.is_delegate());
    inside.map(|p| graph.node(p.node)).any(|node| {
        let mut results = node.results.iter();
        results.all(|&v| !graph.ty(v).dtype.is_float())
    })
}

fn is_of_quantised(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let mut values = node.operands.iter().chain(&node.results);
    matches!(node.op, Op::Quantize(_) | Op::Dequantize(_))
        || values.any(|&v| graph.ty(v).quant.is_some())
}
