//! Convolutions of integers on few channels, whose columns become channels where they have strides: the payload has fewer taps, and the
//! results are those of the graph, on the payload's evaluator and on the stock runtime.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{Build, dims, graph, tensor};
use device::{compiled, payloads};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::dynamic_quant::{DynamicQuant, Mapping};
use kiln_ir::ops::{Conv, Dequantize, FakeQuantize, Quantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Graph, ValueId};
use kiln_portable::region::Region;
use kiln_xnnpack::payload::XnnOp;
use std::sync::Arc;

/// A window along height or width, and the image's size there.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: i64,
    kernel: i64,
    stride: i64,
    low: i64,
    high: i64,
    dilation: i64,
}

const fn axis(size: i64, kernel: i64, stride: i64, low: i64, high: i64, dilation: i64) -> Axis {
    Axis {
        size,
        kernel,
        stride,
        low,
        high,
        dilation,
    }
}

/// Channels, height and width, and whether the fold pays.
const CASES: [(i64, [Axis; 2], bool); 12] = [
    (3, [axis(12, 3, 2, 1, 1, 1), axis(12, 3, 2, 1, 1, 1)], true),
    (3, [axis(14, 7, 2, 3, 3, 1), axis(14, 7, 2, 3, 3, 1)], true),
    (3, [axis(12, 4, 4, 0, 0, 1), axis(12, 4, 4, 0, 0, 1)], true),
    (1, [axis(64, 16, 4, 6, 6, 1), axis(1, 1, 1, 0, 0, 1)], true),
    (2, [axis(9, 2, 3, 1, 0, 1), axis(18, 5, 3, 2, 1, 1)], true),
    (4, [axis(10, 3, 1, 1, 1, 1), axis(16, 6, 4, 3, 4, 1)], true),
    (2, [axis(10, 3, 2, 0, 1, 2), axis(16, 3, 4, 2, 2, 2)], true),
    (3, [axis(12, 3, 2, 1, 1, 1), axis(13, 3, 2, 1, 1, 1)], false),
    (3, [axis(12, 3, 1, 1, 1, 1), axis(12, 3, 1, 1, 1, 1)], false),
    (8, [axis(12, 3, 2, 1, 1, 1), axis(12, 3, 2, 1, 1, 1)], false),
    (3, [axis(6, 3, 2, 1, 0, 1), axis(6, 3, 2, 0, 1, 1)], true),
    (5, [axis(8, 2, 2, 0, 0, 1), axis(8, 2, 2, 0, 0, 1)], false),
];

fn per_tensor(scale: f64, zero_point: i64) -> Quantize {
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    Quantize {
        quant: Arc::new(Quant {
            scheme,
            min: -128,
            max: 127,
        }),
        dtype: DType::I8,
    }
}

fn rounded(b: &mut Build<'_>, x: ValueId, by: Quantize) -> ValueId {
    let integers = b.op(by, &[x]);
    b.op(Dequantize { dtype: DType::F32 }, &[integers])
}

const DYNAMIC: DynamicQuant = DynamicQuant {
    axes: 4,
    mapping: Mapping::AsymmetricNearer,
    min: -128,
    max: 127,
    eps: 1e-10,
    scale: DType::F32,
    zero_point_first: false,
};

fn model(channels: i64, [h, w]: [Axis; 2], is_dynamic: bool) -> Graph {
    graph(|b| {
        let x = b.input(DType::F32, dims(&[1, channels, h.size, w.size]));
        let x = match is_dynamic {
            true => b.op(
                FakeQuantize {
                    quant: DYNAMIC,
                    dtype: DType::F32,
                },
                &[x],
            ),
            false => rounded(b, x, per_tensor(0.02, -11)),
        };
        let sizes = [6, channels, h.kernel, w.kernel].map(|n| n as usize);
        let weight = b.weights(DType::F32, &sizes);
        let weight = rounded(b, weight, per_tensor(0.016, 0));
        let both = |f: fn(Axis) -> i64| vec![f(h), f(w)];
        let conv = Conv {
            stride: both(|a| a.stride),
            pad_low: both(|a| a.low),
            pad_high: both(|a| a.high),
            dilation: both(|a| a.dilation),
            groups: 1,
            transposed: false,
            output_padding: vec![0, 0],
        };
        let y = b.op(conv, &[x, weight]);
        vec![match is_dynamic {
            true => y,
            false => rounded(b, y, per_tensor(0.1, 5)),
        }]
    })
}

/// The channels and taps of the only convolution.
fn work(regions: &[Region]) -> (i64, [u32; 2]) {
    let graphs = payloads(regions);
    let convs = graphs
        .iter()
        .flat_map(|graph| &graph.nodes)
        .filter_map(|node| match &node.op {
            XnnOp::Conv { params, .. } => Some((params.group_input_channels.into(), params.kernel)),
            _ => None,
        });
    let all: Vec<_> = convs.collect();
    assert_eq!(all.len(), 1);
    all[0]
}

fn check(channels: i64, axes: [Axis; 2], is_folded: bool, is_dynamic: bool) {
    let what = format!("{channels} {axes:?} dynamic {is_dynamic}");
    let graph = model(channels, axes, is_dynamic);
    let (made, regions) = compiled(&graph);
    let (inputs, taps) = work(&regions);
    let kernel = axes.map(|a| a.kernel as u32);
    assert_eq!(inputs > channels && taps != kernel, is_folded, "{what}");
    let sizes = [1, channels, axes[0].size, axes[1].size].map(|n| n as usize);
    let fed = vec![Tensor::from(tensor(9, DType::F32, &sizes))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(&graph, &fed, &mut State::new(&graph), &settings).unwrap();
    let expected = expected.outputs[0].scalars();
    let near = |found: &Tensor, by: &str| {
        // A step of the result; for sums in floats, what their order explains.
        let most = if is_dynamic { 1e-4 } else { 0.1001 };
        for (found, expected) in found.scalars().iter().zip(&expected) {
            let off = (found.as_f64() - expected.as_f64()).abs();
            assert!(off <= most, "{what} {by}: {found:?}, not {expected:?}");
        }
    };
    if let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() {
        near(&device::run(&runner, &made, regions, &fed)[0], "stock");
    }
}

#[test]
fn columns_become_channels() {
    for (channels, axes, is_folded) in CASES {
        for is_dynamic in [false, true] {
            check(channels, axes, is_folded, is_dynamic);
        }
    }
}
