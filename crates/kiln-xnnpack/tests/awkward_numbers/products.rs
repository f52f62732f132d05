//! Convolutions, linear layers and matrix products.

use super::build::Build;
use super::probe::{FLOATS, Probe, clamp, probe};
use kiln_ir::dynamic_quant::{DynamicQuant, Mapping};
use kiln_ir::ops::*;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, ValueId};
use std::sync::Arc;

fn conv(groups: i64, transposed: bool) -> Conv {
    Conv {
        stride: vec![1, 1],
        pad_low: vec![1, 1],
        pad_high: vec![1, 1],
        dilation: vec![1, 1],
        groups,
        transposed,
        output_padding: vec![0, 0],
    }
}

/// Convolutions and linear layers, with and without a clamp behind them.
pub fn layers(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for relu in [false, true] {
            let then = |b: &mut Build<'_>, x: ValueId| {
                if relu {
                    vec![b.op(
                        Unary {
                            f: clamp(Some(0.0), Some(6.0)),
                        },
                        &[x],
                    )]
                } else {
                    vec![x]
                }
            };
            let tail = if relu { ", clamped" } else { "" };
            for (groups, inputs) in [(1, 4), (4, 1), (2, 2)] {
                for taps in [1, 3] {
                    probes.push(probe(
                        &format!("convolution {taps} of {groups} groups{tail}"),
                        dtype,
                        |b| {
                            let x = b.input(dtype, [1, 4, 6, 7]);
                            let w = b.weights(dtype, &[8, inputs, taps, taps]);
                            let bias = b.weights(dtype, &[8]);
                            let y = b.op(conv(groups, false), &[x, w, bias]);
                            then(b, y)
                        },
                    ));
                }
            }
            probes.push(probe(
                &format!("transposed convolution{tail}"),
                dtype,
                |b| {
                    let x = b.input(dtype, [1, 4, 6, 7]);
                    let w = b.weights(dtype, &[4, 8, 3, 3]);
                    let y = b.op(conv(1, true), &[x, w]);
                    then(b, y)
                },
            ));
            // Images and channels are so large that blocks take less time than the library's own convolution.
            let blocks = [
                (1, 2, 0, 8, 16),
                (1, 4, 1, 4, 16),
                (2, 4, 1, 4, 6),
                (4, 2, 1, 4, 6),
                (1, 3, 1, 32, 24),
                (1, 5, 2, 16, 20),
            ];
            for (groups, kernel, pad, inputs, side) in blocks {
                let name = format!("blocks of {kernel} in {groups} groups{tail}");
                probes.push(probe(&name, dtype, |b| {
                    let x = b.input(dtype, [1, inputs, side, side]);
                    let w = b.weights(dtype, &[inputs as usize, 8, kernel, kernel]);
                    let op = Conv {
                        stride: vec![2, 2],
                        pad_low: vec![pad, pad],
                        pad_high: vec![pad, pad],
                        ..conv(groups, true)
                    };
                    let y = b.op(op, &[x, w]);
                    then(b, y)
                }));
            }
            probes.push(probe(&format!("linear{tail}"), dtype, |b| {
                let x = b.input(dtype, [5, 19]);
                let w = b.weights(dtype, &[7, 19]);
                let bias = b.weights(dtype, &[7]);
                let y = b.op(Linear {}, &[x, w, bias]);
                then(b, y)
            }));
        }
    }
}

/// Depthwise convolutions, and matrix products.
pub fn others(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for (kernel, pad) in [
            ([1, 1], 0),
            ([1, 1], 1),
            ([2, 2], 1),
            ([3, 1], 0),
            ([3, 3], 1),
            ([5, 1], 2),
            ([5, 5], 2),
            ([7, 7], 3),
            ([7, 7], 0),
            ([2, 1], 0),
            ([2, 2], 1),
            ([2, 3], 1),
            ([4, 6], 2),
            ([8, 8], 1),
        ] {
            let name = format!("depthwise convolution of {kernel:?} padded {pad}");
            probes.push(probe(&name, dtype, |b| {
                let x = b.input(dtype, [1, 19, 8, 9]);
                let w = b.weights(dtype, &[19, 1, kernel[0], kernel[1]]);
                let padded = Conv {
                    pad_low: vec![pad, pad],
                    pad_high: vec![pad, pad],
                    ..conv(19, false)
                };
                vec![b.op(padded, &[x, w])]
            }));
        }
        probes.push(probe("matrix product", dtype, |b| {
            let (x, y) = (b.input(dtype, [2, 3, 11]), b.input(dtype, [2, 11, 5]));
            vec![b.op(MatMul {}, &[x, y])]
        }));
    }
}

/// Layers with weights of integers, on rows and images that are quantised when running.
pub fn on_rows(probes: &mut Vec<Probe>) {
    let rows = |b: &mut Build<'_>, x: ValueId, axes: usize| {
        let quant = DynamicQuant {
            axes,
            mapping: Mapping::Asymmetric,
            min: -128,
            max: 127,
            eps: f64::from(f32::EPSILON),
            scale: DType::F32,
            zero_point_first: false,
        };
        let dtype = DType::F32;
        b.op(FakeQuantize { quant, dtype }, &[x])
    };
    let integers = |b: &mut Build<'_>, sizes: &[usize]| {
        let weight = b.weights(DType::F32, sizes);
        let scheme = QuantScheme::PerTensor {
            scale: 0.01,
            zero_point: 0,
        };
        let (min, max, dtype) = (-127, 127, DType::I8);
        let quant = Arc::new(Quant { scheme, min, max });
        let weight = b.op(Quantize { quant, dtype }, &[weight]);
        b.op(Dequantize { dtype: DType::F32 }, &[weight])
    };
    probes.push(probe("a layer on rows", DType::F32, |b| {
        let x = b.input(DType::F32, [3, 40]);
        let x = rows(b, x, 1);
        let w = integers(b, &[8, 40]);
        vec![b.op(Linear {}, &[x, w])]
    }));
    probes.push(probe("a convolution on images", DType::F32, |b| {
        let x = b.input(DType::F32, [1, 8, 5, 6]);
        let x = rows(b, x, 4);
        let w = integers(b, &[8, 8, 3, 3]);
        vec![b.op(conv(1, false), &[x, w])]
    }));
}
