//! Fake quantisation: elements are rounded to the grid of a quantisation, clamped, and scaled back.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| one(fake_quantized(cx, a)?[0]),
        &[
            "aten.fake_quantize_per_tensor_affine.default(self, scale, zero_point, quant_min, quant_max)",
            "aten.fake_quantize_per_tensor_affine.tensor_qparams(self, scale, zero_point, quant_min, quant_max)",
            "aten.fake_quantize_per_channel_affine.default(self, scale, zero_point, axis, quant_min, quant_max)",
        ],
    ),
    Row::new(
        with_mask,
        &[
            "aten.fake_quantize_per_tensor_affine_cachemask.default(self, scale, zero_point, quant_min, quant_max)",
            "aten.fake_quantize_per_channel_affine_cachemask.default(self, scale, zero_point, axis, quant_min, quant_max)",
            "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default(self, scale, zero_point, fake_quant_enabled, quant_min, quant_max)",
        ],
    ),
];

/// The result, and a mask that is true where nothing was clamped.
fn with_mask(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let [result, inside] = fake_quantized(cx, a)?;
    if !a.has("fake_quant_enabled") {
        return Ok(vec![result.into(), inside.into()]);
    }
    let enabled = cx.cast(a.tensor("fake_quant_enabled")?, DType::Bool)?;
    let enabled = cx.with_rank(enabled, cx.rank(x))?;
    let disabled = cx.unary(Simple::BitNot, enabled)?;
    let result = cx.select(enabled, result, x)?;
    let inside = cx.binary(BinaryFn::BitOr, inside, disabled)?;
    Ok(vec![result.into(), inside.into()])
}

fn fake_quantized(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<[ValueId; 2], Problem> {
    let x = a.tensor("self")?;
    if !cx.dtype(x).is_float() {
        return Err(Problem::unsupported("takes floats"));
    }
    let (scale, zero) = (
        parameter(cx, a, x, "scale")?,
        parameter(cx, a, x, "zero_point")?,
    );
    let unit = cx.scalar_like(Scalar::Int(1), scale);
    let inverse = cx.binary(BinaryFn::Div, unit, scale)?;
    let wide = cx.cast(x, DType::F32)?;
    let steps = cx.mul(wide, inverse)?;
    let steps = cx.unary(Simple::Round, steps)?;
    let place = cx.add(steps, zero)?;
    let (min, max) = (a.int("quant_min")?, a.int("quant_max")?);
    let [low, high] = [min, max].map(|bound| cx.scalar_like(Scalar::Int(bound), place));
    let clamped = cx.binary(BinaryFn::Max, place, low)?;
    let clamped = cx.binary(BinaryFn::Min, clamped, high)?;
    let inside = cx.compare(CompareFn::Eq, clamped, place)?;
    let steps = cx.sub(clamped, zero)?;
    let result = cx.mul(steps, scale)?;
    let own = cx.dtype(x);
    Ok([cx.cast(result, own)?, inside])
}

/// A scale or zero point in f32, with the rank of `x`: one number, or one for each index of the axis.
fn parameter(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    name: &'static str,
) -> Result<ValueId, Problem> {
    let rank = cx.rank(x);
    if !a.has("axis") {
        let value = a.operand(name)?;
        let value = cx.materialise(&value, DType::F32, rank)?;
        return match cx.shape(value).iter().all(|size| size.is(1)) {
            true => Ok(value),
            false => Err(Problem::unsupported(format!("one {name} for all elements"))),
        };
    }
    let along = axis(a.int("axis")?, rank)?;
    let value = cx.cast(a.tensor(name)?, DType::F32)?;
    let others: Vec<usize> = (0..rank).filter(|&i| i != along).collect();
    cx.unsqueeze(value, &others)
}
