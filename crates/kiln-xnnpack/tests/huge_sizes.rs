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
    let delegated = region.delegated().unwrap();
    delegated
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

/// Each channel has weights of its own, and so has each place of a row that becomes channels.
#[test]
fn a_sum_over_windows_has_a_small_filter() {
    let avg = |to: &str, kernel: &str| {
        format!(
            "f32[{to}] = pool %0 {{f=avg none, kernel=[{kernel}], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}}"
        )
    };
    for (from, to, kernel) in [
        ("f32[1, 2147483647, 5, 5]", "1, 2147483647, 3, 3", "3, 3"),
        ("f32[1, 3, 9, 2147483647]", "1, 3, 5, 2147483647", "5, 1"),
    ] {
        let refused = refusal(&[from], &avg(to, kernel));
        assert!(refused.contains("a filter that sums windows"), "{refused}");
    }
    assert_eq!(
        constant_bytes(&["f32[1, 2048, 9, 9]"], &avg("1, 2048, 7, 7", "3, 3")),
        9 * 2048 * 4
    );
}

#[test]
fn an_average_over_padding_has_few_places() {
    let avg = |to: &str| {
        format!(
            "f32[1, 1, {to}] = pool %0 {{f=avg none, kernel=[3], stride=[1], pad_low=[1], pad_high=[1], dilation=[1], ceil=false}}"
        )
    };
    let refused = refusal(&["f32[1, 1, 2147483647]"], &avg("2147483647"));
    assert!(refused.contains("an average over padding"), "{refused}");
    let long = constant_bytes(&["f32[1, 1, 1048576]"], &avg("1048576"));
    assert_eq!(long, 4 * (3 + (1 << 20)));
}

#[test]
fn a_bound_is_repeated_to_few_elements() {
    let text = "graph \"huge\" {
  constant c0 \"bounds\" f32[2, 1, 1, 1, 1] = splat 0.5
  input tensor \"x\" [0, 1, 2, 3, 4]
  output tensor
  block b0 (%0: f32[2, 65536, 65536, 65536, 32768]) {
    %1: f32[2, 1, 1, 1, 1] = constant {value=c0}
    %2: f32[2, 65536, 65536, 65536, 32768] = binary %0, %1 {f=max}
    return %2
  }
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    assert!(compile(&graph, &Options::default()).unwrap().is_empty());
}

#[test]
fn a_long_sum_has_no_weights() {
    let sum = |axis: usize, to: &str| format!("f32[{to}] = reduce %0 {{f=sum, axes=[{axis}]}}");
    // A prime number of elements has no equal parts.
    let prime = 262_139;
    assert_eq!(
        constant_bytes(&[&format!("f32[2, {prime}]")], &sum(1, "2, 1")),
        4 * prime
    );
    // 512 sums of 512 elements, then the sum of these, with the same weights.
    assert_eq!(
        constant_bytes(&["f32[2, 262144]"], &sum(1, "2, 1")),
        4 * 512
    );
    assert_eq!(constant_bytes(&["f32[2, 16777216]"], &sum(1, "2, 1")), 4);
}

/// The payload counts bytes in 64 bits.
#[test]
fn a_tensor_has_bytes_that_are_counted() {
    let half = "f32[1, 2, 2147483647, 2147483647]";
    let whole = "f32[1, 4, 2147483647, 2147483647]";
    let refused = refusal(
        &[half, half],
        &format!("{whole} = concat %0, %1 {{axis=1}}"),
    );
    assert!(refused.contains("at most 2^48 bytes"), "{refused}");
    assert!(refused.contains("smaller sizes"), "{refused}");
}

/// The width is not known, so it cannot be among the channels of a column.
#[test]
fn a_sum_over_rows_of_an_unknown_width_compiles() {
    let text = "graph \"wide\" {
  symbol s0 in 2..=64 like 8
  input tensor \"x\" [0, 1, 2, 3]
  output tensor
  block b0 (%0: f32[1, 3, 9, s0]) {
    %1: f32[1, 3, 5, s0] = pool %0 {f=avg none, kernel=[5, 1], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
    return %1
  }
}
";
    let graph = kiln_ir::text::parse(text).unwrap();
    let (node, _) = graph.nodes_in(graph.root()).next().unwrap();
    support(&graph, node).unwrap();
    assert_eq!(compile(&graph, &Options::default()).unwrap().len(), 1);
}
