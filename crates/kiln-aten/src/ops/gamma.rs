//! The logarithm of the gamma function and its derivative.
//!
//! Both are computed in f64 and rounded once. The recurrence moves small arguments up to where Stirling's series is
//! right to the last digit. Negative arguments are reflected.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Scalar, TensorData, ValueId};
use std::f64::consts::{PI, TAU};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| in_f64(cx, a, log_gamma),
        &[
            "aten.lgamma.default(self)",
            "aten.special_gammaln.default(self)",
        ],
    ),
    Row::new(
        |cx, a| in_f64(cx, a, digamma),
        &[
            "aten.digamma.default(self)",
            "aten.special_digamma.default(self)",
            "aten.special_psi.default(self)",
        ],
    ),
    Row::new(
        multivariate,
        &[
            "aten.mvlgamma.default(self, p)",
            "aten.special_multigammaln.default(self, p)",
        ],
    ),
];

/// The least argument for which Stirling's series is used.
const FAR: i64 = 10;
/// The Bernoulli numbers of index 2, 4, ... From [`FAR`] on the term of the next one is below f64's last digit.
const BERNOULLI: [f64; 7] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
];
/// The most dimensions of a multivariate gamma function.
const MOST: i64 = 1 << 10;

type Function = fn(&mut Importer<'_>, ValueId) -> Result<ValueId, Problem>;

fn in_f64(cx: &mut Importer<'_>, a: &Args<'_>, f: Function) -> Result<Returns, Problem> {
    let x = cx.as_float(a.tensor("self")?)?;
    let own = cx.dtype(x);
    let wide = cx.cast(x, DType::F64)?;
    let found = f(cx, wide)?;
    one(cx.cast(found, own)?)
}

/// A positive argument, and its value after the recurrence.
struct Far {
    z: ValueId,
    is_near: ValueId,
    /// The argument after the recurrence: at least [`FAR`].
    y: ValueId,
    /// `1 / y^2`.
    inverse_square: ValueId,
}

impl Far {
    fn new(cx: &mut Importer<'_>, z: ValueId) -> Result<Far, Problem> {
        let far = cx.scalar_like(Scalar::Int(FAR), z);
        let is_near = cx.compare(CompareFn::Lt, z, far)?;
        let moved = cx.add(z, far)?;
        let y = cx.select(is_near, moved, z)?;
        let square = cx.mul(y, y)?;
        let inverse_square = cx.unary(Simple::Reciprocal, square)?;
        Ok(Far {
            z,
            is_near,
            y,
            inverse_square,
        })
    }

    /// `term(z) op term(z + 1) op ..` over the steps of the recurrence. `nothing` is the value of no steps.
    fn over(
        &self,
        cx: &mut Importer<'_>,
        op: BinaryFn,
        term: Function,
        nothing: i64,
    ) -> Result<ValueId, Problem> {
        let mut all = term(cx, self.z)?;
        for i in 1..FAR {
            let step = cx.scalar_like(Scalar::Int(i), self.z);
            let at = cx.add(self.z, step)?;
            let next = term(cx, at)?;
            all = cx.binary(op, all, next)?;
        }
        let nothing = cx.scalar_like(Scalar::Int(nothing), all);
        cx.select(self.is_near, all, nothing)
    }
}

/// The difference between `x` and the nearest integer, times pi.
fn angle(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    let nearest = cx.unary(Simple::Round, x)?;
    let rest = cx.sub(x, nearest)?;
    cx.scale(rest, Scalar::Float(PI))
}

fn below(cx: &mut Importer<'_>, x: ValueId, bound: f64) -> Result<ValueId, Problem> {
    cx.compare_with(CompareFn::Lt, x, bound)
}

/// `1 - x` where the argument is reflected, else `x`.
fn reflected(cx: &mut Importer<'_>, x: ValueId, is_low: ValueId) -> Result<ValueId, Problem> {
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let mirror = cx.sub(unit, x)?;
    cx.select(is_low, mirror, x)
}

/// `log |gamma(x)|` of an f64 operand: infinite at the poles and at both infinities.
fn log_gamma(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    let is_low = below(cx, x, 0.5)?;
    let z = reflected(cx, x, is_low)?;
    let far = Far::new(cx, z)?;
    // Written as (y - 1/2) (log y - 1), infinity gives infinity.
    let half = cx.scalar_like(Scalar::Float(0.5), x);
    let unit = cx.scalar_like(Scalar::Int(1), x);
    let log = cx.unary(Simple::Log, far.y)?;
    let (less, log) = (cx.sub(far.y, half)?, cx.sub(log, unit)?);
    let main = cx.mul(less, log)?;
    let coefficients: Vec<f64> = (1..)
        .zip(BERNOULLI)
        .map(|(k, b)| b / f64::from(2 * k * (2 * k - 1)))
        .collect();
    let series = cx.polynomial(far.inverse_square, &coefficients)?;
    let series = cx.binary(BinaryFn::Div, series, far.y)?;
    let offset = cx.scalar_like(Scalar::Float(0.5 * TAU.ln() - 0.5), x);
    let rest = cx.add(series, offset)?;
    let product = far.over(cx, BinaryFn::Mul, |_, v| Ok(v), 1)?;
    let product = cx.unary(Simple::Log, product)?;
    let rest = cx.sub(rest, product)?;
    let right = cx.add(main, rest)?;
    let turn = angle(cx, x)?;
    let sine = cx.unary(Simple::Sin, turn)?;
    let sine = cx.unary(Simple::Abs, sine)?;
    let sine = cx.unary(Simple::Log, sine)?;
    let log_pi = cx.scalar_like(Scalar::Float(PI.ln()), x);
    let mirror = cx.sub(log_pi, sine)?;
    let left = cx.sub(mirror, right)?;
    let found = cx.select(is_low, left, right)?;
    let infinite = cx.unary(Simple::IsInf, x)?;
    let size = cx.unary(Simple::Abs, x)?;
    cx.select(infinite, size, found)
}

/// The digamma function of an f64 operand: NaN at the negative integers; at zero infinite, with the opposite sign of
/// the zero.
fn digamma(cx: &mut Importer<'_>, x: ValueId) -> Result<ValueId, Problem> {
    let is_low = below(cx, x, 0.0)?;
    let z = reflected(cx, x, is_low)?;
    let far = Far::new(cx, z)?;
    let log = cx.unary(Simple::Log, far.y)?;
    let twice = cx.scale(far.y, Scalar::Int(2))?;
    let half = cx.unary(Simple::Reciprocal, twice)?;
    let main = cx.sub(log, half)?;
    let terms = (1..).zip(BERNOULLI).map(|(k, b)| b / f64::from(2 * k));
    let coefficients: Vec<f64> = std::iter::once(0.0).chain(terms).collect();
    let series = cx.polynomial(far.inverse_square, &coefficients)?;
    let main = cx.sub(main, series)?;
    let inverse: Function = |cx, v| cx.unary(Simple::Reciprocal, v);
    let sum = far.over(cx, BinaryFn::Add, inverse, 0)?;
    let right = cx.sub(main, sum)?;
    let turn = angle(cx, x)?;
    let (sine, cosine) = (cx.unary(Simple::Sin, turn)?, cx.unary(Simple::Cos, turn)?);
    let cotangent = cx.binary(BinaryFn::Div, cosine, sine)?;
    let mirror = cx.scale(cotangent, Scalar::Float(PI))?;
    let left = cx.sub(right, mirror)?;
    let found = cx.select(is_low, left, right)?;
    let floor = cx.unary(Simple::Floor, x)?;
    let is_whole = cx.compare(CompareFn::Eq, x, floor)?;
    let is_pole = cx.binary(BinaryFn::BitAnd, is_low, is_whole)?;
    let nan = cx.scalar_like(Scalar::Float(f64::NAN), x);
    cx.select(is_pole, nan, found)
}

/// The logarithm of the multivariate gamma function: `p (p - 1) / 4 log(pi)` plus the logarithms at `x`, `x - 1/2`, ..,
/// `x - (p - 1) / 2`.
fn multivariate(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, p) = (cx.as_float(a.tensor("self")?)?, a.int("p")?);
    if !(1..=MOST).contains(&p) {
        return Err(Problem::unsupported(format!(
            "{p} dimensions; 1 to {MOST} are taken"
        )));
    }
    let (own, rank) = (cx.dtype(x), cx.rank(x));
    let wide = cx.cast(x, DType::F64)?;
    let wide = cx.unsqueeze(wide, &[rank])?;
    let steps = (0..p).map(|j| Scalar::Float(-0.5 * j as f64));
    let steps = TensorData::from_scalars(DType::F64, vec![p as usize], steps);
    let steps = cx.literal(steps);
    let at = cx.add(wide, steps)?;
    let logs = log_gamma(cx, at)?;
    let sum = cx.reduce(ReduceFn::Sum, logs, [rank], false)?;
    let offset = (p * (p - 1)) as f64 / 4.0 * PI.ln();
    let offset = cx.scalar_like(Scalar::Float(offset), sum);
    let sum = cx.add(sum, offset)?;
    one(cx.cast(sum, own)?)
}
