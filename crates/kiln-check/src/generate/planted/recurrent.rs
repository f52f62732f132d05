//! Patterns for `steady_state` and `repeat_blocks`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Concat, Linear, Reduce, ReduceFn, Simple};
use kiln_ir::{DType, Scalar, TensorType, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("steady_state", "read_of_steady_cell", "", steady),
    plant("repeat_blocks", "repeat_blocks", "", blocks),
];

/// The content of a cell that no update changes, or that one does.
fn steady(g: &mut Grower<'_>) -> Grown {
    let sizes = [g.size(), g.size()];
    let x = g.fresh(&sizes);
    let (cell, read) = g.cell(TensorType::new(DType::F32, sizes))?;
    let sum = g.binary(BinaryFn::Add, x, read)?;
    if g.random.chance(25) {
        let new = g.unary(Simple::Tanh, sum)?;
        g.rewriter.add_update(cell, new);
    }
    Some(())
}

/// Steps of a recurrence with the same weights, and readers of them.
fn blocks(g: &mut Grower<'_>) -> Grown {
    let (steps, size) = (g.random.between(2, 4), 8);
    let x = g.fresh(&[steps, size]);
    let mut h = g.fresh(&[1, size]);
    let (w, u) = (small(g, size, size), small(g, size, size));
    let mut states = Vec::new();
    for step in 0..steps {
        let part = g.cut(x, 0, step, 1)?;
        let product = g.put(Linear {}, &[part, w])?;
        let hidden = g.put(Linear {}, &[h, u])?;
        let sum = g.binary(BinaryFn::Add, product, hidden)?;
        h = g.unary(Simple::Tanh, sum)?;
        states.push(h);
    }
    if g.random.chance(30) {
        states.reverse();
    }
    let mut y = match g.random.chance(70) {
        true => g.put(Concat { axis: 0 }, &states)?,
        false => h,
    };
    for _ in 0..1 + g.random.below(2) {
        y = match g.random.below(6) {
            0 => {
                let v = small(g, 3, g.known(y, 1)?);
                g.put(Linear {}, &[y, v])?
            }
            1 => {
                let v = g.broadcast_constant(y);
                g.binary(BinaryFn::Mul, y, v)?
            }
            2 => {
                let axes = vec![g.random.below(2)];
                let mean = g.put(
                    Reduce {
                        f: ReduceFn::Max,
                        axes,
                    },
                    &[y],
                )?;
                g.binary(BinaryFn::Sub, y, mean)?
            }
            3 => {
                let rows = g.known(y, 0)?;
                let len = g.random.between(1, rows);
                g.cut(y, 0, rows - len, len)?
            }
            _ => g.unary(Simple::Sigmoid, y)?,
        };
    }
    Some(())
}

/// A weight that keeps sums near 1.
pub(super) fn small(g: &mut Grower<'_>, rows: i64, columns: i64) -> ValueId {
    let values = (0..rows * columns).map(|_| Scalar::Float(g.random.between(-8, 8) as f64 / 32.0));
    let values = values.collect();
    g.constant_of(DType::F32, &[rows, columns], values)
}
