//! Near misses of `raise_quantisation`.

use super::super::raised::{Miss, product_but, rounded_but, unpacked_from};
use super::{Plant, plant};
use crate::generate::{Grower, Grown};
use kiln_ir::ops::{BinaryFn, Cast, Linear};
use kiln_ir::{DType, Scalar};

pub(super) const PLANTS: &[Plant] = &[
    plant("raise_quantisation", "raise_fake_quantize", "", rounded),
    plant("raise_quantisation", "raise_fake_quantize", "", beyond_zero),
    plant("raise_quantisation", "raise_integer_product", "", product),
    plant("raise_quantisation", "raise_dequantize", "", weight),
    plant("raise_quantisation", "unpack_integers", "", unpacked),
];

fn rounded(g: &mut Grower<'_>) -> Grown {
    let miss = *g.random.pick(&[
        Miss::Scale,
        Miss::ZeroPoint,
        Miss::Wrap,
        Miss::Zero,
        Miss::Steps,
        Miss::Axes,
        Miss::Start,
    ]);
    rounded_but(g, miss)
}

/// Ranges that reach to another number than 0 seldom have other extremes.
fn beyond_zero(g: &mut Grower<'_>) -> Grown {
    rounded_but(g, Miss::Zero)
}

fn product(g: &mut Grower<'_>) -> Grown {
    product_but(g, Miss::Scale)
}

/// A square weight with scales of its rows and zero points of its columns.
fn weight(g: &mut Grower<'_>) -> Grown {
    let side = g.random.between(2, 4);
    let numbers = |g: &mut Grower<'_>, count: i64| {
        let numbers = (0..count).map(|_| Scalar::Int(g.random.between(-8, 7)));
        numbers.collect::<Vec<_>>()
    };
    let integers = numbers(g, side * side);
    let points = numbers(g, side);
    let scales = (0..side).map(|i| Scalar::Float(0.1 * (1 + i % 3) as f64));
    let scales = scales.collect();
    let integers = g.constant_of(DType::I8, &[side, side], integers);
    let points = g.constant_of(DType::I8, &[1, side], points);
    let scales = g.constant_of(DType::F32, &[side, 1], scales);
    let [integers, points] = [integers, points].map(|v| g.put(Cast { to: DType::F32 }, &[v]));
    let steps = g.binary(BinaryFn::Sub, integers?, points?)?;
    let reals = g.binary(BinaryFn::Mul, steps, scales)?;
    let x = g.fresh(&[2, side]);
    g.put(Linear {}, &[x, reals]).map(|_| ())
}

/// Integers that bytes do not hold.
fn unpacked(g: &mut Grower<'_>) -> Grown {
    unpacked_from(g, 120, 200)
}
