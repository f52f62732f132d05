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

/// The image `[n, c, h, w]`, and taps, stride and padding of the convolution and of the pool.
type Case = ([i64; 4], [i64; 3], [i64; 3]);

/// Layers whose guard reads the image.
const BY_IMAGE: [Case; 6] = [
    ([1, 3, 30, 31], [7, 2, 3], [3, 2, 1]),
    ([2, 3, 32, 17], [7, 2, 3], [3, 2, 1]),
    ([1, 3, 12, 13], [3, 1, 1], [3, 2, 1]),
    ([1, 3, 14, 11], [3, 1, 0], [3, 1, 0]),
    ([1, 1, 20, 21], [5, 2, 2], [3, 2, 1]),
    ([1, 1, 15, 16], [3, 1, 1], [3, 2, 1]),
];

/// Layers whose guard reads the convolution's result: a NaN of it may be at a single place, few elements show none, the image's channels have no
/// kernel, or the image has more elements.
const BY_RESULT: [Case; 4] = [
    ([1, 3, 30, 31], [3, 2, 1], [3, 2, 1]),
    ([1, 1, 15, 16], [3, 1, 1], [2, 2, 0]),
    ([1, 4, 30, 31], [7, 2, 3], [3, 2, 1]),
    ([1, 3, 60, 61], [7, 2, 3], [5, 4, 2]),
];

const CHANNELS: usize = 64;

fn model((image, conv, pool): Case) -> Graph {
    graph(|b| {
        let x = b.input(DType::F32, image);
        let [taps, stride, pad] = conv;
        let weight = b.weights(
            DType::F32,
            &[CHANNELS, image[1] as usize, taps as usize, taps as usize],
        );
        let conv = Conv {
            stride: vec![stride; 2],
            pad_low: vec![pad; 2],
            pad_high: vec![pad; 2],
            dilation: vec![1, 1],
            groups: 1,
            transposed: false,
            output_padding: vec![0, 0],
        };
        let y = b.op(conv, &[x, weight]);
        let y = b.op(Unary { f: UnaryFn::RELU }, &[y]);
        let [side, stride, pad] = pool;
        let pool = Pool {
            f: PoolFn::Max,
            kernel: vec![side; 2],
            stride: vec![stride; 2],
            pad_low: vec![pad; 2],
            pad_high: vec![pad; 2],
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

/// An image with NaN at this place.
fn with_nan(sizes: [i64; 4], place: usize) -> Tensor {
    let sizes = sizes.map(|n| n as usize);
    let numbers = tensor(5, DType::F32, &sizes);
    let numbers = numbers.scalars().enumerate();
    let scalars = numbers.map(|(i, s)| {
        if i == place {
            Scalar::Float(f64::NAN)
        } else {
            s
        }
    });
    Tensor::from(TensorData::from_scalars(
        DType::F32,
        sizes.to_vec(),
        scalars,
    ))
}

#[test]
fn a_nan_is_where_it_is_in_pytorch() {
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let (mut nan, mut numbers) = (0, 0);
    for case in BY_IMAGE.into_iter().chain(BY_RESULT) {
        let graph = model(case);
        let (made, regions) = compiled(&graph);
        let elements: i64 = case.0.iter().product();
        let fed = (0..elements as usize).step_by(13);
        let fed: Vec<Vec<Tensor>> = fed.map(|place| vec![with_nan(case.0, place)]).collect();
        let found = device::run_all(&runner, &made, regions, &fed);
        for (fed, found) in fed.iter().zip(found) {
            let settings = kiln_eval::Options::default();
            let expected = evaluate(&graph, fed, &mut State::new(&graph), &settings).unwrap();
            let expected = expected.outputs[0].scalars();
            for (found, expected) in found[0].scalars().iter().zip(&expected) {
                let (found, expected) = (found.as_f64(), expected.as_f64());
                let is_same = match expected.is_nan() {
                    true => found.is_nan(),
                    false => (found - expected).abs() <= 1e-4 * expected.abs().max(1.0),
                };
                assert!(is_same, "{case:?}: {found}, not {expected}");
                nan += u32::from(expected.is_nan());
                numbers += u32::from(!expected.is_nan());
            }
        }
    }
    println!("{nan} results are NaN, {numbers} are not");
    assert!(nan > 1000 && numbers > 1000);
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
