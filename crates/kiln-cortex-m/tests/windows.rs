//! Windows of floats with rare attributes: the evaluator, the arena and the compiled C do what the core graph says.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod meaning;

use meaning::{check, check_compiled};

fn checked(constants: &str, input: &str, nodes: &str, result: u32) {
    let text = format!(
        "graph \"g\" {{\n{constants}  input tensor \"x\" [0, 1, 2, 3]\n  output tensor\n  block b0 (%0 \"x\": f32{input}) {{\n{nodes}    return %{result}\n  }}\n}}\n"
    );
    let graph = kiln_ir::text::parse(&text).unwrap();
    check(&graph);
    check_compiled(&graph);
}

#[test]
fn averages_count_padding_that_differs_by_side() {
    let node = "    %1: f32[1, 2, 3, 3] = pool %0 {f=avg_of_padded none, kernel=[3, 2], stride=[2, 2], pad_low=[1, 1], pad_high=[0, 1], dilation=[1, 1], ceil=false}\n";
    checked("", "[1, 2, 6, 4]", node, 1);
}

#[test]
fn a_divisor_may_be_negative() {
    let node = "    %1: f32[1, 2, 2, 2] = pool %0 {f=avg_of_padded -4, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}\n";
    checked("", "[1, 2, 4, 4]", node, 1);
}

/// The gaps between the taps of a dilated kernel are no zeros, which would make NaN of an infinity.
#[test]
fn a_dilated_transposed_convolution_reads_no_gaps() {
    let constants = "  constant c0 \"k\" f32[2, 3, 3, 3] = splat 1.5\n";
    for (stride, dilation, pad_high, output) in [
        ("[2, 1]", "[2, 1]", "[1, 1]", "[1, 3, 7, 5]"),
        ("[2, 3]", "[3, 2]", "[0, 1]", "[1, 3, 10, 15]"),
        ("[4, 2]", "[6, 4]", "[1, 1]", "[1, 3, 19, 15]"),
    ] {
        let nodes = format!(
            "    %1: f32[1, 2, 3, 5] = pad %0 {{low=[0, 0, 0, 0], high=[0, 0, 0, 1], mode=constant -inf}}\n    %2: f32[2, 3, 3, 3] = constant {{value=c0}}\n    %3: f32{output} = conv %1, %2 {{stride={stride}, pad_low=[1, 1], pad_high={pad_high}, dilation={dilation}, groups=1, transposed=true, output_padding=[0, 0]}}\n"
        );
        checked(constants, "[1, 2, 3, 4]", &nodes, 3);
    }
}
