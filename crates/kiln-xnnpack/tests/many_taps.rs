//! Windows of integers with more taps than the library's depthwise kernels have. At few places they are convolutions of integers whose
//! groups have taps as channels, with the results of the graph on the stock runtime. At more places they
//! compute in floats, whose weights are whole numbers of f16.

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
use kiln_ir::ops::{Conv, Dequantize, Quantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, Symbol, ValueId};
use kiln_portable::region::Region;
use kiln_xnnpack::payload::{Datatype, XnnOp};
use std::sync::Arc;

/// A window along an axis: the image's size, the taps, the stride, the padding at both ends, and the dilation.
type Axis = [i64; 6];

/// Images, channels, outputs of a channel, the axes, and the taps that become channels.
type Case = ([i64; 3], [Axis; 2], u32);

const ONE: Axis = [1, 1, 1, 0, 0, 1];

const CASES: [Case; 13] = [
    ([1, 5, 1], [[5, 7, 1, 3, 3, 1], [6, 7, 1, 3, 3, 1]], 7),
    // The most places.
    ([1, 2, 1], [[8, 7, 1, 3, 3, 1], [4, 7, 1, 3, 3, 1]], 7),
    ([2, 12, 1], [[4, 7, 1, 3, 3, 1], [4, 7, 1, 3, 3, 1]], 7),
    ([1, 3, 1], [[32, 31, 1, 15, 15, 1], ONE], 8),
    ([2, 4, 1], [[16, 31, 1, 15, 15, 1], ONE], 8),
    ([1, 4, 1], [ONE, [42, 26, 1, 10, 3, 1]], 7),
    // Strides, dilation, one-sided padding, none.
    ([1, 6, 1], [[10, 7, 2, 3, 2, 1], [9, 5, 2, 2, 2, 1]], 7),
    ([1, 3, 1], [[20, 6, 1, 4, 0, 3], [11, 5, 3, 0, 2, 2]], 6),
    ([1, 9, 1], [[12, 9, 1, 0, 0, 1], [10, 9, 1, 0, 1, 1]], 5),
    // Several outputs of a channel, one place.
    ([1, 3, 2], [[5, 7, 1, 3, 3, 1], [6, 7, 1, 3, 3, 1]], 7),
    ([1, 9, 1], [[7, 7, 1, 0, 0, 1], [7, 7, 1, 0, 0, 1]], 7),
    ([1, 2, 3], [[5, 13, 1, 6, 6, 1], [6, 3, 1, 1, 1, 1]], 7),
    // More is moved than twice the most places.
    ([1, 9, 1], [[12, 12, 1, 0, 0, 1], [12, 12, 1, 0, 0, 1]], 6),
];

/// As [`CASES`], at too many places: one too many, of one image, of two, of what would be moved.
const MANY_PLACES: [Case; 6] = [
    ([1, 5, 1], [[11, 7, 1, 3, 3, 1], [3, 7, 1, 3, 3, 1]], 0),
    ([1, 3, 1], [[100, 31, 1, 15, 15, 1], ONE], 0),
    ([2, 2, 2], [[12, 6, 1, 3, 2, 1], [10, 5, 1, 2, 2, 1]], 0),
    ([2, 5, 1], [[8, 7, 1, 3, 3, 1], [7, 7, 1, 3, 3, 1]], 0),
    ([1, 6, 1], [[35, 7, 7, 0, 0, 1], [35, 7, 7, 0, 0, 1]], 0),
    ([1, 6, 1], [[56, 7, 7, 0, 0, 1], [56, 7, 7, 0, 0, 1]], 0),
];

fn rounded(b: &mut Build<'_>, x: ValueId, scheme: QuantScheme) -> ValueId {
    let (min, max, dtype) = (-128, 127, DType::I8);
    let quant = Arc::new(Quant { scheme, min, max });
    let integers = b.op(Quantize { quant, dtype }, &[x]);
    b.op(Dequantize { dtype: DType::F32 }, &[integers])
}

fn per_tensor(scale: f64, zero_point: i64) -> QuantScheme {
    QuantScheme::PerTensor { scale, zero_point }
}

/// The number of images is known, or has a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Images {
    Known,
    AtMost(i64),
}

fn model(
    [images, channels, outputs]: [i64; 3],
    axes: [Axis; 2],
    by_channel: bool,
    given: Images,
) -> Graph {
    graph(|b| {
        let [h, w] = axes;
        let mut sizes = dims(&[images, channels, h[0], w[0]]);
        if let Images::AtMost(most) = given {
            let symbol = Symbol {
                name: "n".into(),
                min: 1,
                max: Some(most),
                hint: Some(images),
            };
            sizes[0] = Dim::symbol(b.rewriter.add_symbol(symbol));
        }
        let x = b.input(DType::F32, sizes);
        let x = rounded(b, x, per_tensor(0.02, -11));
        let all = (channels * outputs) as usize;
        let weight = b.weights(DType::F32, &[all, 1, h[1] as usize, w[1] as usize]);
        let scheme = match by_channel {
            true => QuantScheme::PerChannel {
                axis: 0,
                scales: (0..all).map(|i| 0.01 + 0.001 * i as f64).collect(),
                zero_points: vec![0; all].into(),
            },
            false => per_tensor(0.016, 0),
        };
        let weight = rounded(b, weight, scheme);
        let bias = b.weights(DType::F32, &[all]);
        let both = |at: usize| vec![h[at], w[at]];
        let conv = Conv {
            stride: both(2),
            pad_low: both(3),
            pad_high: both(4),
            dilation: both(5),
            groups: channels,
            transposed: false,
            output_padding: vec![0, 0],
        };
        let y = b.op(conv, &[x, weight, bias]);
        vec![rounded(b, y, per_tensor(0.1, 5))]
    })
}

/// The input channels of each group, and the types of weights, of each convolution.
fn kernels(regions: &[Region]) -> Vec<(u32, Datatype)> {
    let graphs = payloads(regions);
    let mut found = Vec::new();
    for graph in &graphs {
        for node in &graph.nodes {
            if let XnnOp::Conv { params, filter, .. } = &node.op {
                let datatype = graph.values[filter.index()].datatype;
                found.push((params.group_input_channels, datatype));
            }
        }
    }
    found
}

/// Compares with the graph, within a step.
fn check(
    sizes: [i64; 3],
    axes: [Axis; 2],
    by_channel: bool,
    images: Images,
) -> Vec<(u32, Datatype)> {
    let what = format!("{sizes:?} {axes:?} by channel {by_channel}, {images:?}");
    let graph = model(sizes, axes, by_channel, images);
    let (made, regions) = compiled(&graph);
    let found = kernels(&regions);
    let [h, w] = axes.map(|axis| axis[0]);
    let input = [sizes[0], sizes[1], h, w].map(|n| n as usize);
    let fed = vec![Tensor::from(tensor(9, DType::F32, &input))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(&graph, &fed, &mut State::new(&graph), &settings).unwrap();
    let expected = expected.outputs[0].scalars();
    let distinct: std::collections::BTreeSet<i64> = expected
        .iter()
        .map(|s| (s.as_f64() * 10.0).round() as i64)
        .collect();
    assert!(distinct.len() > 4, "{what}: {} results", distinct.len());
    if let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() {
        let made = &device::run(&runner, &made, regions, &fed)[0];
        for (found, expected) in made.scalars().iter().zip(&expected) {
            let off = (found.as_f64() - expected.as_f64()).abs();
            assert!(off <= 0.1001, "{what}: {found:?}, not {expected:?}");
        }
    }
    found
}

#[test]
fn taps_become_channels_at_few_places() {
    for (sizes, axes, channels) in CASES {
        for by_channel in [false, true] {
            let datatype = match by_channel {
                true => Datatype::QcInt8,
                false => Datatype::QInt8,
            };
            let found = check(sizes, axes, by_channel, Images::Known);
            assert_eq!(found, [(channels, datatype)], "{sizes:?} {axes:?}");
        }
    }
}

#[test]
fn at_many_places_weights_are_whole_numbers_of_f16() {
    for (sizes, axes, _) in MANY_PLACES {
        for by_channel in [false, true] {
            let found = check(sizes, axes, by_channel, Images::Known);
            assert!(!found.is_empty(), "{sizes:?} {axes:?}");
            let is_half = |(_, datatype): &(u32, Datatype)| *datatype == Datatype::Fp16;
            assert!(found.iter().all(is_half), "{sizes:?} {axes:?}: {found:?}");
        }
    }
}

/// Places of an unknown number of images may be many.
#[test]
fn windows_of_unknown_images_compute_in_floats() {
    for (sizes, axes, _) in [CASES[0], CASES[2], CASES[6]] {
        let found = check(sizes, axes, true, Images::AtMost(4));
        let is_half = |(_, datatype): &(u32, Datatype)| *datatype == Datatype::Fp16;
        assert!(!found.is_empty() && found.iter().all(is_half), "{found:?}");
    }
}
