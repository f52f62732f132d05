//! Resizing in the modes that the core op `resize` does not have: exact nearest neighbours, and antialiasing.
//!
//! Each axis is resized alone: by a gather, or by a product with a matrix of weights.

use super::resize::{factors, output_size};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Index, Linear, Simple};
use kiln_ir::{Builder, DType, Dim, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        nearest_exact,
        &[
            "aten._upsample_nearest_exact1d.vec(input, output_size, scale_factors)",
            "aten._upsample_nearest_exact2d.vec(input, output_size, scale_factors)",
            "aten._upsample_nearest_exact3d.vec(input, output_size, scale_factors)",
            "aten._upsample_nearest_exact1d.default(self, output_size, scales=None)",
            "aten._upsample_nearest_exact2d.default(self, output_size, scales_h=None, scales_w=None)",
            "aten._upsample_nearest_exact3d.default(self, output_size, scales_d=None, scales_h=None, scales_w=None)",
        ],
    ),
    Row::new(
        |cx, a| antialiased(cx, a, &LINEAR),
        &[
            "aten._upsample_bilinear2d_aa.vec(input, output_size, align_corners, scale_factors)",
            "aten._upsample_bilinear2d_aa.default(self, output_size, align_corners, scales_h=None, scales_w=None)",
        ],
    ),
    Row::new(
        |cx, a| antialiased(cx, a, &CUBIC),
        &[
            "aten._upsample_bicubic2d_aa.vec(input, output_size, align_corners, scale_factors)",
            "aten._upsample_bicubic2d_aa.default(self, output_size, align_corners, scales_h=None, scales_w=None)",
        ],
    ),
];

fn image(a: &Args<'_>) -> Result<ValueId, Problem> {
    a.tensor(if a.has("input") { "input" } else { "self" })
}

fn check_axes(cx: &Importer<'_>, x: ValueId, output: &[Dim]) -> Result<(), Problem> {
    if cx.rank(x) != output.len() + 2 {
        return Err(Problem::unsupported("a size for each spatial axis"));
    }
    Ok(())
}

/// Reads index `floor((i + 0.5) * distance)`, computed in f32 as in PyTorch's kernels.
fn nearest_exact(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut x = image(a)?;
    let scales = factors(a, cx.rank(x).saturating_sub(2))?;
    let output = output_size(cx, a, x, &scales)?;
    check_axes(cx, x, &output)?;
    for (i, size) in output.iter().enumerate() {
        let axis = i + 2;
        let from = cx.size(x, axis)?;
        let factor = scales.get(i).copied().flatten();
        let index = nearest_indices(cx, &from, size, factor)?;
        x = cx.value(Index::new(axis), &[x, index])?;
    }
    one(x)
}

fn nearest_indices(
    cx: &mut Importer<'_>,
    from: &Dim,
    to: &Dim,
    factor: Option<f64>,
) -> Result<ValueId, Problem> {
    let distance = match factor.filter(|&f| f > 0.0) {
        Some(factor) => cx.scalar(1.0 / factor, DType::F32, 1),
        None => {
            let (from, to) = (cx.dim(from, DType::I64, 0)?, cx.dim(to, DType::I64, 0)?);
            let (from, to) = (cx.cast(from, DType::F32)?, cx.cast(to, DType::F32)?);
            let ratio = cx.binary(BinaryFn::Div, from, to)?;
            cx.unsqueeze(ratio, &[0])?
        }
    };
    let place = cx.iota(to, DType::F32)?;
    let half = cx.scalar(0.5, DType::F32, 1);
    let centre = cx.add(place, half)?;
    let at = cx.mul(centre, distance)?;
    let at = cx.unary(Simple::Floor, at)?;
    let index = cx.cast(at, DType::I64)?;
    let last = cx.dim(&(from - 1), DType::I64, 0)?;
    cx.binary(BinaryFn::Min, index, last)
}

/// A filter, and the distance from its centre to its end at scale 1.
struct Filter {
    reach: f32,
    weight: fn(f32) -> f32,
}

const LINEAR: Filter = Filter {
    reach: 1.0,
    weight: |x| (1.0 - x.abs()).max(0.0),
};

/// Keys's cubic filter with `a = -0.5`, which Pillow and PyTorch use where they antialias.
const CUBIC: Filter = Filter {
    reach: 2.0,
    weight: |x| {
        let (a, x) = (-0.5f32, x.abs());
        if x < 1.0 {
            ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
        } else if x < 2.0 {
            (((x - 5.0) * x + 8.0) * x - 4.0) * a
        } else {
            0.0
        }
    },
};

fn antialiased(cx: &mut Importer<'_>, a: &Args<'_>, filter: &Filter) -> Result<Returns, Problem> {
    let x = image(a)?;
    let own = cx.dtype(x);
    if !own.is_float() {
        return Err(Problem::unsupported(
            "antialiased resizing of integers; cast to float first",
        ));
    }
    let scales = factors(a, cx.rank(x).saturating_sub(2))?;
    let output = output_size(cx, a, x, &scales)?;
    check_axes(cx, x, &output)?;
    let corners = a.bool("align_corners")?;
    let mut result = x;
    // PyTorch goes along the last axis first.
    for (i, to) in output.iter().enumerate().rev() {
        let axis = i + 2;
        let from = cx.size(x, axis)?;
        let (Some(from), Some(to)) = (from.as_const(), to.as_const()) else {
            return Err(Problem::unsupported(
                "antialiased resizing of symbolic sizes",
            ));
        };
        let distance = distance(from, to, corners, scales.get(i).copied().flatten());
        let matrix = weights(filter, from, to, distance)?;
        let matrix = cx.literal(matrix);
        let matrix = cx.cast(matrix, own)?;
        let last = cx.rank(x) - 1;
        let turned = cx.transpose(result, axis, last)?;
        let blended = cx.value(Linear {}, &[turned, matrix])?;
        result = cx.transpose(blended, axis, last)?;
    }
    one(result)
}

/// The distance between the positions of neighbouring results, in elements of the operand.
fn distance(from: i64, to: i64, corners: bool, factor: Option<f64>) -> f32 {
    match factor.filter(|&f| f > 0.0) {
        _ if corners && to > 1 => (from - 1) as f32 / (to - 1) as f32,
        _ if corners => 0.0,
        Some(factor) => (1.0 / factor) as f32,
        None => from as f32 / to as f32,
    }
}

/// The matrix of weights `[to, from]`.
fn weights(filter: &Filter, from: i64, to: i64, distance: f32) -> Result<TensorData, Problem> {
    let most = 1 << 26;
    let (Ok(columns), Ok(rows)) = (usize::try_from(from), usize::try_from(to)) else {
        return Err(Problem::unsupported("a negative size"));
    };
    let Some(count) = columns.checked_mul(rows).filter(|&n| n <= most) else {
        return Err(Problem::unsupported(format!(
            "{rows} by {columns} weights; at most {most}"
        )));
    };
    let mut matrix = vec![0f32; count];
    let stretch = distance.max(1.0);
    let support = filter.reach * stretch;
    for (i, row) in matrix.chunks_exact_mut(columns.max(1)).enumerate() {
        let centre = distance * (i as f32 + 0.5);
        let first = ((centre - support + 0.5) as i64).max(0);
        let end = ((centre + support + 0.5) as i64).min(from);
        let taps = first..end.max(first);
        let weight = |j: i64| (filter.weight)((j as f32 - centre + 0.5) / stretch);
        let total: f32 = taps.clone().map(weight).sum();
        for j in taps {
            row[j as usize] = if total == 0.0 { 0.0 } else { weight(j) / total };
        }
    }
    Ok(TensorData::from_f32(vec![rows, columns], &matrix))
}
