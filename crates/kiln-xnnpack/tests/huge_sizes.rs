//! Sizes near the greatest that a graph may have: a delegate refuses what would write out a constant in proportion.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

use kiln_ir::Graph;
use kiln_xnnpack::{Options, compile, support};

/// A graph of one op, given as its operands' types and a line with the result's type.
fn graph(operands: &[&str], line: &str) -> Graph {
    let inputs: String = operands
        .iter()
        .map(|ty| {
            let rank = match ty.split_once("[]") {
                Some(_) => 0,
                None => ty.matches(',').count() + 1,
            };
            let order: Vec<String> = (0..rank).map(|i| i.to_string()).collect();
            format!("  input tensor \"x\" [{}]\n", order.join(", "))
        })
        .collect();
    let params: Vec<String> = operands
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("%{i}: {ty}"))
        .collect();
    let count = operands.len();
    let text = format!(
        "graph \"huge\" {{\n{inputs}  output tensor\n  block b0 ({}) {{\n    %{count}: {line}\n    return %{count}\n  }}\n}}\n",
        params.join(", ")
    );
    kiln_ir::text::parse(&text).unwrap()
}

/// Why the graph's only node is refused. The graph compiles all the same, without a delegate.
fn refusal(operands: &[&str], line: &str) -> String {
    let graph = graph(operands, line);
    let (node, _) = graph.nodes_in(graph.root()).next().unwrap();
    let reason = support(&graph, node).unwrap_err();
    assert!(compile(&graph, &Options::default()).unwrap().is_empty());
    reason.to_string()
}

/// The bytes of the constants of the graph's delegate.
fn constant_bytes(operands: &[&str], line: &str) -> u64 {
    let regions = compile(&graph(operands, line), &Options::default()).unwrap();
    let [region] = &regions[..] else {
        panic!("{} delegates for {line}", regions.len());
    };
    region
        .named_data
        .iter()
        .map(|(_, content)| content.len() as u64)
        .sum()
}

#[test]
fn a_nearest_resize_repeats_by_few_ones() {
    let line = |to: &str| {
        format!(
            "f32[1, 1, {to}] = resize %0 {{mode=nearest, align_corners=false, output=[{to}], scales=[none, none]}}"
        )
    };
    let refused = refusal(&["f32[1, 1, 1, 1]"], &line("4194304, 4194304"));
    assert!(refused.contains("ones of a repetition"), "{refused}");
    assert_eq!(
        constant_bytes(&["f32[1, 1, 1, 1]"], &line("512, 512")),
        4 << 18
    );
}
