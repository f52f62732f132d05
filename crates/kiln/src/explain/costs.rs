//! What a program pays beside the model's own ops.

use crate::compiler::{Compiled, CompiledMethod};
use crate::counted::counted;
use crate::report::name_of;
use kiln_ir::Op;
use kiln_target::{Mover, Place};
use kiln_transforms::analysis::constants::is_constant;
use serde_json::Value;

/// The number of names that a line lists.
const MAX_NAMES: usize = 3;

/// The name of XNNPACK's operator between number formats, in descriptions of payloads.
const CONVERT: &str = "convert";

/// The section. `unguarded` is the same model compiled without guards for NaN and infinity.
pub(super) fn text(compiled: &Compiled, number: usize, unguarded: Option<&Compiled>) -> String {
    let method = &compiled.methods[number];
    let operators = operators(compiled, number);
    let mut lines = Vec::new();
    lines.extend(moves(method));
    let conversions = operators.as_ref().map_or(0, |found| found.conversions);
    if conversions > 0 {
        let count = counted(conversions, "conversion");
        lines.push(format!("{count} between number formats, inside delegates"));
    }
    let without = unguarded.and_then(|other| self::operators(other, number));
    if let Some((with, without)) = operators.zip(without)
        && with.all > without.all
    {
        let count = counted(with.all - without.all, "operator");
        lines.push(format!(
            "{count} of {} that keep NaN and infinity as in PyTorch (--fast-nan leaves them out)",
            with.all
        ));
    }
    lines.extend(unfolded(method));
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("    - {line}\n")).collect();
    format!("\n  Beside the model's own ops:\n{lines}")
}

/// The operators of a method's delegates.
struct Operators {
    all: usize,
    conversions: usize,
}

/// `None` if the artifact does not tell.
fn operators(compiled: &Compiled, method: usize) -> Option<Operators> {
    let inspected = compiled.artifact.inspect().ok()?;
    let delegates = inspected["methods"].get(method)?["delegates"].as_array()?;
    let counts = delegates
        .iter()
        .filter_map(|found| found["nodes"].as_object());
    let (mut all, mut conversions) = (0, 0);
    for (name, count) in counts.flatten() {
        let count = Value::as_u64(count).and_then(|n| usize::try_from(n).ok())?;
        all += count;
        conversions += if name == CONVERT { count } else { 0 };
    }
    Some(Operators { all, conversions })
}

/// What only moves elements.
fn moves(method: &CompiledMethod) -> Option<String> {
    let mut moves: Vec<_> = method
        .figures
        .moves
        .iter()
        .filter(|moved| moved.bytes > 0)
        .collect();
    moves.sort_by_key(|moved| std::cmp::Reverse(moved.bytes));
    let named = moves.iter().take(MAX_NAMES).map(|moved| {
        let mover = match &moved.mover {
            Mover::Node(node) => name_of(&method.graph, *node),
            Mover::Line(line) => line.clone(),
            Mover::Method => "the method's inputs and outputs".to_owned(),
        };
        format!("{mover} ({} bytes)", moved.bytes)
    });
    let named: Vec<String> = named.collect();
    let more = match moves.len() > MAX_NAMES {
        true => ", ..",
        false => "",
    };
    let count = counted(moves.len(), "copy");
    (!named.is_empty()).then(|| {
        let bytes = method.figures.transposed_bytes;
        format!(
            "{count} of {bytes} bytes in all, to reorder elements: {}{more}",
            named.join(", ")
        )
    })
}

/// What is the same at every run, and computed all the same.
fn unfolded(method: &CompiledMethod) -> Option<String> {
    let graph = &method.graph;
    let is_unfolded = |node| {
        let data = graph.node(node);
        let of_constants = data.operands.iter().all(|&v| is_constant(graph, v));
        let is_made = data.results.iter().all(|&v| is_constant(graph, v));
        !data.operands.is_empty() && of_constants && !is_made && !matches!(data.op, Op::Constant(_))
    };
    let placed = method.placements.iter().filter(|p| p.place != Place::Free);
    let nodes: Vec<_> = placed.map(|p| p.node).filter(|&n| is_unfolded(n)).collect();
    let named: Vec<String> = nodes
        .iter()
        .take(MAX_NAMES)
        .map(|&n| name_of(graph, n))
        .collect();
    let count = counted(nodes.len(), "node");
    (!nodes.is_empty()).then(|| {
        format!(
            "{count} that read constants only, computed at every run: {}",
            named.join(", ")
        )
    })
}
