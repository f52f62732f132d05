//! The number of transposes in the files of graphs whose optimum is known.

use kiln_ir::text::parse;
use kiln_target::Border;
use kiln_tosa::dialect::TosaOp;
use kiln_tosa::{Tosa, compile, least_moved, moved_bytes, pipeline};
use kiln_transforms::framework::pass::{Options, run_pipeline};

/// The number of transposes, the bytes that they write, and the lower bound of these bytes.
fn counts(text: &str) -> (usize, u64, u64) {
    let mut graph = parse(text).expect("the text is a graph");
    run_pipeline(
        &mut graph,
        &Tosa::default(),
        pipeline(),
        &Options::default(),
    )
    .expect("no pass breaks the graph");
    let mut border = Border::of(&graph, true);
    let file = compile(&graph, &mut border).expect("the graph has a file");
    let is_transpose = |op: &TosaOp| matches!(op, TosaOp::Transpose { .. });
    let operators = file.main().operators.iter();
    let transposes = operators.filter(|o| is_transpose(&o.op)).count();
    (transposes, moved_bytes(&file), least_moved(&graph).bytes)
}

#[test]
fn softmax_between_inverse_permutations_moves_nothing() {
    let text = r#"graph "softmax" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[1, 8, 6, 4]) {
    %1: f32[1, 6, 4, 8] = move %0 {movement=(d:1 a:8 b:6 c:4 -> d b c a)}
    %2: f32[1, 6, 4, 8] = softmax %1 {axis=3, log=false}
    %3: f32[1, 8, 6, 4] = move %2 {movement=(d:1 a:6 b:4 c:8 -> d c a b)}
    return %3
  }
}"#;
    assert_eq!(counts(text), (0, 0, 0));
}

#[test]
fn a_function_of_integers_between_permutations_moves_nothing() {
    let text = r#"graph "table" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[1, 2, 3, 4]) {
    %1: i8[1, 2, 3, 4] as (per_tensor 0.5 0 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 0 in [-128, 127], dtype=i8}
    %2: i8[1, 3, 4, 2] as (per_tensor 0.5 0 in [-128, 127]) = move %1 {movement=(d:1 a:2 b:3 c:4 -> d b c a)}
    %3: i8[1, 3, 4, 2] as (per_tensor 0.25 0 in [-128, 127]) = quantised %2 {op=unary {f=silu}, quant=per_tensor 0.25 0 in [-128, 127], dtype=i8}
    %4: i8[1, 2, 3, 4] as (per_tensor 0.25 0 in [-128, 127]) = move %3 {movement=(d:1 a:3 b:4 c:2 -> d c a b)}
    %5: f32[1, 2, 3, 4] = dequantize %4 {dtype=f32}
    return %5
  }
}"#;
    assert_eq!(counts(text), (0, 0, 0));
}

#[test]
fn an_output_that_pytorch_gives_channels_last_may_be_plain() {
    let text = r#"graph "plain" {
  input tensor "x" [0, 1, 2, 3]
  output tensor [0, 2, 3, 1]
  block b0 (%0 "x": f32[1, 8, 6, 4]) {
    %1: f32[1, 8, 6, 4] = unary %0 {f=exp}
    return %1
  }
}"#;
    assert_eq!(counts(text), (0, 0, 0));
}

#[test]
fn a_channel_shuffle_before_a_convolution_goes_into_its_weight() {
    let weight = (0..16)
        .map(|i| format!("{i}.0"))
        .collect::<Vec<_>>()
        .join(", ");
    let text = format!(
        r#"graph "shuffle" {{
  constant c0 "w" f32[4, 4, 1, 1] = [{weight}]
  input tensor "x" [0, 2, 3, 1]
  output tensor [0, 2, 3, 1]
  block b0 (%0 "x": f32[1, 4, 5, 5]) {{
    %1: f32[4, 4, 1, 1] = constant {{value=c0}}
    %2: f32[1, 4, 5, 5] = move %0 {{movement=(e:1 (a:2 b:2) c:5 d:5 -> e (b a) c d)}}
    %3: f32[1, 4, 5, 5] = conv %2, %1 {{stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}}
    return %3
  }}
}}"#
    );
    assert_eq!(counts(&text), (0, 0, 0));
}
