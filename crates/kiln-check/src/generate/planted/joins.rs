//! Patterns for `sink_concats`, `in_place_joins` and `route_channels`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Conv, Pool, PoolFn, Reduce, ReduceFn};
use kiln_ir::{DType, Dim, Movement, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("sink_concats", "pool_of_concat", "", pool_of_join),
    plant("in_place_joins", "reader_of_join", "", reader_of_join),
    plant(
        "route_channels",
        "layer_of_shuffle",
        "copies joins",
        shuffled,
    ),
];

fn pool_of_join(g: &mut Grower<'_>) -> Grown {
    let (n, side) = (g.random.between(1, 3), g.random.between(2, 5));
    let axis = *g.random.pick(&[1, 1, 1, 0, 2]);
    let mut parts = Vec::new();
    for _ in 0..2 + g.random.below(2) {
        let mut sizes = [n, n, side, side];
        sizes[axis] = g.random.between(1, 3);
        let x = g.fresh(&sizes);
        parts.push(
            g.some_function(x)
                .filter(|&v| g.ty(v) == g.ty(x))
                .unwrap_or(x),
        );
    }
    let joined = g.join(&parts, axis)?;
    g.sometimes_read(joined, 10)?;
    let f = *g.random.pick(&[
        PoolFn::Max,
        PoolFn::MaxWithIndices,
        PoolFn::Avg {
            count_include_pad: true,
            divisor: None,
        },
    ]);
    if g.random.chance(30) {
        let f = match f {
            PoolFn::Avg { .. } => PoolFn::Avg {
                count_include_pad: false,
                divisor: None,
            },
            other => other,
        };
        let output = vec![Dim::constant(1); 2];
        return g
            .put_all(kiln_ir::ops::AdaptivePool { f, output }, &[joined])
            .map(|_| ());
    }
    let op = Pool {
        f,
        kernel: vec![2; 2],
        stride: vec![*g.random.pick(&[2, 2, 1]); 2],
        pad_low: vec![0; 2],
        pad_high: vec![0; 2],
        dilation: vec![1; 2],
        ceil: false,
    };
    g.put_all(op, &[joined]).map(|_| ())
}

fn plain_conv(groups: i64) -> Conv {
    Conv {
        stride: vec![1; 2],
        pad_low: vec![0; 2],
        pad_high: vec![0; 2],
        dilation: vec![1; 2],
        groups,
        transposed: false,
        output_padding: vec![0; 2],
    }
}

impl Grower<'_> {
    /// A 1 x 1 convolution of all channels.
    pub(super) fn dense(&mut self, x: ValueId, outputs: i64) -> Option<ValueId> {
        let inputs = self.known(x, 1)?;
        let mut operands = vec![x, self.constant(DType::F32, &[outputs, inputs, 1, 1])];
        if self.random.chance(50) {
            operands.push(self.constant(DType::F32, &[outputs]));
        }
        self.put(plain_conv(1), &operands)
    }

    /// A 1 x 1 convolution by groups of channels.
    fn grouped(&mut self, x: ValueId, groups: i64) -> Option<ValueId> {
        let inputs = self.known(x, 1)?;
        let outputs = groups * self.random.between(1, 2);
        let per_group = inputs
            .checked_div(groups)
            .filter(|_| inputs % groups == 0)?;
        let w = self.constant(DType::F32, &[outputs, per_group, 1, 1]);
        let mut operands = vec![x, w];
        if self.random.chance(50) {
            operands.push(self.constant(DType::F32, &[outputs]));
        }
        self.put(plain_conv(groups), &operands)
    }
}

/// A join of parts that other nodes also read, and a reader of the join.
fn reader_of_join(g: &mut Grower<'_>) -> Grown {
    let side = *g.random.pick(&[2, 8, 8, 12]);
    let axis = *g.random.pick(&[1, 1, 1, 0, 3]);
    let mut parts = Vec::new();
    for _ in 0..2 + g.random.below(2) {
        let mut sizes = [1, 2, side, side];
        if axis != 3 {
            sizes[axis] = *g.random.pick(&[1, 2, 2, 4]);
        }
        let x = g.fresh(&sizes);
        let part = g
            .some_function(x)
            .filter(|&v| g.ty(v) == g.ty(x))
            .unwrap_or(x);
        g.sometimes_read(part, 50)?;
        parts.push(part);
    }
    let joined = g.join(&parts, axis)?;
    for _ in 0..1 + g.random.below(2) {
        read_join(g, joined, axis)?;
    }
    Some(())
}

fn read_join(g: &mut Grower<'_>, joined: ValueId, axis: usize) -> Grown {
    let sizes: Vec<i64> = (0..4).map(|i| g.known(joined, i)).collect::<Option<_>>()?;
    match g.random.below(7) {
        0 => g.some_function(joined).map(|_| ()),
        1 => {
            let c = g.broadcast_constant(joined);
            g.binary(BinaryFn::Mul, joined, c).map(|_| ())
        }
        2 => {
            let other = g.fresh(&sizes);
            let other = match g.random.chance(50) {
                true => g.dense(other, sizes[1])?,
                false => other,
            };
            g.binary(BinaryFn::Add, joined, other).map(|_| ())
        }
        3 => {
            let op = Pool {
                f: PoolFn::Max,
                kernel: vec![2; 2],
                stride: vec![2; 2],
                pad_low: vec![0; 2],
                pad_high: vec![0; 2],
                dilation: vec![1; 2],
                ceil: false,
            };
            g.put(op, &[joined]).map(|_| ())
        }
        4 => {
            let f = *g.random.pick(&[ReduceFn::Mean, ReduceFn::Max]);
            let axes = match g.random.chance(80) {
                true => vec![2, 3].into_iter().filter(|&a| a != axis).collect(),
                false => vec![axis],
            };
            g.put(Reduce { f, axes }, &[joined]).map(|_| ())
        }
        5 => {
            let groups = *g.random.pick(&[2, sizes[1]]);
            g.grouped(joined, groups).map(|_| ())
        }
        _ => g.binary(BinaryFn::Mul, joined, joined).map(|_| ()),
    }
}

/// Dense layers, a join, a shuffle of its channels, and one or more dense layers.
fn shuffled(g: &mut Grower<'_>) -> Grown {
    let side = *g.random.pick(&[1, 2, 3]);
    let x = g.fresh(&[1, 3, side, side]);
    let channels = *g.random.pick(&[4, 8, 16]);
    let mut parts = Vec::new();
    for _ in 0..2 {
        let made = g.dense(x, channels)?;
        let made = match g.random.below(5) {
            0 => g.unary(kiln_ir::ops::UnaryFn::RELU, made)?,
            _ => made,
        };
        g.sometimes_read(made, 8)?;
        parts.push(made);
    }
    if g.random.chance(5) {
        parts[1] = parts[0];
    }
    let joined = g.join(&parts, 1)?;
    g.sometimes_read(joined, 8)?;
    let all = 2 * channels;
    let groups = *g.random.pick(&[2, 2, 4]);
    let order: &[usize] = match g.random.chance(92) {
        true => &[0, 2, 1, 3, 4],
        false => &[0, 2, 1, 4, 3],
    };
    let shape = g.shape(joined);
    let split = Movement::split(&shape, 1, &[groups.into(), (all / groups).into()]).ok()?;
    let swap = Movement::permute(&split.result_shape(), order).ok()?;
    let merge = Movement::merge(&swap.result_shape(), 1..3).ok()?;
    let shuffle = split.compose(&swap).one()?.compose(&merge).one()?;
    let mut y = g.moved(joined, shuffle)?;
    g.sometimes_read(y, 8)?;
    if g.random.chance(30) {
        let first = g.cut(y, 1, 0, channels)?;
        g.dense(first, 2)?;
        y = g.cut(y, 1, channels, channels)?;
    }
    if g.random.chance(40) {
        let by_channel = g.known(y, 1)?;
        y = g.grouped_by_channel(y, by_channel)?;
        g.sometimes_read(y, 8)?;
    }
    g.dense(y, 3).map(|_| ())
}

impl Grower<'_> {
    /// A depthwise convolution, sometimes with two channels a group.
    fn grouped_by_channel(&mut self, x: ValueId, channels: i64) -> Option<ValueId> {
        let groups = if self.random.chance(90) {
            channels
        } else {
            channels / 2
        };
        let w = self.constant(DType::F32, &[channels, channels / groups, 1, 1]);
        self.put(plain_conv(groups), &[x, w])
    }
}
