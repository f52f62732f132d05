//! Quantisations on the stock runtime saturate: infinities and numbers far beyond the range give the nearest integer of the
//! range, as on the interpreter, for any op in front of the quantisation.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, numbers};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Cast, Linear, Move, Quantize, Simple, Unary, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, Movement, Op, Scalar, TensorData, ValueId};
use kiln_portable::Portable;
use kiln_portable::region::Region;
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_xnnpack::Xnnpack;
use std::path::PathBuf;
use std::sync::Arc;

/// Special numbers without NaN, for which no integer is defined.
const NUMBERS: [f64; 12] = [
    f64::INFINITY,
    f64::NEG_INFINITY,
    3e38,
    -3e38,
    1e30,
    -1e30,
    4.3e9,
    -4.3e9,
    65504.0,
    -65504.0,
    0.3,
    -2.0,
];

const WIDTH: i64 = 3;

fn whole(dtype: DType, scale: f64) -> (DType, Quant) {
    let (min, max) = dtype.int_range().unwrap();
    let zero_point = (min + max) / 2;
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    (dtype, Quant { scheme, min, max })
}

fn by_channel(dtype: DType, scales: [f64; WIDTH as usize]) -> (DType, Quant) {
    let (min, max) = dtype.int_range().unwrap();
    let scheme = QuantScheme::PerChannel {
        axis: 1,
        scales: scales.into(),
        zero_points: [min, 0.max(min), max].into(),
    };
    (dtype, Quant { scheme, min, max })
}

fn quants() -> Vec<(DType, Quant)> {
    vec![
        whole(DType::I8, 0.02),
        whole(DType::U8, 1e-9),
        whole(DType::I16, 3.0),
        whole(DType::I32, 0.02),
        whole(DType::I32, 1e6),
        whole(DType::I8, 1000.0),
        by_channel(DType::I8, [0.5, 0.25, 0.02]),
        by_channel(DType::I8, [1e-9, 1.0, 100.0]),
    ]
}

type Front = fn(&mut Build<'_>, ValueId) -> ValueId;

fn itself(_: &mut Build<'_>, x: ValueId) -> ValueId {
    x
}

fn relu(b: &mut Build<'_>, x: ValueId) -> ValueId {
    b.op(Unary { f: UnaryFn::RELU }, &[x])
}

fn opposite(b: &mut Build<'_>, x: ValueId) -> ValueId {
    let f = Simple::Neg.into();
    b.op(Unary { f }, &[x])
}

fn turned(b: &mut Build<'_>, x: ValueId) -> ValueId {
    let negative = opposite(b, x);
    let sizes = dims(&[NUMBERS.len() as i64, WIDTH]);
    let permute = Movement::permute(&sizes, &[1, 0]).unwrap();
    let twice = b.op(Move { movement: permute }, &[negative]);
    let sizes = dims(&[WIDTH, NUMBERS.len() as i64]);
    let permute = Movement::permute(&sizes, &[1, 0]).unwrap();
    b.op(Move { movement: permute }, &[twice])
}

fn layer(b: &mut Build<'_>, x: ValueId) -> ValueId {
    let dtype = b.rewriter.graph().ty(x).dtype;
    let ones = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0].map(Scalar::Float);
    let weight = b.constant(TensorData::from_scalars(dtype, vec![3, 3], ones));
    // Numbers are limited, because infinity times a weight of 0 is NaN.
    let most = if dtype == DType::F16 { 3e4 } else { 1e37 };
    let limit = UnaryFn::Clamp {
        min: Some(Scalar::Float(-most)),
        max: Some(Scalar::Float(most)),
    };
    let finite = b.op(Unary { f: limit }, &[x]);
    b.op(Linear {}, &[finite, weight])
}

/// A graph with all quantisations of one input, each behind the same ops. Its results are the integers.
fn model(dtype: DType, front: Front) -> Graph {
    graph(|b| {
        let x = b.input(dtype, [NUMBERS.len() as i64, WIDTH]);
        quants()
            .into_iter()
            .map(|(to, quant)| {
                let y = front(b, x);
                let quant = Arc::new(quant);
                let op: Op = Quantize { quant, dtype: to }.into();
                let integers = b.op(op, &[y]);
                let plain = b.op(Cast { to }, &[integers]);
                b.op(Cast { to: DType::I32 }, &[plain])
            })
            .collect()
    })
}

fn fed(dtype: DType) -> Vec<Tensor> {
    let shift = |i: usize| NUMBERS[(i / 3 + 5 * (i % 3)) % NUMBERS.len()];
    let scalars = (0..NUMBERS.len() * 3).map(|i| Scalar::Float(shift(i)));
    let special = TensorData::from_scalars(dtype, vec![NUMBERS.len(), 3], scalars);
    let plain = numbers(7, NUMBERS.len() * 3).map(Scalar::Float);
    let plain = TensorData::from_scalars(dtype, vec![NUMBERS.len(), 3], plain);
    vec![special.into(), plain.into()]
}

/// The graph behind a target's passes, and its delegates.
type Compiled = (Graph, Vec<Region>);

fn with_delegates(graph: &Graph) -> Compiled {
    let mut made = graph.clone();
    let target = Xnnpack::default();
    run_pipeline(
        &mut made,
        &target,
        kiln_xnnpack::pipeline(),
        &Options::default(),
    )
    .unwrap();
    let regions = kiln_xnnpack::compile(&made, target.options()).unwrap();
    (made, regions)
}

fn with_kernels(graph: &Graph) -> Compiled {
    let mut made = graph.clone();
    let passes = kiln_portable::pipeline();
    run_pipeline(&mut made, &Portable, passes, &Options::default()).unwrap();
    (made, Vec::new())
}

/// The integers that differ from the interpreter's, in words.
fn differences(
    runner: &PathBuf,
    graph: &Graph,
    (made, regions): Compiled,
    dtype: DType,
) -> Vec<String> {
    let feeds: Vec<Vec<Tensor>> = fed(dtype).into_iter().map(|t| vec![t]).collect();
    let found = device::run_all(runner, &made, regions, &feeds);
    let mut wrong = Vec::new();
    for (feed, found) in feeds.iter().zip(&found) {
        let settings = kiln_eval::Options::default();
        let expected = evaluate(graph, feed, &mut State::new(graph), &settings).unwrap();
        let types = |all: &[Tensor]| -> Vec<_> {
            all.iter()
                .map(|t| (t.dtype(), t.sizes().to_vec()))
                .collect()
        };
        assert_eq!(types(found), types(&expected.outputs));
        for (number, (a, b)) in found.iter().zip(&expected.outputs).enumerate() {
            for (i, (a, b)) in a.scalars().iter().zip(b.scalars()).enumerate() {
                if a.as_i64() != b.as_i64() {
                    let x = feed[0].scalars()[i];
                    wrong.push(format!(
                        "{dtype} result {number}: {a:?}, not {b:?}, of {x:?}"
                    ));
                }
            }
        }
    }
    wrong
}

#[test]
fn what_is_too_great_is_the_greatest_integer() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let fronts: [(&str, Front); 5] = [
        ("itself", itself),
        ("relu", relu),
        ("opposite", opposite),
        ("turned", turned),
        ("layer", layer),
    ];
    let mut wrong = Vec::new();
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
        for (name, front) in fronts {
            let graph = model(dtype, front);
            for made in [with_delegates(&graph), with_kernels(&graph)] {
                let found = differences(&runner, &graph, made, dtype);
                wrong.extend(found.into_iter().map(|found| format!("{name}: {found}")));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
