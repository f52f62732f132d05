//! Near misses of the rules of `clean`.

use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{
    AdaptivePool, Attention, BinaryFn, Broadcast, Cast, Dequantize, MatMul, Pool, PoolFn, Quantize,
    Reduce, ReduceFn, Resize, ResizeMode, Simple, UnaryFn,
};
use kiln_ir::{DType, Dim, Movement, Scalar, TensorType, ValueId};

pub(super) const PLANTS: &[Plant] = &[
    plant("clean", "exact_identities", "", quotients_by_one),
    plant("clean", "exact_identities", "", sizes_of_negatives),
    plant("clean", "idle_broadcast", "", repeated_matrices),
    plant("clean", "join_clamps", "", two_clamps),
    plant("clean", "fit_clamp", "", clamp_of_reals),
    plant("clean", "common_subexpression", "", extremes_of_negatives),
    plant("clean", "narrow_floats", "", rounded_often),
    plant("clean", "narrow_floats", "", great_integers),
    plant("clean", "remove_nothing", "", of_one_size),
    plant("clean", "stack_is_concat", "", turned_stack),
    plant("clean", "place_of_stack", "", uneven_parts),
    plant("clean", "pick_is_slice", "", turned_pick),
];

/// Quotients by one, rounded to whole numbers.
fn quotients_by_one(g: &mut Grower<'_>) -> Grown {
    let dtype = g.some_float();
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let one = g.splat(dtype, 2, 1.0);
    let f = *g
        .random
        .pick(&[BinaryFn::FloorDiv, BinaryFn::TruncDiv, BinaryFn::Div]);
    g.binary(f, x, one).map(|_| ())
}

fn sizes_of_negatives(g: &mut Grower<'_>) -> Grown {
    use DType::*;
    let dtype = *g.random.pick(&[U8, U8, I8, I32, F32]);
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let negative = g.unary(Simple::Neg, x)?;
    g.unary(Simple::Abs, negative).map(|_| ())
}

/// A product of matrices, one of which is repeated within the matrix along an axis of unknown size.
fn repeated_matrices(g: &mut Grower<'_>) -> Grown {
    let size = g.size_from("inner", 1);
    let (batch, n) = (g.random.between(1, 3), g.random.between(2, 3));
    let shape: Vec<Dim> = vec![batch.into(), n.into(), size.clone()];
    let x = g.input(TensorType::new(DType::F32, shape));
    let y = g.fresh(&[1, 1, n]);
    let shape = vec![batch.into(), size, n.into()].into();
    let y = g.put(Broadcast { shape }, &[y])?;
    if g.random.chance(70) {
        return g.put(MatMul {}, &[x, y]).map(|_| ());
    }
    let op = Attention {
        scale: None,
        causal: false,
        grouped: false,
    };
    let q = g.fresh(&[batch, 2, n]);
    g.put(op, &[q, y, y]).map(|_| ())
}

/// Clamps one after the other, with bounds that are numbers or NaN, and ranges that overlap or do not.
fn two_clamps(g: &mut Grower<'_>) -> Grown {
    let dtype = g.some_float();
    let sizes = g.few(2);
    let mut x = g.fresh_of(dtype, &sizes);
    for _ in 0..2 {
        let bound = |g: &mut Grower<'_>| {
            let v = *g.random.pick(&[-2.0, -1.0, 0.5, 1.0, f64::NAN, f64::NAN]);
            g.random.chance(70).then_some(Scalar::Float(v))
        };
        let (min, max) = (bound(g), bound(g));
        x = g.unary(UnaryFn::Clamp { min, max }, x)?;
    }
    Some(())
}

/// A clamp of quantised integers by reals.
fn clamp_of_reals(g: &mut Grower<'_>) -> Grown {
    let (quant, dtype, sizes) = (g.per_tensor(), DType::I8, g.few(2));
    let x = g.fresh(&sizes);
    let q = g.put(Quantize { quant, dtype }, &[x])?;
    let bound = |g: &mut Grower<'_>, from, to| {
        let v = g.random.between(from, to) as f64 / 8.0;
        g.random.chance(70).then_some(Scalar::Float(v))
    };
    let (min, max) = (bound(g, -8, -1), bound(g, 1, 8));
    let q = g.unary(UnaryFn::Clamp { min, max }, q)?;
    g.put(Dequantize { dtype: DType::F32 }, &[q]).map(|_| ())
}

/// Extremes of the same values in both orders. Where both are zeros, they have unlike signs.
fn extremes_of_negatives(g: &mut Grower<'_>) -> Grown {
    let dtype = g.some_float();
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let y = g.unary(Simple::Neg, x)?;
    let f = *g.random.pick(&[BinaryFn::Max, BinaryFn::Min]);
    g.binary(f, x, y)?;
    g.binary(f, y, x).map(|_| ())
}

/// Functions, sums and products in f64 of numbers of f32, rounded to f32.
fn rounded_often(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 6);
    let x = g.fresh(&[n, n]);
    let wide = g.put(Cast { to: DType::F64 }, &[x])?;
    let value = match g.random.below(4) {
        0 => {
            let axes = vec![g.random.below(2)];
            let f = *g.random.pick(&[ReduceFn::Sum, ReduceFn::Mean]);
            g.put(Reduce { f, axes }, &[wide])?
        }
        1 => g.put(MatMul {}, &[wide, wide])?,
        2 => {
            let two = g.splat(DType::F64, 2, 2.5);
            g.binary(BinaryFn::Pow, wide, two)?
        }
        _ => {
            use Simple::*;
            let f = *g.random.pick(&[Exp, Tanh, Sin, Sigmoid, Gelu]);
            g.unary(f, wide)?
        }
    };
    g.put(Cast { to: DType::F32 }, &[value]).map(|_| ())
}

/// Differences in f64 of integers that f32 does not hold.
fn great_integers(g: &mut Grower<'_>) -> Grown {
    const BEYOND_F32: i64 = (1 << 24) + 1;
    let dtype = *g.random.pick(&[DType::I32, DType::I64]);
    let sizes = g.few(2);
    let x = g.fresh_of(dtype, &sizes);
    let scale = g.constant_of(dtype, &[1, 1], vec![Scalar::Int(BEYOND_F32)]);
    let x = g.binary(BinaryFn::Mul, x, scale)?;
    let wide = g.put(Cast { to: DType::F64 }, &[x])?;
    let other = g.splat(DType::F64, 2, (BEYOND_F32 - 1) as f64);
    let less = g.binary(BinaryFn::Sub, wide, other)?;
    g.put(Cast { to: DType::F32 }, &[less]).map(|_| ())
}

/// Ops that keep sizes but not elements.
fn of_one_size(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 5);
    let x = g.fresh(&[1, 2, n, n]);
    match g.random.below(3) {
        0 => {
            let f = *g.random.pick(&[
                PoolFn::Max,
                PoolFn::Avg {
                    count_include_pad: false,
                    divisor: None,
                },
            ]);
            let output = vec![n.into(); 2];
            g.put(AdaptivePool { f, output }, &[x]).map(|_| ())
        }
        1 => {
            let kernel = *g.random.pick(&[1, 3, 3]);
            let op = Pool {
                f: PoolFn::Max,
                kernel: vec![kernel, 1],
                stride: vec![1; 2],
                pad_low: vec![kernel / 2, 0],
                pad_high: vec![kernel / 2, 0],
                dilation: vec![1; 2],
                ceil: false,
            };
            g.put(op, &[x]).map(|_| ())
        }
        _ => {
            let modes = [ResizeMode::Nearest, ResizeMode::Cubic, ResizeMode::Cubic];
            let mode = *g.random.pick(&modes);
            let op = Resize {
                mode,
                align_corners: false,
                output: vec![n.into(); 2],
                scales: vec![None; 2],
            };
            g.put(op, &[x]).map(|_| ())
        }
    }
}

/// Values that are transposed and get a new axis by one movement, joined along that axis.
fn turned_stack(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 3);
    let axis = g.random.below(2);
    let mut values = Vec::new();
    for _ in 0..2 {
        let x = g.fresh(&[n, n]);
        let order: &[usize] = if g.random.chance(50) {
            &[1, 0]
        } else {
            &[0, 1]
        };
        let turn = Movement::permute(&g.shape(x), order).ok()?;
        let value = g.moved_twice(x, turn, |shape| Movement::unsqueeze(shape, &[axis]).ok())?;
        values.push(value);
    }
    g.join(&values, axis).map(|_| ())
}

/// An element of an axis into which a join of unequal parts was split, or of one that was transposed too.
fn uneven_parts(g: &mut Grower<'_>) -> Grown {
    let each = 2;
    let sizes = *g.random.pick(&[&[1, 2, 1][..], &[1, 2, 1], &[2, 2]]);
    let inner = g.random.between(1, 3);
    let parts: Vec<ValueId> = sizes.iter().map(|&n| g.fresh(&[n, inner])).collect();
    let joined = g.join(&parts, 0)?;
    let places = sizes.iter().sum::<i64>() / each;
    let split = Movement::split(&g.shape(joined), 0, &[places.into(), each.into()]).ok()?;
    let order: &[usize] = if g.random.chance(50) {
        &[1, 0, 2]
    } else {
        &[0, 1, 2]
    };
    let moved = g.moved_twice(joined, split, |shape| Movement::permute(shape, order).ok())?;
    g.cut(moved, 0, 1, 1).map(|_| ())
}

/// One index of a product, whose axis goes by a movement that transposes the others or does not.
fn turned_pick(g: &mut Grower<'_>) -> Grown {
    let n = g.random.between(2, 3);
    let x = g.fresh(&[n, n, n]);
    let y = g.layer(x, n)?;
    let axis = g.random.below(2);
    let start = g.random.between(0, n - 1);
    let part = g.cut(y, axis, start, 1)?;
    let squeeze = Movement::squeeze(&g.shape(part), &[axis]).ok()?;
    let order: &[usize] = if g.random.chance(60) {
        &[1, 0]
    } else {
        &[0, 1]
    };
    g.moved_twice(part, squeeze, |shape| Movement::permute(shape, order).ok())
        .map(|_| ())
}
