//! Pools, resizing and sampling.

use super::{Grower, Grown};
use kiln_ir::ops::{
    AdaptivePool, Broadcast, GridSample, Outside, Pool, PoolFn, Resize, ResizeMode, SampleMode,
};
use kiln_ir::{Dim, Scalar};

fn fold(g: &mut Grower<'_>) -> PoolFn {
    match g.random.below(6) {
        0..2 => PoolFn::Max,
        2 => PoolFn::MaxWithIndices,
        _ => PoolFn::Avg {
            count_include_pad: g.random.chance(60),
            divisor: g.random.chance(15).then_some(3),
        },
    }
}

pub(super) fn pool(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2, 2]);
    let x = g.image(spatial)?;
    let f = fold(g);
    let is_average = matches!(f, PoolFn::Avg { .. });
    let mut some =
        |values: &[i64]| -> Vec<i64> { (0..spatial).map(|_| *g.random.pick(values)).collect() };
    let kernel = some(&[1, 2, 2, 3]);
    let pad: Vec<i64> = kernel
        .iter()
        .zip(some(&[0, 1]))
        .map(|(k, p)| p.min(k / 2))
        .collect();
    let op = Pool {
        f,
        stride: some(&[1, 1, 2]),
        pad_low: pad.clone(),
        pad_high: pad,
        dilation: if is_average {
            vec![1; spatial]
        } else {
            some(&[1, 1, 2])
        },
        kernel,
        ceil: g.random.chance(25),
    };
    g.put_all(op, &[x]).map(|_| ())
}

pub(super) fn adaptive_pool(g: &mut Grower<'_>) -> Grown {
    let spatial = *g.random.pick(&[1, 2, 2]);
    let x = g.image(spatial)?;
    let f = match fold(g) {
        PoolFn::Avg { .. } => PoolFn::Avg {
            count_include_pad: false,
            divisor: None,
        },
        other => other,
    };
    let output = (0..spatial)
        .map(|_| Dim::constant(g.random.between(1, 3)))
        .collect();
    g.put_all(AdaptivePool { f, output }, &[x]).map(|_| ())
}

pub(super) fn resize(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let mode = *g.random.pick(&[
        ResizeMode::Nearest,
        ResizeMode::Linear,
        ResizeMode::Linear,
        ResizeMode::Cubic,
    ]);
    let output = (0..2)
        .map(|_| Dim::constant(g.random.between(1, 9)))
        .collect();
    let op = Resize {
        mode,
        align_corners: mode != ResizeMode::Nearest && g.random.chance(40),
        output,
        scales: vec![None; 2],
    };
    g.put(op, &[x]).map(|_| ())
}

/// Sampling points from a constant, the same for every image.
pub(super) fn grid_sample(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    let ty = g.ty(x);
    let sizes = [1, g.random.between(1, 3), g.random.between(1, 3), 2];
    let count = sizes.iter().product::<i64>();
    let places = (0..count).map(|_| Scalar::Float(g.random.between(-12, 12) as f64 / 8.0));
    let places = places.collect();
    let mut grid = g.constant_of(ty.dtype, &sizes, places);
    let mut shape = g.shape(grid);
    if shape[0] != ty.shape[0] {
        shape[0] = ty.shape[0].clone();
        grid = g.put(Broadcast { shape }, &[grid])?;
    }
    let op = GridSample {
        mode: *g.random.pick(SampleMode::ALL),
        outside: *g.random.pick(Outside::ALL),
        align_corners: g.random.chance(40),
    };
    g.put(op, &[x, grid]).map(|_| ())
}
