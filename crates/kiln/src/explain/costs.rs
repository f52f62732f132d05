//! What a program pays beside the model's own ops: for the text, the report and the page.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::report::name_of;
use kiln_ir::Op;
use kiln_target::{Moved, Mover, Operators, Place};
use kiln_transforms::analysis::constants::is_constant;
use serde::Serialize;

/// The number of names that a line lists.
const MAX_NAMES: usize = 3;

/// One kind of cost. Its fields are those of the report's JSON.
#[derive(Serialize)]
pub struct Cost {
    /// `copies`, `conversions`, `guards_for_nan` or `computed_at_every_run`.
    kind: &'static str,
    /// How many copies, operators or nodes.
    count: usize,
    /// Of how many operators of delegates, if these are counted.
    of: Option<usize>,
    /// The bytes of copies.
    bytes: Option<u64>,
    /// Whose they are, if that is known.
    nodes: Vec<String>,
    /// All this in words.
    text: String,
    /// What avoids it, if something does.
    advice: Option<&'static str>,
}

/// The costs of each method.
pub fn costs(compiled: &Compiled) -> Vec<Vec<Cost>> {
    let of_method = |method: &CompiledMethod| {
        let operators = &method.figures.operators;
        [
            copies(method),
            conversions(operators),
            guards(operators),
            computed_at_every_run(method),
        ]
        .into_iter()
        .flatten()
        .collect()
    };
    compiled.methods.iter().map(of_method).collect()
}

/// The section of a method.
pub(super) fn text(costs: &[Cost]) -> String {
    if costs.is_empty() {
        return String::new();
    }
    let line = |cost: &Cost| {
        let advice = cost.advice.map(|advice| format!(" ({advice})"));
        format!("    - {}{}\n", cost.text, advice.unwrap_or_default())
    };
    let lines: String = costs.iter().map(line).collect();
    format!("\n  Beside the model's own ops:\n{lines}")
}

fn conversions(operators: &Operators) -> Option<Cost> {
    let count = operators.conversions;
    (count > 0).then(|| Cost {
        kind: "conversions",
        count,
        of: Some(operators.all),
        bytes: None,
        nodes: Vec::new(),
        text: counted(count, "conversion") + " between number formats, inside delegates",
        advice: None,
    })
}

fn guards(operators: &Operators) -> Option<Cost> {
    let (count, all) = (operators.guards, operators.all);
    (count > 0).then(|| Cost {
        kind: "guards_for_nan",
        count,
        of: Some(all),
        bytes: None,
        nodes: Vec::new(),
        text: format!(
            "{} of {all} that keep NaN and infinity as in PyTorch",
            counted(count, "operator")
        ),
        advice: Some("--fast-nan leaves them out"),
    })
}

/// What only moves elements.
fn copies(method: &CompiledMethod) -> Option<Cost> {
    let moves = method.figures.moves.iter();
    let mut moves: Vec<&Moved> = moves.filter(|moved| moved.bytes > 0).collect();
    moves.sort_by_key(|moved| std::cmp::Reverse(moved.bytes));
    let name = |moved: &&Moved| match &moved.mover {
        Mover::Node(node) => name_of(&method.graph, *node),
        Mover::Line(line) => line.clone(),
        Mover::Method => "the method's inputs, outputs and state".to_owned(),
    };
    let nodes: Vec<String> = moves.iter().map(name).collect();
    let named = nodes.iter().zip(&moves);
    let named: Vec<String> = named
        .map(|(name, moved)| format!("{name} ({} bytes)", moved.bytes))
        .collect();
    let (count, bytes) = (moves.len(), method.figures.transposed_bytes);
    (count > 0).then(|| Cost {
        kind: "copies",
        count,
        of: None,
        bytes: Some(bytes),
        nodes,
        text: format!(
            "{} of {bytes} bytes in all, to reorder elements: {}",
            counted(count, "copy"),
            first(&named)
        ),
        advice: None,
    })
}

/// What is the same at every run, and computed all the same.
fn computed_at_every_run(method: &CompiledMethod) -> Option<Cost> {
    let graph = &method.graph;
    let is_unfolded = |node| {
        let data = graph.node(node);
        let of_constants = data.operands.iter().all(|&v| is_constant(graph, v));
        let is_made = data.results.iter().all(|&v| is_constant(graph, v));
        let mut results = data.results.iter();
        let is_sized = results.all(|&v| graph.ty(v).shape.as_static().is_some());
        let is_it = of_constants && !is_made && is_sized;
        !data.operands.is_empty() && is_it && !matches!(data.op, Op::Constant(_))
    };
    let placed = method.placements.iter().filter(|p| p.place != Place::Free);
    let nodes = placed.map(|p| p.node).filter(|&n| is_unfolded(n));
    let nodes: Vec<String> = nodes.map(|n| name_of(graph, n)).collect();
    (!nodes.is_empty()).then(|| Cost {
        kind: "computed_at_every_run",
        count: nodes.len(),
        of: None,
        bytes: None,
        text: format!(
            "{} that read constants only, computed at every run: {}",
            counted(nodes.len(), "node"),
            first(&nodes)
        ),
        advice: Some("results computed before the export would be kept in the file"),
        nodes,
    })
}

/// The first names, with a mark if there are more.
fn first(names: &[String]) -> String {
    let more = match names.len() > MAX_NAMES {
        true => ", ..",
        false => "",
    };
    names[..names.len().min(MAX_NAMES)].join(", ") + more
}
