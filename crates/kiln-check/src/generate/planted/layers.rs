//! Patterns for `fold_batch_norm`, `fuse_pad` and `separate_bias`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Conv, Linear, Pad, PadMode, Pool, PoolFn};
use kiln_ir::{DType, Dim, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_batch_norm", "fold_batch_norm", "", batch_norm),
    plant("fuse_pad", "fuse_pad", "", padded_window),
    plant("separate_bias", "bias_behind_movements", "", moved_bias),
];

/// A layer and a normalisation of its channels. Sometimes another node also reads the layer, or the weight is not a
/// constant.
fn batch_norm(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[0, 0, 1, 2, 2]);
    let y = match spatial {
        0 => {
            let x = if g.random.chance(70) {
                let sizes = [g.size(), g.size()];
                g.fresh(&sizes)
            } else {
                let n = g.size();
                g.fresh(&[2, n, n])
            };
            let outputs = g.size();
            g.layer(x, outputs)?
        }
        _ => {
            let x = g.image(spatial)?;
            let channels = g.known(x, 1)?;
            let groups = *g.random.pick(&[1, channels.max(1)]);
            let kernel = *g.random.pick(&[1, 2]);
            g.convolution(x, kernel, groups)?
        }
    };
    g.sometimes_read(y, 15)?;
    let y = g.batch_norm(y)?;
    g.sometimes_read(y, 30)
}

/// A padding, with zeros or other numbers, in front of a convolution or a pool.
fn padded_window(g: &mut Grower<'_>) -> Grown {
    let dtype = *g
        .random
        .pick(&[DType::F32, DType::F32, DType::F32, DType::I32]);
    let sizes = [
        g.size(),
        g.size(),
        g.random.between(3, 6),
        g.random.between(3, 6),
    ];
    let x = g.fresh_of(dtype, &sizes);
    let outer = i64::from(g.random.chance(10));
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        [0, outer, g.random.between(0, 2), g.random.between(0, 2)]
            .map(Dim::constant)
            .to_vec()
    };
    let (low, high) = (amount(g), amount(g));
    let mode = match dtype.int_range() {
        _ if g.random.chance(8) => PadMode::Replicate,
        Some((least, _)) => PadMode::Constant(Scalar::Int(*g.random.pick(&[0, least, 1]))),
        None => PadMode::Constant(Scalar::Float(*g.random.pick(&[
            0.0,
            0.0,
            0.0,
            -0.0,
            f64::NEG_INFINITY,
            f64::NEG_INFINITY,
            1.0,
        ]))),
    };
    let y = g.put(Pad { low, high, mode }, &[x])?;
    if dtype.is_float() && g.random.chance(40) {
        return g.convolution(y, 3, 1).map(|_| ());
    }
    pool(g, y)
}

fn pool(g: &mut Grower<'_>, x: ValueId) -> Grown {
    let f = match g.random.below(5) {
        0 | 1 if g.ty(x).dtype.is_float() => PoolFn::Avg {
            count_include_pad: g.random.chance(60),
            divisor: g.random.chance(20).then_some(3),
        },
        2 => PoolFn::MaxWithIndices,
        _ => PoolFn::Max,
    };
    let two = |g: &mut Grower<'_>, values: &[i64]| -> Vec<i64> {
        (0..2).map(|_| *g.random.pick(values)).collect()
    };
    let is_average = matches!(f, PoolFn::Avg { .. });
    let kernel = two(g, &[2, 3, 4, 5]);
    let pad: Vec<i64> = kernel.iter().map(|k| g.random.between(0, k / 2)).collect();
    let op = Pool {
        f,
        stride: two(g, &[1, 1, 2]),
        pad_low: pad.clone(),
        pad_high: pad,
        dilation: if is_average {
            vec![1; 2]
        } else {
            two(g, &[1, 1, 2])
        },
        kernel,
        ceil: g.random.chance(25),
    };
    g.put_all(op, &[x]).map(|_| ())
}

/// A layer without a bias, movements, and a sum with a constant by channel, or a near miss of it.
fn moved_bias(g: &mut Grower<'_>) -> Grown {
    // Equal sizes, so that types do not tell the axes apart.
    let n = g.random.between(2, 4);
    let is_conv = g.random.chance(50);
    let dtype = if g.random.chance(80) {
        DType::F32
    } else {
        DType::F16
    };
    let mut y = if is_conv {
        let x = g.fresh_of(dtype, &[1, n, n, n]);
        let w = g.constant(dtype, &[n, n, 1, 1]);
        let op = Conv {
            stride: vec![1; 2],
            pad_low: vec![0; 2],
            pad_high: vec![0; 2],
            dilation: vec![1; 2],
            groups: 1,
            transposed: false,
            output_padding: vec![0; 2],
        };
        g.put(op, &[x, w])?
    } else {
        let x = g.fresh_of(dtype, &[n, n, n]);
        let mut operands = vec![x, g.constant(dtype, &[n, n])];
        if g.random.chance(15) {
            operands.push(g.constant(dtype, &[n]));
        }
        g.put(Linear {}, &operands)?
    };
    for _ in 0..g.random.below(3) {
        g.sometimes_read(y, 8)?;
        let movement = g.some_movement(&g.shape(y))?;
        y = g.moved(y, movement)?;
    }
    let c = g.broadcast_constant(y);
    let f = if g.random.chance(90) {
        BinaryFn::Add
    } else {
        BinaryFn::Sub
    };
    let operands = if g.random.chance(80) { [y, c] } else { [c, y] };
    g.binary(f, operands[0], operands[1]).map(|_| ())
}
