//! Patterns for `affine_index`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::Index;
use kiln_ir::{DType, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[plant(
    "affine_index",
    "steady_index",
    "kernel index",
    steady,
)];

/// A look-up at the indices of nested loops; sometimes one index is replaced.
fn steady(g: &mut Grower<'_>) -> Grown {
    let count = 1 + g.random.below(2);
    let mut sizes = vec![g.random.between(4, 12)];
    if count == 2 {
        sizes.push(g.random.between(2, 5));
    }
    let axis = g.random.below(2);
    let mut shape = sizes.clone();
    shape.insert(if axis == 1 { 0 } else { count }, 2);
    let x = g.fresh(&shape);
    let loops: Vec<i64> = (0..1 + g.random.below(3))
        .map(|_| g.random.between(2, 4))
        .collect();
    let mut operands = vec![x];
    if g.random.chance(25) {
        // The whole axis in order, which is a view.
        let size = sizes[0];
        let values = (0..size).map(Scalar::Int).collect();
        operands.push(g.constant_of(DType::I64, &[size], values));
        return g.put(Index::new(axis), &operands).map(|_| ());
    }
    for &size in &sizes {
        operands.push(places(g, &loops, size));
    }
    g.put(Index::new(axis), &operands).map(|_| ())
}

/// The indices of loops of these sizes over an axis, with a step for each loop. Indices beyond the axis are clamped.
fn places(g: &mut Grower<'_>, loops: &[i64], size: i64) -> ValueId {
    let steps: Vec<i64> = loops
        .iter()
        .map(|_| *g.random.pick(&[0, 1, 1, 2, -1, 3]))
        .collect();
    let falls = loops.iter().zip(&steps).map(|(n, s)| (s * (n - 1)).min(0));
    let least = falls.sum::<i64>();
    let base = -least + g.random.between(0, 2);
    let mut all = vec![base];
    for (&count, &step) in loops.iter().zip(&steps) {
        let next = all
            .iter()
            .flat_map(|&at| (0..count).map(move |n| at + n * step));
        all = next.collect();
    }
    let shift = if g.random.chance(12) { -size } else { 0 };
    let mut all: Vec<i64> = all
        .into_iter()
        .map(|at| at.clamp(0, size - 1) + shift)
        .collect();
    if g.random.chance(20) {
        let place = g.random.below(all.len());
        all[place] = g.random.between(0, size - 1);
    }
    let as_one = g.random.chance(50);
    let shape: Vec<i64> = match as_one {
        true => vec![all.len() as i64],
        false => loops.to_vec(),
    };
    let values = all.into_iter().map(Scalar::Int).collect();
    g.constant_of(DType::I64, &shape, values)
}
