//! The judge of single ops finds integers that are wrong by two steps, also where a call clamps what it computes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kiln_check::{Given, Ran, run, within_kernels};
use kiln_eval::Tensor;
use kiln_ir::text::parse;
use kiln_ir::{Graph, TensorData};

const QUANT: &str = "per_tensor 0.5 0 in [-128, 127]";

/// A graph of four floats; the lines give `%last`, which is its result.
fn graph(lines: &str, last: u32) -> Graph {
    let text = format!(
        "graph \"g\" {{\n  input tensor \"x\" [0]\n  output tensor\n  block b0 (%0 \"x\": f32[4]) {{\n{lines}    return %{last}\n  }}\n}}\n"
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether results are refused whose element at a place is so many steps greater.
fn is_refused(graph: &Graph, place: usize, steps: i8) -> bool {
    let inputs = [Tensor::new([4], vec![1.0f32, -7.5, 3.0, 60.0])];
    let mut ran: Ran = run(graph, &inputs).unwrap();
    let mut integers = ran[0].elements::<i8>().unwrap().to_vec();
    integers[place] += steps;
    let bytes: Vec<u8> = integers.iter().map(|&i| i as u8).collect();
    let data = TensorData::new(kiln_ir::DType::I8, vec![4], bytes.into()).unwrap();
    ran[0] = Tensor::from(data).with_quant(ran[0].quant().cloned());
    let value = graph.block(graph.root()).results[0];
    let found = Given::from_iter([(value, ran[0].clone())]);
    let judged = within_kernels(graph, &inputs, &ran, &found);
    assert!(judged.as_ref().map_or(true, |&elements| elements > 0));
    judged.is_err()
}

#[test]
fn two_steps_of_a_sum_that_is_clamped_are_refused() {
    let lines = format!(
        "    %1: i8[4] as ({QUANT}) = quantize %0 {{quant={QUANT}, dtype=i8}}\n    \
        %2: i8[4] as ({QUANT}) = quantised %1, %1 {{op=binary {{f=add}}, quant={QUANT}, dtype=i8}}\n    \
        %3: i8[4] as ({QUANT}) = unary %2 {{f=clamp[-10.0, 10.0]}}\n"
    );
    let graph = graph(&lines, 3);
    assert!(!is_refused(&graph, 0, 0));
    for (place, steps) in [(0, 2), (0, -2), (1, 2), (1, -2), (2, 2), (3, 2), (3, -2)] {
        assert!(is_refused(&graph, place, steps), "{place} {steps}");
    }
}

#[test]
fn two_steps_of_floats_that_are_clamped_are_refused() {
    let lines = format!(
        "    %1: f32[4] = unary %0 {{f=abs}}\n    \
        %2: i8[4] as ({QUANT}) = quantize %1 {{quant={QUANT}, dtype=i8}}\n    \
        %3: i8[4] as ({QUANT}) = unary %2 {{f=clamp[-10.0, 10.0]}}\n"
    );
    let graph = graph(&lines, 3);
    assert!(!is_refused(&graph, 0, 0));
    for (place, steps) in [(0, 2), (0, -2), (1, 2), (3, 2), (3, -2)] {
        assert!(is_refused(&graph, place, steps), "{place} {steps}");
    }
}
