//! The guard of a maximum pool that reads the image of the convolution in front of it: results are NaN where PyTorch's are, for a NaN at any
//! place of the image.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod build;
mod device;

use build::{graph, tensor};
use device::{compiled, payloads};
use kiln_eval::{State, Tensor, evaluate};
use kiln_ir::ops::{Conv, Pool, PoolFn, Unary, UnaryFn};
use kiln_ir::{DType, Graph, Scalar, TensorData};
use kiln_xnnpack::payload::XnnOp;
use std::path::PathBuf;

/// Taps, stride and padding along an axis.
type Axis = [i64; 3];

/// The image `[n, c, h, w]`, the convolution's channels, and the axes of the convolution and of the pool.
type Case = ([i64; 4], i64, [Axis; 2], [Axis; 2]);

const fn square(axis: Axis) -> [Axis; 2] {
    [axis, axis]
}

/// The pool of most first layers.
const POOL: [Axis; 2] = square([3, 2, 1]);

/// Layers whose guard reads the image.
const BY_IMAGE: [Case; 9] = [
    ([1, 3, 30, 31], 64, square([7, 2, 3]), POOL),
    ([2, 3, 32, 17], 64, square([7, 2, 3]), POOL),
    ([1, 3, 12, 13], 16, square([3, 1, 1]), POOL),
    ([1, 3, 14, 11], 8, square([3, 1, 0]), square([3, 1, 0])),
    ([1, 3, 20, 21], 64, square([5, 2, 2]), POOL),
    ([1, 1, 20, 21], 32, square([5, 2, 2]), POOL),
    ([1, 1, 15, 16], 16, square([3, 1, 1]), POOL),
    ([1, 4, 20, 21], 64, square([5, 2, 2]), POOL),
    // Rows and columns differ.
    ([1, 3, 30, 23], 64, [[7, 2, 3], [3, 1, 1]], POOL),
];

/// Layers whose guard reads the convolution's result: a NaN of it may be at a single place, few elements show none, the image's channels have no
/// kernel, or the image has more elements.
const BY_RESULT: [Case; 4] = [
    ([1, 3, 30, 31], 64, square([4, 4, 0]), square([3, 2, 1])),
    ([1, 1, 15, 16], 64, square([3, 1, 1]), square([2, 2, 0])),
    ([1, 5, 30, 31], 64, square([7, 2, 3]), POOL),
    ([1, 3, 30, 31], 8, square([7, 2, 3]), POOL),
];

fn model((image, channels, conv, pool): Case) -> Graph {
    graph(|b| {
        let x = b.input(DType::F32, image);
        let at = |axes: [Axis; 2], i: usize| axes.map(|axis| axis[i]).to_vec();
        let [height, width] = conv.map(|axis| axis[0] as usize);
        let sizes = [channels as usize, image[1] as usize, height, width];
        let weight = b.weights(DType::F32, &sizes);
        let conv = Conv {
            stride: at(conv, 1),
            pad_low: at(conv, 2),
            pad_high: at(conv, 2),
            dilation: vec![1, 1],
            groups: 1,
            transposed: false,
            output_padding: vec![0, 0],
        };
        let y = b.op(conv, &[x, weight]);
        let y = b.op(Unary { f: UnaryFn::RELU }, &[y]);
        let pool = Pool {
            f: PoolFn::Max,
            kernel: at(pool, 0),
            stride: at(pool, 1),
            pad_low: at(pool, 2),
            pad_high: at(pool, 2),
            dilation: vec![1, 1],
            ceil: false,
        };
        vec![b.op(pool, &[y])]
    })
}

/// True if a payload subtracts a tensor without channels.
fn reads_image(case: Case) -> bool {
    let (_, regions) = compiled(&model(case));
    payloads(&regions).iter().any(|graph| {
        graph.nodes.iter().any(|node| match &node.op {
            XnnOp::Binary { inputs, .. } => graph.values[inputs[1].index()].dims.last() == Some(&1),
            _ => false,
        })
    })
}

/// Images with one special number each, at every place of a small image and at some of a large one.
fn images(sizes: [i64; 4], special: f64) -> Vec<Vec<Tensor>> {
    let sizes = sizes.map(|n| n as usize);
    let elements: usize = sizes.iter().product();
    // 37 is prime, and no image is as wide: all columns are reached.
    let step = if elements <= 600 { 1 } else { 37 };
    let image = |place: usize| {
        let numbers = tensor(5, DType::F32, &sizes);
        let numbers = numbers.scalars();
        let scalars = numbers
            .into_iter()
            .enumerate()
            .map(|(i, number)| match i == place {
                true => Scalar::Float(special),
                false => number,
            });
        let data = TensorData::from_scalars(DType::F32, sizes.to_vec(), scalars);
        vec![Tensor::from(data)]
    };
    (0..elements).step_by(step).map(image).collect()
}

/// The results on the stock runtime beside the interpreter's, for each image.
fn results(runner: &PathBuf, case: Case, special: f64) -> Vec<[f64; 2]> {
    let graph = model(case);
    let (made, regions) = compiled(&graph);
    let fed = images(case.0, special);
    let found = device::run_all(runner, &made, regions, &fed);
    let mut all = Vec::new();
    for (fed, found) in fed.iter().zip(found) {
        let settings = kiln_eval::Options::default();
        let expected = evaluate(&graph, fed, &mut State::new(&graph), &settings).unwrap();
        let expected = expected.outputs[0].scalars();
        let pairs = found[0].scalars().into_iter().zip(expected);
        all.extend(pairs.map(|(found, expected)| [found.as_f64(), expected.as_f64()]));
    }
    all
}

#[test]
fn a_nan_is_where_it_is_in_pytorch() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let (mut nan, mut numbers) = (0, 0);
    for case in BY_IMAGE.into_iter().chain(BY_RESULT) {
        for [found, expected] in results(&runner, case, f64::NAN) {
            let is_same = match expected.is_nan() {
                true => found.is_nan(),
                false => (found - expected).abs() <= 1e-4 * expected.abs().max(1.0),
            };
            assert!(is_same, "{case:?}: {found}, not {expected}");
            nan += u32::from(expected.is_nan());
            numbers += u32::from(!expected.is_nan());
        }
    }
    println!("{nan} results are NaN, {numbers} are not");
    assert!(nan > 1000 && numbers > 1000);
}

/// An infinity, or a number next to it, makes no NaN, and no result that is 0 another number.
#[test]
fn great_numbers_change_no_guard() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let (mut zeros, mut infinite) = (0, 0);
    for case in BY_IMAGE {
        for special in [f64::INFINITY, f64::NEG_INFINITY, 1e30, -3.4e38] {
            for [found, expected] in results(&runner, case, special) {
                let is_same = match expected {
                    _ if expected.is_nan() => continue,
                    0.0 => found.to_bits() == 0,
                    _ if expected.is_infinite() => found == expected,
                    _ => (found - expected).abs() <= 1e-4 * expected.abs().max(1.0),
                };
                assert!(is_same, "{case:?} {special}: {found}, not {expected}");
                zeros += u32::from(expected == 0.0);
                infinite += u32::from(expected.is_infinite());
            }
        }
    }
    println!("{zeros} results are 0, {infinite} infinite");
    assert!(zeros > 1000 && infinite > 1000);
}

#[test]
fn guards_read_what_has_fewer_elements() {
    for case in BY_IMAGE {
        assert!(reads_image(case), "{case:?}");
    }
    for case in BY_RESULT {
        assert!(!reads_image(case), "{case:?}");
    }
}
