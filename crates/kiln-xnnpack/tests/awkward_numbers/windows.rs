//! Pools.

use super::build::dims;
use super::probe::{FLOATS, Probe, of_op, probe};
use kiln_ir::DType;
use kiln_ir::ops::*;

fn pool(f: PoolFn, kernel: [i64; 2], stride: [i64; 2], pad: [i64; 2]) -> Pool {
    Pool {
        f,
        kernel: kernel.into(),
        stride: stride.into(),
        pad_low: pad.into(),
        pad_high: pad.into(),
        dilation: vec![1, 1],
        ceil: false,
    }
}

/// Maxima and averages over windows of many sizes.
pub fn pools(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        for [kernel, stride, pad] in [
            [[2, 2], [2, 2], [0, 0]],
            [[3, 3], [2, 2], [1, 1]],
            [[3, 3], [1, 1], [1, 1]],
            [[1, 3], [1, 2], [0, 1]],
            [[5, 5], [1, 1], [2, 2]],
            [[6, 7], [3, 3], [3, 3]],
            [[4, 4], [2, 2], [2, 2]],
            [[2, 1], [2, 1], [0, 0]],
            [[1, 5], [1, 2], [0, 2]],
            [[2, 6], [1, 1], [1, 0]],
            [[7, 7], [1, 1], [3, 3]],
            [[7, 2], [1, 2], [0, 1]],
        ] {
            let name = format!("{kernel:?} by {stride:?}, padded {pad:?}");
            let max = pool(PoolFn::Max, kernel, stride, pad);
            probes.push(of_op(
                &format!("maximum over {name}"),
                dtype,
                &[1, 19, 8, 9],
                max.clone(),
            ));
            probes.push(probe(
                &format!("maximum over {name} behind relu"),
                dtype,
                |b| {
                    let x = b.input(dtype, [1, 19, 8, 9]);
                    let y = b.op(Unary { f: UnaryFn::RELU }, &[x]);
                    vec![b.op(max, &[y])]
                },
            ));
            for count_include_pad in [false, true] {
                let f = PoolFn::Avg {
                    count_include_pad,
                    divisor: None,
                };
                let name = format!("average over {name}, padding counts {count_include_pad}");
                probes.push(of_op(
                    &name,
                    dtype,
                    &[1, 19, 8, 9],
                    pool(f, kernel, stride, pad),
                ));
            }
        }
    }
}

/// Maxima behind convolutions, whose NaN are rectangles. Of infinities they make NaN at single places.
pub fn behind_layers(probes: &mut Vec<Probe>) {
    for (side, stride) in [(3, 1), (3, 2), (2, 1)] {
        for groups in [1, 4] {
            for relu in [false, true] {
                let layer = Conv {
                    stride: vec![1, 1],
                    pad_low: vec![1, 1],
                    pad_high: vec![1, 1],
                    dilation: vec![1, 1],
                    groups,
                    transposed: false,
                    output_padding: vec![0, 0],
                };
                let windows = pool(PoolFn::Max, [side, side], [stride, stride], [1, 1]);
                let tail = if relu { " and relu" } else { "" };
                let name = format!(
                    "maximum over {side}x{side} by {stride} behind a convolution of {groups} groups{tail}"
                );
                probes.push(probe(&name, DType::F32, |b| {
                    let x = b.input(DType::F32, [1, groups, 30, 31]);
                    let w = b.weights(DType::F32, &[8, 1, 3, 3]);
                    let y = b.op(layer, &[x, w]);
                    let f = UnaryFn::RELU;
                    let y = if relu { b.op(Unary { f }, &[y]) } else { y };
                    vec![b.op(windows, &[y])]
                }));
            }
        }
    }
}

/// First layers, whose images have fewer elements than the results: the guard reads the image.
pub fn first_layers(probes: &mut Vec<Probe>) {
    for (channels, side, stride) in [(3, 3, 1), (1, 5, 2)] {
        let pad = vec![side / 2, side / 2];
        let layer = Conv {
            stride: vec![stride, stride],
            pad_low: pad.clone(),
            pad_high: pad,
            dilation: vec![1, 1],
            groups: 1,
            transposed: false,
            output_padding: vec![0, 0],
        };
        let windows = pool(PoolFn::Max, [3, 3], [2, 2], [1, 1]);
        let name = format!(
            "maximum over 3x3 by 2 behind a convolution of {channels} channels over {side}x{side} by {stride}"
        );
        probes.push(probe(&name, DType::F32, |b| {
            let x = b.input(DType::F32, [2, channels, 30, 31]);
            let w = b.weights(
                DType::F32,
                &[64, channels as usize, side as usize, side as usize],
            );
            let y = b.op(layer, &[x, w]);
            let y = b.op(Unary { f: UnaryFn::RELU }, &[y]);
            vec![b.op(windows, &[y])]
        }));
    }
}

/// Dilated and adaptive pools, and pools of rows.
pub fn others(probes: &mut Vec<Probe>) {
    for dtype in FLOATS {
        let dilated = Pool {
            dilation: vec![2, 2],
            ceil: true,
            ..pool(PoolFn::Max, [3, 3], [2, 2], [0, 0])
        };
        probes.push(of_op(
            "maximum over a dilated window",
            dtype,
            &[1, 19, 8, 9],
            dilated,
        ));
        for f in [
            PoolFn::Max,
            PoolFn::Avg {
                count_include_pad: true,
                divisor: None,
            },
        ] {
            let output = dims(&[2, 3]);
            let adaptive = AdaptivePool { f, output };
            probes.push(of_op(
                &format!("adaptive {f:?}"),
                dtype,
                &[1, 19, 8, 9],
                adaptive,
            ));
        }
        let rows = Pool {
            f: PoolFn::Max,
            kernel: vec![3],
            stride: vec![2],
            pad_low: vec![1],
            pad_high: vec![1],
            dilation: vec![1],
            ceil: false,
        };
        probes.push(of_op("maximum of a row", dtype, &[1, 19, 17], rows));
    }
}
