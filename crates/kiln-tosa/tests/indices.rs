//! Look-ups by computed indices: scalars, indices counted from the end, and sums into indexed elements.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::{State, Tensor};
use kiln_target::Border;
use kiln_tosa::Tosa;
use kiln_transforms::framework::pass::{Options, run_pipeline};

/// The type of the indices, their sizes, the op, and the type of the result.
const LINES: &[(&str, &[usize], &str, &str)] = &[
    (
        "i64[]",
        &[],
        "index %0, %1 {axis=0, from_start=false}",
        "f32[2]",
    ),
    (
        "i64[]",
        &[],
        "index %0, %1 {axis=1, from_start=false}",
        "f32[3]",
    ),
    (
        "i64[]",
        &[],
        "index %0, %1, %1 {axis=0, from_start=false}",
        "f32[]",
    ),
    (
        "i64[2]",
        &[2],
        "index %0, %1 {axis=0, from_start=false}",
        "f32[2, 2]",
    ),
    (
        "i64[2]",
        &[2],
        "index_put %0, %2, %1 {axis=0, accumulate=true}",
        "f32[3, 2]",
    ),
];

#[test]
fn computed_indices_are_looked_up() {
    for &(ty, sizes, line, result) in LINES {
        let order = if sizes.is_empty() { "" } else { "0" };
        for at in [-1i64, 0, 1] {
            let text = format!(
                "graph \"indices\" {{\n  input tensor \"x\" [0, 1]\n  input tensor \"i\" [{order}]\n  input tensor \"v\" [0, 1]\n  output tensor\n  block b0 (%0 \"x\": f32[3, 2], %1 \"i\": {ty}, %2 \"v\": f32[2, 2]) {{\n    %3: {result} = {line}\n    return %3\n  }}\n}}\n"
            );
            let mut graph = kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let numbers = |n: usize| (0..n).map(|i| i as f32 - 1.5).collect::<Vec<f32>>();
            let (x, values) = (
                Tensor::new([3, 2], numbers(6)),
                Tensor::new([2, 2], numbers(4)),
            );
            let count = sizes.iter().product::<usize>();
            let wide = Tensor::new(sizes.to_vec(), vec![at; count]);
            let narrow = Tensor::new(sizes.to_vec(), vec![at as i32; count]);
            let mut state = State::new(&graph);
            let options = kiln_eval::Options::default();
            let given = [x.clone(), wide, values.clone()];
            let wanted = kiln_eval::evaluate(&graph, &given, &mut state, &options).unwrap();
            let passes = kiln_tosa::pipeline();
            run_pipeline(&mut graph, &Tosa::default(), passes, &Options::default()).unwrap();
            let mut border = Border::of(&graph, false);
            let file = kiln_tosa::compile(&graph, &mut border)
                .unwrap_or_else(|error| panic!("{line}: {error}"));
            let found = kiln_tosa::evaluate::evaluate(&file, &[x, narrow, values]).unwrap();
            let numbers = |t: &Tensor| t.scalars().iter().map(|s| s.as_f64()).collect::<Vec<f64>>();
            assert_eq!(
                numbers(&found[0]),
                numbers(&wanted.outputs[0]),
                "{line} at {at}"
            );
        }
    }
}

#[test]
fn what_no_index_meets_keeps_its_sign() {
    let text = "graph \"sum\" {
  input tensor \"x\" [0, 1]
  input tensor \"i\" [0, 1]
  input tensor \"v\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[3, 1], %1 \"i\": i64[2, 1], %2 \"v\": f32[2, 1]) {
    %3: f32[3, 1] = scatter %0, %1, %2 {axis=0, f=add}
    return %3
  }
}
";
    let mut graph = kiln_ir::text::parse(text).unwrap();
    run_pipeline(
        &mut graph,
        &Tosa::default(),
        kiln_tosa::pipeline(),
        &Options::default(),
    )
    .unwrap();
    let file = kiln_tosa::compile(&graph, &mut Border::of(&graph, false)).unwrap();
    let inputs = [
        Tensor::new([3, 1], vec![-0.0f32, -0.0, 1.5]),
        Tensor::new([2, 1], vec![1i32, 1]),
        Tensor::new([2, 1], vec![2.0f32, 0.5]),
    ];
    let found = kiln_tosa::evaluate::evaluate(&file, &inputs).unwrap();
    let bits = found[0].scalars().into_iter().map(|s| s.as_f64().to_bits());
    let wanted = [-0.0f64, 2.5, 1.5].map(f64::to_bits);
    assert_eq!(bits.collect::<Vec<u64>>(), wanted);
}
