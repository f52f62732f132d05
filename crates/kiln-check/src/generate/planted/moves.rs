//! Patterns for passes on movements and slices.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{
    Binary, BinaryFn, Broadcast, Dequantised, FakeQuantize, Linear, MatMul, Reduce, ReduceFn,
    Simple, Softmax, Unary,
};
use kiln_ir::{DType, Dim, Movement, TensorType, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("lift_slices", "function_of_slices", "", lifted),
    plant("slice_sources", "slice_sources", "", sources),
    plant("sink_moves", "sink_moves", "", sunk),
    plant("outer_views", "merge_outside", "", merged),
    plant("outer_views", "split_outside", "", split),
    plant("unrepeat", "product_with_repeats", "", repeated),
    plant("unmerge_rows", "unmerge_rows", "kernel move.2d", unmerged),
];

/// The same function on slices of one value or of two values. The slices correspond, or nearly.
fn lifted(g: &mut Grower<'_>) -> Grown {
    let (rows, len, count) = (g.size(), g.random.between(1, 3), g.random.between(2, 4));
    let all = len * count + g.random.between(0, 1);
    let axis = g.random.below(2);
    let sizes = if axis == 1 { [rows, all] } else { [all, rows] };
    let x = g.fresh(&sizes);
    let a = g
        .some_function(x)
        .filter(|&v| g.ty(v) == g.ty(x))
        .unwrap_or(x);
    let b = match g.random.below(4) {
        0 => a,
        1 => {
            let mut narrow = sizes;
            narrow[1 - axis] = 1;
            g.fresh(&narrow)
        }
        _ => g.fresh(&sizes),
    };
    let is_binary = g.random.chance(60);
    let apart = if g.random.chance(20) { 1 } else { 0 };
    let (f, fb) = (
        *g.random.pick(&[Simple::Tanh, Simple::Neg, Simple::Abs]),
        *g.random
            .pick(&[BinaryFn::Add, BinaryFn::Sub, BinaryFn::Mul]),
    );
    for i in 0..count {
        let start = i * len;
        let part = part(g, a, axis, start, len)?;
        if is_binary {
            let behind = (start + apart).min(all - len);
            let other = self::part(g, b, axis, behind, len)?;
            g.put(Binary { f: fb }, &[part, other])?;
        } else {
            g.put(Unary { f: f.into() }, &[part])?;
        }
    }
    Some(())
}

/// A slice along an axis; sometimes with step 2, or along another axis.
fn part(g: &mut Grower<'_>, x: ValueId, axis: usize, start: i64, len: i64) -> Option<ValueId> {
    let is_odd = g.random.chance(6) && start + 2 * len <= g.known(x, axis)?;
    let step = if is_odd { 2 } else { 1 };
    let (start, len) = (start.into(), len.into());
    let slice = kiln_ir::ops::Slice {
        axis,
        start,
        len,
        step,
    };
    g.put(slice, &[x])
}

/// Slices of a movement's result.
fn sources(g: &mut Grower<'_>) -> Grown {
    let (n, parts, each) = (g.size(), g.random.between(2, 3), g.random.between(1, 3));
    let x = g.fresh(&[n, 3, parts * each]);
    let y = g.some_function(x)?;
    let split = match g.random.chance(80) {
        true => g.reshaped(y, &[n.into(), 3.into(), parts.into(), each.into()])?,
        false => g.reshaped(y, &[n.into(), 3.into(), each.into(), parts.into()])?,
    };
    let movement = Movement::permute(&g.shape(split), &g.random.order(4)).ok()?;
    let moved = g.moved(split, movement)?;
    let axis = g.random.below(4);
    let size = g.known(moved, axis)?;
    let mut at = 0;
    while at < size {
        let len = g.random.between(1, size - at);
        let along = if g.random.chance(95) { axis } else { 0 };
        let step = if g.random.chance(95) { 1 } else { 2 };
        let len = if step == 2 { (len + 1) / 2 } else { len };
        let end = at + len;
        let slice = kiln_ir::ops::Slice {
            axis: along,
            start: at.into(),
            len: len.into(),
            step,
        };
        let part = g.put(slice, &[moved])?;
        g.sometimes_read(part, 60)?;
        at = if g.random.chance(90) { end } else { at };
        if g.random.chance(15) {
            break;
        }
    }
    Some(())
}

/// A permutation, elementwise functions, and a second permutation.
fn sunk(g: &mut Grower<'_>) -> Grown {
    let x = g.float(2)?;
    let order = g.random.order(g.rank(x));
    let mut y = g.permuted(x, &order)?;
    for _ in 0..1 + g.random.below(2) {
        y = match g.random.below(4) {
            0 => {
                let number = match g.random.chance(80) {
                    true => g.number_of_rank(g.ty(y).dtype, g.rank(y)),
                    false => g.broadcast_constant(y),
                };
                let f = *g
                    .random
                    .pick(&[BinaryFn::Add, BinaryFn::Sub, BinaryFn::Mul]);
                let operands = if g.random.chance(70) {
                    [y, number]
                } else {
                    [number, y]
                };
                g.put(Binary { f }, &operands)?
            }
            1 if g.random.chance(20) => g.binary(BinaryFn::Add, y, y)?,
            _ => g.some_function(y)?,
        };
        g.sometimes_read(y, 10)?;
    }
    let back = match g.random.chance(60) {
        true => (0..order.len())
            .filter_map(|axis| order.iter().position(|&from| from == axis))
            .collect(),
        false => g.random.order(g.rank(y)),
    };
    g.permuted(y, &back).map(|_| ())
}

/// A movement that splits axes of a shape and permutes the parts.
fn shuffle(g: &mut Grower<'_>, shape: &[Dim]) -> Option<Movement> {
    let axis = g.random.below(shape.len());
    let size = shape[axis].as_const()?;
    let factor = [2, 3].into_iter().find(|f| size % f == 0)?;
    let split = Movement::split(shape, axis, &[factor.into(), (size / factor).into()]).ok()?;
    let order = g.random.order(shape.len() + 1);
    let permute = Movement::permute(&split.result_shape(), &order).ok()?;
    split.compose(&permute).one()
}

fn split(g: &mut Grower<'_>) -> Grown {
    let (a, b) = (g.size(), g.random.between(1, 2));
    let x = g.fresh(&[a, 6 * b, 4]);
    let movement = shuffle(g, &g.shape(x))?;
    let y = g.moved(x, movement)?;
    g.some_function(y).map(|_| ())
}

fn merged(g: &mut Grower<'_>) -> Grown {
    let (a, b) = (g.size(), g.random.between(1, 2));
    let shape: Vec<Dim> = [a, 6 * b, 4].map(Dim::constant).to_vec();
    let movement = shuffle(g, &shape)?.inverse();
    let sizes: Option<Vec<i64>> = movement.source_shape().iter().map(Dim::as_const).collect();
    let x = g.fresh(&sizes?);
    let y = g.some_function(x)?;
    let z = g.moved(y, movement)?;
    g.sometimes_read(z, 10)
}

/// A product with a matrix that is repeated along a part of the batch, or along one of its own axes.
fn repeated(g: &mut Grower<'_>) -> Grown {
    let (heads, each) = (g.random.between(1, 3), g.random.between(2, 3));
    let (rows, inner, columns) = (
        g.random.between(1, 3),
        g.random.between(1, 4),
        g.random.between(1, 6),
    );
    if g.random.chance(20) {
        let left = if g.random.chance(80) { each } else { 1 };
        let x = g.fresh(&[heads, left, rows, inner]);
        let y = g.fresh(&[heads, 1, inner, columns]);
        return g.put(MatMul {}, &[x, y]).map(|_| ());
    }
    let left = if g.random.chance(90) { heads * each } else { 1 };
    let x = g.fresh(&[left, rows, inner]);
    // Where the heads are repeated as a whole, the copies are those of rows.
    let at = if g.random.chance(60) { 1 } else { 0 };
    let (sizes, all) = match at {
        1 => ([heads, 1, columns, inner], [heads, each, columns, inner]),
        _ => ([1, heads, columns, inner], [each, heads, columns, inner]),
    };
    let mut y = g.fresh(&sizes);
    if g.random.chance(15) {
        let mut narrow = sizes;
        narrow[2] = 1;
        y = g.fresh(&narrow);
    }
    if g.random.chance(10) {
        // Nothing is repeated.
        y = g.fresh(&all);
    }
    let shape = all.into_iter().collect();
    let y = g.put(Broadcast { shape }, &[y])?;
    let y = g.reshaped(y, &[(heads * each).into(), columns.into(), inner.into()])?;
    let y = g.permuted(y, &[0, 2, 1])?;
    g.sometimes_read(y, 10)?;
    g.put(MatMul {}, &[x, y]).map(|_| ())
}

/// Ops by rows between a merge of axes and a movement that splits them again.
fn unmerged(g: &mut Grower<'_>) -> Grown {
    let columns = g.random.between(1, 4);
    let rows = match g.random.chance(80) {
        true => [g.unknown_size(), g.unknown_size()],
        false => [g.random.between(1, 3).into(), g.unknown_size()],
    };
    let [a, b] = &rows;
    let ty = TensorType::new(DType::F32, vec![a.clone(), b.clone(), columns.into()]);
    let x = g.input(ty);
    let order: &[usize] = if g.random.chance(70) {
        &[0, 1, 2]
    } else {
        &[1, 0, 2]
    };
    let moved = Movement::permute(&g.shape(x), order).ok()?;
    let apart = moved.result_shape();
    let merge = Movement::merge(&apart, 0..2).ok()?;
    let merged = g.moved(x, moved.compose(&merge).one()?)?;
    let mut y = merged;
    for _ in 0..g.random.between(1, 3) {
        y = by_rows(g, y, merged)?;
        g.sometimes_read(y, 10)?;
    }
    let last = g.known(y, 1)?;
    let split = Movement::split_each(&g.shape(y), &[apart[..2].to_vec()]).ok()?;
    let behind = match g.random.chance(70) {
        true => Movement::identity(&split.result_shape()),
        false => Movement::permute(&split.result_shape(), &[0, 2, 1]).ok()?,
    };
    let z = g.moved(y, split.compose(&behind).one()?)?;
    g.sometimes_read(z, if last > 1 { 30 } else { 0 })
}

/// A layer on the rows of `y`, their integers, or a function of their elements. `merged` has the same rows.
fn by_rows(g: &mut Grower<'_>, y: ValueId, merged: ValueId) -> Option<ValueId> {
    let (columns, outputs) = (g.known(y, 1)?, g.random.between(1, 4));
    let f = *g.random.pick(&[BinaryFn::Add, BinaryFn::Mul]);
    match g.random.below(8) {
        0 => {
            let weight = g.constant(DType::F32, &[outputs, columns]);
            g.put(Linear {}, &[y, weight])
        }
        1 => {
            let op = Box::new(Linear {}.into());
            let activation = g.random.chance(50).then(|| g.dynamic_quant(1));
            let dtype = DType::F32;
            let weight = g.quantised_constant(&[outputs, columns])?;
            let op = Dequantised {
                op,
                dtype,
                activation,
            };
            g.put(op, &[y, weight])
        }
        2 => {
            let axes = if g.random.chance(80) { 1 } else { 2 };
            let (quant, dtype) = (g.dynamic_quant(axes), DType::F32);
            g.put(FakeQuantize { quant, dtype }, &[y])
        }
        3 => {
            let channels = g.constant(DType::F32, &[1, columns]);
            g.put(Binary { f }, &[y, channels])
        }
        4 if g.random.chance(30) => {
            let len = g.random.between(1, columns);
            part(g, y, 1, columns - len, len)
        }
        4 => {
            let (axis, log) = (1, g.random.chance(30));
            g.put(Softmax { axis, log }, &[y])
        }
        5 => {
            let f = *g
                .random
                .pick(&[ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max]);
            let one = g.put(Reduce { f, axes: vec![1] }, &[y])?;
            g.binary(BinaryFn::Sub, y, one)
        }
        6 if g.shape(y) == g.shape(merged) => g.put(Binary { f }, &[merged, y]),
        _ => g.some_function(y),
    }
}
