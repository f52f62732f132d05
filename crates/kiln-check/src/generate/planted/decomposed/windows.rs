//! Patterns for decompositions of convolutions, pools, pads and slices.

use crate::generate::{Grower, Grown, window};
use kiln_ir::ops::{AdaptivePool, Conv, Pad, PadMode, Pool, PoolFn, Quantize, Slice};
use kiln_ir::{DType, Dim, Scalar, ValueId};

pub(super) fn adaptive_pool(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 3]);
    let mut sizes = vec![1, g.size()];
    sizes.extend((0..spatial).map(|_| g.random.between(1, 6)));
    let x = g.float_of_any_type(&sizes);
    let f = match g.random.below(3) {
        0 => PoolFn::Max,
        1 => PoolFn::MaxWithIndices,
        _ => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
    };
    let output = (0..spatial)
        .map(|_| Dim::constant(g.random.between(1, 3)))
        .collect();
    g.put_all(AdaptivePool { f, output }, &[x]).map(|_| ())
}

fn image_of(g: &mut Grower<'_>, spatial: usize) -> ValueId {
    let mut sizes = vec![g.random.between(1, 2), *g.random.pick(&[1, 2, 4])];
    sizes.extend((0..spatial).map(|_| g.random.between(2, 5)));
    g.float_of_any_type(&sizes)
}

pub(super) fn conv1d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 1);
    let channels = g.known(x, 1)?;
    let groups = *g.random.pick(&[1, channels]);
    let kernel = *g.random.pick(&[1, 2, 3]);
    g.convolution(x, kernel, groups).map(|_| ())
}

pub(super) fn conv3d(g: &mut Grower<'_>) -> Grown {
    conv_of_volume(g, false)
}

pub(super) fn conv_transpose3d(g: &mut Grower<'_>) -> Grown {
    conv_of_volume(g, true)
}

fn conv_of_volume(g: &mut Grower<'_>, transposed: bool) -> Grown {
    let x = image_of(g, 3);
    let (dtype, channels) = (g.ty(x).dtype, g.known(x, 1)?);
    let groups = if channels % 2 == 0 && g.random.chance(30) {
        2
    } else {
        1
    };
    let outputs = groups * g.random.between(1, 2);
    let kernel: Vec<i64> = (0..3).map(|_| g.random.between(1, 2)).collect();
    let mut sizes = match transposed {
        true => vec![channels, outputs / groups],
        false => vec![outputs, channels / groups],
    };
    sizes.extend(&kernel);
    let mut operands = vec![x, g.constant(dtype, &sizes)];
    if g.random.chance(50) {
        operands.push(g.constant(dtype, &[outputs]));
    }
    let three = |g: &mut Grower<'_>, values: &[i64]| -> Vec<i64> {
        (0..3).map(|_| *g.random.pick(values)).collect()
    };
    let stride = three(g, &[1, 1, 2]);
    let pad: Vec<i64> = kernel.iter().map(|k| g.random.between(0, k / 2)).collect();
    let op = Conv {
        output_padding: stride
            .iter()
            .map(|s| {
                if transposed {
                    g.random.between(0, s - 1)
                } else {
                    0
                }
            })
            .collect(),
        stride,
        pad_low: pad.clone(),
        pad_high: pad,
        dilation: three(g, &[1, 1, 2]),
        groups,
        transposed,
    };
    g.put(op, &operands).map(|_| ())
}

pub(super) fn pad(g: &mut Grower<'_>) -> Grown {
    let rank = 1 + g.random.below(3);
    let sizes: Vec<i64> = (0..rank).map(|_| g.random.between(3, 5)).collect();
    let mut x = g.float_of_any_type(&sizes);
    if g.ty(x).dtype == DType::F32 && g.random.chance(20) {
        x = g.quantised(x)?;
    }
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        (0..rank)
            .map(|_| Dim::constant(g.random.between(0, 2)))
            .collect()
    };
    let (low, high) = (amount(g), amount(g));
    let mode = match g.random.below(4) {
        0 => PadMode::Constant(Scalar::Float(0.5)),
        1 => PadMode::Reflect,
        2 => PadMode::Replicate,
        _ => PadMode::Circular,
    };
    g.put(Pad { low, high, mode }, &[x]).map(|_| ())
}

pub(super) fn pool1d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 1);
    window::pool_of(g, x, 1)
}

/// A maximum over windows of one element, of floats or of integers.
pub(super) fn pool_of_one(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 3]);
    let mut x = image_of(g, spatial);
    if g.random.chance(40) && g.graph().ty(x).dtype == DType::F32 {
        let (quant, dtype) = (g.per_tensor(), DType::I8);
        x = g.put(Quantize { quant, dtype }, &[x])?;
    }
    let is_near = g.random.chance(20);
    let n = || vec![0; spatial];
    let kernel = (0..spatial).map(|_| if is_near { 2 } else { 1 }).collect();
    let stride = (0..spatial).map(|_| g.random.between(1, 3)).collect();
    let op = Pool {
        f: PoolFn::Max,
        kernel,
        stride,
        pad_low: n(),
        pad_high: n(),
        dilation: vec![1; spatial],
        ceil: g.random.chance(30),
    };
    g.put(op, &[x]).map(|_| ())
}

pub(super) fn pool3d(g: &mut Grower<'_>) -> Grown {
    let x = image_of(g, 3);
    window::pool_of(g, x, 3)
}

pub(super) fn grid_sample(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 3]);
    let x = image_of(g, spatial);
    window::sample_of(g, x)
}

pub(super) fn strided(g: &mut Grower<'_>) -> Grown {
    let (n, size) = (g.size(), g.random.between(3, 9));
    let x = match g.random.chance(70) {
        true => g.float_of_any_type(&[n, size]),
        false => g.fresh_of(DType::I32, &[n, size]),
    };
    let step = g.random.between(2, 3);
    let start = g.random.between(0, size - 1);
    let len = g.random.between(1, 1 + (size - 1 - start) / step);
    let slice = Slice {
        axis: 1,
        start: start.into(),
        len: len.into(),
        step,
    };
    g.put(slice, &[x]).map(|_| ())
}
