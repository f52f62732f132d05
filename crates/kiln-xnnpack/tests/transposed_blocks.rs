//! Transposed convolutions whose kernel is as large as their stride become products whose blocks are put side by side; others stay. The
//! results are those of the graph, on the stock runtime.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, tensor};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Conv, Dequantize, Quantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, ValueId};
use kiln_portable::region::Region;
use kiln_transforms::framework::pass::{Options, run_pipeline};
use kiln_xnnpack::Xnnpack;
use kiln_xnnpack::payload::{ConvKind, XnnOp, read};
use std::sync::Arc;

/// Batch, input and output channels, the image, the kernel and the stride, and whether blocks are made.
type Case = ([i64; 3], [i64; 2], [i64; 2], [i64; 2], bool);

const CASES: [Case; 8] = [
    ([1, 5, 3], [4, 6], [2, 2], [2, 2], true),
    ([2, 3, 7], [5, 3], [4, 4], [4, 4], true),
    ([1, 8, 1], [3, 4], [3, 2], [3, 2], true),
    ([2, 1, 4], [3, 5], [1, 2], [1, 2], true),
    ([1, 4, 2], [6, 1], [2, 1], [2, 1], true),
    ([1, 5, 3], [4, 6], [3, 3], [2, 2], false),
    ([1, 5, 3], [4, 6], [2, 2], [3, 3], false),
    ([1, 5, 3], [4, 6], [1, 1], [1, 1], false),
];

fn rounded(b: &mut Build<'_>, x: ValueId, scheme: QuantScheme) -> ValueId {
    let (min, max) = (-128, 127);
    let quant = Arc::new(Quant { scheme, min, max });
    let dtype = DType::I8;
    let integers = b.op(Quantize { quant, dtype }, &[x]);
    b.op(Dequantize { dtype: DType::F32 }, &[integers])
}

const fn by_tensor(scale: f64, zero_point: i64) -> QuantScheme {
    QuantScheme::PerTensor { scale, zero_point }
}

/// The scale of the result of integers.
const STEP: f64 = 0.1;

fn model(case: Case, dtype: DType, in_integers: bool, is_biased: bool) -> Graph {
    let ([batch, inputs, outputs], [h, w], kernel, stride, _) = case;
    graph(|b| {
        let mut x = b.input(dtype, dims(&[batch, inputs, h, w]));
        let sizes = [inputs, outputs, kernel[0], kernel[1]].map(|n| n as usize);
        let mut weight = b.weights(dtype, &sizes);
        if in_integers {
            x = rounded(b, x, by_tensor(0.02, -11));
            let scales = (0..outputs).map(|o| 0.016 + 0.001 * o as f64).collect();
            let zero_points = vec![0; outputs as usize].into();
            let axis = 1;
            let scheme = QuantScheme::PerChannel {
                axis,
                scales,
                zero_points,
            };
            weight = rounded(b, weight, scheme);
        }
        let mut operands = vec![x, weight];
        if is_biased {
            operands.push(b.weights(dtype, &[outputs as usize]));
        }
        let conv = Conv {
            stride: stride.to_vec(),
            pad_low: vec![0, 0],
            pad_high: vec![0, 0],
            dilation: vec![1, 1],
            groups: 1,
            transposed: true,
            output_padding: vec![0, 0],
        };
        let y = b.op(conv, &operands);
        vec![match in_integers {
            true => rounded(b, y, by_tensor(STEP, 5)),
            false => y,
        }]
    })
}

fn compiled(graph: &Graph) -> (Graph, Vec<Region>) {
    let (mut made, target) = (graph.clone(), Xnnpack::default());
    let passes = kiln_xnnpack::pipeline();
    run_pipeline(&mut made, &target, passes, &Options::default()).unwrap();
    let regions = kiln_xnnpack::compile(&made, target.options()).unwrap();
    (made, regions)
}

/// The kinds of the program's convolutions.
fn kinds(regions: &[Region]) -> Vec<ConvKind> {
    let blobs = regions.iter().map(|region| region.blob().unwrap().clone());
    let graphs: Vec<_> = blobs.map(|blob| read(blob).unwrap()).collect();
    let nodes = graphs.iter().flat_map(|graph| &graph.nodes);
    nodes
        .filter_map(|node| match &node.op {
            XnnOp::Conv { kind, .. } => Some(*kind),
            _ => None,
        })
        .collect()
}

fn check(case: Case, dtype: DType, in_integers: bool, is_biased: bool) {
    let what = format!("{case:?} {dtype:?} integers {in_integers} bias {is_biased}");
    let graph = model(case, dtype, in_integers, is_biased);
    let (made, regions) = compiled(&graph);
    let kinds = kinds(&regions);
    let is_transposed = kinds.contains(&ConvKind::Transposed);
    assert_eq!(kinds.len(), 1, "{what}");
    assert_eq!(!is_transposed, case.4, "{what}");
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let ([batch, inputs, _], [h, w], ..) = case;
    let sizes = [batch, inputs, h, w].map(|n| n as usize);
    let fed = vec![Tensor::from(tensor(9, dtype, &sizes))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(&graph, &fed, &mut State::new(&graph), &settings).unwrap();
    let found = device::run(&runner, &made, regions, &fed);
    // A step of integers; for sums in floats, what their order and halves explain.
    let most = match (in_integers, dtype) {
        (true, _) => STEP * 1.001,
        (false, DType::F16) => 2e-2,
        (false, _) => 1e-4,
    };
    let expected = expected.outputs[0].scalars();
    for (found, expected) in found[0].scalars().iter().zip(&expected) {
        let off = (found.as_f64() - expected.as_f64()).abs();
        assert!(off <= most, "{what}: {found:?}, not {expected:?}");
    }
}

#[test]
fn blocks_are_products() {
    for case in CASES {
        for is_biased in [false, true] {
            check(case, DType::F32, false, is_biased);
            check(case, DType::F32, true, is_biased);
        }
        if case.4 {
            check(case, DType::F16, false, true);
        }
    }
}
