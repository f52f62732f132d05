//! Patterns for `canonical`, `guarded_softmax` and `linear_forms`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown, contraction};
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Reduce, ReduceFn, Select, Simple, Softmax};
use kiln_ir::{DType, Scalar, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("canonical", "constant_right", "", constant_left),
    plant("canonical", "multiply_by_reciprocal", "", divided),
    plant("canonical", "add_negative", "", less),
    plant("canonical", "clamp_by_number", "", extreme),
    plant(
        "guarded_softmax",
        "zeros_for_empty_rows",
        "kernel select",
        guarded_softmax,
    ),
    plant("linear_forms", "product_to_linear", "", contraction::matmul),
];

fn constant_left(g: &mut Grower<'_>) -> Grown {
    use BinaryFn::*;
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let c = if g.random.chance(50) {
        g.broadcast_constant(x)
    } else {
        g.number_of_rank(g.ty(x).dtype, g.rank(x))
    };
    let f = *g.random.pick(&[Add, Mul, Max, Min, Sub]);
    let y = g.binary(f, c, x)?;
    signs(g, y)
}

/// An op that makes the sign of zeros visible.
fn signs(g: &mut Grower<'_>, x: ValueId) -> Grown {
    if g.ty(x).dtype.is_float() && g.random.chance(50) {
        g.unary(Simple::Reciprocal, x)?;
    }
    Some(())
}

fn divided(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    const DIVISORS: [f64; 10] = [
        1.0,
        2.0,
        -0.5,
        4096.0,
        16384.0,
        65536.0,
        3.0,
        0.0,
        -4.0,
        1.52587890625e-5,
    ];
    let divisor = *g.random.pick(&DIVISORS);
    let c = match g.random.chance(80) {
        true if dtype.is_float() => g.splat(dtype, rank, divisor),
        _ => g.broadcast_constant(x),
    };
    g.binary(BinaryFn::Div, x, c).map(|_| ())
}

fn less(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let c = g.broadcast_constant(x);
    let y = g.binary(BinaryFn::Sub, x, c)?;
    signs(g, y)
}

fn extreme(g: &mut Grower<'_>) -> Grown {
    let x = g.any(|t| t.quant.is_none() && t.dtype != DType::Bool)?;
    let (dtype, rank) = (g.ty(x).dtype, g.rank(x));
    let number = *g
        .random
        .pick(&[0.0, -0.0, 1.0, -1.5, f64::NAN, f64::INFINITY]);
    let number = match dtype.is_float() {
        true => Scalar::Float(number),
        false => Scalar::Int(g.random.between(0, 3)),
    };
    let rank_of_bound = rank;
    let bound = match g.random.chance(80) {
        true => g.constant_of(dtype, &vec![1; rank_of_bound], vec![number]),
        false => g.broadcast_constant(x),
    };
    let f = *g.random.pick(&[BinaryFn::Max, BinaryFn::Min]);
    let y = g.binary(f, x, bound)?;
    signs(g, y)
}

/// A softmax that gives zeros for rows of minus infinity, or a near miss of it.
fn guarded_softmax(g: &mut Grower<'_>) -> Grown {
    let sizes: Vec<i64> = (0..2 + g.random.below(2))
        .map(|_| g.random.between(1, 4))
        .collect();
    let x = g.fresh(&sizes);
    let mask = mask(g, &sizes);
    let x = g.binary(BinaryFn::Add, x, mask)?;
    let rank = sizes.len();
    let axis = rank - 1;
    let odd = |g: &mut Grower<'_>, percent| g.random.chance(percent);
    let bound = if odd(g, 8) { 0.0 } else { f64::NEG_INFINITY };
    let bound = g.splat(DType::F32, rank, bound);
    let (is_all, is_turned) = (odd(g, 50), odd(g, 20));
    // Two forms of the condition: all elements are minus infinity, or none is not. Sometimes the wrong one is taken.
    let f = if is_all { CompareFn::Eq } else { CompareFn::Ne };
    let tested = match odd(g, 8) {
        true => g.unary(Simple::Neg, x)?,
        false => x,
    };
    let mut found = g.put(Compare { f }, &[tested, bound])?;
    let f = if is_all != odd(g, 5) {
        ReduceFn::All
    } else {
        ReduceFn::Any
    };
    let along = if odd(g, 8) { 0 } else { axis };
    found = g.put(
        Reduce {
            f,
            axes: vec![along],
        },
        &[found],
    )?;
    if is_turned {
        found = g.unary(Simple::BitNot, found)?;
    }
    let (axis, log) = (if odd(g, 8) { 0 } else { axis }, odd(g, 5));
    let shares = g.put(Softmax { axis, log }, &[x])?;
    let zero = if odd(g, 8) { 1.0 } else { 0.0 };
    let zeros = g.splat(DType::F32, rank, zero);
    let is_empty_first = is_all != is_turned;
    let operands = match is_empty_first != odd(g, 5) {
        true => [found, zeros, shares],
        false => [found, shares, zeros],
    };
    g.put(Select {}, &operands).map(|_| ())
}

/// Zeros and minus infinities, with whole rows of minus infinity.
pub(super) fn mask(g: &mut Grower<'_>, sizes: &[i64]) -> ValueId {
    let row = *sizes.last().expect("a rank of two or more");
    let rows = sizes.iter().product::<i64>() / row;
    let mut values = Vec::new();
    for _ in 0..rows {
        let percent = *g.random.pick(&[0, 50, 100]);
        for _ in 0..row {
            let value = match g.random.chance(percent) {
                true => f64::NEG_INFINITY,
                false => 0.0,
            };
            values.push(Scalar::Float(value));
        }
    }
    g.constant_of(DType::F32, sizes, values)
}
