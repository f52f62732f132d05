//! The payloads of small graphs, as text.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

use expect_test::{Expect, expect};
use kiln_xnnpack::{Options, compile, payload};
use std::fmt::Write;

fn check(graph: &str, expected: Expect) {
    let graph = kiln_ir::text::parse(graph).unwrap_or_else(|e| panic!("{e}"));
    kiln_ir::verify::verify(&graph).unwrap();
    let mut text = String::new();
    for region in compile(&graph, &Options::default()).unwrap() {
        let ends = |list: &[kiln_portable::region::Boundary]| {
            let names = list.iter().map(|b| format!("{}{:?}", b.value, b.dim_order));
            names.collect::<Vec<_>>().join(" ")
        };
        writeln!(
            text,
            "{} -> {}",
            ends(&region.inputs),
            ends(&region.outputs)
        )
        .unwrap();
        write!(
            text,
            "{}",
            payload::read(region.blob().unwrap().clone()).unwrap()
        )
        .unwrap();
    }
    expected.assert_eq(&text);
}

#[test]
fn a_clamp_goes_into_its_producer() {
    check(
        r#"graph "forward" {
  constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[1, 3]) {
    %1: f32[2, 3] = constant {value=c0}
    %2: f32[1, 2] = linear %0, %1 {}
    %3: f32[1, 2] = unary %2 {f=clamp[0, none]}
    return %3
  }
}"#,
        expect![[r#"
            %0[0, 1] -> %3[0, 1]
            input 0 %0 fp32[1, 3]
            constant %1 fp16[2, 3] = named 2JIn-MuzFSvQWVw-_yJ
            output 1 %2 fp32[1, 2]
            %2 fp32[1, 2] = fully_connected(%0, %1) clamp 0..inf
        "#]],
    );
}

#[test]
fn images_between_delegates_stay_channels_last() {
    check(
        r#"graph "forward" {
  constant c0 "w" f32[4, 3, 1, 1] = splat 0.5
  constant c1 "v" f32[4, 4, 1, 1] = splat 0.25
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[1, 3, 8, 8]) {
    %1: f32[4, 3, 1, 1] = constant {value=c0}
    %2: f32[4, 4, 1, 1] = constant {value=c1}
    %3: f32[1, 4, 8, 8] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
    %4: f32[1, 4, 8, 8] = unary %3 {f=sigmoid}
    %5: f32[1, 4, 1, 1] = reduce %4 {f=mean, axes=[2, 3]}
    %6: f32[1, 4, 1, 1] = unary %5 {f=round}
    %7: f32[1, 4, 8, 8] = binary %4, %6 {f=mul}
    %8: f32[1, 4, 8, 8] = conv %7, %2 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
    return %8
  }
}"#,
        expect![[r#"
            %0[0, 1, 2, 3] -> %4[0, 2, 3, 1] %5[0, 1, 2, 3]
            input 0 %0 fp32[1, 3, 8, 8]
            constant %3 fp16[4, 1, 1, 3] = named lRaty12MxKQ5wJpVn3S
            output 1 %4 fp32[1, 8, 8, 4]
            output 2 %6 fp32[1, 4, 1, 1]
            %1 fp32[1, 8, 8, 3] = transpose(%0) by [0, 2, 3, 1]
            %2 fp32[1, 8, 8, 4] = conv2d(%1, %3) kernel [1, 1] stride [1, 1]
            %4 fp32[1, 8, 8, 4] = sigmoid(%2)
            %5 fp32[1, 1, 1, 4] = global_average_pool2d(%4) flags 0x40
            %6 fp32[1, 4, 1, 1] = reshape(%5) to [1, 4, 1, 1]
            %4[0, 2, 3, 1] %6[0, 1, 2, 3] -> %8[0, 1, 2, 3]
            input 0 %0 fp32[1, 8, 8, 4]
            input 1 %1 fp32[1, 4, 1, 1]
            constant %5 fp16[4, 1, 1, 4] = named tkwAyaVv94L5vakZtng
            output 2 %6 fp32[1, 4, 8, 8]
            %2 fp32[1, 1, 1, 4] = reshape(%1) to [1, 1, 1, 4]
            %3 fp32[1, 8, 8, 4] = multiply(%0, %2)
            %4 fp32[1, 8, 8, 4] = conv2d(%3, %5) kernel [1, 1] stride [1, 1]
            %6 fp32[1, 4, 8, 8] = transpose(%4) by [0, 3, 1, 2]
        "#]],
    );
}

#[test]
fn a_permutation_behind_a_convolution_is_free() {
    check(
        r#"graph "forward" {
  constant c0 "w" f32[4, 3, 2, 2] = splat 0.5
  constant c1 "v" f32[8, 4] = splat 0.25
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": f32[1, 3, 8, 8]) {
    %1: f32[4, 3, 2, 2] = constant {value=c0}
    %2: f32[8, 4] = constant {value=c1}
    %3: f32[1, 4, 4, 4] = conv %0, %1 {stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
    %4: f32[1, 4, 4, 4] = unary %3 {f=gelu}
    %5: f32[1, 4, 4, 4] = move %4 {movement=(d:1 a:4 b:4 c:4 -> d b c a)}
    %6: f32[1, 4, 4, 4] = unary %5 {f=tanh}
    %7: f32[1, 4, 4, 8] = linear %6, %2 {}
    return %7
  }
}"#,
        expect![[r#"
            %0[0, 1, 2, 3] -> %7[0, 1, 2, 3]
            input 0 %0 fp32[1, 3, 8, 8]
            constant %3 fp16[4, 2, 2, 3] = named 0w08T9jtz75rFSl9VVN
            constant %6 fp16[8, 4] = named 7Lge72zzYiP260gIKQd
            output 1 %7 fp32[1, 4, 4, 8]
            %1 fp32[1, 8, 8, 3] = transpose(%0) by [0, 2, 3, 1]
            %2 fp32[1, 4, 4, 4] = conv2d(%1, %3) kernel [2, 2] stride [2, 2]
            %4 fp32[1, 4, 4, 4] = gelu(%2)
            %5 fp32[1, 4, 4, 4] = tanh(%4)
            %7 fp32[1, 4, 4, 8] = fully_connected(%5, %6)
        "#]],
    );
}
