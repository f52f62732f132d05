//! Comparison of a tensor with its golden one.

use kiln_ir::{DType, TensorData};
use serde::Serialize;

/// What counts as equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the golden value; `None`: by dtype.
    pub rtol: Option<f64>,
    /// Absolute; `None`: by dtype.
    pub atol: Option<f64>,
    /// Judge by signal-to-noise ratio in dB instead.
    pub sqnr: Option<f64>,
}

/// How a tensor compares with its golden one.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Within tolerance.
    pub ok: bool,
    /// Greatest absolute difference of finite elements.
    pub max_abs: f64,
    /// `10 log10(sum(golden^2) / sum((golden - got)^2))`; infinite where equal, absent in JSON then.
    pub sqnr: Option<f64>,
    /// The first element out of tolerance, or how shape or dtype differ.
    pub mismatch: Option<String>,
}

impl Tolerance {
    /// rtol and atol for a dtype (cli.md's defaults).
    fn bounds(&self, dtype: DType) -> (f64, f64) {
        let (rtol, atol) = match dtype {
            DType::F16 => (3e-3, 3e-3),
            DType::BF16 => (1e-2, 1e-2),
            _ => (1e-4, 1e-5),
        };
        (self.rtol.unwrap_or(rtol), self.atol.unwrap_or(atol))
    }
}

/// Compares logically, element by element: equal NaN and infinity places, and values within tolerance.
pub fn compare(got: &TensorData, golden: &TensorData, tolerance: &Tolerance) -> Comparison {
    if got.dtype() != golden.dtype() || got.sizes() != golden.sizes() {
        let mismatch = format!("found {got:?}, expected {golden:?}");
        return Comparison {
            ok: false,
            max_abs: f64::INFINITY,
            sqnr: None,
            mismatch: Some(mismatch),
        };
    }
    let (rtol, atol) = tolerance.bounds(golden.dtype());
    let (mut max_abs, mut signal, mut noise) = (0f64, 0f64, 0f64);
    let (mut mismatch, mut special) = (None, false);
    for (i, (a, b)) in got.scalars().zip(golden.scalars()).enumerate() {
        let (a, b) = (a.as_f64(), b.as_f64());
        let same = a == b || (a.is_nan() && b.is_nan());
        let finite = a.is_finite() && b.is_finite();
        if finite {
            max_abs = max_abs.max((a - b).abs());
            signal += b * b;
            noise += (a - b) * (a - b);
        }
        special |= !same && !finite;
        if mismatch.is_none() && !same && !(finite && (a - b).abs() <= atol + rtol * b.abs()) {
            mismatch = Some(format!("element {i}: found {a}, expected {b}"));
        }
    }
    let sqnr = if noise == 0.0 {
        f64::INFINITY
    } else {
        10.0 * (signal / noise).log10()
    };
    let ok = match tolerance.sqnr {
        Some(least) => !special && sqnr >= least,
        None => mismatch.is_none(),
    };
    Comparison {
        ok,
        max_abs,
        sqnr: sqnr.is_finite().then_some(sqnr),
        mismatch: if ok {
            None
        } else {
            mismatch.or(Some(format!("SQNR {sqnr:.1} dB")))
        },
    }
}
