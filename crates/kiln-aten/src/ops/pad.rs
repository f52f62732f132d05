//! Padding.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::PadMode;
use kiln_ir::{Builder, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        pad,
        &["aten.pad.default(self, pad, mode=\"constant\", value=None)"],
    ),
    Row::new(
        constant_pad,
        &["aten.constant_pad_nd.default(self, pad, value=0)"],
    ),
    Row::new(
        |cx, a| padded(cx, a, "padding", PadMode::Reflect),
        &[
            "aten.reflection_pad1d.default(self, padding)",
            "aten.reflection_pad2d.default(self, padding)",
            "aten.reflection_pad3d.default(self, padding)",
        ],
    ),
    Row::new(
        |cx, a| padded(cx, a, "padding", PadMode::Replicate),
        &[
            "aten.replication_pad1d.default(self, padding)",
            "aten.replication_pad2d.default(self, padding)",
            "aten.replication_pad3d.default(self, padding)",
        ],
    ),
    Row::new(
        |cx, a| padded(cx, a, "pad", PadMode::Circular),
        &["aten._pad_circular.default(self, pad)"],
    ),
];

fn pad(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let value = a.optional_scalar("value")?;
    let mode = pad_mode(a.text("mode")?, value.unwrap_or(Scalar::Int(0)))?;
    padded(cx, a, "pad", mode)
}

/// The pad mode of that PyTorch name. `value` is the value of a constant mode.
pub(super) fn pad_mode(name: &str, value: Scalar) -> Result<PadMode, Problem> {
    match name {
        "constant" => Ok(PadMode::Constant(value)),
        "reflect" => Ok(PadMode::Reflect),
        "replicate" => Ok(PadMode::Replicate),
        "circular" => Ok(PadMode::Circular),
        other => Err(Problem::unsupported(format!("mode={other:?}"))),
    }
}

fn constant_pad(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    padded(cx, a, "pad", PadMode::Constant(a.scalar("value")?))
}

/// The padding before and behind each axis, from PyTorch's list, which begins with the last axis.
fn by_axis(pad: &[Dim], rank: usize) -> Result<(Vec<Dim>, Vec<Dim>), Problem> {
    if !pad.len().is_multiple_of(2) || pad.len() / 2 > rank {
        return Err(Problem::unsupported(format!(
            "{} pad sizes for rank {rank}",
            pad.len()
        )));
    }
    let (mut low, mut high) = (vec![Dim::constant(0); rank], vec![Dim::constant(0); rank]);
    for (i, pair) in pad.chunks_exact(2).enumerate() {
        (low[rank - 1 - i], high[rank - 1 - i]) = (pair[0].clone(), pair[1].clone());
    }
    Ok((low, high))
}

fn padded(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    name: &'static str,
    mode: PadMode,
) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let (low, high) = by_axis(&a.dims(name)?, cx.rank(x))?;
    let positive = |cx: &Importer<'_>, pads: &[Dim]| -> Vec<Dim> {
        pads.iter()
            .map(|p| cx.symbols().greater(p, &0.into()))
            .collect()
    };
    let (more_low, more_high) = (positive(cx, &low), positive(cx, &high));
    // A constant mode does not read the elements that a negative size drops; the other modes do.
    if matches!(mode, PadMode::Constant(_)) {
        let x = cropped(cx, x, &low, &high)?;
        return one(cx.pad(x, more_low, more_high, mode)?);
    }
    let x = cx.pad(x, more_low, more_high, mode)?;
    one(cropped(cx, x, &low, &high)?)
}

/// Drops the elements that negative sizes ask to drop.
fn cropped(
    cx: &mut Importer<'_>,
    mut x: ValueId,
    low: &[Dim],
    high: &[Dim],
) -> Result<ValueId, Problem> {
    for (axis, (low, high)) in low.iter().zip(high).enumerate() {
        let less = |p: &Dim| cx.symbols().greater(&-p, &0.into());
        let (before, behind) = (less(low), less(high));
        let len = cx.size(x, axis)? - &before - behind;
        x = cx.slice(x, axis, &before, &len, 1)?;
    }
    Ok(x)
}
