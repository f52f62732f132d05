//! Sizes near the greatest that a tensor may have: what would write out a constant in proportion is refused at once, for
//! a node is lowered whenever a pass asks about it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_tosa::{Machine, Orders, trial};

/// Why the only node of a graph is refused; `None` if it lowers.
fn refusal(operands: &[&str], line: &str) -> Option<String> {
    let rank = |ty: &str| {
        let sizes = ty.split_once('[').unwrap().1.split_once(']').unwrap().0;
        sizes.split(',').count()
    };
    let inputs = operands.iter().map(|ty| {
        let order: Vec<String> = (0..rank(ty)).map(|i| i.to_string()).collect();
        format!("  input tensor \"x\" [{}]\n", order.join(", "))
    });
    let params = operands.iter().enumerate();
    let params: Vec<String> = params.map(|(i, ty)| format!("%{i}: {ty}")).collect();
    let text = format!(
        "graph \"huge\" {{\n{}  output tensor\n  block b0 ({}) {{\n    %{n}: {line}\n    return %{n}\n  }}\n}}\n",
        inputs.collect::<String>(),
        params.join(", "),
        n = operands.len()
    );
    let graph = kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (node, _) = graph.nodes_in(graph.root()).next().unwrap();
    let tried = trial(&graph, node, &Orders::default(), Machine::default());
    tried.err().map(|reason| reason.to_string())
}

fn refuses(operands: &[&str], line: &str, rule: &str) {
    let refused = refusal(operands, line).unwrap_or_else(|| panic!("{line} lowers"));
    assert!(refused.contains(rule), "{line}: {refused}");
}

#[test]
fn numbers_in_order_are_written_out_up_to_a_bound() {
    let line = |len: u32| format!("i64[{len}] = iota {{len={len}, dtype=i64}}");
    refuses(&[], &line(2_147_483_647), "numbers are written out");
    assert_eq!(refusal(&[], &line(4096)), None);
}

#[test]
fn places_are_written_out_up_to_a_bound() {
    refuses(
        &["i32[2000000000]", "i32[1000]"],
        "i32[2000000000] = slice_update %0, %1 {axis=0, start=0, step=2}",
        "indices are written out",
    );
    let gathered = "f32[1, 65536, 1024] = gather %0, %1 {axis=1}";
    let operands = ["f32[1, 65536, 1024]", "i64[1, 65536, 1024]"];
    refuses(&operands, gathered, "indices are written out");
}

#[test]
fn samples_are_tried_up_to_what_resize_takes() {
    let line = |mode: &str, to: u32| {
        format!(
            "f32[1, 1, {to}, 3] = resize %0 {{mode={mode}, align_corners=false, output=[{to}, 3], scales=[none, none]}}"
        )
    };
    let x = ["f32[1, 1, 3, 3]"];
    refuses(&x, &line("nearest", 200_000_001), "indices are written out");
    refuses(&x, &line("linear", 200_000_001), "small whole numbers");
    // An axis that keeps its size is not sampled.
    let wide = "f32[1, 1, 2, 700000000] = resize %0 {mode=nearest, align_corners=false, output=[2, 700000000], scales=[0.3, none]}";
    assert_eq!(refusal(&["f32[1, 1, 3, 700000000]"], wide), None);
    assert_eq!(refusal(&x, &line("nearest", 6)), None);
}

#[test]
fn convolutions_have_as_many_zeros_and_groups_as_a_bound() {
    let line = |outputs: u32, groups: u32| {
        format!(
            "f32[1, {outputs}, 1, 1] = conv %0, %1 {{stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups={groups}, transposed=false, output_padding=[0, 0]}}"
        )
    };
    refuses(
        &["f32[1, 1, 1, 1]", "f32[2147483647, 1, 1, 1]"],
        &line(2_147_483_647, 1),
        "zeros of a bias",
    );
    refuses(
        &["f32[1, 16000000, 1, 1]", "f32[8000000, 2, 1, 1]"],
        &line(8_000_000, 8_000_000),
        "groups are convolved",
    );
}

/// The sums of windows have weights of ones, and a factor for each place where windows see different numbers of elements.
#[test]
fn averages_of_integers_have_as_many_ones_and_factors_as_a_bound() {
    let quant = |scale: &str| format!("per_tensor {scale} 0 in [-128, 127]");
    let line = |sizes: &str, pad: u32| {
        let to = quant("0.25");
        format!(
            "i8[{sizes}] as ({to}) = quantised %0 {{op=pool {{f=avg none, kernel=[3, 3], stride=[1, 1], pad_low=[{pad}, {pad}], pad_high=[{pad}, {pad}], dilation=[1, 1], ceil=false}}, quant={to}, dtype=i8}}"
        )
    };
    let x = |sizes: &str| format!("i8[{sizes}] as ({})", quant("0.5"));
    let channels = x("1, 80000000, 5, 5");
    refuses(
        &[&channels],
        &line("1, 80000000, 3, 3", 0),
        "ones of a window",
    );
    let places = x("1, 1, 30000, 30000");
    refuses(
        &[&places],
        &line("1, 1, 30000, 30000", 1),
        "factors of averages",
    );
    assert_eq!(refusal(&[&x("1, 4, 5, 5")], &line("1, 4, 5, 5", 1)), None);
}
