//! Functions of one number: logarithms, roots, trigonometry, rounding, predicates and complements.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// Rows of functions that cast ints and bools to floats.
macro_rules! float_rows {
    ($($f:ident $($schema:literal)+),* $(,)?) => {
        &[$(Row::new(|cx, a| float_function(cx, a, Simple::$f), &[$($schema),+])),*]
    };
}

/// Functions whose result is a float.
pub(crate) const FLOAT_ROWS: &[Row] = float_rows![
    Exp "aten.exp.default(self)",
    Exp2 "aten.exp2.default(self)",
    Expm1 "aten.expm1.default(self)",
    Log "aten.log.default(self)",
    Log2 "aten.log2.default(self)",
    Log10 "aten.log10.default(self)",
    Log1p "aten.log1p.default(self)",
    Sqrt "aten.sqrt.default(self)",
    Rsqrt "aten.rsqrt.default(self)",
    Reciprocal "aten.reciprocal.default(self)",
    Sin "aten.sin.default(self)",
    Cos "aten.cos.default(self)",
    Tan "aten.tan.default(self)",
    Asin "aten.asin.default(self)" "aten.arcsin.default(self)",
    Acos "aten.acos.default(self)" "aten.arccos.default(self)",
    Atan "aten.atan.default(self)" "aten.arctan.default(self)",
    Sinh "aten.sinh.default(self)",
    Cosh "aten.cosh.default(self)",
    Tanh "aten.tanh.default(self)",
    Asinh "aten.asinh.default(self)" "aten.arcsinh.default(self)",
    Acosh "aten.acosh.default(self)" "aten.arccosh.default(self)",
    Atanh "aten.atanh.default(self)" "aten.arctanh.default(self)",
    Erf "aten.erf.default(self)",
    Erfinv "aten.erfinv.default(self)",
    Sigmoid "aten.sigmoid.default(self)",
];

/// Functions that keep the dtype, and predicates.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| same_dtype(cx, a, Simple::Neg),
        &["aten.neg.default(self)", "aten.negative.default(self)"],
    ),
    Row::new(
        absolute,
        &["aten.abs.default(self)", "aten.absolute.default(self)"],
    ),
    Row::new(
        |cx, a| same_dtype(cx, a, Simple::Sign),
        &["aten.sign.default(self)", "aten.sgn.default(self)"],
    ),
    Row::new(square, &["aten.square.default(self)"]),
    Row::new(
        |cx, a| rounding(cx, a, Simple::Floor),
        &["aten.floor.default(self)"],
    ),
    Row::new(
        |cx, a| rounding(cx, a, Simple::Ceil),
        &["aten.ceil.default(self)"],
    ),
    Row::new(
        |cx, a| rounding(cx, a, Simple::Round),
        &["aten.round.default(self)"],
    ),
    Row::new(
        |cx, a| rounding(cx, a, Simple::Trunc),
        &["aten.trunc.default(self)", "aten.fix.default(self)"],
    ),
    Row::new(frac, &["aten.frac.default(self)"]),
    Row::new(erfc, &["aten.erfc.default(self)"]),
    Row::new(logit, &["aten.logit.default(self, eps=None)"]),
    Row::new(bitwise_not, &["aten.bitwise_not.default(self)"]),
    Row::new(logical_not, &["aten.logical_not.default(self)"]),
    Row::new(
        |cx, a| test(cx, a, Simple::IsNan),
        &["aten.isnan.default(self)"],
    ),
    Row::new(
        |cx, a| test(cx, a, Simple::IsInf),
        &["aten.isinf.default(self)"],
    ),
    Row::new(isfinite, &["aten.isfinite.default(self)"]),
    Row::new(isreal, &["aten.isreal.default(self)"]),
    Row::new(
        nan_to_num,
        &["aten.nan_to_num.default(self, nan=None, posinf=None, neginf=None)"],
    ),
    Row::new(deg2rad, &["aten.deg2rad.default(self)"]),
    Row::new(rad2deg, &["aten.rad2deg.default(self)"]),
];

fn float_function(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    one(cx.unary(f, x)?)
}

fn same_dtype(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.dtype(x) == DType::Bool {
        // The absolute value and the sign of a bool are the bool itself. `neg` refuses bools.
        return match f {
            Simple::Abs | Simple::Sign => one(x),
            _ => Err(Problem::unsupported("takes no bools")),
        };
    }
    one(cx.unary(f, x)?)
}

/// The absolute value of a complex number.
fn absolute(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if let (real, Some(imaginary)) = a.complex("self")? {
        let (real, imaginary) = (
            cx.unary(Simple::Square, real)?,
            cx.unary(Simple::Square, imaginary)?,
        );
        let sum = cx.add(real, imaginary)?;
        return one(cx.unary(Simple::Sqrt, sum)?);
    }
    same_dtype(cx, a, Simple::Abs)
}

fn square(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let x = if cx.dtype(x) == DType::Bool {
        cx.cast(x, DType::I64)?
    } else {
        x
    };
    one(cx.unary(Simple::Square, x)?)
}

fn rounding(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.dtype(x).is_float() {
        one(cx.unary(f, x)?)
    } else {
        one(x)
    }
}

fn frac(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let whole = cx.unary(Simple::Trunc, x)?;
    one(cx.sub(x, whole)?)
}

/// `1 - erf(x)`. For large `x` the result is 0 where `erfc` is not, at values below the smallest f32 step at 1.
fn erfc(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let erf = cx.unary(Simple::Erf, x)?;
    let unit = cx.scalar_like(Scalar::Float(1.0), x);
    one(cx.sub(unit, erf)?)
}

/// `log(x / (1 - x))`, with `x` clamped to `eps..=1 - eps`.
fn logit(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut x = cx.as_float(a.tensor("self")?)?;
    if let Some(eps) = a.optional_float("eps")? {
        x = limited(cx, x, eps, 1.0 - eps)?;
    }
    let unit = cx.scalar_like(Scalar::Float(1.0), x);
    let rest = cx.sub(unit, x)?;
    let odds = cx.binary(BinaryFn::Div, x, rest)?;
    one(cx.unary(Simple::Log, odds)?)
}

/// `x` clamped to two limits. If the lower one exceeds the upper one, `x` below the lower limit gives the lower one,
/// and other `x` the upper one.
fn limited(cx: &mut Importer<'_>, x: ValueId, low: f64, high: f64) -> Result<ValueId, Problem> {
    let (min, max) = (Scalar::Float(low), Scalar::Float(high));
    if low <= high {
        let (min, max) = (Some(min), Some(max));
        return cx.unary(UnaryFn::Clamp { min, max }, x);
    }
    let (low, high) = (cx.scalar_like(min, x), cx.scalar_like(max, x));
    let below = cx.compare(CompareFn::Lt, x, low)?;
    let f = BinaryFn::Min;
    let capped = cx.binary(f, x, high)?;
    cx.select(below, low, capped)
}

fn bitwise_not(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(cx.unary(Simple::BitNot, a.tensor("self")?)?)
}

fn logical_not(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.cast(a.tensor("self")?, DType::Bool)?;
    one(cx.unary(Simple::BitNot, x)?)
}

fn test(cx: &mut Importer<'_>, a: &Args<'_>, f: Simple) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if cx.dtype(x).is_float() {
        one(cx.unary(f, x)?)
    } else {
        let shape = cx.shape(x);
        one(cx.full(&shape, DType::Bool, Scalar::Bool(false))?)
    }
}

fn isfinite(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    if !cx.dtype(x).is_float() {
        let shape = cx.shape(x);
        return one(cx.full(&shape, DType::Bool, Scalar::Bool(true))?);
    }
    let size = cx.unary(Simple::Abs, x)?;
    let infinity = cx.scalar_like(Scalar::Float(f64::INFINITY), x);
    one(cx.compare(CompareFn::Lt, size, infinity)?)
}

/// True everywhere: `self` is a real tensor.
fn isreal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let shape = cx.shape(a.tensor("self")?);
    one(cx.full(&shape, DType::Bool, Scalar::Bool(true))?)
}

fn nan_to_num(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = cx.dtype(x);
    if !dtype.is_float() {
        return one(x);
    }
    let greatest = greatest_finite(dtype);
    let nan = a.optional_float("nan")?.unwrap_or(0.0);
    let high = a.optional_float("posinf")?.unwrap_or(greatest);
    let low = a.optional_float("neginf")?.unwrap_or(-greatest);
    let is_nan = cx.unary(Simple::IsNan, x)?;
    let nan = cx.scalar_like(Scalar::Float(nan), x);
    let x = cx.select(is_nan, nan, x)?;
    let x = replace(cx, x, f64::INFINITY, high)?;
    one(replace(cx, x, f64::NEG_INFINITY, low)?)
}

fn replace(cx: &mut Importer<'_>, x: ValueId, from: f64, to: f64) -> Result<ValueId, Problem> {
    let from = cx.scalar_like(Scalar::Float(from), x);
    let to = cx.scalar_like(Scalar::Float(to), x);
    let found = cx.compare(CompareFn::Eq, x, from)?;
    cx.select(found, to, x)
}

/// The greatest finite number of a float dtype.
pub(crate) fn greatest_finite(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => f64::from(half::bf16::MAX.to_f32()),
        DType::F64 => f64::MAX,
        _ => f64::from(f32::MAX),
    }
}

fn deg2rad(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    one(cx.scale(x, Scalar::Float(std::f64::consts::PI / 180.0))?)
}

fn rad2deg(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    one(cx.scale(x, Scalar::Float(180.0 / std::f64::consts::PI))?)
}
