//! Rounding to whole numbers in a delegate, by a sum and a difference: the results of the graph on the stock runtime, for ties, great
//! numbers, infinities and NaN.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph};
use device::compiled;
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Binary, BinaryFn, Simple, Unary, UnaryFn};
use kiln_ir::{DType, Graph, Op, Scalar, TensorData, ValueId};

/// Steps of a half around 0 and around the greatest numbers that are rounded, and what no integer stands for.
fn specials() -> Vec<f32> {
    let halves = |from: f32| (-6..=6).map(move |i| from + i as f32 * 0.5);
    let around = [0.0, 128.0, -128.0, 4_194_304.0, -4_194_304.0];
    let mut found: Vec<f32> = around.into_iter().flat_map(halves).collect();
    found.extend([0.499_999_97, -0.499_999_97, 8_388_609.0, -16_777_217.0]);
    found.extend([3e38, -3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    found
}

fn unary(b: &mut Build<'_>, f: impl Into<UnaryFn>, x: ValueId) -> ValueId {
    b.op(Unary { f: f.into() }, &[x])
}

fn clamp(b: &mut Build<'_>, x: ValueId, most: f64) -> ValueId {
    let (min, max) = (Some(Scalar::Float(-most)), Some(Scalar::Float(most)));
    unary(b, UnaryFn::Clamp { min, max }, x)
}

fn model(make: impl FnOnce(&mut Build<'_>, ValueId) -> ValueId) -> Graph {
    graph(|b| {
        let x = b.input(DType::F32, dims(&[1, specials().len() as i64]));
        vec![make(b, x)]
    })
}

/// The rounding kernels behind the passes and the cut, after the results are compared.
fn kernels(what: &str, graph: &Graph) -> usize {
    let (made, regions) = compiled(graph);
    let inside = |id| regions.iter().any(|region| region.nodes.contains(&id));
    let is_round = |op: &Op| matches!(op, Op::Unary(op) if op.f == Simple::Round.into());
    let nodes = made.nodes_in(made.root());
    let outside = nodes.filter(|(id, node)| is_round(&node.op) && !inside(*id));
    let count = outside.count();
    let fed = vec![Tensor::from(TensorData::from_f32(
        vec![1, specials().len()],
        &specials(),
    ))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(graph, &fed, &mut State::new(graph), &settings).unwrap();
    let expected = expected.outputs[0].scalars();
    if let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() {
        let made = &device::run(&runner, &made, regions, &fed)[0];
        for ((found, expected), x) in made.scalars().iter().zip(&expected).zip(specials()) {
            let (found, expected) = (found.as_f64(), expected.as_f64());
            let is_same = found == expected || found.is_nan() && expected.is_nan();
            assert!(is_same, "{what} of {x}: {found}, not {expected}");
        }
    }
    count
}

/// The rounded sum of a value and a zero point, limited by a maximum and by a clamp from above.
fn in_two_ops(b: &mut Build<'_>, x: ValueId, min: f64, max: Option<f64>) -> ValueId {
    let rounded = unary(b, Simple::Round, x);
    let zero_point = b.splat(DType::F32, 2, 7.0);
    let moved = b.op(Binary { f: BinaryFn::Add }, &[rounded, zero_point]);
    let least = b.splat(DType::F32, 2, min);
    let limited = b.op(Binary { f: BinaryFn::Max }, &[moved, least]);
    let max = max.map(Scalar::Float);
    let f = match max {
        Some(_) => UnaryFn::Clamp { min: None, max },
        None => Simple::Neg.into(),
    };
    unary(b, f, limited)
}

#[test]
fn limited_numbers_are_rounded_in_the_delegate() {
    let behind = model(|b, x| {
        let rounded = unary(b, Simple::Round, x);
        clamp(b, rounded, 2_097_152.0)
    });
    assert_eq!(kernels("a clamp behind", &behind), 0);
    // PyTorch writes a clamp to unsigned bytes like this.
    let in_two = model(|b, x| in_two_ops(b, x, 0.0, Some(255.0)));
    assert_eq!(kernels("a maximum and a clamp behind", &in_two), 0);
    let before = model(|b, x| {
        let limited = clamp(b, x, 4_194_304.0);
        let rounded = unary(b, Simple::Round, limited);
        let half = b.splat(DType::F32, 2, 0.5);
        b.op(Binary { f: BinaryFn::Add }, &[rounded, half])
    });
    assert_eq!(kernels("a clamp before", &before), 0);
    for f in [BinaryFn::Add, BinaryFn::Sub] {
        let moved = model(|b, x| {
            let zero_point = clamp(b, x, 100.0);
            let rounded = unary(b, Simple::Round, x);
            let moved = b.op(Binary { f }, &[zero_point, rounded]);
            clamp(b, moved, 127.0)
        });
        assert_eq!(kernels("a zero point", &moved), 0, "{f:?}");
    }
}

#[test]
fn other_numbers_are_rounded_by_a_kernel() {
    let plain = model(|b, x| unary(b, Simple::Round, x));
    assert_eq!(kernels("no clamp", &plain), 1);
    let wide = model(|b, x| {
        let rounded = unary(b, Simple::Round, x);
        clamp(b, rounded, 4_194_304.0)
    });
    assert_eq!(kernels("a wide clamp", &wide), 1);
    let below = model(|b, x| in_two_ops(b, x, 0.0, None));
    assert_eq!(kernels("a limit on one side", &below), 1);
    let far = model(|b, x| in_two_ops(b, x, -4_194_304.0, Some(255.0)));
    assert_eq!(kernels("a wide maximum", &far), 1);
    let great = model(|b, x| {
        let rounded = unary(b, Simple::Round, x);
        let moved = b.op(Binary { f: BinaryFn::Add }, &[rounded, x]);
        clamp(b, moved, 127.0)
    });
    assert_eq!(kernels("a great zero point", &great), 1);
    // The sign of 0 would be another.
    let divides = model(|b, x| {
        let limited = clamp(b, x, 2.0);
        let rounded = unary(b, Simple::Round, limited);
        unary(b, Simple::Reciprocal, rounded)
    });
    assert_eq!(kernels("a quotient", &divides), 1);
    let read_twice = model(|b, x| {
        let rounded = unary(b, Simple::Round, x);
        let limited = clamp(b, rounded, 127.0);
        b.op(Binary { f: BinaryFn::Add }, &[rounded, limited])
    });
    assert_eq!(kernels("two readers", &read_twice), 1);
}
