//! Fake quantisation: elements are rounded to the grid of a quantisation, clamped, and scaled back.
//!
//! Models that are trained with rounded weights and activations hold these ops until they are converted. Where the parameters are known,
//! the rounding is one by way of integers, so that layers can compute with these.

use super::quantised::{Rounding, known_integer, rounded};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| one(in_own_dtype(cx, a)?[0]),
        &[
            "aten.fake_quantize_per_tensor_affine.default(self, scale, zero_point, quant_min, quant_max)",
            "aten.fake_quantize_per_tensor_affine.tensor_qparams(self, scale, zero_point, quant_min, quant_max)",
            "aten.fake_quantize_per_channel_affine.default(self, scale, zero_point, axis, quant_min, quant_max)",
        ],
    ),
    Row::new(
        // PT2E casts what it takes to f32 first, so the result is f32 whatever the operand's dtype.
        |cx, a| one(fake_quantized(cx, &Call::of(cx, a, &PT2E)?)?[0]),
        &[
            "quantized_decomposed.fake_quant_per_channel.default(input, scales, zero_points, axis, quant_min, quant_max)",
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
    Row::new(
        |cx, a| Ok(observed(cx, a)?.into_iter().take(1).collect()),
        &[
            "aten.fused_moving_avg_obs_fake_quant.default(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant=False, symmetric_quant=False)",
        ],
    ),
    Row::new(
        observed,
        &[
            "aten._fused_moving_avg_obs_fq_helper.default(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant=False, symmetric_quant=False)",
        ],
    ),
    Row::new(
        |cx, a| {
            let mut results = observed(cx, a)?;
            // The observer is off, so its state is what it was.
            for state in ["running_min", "running_max", "scale", "zero_point"] {
                results.push(a.tensor(state)?.into());
            }
            Ok(results)
        },
        &[
            "aten._fused_moving_avg_obs_fq_helper_functional.default(self, observer_on, fake_quant_on, running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis, per_row_fake_quant=False, symmetric_quant=False)",
        ],
    ),
];

/// How an op calls its operands.
struct Names {
    x: &'static str,
    scale: &'static str,
    zero_point: &'static str,
}

const ATEN: Names = Names {
    x: "self",
    scale: "scale",
    zero_point: "zero_point",
};

const PT2E: Names = Names {
    x: "input",
    scale: "scales",
    zero_point: "zero_points",
};

/// What a call rounds, and how.
struct Call {
    x: ValueId,
    rounding: Rounding,
}

impl Call {
    fn of(cx: &Importer<'_>, a: &Args<'_>, names: &Names) -> Result<Call, Problem> {
        let along = match a.has("axis") {
            true => Some(a.int("axis")?),
            false => None,
        };
        Call::along(cx, a, names, along)
    }

    /// As [`Call::of`], with the axis along which scales differ.
    fn along(
        cx: &Importer<'_>,
        a: &Args<'_>,
        names: &Names,
        along: Option<i64>,
    ) -> Result<Call, Problem> {
        let x = a.tensor(names.x)?;
        if !cx.dtype(x).is_float() {
            return Err(Problem::unsupported("takes floats"));
        }
        let rank = cx.rank(x);
        let rounding = Rounding {
            scale: a.operand(names.scale)?,
            zero_point: a.operand(names.zero_point)?,
            range: [a.int("quant_min")?, a.int("quant_max")?],
            axis: along.map(|i| axis(i, rank)).transpose()?,
        };
        Ok(Call { x, rounding })
    }
}

/// The result in the operand's dtype, and a mask that is true where nothing was clamped.
fn in_own_dtype(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<[ValueId; 2], Problem> {
    let call = Call::of(cx, a, &ATEN)?;
    let own = cx.dtype(call.x);
    let [result, inside] = fake_quantized(cx, &call)?;
    Ok([cx.cast(result, own)?, inside])
}

fn with_mask(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let found = in_own_dtype(cx, a)?;
    let x = a.tensor(ATEN.x)?;
    let found = match a.has("fake_quant_enabled") {
        true => where_enabled(cx, a.tensor("fake_quant_enabled")?, x, found)?,
        false => found,
    };
    Ok(found.into_iter().map(Into::into).collect())
}

/// The result and the mask of a module that observes ranges, which is switched off.
fn observed(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    if known_integer(cx, &a.operand("observer_on")?) != Some(0) {
        let why = "observes ranges while it runs: switch observers off before the export, by \
            `model.apply(torch.ao.quantization.disable_observer)`, or convert the model";
        return Err(Problem::unsupported(why));
    }
    let along = match a.bool("per_row_fake_quant")? {
        true => Some(a.int("ch_axis")?),
        false => None,
    };
    let call = Call::along(cx, a, &ATEN, along)?;
    let own = cx.dtype(call.x);
    let [result, inside] = fake_quantized(cx, &call)?;
    let found = [cx.cast(result, own)?, inside];
    let found = where_enabled(cx, a.tensor("fake_quant_on")?, call.x, found)?;
    Ok(found.into_iter().map(Into::into).collect())
}

/// The result and the mask if a switch is on, else the operand and a mask that is true.
fn where_enabled(
    cx: &mut Importer<'_>,
    switch: ValueId,
    x: ValueId,
    [result, inside]: [ValueId; 2],
) -> Result<[ValueId; 2], Problem> {
    if known_integer(cx, &Operand::Tensor(switch)).is_some_and(|on| on != 0) {
        return Ok([result, inside]);
    }
    let enabled = cx.cast(switch, DType::Bool)?;
    let enabled = cx.with_rank(enabled, cx.rank(x))?;
    let disabled = cx.unary(Simple::BitNot, enabled)?;
    let result = cx.select(enabled, result, x)?;
    let inside = cx.binary(BinaryFn::BitOr, inside, disabled)?;
    Ok([result, inside])
}

/// The result in f32, and a mask that is true where nothing was clamped.
fn fake_quantized(cx: &mut Importer<'_>, call: &Call) -> Result<[ValueId; 2], Problem> {
    let [result, inside] = arithmetic(cx, call)?;
    let x = cx.cast(call.x, DType::F32)?;
    let by_integers = rounded(cx, x, &call.rounding)?;
    Ok([by_integers.unwrap_or(result), inside])
}

/// The result in f32, and the mask, by the arithmetic of PyTorch's kernels.
fn arithmetic(cx: &mut Importer<'_>, call: &Call) -> Result<[ValueId; 2], Problem> {
    let Call { x, rounding } = call;
    let scale = parameter(cx, *x, rounding, &rounding.scale, "scale")?;
    let zero = parameter(cx, *x, rounding, &rounding.zero_point, "zero point")?;
    let unit = cx.scalar_like(Scalar::Int(1), scale);
    let inverse = cx.binary(BinaryFn::Div, unit, scale)?;
    let wide = cx.cast(*x, DType::F32)?;
    let steps = cx.mul(wide, inverse)?;
    let steps = cx.unary(Simple::Round, steps)?;
    let place = cx.add(steps, zero)?;
    let [low, high] = rounding
        .range
        .map(|bound| cx.scalar_like(Scalar::Int(bound), place));
    let clamped = cx.binary(BinaryFn::Max, place, low)?;
    let clamped = cx.binary(BinaryFn::Min, clamped, high)?;
    let inside = cx.compare(CompareFn::Eq, clamped, place)?;
    let steps = cx.sub(clamped, zero)?;
    Ok([cx.mul(steps, scale)?, inside])
}

/// A scale or zero point in f32, with the rank of `x`: one number, or one for each index of the axis.
fn parameter(
    cx: &mut Importer<'_>,
    x: ValueId,
    rounding: &Rounding,
    operand: &Operand,
    name: &str,
) -> Result<ValueId, Problem> {
    let rank = cx.rank(x);
    let Some(along) = rounding.axis else {
        let value = cx.materialise(operand, DType::F32, rank)?;
        return match cx.shape(value).iter().all(|size| size.is(1)) {
            true => Ok(value),
            false => Err(Problem::unsupported(format!("one {name} for all elements"))),
        };
    };
    let value = cx.materialise(operand, DType::F32, 1)?;
    let others: Vec<usize> = (0..rank).filter(|&i| i != along).collect();
    cx.unsqueeze(value, &others)
}
