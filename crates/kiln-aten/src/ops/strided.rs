//! Ops on computed positions: strided views, sliding windows, and the sum of windows.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{Index, IndexPut, PadMode};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        as_strided,
        &["aten.as_strided.default(self, size, stride, storage_offset=None)"],
    ),
    Row::new(
        unfold,
        &["aten.unfold.default(self, dimension, size, step)"],
    ),
    Row::new(
        im2col,
        &["aten.im2col.default(self, kernel_size, dilation, padding, stride)"],
    ),
    Row::new(
        col2im,
        &["aten.col2im.default(self, output_size, kernel_size, dilation, padding, stride)"],
    ),
];

/// The positions `start + i * s + j * t + ..` of shape `[sizes..]`, from pairs of size and stride.
pub(crate) fn positions(
    cx: &mut Importer<'_>,
    terms: &[(Dim, Dim)],
    start: &Dim,
) -> Result<ValueId, Problem> {
    let rank = terms.len();
    let negative = |n: &Dim| cx.symbols().less_equal(&0.into(), n) == Some(false);
    if let Some((size, _)) = terms.iter().find(|(n, _)| negative(n)) {
        return Err(Problem::unsupported(format!(
            "{size} elements along an axis"
        )));
    }
    let mut total = cx.dim(start, DType::I64, 0)?;
    total = cx.with_rank(total, rank)?;
    for (axis, (size, stride)) in terms.iter().enumerate() {
        let units: Vec<usize> = (0..rank).filter(|&i| i != axis).collect();
        let iota = cx.iota(size, DType::I64)?;
        let mut term = cx.unsqueeze(iota, &units)?;
        if !stride.is(1) {
            let stride = cx.dim(stride, DType::I64, 0)?;
            term = cx.mul(term, stride)?;
        }
        total = cx.add(total, term)?;
    }
    Ok(total)
}

/// A strided view of the storage. The tensor must be row-major and begin its storage, so that it is the storage.
fn as_strided(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (variable, x) = (a.variable("self")?, a.tensor("self")?);
    if cx.is_contiguous(variable) == Some(false) || cx.is_view(variable) {
        return Err(Problem::unsupported(
            "strides within the memory of a view; make it contiguous first",
        ));
    }
    let (sizes, strides) = (a.dims("size")?, a.dims("stride")?);
    if sizes.len() != strides.len() {
        return Err(Problem::unsupported("as many strides as sizes"));
    }
    let start = a.optional_dim("storage_offset")?.unwrap_or(0.into());
    let reach = sizes.iter().zip(&strides).map(|(n, s)| (n - 1) * s);
    let last = reach.fold(start.clone(), |sum, r| sum + r);
    let count = cx.shape(x).elements();
    if !sizes.iter().any(|n| n.is(0)) && cx.symbols().less_equal(&count, &last) == Some(true) {
        return Err(Problem::unsupported(format!(
            "reads position {last} of {count} elements"
        )));
    }
    let terms: Vec<(Dim, Dim)> = sizes.into_iter().zip(strides).collect();
    let index = positions(cx, &terms, &start)?;
    let flat = cx.flatten(x)?;
    one(cx.value(Index::new(0), &[flat, index])?)
}

/// The windows of `size` elements along an axis.
struct Windows {
    count: Dim,
    size: i64,
    step: i64,
    dilation: i64,
}

impl Windows {
    /// The positions of windows, `[size, count]` or `[count, size]`.
    fn positions(&self, cx: &mut Importer<'_>, size_first: bool) -> Result<ValueId, Problem> {
        let mut terms = [
            (Dim::constant(self.size), Dim::constant(self.dilation)),
            (self.count.clone(), Dim::constant(self.step)),
        ];
        if !size_first {
            terms.reverse();
        }
        positions(cx, &terms, &0.into())
    }
}

/// The windows along an axis, with a window's elements on a new last axis.
fn unfold(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut x = a.tensor("self")?;
    if cx.rank(x) == 0 {
        x = cx.unsqueeze(x, &[0])?;
    }
    let along = axis(a.int("dimension")?, cx.rank(x))?;
    let (size, step) = (a.int("size")?, a.int("step")?);
    if size < 0 || step < 1 {
        return Err(Problem::unsupported(format!(
            "windows of {size} in steps of {step}"
        )));
    }
    let windows = Windows {
        count: (cx.size(x, along)? - size).floor_div(&step.into()) + 1,
        size,
        step,
        dilation: 1,
    };
    let index = windows.positions(cx, false)?;
    let windows = cx.value(Index::new(along), &[x, index])?;
    let rank = cx.rank(windows);
    let others = (0..rank).filter(|&i| i != along + 1);
    let order: Vec<usize> = others.chain([along + 1]).collect();
    one(cx.permute(windows, &order)?)
}

/// The attributes of `im2col` and `col2im`, for height and width.
struct Grid {
    kernel: Vec<i64>,
    dilation: Vec<i64>,
    padding: Vec<i64>,
    stride: Vec<i64>,
}

impl Grid {
    fn of(a: &Args<'_>) -> Result<Grid, Problem> {
        let grid = Grid {
            kernel: a.spatial("kernel_size", 2)?,
            dilation: a.spatial("dilation", 2)?,
            padding: a.spatial("padding", 2)?,
            stride: a.spatial("stride", 2)?,
        };
        let positive = grid.kernel.iter().chain(&grid.dilation).chain(&grid.stride);
        if positive.chain(&[1]).any(|&v| v < 1) || grid.padding.iter().any(|&v| v < 0) {
            return Err(Problem::unsupported(
                "kernel, dilation and stride are at least 1",
            ));
        }
        Ok(grid)
    }

    /// The windows along height (0) or width (1) of a padded image.
    fn windows(&self, i: usize, padded: &Dim) -> Windows {
        let extent = self.dilation[i].saturating_mul(self.kernel[i] - 1);
        Windows {
            count: (padded - extent - 1).floor_div(&self.stride[i].into()) + 1,
            size: self.kernel[i],
            step: self.stride[i],
            dilation: self.dilation[i],
        }
    }
}

/// An image with a batch axis, and whether it had one.
fn batched(cx: &mut Importer<'_>, x: ValueId, rank: usize) -> Result<(ValueId, bool), Problem> {
    match cx.rank(x) {
        r if r == rank => Ok((x, true)),
        r if r + 1 == rank => Ok((cx.unsqueeze(x, &[0])?, false)),
        r => Err(Problem::unsupported(format!(
            "takes rank {rank}, found {r}"
        ))),
    }
}

fn unbatched(cx: &mut Importer<'_>, x: ValueId, batched: bool) -> Result<Returns, Problem> {
    one(if batched { x } else { cx.squeeze(x, &[0])? })
}

/// The windows of an image as columns: `[n, c * kh * kw, windows]`.
fn im2col(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let grid = Grid::of(a)?;
    let (x, had_batch) = batched(cx, a.tensor("self")?, 4)?;
    let pads = [0, 0, grid.padding[0], grid.padding[1]].map(Dim::constant);
    let zero = PadMode::Constant(Scalar::Int(0));
    let padded = cx.pad(x, pads.to_vec(), pads.to_vec(), zero)?;
    let (height, width) = (cx.size(padded, 2)?, cx.size(padded, 3)?);
    let rows = grid.windows(0, &height).positions(cx, true)?;
    let columns = grid.windows(1, &width).positions(cx, true)?;
    let wide = cx.value(Index::new(3), &[padded, columns])?;
    let all = cx.value(Index::new(2), &[wide, rows])?;
    // n c kh oh kw ow
    let ordered = cx.permute(all, &[0, 1, 2, 4, 3, 5])?;
    let s = cx.shape(ordered);
    let taps = &(&s[1] * &s[2]) * &s[3];
    let columns = cx.reshape(ordered, &[s[0].clone(), taps, &s[4] * &s[5]])?;
    unbatched(cx, columns, had_batch)
}

/// The sum of columns at the positions from which `im2col` takes them: `[n, c, h, w]`.
fn col2im(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let grid = Grid::of(a)?;
    let (x, had_batch) = batched(cx, a.tensor("self")?, 3)?;
    let sizes = a.dims("output_size")?;
    let [height, width] = sizes.as_slice() else {
        return Err(Problem::unsupported("takes height and width"));
    };
    let border = |i: usize| Dim::constant(grid.padding[i]) * 2;
    let padded = [height + border(0), width + border(1)];
    let (rows, columns) = (grid.windows(0, &padded[0]), grid.windows(1, &padded[1]));
    let (kh, kw) = (Dim::constant(rows.size), Dim::constant(columns.size));
    let (batch, channels) = (cx.size(x, 0)?, cx.size(x, 1)?.floor_div(&(&kh * &kw)));
    let windows = [&batch, &channels, &kh, &kw, &rows.count, &columns.count].map(Clone::clone);
    let windows = cx.reshape(x, &windows)?;
    // Both indices take the shape kh kw oh ow.
    let inner = Shape::from(&cx.shape(windows)[2..]);
    let row = rows.positions(cx, true)?;
    let row = cx.unsqueeze(row, &[1, 3])?;
    let row = cx.broadcast(row, inner.clone())?;
    let column = columns.positions(cx, true)?;
    let column = cx.unsqueeze(column, &[0, 2])?;
    let column = cx.broadcast(column, inner)?;
    let [tall, wide] = padded;
    let dtype = cx.dtype(x);
    let empty = cx.full(
        &Shape::from(vec![batch, channels, tall, wide]),
        dtype,
        Scalar::Int(0),
    )?;
    let put = IndexPut {
        axis: 2,
        accumulate: true,
    };
    let image = cx.value(put, &[empty, windows, row, column])?;
    let image = cx.slice(image, 2, grid.padding[0], height, 1)?;
    let image = cx.slice(image, 3, grid.padding[1], width, 1)?;
    unbatched(cx, image, had_batch)
}
