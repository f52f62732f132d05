//! Near misses of `sink_concats`, `in_place_joins`, `route_channels`, `split_conv` and `split_joined`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Conv, Pool, PoolFn, Slice};
use kiln_ir::{DType, Movement, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("sink_concats", "pool_of_concat", "", pool_across_parts),
    plant("in_place_joins", "reader_of_join", "", beside_join),
    plant("in_place_joins", "reader_of_join", "", groups_of_join),
    plant("in_place_joins", "reader_of_join", "", groups_of_rows),
    plant(
        "route_channels",
        "layer_of_shuffle",
        "copies joins",
        shuffled,
    ),
    plant("split_conv", "range_of_conv", "", ranges),
];

/// A pool of a join along an axis of its windows or another one.
fn pool_across_parts(g: &mut Grower<'_>) -> Grown {
    let axis = *g.random.pick(&[0, 1, 2, 3, 2, 3]);
    let mut parts = Vec::new();
    for _ in 0..2 {
        let mut sizes = [1, 2, 4, 4];
        sizes[axis] = g.random.between(2, 5);
        parts.push(g.fresh(&sizes));
    }
    let joined = g.join(&parts, axis)?;
    let f = *g.random.pick(&[
        PoolFn::Max,
        PoolFn::Avg {
            count_include_pad: true,
            divisor: None,
        },
    ]);
    let op = Pool {
        f,
        kernel: vec![2; 2],
        stride: vec![2; 2],
        pad_low: vec![0; 2],
        pad_high: vec![0; 2],
        dilation: vec![1; 2],
        ceil: g.random.chance(30),
    };
    g.put(op, &[joined]).map(|_| ())
}

fn unit_conv(groups: i64, transposed: bool) -> Conv {
    Conv {
        stride: vec![1; 2],
        pad_low: vec![0; 2],
        pad_high: vec![0; 2],
        dilation: vec![1; 2],
        groups,
        transposed,
        output_padding: vec![0; 2],
    }
}

/// A join of parts that other nodes read too.
fn read_join(g: &mut Grower<'_>, sizes: &[i64], axis: usize) -> Option<ValueId> {
    let mut parts = Vec::new();
    for &size in sizes {
        let mut shape = [1, 2, 8, 8];
        shape[axis] = size;
        let part = g.fresh(&shape);
        g.some_function(part)?;
        parts.push(part);
    }
    g.join(&parts, axis)
}

/// A sum of a join and of a convolution, by groups or dense, that has no other reader.
fn beside_join(g: &mut Grower<'_>) -> Grown {
    let joined = read_join(g, &[2, 2], 1)?;
    let x = g.fresh(&[1, 4, 8, 8]);
    let groups = *g.random.pick(&[1, 2, 2]);
    let w = g.constant(DType::F32, &[4, 4 / groups, 1, 1]);
    let other = g.put(unit_conv(groups, false), &[x, w])?;
    g.binary(BinaryFn::Add, joined, other).map(|_| ())
}

/// A convolution by groups of a join along channels, batches or rows, whose parts have whole groups or not.
fn groups_of_join(g: &mut Grower<'_>) -> Grown {
    let axis = *g.random.pick(&[1, 1, 0, 2]);
    let transposed = g.random.chance(30);
    convolved_by_groups(g, axis, transposed)
}

/// Images that are joined along another axis than that of the groups.
fn groups_of_rows(g: &mut Grower<'_>) -> Grown {
    let axis = *g.random.pick(&[0, 2]);
    convolved_by_groups(g, axis, false)
}

fn convolved_by_groups(g: &mut Grower<'_>, axis: usize, transposed: bool) -> Grown {
    let sizes = *g.random.pick(&[&[2, 2][..], &[1, 3], &[3, 1], &[2, 4]]);
    let joined = read_join(g, sizes, axis)?;
    let channels = g.known(joined, 1)?;
    let groups = *g.random.pick(&[2, channels]);
    let outputs = channels;
    let per_group = channels.checked_div(groups)?;
    let w = g.constant(DType::F32, &[outputs, per_group, 1, 1]);
    g.put(unit_conv(groups, transposed), &[joined, w])
        .map(|_| ())
}

/// Shuffled channels, a convolution by channels with one output each or two, and a dense one, transposed or not.
fn shuffled(g: &mut Grower<'_>) -> Grown {
    let channels = *g.random.pick(&[4, 8]);
    let x = g.fresh(&[1, 3, 2, 2]);
    let parts = [g.dense(x, channels)?, g.dense(x, channels)?];
    let joined = g.join(&parts, 1)?;
    let all = 2 * channels;
    let split = Movement::split(&g.shape(joined), 1, &[2.into(), channels.into()]).ok()?;
    let order: &[usize] = match g.random.chance(50) {
        true => &[0, 2, 1, 3, 4],
        false => &[0, 2, 1, 4, 3],
    };
    let shuffle = split
        .compose(&Movement::permute(&split.result_shape(), order).ok()?)
        .one()?;
    let y = g.moved_twice(joined, shuffle, |shape| Movement::merge(shape, 1..3).ok())?;
    let (y, outputs) = match g.random.chance(50) {
        true => {
            let each = *g.random.pick(&[1, 2, 2]);
            let w = g.constant(DType::F32, &[all * each, 1, 1, 1]);
            (g.put(unit_conv(all, false), &[y, w])?, 3)
        }
        false => (y, all),
    };
    let inputs = g.known(y, 1)?;
    if g.random.chance(30) {
        let w = g.constant(DType::F32, &[inputs, inputs, 1, 1]);
        return g.put(unit_conv(1, true), &[y, w]).map(|_| ());
    }
    g.dense(y, outputs).map(|_| ())
}

/// Ranges of the channels of a convolution, dense or by two groups, that are joined elsewhere.
fn ranges(g: &mut Grower<'_>) -> Grown {
    let x = g.fresh(&[1, 8, 8, 8]);
    let (groups, transposed) = (*g.random.pick(&[1, 2]), g.random.chance(20));
    let w = g.constant(DType::F32, &[8, 8 / groups, 1, 1]);
    let y = g.put(unit_conv(groups, transposed), &[x, w])?;
    let step = g.random.between(1, 2);
    for i in 0..2 {
        let slice = Slice {
            axis: 1,
            start: (4 * i).into(),
            len: (4 / step).into(),
            step,
        };
        let part = g.put(slice, &[y])?;
        let other = g.fresh(&[1, 1, 8, 8]);
        g.join(&[part, other], 1)?;
    }
    Some(())
}
