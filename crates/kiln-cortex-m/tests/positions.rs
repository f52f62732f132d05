//! The places of maxima: the evaluator and the arena do what the core graph says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use meaning::check;

/// The places of a pool's maxima among the values that `nodes` make of the input.
fn pooled(input: &str, output: &str, nodes: &str, last: u32, pool: &str) {
    let [values, places, result] = [last + 1, last + 2, last + 3];
    let text = format!(
        "graph \"g\" {{
  input tensor \"x\" [0, 1, 2, 3]
  output tensor
  block b0 (%0 \"x\": f32{input}) {{
{nodes}    %{values}: f32{output}, %{places}: i64{output} = pool %{last} {{f=max_with_indices, {pool}}}
    %{result}: f32{output} = cast %{places} {{to=f32}}
    return %{result}
  }}
}}
"
    );
    check(&kiln_ir::text::parse(&text).unwrap());
}

#[test]
fn a_window_of_padding_alone_has_place_0() {
    let pool =
        "kernel=[2, 2], stride=[1, 2], pad_low=[1, 0], pad_high=[1, 0], dilation=[2, 2], ceil=true";
    pooled("[1, 4, 1, 20]", "[1, 4, 1, 10]", "", 0, pool);
}

#[test]
fn the_last_of_several_nan_is_the_place_of_a_maximum() {
    // The logarithm of a negative number is NaN, and each window has several.
    let nodes = "    %1: f32[1, 2, 6, 6] = unary %0 {f=log}
";
    let pool = "kernel=[3, 3], stride=[2, 2], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false";
    pooled("[1, 2, 6, 6]", "[1, 2, 3, 3]", nodes, 1, pool);
}

#[test]
fn padding_is_never_the_place_of_a_maximum() {
    // The logarithm of 0 is the value of padding.
    let nodes = "    %1: f32[1, 2, 4, 6] = unary %0 {f=clamp[0.0, 0.0]}
    %2: f32[1, 2, 4, 6] = unary %1 {f=log}
";
    let pool = "kernel=[3, 3], stride=[2, 2], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false";
    pooled("[1, 2, 4, 6]", "[1, 2, 2, 3]", nodes, 2, pool);
}
