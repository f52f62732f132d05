//! Near misses of `fold_batch_norm` and `fuse_pad`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{Linear, NormKind, Normalize, Pad, PadMode, Pool, PoolFn};
use kiln_ir::{DType, Dim, Scalar};

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_batch_norm", "fold_batch_norm", "", half_norm),
    plant("fold_batch_norm", "fold_batch_norm", "", norm_of_rows),
    plant("fuse_pad", "fuse_pad", "", padded_pool),
];

/// A batch norm of f16 by numbers that may not fit the type once they are multiplied.
fn half_norm(g: &mut Grower<'_>) -> Grown {
    let (dtype, n) = (DType::F16, g.random.between(2, 4));
    let x = g.fresh_of(dtype, &[n, n]);
    let same = |g: &mut Grower<'_>, sizes: &[i64], value: f64| {
        let count = sizes.iter().product::<i64>() as usize;
        g.constant_of(dtype, sizes, vec![Scalar::Float(value); count])
    };
    let weight = *g.random.pick(&[1.0, 8.0, 1e-3]);
    let w = same(g, &[n, n], weight);
    let y = g.put(Linear {}, &[x, w])?;
    let (gamma, mean, beta) = *g.random.pick(&[
        (30000.0, 0.0, 0.0),
        (1e-4, 0.0, 0.0),
        (1e-6, 0.0, 0.0),
        (4096.0, 64.0, 0.0),
        (16.0, 4.0, 1.0),
    ]);
    let numbers = [mean, 1.0, gamma, beta];
    let mut operands = vec![y];
    for number in numbers {
        operands.push(same(g, &[n], number));
    }
    let (kind, eps) = (NormKind::Batch, 1e-3);
    g.put(Normalize { kind, eps }, &operands).map(|_| ())
}

/// A batch norm of a linear layer's results, whose second axis is that of the features or of as many rows.
fn norm_of_rows(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 4);
    let x = match g.random.chance(40) {
        true => g.fresh(&[n, n]),
        false => g.fresh(&[2, n, n]),
    };
    let y = g.layer(x, n)?;
    g.batch_norm(y)?;
    g.sometimes_read(y, 30)
}

/// A padding with a constant in front of a pool, which pads too or does not, and counts padding or does not.
fn padded_pool(g: &mut Grower<'_>) -> Grown {
    let is_integer = g.random.chance(20);
    let dtype = if is_integer { DType::I32 } else { DType::F32 };
    let (rows, columns) = (g.random.between(5, 7), g.random.between(4, 6));
    let x = g.fresh_of(dtype, &[1, 2, rows, columns]);
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        let (a, b) = (g.random.between(0, 2), g.random.between(0, 1));
        [0, 0, a, b].map(Dim::constant).to_vec()
    };
    let (low, high) = (amount(g), amount(g));
    let is_average = !is_integer && g.random.chance(60);
    let value = match (is_integer, is_average) {
        (true, _) => Scalar::Int(*g.random.pick(&[i64::from(i32::MIN), 0, 8])),
        (_, true) => Scalar::Float(*g.random.pick(&[0.0, 0.0, 0.5])),
        (_, false) => Scalar::Float(*g.random.pick(&[f64::NEG_INFINITY, 8.0])),
    };
    let mode = PadMode::Constant(value);
    let y = g.put(Pad { low, high, mode }, &[x])?;
    let f = match is_average {
        true => PoolFn::Avg {
            count_include_pad: g.random.chance(50),
            divisor: g.random.chance(10).then_some(3),
        },
        false => PoolFn::Max,
    };
    let own = i64::from(g.random.chance(50));
    let op = Pool {
        f,
        kernel: vec![6, 4],
        stride: vec![1; 2],
        pad_low: vec![own, 0],
        pad_high: vec![own, 0],
        dilation: vec![1; 2],
        ceil: false,
    };
    g.put(op, &[y]).map(|_| ())
}
