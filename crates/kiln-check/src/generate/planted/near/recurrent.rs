//! Near misses of `repeat_blocks`.

use super::{Plant, plant};
use crate::generate::planted::recurrent::small;
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Linear, Simple};
use kiln_ir::{Movement, ValueId};

pub(super) const PLANTS: &[Plant] = &[plant("repeat_blocks", "repeat_blocks", "", blocks)];

/// The number of features of a state.
const SIZE: i64 = 8;

/// Steps of a recurrence with the same weights, and what reads them: movements that keep the steps apart or mix them, slices of
/// one step or across two, and constants for each step.
fn blocks(g: &mut Grower<'_>) -> Grown {
    let (steps, batch) = (*g.random.pick(&[2, 2, 4]), g.random.between(1, 2));
    let states = states(g, steps, batch)?;
    let axis = g.random.below(2);
    let y = g.join(&states, axis)?;
    match g.random.below(4) {
        0 => {
            let turned = g.permuted(y, &[1, 0])?;
            g.unary(Simple::Sigmoid, turned).map(|_| ())
        }
        1 => {
            let whole = Movement::merge(&g.shape(y), 0..2).ok()?;
            let flat = g.moved(y, whole)?;
            g.unary(Simple::Sigmoid, flat).map(|_| ())
        }
        2 => {
            let (along, size) = (g.random.below(2), g.known(y, axis)? / steps);
            let start = g.random.between(0, size);
            g.cut(y, along, start, size).map(|_| ())
        }
        _ => {
            let c = g.broadcast_constant(y);
            g.binary(BinaryFn::Mul, y, c).map(|_| ())
        }
    }
}

fn states(g: &mut Grower<'_>, steps: i64, batch: i64) -> Option<Vec<ValueId>> {
    let x = g.fresh(&[steps, batch, SIZE]);
    let mut h = g.fresh(&[batch, SIZE]);
    let (w, u) = (small(g, SIZE, SIZE), small(g, SIZE, SIZE));
    let mut states = Vec::new();
    for step in 0..steps {
        let part = g.cut(x, 0, step, 1)?;
        let movement = Movement::squeeze(&g.shape(part), &[0]).ok()?;
        let part = g.moved(part, movement)?;
        let product = g.put(Linear {}, &[part, w])?;
        let hidden = g.put(Linear {}, &[h, u])?;
        let sum = g.binary(BinaryFn::Add, product, hidden)?;
        h = g.unary(Simple::Tanh, sum)?;
        states.push(h);
    }
    if g.random.chance(30) {
        states.reverse();
    }
    if g.random.chance(15) {
        states[0] = states[1];
    }
    // Only the join reads the states.
    g.values.retain(|v| !states.contains(v));
    Some(states)
}
