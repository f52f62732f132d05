//! Convolutions whose taps are moved by offsets that the model computes (Dai et al., "Deformable Convolutional
//! Networks", 2017; with weights for the taps, Zhu et al., 2018), as torchvision defines them
//! (`torchvision/csrc/ops/cpu/deform_conv2d_kernel.cpp`): the taps are samples of the image, and the rest is a matrix
//! product.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, GridSample, Outside, SampleMode};
use kiln_ir::{Builder, DType, Dim, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(
    deform_conv,
    &[
        "torchvision.deform_conv2d.default(input, weight, offset, mask, bias, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups, use_mask)",
    ],
)];

/// The window along one axis of the image.
struct Axis {
    stride: i64,
    pad: i64,
    dilation: i64,
    taps: i64,
    /// The size of the image and the number of windows.
    size: Dim,
    windows: Dim,
}

fn deform_conv(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let [image, weight, offset] = [a.tensor("input")?, a.tensor("weight")?, a.tensor("offset")?];
    let fits = [image, weight, offset]
        .iter()
        .all(|&v| cx.rank(v) == 4 && cx.dtype(v).is_float());
    let known = [2, 3].map(|axis| cx.shape(weight).get(axis).and_then(Dim::as_const));
    let (true, [Some(high), Some(wide)]) = (fits, known) else {
        return Err(Problem::unsupported(
            "takes an image, weights and offsets of floats of rank 4, and windows of known size",
        ));
    };
    let axis = |axis: usize, taps, [stride, pad, dilation]: [&'static str; 3]| {
        Ok::<_, Problem>(Axis {
            stride: a.int(stride)?,
            pad: a.int(pad)?,
            dilation: a.int(dilation)?,
            taps,
            size: cx.size(image, axis)?,
            windows: cx.size(offset, axis)?,
        })
    };
    let axes = [
        axis(2, high, ["stride_h", "pad_h", "dilation_h"])?,
        axis(3, wide, ["stride_w", "pad_w", "dilation_w"])?,
    ];
    let [groups, parts] = [a.int("groups")?, a.int("offset_groups")?];
    let mask = match a.bool("use_mask")? {
        true => Some(a.tensor("mask")?),
        false => None,
    };
    // Places are between pixels, of which halves cannot count many.
    let own = cx.dtype(image);
    let wide = if own == DType::F64 { own } else { DType::F32 };
    let [image, offset] = [cx.cast(image, wide)?, cx.cast(offset, wide)?];
    let mask = mask.map(|mask| cx.cast(mask, wide)).transpose()?;
    let columns = columns(cx, [image, offset], mask, &axes, parts)?;
    let columns = cx.cast(columns, own)?;
    let result = product(cx, columns, weight, groups)?;
    let [batch, channels] = [cx.size(image, 0)?, cx.size(weight, 0)?];
    let bias = cx.reshape(a.tensor("bias")?, &[1.into(), channels.clone(), 1.into()])?;
    let result = cx.add(result, bias)?;
    let [down, across] = axes.map(|axis| axis.windows);
    one(cx.reshape(result, &[batch, channels, down, across])?)
}

/// The taps of all windows: `[n, c * taps, windows]`. `parts` parts of the channels have offsets of their own.
fn columns(
    cx: &mut Importer<'_>,
    [image, offset]: [ValueId; 2],
    mask: Option<ValueId>,
    axes: &[Axis; 2],
    parts: i64,
) -> Result<ValueId, Problem> {
    let (batch, parts) = (cx.size(image, 0)?, Dim::constant(parts));
    let channels = cx.size(image, 1)?;
    let Some(each) = channels.exact_div(&parts) else {
        return Err(Problem::unsupported(
            "takes groups of equal numbers of channels",
        ));
    };
    let taps = Dim::constant(axes[0].taps * axes[1].taps);
    let windows = axes[0].windows.clone() * axes[1].windows.clone();
    let images = batch.clone() * parts;
    let [high, wide] = [axes[0].size.clone(), axes[1].size.clone()];
    let image = cx.reshape(image, &[images.clone(), each.clone(), high, wide])?;
    let split = [
        images.clone(),
        taps.clone(),
        2.into(),
        axes[0].windows.clone(),
        axes[1].windows.clone(),
    ];
    let offset = cx.reshape(offset, &split)?;
    // The grid has the coordinate of the last axis first.
    let mut grid = Vec::new();
    for at in [1, 0] {
        let moved = cx.slice(offset, 2, at as i64, 1, 1)?;
        let moved = cx.squeeze(moved, &[2])?;
        grid.push(coordinate(cx, moved, axes, at)?);
    }
    let grid = cx.concat(&grid, 3)?;
    let op = GridSample {
        mode: SampleMode::Linear,
        outside: Outside::Zeros,
        align_corners: false,
    };
    let mut samples = cx.value(op, &[image, grid])?;
    if let Some(mask) = mask {
        let mask = cx.reshape(mask, &[images, 1.into(), taps.clone(), windows.clone()])?;
        samples = cx.mul(samples, mask)?;
    }
    cx.reshape(samples, &[batch, channels * taps, windows])
}

/// The places of the taps along axis `at`, from -1 to 1 between the image's outer edges: `[n, taps, windows, 1]`.
/// `moved` is `[n, taps, windows down, windows across]`.
fn coordinate(
    cx: &mut Importer<'_>,
    moved: ValueId,
    axes: &[Axis; 2],
    at: usize,
) -> Result<ValueId, Problem> {
    let (axis, dtype) = (&axes[at], cx.dtype(moved));
    let window = cx.iota(&axis.windows, dtype)?;
    let window = cx.with(BinaryFn::Mul, window, axis.stride as f64)?;
    let window = cx.with(BinaryFn::Sub, window, axis.pad as f64)?;
    let window = cx.unsqueeze(window, if at == 0 { &[0, 1, 3] } else { &[0, 1, 2] })?;
    let tap = cx.iota(axis.taps, dtype)?;
    let tap = cx.with(BinaryFn::Mul, tap, axis.dilation as f64)?;
    let tap = cx.unsqueeze(tap, if at == 0 { &[1] } else { &[0] })?;
    let taps = axes.each_ref().map(|axis| Dim::constant(axis.taps));
    let all = taps.iter().cloned().product::<Dim>();
    let tap = cx.broadcast(tap, taps.to_vec().into())?;
    let tap = cx.reshape(tap, &[1.into(), all.clone(), 1.into(), 1.into()])?;
    let place = cx.add(window, tap)?;
    let place = cx.add(place, moved)?;
    let place = cx.with(BinaryFn::Mul, place, 2.0)?;
    let place = cx.with(BinaryFn::Add, place, 1.0)?;
    let size = cx.dim(&axis.size, dtype, 4)?;
    let place = cx.binary(BinaryFn::Div, place, size)?;
    let place = cx.with(BinaryFn::Sub, place, 1.0)?;
    let images = cx.size(moved, 0)?;
    let windows = axes[0].windows.clone() * axes[1].windows.clone();
    cx.reshape(place, &[images, all, windows, 1.into()])
}

/// The products of the weights and the taps, by group: `[n, channels, windows]`.
fn product(
    cx: &mut Importer<'_>,
    columns: ValueId,
    weight: ValueId,
    groups: i64,
) -> Result<ValueId, Problem> {
    let shape = cx.shape(weight);
    let (channels, groups) = (shape[0].clone(), Dim::constant(groups));
    let Some(each) = channels.exact_div(&groups) else {
        return Err(Problem::unsupported(
            "takes groups of equal numbers of channels",
        ));
    };
    let depth: Dim = shape[1..].iter().cloned().product();
    let [batch, windows] = [cx.size(columns, 0)?, cx.size(columns, 2)?];
    let weight = cx.reshape(weight, &[1.into(), groups.clone(), each, depth.clone()])?;
    let columns = cx.reshape(columns, &[batch.clone(), groups, depth, windows.clone()])?;
    let result = cx.matmul(weight, columns)?;
    cx.reshape(result, &[batch, channels, windows])
}
