//! Fourier transforms, by constant matrices, on pairs of a real and an imaginary part.
//!
//! A complex tensor is an [`Arg::Complex`]. The ops here take one, and so do those that [`crate::complex`] computes by
//! parts. Any other op refuses it because of its kind.

use super::turns;
use crate::call::Arg;
use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Linear, PadMode, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, TensorData, ValueId};
use std::f64::consts::TAU;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| transform(cx, a, &Kind::FORWARD),
        &[
            "aten.fft_fft.default(self, n=None, dim=-1, norm=None)",
            "aten.fft_fft2.default(self, s=None, dim=None, norm=None)",
            "aten.fft_fftn.default(self, s=None, dim=None, norm=None)",
        ],
    ),
    Row::new(
        |cx, a| transform(cx, a, &Kind::INVERSE),
        &[
            "aten.fft_ifft.default(self, n=None, dim=-1, norm=None)",
            "aten.fft_ifft2.default(self, s=None, dim=None, norm=None)",
            "aten.fft_ifftn.default(self, s=None, dim=None, norm=None)",
        ],
    ),
    Row::new(
        |cx, a| transform(cx, a, &Kind::ONE_SIDED),
        &[
            "aten.fft_rfft.default(self, n=None, dim=-1, norm=None)",
            "aten.fft_rfft2.default(self, s=None, dim=None, norm=None)",
            "aten.fft_rfftn.default(self, s=None, dim=None, norm=None)",
        ],
    ),
    Row::new(
        |cx, a| transform(cx, a, &Kind::TO_REAL),
        &[
            "aten.fft_irfft.default(self, n=None, dim=-1, norm=None)",
            "aten.fft_irfft2.default(self, s=None, dim=None, norm=None)",
            "aten.fft_irfftn.default(self, s=None, dim=None, norm=None)",
        ],
    ),
    Row::new(
        internal,
        &[
            "aten._fft_r2c.default(self, dim, normalization, onesided)",
            "aten._fft_c2c.default(self, dim, normalization, forward)",
            "aten._fft_c2r.default(self, dim, normalization, last_dim_size)",
        ],
    ),
    Row::new(real, &["aten.real.default(self)"]),
    Row::new(imaginary, &["aten.imag.default(self)"]),
    Row::new(view_as_real, &["aten.view_as_real.default(self)"]),
    Row::new(view_as_complex, &["aten.view_as_complex.default(self)"]),
    Row::new(complex, &["aten.complex.default(real, imag)"]),
    Row::new(polar, &["aten.polar.default(abs, angle)"]),
    Row::new(angle, &["aten.angle.default(self)"]),
];

/// A complex value. Without an imaginary part, that part is 0.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) real: ValueId,
    pub(super) imaginary: Option<ValueId>,
}

/// The kind of a transform.
struct Kind {
    /// The sign of the exponent is plus.
    inverse: bool,
    /// From a real operand to the first half of the spectrum along the last axis.
    one_sided: bool,
    /// From the first half of a spectrum to a real result.
    to_real: bool,
}

impl Kind {
    const FORWARD: Kind = Kind {
        inverse: false,
        one_sided: false,
        to_real: false,
    };
    const INVERSE: Kind = Kind {
        inverse: true,
        ..Kind::FORWARD
    };
    const ONE_SIDED: Kind = Kind {
        one_sided: true,
        ..Kind::FORWARD
    };
    const TO_REAL: Kind = Kind {
        inverse: true,
        to_real: true,
        ..Kind::FORWARD
    };
}

/// The transform along one axis.
struct Plan {
    axis: usize,
    /// The number of elements of the operand along the axis.
    from: i64,
    /// The number of elements of the result along the axis.
    to: i64,
    /// The period, in elements.
    period: i64,
    /// The factor of every element of the result.
    factor: f64,
    /// True if an element of the operand stands for its mirror image too.
    halved: bool,
}

impl Plan {
    /// The matrices of cosines and sines, `[to, from]`, of `+-TAU * j * k / period`, times the factor.
    fn tables(&self, dtype: DType, inverse: bool) -> Result<[TensorData; 2], Problem> {
        let (from, to) = (self.from, self.to);
        if limits::elements(&[from, to])? == 0 {
            return Err(Problem::unsupported("a transform of no elements"));
        }
        let sign = if inverse { 1.0 } else { -1.0 };
        let table = |f: &dyn Fn(i64) -> f64| {
            let places = (0..to).flat_map(|k| (0..from).map(move |j| (k, j)));
            let values = places.map(|(k, j)| {
                let part = f((j * k).rem_euclid(self.period));
                Scalar::Float(part * self.factor * self.share(j))
            });
            TensorData::from_scalars(dtype, vec![to as usize, from as usize], values)
        };
        Ok([
            table(&|step| turns::cosine(step, self.period)),
            // Plus 0, so that no entry is -0.
            table(&|step| sign * turns::sine(step, self.period) + 0.0),
        ])
    }

    /// The number of elements of the whole spectrum for which element `j` of its half stands.
    fn share(&self, j: i64) -> f64 {
        let alone = j == 0 || 2 * j == self.period;
        if self.halved && !alone { 2.0 } else { 1.0 }
    }
}

fn product(
    cx: &mut Importer<'_>,
    x: ValueId,
    table: &TensorData,
    axis: usize,
) -> Result<ValueId, Problem> {
    let last = cx.rank(x) - 1;
    let table = cx.literal(table.clone());
    let turned = cx.transpose(x, axis, last)?;
    let summed = cx.value(Linear {}, &[turned, table])?;
    cx.transpose(summed, axis, last)
}

/// `sum over j of x[j] * exp(+-i TAU j k / period)`.
fn along(cx: &mut Importer<'_>, x: Pair, plan: &Plan, kind: &Kind) -> Result<Pair, Problem> {
    let [cosines, sines] = plan.tables(cx.dtype(x.real), kind.inverse)?;
    let mut real = product(cx, x.real, &cosines, plan.axis)?;
    if let Some(imaginary) = x.imaginary {
        let crossed = product(cx, imaginary, &sines, plan.axis)?;
        real = cx.sub(real, crossed)?;
    }
    if plan.halved {
        return Ok(Pair {
            real,
            imaginary: None,
        });
    }
    let mut crossed = product(cx, x.real, &sines, plan.axis)?;
    if let Some(imaginary) = x.imaginary {
        let straight = product(cx, imaginary, &cosines, plan.axis)?;
        crossed = cx.add(straight, crossed)?;
    }
    Ok(Pair {
        real,
        imaginary: Some(crossed),
    })
}

fn known(size: Dim) -> Result<i64, Problem> {
    size.as_const()
        .ok_or_else(|| Problem::unsupported("a Fourier transform of symbolic length"))
}

/// `len` elements along an axis: the first ones, or all with zeros behind.
fn fitted(cx: &mut Importer<'_>, x: ValueId, axis: usize, len: i64) -> Result<ValueId, Problem> {
    let have = known(cx.size(x, axis)?)?;
    if len <= have {
        return cx.slice(x, axis, 0, len, 1);
    }
    let low = vec![Dim::constant(0); cx.rank(x)];
    let mut high = low.clone();
    high[axis] = Dim::constant(len - have);
    cx.pad(x, low, high, PadMode::Constant(Scalar::Int(0)))
}

fn operand(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Pair, Problem> {
    let (real, imaginary) = a.complex("self")?;
    Ok(Pair {
        real: cx.as_float(real)?,
        imaginary,
    })
}

/// The axes of a transform and, where given, its lengths.
fn axes_and_lengths(a: &Args<'_>, rank: usize) -> Result<Vec<(usize, Option<i64>)>, Problem> {
    if a.has("n") {
        return Ok(vec![(axis(a.int("dim")?, rank)?, a.optional_int("n")?)]);
    }
    let lengths = a.optional_ints("s")?;
    let dims = match (a.optional_ints("dim")?, &lengths) {
        (Some(dims), _) => dims,
        (None, _) if a.target().contains("2.") => vec![-2, -1],
        (None, Some(s)) => (1..=s.len() as i64).rev().map(|i| -i).collect(),
        (None, None) => (0..rank as i64).collect(),
    };
    if lengths.as_ref().is_some_and(|s| s.len() != dims.len()) {
        return Err(Problem::unsupported("a length for each axis"));
    }
    let length = |i: usize| lengths.as_ref().map(|s| s[i]).filter(|&n| n >= 0);
    let pairs = dims.iter().enumerate();
    pairs
        .map(|(i, &d)| Ok((axis(d, rank)?, length(i))))
        .collect()
}

/// The normalisation factor of a transform along an axis with that period.
fn factor(norm: Option<&str>, inverse: bool, period: i64) -> Result<f64, Problem> {
    let n = period as f64;
    match (norm.unwrap_or("backward"), inverse) {
        ("ortho", _) => Ok(1.0 / n.sqrt()),
        ("backward", true) | ("forward", false) => Ok(1.0 / n),
        ("backward" | "forward", _) => Ok(1.0),
        (other, _) => Err(Problem::unsupported(format!("norm={other:?}"))),
    }
}

fn transform(cx: &mut Importer<'_>, a: &Args<'_>, kind: &Kind) -> Result<Returns, Problem> {
    let mut x = operand(cx, a)?;
    if cx.rank(x.real) == 0 {
        return Err(Problem::unsupported("a scalar has no axis to transform"));
    }
    let axes = axes_and_lengths(a, cx.rank(x.real))?;
    let norm = a.optional_text("norm")?;
    // The axis of the half spectrum is the first to be transformed or the last.
    let order: Vec<usize> = if kind.to_real {
        (0..axes.len()).collect()
    } else {
        (0..axes.len()).rev().collect()
    };
    for i in order {
        let (axis, length) = axes[i];
        let halved = i + 1 == axes.len();
        let have = known(cx.size(x.real, axis)?)?;
        let (from, period) = match length {
            Some(n) if kind.to_real && halved => (n / 2 + 1, n),
            None if kind.to_real && halved => (have, 2 * (have - 1)),
            given => (given.unwrap_or(have), given.unwrap_or(have)),
        };
        x.real = fitted(cx, x.real, axis, from)?;
        if let Some(v) = x.imaginary {
            x.imaginary = Some(fitted(cx, v, axis, from)?);
        }
        let plan = Plan {
            axis,
            from,
            to: if kind.one_sided && halved {
                period / 2 + 1
            } else {
                period
            },
            period,
            factor: factor(norm, kind.inverse, period.max(1))?,
            halved: kind.to_real && halved,
        };
        x = along(cx, x, &plan, kind)?;
    }
    if kind.to_real {
        return one(x.real);
    }
    given(cx, x)
}

/// The internal forms, to which PyTorch decomposes the others. `normalization`: 0 is none, 1 divides by the root of the
/// count, 2 by the count.
fn internal(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let kind = Kind {
        inverse: a.has("last_dim_size") || a.has("forward") && !a.bool("forward")?,
        one_sided: a.has("onesided") && a.bool("onesided")?,
        to_real: a.has("last_dim_size"),
    };
    let mut x = operand(cx, a)?;
    if cx.rank(x.real) == 0 {
        return Err(Problem::unsupported("a scalar has no axis to transform"));
    }
    let rank = cx.rank(x.real);
    let dims = a.ints("dim")?;
    let by = a.int("normalization")?;
    let order: Vec<usize> = if kind.to_real {
        (0..dims.len()).collect()
    } else {
        (0..dims.len()).rev().collect()
    };
    for i in order {
        let axis = axis(dims[i], rank)?;
        let last = i + 1 == dims.len();
        let from = known(cx.size(x.real, axis)?)?;
        let period = if kind.to_real && last {
            a.int("last_dim_size")?
        } else {
            from
        };
        let count = period.max(1) as f64;
        let plan = Plan {
            axis,
            from,
            to: if kind.one_sided && last {
                period / 2 + 1
            } else {
                period
            },
            period,
            factor: [1.0, 1.0 / count.sqrt(), 1.0 / count]
                .get(usize::try_from(by).unwrap_or(usize::MAX))
                .copied()
                .ok_or_else(|| Problem::unsupported(format!("normalization {by}")))?,
            halved: kind.to_real && last,
        };
        x = along(cx, x, &plan, &kind)?;
    }
    if kind.to_real {
        return one(x.real);
    }
    given(cx, x)
}

pub(super) fn given(cx: &mut Importer<'_>, x: Pair) -> Result<Returns, Problem> {
    let imaginary = match x.imaginary {
        Some(v) => v,
        None => zeros(cx, x.real)?,
    };
    Ok(vec![Return::Arg(Arg::Complex {
        real: cx.bind(x.real),
        imaginary: cx.bind(imaginary),
    })])
}

fn zeros(cx: &mut Importer<'_>, like: ValueId) -> Result<ValueId, Problem> {
    let (shape, dtype) = (cx.shape(like), cx.dtype(like));
    cx.full(&shape, dtype, Scalar::Int(0))
}

/// The real or the imaginary part. A real tensor is its own real part.
fn real(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let part = match a.arg("self")? {
        Arg::Complex { real, .. } => *real,
        _ => a.variable("self")?,
    };
    Ok(vec![Return::Arg(Arg::Tensor(part))])
}

fn imaginary(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    match a.arg("self")? {
        Arg::Complex { imaginary, .. } => Ok(vec![Return::Arg(Arg::Tensor(*imaginary))]),
        _ => Err(Problem::unsupported("takes a complex tensor")),
    }
}

/// The operand, which must be complex.
fn parts(a: &Args<'_>) -> Result<[ValueId; 2], Problem> {
    match a.complex("self")? {
        (real, Some(imaginary)) => Ok([real, imaginary]),
        _ => Err(Problem::unsupported("takes a complex tensor")),
    }
}

fn view_as_real(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut both = parts(a)?;
    let rank = cx.rank(both[0]);
    for v in &mut both {
        *v = cx.unsqueeze(*v, &[rank])?;
    }
    one(cx.concat(&both, rank)?)
}

fn view_as_complex(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let rank = cx.rank(x);
    if rank == 0 || !cx.size(x, rank - 1)?.is(2) {
        return Err(Problem::unsupported("takes a last axis of 2"));
    }
    let mut both = [x, x];
    for (i, v) in both.iter_mut().enumerate() {
        let part = cx.slice(x, rank - 1, i as i64, 1, 1)?;
        *v = cx.squeeze(part, &[rank - 1])?;
    }
    let [real, imaginary] = both;
    given(
        cx,
        Pair {
            real,
            imaginary: Some(imaginary),
        },
    )
}

/// Both parts, broadcast to one shape.
fn spread(cx: &mut Importer<'_>, real: ValueId, imaginary: ValueId) -> Result<Returns, Problem> {
    let [mut real, mut imaginary] = cx.align([real, imaginary])?;
    if cx.shape(real) != cx.shape(imaginary) {
        let none = zeros(cx, imaginary)?;
        real = cx.add(real, none)?;
        let none = zeros(cx, real)?;
        imaginary = cx.add(imaginary, none)?;
    }
    given(
        cx,
        Pair {
            real,
            imaginary: Some(imaginary),
        },
    )
}

fn complex(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    spread(cx, a.tensor("real")?, a.tensor("imag")?)
}

fn polar(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (size, angle) = (a.tensor("abs")?, a.tensor("angle")?);
    let cosine = cx.unary(Simple::Cos, angle)?;
    let sine = cx.unary(Simple::Sin, angle)?;
    let (real, imaginary) = (cx.mul(size, cosine)?, cx.mul(size, sine)?);
    spread(cx, real, imaginary)
}

/// The angle of a complex number. The angle of a real number is 0 or pi.
fn angle(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = operand(cx, a)?;
    match x.imaginary {
        Some(imaginary) => one(cx.binary(BinaryFn::Atan2, imaginary, x.real)?),
        None => {
            let zero = cx.scalar_like(Scalar::Float(0.0), x.real);
            let half_turn = cx.scalar_like(Scalar::Float(TAU / 2.0), x.real);
            let below = cx.compare(kiln_ir::ops::CompareFn::Lt, x.real, zero)?;
            let turned = cx.select(below, half_turn, zero)?;
            let nan = cx.unary(Simple::IsNan, x.real)?;
            one(cx.select(nan, x.real, turned)?)
        }
    }
}
