//! Near misses of `slice_sources`, `split_linear`, `separate_bias` and `unmerge_rows`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, FakeQuantize, Linear, Slice, Softmax};
use kiln_ir::{DType, Movement, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("slice_sources", "slice_sources", "", inner_slices),
    plant("split_linear", "part_of_linear", "", inner_features),
    plant("separate_bias", "bias_behind_movements", "", second_bias),
    plant(
        "unmerge_rows",
        "unmerge_rows",
        "kernel move.2d",
        rows_together,
    ),
];

/// A slice in each half of an axis; sometimes it takes every other place.
fn halves(g: &mut Grower<'_>, x: ValueId, axis: usize) -> Grown {
    let half = g.known(x, axis)? / 2;
    let step = if half > 2 { g.random.between(1, 2) } else { 1 };
    for i in 0..2 {
        let slice = Slice {
            axis,
            start: (i * half).into(),
            len: (half / step).into(),
            step,
        };
        g.put(slice, &[x])?;
    }
    Some(())
}

/// Slices of a movement's result along the outer or the inner factor of an axis; both may have one size.
fn inner_slices(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 3);
    let [outer, inner] = *g.random.pick(&[[2, 2], [4, 4], [8, 2], [8, 2]]);
    let x = g.fresh(&[n, outer * inner]);
    let split = Movement::split(&g.shape(x), 1, &[outer.into(), inner.into()]).ok()?;
    let order: &[usize] = if g.random.chance(50) {
        &[1, 2, 0]
    } else {
        &[2, 1, 0]
    };
    let moved = g.moved_twice(x, split, |shape| Movement::permute(shape, order).ok())?;
    halves(g, moved, 0)
}

/// Slices of a linear layer's features along their outer or inner factor; both may have one size.
fn inner_features(g: &mut Grower<'_>) -> Grown {
    let [outer, inner] = *g.random.pick(&[[2, 2], [4, 4], [8, 2], [8, 2]]);
    let rows = 128 / (outer * inner) + g.random.between(2, 6);
    let x = g.fresh(&[rows, 3]);
    let w = g.constant(DType::F32, &[outer * inner, 3]);
    let y = g.put(Linear {}, &[x, w])?;
    if g.random.chance(30) {
        return halves(g, y, 1);
    }
    let split = Movement::split(&g.shape(y), 1, &[outer.into(), inner.into()]).ok()?;
    let order: &[usize] = if g.random.chance(50) {
        &[1, 2, 0]
    } else {
        &[2, 1, 0]
    };
    let moved = g.moved_twice(y, split, |shape| Movement::permute(shape, order).ok())?;
    halves(g, moved, 0)
}

/// A constant that is added to, or taken from, a layer with a bias or without one, by its channels or by another axis.
fn second_bias(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 4);
    let x = g.fresh(&[n, n, n]);
    let y = g.layer(x, n)?;
    let axis = g.random.below(3);
    let mut sizes = [1; 3];
    sizes[axis] = n;
    let c = g.constant(DType::F32, &sizes);
    let y = match g.random.chance(50) {
        true => g.permuted(y, &[0, 2, 1])?,
        false => y,
    };
    let f = *g
        .random
        .pick(&[BinaryFn::Add, BinaryFn::Add, BinaryFn::Sub]);
    g.binary(f, y, c).map(|_| ())
}

/// Rows that are merged, treated each by itself or all together, and split again.
fn rows_together(g: &mut Grower<'_>) -> Grown {
    let x = g.fresh(&[2, 3, 4]);
    let merged = g.reshaped(x, &[6.into(), 4.into()])?;
    let axes = g.random.between(1, 2) as usize;
    let y = match g.random.chance(50) {
        true => {
            let (quant, dtype) = (g.dynamic_quant(axes), DType::F32);
            g.put(FakeQuantize { quant, dtype }, &[merged])?
        }
        false => {
            let (axis, log) = (axes - 1, false);
            g.put(Softmax { axis, log }, &[merged])?
        }
    };
    let y = g.some_function(y)?;
    g.reshaped(y, &[2.into(), 3.into(), 4.into()]).map(|_| ())
}
