//! The numbers that a model's own graph rounds its activations to.

use kiln_ir::graph::Node;
use kiln_ir::ops::{Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, ValueId};
use kiln_target::Activations;
use std::collections::{HashMap, HashSet};

/// The coarsest numbers that each result of the graph follows from, in their order. What the caller gives was rounded before.
pub fn of_graph(graph: &Graph) -> Vec<Activations> {
    let mut found: HashMap<ValueId, Activations> = HashMap::new();
    let mut fixed = HashSet::new();
    for (_, node) in graph.nodes_in(graph.root()) {
        if is_fixed(node, &fixed) {
            fixed.extend(node.results.iter().copied());
            continue;
        }
        let from = node.operands.iter().filter_map(|value| found.get(value));
        let from = from.copied().max().unwrap_or_default();
        let mut own = of_node(graph, node).max(of_bodies(graph, node));
        // Two right values beside a tie become two whole numbers. Numbers that are given or only moved are the same everywhere.
        if is_round(&node.op) && from > Activations::F64 {
            own = own.max(Activations::Integers);
        }
        for &result in &node.results {
            found.insert(result, from.max(own));
        }
    }
    let results = graph.block(graph.root()).results.iter();
    results
        .map(|value| found.get(value).copied().unwrap_or_default())
        .collect()
}

/// What a runtime computes that adds up f16 in f16, or in f32.
pub fn computed(found: Activations, in_f16: bool) -> Activations {
    match found {
        Activations::SumsOfF16 if !in_f16 => Activations::F16,
        found => found,
    }
}

/// What the branches and loops of a node round to.
fn of_bodies(graph: &Graph, node: &Node) -> Activations {
    let nodes = node
        .op
        .bodies()
        .into_iter()
        .flat_map(|body| graph.nodes_in(body));
    // What a body rounds to whole numbers, it computed before as a rule.
    let whole = |node: &Node| match is_round(&node.op) {
        true => Activations::Integers,
        false => Activations::F64,
    };
    let own = nodes.map(|(_, node)| {
        of_node(graph, node)
            .max(of_bodies(graph, node))
            .max(whole(node))
    });
    own.max().unwrap_or_default()
}

/// True if the results follow from constants alone.
fn is_fixed(node: &Node, fixed: &HashSet<ValueId>) -> bool {
    let makes_one = matches!(node.op, Op::Constant(_) | Op::Iota(_));
    let follows = node.operands.iter().all(|operand| fixed.contains(operand));
    makes_one || !node.operands.is_empty() && follows
}

/// True for what rounds to the nearest whole number, ties to even.
fn is_round(op: &Op) -> bool {
    matches!(op, Op::Unary(unary) if matches!(unary.f, UnaryFn::Simple(Simple::Round)))
}

fn of_node(graph: &Graph, node: &Node) -> Activations {
    let rounded = node
        .results
        .iter()
        .map(|&value| match graph.ty(value).dtype {
            DType::F16 => Activations::F16,
            DType::BF16 => Activations::BF16,
            DType::F32 => Activations::F32,
            _ => Activations::F64,
        });
    match &node.op {
        // Elements that are only moved were rounded before.
        Op::Move(_)
        | Op::Slice(_)
        | Op::Concat(_)
        | Op::Broadcast(_)
        | Op::Reverse(_)
        | Op::Pad(_)
        | Op::Index(_)
        | Op::Gather(_)
        | Op::Select(_)
        | Op::Sort(_)
        | Op::TopK(_)
        | Op::ReadState(_)
        | Op::BindSymbol(_)
        | Op::Constant(_) => Activations::F64,
        Op::Quantize(_) | Op::Requantize(_) | Op::Quantised(_) => Activations::Integers,
        Op::FakeQuantize(_) => Activations::IntegersByRow,
        Op::Dequantised(op) if op.activation.is_some() => Activations::IntegersByRow,
        _ => rounded.max().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn of(input: &str, body: &[&str]) -> Activations {
        let text = format!(
            "graph \"forward\" {{\n  constant c0 \"w\" f16[2] = splat 0.5\n  input tensor \"x\" [0]\n  output tensor\n  \
             block b0 (%0 \"x\": {input}[2]) {{\n    {}\n  }}\n}}\n",
            body.join("\n    ")
        );
        of_graph(&kiln_ir::text::parse(&text).unwrap())[0]
    }

    #[test]
    fn sums_of_f16_are_plain_f16_where_they_are_added_up_in_f32() {
        use Activations::{F16, Integers, SumsOfF16};
        assert_eq!(computed(SumsOfF16, true), SumsOfF16);
        assert_eq!(computed(SumsOfF16, false), F16);
        assert_eq!(computed(F16, true), F16);
        assert_eq!(computed(Integers, false), Integers);
    }

    #[test]
    fn the_coarsest_numbers_count() {
        let wide = ["%1: f64[2] = cast %0 {to=f64}", "return %1"];
        assert_eq!(of("f32", &wide), Activations::F64);
        let single = ["%1: f32[2] = cast %0 {to=f32}", "return %1"];
        assert_eq!(of("f64", &single), Activations::F32);
        let half = [
            "%1: f16[2] = cast %0 {to=f16}",
            "%2: f32[2] = cast %1 {to=f32}",
            "return %2",
        ];
        assert_eq!(of("f32", &half), Activations::F16);
    }

    #[test]
    fn computed_numbers_that_are_rounded_are_integers() {
        let computed = [
            "%1: f32[2] = unary %0 {f=exp}",
            "%2: f32[2] = unary %1 {f=round}",
            "return %2",
        ];
        assert_eq!(of("f32", &computed), Activations::Integers);
        let given = ["%1: f32[2] = unary %0 {f=round}", "return %1"];
        assert_eq!(of("f32", &given), Activations::F32);
    }

    #[test]
    fn what_is_given_was_rounded_before() {
        let moved = [
            "%1: f16[1, 2] = move %0 {movement=(a:2 -> 1 a)}",
            "%2: f32[1, 2] = cast %1 {to=f32}",
            "return %2",
        ];
        assert_eq!(of("f16", &moved), Activations::F32);
        let constant = [
            "%1: f16[2] = constant {value=c0}",
            "%2: f16[2] = unary %1 {f=neg}",
            "%3: f32[2] = cast %2 {to=f32}",
            "%4: f32[2] = binary %0, %3 {f=mul}",
            "return %4",
        ];
        assert_eq!(of("f32", &constant), Activations::F32);
    }
}
