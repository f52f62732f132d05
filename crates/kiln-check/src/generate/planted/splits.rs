//! Patterns for `split_conv`, `split_joined` and `split_linear`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{Linear, Slice};
use kiln_ir::{DType, Dim, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("split_conv", "range_of_conv", "", range_of_conv),
    plant("split_joined", "layer_of_concat", "", layer_of_concat),
    plant("split_linear", "part_of_linear", "", part_of_linear),
];

/// Ranges of the channels of a convolution, which are joined elsewhere.
fn range_of_conv(g: &mut Grower<'_>) -> Grown {
    let side = g.random.between(8, 12);
    let x = g.fresh(&[1, 2, side, side]);
    let (parts, each) = (g.random.between(2, 3), g.random.between(2, 4));
    let channels = parts * each;
    let y = match g.random.chance(90) {
        true => g.dense(x, channels)?,
        false => {
            let x = g.dense(x, channels)?;
            g.convolution(x, 1, channels)?
        }
    };
    g.sometimes_read(y, 8)?;
    let axis = if g.random.chance(95) { 1 } else { 2 };
    for i in 0..parts {
        let over = i64::from(i > 0 && g.random.chance(8));
        let start = (i * each - over).max(0);
        let step = if g.random.chance(95) { 1 } else { 2 };
        let len = if step == 2 { each / 2 } else { each };
        let slice = Slice {
            axis,
            start: start.into(),
            len: len.into(),
            step,
        };
        let part = g.put(slice, &[y])?;
        let mut sizes = g.shape(part).as_static()?;
        sizes[1] = 1;
        let sizes: Vec<i64> = sizes.into_iter().map(|n| n as i64).collect();
        let other = g.fresh(&sizes);
        g.join(&[part, other], 1)?;
    }
    Some(())
}

/// A layer on a join of large parts, with a small result.
fn layer_of_concat(g: &mut Grower<'_>) -> Grown {
    let is_conv = g.random.chance(50);
    let dtype = if g.random.chance(90) {
        DType::F32
    } else {
        DType::F16
    };
    let side = *g.random.pick(&[4, 9, 9]);
    let sizes = [g.random.between(4, 12), g.random.between(4, 12)];
    let axis = match (is_conv, g.random.chance(92)) {
        (true, true) => 1,
        (true, false) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    let mut parts = Vec::new();
    for n in sizes {
        let mut shape = if is_conv {
            vec![1, 8, side, side]
        } else {
            vec![side * side, 8]
        };
        shape[axis] = n;
        parts.push(g.fresh_of(dtype, &shape));
    }
    let joined = g.join(&parts, axis)?;
    g.sometimes_read(joined, 8)?;
    if is_conv {
        let channels = g.known(joined, 1)?;
        let outputs = g.random.between(1, 2);
        if g.random.chance(10) && channels % 2 == 0 {
            return g.convolution(joined, 1, 2).map(|_| ());
        }
        let w = g.constant(dtype, &[outputs, channels, 1, 1]);
        let b = g.constant(dtype, &[outputs]);
        let op = kiln_ir::ops::Conv {
            stride: vec![1; 2],
            pad_low: vec![0; 2],
            pad_high: vec![0; 2],
            dilation: vec![1; 2],
            groups: 1,
            transposed: g.random.chance(10) && outputs == channels,
            output_padding: vec![0; 2],
        };
        let operands: &[ValueId] = if g.random.chance(60) {
            &[joined, w, b]
        } else {
            &[joined, w]
        };
        return g.put(op, operands).map(|_| ());
    }
    let outputs = g.random.between(1, 2);
    g.layer(joined, outputs).map(|_| ())
}

/// A large linear layer, cut into parts, behind a movement or without one.
fn part_of_linear(g: &mut Grower<'_>) -> Grown {
    g.most_elements = 1 << 14;
    let heads = *g.random.pick(&[2, 4]);
    let (parts, each) = (3, *g.random.pick(&[8, 16]));
    let features = parts * heads * each;
    let rows = 8400 / features + g.random.between(0, 12);
    let x = g.fresh(&[rows, 4]);
    let w = g.constant(DType::F32, &[features, 4]);
    let mut operands = vec![x, w];
    if g.random.chance(60) {
        operands.push(g.constant(DType::F32, &[features]));
    }
    let y = g.put(Linear {}, &operands)?;
    g.sometimes_read(y, 8)?;
    let (cut, axis) = match g.random.below(3) {
        0 => (y, if g.random.chance(90) { 1 } else { 0 }),
        _ => {
            let sizes = match g.random.chance(85) {
                true => [rows, parts, heads, each],
                false => [rows, heads, parts, each],
            };
            let split = g.reshaped(y, &sizes.map(Dim::constant))?;
            let order = *g.random.pick(&[[1, 2, 0, 3], [1, 0, 2, 3], [2, 1, 0, 3]]);
            let moved = g.permuted(split, &order)?;
            (moved, if g.random.chance(85) { 0 } else { 1 })
        }
    };
    let size = g.known(cut, axis)?;
    let step = (size / parts).max(1);
    for i in 0..parts.min(size) {
        let over = i64::from(i > 0 && g.random.chance(8));
        let start = (i * step - over).max(0);
        let len = step.min(size - start);
        let stride = if g.random.chance(96) { 1 } else { 2 };
        let len = if stride == 2 { (len + 1) / 2 } else { len };
        let slice = Slice {
            axis,
            start: start.into(),
            len: len.into(),
            step: stride,
        };
        g.put(slice, &[cut])?;
    }
    Some(())
}
