//! Unsigned bytes: the 8-bit integers of a file are signed, and the results are PyTorch's bytes.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::{State, Tensor};
use kiln_ir::{DType, Graph, TensorData};
use kiln_target::Border;
use kiln_tosa::Tosa;
use kiln_transforms::framework::pass::{Options, run_pipeline};

const LINES: &[(&str, &str)] = &[
    ("bool[4]", "compare %0, %1 {f=gt}"),
    ("bool[4]", "compare %0, %1 {f=eq}"),
    ("u8[4]", "binary %0, %1 {f=max}"),
    ("u8[4]", "binary %0, %1 {f=add}"),
    ("u8[4]", "binary %0, %1 {f=mul}"),
    ("u8[4]", "binary %0, %1 {f=floor_div}"),
    ("u8[4]", "binary %0, %0 {f=sub}"),
    ("u8[4]", "unary %0 {f=clamp[50, 220]}"),
    ("u8[4]", "unary %0 {f=clamp[-5, 300]}"),
    ("u8[4]", "unary %0 {f=bit_not}"),
    ("u8[1]", "reduce %0 {f=max, axes=[0]}"),
    ("u8[1]", "reduce %0 {f=min, axes=[0]}"),
    ("i64[1]", "arg_reduce %0 {f=max, axis=0}"),
    ("i64[1]", "arg_reduce %0 {f=min, axis=0}"),
    ("f32[4]", "cast %0 {to=f32}"),
    ("i32[4]", "cast %0 {to=i32}"),
    ("i8[4]", "cast %0 {to=i8}"),
    ("bool[4]", "cast %0 {to=bool}"),
    ("u8[6]", "pad %0 {low=[1], high=[1], mode=constant 200}"),
    ("u8[8]", "concat %0, %0 {axis=0}"),
];

fn graph(ty: &str, line: &str) -> Graph {
    let text = format!(
        "graph \"bytes\" {{\n  constant c0 \"limit\" u8[1] = [100]\n  input tensor \"x\" [0]\n  output tensor\n  block b0 (%0 \"x\": u8[4]) {{\n    %1: u8[1] = constant {{value=c0}}\n    %2: {ty} = {line}\n    return %2\n  }}\n}}\n"
    );
    kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The bytes of the output; the low byte of each index.
fn bytes(tensor: &Tensor) -> Vec<u8> {
    let data = TensorData::from(tensor.clone());
    match data.dtype() {
        DType::I64 => data.scalars().map(|s| s.as_i64() as u8).collect(),
        DType::I32 => data.scalars().map(|s| s.as_i64() as u8).collect(),
        _ => data.bytes().to_vec(),
    }
}

#[test]
fn bytes_are_what_they_are() {
    let given = [100u8, 0, 255, 128];
    let x =
        |data: Vec<u8>, dtype| Tensor::from(&TensorData::new(dtype, vec![4], data.into()).unwrap());
    for (ty, line) in LINES {
        let mut graph = graph(ty, line);
        let mut state = State::new(&graph);
        let options = kiln_eval::Options::default();
        let inputs = [x(given.to_vec(), DType::U8)];
        let wanted = kiln_eval::evaluate(&graph, &inputs, &mut state, &options).unwrap();
        let passes = kiln_tosa::pipeline();
        run_pipeline(&mut graph, &Tosa::default(), passes, &Options::default()).unwrap();
        let mut border = Border::of(&graph, false);
        let file = kiln_tosa::compile(&graph, &mut border)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        let inputs = [x(given.to_vec(), DType::I8)];
        let found = kiln_tosa::evaluate::evaluate(&file, &inputs).unwrap();
        assert_eq!(bytes(&found[0]), bytes(&wanted.outputs[0]), "{line}");
    }
}

#[test]
fn what_minds_the_sign_is_not_lowered_on_bytes() {
    let graph = graph("bool[4]", "compare %0, %1 {f=gt}");
    let mut border = Border::of(&graph, false);
    let error = kiln_tosa::compile(&graph, &mut border).unwrap_err();
    assert!(
        error.to_string().contains("8 bits without a sign"),
        "{error}"
    );
}
