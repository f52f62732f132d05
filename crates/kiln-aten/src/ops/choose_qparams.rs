//! Quantisation parameters chosen from data: scale and zero point from the least and the greatest element.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::Returns;
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, ReduceFn, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        per_tensor,
        &["quantized_decomposed.choose_qparams.tensor(input, quant_min, quant_max, eps, dtype)"],
    ),
    Row::new(
        symmetric_per_tensor,
        &[
            "quantized_decomposed.choose_qparams_symmetric.tensor(input, quant_min, quant_max, eps, dtype)",
        ],
    ),
    Row::new(
        symmetric_per_token,
        &["quantized_decomposed.choose_qparams_per_token.default(input, dtype)"],
    ),
    Row::new(
        asymmetric_per_token,
        &[
            "quantized_decomposed.choose_qparams_per_token_asymmetric.default(input, dtype)",
            "quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default(input, dtype)",
        ],
    ),
    Row::new(
        by_block,
        &[
            "torchao.choose_qparams_affine.default(input, mapping_type, block_size, target_dtype, quant_min=None, quant_max=None, eps=None, scale_dtype=None, zero_point_dtype=None, keepdim=False)",
        ],
    ),
];

/// The lesser of the least element and 0, and the greater of the greatest element and 0, over axes that stay with size
/// 1.
fn extent(cx: &mut Importer<'_>, x: ValueId, axes: &[usize]) -> Result<[ValueId; 2], Problem> {
    let least = cx.reduce(ReduceFn::Min, x, axes, true)?;
    let greatest = cx.reduce(ReduceFn::Max, x, axes, true)?;
    let zero = cx.scalar_like(Scalar::Float(0.0), x);
    Ok([
        cx.binary(BinaryFn::Min, least, zero)?,
        cx.binary(BinaryFn::Max, greatest, zero)?,
    ])
}

fn at_least(cx: &mut Importer<'_>, x: ValueId, min: f64) -> Result<ValueId, Problem> {
    let (min, max) = (Some(Scalar::Float(min)), None);
    cx.unary(UnaryFn::Clamp { min, max }, x)
}

fn within(cx: &mut Importer<'_>, x: ValueId, range: (i64, i64)) -> Result<ValueId, Problem> {
    let (min, max) = (Some(Scalar::Int(range.0)), Some(Scalar::Int(range.1)));
    cx.unary(UnaryFn::Clamp { min, max }, x)
}

fn over(cx: &mut Importer<'_>, x: ValueId, by: f64) -> Result<ValueId, Problem> {
    cx.with(BinaryFn::Div, x, by)
}

/// The scale: `(greatest - least) / steps`, at least `eps`.
fn affine_scale(
    cx: &mut Importer<'_>,
    [least, greatest]: [ValueId; 2],
    range: (i64, i64),
    eps: f64,
) -> Result<ValueId, Problem> {
    let span = cx.sub(greatest, least)?;
    let scale = over(cx, span, range.1.saturating_sub(range.0) as f64)?;
    at_least(cx, scale, eps)
}

/// The zero point: `min - round(least / scale)`, clamped to the range of the stored integers.
fn affine_zero_point(
    cx: &mut Importer<'_>,
    least: ValueId,
    scale: ValueId,
    range: (i64, i64),
) -> Result<ValueId, Problem> {
    let steps = cx.binary(BinaryFn::Div, least, scale)?;
    let steps = cx.unary(Simple::Round, steps)?;
    let start = cx.scalar_like(Scalar::Int(range.0), steps);
    let zero_point = cx.sub(start, steps)?;
    within(cx, zero_point, range)
}

/// The symmetric scale: the greatest absolute value divided by half the steps, at least `eps`.
fn symmetric_scale(
    cx: &mut Importer<'_>,
    [least, greatest]: [ValueId; 2],
    range: (i64, i64),
    eps: f64,
) -> Result<ValueId, Problem> {
    let below = cx.unary(Simple::Neg, least)?;
    let reach = cx.binary(BinaryFn::Max, below, greatest)?;
    let scale = over(cx, reach, range.1.saturating_sub(range.0) as f64 / 2.0)?;
    at_least(cx, scale, eps)
}

fn given_range(a: &Args<'_>) -> Result<(i64, i64), Problem> {
    let range = (a.int("quant_min")?, a.int("quant_max")?);
    if range.0 >= range.1 {
        return Err(Problem::unsupported(format!(
            "the range {}..={}",
            range.0, range.1
        )));
    }
    Ok(range)
}

/// Scale (f64) and zero point (i64), both of shape `[1]`.
fn of_tensor(
    cx: &mut Importer<'_>,
    scale: ValueId,
    zero_point: ValueId,
) -> Result<Returns, Problem> {
    let scale = cx.cast(scale, DType::F64)?;
    let zero_point = cx.cast(zero_point, DType::I64)?;
    let (scale, zero_point) = (cx.flatten(scale)?, cx.flatten(zero_point)?);
    Ok(vec![scale.into(), zero_point.into()])
}

fn all_axes(cx: &Importer<'_>, x: ValueId) -> Vec<usize> {
    (0..cx.rank(x)).collect()
}

fn per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, range) = (a.tensor("input")?, given_range(a)?);
    let axes = all_axes(cx, x);
    let extent = extent(cx, x, &axes)?;
    let scale = affine_scale(cx, extent, range, a.float("eps")?)?;
    let zero_point = affine_zero_point(cx, extent[0], scale, range)?;
    of_tensor(cx, scale, zero_point)
}

fn symmetric_per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, range) = (a.tensor("input")?, given_range(a)?);
    let axes = all_axes(cx, x);
    let extent = extent(cx, x, &axes)?;
    let scale = symmetric_scale(cx, extent, range, a.float("eps")?)?;
    let middle = match a.optional_dtype("dtype")? {
        Some(DType::U8) => 128,
        _ => 0,
    };
    let zero_point = cx.scalar_like(Scalar::Int(middle), scale);
    of_tensor(cx, scale, zero_point)
}

fn last_axis(cx: &Importer<'_>, x: ValueId) -> Result<Vec<usize>, Problem> {
    match cx.rank(x) {
        0 => Err(Problem::unsupported("a scalar has no tokens")),
        rank => Ok(vec![rank - 1]),
    }
}

fn symmetric_per_token(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("input")?;
    if a.optional_dtype("dtype")? != Some(DType::I8) {
        return Err(Problem::unsupported("scales by token are for i8"));
    }
    let axes = last_axis(cx, x)?;
    let size = cx.unary(Simple::Abs, x)?;
    let mut reach = cx.reduce(ReduceFn::Max, size, &axes, true)?;
    if cx.dtype(reach) == DType::F16 {
        reach = cx.cast(reach, DType::F32)?;
    }
    let reach = at_least(cx, reach, 1e-5)?;
    let scale = over(cx, reach, 127.0)?;
    let zero = cx.scalar_like(Scalar::Int(0), scale);
    let (shape, dtype) = (cx.shape(scale), cx.dtype(scale));
    // The program declares f64 and i64; the runtime's kernel gives the operand's dtype.
    let declared = |i: usize| a.declared(i).map_or(dtype, |ty| ty.dtype);
    let (scale_dtype, zero_dtype) = (declared(0), declared(1));
    let zero_point = cx.broadcast(zero, shape)?;
    let scale = cx.cast(scale, scale_dtype)?;
    Ok(vec![scale.into(), cx.cast(zero_point, zero_dtype)?.into()])
}

/// XNNPACK's zero point: computed from the end of the range at which the error is less.
fn asymmetric_per_token(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("input")?;
    let (range, axes) = ((-128, 127), last_axis(cx, x)?);
    let extent = extent(cx, x, &axes)?;
    let scale = affine_scale(cx, extent, range, f64::from(f32::EPSILON))?;
    let least = cx.binary(BinaryFn::Div, extent[0], scale)?;
    let greatest = cx.binary(BinaryFn::Div, extent[1], scale)?;
    let (min, max) = (
        cx.scalar_like(Scalar::Int(range.0), scale),
        cx.scalar_like(Scalar::Int(range.1), scale),
    );
    let (low, high) = (cx.add(min, least)?, cx.add(max, greatest)?);
    let error = cx.add(low, high)?;
    let by_least = cx.compare_with(CompareFn::Gt, error, 0i64)?;
    let (from_least, from_greatest) = (cx.sub(min, least)?, cx.sub(max, greatest)?);
    let zero_point = cx.select(by_least, from_least, from_greatest)?;
    let zero_point = within(cx, zero_point, range)?;
    let zero_point = cx.unary(Simple::Round, zero_point)?;
    let scale = cx.cast(scale, DType::F64)?;
    Ok(vec![scale.into(), cx.cast(zero_point, DType::I64)?.into()])
}

/// The operand with an axis for its blocks, and the axes of a block, which are reduced.
fn blocked(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<(ValueId, Vec<usize>), Problem> {
    let (x, blocks) = (a.tensor("input")?, a.dims("block_size")?);
    if blocks.len() != cx.rank(x) {
        return Err(Problem::unsupported("a block size for each axis"));
    }
    let (mut shape, mut axes) = (Vec::new(), Vec::new());
    for (i, block) in blocks.iter().enumerate() {
        let size = cx.size(x, i)?;
        if *block != size && !block.is(1) {
            shape.push(size.floor_div(block));
            shape.push(block.clone());
            axes.push(shape.len() - 1);
        } else {
            shape.push(size);
            if !block.is(1) {
                axes.push(shape.len() - 1);
            }
        }
    }
    Ok((cx.reshape(x, &shape)?, axes))
}

/// The least positive normal number.
fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::F64 => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

fn block_range(a: &Args<'_>) -> Result<(i64, i64), Problem> {
    let stored = a.optional_dtype("target_dtype")?.and_then(DType::int_range);
    let (least, greatest) = stored.ok_or_else(|| Problem::unsupported("stores integers"))?;
    let min = a
        .optional_scalar("quant_min")?
        .map_or(least, Scalar::as_i64);
    let max = a
        .optional_scalar("quant_max")?
        .map_or(greatest, Scalar::as_i64);
    if min >= max {
        return Err(Problem::unsupported(format!("the range {min}..={max}")));
    }
    Ok((min, max))
}

/// Scale and zero point of each block, over axes that stay with size 1.
fn block_parameters(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    x: ValueId,
    axes: &[usize],
) -> Result<[ValueId; 2], Problem> {
    let (range, dtype) = (block_range(a)?, cx.dtype(x));
    let eps = a.optional_float("eps")?.unwrap_or(smallest_normal(dtype));
    let extent = extent(cx, x, axes)?;
    let scale = match a.text("mapping_type")? {
        "ASYMMETRIC" => {
            let scale = affine_scale(cx, extent, range, eps)?;
            let zero_point = affine_zero_point(cx, extent[0], scale, range)?;
            return Ok([scale, zero_point]);
        }
        "SYMMETRIC" => symmetric_scale(cx, extent, range, eps)?,
        "SYMMETRIC_NO_CLIPPING_ERR" => {
            let below = over(cx, extent[0], range.0 as f64)?;
            let above = over(cx, extent[1], range.1 as f64)?;
            let more = cx.compare(CompareFn::Gt, below, above)?;
            let scale = cx.select(more, below, above)?;
            at_least(cx, scale, eps)?
        }
        other => return Err(Problem::unsupported(format!("mapping_type={other:?}"))),
    };
    // torchao halves the range and truncates toward zero.
    let middle = range.1.saturating_add(range.0).saturating_add(1) / 2;
    let zero = cx.scalar_like(Scalar::Int(middle), scale);
    let shape = cx.shape(scale);
    Ok([scale, cx.broadcast(zero, shape)?])
}

fn by_block(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, axes) = blocked(cx, a)?;
    let mut found = block_parameters(cx, a, x, &axes)?;
    for v in &mut found {
        *v = cx.squeeze(*v, &axes)?;
    }
    if a.bool("keepdim")? {
        let operand = a.tensor("input")?;
        let blocks = a.dims("block_size")?;
        let sizes = blocks.iter().enumerate();
        let counts: Vec<Dim> = sizes
            .map(|(i, b)| Ok(cx.size(operand, i)?.floor_div(b)))
            .collect::<Result<_, Problem>>()?;
        for v in &mut found {
            *v = cx.reshape(*v, &counts)?;
        }
    }
    let own = cx.dtype(x);
    let asymmetric = a.text("mapping_type")? == "ASYMMETRIC";
    let of_scale = a.optional_dtype("scale_dtype")?.unwrap_or(own);
    let other = if asymmetric { DType::I32 } else { of_scale };
    let of_zero = a.optional_dtype("zero_point_dtype")?.unwrap_or(other);
    let scale = cx.cast(found[0], of_scale)?;
    let zero_point = cx.cast(found[1], of_zero)?;
    Ok(vec![scale.into(), zero_point.into()])
}
