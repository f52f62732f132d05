//! Resizing of images.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{Resize, ResizeMode};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| resize(cx, a, ResizeMode::Nearest),
        &[
            "aten.upsample_nearest1d.vec(input, output_size, scale_factors)",
            "aten.upsample_nearest2d.vec(input, output_size, scale_factors)",
            "aten.upsample_nearest3d.vec(input, output_size, scale_factors)",
            "aten.upsample_nearest1d.default(self, output_size, scales=None)",
            "aten.upsample_nearest2d.default(self, output_size, scales_h=None, scales_w=None)",
            "aten.upsample_nearest3d.default(self, output_size, scales_d=None, scales_h=None, scales_w=None)",
        ],
    ),
    Row::new(
        |cx, a| resize(cx, a, ResizeMode::Linear),
        &[
            "aten.upsample_linear1d.vec(input, output_size, align_corners, scale_factors)",
            "aten.upsample_bilinear2d.vec(input, output_size, align_corners, scale_factors)",
            "aten.upsample_trilinear3d.vec(input, output_size, align_corners, scale_factors)",
            "aten.upsample_linear1d.default(self, output_size, align_corners, scales=None)",
            "aten.upsample_bilinear2d.default(self, output_size, align_corners, scales_h=None, scales_w=None)",
            "aten.upsample_trilinear3d.default(self, output_size, align_corners, scales_d=None, scales_h=None, scales_w=None)",
        ],
    ),
    Row::new(
        |cx, a| resize(cx, a, ResizeMode::Cubic),
        &[
            "aten.upsample_bicubic2d.vec(input, output_size, align_corners, scale_factors)",
            "aten.upsample_bicubic2d.default(self, output_size, align_corners, scales_h=None, scales_w=None)",
        ],
    ),
];

/// The scale factors that the user gives, by spatial axis.
pub(super) fn factors(a: &Args<'_>, spatial: usize) -> Result<Vec<Option<f64>>, Problem> {
    if a.has("scale_factors") {
        return Ok(match a.optional_floats("scale_factors")? {
            Some(list) => list.into_iter().map(Some).collect(),
            None => vec![None; spatial],
        });
    }
    let names: &[&'static str] = &["scales", "scales_d", "scales_h", "scales_w"];
    names
        .iter()
        .filter(|name| a.has(name))
        .map(|&name| a.optional_float(name))
        .collect()
}

/// `floor(size * factor)`, exactly. A symbolic size is computed at run time if the program declares no expression for
/// it and the factor is no fraction whose denominator is a small power of two.
fn scaled_size(
    cx: &mut Importer<'_>,
    size: &Dim,
    factor: Option<f64>,
    declared: Option<&Dim>,
) -> Result<Dim, Problem> {
    let factor = factor.ok_or(Problem::Missing("scale_factors"))?;
    if let Some(n) = size.as_const() {
        return Ok(Dim::constant((n as f64 * factor) as i64));
    }
    if let Some((over, under)) = fraction(factor) {
        return Ok((size * over).floor_div(&under.into()));
    }
    if let Some(declared) = declared.filter(|d| cx.is_bound(d)) {
        return Ok(declared.clone());
    }
    let value = cx.dim(size, DType::I64, 0)?;
    let value = cx.cast(value, DType::F64)?;
    let value = cx.scale(value, Scalar::Float(factor))?;
    cx.int_of(value, declared)
}

/// The factor as a fraction whose denominator is a small power of two.
fn fraction(factor: f64) -> Option<(i64, i64)> {
    let whole = |shift: &u32| {
        let over = factor * f64::from(1u32 << shift);
        over.fract() == 0.0 && (0.0..f64::from(1u32 << 24)).contains(&over)
    };
    let shift = (0..=16).find(whole)?;
    let under = 1i64 << shift;
    Some(((factor * under as f64) as i64, under))
}

pub(super) fn output_size(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    scales: &[Option<f64>],
) -> Result<Vec<Dim>, Problem> {
    if let Some(sizes) = a.optional_dims("output_size")? {
        return Ok(sizes);
    }
    let spatial = cx.shape(x);
    let spatial = spatial.iter().skip(2).enumerate();
    spatial
        .map(|(i, size)| {
            let declared = a.declared_shape().and_then(|s| s.get(i + 2));
            scaled_size(cx, size, scales.get(i).copied().flatten(), declared)
        })
        .collect()
}

fn resize(cx: &mut Importer<'_>, a: &Args<'_>, mode: ResizeMode) -> Result<Returns, Problem> {
    let x = a.tensor(if a.has("input") { "input" } else { "self" })?;
    let scales = factors(a, cx.rank(x).saturating_sub(2))?;
    let output = output_size(cx, a, x, &scales)?;
    let op = Resize {
        mode,
        align_corners: a.has("align_corners") && a.bool("align_corners")?,
        output,
        scales,
    };
    one(cx.value(op, &[x])?)
}
