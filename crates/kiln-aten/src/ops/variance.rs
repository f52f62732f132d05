//! Variances, standard deviations and vector norms.

use super::reduce::folded_axes;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use crate::ops::norm::{norm_along, widened};
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| spread(cx, a, false, false),
        &[
            "aten.var.default(self, unbiased=True)",
            "aten.var.dim(self, dim, unbiased=True, keepdim=False)",
            "aten.var.correction(self, dim=None, *, correction=None, keepdim=False)",
        ],
    ),
    Row::new(
        |cx, a| spread(cx, a, true, false),
        &[
            "aten.std.default(self, unbiased=True)",
            "aten.std.dim(self, dim, unbiased=True, keepdim=False)",
            "aten.std.correction(self, dim=None, *, correction=None, keepdim=False)",
        ],
    ),
    Row::new(
        |cx, a| spread(cx, a, false, true),
        &[
            "aten.var_mean.default(self, unbiased=True)",
            "aten.var_mean.dim(self, dim, unbiased=True, keepdim=False)",
            "aten.var_mean.correction(self, dim=None, *, correction=None, keepdim=False)",
        ],
    ),
    Row::new(
        |cx, a| spread(cx, a, true, true),
        &[
            "aten.std_mean.default(self, unbiased=True)",
            "aten.std_mean.dim(self, dim, unbiased=True, keepdim=False)",
            "aten.std_mean.correction(self, dim=None, *, correction=None, keepdim=False)",
        ],
    ),
    Row::new(
        vector_norm,
        &["aten.linalg_vector_norm.default(self, ord=2, dim=None, keepdim=False, *, dtype=None)"],
    ),
    Row::new(
        norm,
        &[
            "aten.norm.Scalar(self, p=2)",
            "aten.norm.ScalarOpt_dim(self, p, dim, keepdim=False)",
            "aten.norm.ScalarOpt_dtype(self, p, *, dtype)",
            "aten.norm.ScalarOpt_dim_dtype(self, p, dim, keepdim=False, *, dtype)",
        ],
    ),
    Row::new(
        frobenius_norm,
        &["aten.frobenius_norm.dim(self, dim, keepdim=False)"],
    ),
];

fn correction(a: &Args<'_>) -> Result<f64, Problem> {
    if a.has("correction") {
        return Ok(a.optional_float("correction")?.unwrap_or(1.0));
    }
    Ok(f64::from(u8::from(a.bool("unbiased")?)))
}

/// `max(count - correction, 0)`, in the dtype and rank of `like`.
fn divisor(
    cx: &mut Importer<'_>,
    count: &Dim,
    correction: f64,
    like: ValueId,
) -> Result<ValueId, Problem> {
    if let Some(n) = count.as_const() {
        return Ok(cx.scalar_like(Scalar::Float((n as f64 - correction).max(0.0)), like));
    }
    let (dtype, rank) = (cx.dtype(like), cx.rank(like));
    let n = cx.dim(count, DType::I64, 0)?;
    let n = cx.cast(n, dtype)?;
    let n = cx.with_rank(n, rank)?;
    let less = cx.scalar_like(Scalar::Float(correction), like);
    let n = cx.sub(n, less)?;
    let zero = cx.scalar_like(Scalar::Int(0), like);
    cx.binary(BinaryFn::Max, n, zero)
}

/// The variance or its square root, and the mean.
fn spread(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    root: bool,
    with_mean: bool,
) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (own, wide) = (cx.dtype(x), widened(cx, x)?);
    let (axes, keep) = folded_axes(cx, a, x)?;
    let correction = correction(a)?;
    let mean = cx.reduce(ReduceFn::Mean, wide, &axes, true)?;
    let centred = cx.sub(wide, mean)?;
    let square = cx.unary(Simple::Square, centred)?;
    let mut found = if correction == 0.0 {
        cx.reduce(ReduceFn::Mean, square, &axes, true)?
    } else {
        let counts = axes.iter().map(|&i| cx.size(x, i));
        let count = counts.product::<Result<Dim, _>>()?;
        let sum = cx.reduce(ReduceFn::Sum, square, &axes, true)?;
        let by = divisor(cx, &count, correction, sum)?;
        cx.binary(BinaryFn::Div, sum, by)?
    };
    if root {
        found = cx.unary(Simple::Sqrt, found)?;
    }
    let mut results = vec![found];
    results.extend(with_mean.then_some(mean));
    results
        .into_iter()
        .map(|v| {
            let v = cx.cast(v, own)?;
            Ok(if keep { v } else { cx.squeeze(v, &axes)? }.into())
        })
        .collect()
}

fn normed(cx: &mut Importer<'_>, a: &Args<'_>, p: f64) -> Result<Returns, Problem> {
    let mut x = a.tensor("self")?;
    if a.has("dtype")
        && let Some(dtype) = a.optional_dtype("dtype")?
    {
        x = cx.cast(x, dtype)?;
    }
    let (axes, keep) = folded_axes(cx, a, x)?;
    one(norm_along(cx, x, p, &axes, keep)?)
}

fn vector_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    normed(cx, a, a.float("ord")?)
}

fn norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    normed(cx, a, a.optional_float("p")?.unwrap_or(2.0))
}

fn frobenius_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    normed(cx, a, 2.0)
}
