//! Comparisons of quantised values with constants.
//!
//! Reals do not fall where integers grow, so the integers whose reals are below a number are those below one integer. That integer takes the
//! number's place, and the answers are those of the reals, which are rounded to the float type: 10 steps of 0.03 are less than 0.3 in f32.

use super::carry::{Stored, integers_of};
use crate::framework::emitter::Emitter;
use crate::guards;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::Constant;
use kiln_ir::ops::{Compare, CompareFn, Dequantize};
use kiln_ir::{Builder, DType, Op, Scalar, TensorData, ValueId};

guards! {
    /// A real is on neither side of NaN.
    IS_NUMBER;
}

/// The most integers of a type whose reals are listed.
const MOST_INTEGERS: u64 = 1 << 16;

/// The comparison of integers with integers that answers as the comparison of a dequantisation with a constant. `None` if the operands
/// are others, or if no integer of the type separates the reals as the constant does.
pub(super) fn with_constant(
    emitter: &mut Emitter<'_, '_>,
    f: CompareFn,
    [a, b]: [ValueId; 2],
) -> Option<(Op, [ValueId; 2])> {
    let graph = emitter.graph();
    let (integers, constant, f) = match [a, b].map(|v| integers_of(graph, v)) {
        [Some(integers), None] => (integers, b, f),
        [None, Some(integers)] => (integers, a, turned(f)),
        _ => return None,
    };
    let stored = Stored::of(graph, integers)?;
    let known = graph.as_constant(constant)?;
    let (name, numbers) = (known.name.clone(), known.data.clone());
    let reals = reals_of(&stored, numbers.dtype())?;
    let (f, places) = places(f, &reals, &numbers)?;
    let codes = places.map(|i| Scalar::Int(stored.quant.min + i));
    let codes: Vec<Scalar> = codes.collect();
    let data = TensorData::from_scalars(stored.dtype, numbers.sizes().to_vec(), codes);
    let mut ty = data.tensor_type();
    ty.quant = Some(stored.quant);
    let bound = emitter.known_constant(Constant { name, ty, data });
    Some((Compare { f }.into(), [integers, bound]))
}

/// `a f b` as `b f a`.
fn turned(f: CompareFn) -> CompareFn {
    match f {
        CompareFn::Lt => CompareFn::Gt,
        CompareFn::Le => CompareFn::Ge,
        CompareFn::Gt => CompareFn::Lt,
        CompareFn::Ge => CompareFn::Le,
        CompareFn::Eq | CompareFn::Ne => f,
    }
}

/// The reals of all integers of the quantisation, from the least on. `None` if they have several scales, or are too many.
fn reals_of(stored: &Stored, dtype: DType) -> Option<Vec<f64>> {
    stored.whole()?;
    let (min, max) = (stored.quant.min, stored.quant.max);
    let count = max.abs_diff(min).checked_add(1)?;
    if count > MOST_INTEGERS {
        return None;
    }
    let all: Vec<Scalar> = (min..=max).map(Scalar::Int).collect();
    let all = TensorData::from_scalars(stored.dtype, vec![all.len()], all);
    let all = Tensor::from(all).with_quant(Some(stored.quant.clone()));
    let op = Dequantize { dtype }.into();
    let most = count.checked_mul(dtype.size() as u64)?;
    let reals = evaluate_op(&op, &[all], &mut Bindings::default(), most).ok()?;
    Some(
        reals
            .first()?
            .scalars()
            .iter()
            .map(|s| s.as_f64())
            .collect(),
    )
}

/// The comparison with the integers at these places among all.
fn places(
    f: CompareFn,
    reals: &[f64],
    numbers: &TensorData,
) -> Option<(CompareFn, impl Iterator<Item = i64>)> {
    let (includes_equal, is_below) = match f {
        CompareFn::Lt => (false, true),
        CompareFn::Le => (true, true),
        CompareFn::Gt => (true, false),
        CompareFn::Ge => (false, false),
        CompareFn::Eq | CompareFn::Ne => return None,
    };
    // The integers from the `n`-th on are above, or equal where those are not below.
    let first = |number: f64| match includes_equal {
        true => reals.partition_point(|&real| real <= number),
        false => reals.partition_point(|&real| real < number),
    };
    let numbers: Vec<f64> = numbers.scalars().map(Scalar::as_f64).collect();
    if !IS_NUMBER.holds(!numbers.iter().any(|n| n.is_nan())) {
        return None;
    }
    let firsts: Vec<i64> = numbers.iter().map(|&n| first(n) as i64).collect();
    let (f, back) = match is_below {
        // All places are those of integers, or all places before them.
        true if firsts.iter().all(|&n| n < reals.len() as i64) => (CompareFn::Lt, 0),
        true if firsts.iter().all(|&n| n > 0) => (CompareFn::Le, 1),
        false if firsts.iter().all(|&n| n < reals.len() as i64) => (CompareFn::Ge, 0),
        false if firsts.iter().all(|&n| n > 0) => (CompareFn::Gt, 1),
        true | false => return None,
    };
    Some((f, firsts.into_iter().map(move |n| n - back)))
}
