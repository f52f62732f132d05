//! How the limits and costs of a machine change the file.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use kiln_eval::{State, Tensor};
use kiln_ir::DType;
use kiln_target::Border;
use kiln_tosa::dialect::TosaGraph;
use kiln_tosa::evaluate::evaluate;
use kiln_tosa::{Machine, compile_for};

const MODEL: &str = r#"graph "forward" {
  input tensor "x" [0, 1, 2, 3]
  output tensor
  block b0 (%0 "x": i32[1, 3, 4, 5]) {
    %1: i32[1, 4, 5, 3] = move %0 {movement=(a:1 b:3 c:4 d:5 -> a c d b)}
    return %1
  }
}
"#;

fn compiled(machine: Machine) -> TosaGraph {
    let graph = kiln_ir::text::parse(MODEL).unwrap();
    compile_for(&graph, &mut Border::of(&graph, false), machine).unwrap()
}

fn transposes(file: &TosaGraph) -> Vec<String> {
    let text = file.to_string();
    let lines = text.lines().filter(|line| line.contains("TRANSPOSE"));
    lines.map(|line| line.trim().to_owned()).collect()
}

#[test]
fn axes_are_joined_or_go_in_parts_where_that_is_wanted() {
    let input = [Tensor::new([1, 3, 4, 5], (0..60).collect::<Vec<i32>>())];
    let plain = compiled(Machine::default());
    assert_eq!(transposes(&plain).len(), 1);
    let expected = evaluate(&plain, &input).unwrap();

    let joined = compiled(Machine {
        joins_axes: true,
        ..Machine::default()
    });
    assert!(
        transposes(&joined)[0].contains("i32[1, 20, 3] = TRANSPOSE"),
        "{joined}"
    );
    let parts = compiled(Machine {
        greatest_axis: Some(2),
        greatest_axis_of_words: Some(2),
        ..Machine::default()
    });
    // Axes of three, four and five elements, in pieces of two.
    assert_eq!(transposes(&parts).len(), 2 * 2 * 3);
    for file in [joined, parts] {
        let found = evaluate(&file, &input).unwrap();
        assert_eq!(found[0].bytes(), expected[0].bytes());
    }
}

/// A layer of four channels. Three of the biases are no multiples of the unit of the sums. The step of the result is 15
/// units, so no sum lies in the middle of two steps.
const BIASED: &str = r#"graph "biased" {
  constant c0 "weight" i8[4, 2] as (per_tensor 0.5 0 in [-127, 127]) = [10, 3, -7, 5, 127, -1, 64, 33]
  constant c1 "bias" f32[4] = [0.6, -0.41666666, 1.025, 2.0]
  input tensor "x" [0, 1]
  output tensor
  block b0 (%0 "x": f32[64, 2]) {
    %1: i8[64, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
    %2: i8[4, 2] as (per_tensor 0.5 0 in [-127, 127]) = constant {value=c0}
    %3: f32[4] = constant {value=c1}
    %4: i8[64, 4] as (per_tensor 3.77 -2 in [-128, 127]) = quantised %1, %2, %3 {op=linear {}, quant=per_tensor 3.77 -2 in [-128, 127], dtype=i8}
    return %4
  }
}
"#;

#[test]
fn biases_are_exact_or_whole_units() {
    let graph = kiln_ir::text::parse(BIASED).unwrap();
    let codes: Vec<i8> = (0..128i32).map(|i| (i * 37 % 256 - 128) as i8).collect();
    let reals: Vec<f32> = codes.iter().map(|&c| (f32::from(c) - 3.0) * 0.5).collect();
    let (x, reals) = (Tensor::new([64, 2], codes), Tensor::new([64, 2], reals));
    let options = kiln_eval::Options::default();
    let exact = kiln_eval::evaluate(&graph, &[reals], &mut State::new(&graph), &options).unwrap();
    let different = |machine: Machine| {
        let mut border = Border::of(&graph, true);
        let file = compile_for(&graph, &mut border, machine).unwrap();
        let found = evaluate(&file, std::slice::from_ref(&x)).unwrap();
        assert_eq!(found[0].dtype(), DType::I8);
        assert_eq!(found[0].sizes(), exact.outputs[0].sizes());
        let pairs = found[0].bytes().iter().zip(exact.outputs[0].bytes());
        pairs.filter(|(found, exact)| found != exact).count()
    };
    assert_eq!(different(Machine::default()), 0);
    let rounded = Machine {
        spares_words: true,
        ..Machine::default()
    };
    assert!(different(rounded) > 0);
}

/// The number of averages that differ from those computed in f32. Each average lies in the middle of two integers.
fn wrong_ties(scale: f64, machine: Machine) -> usize {
    let quant = format!("per_tensor {scale} -11 in [-128, 127]");
    let text = format!(
        "graph \"tied\" {{
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[200, 4]) {{
    %1: i8[200, 4] as ({quant}) = quantize %0 {{quant={quant}, dtype=i8}}
    %2: i8[200, 1] as ({quant}) = quantised %1 {{op=reduce {{f=mean, axes=[1]}}, quant={quant}, dtype=i8}}
    return %2
  }}
}}
"
    );
    let graph = kiln_ir::text::parse(&text).unwrap();
    let rows = (-100..100i8).map(|c| [c, c + 1, c - 3, c + 4]);
    let x = Tensor::new([200, 4], rows.clone().flatten().collect::<Vec<i8>>());
    let wanted = rows.map(|row| {
        let reals = row.map(|c| (f32::from(c) + 11.0) * scale as f32);
        let mean = reals.iter().sum::<f32>() / 4.0;
        (mean * (1.0 / scale) as f32).round_ties_even() as i8 - 11
    });
    let file = compile_for(&graph, &mut Border::of(&graph, true), machine).unwrap();
    let found = evaluate(&file, std::slice::from_ref(&x)).unwrap();
    assert_eq!(found[0].sizes(), [200, 1]);
    let found = found[0].bytes().iter().map(|&code| code as i8);
    found
        .zip(wanted)
        .filter(|(found, wanted)| found != wanted)
        .count()
}

#[test]
fn ties_of_averages_fall_as_in_f32() {
    let sparing = Machine {
        spares_words: true,
        ..Machine::default()
    };
    let scales = [0.0183, 0.0271, 0.0411, 0.0093, 0.0057];
    let wrong = |machine| {
        scales
            .iter()
            .map(|&s| wrong_ties(s, machine))
            .sum::<usize>()
    };
    let (up, fine) = (wrong(sparing), wrong(Machine::default()));
    // The remaining differences come from the sums in f32.
    assert!(fine * 2 < up, "{fine} of {up}");
}
