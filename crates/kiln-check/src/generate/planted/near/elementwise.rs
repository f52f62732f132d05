//! Near misses of `canonical`, `guarded_softmax` and `affine_index`.

use super::{Plant, plant};
use crate::generate::planted::elementwise::mask;
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{
    BinaryFn, Compare, CompareFn, Index, Reduce, ReduceFn, Select, Simple, Softmax,
};
use kiln_ir::{DType, Scalar};

pub(super) const PLANTS: &[Plant] = &[
    plant("canonical", "multiply_by_reciprocal", "", divided),
    plant("canonical", "constant_right", "", extreme_of_zeros),
    plant(
        "guarded_softmax",
        "zeros_for_empty_rows",
        "kernel select",
        guarded_softmax,
    ),
    plant(
        "affine_index",
        "steady_index",
        "kernel index",
        nearly_steady,
    ),
];

/// Quotients by powers of two, of which some have no reciprocal in their type.
fn divided(g: &mut Grower<'_>) -> Grown {
    let dtype = *g
        .random
        .pick(&[DType::F16, DType::F16, DType::F32, DType::BF16]);
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let exponents = match dtype {
        DType::F16 => [-24, -16, -17, 3],
        _ => [-130, -128, -127, -2],
    };
    let divisor = 2f64.powi(*g.random.pick(&exponents));
    let divisor = g.splat(dtype, 2, divisor);
    g.binary(BinaryFn::Div, x, divisor).map(|_| ())
}

/// Extremes with zeros of either sign on the left.
fn extreme_of_zeros(g: &mut Grower<'_>) -> Grown {
    let dtype = g.some_float();
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let count = sizes.iter().product::<i64>();
    let values = (0..count).map(|_| Scalar::Float(*g.random.pick(&[0.0, -0.0, 1.0])));
    let values = values.collect();
    let c = g.constant_of(dtype, &sizes, values);
    let f = *g.random.pick(&[BinaryFn::Max, BinaryFn::Min]);
    g.binary(f, c, x).map(|_| ())
}

/// What a guarded softmax does otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    Nothing,
    /// The rows are tested for another number.
    Bound,
    /// Other scores are tested.
    Scores,
    /// The test is along another axis.
    Test,
    /// The softmax is along another axis.
    Axis,
    /// Empty rows become ones.
    Ones,
    /// One score of minus infinity makes a row empty.
    OneScore,
}

/// A softmax that gives zeros for rows of minus infinity, but for one flaw.
fn guarded_softmax(g: &mut Grower<'_>) -> Grown {
    use Flaw::*;
    let flaw = *g
        .random
        .pick(&[Nothing, Bound, Bound, Scores, Test, Axis, Ones, OneScore]);
    let n = g.random.between(2, 3);
    let x = match flaw {
        // Short rows have nothing but the bound.
        Bound => g.fresh(&[4 * n, 1]),
        _ => {
            let x = g.fresh(&[n, n]);
            let hidden = mask(g, &[n, n]);
            g.binary(BinaryFn::Add, x, hidden)?
        }
    };
    let tested = match flaw {
        Scores => g.unary(Simple::Neg, x)?,
        _ => x,
    };
    let bound = if flaw == Bound {
        f64::INFINITY
    } else {
        f64::NEG_INFINITY
    };
    let bound = g.splat(DType::F32, 2, bound);
    let is_all = g.random.chance(50);
    let f = if is_all { CompareFn::Eq } else { CompareFn::Ne };
    let found = g.put(Compare { f }, &[tested, bound])?;
    let f = match is_all != (flaw == OneScore) {
        true => ReduceFn::All,
        false => ReduceFn::Any,
    };
    let axes = vec![if flaw == Test { 0 } else { 1 }];
    let found = g.put(Reduce { f, axes }, &[found])?;
    let axis = usize::from(flaw != Axis);
    let shares = g.put(Softmax { axis, log: false }, &[x])?;
    let zeros = g.splat(DType::F32, 2, if flaw == Ones { 1.0 } else { 0.0 });
    let operands = match f {
        ReduceFn::All => [found, zeros, shares],
        _ => [found, shares, zeros],
    };
    g.put(Select {}, &operands).map(|_| ())
}

/// A look-up at the indices of nested loops, of which one may be another.
fn nearly_steady(g: &mut Grower<'_>) -> Grown {
    let (outer, inner) = (g.random.between(2, 3), g.random.between(2, 3));
    let mut indices: Vec<i64> = (0..outer * inner).collect();
    let place = g.random.below(indices.len());
    indices[place] = g.random.between(0, outer * inner - 1);
    let x = g.fresh(&[outer * inner, 2]);
    let count = indices.len() as i64;
    let values = indices.into_iter().map(Scalar::Int).collect();
    let index = g.constant_of(DType::I64, &[count], values);
    g.put(Index::new(0), &[x, index]).map(|_| ())
}
