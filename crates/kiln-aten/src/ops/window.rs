//! Window functions of signals. They are constants, since their lengths are known.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::promotion::DEFAULT_FLOAT;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::{Builder, Scalar, TensorData};
use std::f64::consts::TAU;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| window(cx, a, |at| cosines(at, &[0.5, 0.5])),
        &[
            "aten.hann_window.default(window_length, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.hann_window.periodic(window_length, periodic, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        hamming,
        &[
            "aten.hamming_window.default(window_length, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.hamming_window.periodic(window_length, periodic, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.hamming_window.periodic_alpha(window_length, periodic, alpha, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.hamming_window.periodic_alpha_beta(window_length, periodic, alpha, beta, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        |cx, a| window(cx, a, |at| cosines(at, &[0.42, 0.5, 0.08])),
        &[
            "aten.blackman_window.default(window_length, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.blackman_window.periodic(window_length, periodic, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        |cx, a| window(cx, a, |at| 1.0 - (2.0 * at - 1.0).abs()),
        &[
            "aten.bartlett_window.default(window_length, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.bartlett_window.periodic(window_length, periodic, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        kaiser,
        &[
            "aten.kaiser_window.default(window_length, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.kaiser_window.periodic(window_length, periodic, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.kaiser_window.beta(window_length, periodic, beta, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
];

/// The window function at positions from 0 to 1. A periodic window leaves out the last position, where the next period
/// begins.
fn window(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    form: impl Fn(f64) -> f64,
) -> Result<Returns, Problem> {
    let length = a.int("window_length")?;
    let count = limits::elements(&[length])?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DEFAULT_FLOAT);
    if !dtype.is_float() {
        return Err(Problem::unsupported(
            "a window whose elements are no floats",
        ));
    }
    let periodic = !a.has("periodic") || a.bool("periodic")?;
    let steps = if periodic { length } else { length - 1 };
    let element = |i| match length {
        1 => Scalar::Int(1),
        _ => Scalar::Float(form(i as f64 / steps as f64)),
    };
    let data = TensorData::from_scalars(dtype, vec![count], (0..length).map(element));
    one(cx.literal(data))
}

/// A sum of cosines of ascending frequency with alternating signs.
fn cosines(at: f64, factors: &[f64]) -> f64 {
    let terms = factors.iter().enumerate().map(|(i, factor)| {
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        sign * factor * (TAU * i as f64 * at).cos()
    });
    terms.sum()
}

fn hamming(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let number = |name, otherwise| match a.has(name) {
        true => a.float(name),
        false => Ok(otherwise),
    };
    let factors = [number("alpha", 0.54)?, number("beta", 0.46)?];
    window(cx, a, |at| cosines(at, &factors))
}

fn kaiser(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let beta = match a.has("beta") {
        true => a.float("beta")?,
        false => 12.0,
    };
    window(cx, a, |at| {
        let from_middle = 2.0 * at - 1.0;
        let height = (1.0 - from_middle * from_middle).max(0.0).sqrt();
        bessel(beta * height) / bessel(beta)
    })
}

/// The modified Bessel function of the first kind and order 0, by its power series. All terms are positive.
fn bessel(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..1000 {
        term *= quarter / f64::from(k * k);
        sum += term;
        if term < sum * f64::EPSILON || !sum.is_finite() {
            break;
        }
    }
    sum
}
