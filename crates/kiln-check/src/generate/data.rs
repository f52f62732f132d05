//! Movements, repetitions, selections and joins.

use super::{Grower, Grown};
use kiln_ir::ops::{Broadcast, Concat, Move, Pad, PadMode, Reverse, Slice, SliceUpdate};
use kiln_ir::{Dim, Movement, Scalar, TensorType, ValueId};

impl Grower<'_> {
    pub(super) fn moved(&mut self, x: ValueId, movement: Movement) -> Option<ValueId> {
        self.put(Move { movement }, &[x])
    }

    pub(super) fn permuted(&mut self, x: ValueId, order: &[usize]) -> Option<ValueId> {
        let movement = Movement::permute(&self.shape(x), order).ok()?;
        self.moved(x, movement)
    }

    pub(super) fn reshaped(&mut self, x: ValueId, to: &[Dim]) -> Option<ValueId> {
        let reshape = Movement::reshape(&self.shape(x), to, &self.graph().symbols).ok()?;
        let steps: Vec<Movement> = reshape.steps.steps().into_iter().cloned().collect();
        if !reshape.assumed.is_empty() {
            return None;
        }
        steps.into_iter().try_fold(x, |x, step| self.moved(x, step))
    }

    /// A random movement of a shape: permutes, merges, splits, drops or adds axes.
    pub(super) fn some_movement(&mut self, shape: &[Dim]) -> Option<Movement> {
        let rank = shape.len();
        match self.random.below(8) {
            0..3 => {
                let order = self.random.order(rank);
                Movement::permute(shape, &order).ok()
            }
            3 if rank >= 2 => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.swap(rank - 1, rank - 2);
                Movement::permute(shape, &order).ok()
            }
            4 if rank >= 2 => {
                let from = self.random.below(rank - 1);
                let to = from + 2 + self.random.below(rank - from - 1);
                Movement::merge(shape, from..to.min(rank)).ok()
            }
            5 if rank >= 1 => {
                let axis = self.random.below(rank);
                let size = shape[axis].as_const().filter(|&n| n > 0)?;
                let factors: Vec<i64> = (1..=size).filter(|f| size % f == 0).collect();
                let factor = *self.random.pick(&factors);
                Movement::split(shape, axis, &[factor.into(), (size / factor).into()]).ok()
            }
            6 => {
                let axis = self.random.below(rank + 1);
                Movement::unsqueeze(shape, &[axis]).ok()
            }
            _ => {
                let units: Vec<usize> = (0..rank).filter(|&i| shape[i].is(1)).collect();
                let axis = *units.first()?;
                Movement::squeeze(shape, &[axis]).ok()
            }
        }
    }
}

pub(super) fn movement(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none())?;
    if g.random.chance(12) {
        return flat_and_back(g, x);
    }
    let movement = g.some_movement(&g.shape(x))?;
    let undo = movement.inverse();
    let there = g.moved(x, movement)?;
    if g.random.chance(20) {
        g.moved(there, undo)?;
    }
    Some(())
}

/// A reshape that merges and splits across the borders of axes.
fn flat_and_back(g: &mut Grower<'_>, x: ValueId) -> Grown {
    let sizes = g.shape(x).as_static()?;
    let count: usize = sizes.iter().product();
    let divisors: Vec<usize> = (1..=count.max(1))
        .filter(|d| count.is_multiple_of(*d))
        .collect();
    let first = *g.random.pick(&divisors);
    let to = [
        Dim::constant(first as i64),
        Dim::constant((count / first) as i64),
    ];
    g.reshaped(x, &to).map(|_| ())
}

pub(super) fn broadcast(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.shape.iter().any(|d| d.is(1)))?;
    let mut shape = g.shape(x);
    for axis in 0..shape.rank() {
        if shape[axis].is(1) && g.random.chance(60) {
            shape[axis] = g.input_size();
        }
    }
    g.put(Broadcast { shape }, &[x]).map(|_| ())
}

fn has_axis(ty: &TensorType) -> bool {
    ty.rank() > 0 && ty.quant.is_none()
}

impl Grower<'_> {
    /// A part of an axis of known size.
    pub(super) fn part(&mut self, x: ValueId, axis: usize) -> Option<Slice> {
        let size = self.known(x, axis).filter(|&n| n > 0)?;
        let start = self.random.between(0, size - 1);
        let step = *self.random.pick(&[1, 1, 1, 2, 3]);
        let len = self.random.between(1, 1 + (size - 1 - start) / step);
        let (start, len) = (start.into(), len.into());
        Some(Slice {
            axis,
            start,
            len,
            step,
        })
    }
}

pub(super) fn slice(g: &mut Grower<'_>) -> Grown {
    let x = g.any(has_axis)?;
    let axis = g.random.below(g.rank(x));
    if g.random.chance(40) {
        return split(g, x, axis);
    }
    let slice = g.part(x, axis)?;
    g.put(slice, &[x]).map(|_| ())
}

/// Both parts of an axis, sometimes joined again in either order.
fn split(g: &mut Grower<'_>, x: ValueId, axis: usize) -> Grown {
    let size = g.known(x, axis)?;
    let cut = g.random.between(0, size);
    let part = |start: i64, len: i64| Slice {
        axis,
        start: start.into(),
        len: len.into(),
        step: 1,
    };
    let a = g.put(part(0, cut), &[x])?;
    let b = g.put(part(cut, size - cut), &[x])?;
    if g.random.chance(50) {
        let operands = if g.random.chance(60) { [a, b] } else { [b, a] };
        g.put(Concat { axis }, &operands)?;
    }
    Some(())
}

pub(super) fn reverse(g: &mut Grower<'_>) -> Grown {
    let x = g.any(has_axis)?;
    let axes = (0..g.rank(x)).filter(|_| g.random.chance(40)).collect();
    g.put(Reverse { axes }, &[x]).map(|_| ())
}

pub(super) fn pad(g: &mut Grower<'_>) -> Grown {
    let x = g.any(has_axis)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let amount = |g: &mut Grower<'_>| -> Vec<Dim> {
        let some = |_| {
            if g.random.chance(40) {
                g.random.between(0, 2)
            } else {
                0
            }
        };
        (0..rank).map(some).map(Dim::constant).collect()
    };
    let (low, high) = (amount(g), amount(g));
    let mode = match g.random.below(8) {
        0 => PadMode::Reflect,
        1 => PadMode::Replicate,
        2 => PadMode::Circular,
        3 => PadMode::Constant(g.number(dtype)),
        _ => PadMode::Constant(Scalar::Int(0)),
    };
    g.put(Pad { low, high, mode }, &[x]).map(|_| ())
}

pub(super) fn concat(g: &mut Grower<'_>) -> Grown {
    let x = g.any(has_axis)?;
    let (ty, axis) = (g.ty(x), g.random.below(g.rank(x)));
    let joins = |t: &TensorType| {
        let others = (0..ty.rank()).filter(|&i| i != axis);
        t.dtype == ty.dtype
            && t.quant.is_none()
            && t.rank() == ty.rank()
            && others.into_iter().all(|i| t.shape[i] == ty.shape[i])
    };
    let mut operands = vec![x];
    for _ in 0..1 + g.random.below(3) {
        operands.extend(g.any(joins));
    }
    g.put(Concat { axis }, &operands).map(|_| ())
}

pub(super) fn slice_update(g: &mut Grower<'_>) -> Grown {
    let x = g.any(has_axis)?;
    let axis = g.random.below(g.rank(x));
    let slice = g.part(x, axis)?;
    let (start, step) = (slice.start.clone(), slice.step);
    let source = g.put(slice, &[x])?;
    let f = g.function(g.ty(x).dtype);
    let changed = g.put(kiln_ir::ops::Unary { f }, &[source])?;
    g.put(SliceUpdate { axis, start, step }, &[x, changed])
        .map(|_| ())
}
