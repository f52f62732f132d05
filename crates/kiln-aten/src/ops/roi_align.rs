//! Averages of an image's features over a grid of bins in each region, as torchvision defines them
//! (`torchvision/csrc/ops/cpu/roi_align_kernel.cpp`).
//!
//! A sample interpolates linearly along both axes, so the weight of a pixel is the product of a weight by its row and
//! one by its column. A bin averages samples that form a grid, and the sum over a grid of such products is the product
//! of two sums. So the bins are two matrix products: `rows[bin, y] * image[y, x] * columns[x, bin]`. Only the weights
//! depend on the regions, and they are small.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Dim, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(
    roi_align,
    &[
        "torchvision.roi_align.default(input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned)",
    ],
)];

/// How far from the sample nearest to a pixel others may be that reach it. Where there are several samples in a bin,
/// they are more than half a pixel apart and reach less than a pixel far; one more is for rounding.
const REACH: i64 = 3;

/// How regions are sampled.
struct Sampling {
    scale: f64,
    /// The number of samples along an axis of a bin, or none: as many as the bin has pixels.
    count: Option<i64>,
    /// True if pixels' centres are at halves, and regions may be smaller than a pixel.
    aligned: bool,
}

/// One axis of the image, the size of which the bins share.
struct Axis {
    /// The edges of the regions, `[k, 1]`.
    low: ValueId,
    high: ValueId,
    bins: i64,
    size: Dim,
}

fn roi_align(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (image, regions) = (a.tensor("input")?, a.tensor("rois")?);
    let fits = cx.rank(image) == 4 && cx.rank(regions) == 2 && cx.size(regions, 1)?.is(5);
    let [high, wide] = [a.int("pooled_height")?, a.int("pooled_width")?];
    if !fits || !cx.dtype(image).is_float() || high < 1 || wide < 1 {
        return Err(Problem::unsupported(
            "takes images of floats [n, c, h, w], regions [k, 5] and at least one bin",
        ));
    }
    let own = cx.dtype(image);
    let dtype = if own == DType::F64 { own } else { DType::F32 };
    let (image, regions) = (cx.cast(image, dtype)?, cx.cast(regions, dtype)?);
    let ratio = a.int("sampling_ratio")?;
    let sampling = Sampling {
        scale: a.float("spatial_scale")?,
        count: (ratio > 0).then_some(ratio),
        aligned: a.bool("aligned")?,
    };
    // A region is the index of its image, and `x1, y1, x2, y2`.
    let mut weights = Vec::new();
    for (first, axis, bins) in [(2, 2, high), (1, 3, wide)] {
        let axis = Axis {
            low: cx.slice(regions, 1, first, 1, 1)?,
            high: cx.slice(regions, 1, first + 2, 1, 1)?,
            bins,
            size: cx.size(image, axis)?,
        };
        weights.push(sampling.weights(cx, &axis)?);
    }
    let images = cx.size(image, 0)?;
    let rows = of_image(cx, weights[0], regions, &images)?;
    let pooled = product(cx, image, rows, weights[1])?;
    one(cx.cast(pooled, own)?)
}

impl Sampling {
    /// The weight of each pixel along an axis in each bin: `[k, bins, size]`.
    fn weights(&self, cx: &mut Importer<'_>, axis: &Axis) -> Result<ValueId, Problem> {
        let offset = if self.aligned { -0.5 } else { 0.0 };
        let mut edges = Vec::new();
        for edge in [axis.low, axis.high] {
            let scaled = cx.with(BinaryFn::Mul, edge, self.scale)?;
            let edge = cx.with(BinaryFn::Add, scaled, offset)?;
            edges.push(cx.unsqueeze(edge, &[2, 3])?);
        }
        let mut extent = cx.sub(edges[1], edges[0])?;
        if !self.aligned {
            extent = cx.with(BinaryFn::Max, extent, 1.0)?;
        }
        let bin = cx.with(BinaryFn::Div, extent, axis.bins as f64)?;
        // From here on the axes are region, bin, sample, pixel.
        let numbers = cx.iota(axis.bins, cx.dtype(bin))?;
        let numbers = cx.unsqueeze(numbers, &[0, 2, 3])?;
        let start = cx.mul(numbers, bin)?;
        let start = cx.add(edges[0], start)?;
        let pixels = cx.iota(&axis.size, cx.dtype(bin))?;
        let pixels = cx.unsqueeze(pixels, &[0, 1, 2])?;
        let samples = match self.count {
            Some(count) => Samples::all(cx, bin, count)?,
            None => Samples::near(cx, bin, start, pixels)?,
        };
        samples.weights(cx, [start, bin, pixels], &axis.size)
    }
}

/// The samples of a bin that may reach a pixel.
struct Samples {
    /// Their numbers, which are whole.
    number: ValueId,
    /// The number of samples in the bin, at least 1.
    count: ValueId,
    /// Whether a number is that of a sample, unless all are.
    exists: Option<ValueId>,
}

impl Samples {
    fn all(cx: &mut Importer<'_>, bin: ValueId, count: i64) -> Result<Samples, Problem> {
        let number = cx.iota(count, cx.dtype(bin))?;
        Ok(Samples {
            number: cx.unsqueeze(number, &[0, 1, 3])?,
            count: cx.scalar_like(count as f64, bin),
            exists: None,
        })
    }

    /// Those of a bin with a sample for each pixel: the nearest to each pixel and some beside it.
    fn near(
        cx: &mut Importer<'_>,
        bin: ValueId,
        start: ValueId,
        pixels: ValueId,
    ) -> Result<Samples, Problem> {
        let wanted = cx.unary(Simple::Ceil, bin)?;
        let count = cx.with(BinaryFn::Max, wanted, 1.0)?;
        let step = cx.binary(BinaryFn::Div, bin, count)?;
        let distance = cx.sub(pixels, start)?;
        let nearest = cx.binary(BinaryFn::Div, distance, step)?;
        let nearest = cx.with(BinaryFn::Sub, nearest, 0.5)?;
        let nearest = cx.unary(Simple::Round, nearest)?;
        let last = cx.with(BinaryFn::Sub, count, 1.0)?;
        let nearest = cx.with(BinaryFn::Max, nearest, 0.0)?;
        let nearest = cx.binary(BinaryFn::Min, nearest, last)?;
        let beside = cx.iota(2 * REACH + 1, cx.dtype(bin))?;
        let beside = cx.with(BinaryFn::Sub, beside, REACH as f64)?;
        let beside = cx.unsqueeze(beside, &[0, 1, 3])?;
        let number = cx.add(nearest, beside)?;
        let from = cx.compare_with(CompareFn::Ge, number, 0.0)?;
        // A bin that is empty or turned inside out has no samples.
        let to = cx.compare(CompareFn::Lt, number, wanted)?;
        Ok(Samples {
            number,
            count,
            exists: Some(cx.binary(BinaryFn::BitAnd, from, to)?),
        })
    }

    /// The mean of the samples' weights at each pixel.
    fn weights(
        &self,
        cx: &mut Importer<'_>,
        [start, bin, pixels]: [ValueId; 3],
        size: &Dim,
    ) -> Result<ValueId, Problem> {
        let middle = cx.with(BinaryFn::Add, self.number, 0.5)?;
        let within = cx.mul(middle, bin)?;
        let within = cx.binary(BinaryFn::Div, within, self.count)?;
        let place = cx.add(start, within)?;
        // A sample within a pixel of the image is moved to its border; one further away is 0.
        let size = cx.dim(size, cx.dtype(bin), 4)?;
        let last = cx.with(BinaryFn::Sub, size, 1.0)?;
        let from = cx.compare_with(CompareFn::Ge, place, -1.0)?;
        let to = cx.compare(CompareFn::Le, place, size)?;
        let mut counts = cx.binary(BinaryFn::BitAnd, from, to)?;
        if let Some(exists) = self.exists {
            counts = cx.binary(BinaryFn::BitAnd, counts, exists)?;
        }
        let place = cx.with(BinaryFn::Max, place, 0.0)?;
        let place = cx.binary(BinaryFn::Min, place, last)?;
        let distance = cx.sub(pixels, place)?;
        let distance = cx.unary(Simple::Abs, distance)?;
        let unit = cx.scalar_like(1.0, distance);
        let weight = cx.sub(unit, distance)?;
        let weight = cx.with(BinaryFn::Max, weight, 0.0)?;
        let none = cx.scalar_like(0.0, weight);
        let weight = cx.select(counts, weight, none)?;
        let sum = cx.reduce(ReduceFn::Sum, weight, [2], false)?;
        let count = cx.squeeze(self.count, &[2])?;
        cx.binary(BinaryFn::Div, sum, count)
    }
}

/// The weights of the rows of all images, `[k, bins, n * h]`: 0 but for the region's own image.
fn of_image(
    cx: &mut Importer<'_>,
    rows: ValueId,
    regions: ValueId,
    images: &Dim,
) -> Result<ValueId, Problem> {
    if images.is(1) {
        return Ok(rows);
    }
    let own = cx.slice(regions, 1, 0, 1, 1)?;
    let numbers = cx.iota(images, cx.dtype(regions))?;
    let numbers = cx.unsqueeze(numbers, &[0])?;
    let is_own = cx.compare(CompareFn::Eq, own, numbers)?;
    let is_own = cx.unsqueeze(is_own, &[1, 3])?;
    let [count, bins, size] = three(cx, rows)?;
    let rows = cx.unsqueeze(rows, &[2])?;
    let none = cx.scalar_like(0.0, rows);
    let rows = cx.select(is_own, rows, none)?;
    cx.reshape(rows, &[count, bins, images.clone() * size])
}

fn three(cx: &Importer<'_>, v: ValueId) -> Result<[Dim; 3], Problem> {
    Ok([cx.size(v, 0)?, cx.size(v, 1)?, cx.size(v, 2)?])
}

/// `rows[k, i, n * h]`, the image `[n, c, h, w]` and `columns[k, j, w]` make `[k, c, i, j]`.
fn product(
    cx: &mut Importer<'_>,
    image: ValueId,
    rows: ValueId,
    columns: ValueId,
) -> Result<ValueId, Problem> {
    let [count, high, lines] = three(cx, rows)?;
    let [channels, wide] = [cx.size(image, 1)?, cx.size(image, 3)?];
    let image = cx.permute(image, &[0, 2, 1, 3])?;
    let image = cx.reshape(image, &[lines.clone(), channels.clone() * wide.clone()])?;
    let rows = cx.reshape(rows, &[count.clone() * high.clone(), lines])?;
    let part = cx.matmul(rows, image)?;
    let part = cx.reshape(
        part,
        &[count.clone(), high.clone() * channels.clone(), wide],
    )?;
    let columns = cx.transpose(columns, 1, 2)?;
    let bins = cx.size(columns, 2)?;
    let pooled = cx.matmul(part, columns)?;
    let pooled = cx.reshape(pooled, &[count, high, channels, bins])?;
    cx.permute(pooled, &[0, 2, 1, 3])
}
