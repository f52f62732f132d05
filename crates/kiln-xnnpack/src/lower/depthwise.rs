//! Depthwise convolutions that read nothing beside their window: one of the library's, or a sum of several ([`cover`]).
//!
//! Windows of 1 or 2 taps have no parts. They are extended by taps so far away that these see only padding. Where no
//! size is known, or nothing lies beside a tap, they are products with each tap's vector, which are summed.

use super::cover::{Part, cover, halves, is_tile, shares};
use super::pool::{Window, out_size};
use super::slices::{Pads, Range};
use super::window::padding;
use super::window_sum::{self, Count};
use super::{Lowering, Problem};
use crate::payload::{BinaryOp, Clamp, ConvKind, ConvParams, Datatype, ValueId as Tensor, XnnOp};
use crate::weights;
use kiln_ir::{DType, Dim, Shape, TensorData};
use kiln_transforms::framework::target::Reason;

/// How a window is computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Plan {
    /// By one kernel.
    Whole,
    /// By one kernel with additional taps, which see only padding.
    Filled([Window; 2]),
    /// By one kernel for each part.
    Parts(Vec<Cut>),
    /// By one product for each tap.
    Taps(Vec<Cut>),
}

/// A part of a window, as a window on an image without the rows and columns that the part never reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cut {
    part: Part,
    shares: Vec<f32>,
    windows: [Window; 2],
    /// By axis, the number of rows or columns that are cut at its start and at its end.
    away: [[u32; 2]; 2],
}

/// A depthwise convolution: its window, and its weights `[1, height, width, channels]`.
pub(super) struct Depthwise<'a> {
    pub(super) windows: [Window; 2],
    pub(super) filter: &'a TensorData,
    pub(super) bias: Option<Tensor>,
    pub(super) clamp: Option<Clamp>,
}

/// The library's kernel that moves a window over each channel by itself.
pub(super) fn kernel_of_channels(windows: [Window; 2], channels: u32) -> (ConvKind, ConvParams) {
    let [h, w] = windows;
    let params = ConvParams {
        padding: padding(windows),
        kernel: [h.kernel, w.kernel],
        stride: [h.stride, w.stride],
        dilation: [h.dilation, w.dilation],
        groups: channels,
        group_input_channels: 1,
        group_output_channels: 1,
        adjustment: [0, 0],
    };
    (ConvKind::Depthwise, params)
}

/// How to compute a window of this kind on an input of that shape (`[n, c, ..]`), such that nothing beside it is read.
///
/// # Errors
/// If that needs sizes that are not known, or the window is too large. A single kernel would then read beside the
/// window.
pub(crate) fn plan(windows: [Window; 2], shape: &Shape) -> Result<Plan, Reason> {
    let kernel = windows.map(|w| w.kernel);
    if kernel[0].checked_mul(kernel[1]).is_some_and(is_tile) {
        return Ok(Plan::Whole);
    }
    if let Some(filled) = filled(windows, shape).filter(|_| !is_scale(windows)) {
        return Ok(Plan::Filled(filled));
    }
    if let Some(parts) = cover(kernel, places(windows, shape)) {
        let found = cuts(windows, shape, &parts).or_else(|reason| match halves(kernel) {
            Some(parts) => cuts(windows, shape, &parts),
            None => Err(reason),
        });
        return found.map(Plan::Parts);
    }
    if kernel[0].saturating_mul(kernel[1]) > 2 {
        let rule = "a depthwise window has at most 1024 taps";
        return Err(Reason::new(rule, format!("{kernel:?}")));
    }
    if windows.iter().any(|w| w.stride > 1) && shape.as_static().is_none() && shape.rank() > 3 {
        let rule = "so small a window with strides sees known sizes";
        return Err(Reason::new(rule, format!("{shape:?}")));
    }
    let taps: Vec<Part> = (0..kernel[0])
        .flat_map(|y| (0..kernel[1]).map(move |x| [y, x]))
        .map(|start| Part {
            start,
            taps: [1, 1],
        })
        .collect();
    Ok(Plan::Taps(cuts(windows, shape, &taps)?))
}

/// The places to which a window is moved in an image of that shape. An unknown size counts as many.
fn places(windows: [Window; 2], shape: &Shape) -> u64 {
    let one = Dim::constant(1);
    let of_axis = |axis: usize| {
        let size = shape.get(axis + 2).unwrap_or(&one);
        let places = out_size(size, &windows[axis]).as_const();
        places
            .and_then(|n| u64::try_from(n).ok())
            .unwrap_or(u64::MAX)
    };
    of_axis(0).saturating_mul(of_axis(1))
}

/// True if each element depends on one input element only. A product does that faster than a convolution (measured).
fn is_scale(windows: [Window; 2]) -> bool {
    let is_one = |w: Window| (w.kernel, w.stride, w.low, w.high) == (1, 1, 0, 0);
    windows.into_iter().all(is_one)
}

/// A window of 1 or 2 taps, extended to 3 or 4 along an axis with one tap and a known size. The additional taps are as
/// far apart as the padded image is long.
fn filled(windows: [Window; 2], shape: &Shape) -> Option<[Window; 2]> {
    let taps = match windows.map(|w| w.kernel) {
        [1, 1] => 3,
        [1, 2] | [2, 1] => 2,
        _ => return None,
    };
    let fill = |axis: usize| {
        let window = windows[axis];
        let one = Dim::constant(1);
        let size = shape.get(axis + 2).unwrap_or(&one).as_const()?;
        let apart = u32::try_from(size).ok()?.checked_add(window.low)?.max(1);
        let beyond = apart.checked_mul(taps - 1)?;
        let mut filled = windows;
        filled[axis] = Window {
            kernel: taps,
            high: window.high.checked_add(beyond)?,
            dilation: apart,
            ..window
        };
        Some(filled)
    };
    let axes = [1, 0].into_iter().filter(|&axis| windows[axis].kernel == 1);
    axes.filter_map(fill).next()
}

/// The weights of a part in f32, in which a share of a weight is exact.
fn part_filter(conv: &Depthwise<'_>, cut: &Cut) -> Result<TensorData, Problem> {
    let filter = weights::cast(conv.filter, DType::F32);
    let Part { start, taps } = cut.part;
    let part = weights::part(&filter, start, taps, &cut.shares);
    Ok(part.ok_or("weights of other sizes than the window's")?)
}

fn cuts(windows: [Window; 2], shape: &Shape, parts: &[Part]) -> Result<Vec<Cut>, Reason> {
    let shares = shares(windows.map(|w| w.kernel), parts);
    let mut cuts = Vec::new();
    for (part, shares) in parts.iter().zip(shares) {
        cuts.extend(cut(windows, shape, *part, shares)?);
    }
    if cuts.is_empty() {
        return Err(Reason::new(
            "a window sees more than padding",
            format!("{windows:?}"),
        ));
    }
    Ok(cuts)
}

/// `None` for taps that see only padding.
fn cut(
    windows: [Window; 2],
    shape: &Shape,
    part: Part,
    shares: Vec<f32>,
) -> Result<Option<Cut>, Reason> {
    let mut cut = Cut {
        part,
        shares,
        windows,
        away: [[0; 2]; 2],
    };
    for (axis, window) in windows.into_iter().enumerate() {
        let apart = i64::from(window.dilation);
        let (start, taps) = (part.start[axis], part.taps[axis]);
        let behind = window.kernel - start - taps;
        let low = i64::from(window.low) - i64::from(start) * apart;
        let high = i64::from(window.high) - i64::from(behind) * apart;
        let away = [low, high].map(|pad| (-pad).max(0));
        if away != [0; 2] {
            let one = Dim::constant(1);
            let size = shape.get(axis + 2).unwrap_or(&one);
            let Some(size) = size.as_const() else {
                let rule = "a depthwise window beyond the padding sees known sizes";
                return Err(Reason::new(rule, format!("{shape:?}")));
            };
            if size <= away[0] + away[1] {
                return Ok(None);
            }
        }
        cut.away[axis] = away.map(|n| n as u32);
        cut.windows[axis] = Window {
            kernel: taps,
            low: low.max(0) as u32,
            high: high.max(0) as u32,
            ..window
        };
    }
    Ok(Some(cut))
}

impl Lowering<'_> {
    /// Convolves each channel of `input`, an image of that shape, with its own window.
    pub(super) fn depthwise(
        &mut self,
        conv: &Depthwise<'_>,
        shape: &Shape,
        input: Tensor,
        output: Tensor,
    ) -> Result<(), Problem> {
        // Kernels of f16 drop NaN anyway.
        let keeps_nan = self.tensors.datatype(input) == Datatype::Fp32;
        let plan = plan(conv.windows, shape).ok().filter(|_| keeps_nan);
        match plan.unwrap_or(Plan::Whole) {
            Plan::Whole => {
                let filter = self.tensors.constant(conv.filter)?;
                self.push_depthwise(conv, filter, input, output)
            }
            Plan::Filled(windows) => {
                let filter = weights::cast(conv.filter, DType::F32);
                let taps = windows.map(|w| w.kernel);
                let filter = weights::filled(&filter, taps).ok_or("weights of an image's rank")?;
                let filter = self.tensors.constant(&weights::for_singles(&filter))?;
                let filled = Depthwise { windows, ..*conv };
                self.push_depthwise(&filled, filter, input, output)
            }
            Plan::Parts(cuts) => self.parts(conv, &cuts, input, output),
            Plan::Taps(cuts) => self.taps(conv, &cuts, input, output),
        }
    }

    fn push_depthwise(
        &mut self,
        conv: &Depthwise<'_>,
        filter: Tensor,
        input: Tensor,
        output: Tensor,
    ) -> Result<(), Problem> {
        let channels = self.tensors.dims(input).last().and_then(Dim::as_const);
        let channels = channels.ok_or("channels are not known")?;
        let kernel = kernel_of_channels(conv.windows, channels as u32);
        let op = XnnOp::conv(kernel, [input, filter], conv.bias, output);
        self.push_clamped(op, conv.clamp);
        Ok(())
    }

    fn parts(
        &mut self,
        conv: &Depthwise<'_>,
        cuts: &[Cut],
        input: Tensor,
        output: Tensor,
    ) -> Result<(), Problem> {
        let last = cuts.len() - 1;
        let mut sum: Option<Tensor> = None;
        for (i, cut) in cuts.iter().enumerate() {
            let filter = weights::for_singles(&part_filter(conv, cut)?);
            let filter = self.tensors.constant(&filter)?;
            let from = self.without(input, cut);
            let part = Depthwise {
                windows: cut.windows,
                filter: conv.filter,
                bias: conv.bias.filter(|_| i == 0),
                clamp: conv.clamp.filter(|_| last == 0),
            };
            let made = if last == 0 { output } else { self.like(output) };
            self.push_depthwise(&part, filter, from, made)?;
            let clamp = conv.clamp.filter(|_| i == last);
            sum = Some(self.added(sum, made, output, i == last, clamp));
        }
        Ok(())
    }

    /// Computes the convolution tap by tap, as a sum of the shifted image times the tap's weights.
    fn taps(
        &mut self,
        conv: &Depthwise<'_>,
        cuts: &[Cut],
        input: Tensor,
        output: Tensor,
    ) -> Result<(), Problem> {
        let last = cuts.len() - 1;
        let mut sum: Option<Tensor> = None;
        for (i, cut) in cuts.iter().enumerate() {
            let weights = self.tensors.constant(&part_filter(conv, cut)?)?;
            let from = self.without(input, cut);
            let seen = self.seen(from, output, cut.windows)?;
            let (is_last, bias) = (i == last, conv.bias.filter(|_| i == 0));
            let is_all = last == 0 && bias.is_none();
            let made = if is_all { output } else { self.like(output) };
            let clamp = conv.clamp.filter(|_| is_all);
            self.push_pair(BinaryOp::Multiply, [seen, weights], made, clamp);
            let clamp = conv.clamp.filter(|_| is_last);
            let made = match bias {
                Some(bias) => self.added(Some(made), bias, output, last == 0, clamp),
                None => made,
            };
            sum = Some(self.added(sum, made, output, is_last, clamp));
        }
        Ok(())
    }

    /// `before + made`, in `output` if it is the last sum; `made` itself if there is no sum before it.
    pub(super) fn added(
        &mut self,
        before: Option<Tensor>,
        made: Tensor,
        output: Tensor,
        is_last: bool,
        clamp: Option<Clamp>,
    ) -> Tensor {
        let Some(before) = before else { return made };
        let to = if is_last { output } else { self.like(output) };
        self.push_pair(BinaryOp::Add, [before, made], to, clamp);
        to
    }

    pub(super) fn push_pair(
        &mut self,
        op: BinaryOp,
        inputs: [Tensor; 2],
        output: Tensor,
        clamp: Option<Clamp>,
    ) {
        let flags = 0;
        self.push_clamped(
            XnnOp::Binary {
                op,
                inputs,
                output,
                flags,
            },
            clamp,
        );
    }

    /// The image without the rows and columns that a part never reads.
    fn without(&mut self, input: Tensor, cut: &Cut) -> Tensor {
        let mut ranges = Vec::with_capacity(2);
        for (axis, [low, high]) in cut.away.into_iter().enumerate() {
            let (dim, start) = (axis + 1, i64::from(low));
            let size = self.tensors.dims(input)[dim].as_const();
            let left = |size: i64| size - start - i64::from(high);
            ranges.extend(size.map(left).map(|len| Range { dim, start, len }));
        }
        self.tensors.sliced(input, &ranges)
    }

    /// The input elements that windows of one element read: as many as `output` has.
    fn seen(
        &mut self,
        input: Tensor,
        output: Tensor,
        windows: [Window; 2],
    ) -> Result<Tensor, Problem> {
        if windows.iter().any(|w| w.stride > 1) {
            let picked = self.like(output);
            let stages = window_sum::stages(windows, Count::Once).ok_or("a window of one")?;
            self.window_sum(input, picked, &stages, 1.0)?;
            return Ok(picked);
        }
        let pads = [0, 1].map(|axis: usize| Pads {
            dim: axis + 1,
            pads: [windows[axis].low, windows[axis].high],
        });
        Ok(self.tensors.padded(input, &pads))
    }
}
