//! Near misses of `fold_quantised`.

use super::{Plant, plant};
use crate::generate::planted::quantised::{branched, looped};
use crate::generate::planted::second_rounding::rounded_twice;
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Compare, CompareFn, Pad, PadMode, Pool, PoolFn, UnaryFn};
use kiln_ir::{DType, Dim, Movement, Scalar};

pub(super) const PLANTS: &[Plant] = &[
    plant("fold_quantised", "sink_dequantize", "", with_constant),
    plant("fold_quantised", "enter_block", "", carried),
    plant("fold_quantised", "leave_block", "", quantised_twice),
    plant("fold_quantised", "sink_dequantize", "", limited),
    plant("fold_quantised", "sink_dequantize", "", padded),
    plant("fold_quantised", "sink_dequantize", "", scaled),
    plant("fold_quantised", "drop_second_rounding", "", twice),
    plant("fold_quantised", "drop_second_rounding", "", turned),
];

/// A dequantised value compared with constants, of which some may be NaN, or below and above all integers.
fn with_constant(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let sizes = g.few(2);
    let x = g.real_of(&quant, &sizes)?;
    let count = sizes.iter().product::<i64>();
    let numbers: &[f64] = match g.random.below(3) {
        0 => &[0.1, 0.3, -0.7],
        1 => &[0.1, f64::NAN, 0.3],
        _ => &[-1e9, 0.3, 1e9],
    };
    let values = (0..count).map(|_| Scalar::Float(*g.random.pick(numbers)));
    let values = values.collect();
    let c = g.constant_of(DType::F32, &sizes, values);
    let operands = if g.random.chance(50) { [x, c] } else { [c, x] };
    let f = *g
        .random
        .pick(&[CompareFn::Lt, CompareFn::Le, CompareFn::Gt]);
    g.put(Compare { f }, &operands).map(|_| ())
}

/// A loop that carries a dequantised value, with one quantisation before and in the loop or with two.
fn carried(g: &mut Grower<'_>) -> Grown {
    let (quant, other) = (g.per_tensor(), g.per_tensor());
    let sizes = g.few(2);
    let x = g.real_of(&quant, &sizes)?;
    looped(g, x, &quant, &other)
}

/// A branch whose result is quantised in two ways, and read by nothing else.
fn quantised_twice(g: &mut Grower<'_>) -> Grown {
    let (quant, other) = (g.per_tensor(), g.per_tensor());
    let sizes = g.few(2);
    let x = g.fresh(&sizes);
    let made = branched(g, x, false, [&quant, &other])?;
    g.there_and_back(&quant, made)?;
    g.there_and_back(&other, made)?;
    g.values.retain(|&v| v != made);
    Some(())
}

/// A clamp of a dequantised value, with bounds between integers, that is read as float.
fn limited(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let sizes = g.few(2);
    let x = g.real_of(&quant, &sizes)?;
    let bound = |g: &mut Grower<'_>, sign: f64| {
        let size = *g.random.pick(&[0.1, 0.3, 0.5, 0.125]);
        g.random.chance(80).then_some(Scalar::Float(sign * size))
    };
    let (min, max) = (bound(g, -1.0), bound(g, 1.0));
    g.unary(UnaryFn::Clamp { min, max }, x).map(|_| ())
}

/// A padding of a dequantised value with a number between integers, or a maximum of windows without elements.
fn padded(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let x = g.real_of(&quant, &[1, 1, 3, 3])?;
    if g.random.chance(50) {
        let amount = [0, 0, 1, 0].map(Dim::constant).to_vec();
        let value = *g.random.pick(&[0.0, 0.1, 0.3]);
        let mode = PadMode::Constant(Scalar::Float(value));
        let (low, high) = (amount.clone(), amount);
        return g.put(Pad { low, high, mode }, &[x]).map(|_| ());
    }
    let op = Pool {
        f: PoolFn::Max,
        kernel: vec![2; 2],
        stride: vec![g.random.between(1, 3); 2],
        pad_low: vec![1; 2],
        pad_high: vec![1; 2],
        dilation: vec![*g.random.pick(&[1, 4, 4, 3]); 2],
        ceil: g.random.chance(30),
    };
    g.put(op, &[x]).map(|_| ())
}

/// A product of a dequantised value with a number, with which the scale may be no normal number.
fn scaled(g: &mut Grower<'_>) -> Grown {
    let quant = g.per_tensor();
    let sizes = g.few(2);
    let x = g.real_of(&quant, &sizes)?;
    let number = *g
        .random
        .pick(&[0.5, -3.0, 0.0, f64::INFINITY, f64::NAN, 1e-42, 1e36]);
    let number = g.splat(DType::F32, 2, number);
    let f = *g.random.pick(&[BinaryFn::Mul, BinaryFn::Div]);
    g.binary(f, x, number).map(|_| ())
}

/// Reals that are rounded again, mostly in another way.
fn twice(g: &mut Grower<'_>) -> Grown {
    rounded_twice(g, false)
}

/// Reals with scales of rows that are turned, and rounded with the same scales of what are columns of the first.
fn turned(g: &mut Grower<'_>) -> Grown {
    let side = g.random.between(2, 4);
    let quant = g.by_channel(0, side);
    let x = g.real_of(&quant, &[side, side])?;
    let movement = Movement::permute(&g.shape(x), &[1, 0]).ok()?;
    let moved = g.moved(x, movement)?;
    g.there_and_back(&quant, moved).map(|_| ())
}
