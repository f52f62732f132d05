//! Sampling of images at positions that a grid gives, and the grid of an affine map.

use crate::call::error::Problem;
use crate::call::limits;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{GridSample, MatMul, Outside, SampleMode};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        sample,
        &[
            "aten.grid_sampler.default(input, grid, interpolation_mode, padding_mode, align_corners)",
            "aten.grid_sampler_2d.default(input, grid, interpolation_mode, padding_mode, align_corners)",
            "aten.grid_sampler_3d.default(input, grid, interpolation_mode, padding_mode, align_corners)",
        ],
    ),
    Row::new(
        affine_grid,
        &["aten.affine_grid_generator.default(theta, size, align_corners)"],
    ),
];

fn sample(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, grid) = (a.tensor("input")?, a.tensor("grid")?);
    let rank = cx.rank(x);
    if !(4..=5).contains(&rank) || cx.rank(grid) != rank || !cx.dtype(x).is_float() {
        return Err(Problem::unsupported(
            "takes images of floats of rank 4 or 5 and a grid of that rank",
        ));
    }
    let mode = match a.int("interpolation_mode")? {
        0 => SampleMode::Linear,
        1 => SampleMode::Nearest,
        2 if rank == 4 => SampleMode::Cubic,
        other => {
            let found = format!("interpolation_mode {other} of an image of rank {rank}");
            return Err(Problem::unsupported(found));
        }
    };
    let outside = match a.int("padding_mode")? {
        0 => Outside::Zeros,
        1 => Outside::Border,
        2 => Outside::Reflection,
        other => return Err(Problem::unsupported(format!("padding_mode {other}"))),
    };
    let op = GridSample {
        mode,
        outside,
        align_corners: a.bool("align_corners")?,
    };
    one(cx.value(op, &[x, grid])?)
}

fn dim(n: usize) -> Dim {
    Dim::constant(n as i64)
}

/// Positions that are evenly spaced from -1 to 1. The ends are the centres of the first and the last pixel, or their
/// outer edges.
fn spaced(
    cx: &mut Importer<'_>,
    count: &Dim,
    corners: bool,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let Some(n) = count.as_const() else {
        return Err(Problem::unsupported("takes sizes known ahead of time"));
    };
    limits::elements(&[n])?;
    let last = (n - 1).max(1) as f64;
    let shrink = if corners {
        1.0
    } else {
        (n - 1) as f64 / n as f64
    };
    let at = |i: i64| {
        if n == 1 {
            0.0
        } else {
            (2.0 * i as f64 / last - 1.0) * shrink
        }
    };
    let places = (0..n).map(|i| Scalar::Float(at(i)));
    Ok(cx.literal(TensorData::from_scalars(dtype, vec![n as usize], places)))
}

/// The positions of an output's pixels under the maps `theta[n, s, s + 1]`: `[n, .., s]`. Coordinates begin with the
/// last axis.
fn affine_grid(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (theta, size) = (a.tensor("theta")?, a.dims("size")?);
    if !(4..=5).contains(&size.len()) || cx.rank(theta) != 3 {
        return Err(Problem::unsupported(
            "takes sizes of an image of rank 4 or 5 and matrices",
        ));
    }
    let (sizes, dtype, corners) = (&size[2..], cx.dtype(theta), a.bool("align_corners")?);
    let spatial = sizes.len();
    let mut full: Vec<Dim> = sizes.to_vec();
    full.push(1.into());
    let mut columns = Vec::new();
    for i in (0..spatial).rev() {
        let line = spaced(cx, &sizes[i], corners, dtype)?;
        let units: Vec<usize> = (0..=spatial).filter(|&j| j != i).collect();
        let line = cx.unsqueeze(line, &units)?;
        columns.push(cx.broadcast(line, Shape::from(full.clone()))?);
    }
    columns.push(cx.full(&Shape::from(full), dtype, Scalar::Int(1))?);
    let base = cx.concat(&columns, spatial)?;
    let pixels: Dim = sizes.iter().cloned().product();
    let base = cx.reshape(base, &[1.into(), pixels, dim(spatial + 1)])?;
    let maps = cx.transpose(theta, 1, 2)?;
    let places = cx.value(MatMul {}, &[base, maps])?;
    let mut result = vec![cx.size(theta, 0)?];
    result.extend(sizes.iter().cloned());
    result.push(dim(spatial));
    one(cx.reshape(places, &result)?)
}
