//! Modified Bessel functions of the first kind, of order 0 and 1, plain and scaled by `exp(-|x|)`.
//!
//! Near zero they are computed by their power series, whose terms all have one sign, and beyond by Hankel's series.
//! Both are computed in f64 and rounded once. The exponential is computed in the operand's dtype, so that the result
//! overflows where PyTorch's result does.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};
use std::f64::consts::TAU;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| bessel(cx, a, 0, false),
        &["aten.i0.default(self)", "aten.special_i0.default(self)"],
    ),
    Row::new(
        |cx, a| bessel(cx, a, 0, true),
        &["aten.special_i0e.default(self)"],
    ),
    Row::new(
        |cx, a| bessel(cx, a, 1, false),
        &["aten.special_i1.default(self)"],
    ),
    Row::new(
        |cx, a| bessel(cx, a, 1, true),
        &["aten.special_i1e.default(self)"],
    ),
];

/// The bounds and numbers of terms of both series, by which both are right to the dtype's last digit where they meet.
struct Reach {
    /// The least `|x|` for which Hankel's series is used.
    far: f64,
    powers: u32,
    inverse_powers: u32,
}

const SINGLE: Reach = Reach {
    far: 12.0,
    powers: 23,
    inverse_powers: 13,
};
const DOUBLE: Reach = Reach {
    far: 24.0,
    powers: 44,
    inverse_powers: 21,
};

/// Coefficients of `(x / 2)^(2k)`: `1 / (k! (k + order)!)`.
fn powers(order: u32, count: u32) -> Vec<f64> {
    let next = |last: &f64, k: u32| last / (f64::from(k) * f64::from(k + order));
    let mut all = vec![1.0];
    for k in 1..count {
        all.push(next(&all[all.len() - 1], k));
    }
    all
}

/// Coefficients of `|x|^-k`: the product of `((2j - 1)^2 - 4 order^2) / (8 j)`.
fn inverse_powers(order: u32, count: u32) -> Vec<f64> {
    let mut all = vec![1.0];
    for j in 1..count {
        let odd = f64::from(2 * j - 1);
        let part = (odd * odd - 4.0 * f64::from(order * order)) / (8.0 * f64::from(j));
        all.push(all[all.len() - 1] * part);
    }
    all
}

fn bessel(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    order: u32,
    is_scaled: bool,
) -> Result<Returns, Problem> {
    let own = cx.as_float(a.tensor("self")?)?;
    let dtype = cx.dtype(own);
    let (reach, exponent) = match dtype {
        DType::F64 => (DOUBLE, DType::F64),
        _ => (SINGLE, DType::F32),
    };
    let x = cx.cast(own, DType::F64)?;
    let size = cx.unary(Simple::Abs, x)?;
    let power = cx.cast(own, exponent)?;
    let mut power = cx.unary(Simple::Abs, power)?;
    if is_scaled {
        power = cx.unary(Simple::Neg, power)?;
    }
    let power = cx.unary(Simple::Exp, power)?;
    let power = cx.cast(power, DType::F64)?;
    let mut near = near(cx, x, order, &reach)?;
    let mut far = far(cx, size, order, &reach)?;
    if is_scaled {
        near = cx.mul(near, power)?;
    } else {
        far[0] = cx.mul(far[0], power)?;
    }
    let mut far = cx.binary(BinaryFn::Div, far[0], far[1])?;
    if order == 1 {
        let zero = cx.scalar_like(Scalar::Int(0), x);
        let (is_low, minus) = (
            cx.compare(CompareFn::Lt, x, zero)?,
            cx.unary(Simple::Neg, far)?,
        );
        far = cx.select(is_low, minus, far)?;
    }
    let is_near = cx.compare_with(CompareFn::Lt, size, reach.far)?;
    let found = cx.select(is_near, near, far)?;
    one(cx.cast(found, dtype)?)
}

fn near(cx: &mut Importer<'_>, x: ValueId, order: u32, r: &Reach) -> Result<ValueId, Problem> {
    let half = cx.scale(x, Scalar::Float(0.5))?;
    let square = cx.mul(half, half)?;
    let sum = cx.polynomial(square, &powers(order, r.powers))?;
    match order {
        0 => Ok(sum),
        _ => cx.mul(sum, half),
    }
}

/// The result of the series, and its divisor.
fn far(
    cx: &mut Importer<'_>,
    size: ValueId,
    order: u32,
    r: &Reach,
) -> Result<[ValueId; 2], Problem> {
    let inverse = cx.unary(Simple::Reciprocal, size)?;
    let sum = cx.polynomial(inverse, &inverse_powers(order, r.inverse_powers))?;
    let square = cx.scale(size, Scalar::Float(TAU))?;
    Ok([sum, cx.unary(Simple::Sqrt, square)?])
}
