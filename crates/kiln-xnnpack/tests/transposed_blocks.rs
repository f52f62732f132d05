//! Transposed convolutions with a stride become convolutions whose blocks of outputs are put side by side; others stay. The results are
//! those of the graph, on the stock runtime.

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
use kiln_ir::ops::{Conv, Dequantize, Quantize, Unary, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, Dim, Graph, Scalar, Symbol, TensorData, ValueId};
use kiln_portable::region::Region;
use kiln_xnnpack::payload::{ConvKind, XnnOp};
use std::sync::Arc;

/// Batch, input and output channels, the image, the kernel, the stride, the padding at all sides, the output padding, and whether blocks are
/// made.
type Case = ([i64; 3], [[i64; 2]; 5], bool);

const CASES: [Case; 26] = [
    ([1, 5, 3], [[4, 6], [2, 2], [2, 2], [0, 0], [0, 0]], true),
    ([2, 3, 7], [[5, 3], [4, 4], [4, 4], [0, 0], [0, 0]], true),
    ([1, 8, 1], [[3, 4], [3, 2], [3, 2], [0, 0], [0, 0]], true),
    ([2, 3, 4], [[3, 5], [1, 2], [1, 2], [0, 0], [0, 0]], true),
    ([1, 4, 2], [[6, 1], [2, 1], [2, 1], [0, 0], [0, 0]], true),
    // Blocks that overlap.
    ([1, 5, 3], [[4, 6], [4, 4], [2, 2], [1, 1], [0, 0]], true),
    ([2, 3, 4], [[3, 5], [4, 4], [2, 2], [0, 0], [0, 0]], true),
    ([1, 4, 3], [[5, 4], [6, 4], [3, 2], [2, 1], [1, 0]], true),
    ([1, 4, 3], [[1, 7], [1, 8], [1, 2], [0, 3], [0, 1]], true),
    ([1, 3, 2], [[3, 3], [2, 6], [2, 2], [1, 0], [0, 0]], true),
    // Borders of whole blocks, of more than a kernel, and borders that are added.
    ([1, 3, 4], [[3, 4], [6, 6], [2, 2], [2, 2], [0, 0]], true),
    ([2, 3, 4], [[3, 2], [9, 4], [3, 2], [4, 1], [2, 1]], true),
    ([1, 4, 3], [[7, 5], [2, 4], [2, 2], [2, 2], [0, 1]], true),
    ([1, 5, 3], [[4, 6], [2, 2], [2, 2], [0, 0], [1, 1]], true),
    ([1, 5, 3], [[1, 5], [4, 4], [2, 2], [0, 1], [0, 0]], true),
    ([1, 5, 3], [[2, 4], [4, 4], [2, 2], [1, 1], [1, 0]], true),
    // Kernels that are no multiples of the stride.
    ([1, 5, 3], [[4, 6], [3, 3], [2, 2], [1, 1], [0, 0]], true),
    ([2, 5, 3], [[4, 3], [3, 3], [2, 2], [1, 1], [1, 1]], true),
    ([1, 4, 3], [[5, 4], [5, 5], [2, 2], [2, 2], [1, 1]], true),
    ([2, 3, 2], [[3, 4], [7, 4], [3, 3], [2, 0], [0, 2]], true),
    ([1, 6, 3], [[4, 3], [8, 5], [5, 2], [3, 2], [2, 0]], true),
    ([1, 3, 1], [[1, 6], [1, 11], [1, 4], [0, 5], [0, 1]], true),
    ([1, 3, 2], [[3, 3], [3, 4], [2, 2], [0, 3], [1, 1]], true),
    // Something between blocks, blocks of one element.
    ([1, 5, 3], [[4, 6], [2, 2], [3, 3], [0, 0], [0, 0]], false),
    ([1, 5, 3], [[4, 6], [1, 1], [1, 1], [0, 0], [0, 0]], false),
    ([1, 5, 3], [[4, 6], [3, 3], [1, 1], [1, 1], [0, 0]], false),
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
const STEP: f64 = 0.4;

/// How a layer's numbers are quantised.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Weights {
    Floats,
    OneScale,
    ByChannel,
}

/// How many times as many images and inputs a case has: blocks of less take longer than the library's own convolution.
const IMAGES: i64 = 16;
const INPUTS: i64 = 32;

/// A convolution in groups, each of which has the case's outputs.
fn model(case: Case, groups: i64, dtype: DType, weights: Weights, is_biased: bool) -> Graph {
    let in_integers = weights != Weights::Floats;
    let ([batch, inputs, outputs], [[h, w], kernel, stride, pad, output_padding], _) = case;
    let (batch, inputs) = (IMAGES * batch, INPUTS * inputs);
    graph(|b| {
        let mut x = b.input(dtype, dims(&[batch, groups * inputs, h, w]));
        let sizes = [groups * inputs, outputs, kernel[0], kernel[1]].map(|n| n as usize);
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
            let scheme = match weights {
                Weights::OneScale => by_tensor(0.016, 0),
                _ => scheme,
            };
            weight = rounded(b, weight, scheme);
        }
        let mut operands = vec![x, weight];
        if is_biased {
            operands.push(b.weights(dtype, &[(groups * outputs) as usize]));
        }
        let conv = Conv {
            stride: stride.to_vec(),
            pad_low: pad.to_vec(),
            pad_high: pad.to_vec(),
            dilation: vec![1, 1],
            groups,
            transposed: true,
            output_padding: output_padding.to_vec(),
        };
        let y = b.op(conv, &operands);
        vec![match in_integers {
            true => rounded(b, y, by_tensor(STEP, 5)),
            false => y,
        }]
    })
}

/// The kinds of the program's convolutions.
fn kinds(regions: &[Region]) -> Vec<ConvKind> {
    let graphs = payloads(regions);
    let nodes = graphs.iter().flat_map(|graph| &graph.nodes);
    nodes
        .filter_map(|node| match &node.op {
            XnnOp::Conv { kind, .. } => Some(*kind),
            _ => None,
        })
        .collect()
}

fn check(case: Case, groups: i64, dtype: DType, weights: Weights, is_biased: bool) {
    let in_integers = weights != Weights::Floats;
    let what = format!("{case:?} in {groups} groups {dtype:?} {weights:?} bias {is_biased}");
    let graph = model(case, groups, dtype, weights, is_biased);
    let (made, regions) = compiled(&graph);
    let kinds = kinds(&regions);
    let is_transposed = kinds.contains(&ConvKind::Transposed);
    let ([batch, inputs, _], [[h, w], kernel, stride, ..], has_blocks) = case;
    // Parts of blocks that several convolutions make are not sorted by group.
    let is_whole = (0..2).all(|axis| kernel[axis] % stride[axis] == 0);
    let is_made = has_blocks && (groups == 1 || is_whole);
    assert_eq!(!is_transposed, is_made, "{what}");
    assert!(is_made || kinds.len() == 1, "{what}");
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let (batch, inputs) = (IMAGES * batch, INPUTS * inputs);
    let sizes = [batch, groups * inputs, h, w].map(|n| n as usize);
    let fed = vec![Tensor::from(tensor(9, dtype, &sizes))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(&graph, &fed, &mut State::new(&graph), &settings).unwrap();
    let found = device::run(&runner, &made, regions, &fed);
    let expected = expected.outputs[0].scalars();
    let sizes = expected.iter().map(|s| s.as_f64().abs());
    let greatest = sizes.fold(0.0, f64::max);
    // A step of integers; for sums in floats, what their order and halves explain.
    let most = match (in_integers, dtype) {
        (true, _) => STEP * 1.001,
        (false, DType::F16) => 4e-3 * greatest,
        (false, DType::BF16) => 1.6e-2 * greatest,
        (false, _) => 1e-5 * greatest,
    };
    let mut other = 0;
    for (found, expected) in found[0].scalars().iter().zip(&expected) {
        let off = (found.as_f64() - expected.as_f64()).abs();
        assert!(off <= most, "{what}: {found:?}, not {expected:?}");
        other += usize::from(off > most / 2.0);
    }
    assert!(
        other * 10 <= expected.len(),
        "{what}: {other} of {} are another integer",
        expected.len()
    );
}

/// A transposed convolution with weights `[inputs, outputs, kernel..]` and blocks of the kernel's size.
fn upward(groups: i64, kernel: &[i64]) -> Conv {
    let zeros = vec![0; kernel.len()];
    Conv {
        stride: kernel.to_vec(),
        pad_low: zeros.clone(),
        pad_high: zeros.clone(),
        dilation: vec![1; kernel.len()],
        groups,
        transposed: true,
        output_padding: zeros,
    }
}

/// Compiles a graph of floats, counts its transposed convolutions and its transposes, and runs it.
fn check_floats(
    what: &str,
    graph: &Graph,
    sizes: &[usize],
    [convolutions, transposes]: [usize; 2],
) {
    let (made, regions) = compiled(graph);
    let payloads = payloads(&regions);
    let nodes = payloads.iter().flat_map(|payload| &payload.nodes);
    let ops: Vec<&XnnOp> = nodes.map(|node| &node.op).collect();
    let count = |is: fn(&XnnOp) -> bool| ops.iter().filter(|op| is(op)).count();
    let transposed = count(|op| {
        matches!(
            op,
            XnnOp::Conv {
                kind: ConvKind::Transposed,
                ..
            }
        )
    });
    let moved = count(|op| matches!(op, XnnOp::Transpose { .. }));
    assert_eq!([transposed, moved], [convolutions, transposes], "{what}");
    let Some(runner) = kiln_testing::part::STOCK_RUNTIME.find() else {
        return;
    };
    let fed = vec![Tensor::from(tensor(9, DType::F32, sizes))];
    let settings = kiln_eval::Options::default();
    let expected = evaluate(graph, &fed, &mut State::new(graph), &settings).unwrap();
    let found = device::run(&runner, &made, regions, &fed);
    let pairs = found[0]
        .scalars()
        .into_iter()
        .zip(expected.outputs[0].scalars());
    for (found, expected) in pairs {
        let off = (found.as_f64() - expected.as_f64()).abs();
        assert!(off <= 1e-3, "{what}: {found:?}, not {expected:?}");
    }
}

/// Transposed convolutions in groups, by the image, the weights `[inputs, outputs of a group, kernel..]`, the stride, and the transposes.
#[test]
fn groups_have_blocks_of_their_own() {
    let cases = [
        ([1, 6, 3, 4], 2, [6, 2, 2, 2], [2, 2], 3),
        ([2, 6, 3, 4], 6, [6, 1, 4, 4], [2, 2], 3),
        ([1, 4, 5, 3], 2, [4, 3, 6, 2], [3, 1], 3),
        ([1, 4, 1, 7], 4, [4, 1, 1, 8], [1, 4], 3),
        ([2, 3, 4, 4], 3, [3, 2, 3, 3], [3, 3], 3),
    ];
    for (image, groups, weight, stride, transposes) in cases {
        let model = graph(|b| {
            let x = b.input(DType::F32, dims(&image));
            let outputs = groups * weight[1] as usize;
            let weight = b.weights(DType::F32, &weight.map(|n| n as usize));
            let bias = b.weights(DType::F32, &[outputs]);
            let op = Conv {
                stride: stride.to_vec(),
                ..upward(groups as i64, &[1, 1])
            };
            vec![b.op(op, &[x, weight, bias])]
        });
        let what = format!("{image:?} in {groups} groups");
        check_floats(&what, &model, &image.map(|n| n as usize), [0, transposes]);
    }
}

/// The blocks of a row follow each other, so only the border moves anything.
#[test]
fn blocks_of_a_row_are_not_moved() {
    let row = graph(|b| {
        let x = b.input(DType::F32, dims(&[2, 64, 9]));
        let weight = b.weights(DType::F32, &[64, 24, 3]);
        let bias = b.weights(DType::F32, &[24]);
        vec![b.op(upward(1, &[3]), &[x, weight, bias])]
    });
    check_floats("a row", &row, &[2, 64, 9], [0, 2]);
}

/// A kernel of 11 at a stride of 4 has bands of 3 and of 1 outputs, and padding of 2 before and 5 behind.
#[test]
fn a_row_has_bands() {
    let row = graph(|b| {
        let x = b.input(DType::F32, dims(&[2, 64, 9]));
        let weight = b.weights(DType::F32, &[64, 24, 11]);
        let op = Conv {
            pad_low: vec![2],
            pad_high: vec![5],
            ..upward(1, &[4])
        };
        vec![b.op(op, &[x, weight])]
    });
    check_floats("bands of a row", &row, &[2, 64, 9], [0, 2]);
}

#[test]
fn clamps_of_blocks_are_kept() {
    let clamped = graph(|b| {
        let x = b.input(DType::F32, dims(&[1, 64, 3, 4]));
        let weight = b.weights(DType::F32, &[64, 24, 2, 2]);
        let y = b.op(upward(1, &[2, 2]), &[x, weight]);
        vec![b.op(Unary { f: UnaryFn::RELU }, &[y])]
    });
    check_floats("a clamp", &clamped, &[1, 64, 3, 4], [0, 3]);
}

/// The blocks of groups of several outputs have too many dims beside a number of images that is not known.
#[test]
fn the_number_of_images_may_be_unknown() {
    let cases = [
        ([64, 24, 2, 2], 2, 1, 0, [0, 3]),
        ([64, 24, 4, 4], 2, 1, 1, [0, 3]),
        ([64, 24, 5, 5], 3, 1, 1, [0, 3]),
        ([6, 1, 4, 4], 2, 6, 1, [0, 3]),
        ([6, 2, 4, 4], 2, 3, 1, [1, 2]),
    ];
    for (weight, stride, groups, pad, expected) in cases {
        let batch = graph(|b| {
            let symbol = Symbol {
                name: "n".into(),
                min: 1,
                max: Some(8),
                hint: Some(4),
            };
            let n = Dim::symbol(b.rewriter.add_symbol(symbol));
            let sizes = [n, (weight[0] as i64).into(), 3.into(), 4.into()];
            let x = b.input(DType::F32, sizes.to_vec());
            let op = Conv {
                pad_low: vec![pad, pad],
                pad_high: vec![pad, pad],
                ..upward(groups, &[stride, stride])
            };
            let weight = b.weights(DType::F32, &weight);
            vec![b.op(op, &[x, weight])]
        });
        let what = format!("images, weights of {weight:?}");
        check_floats(&what, &batch, &[7, weight[0], 3, 4], expected);
    }
}

/// Of the four blocks of one place a quarter remains, of those of 16 places two thirds; few channels give little to save. In groups the library
/// takes longer than all that.
#[test]
fn blocks_are_made_where_they_pay() {
    let cases = [
        ([256, 64], 1, 1, 1),
        ([256, 64], 4, 1, 0),
        ([4, 2], 8, 1, 1),
        ([4, 2], 1, 2, 0),
    ];
    for ([inputs, outputs], side, groups, transposed) in cases {
        let model = graph(|b| {
            let x = b.input(DType::F32, dims(&[1, inputs as i64, side, side]));
            let weight = b.weights(DType::F32, &[inputs, outputs, 4, 4]);
            let op = Conv {
                pad_low: vec![1, 1],
                pad_high: vec![1, 1],
                ..upward(groups, &[2, 2])
            };
            vec![b.op(op, &[x, weight])]
        });
        let (_, regions) = compiled(&model);
        let found = kinds(&regions);
        let is_own = |kind: &&ConvKind| **kind == ConvKind::Transposed;
        let count = found.iter().filter(is_own).count();
        let what = format!("{inputs} channels, {side} x {side} places, {groups} groups");
        assert_eq!(count, transposed, "{what}");
    }
}

/// Padding times a weight that is infinite would be NaN.
#[test]
fn infinite_weights_see_no_padding() {
    for (kernel, transposed) in [(2, 0), (4, 1)] {
        let model = graph(|b| {
            let x = b.input(DType::F32, dims(&[1, 64, 3, 3]));
            let taps = 64 * 24 * kernel * kernel;
            let numbers =
                (0..taps).map(|i| Scalar::Float(if i == 1 { f64::INFINITY } else { 1.0 }));
            let data = TensorData::from_scalars(DType::F32, vec![64, 24, kernel, kernel], numbers);
            let weight = b.constant(data);
            vec![b.op(upward(1, &[2, 2]), &[x, weight])]
        });
        let (_, regions) = compiled(&model);
        let found = kinds(&regions);
        let count = found
            .iter()
            .filter(|kind| **kind == ConvKind::Transposed)
            .count();
        assert_eq!(count, transposed, "{kernel}");
    }
}

#[test]
fn blocks_are_products() {
    for case in CASES {
        for is_biased in [false, true] {
            for weights in [Weights::Floats, Weights::OneScale, Weights::ByChannel] {
                check(case, 1, DType::F32, weights, is_biased);
                check(case, 2, DType::F32, weights, is_biased);
            }
        }
        if case.2 {
            check(case, 1, DType::F16, Weights::Floats, true);
            check(case, 2, DType::F16, Weights::Floats, false);
            check(case, 1, DType::BF16, Weights::Floats, true);
        }
    }
}
