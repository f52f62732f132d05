//! Pools, resizing and sampling.

use super::{Grower, Grown};
use kiln_ir::ops::{
    AdaptivePool, Broadcast, GridSample, Outside, Pool, PoolFn, Resize, ResizeMode, SampleMode,
};
use kiln_ir::{Dim, Scalar, ValueId};

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
    pool_of(g, x, spatial)
}

/// A pool over the last axes of a value. Its padding is uneven at times: that comes from pads that are fused into it.
pub(super) fn pool_of(g: &mut Grower<'_>, x: ValueId, spatial: usize) -> Grown {
    let f = fold(g);
    let is_even = g.random.chance(75);
    let mut some =
        |values: &[i64]| -> Vec<i64> { (0..spatial).map(|_| *g.random.pick(values)).collect() };
    let kernel = some(&[1, 2, 2, 3]);
    // A window that lies in padding alone has no mean.
    let mut padding = || -> Vec<i64> {
        let pads = kernel.iter().zip(some(&[0, 1]));
        pads.map(|(k, p)| p.min(k / 2)).collect()
    };
    let pad_low = padding();
    let pad_high = if is_even { pad_low.clone() } else { padding() };
    let op = Pool {
        f,
        stride: some(&[1, 1, 2]),
        pad_low,
        pad_high,
        dilation: match f {
            PoolFn::Avg { .. } => vec![1; spatial],
            _ => some(&[1, 1, 2]),
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

/// Samples of an image.
pub(super) fn grid_sample(g: &mut Grower<'_>) -> Grown {
    let x = g.image(2)?;
    sample_of(g, x)
}

/// Samples of a row, an image or a volume, at points from a constant, the same for every image.
pub(super) fn sample_of(g: &mut Grower<'_>, x: ValueId) -> Grown {
    let ty = g.ty(x);
    let spatial = ty.rank() - 2;
    let mut sizes = vec![1];
    sizes.extend((0..spatial).map(|_| g.random.between(1, 3)));
    sizes.push(spatial as i64);
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
