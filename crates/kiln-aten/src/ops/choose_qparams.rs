//! Quantisation parameters chosen from data: scale and zero point from the least and the greatest element.

use super::quantised::trailing;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::chosen::Choice;
use crate::importer::returns::Returns;
use crate::importer::row::Row;
use kiln_ir::dynamic_quant::parameters;
use kiln_ir::ops::{BinaryFn, ReduceFn, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Dim, DynamicQuant, Mapping, Scalar, ValueId};

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
fn of_tensor(cx: &mut Importer<'_>, a: &Args<'_>, mapping: Mapping) -> Result<Returns, Problem> {
    let (x, (min, max)) = (a.tensor("input")?, given_range(a)?);
    let quant = DynamicQuant {
        axes: cx.rank(x),
        mapping,
        min,
        max,
        eps: a.float("eps")?,
        scale: kept_scale(cx.dtype(x), DType::F64),
        zero_point_first: false,
    };
    let axes: Vec<usize> = (0..cx.rank(x)).collect();
    let [scale, zero_point] = parameters(cx, x, &axes, &quant)?;
    let zero_point = match (mapping, a.optional_dtype("dtype")?) {
        (Mapping::Asymmetric, _) => zero_point,
        // The zero point of unsigned integers is 128, whatever their range is.
        (_, Some(DType::U8)) => cx.scalar_like(Scalar::Int(128), scale),
        _ => cx.scalar_like(Scalar::Int(0), scale),
    };
    let scale = cx.cast(scale, DType::F64)?;
    let zero_point = cx.cast(zero_point, DType::I64)?;
    let (scale, zero_point) = (cx.flatten(scale)?, cx.flatten(zero_point)?);
    let blocks = cx.shape(x).to_vec();
    // Symmetric parameters of a fake quantisation have their zero point in the middle of the range.
    let is_middle = a.optional_dtype("dtype")? == Some(DType::I8) && (min + max + 1) / 2 == 0;
    if mapping == Mapping::Asymmetric || is_middle {
        note(cx, x, scale, zero_point, &blocks, quant);
    }
    Ok(vec![scale.into(), zero_point.into()])
}

/// Remembers parameters, so that a quantisation and a dequantisation with them are known for a fake quantisation.
fn note(
    cx: &mut Importer<'_>,
    x: ValueId,
    scale: ValueId,
    zero_point: ValueId,
    blocks: &[Dim],
    quant: DynamicQuant,
) {
    let Some(axes) = trailing(&cx.shape(x), blocks) else {
        return;
    };
    let quant = DynamicQuant { axes, ..quant };
    let choice = Choice {
        x,
        zero_point,
        quant,
    };
    cx.chosen.note_scale(scale, choice);
}

/// The dtype in which scales are kept; wider dtypes give the same reciprocals as that of `x`, if it is no half.
fn kept_scale(x: DType, scale: DType) -> DType {
    match (x, scale) {
        (DType::F32, DType::F64) => DType::F32,
        (_, own) => own,
    }
}

fn per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    of_tensor(cx, a, Mapping::Asymmetric)
}

fn symmetric_per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    of_tensor(cx, a, Mapping::Symmetric)
}

fn last_axis(cx: &Importer<'_>, x: ValueId) -> Result<Vec<usize>, Problem> {
    match cx.rank(x) {
        0 => Err(Problem::unsupported("a scalar has no tokens")),
        rank => Ok(vec![rank - 1]),
    }
}

/// The block sizes of parameters by row.
fn rows(cx: &Importer<'_>, x: ValueId) -> Vec<Dim> {
    let mut blocks = vec![Dim::constant(1); cx.rank(x)];
    if let (Some(block), Some(size)) = (blocks.last_mut(), cx.shape(x).last()) {
        *block = size.clone();
    }
    blocks
}

/// The least greatest magnitude of a row.
const LEAST_REACH: f32 = 1e-5;

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
    let least = (Some(Scalar::Float(LEAST_REACH.into())), None);
    let reach = cx.unary(
        UnaryFn::Clamp {
            min: least.0,
            max: least.1,
        },
        reach,
    )?;
    let scale = cx.with(BinaryFn::Div, reach, 127.0)?;
    let zero = cx.scalar_like(Scalar::Int(0), scale);
    let (shape, dtype) = (cx.shape(scale), cx.dtype(scale));
    // The program declares f64 and i64; the runtime's kernel gives the operand's dtype.
    let declared = |i: usize| a.declared(i).map_or(dtype, |ty| ty.dtype);
    let (scale_dtype, zero_dtype) = (declared(0), declared(1));
    let zero_point = cx.broadcast(zero, shape)?;
    let scale = cx.cast(scale, scale_dtype)?;
    let zero_point = cx.cast(zero_point, zero_dtype)?;
    if cx.dtype(x) == DType::F32 {
        let quant = DynamicQuant {
            axes: 1,
            mapping: Mapping::SymmetricByEnd,
            min: -127,
            max: 127,
            eps: f64::from(LEAST_REACH / 127.0),
            scale: kept_scale(DType::F32, scale_dtype),
            zero_point_first: false,
        };
        let blocks = rows(cx, x);
        note(cx, x, scale, zero_point, &blocks, quant);
    }
    Ok(vec![scale.into(), zero_point.into()])
}

/// XNNPACK's zero point: computed from the end of the range at which the error is less.
fn asymmetric_per_token(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("input")?;
    let axes = last_axis(cx, x)?;
    let quant = DynamicQuant {
        axes: 1,
        mapping: Mapping::AsymmetricNearer,
        min: -128,
        max: 127,
        eps: f64::from(f32::EPSILON),
        scale: kept_scale(cx.dtype(x), DType::F64),
        zero_point_first: false,
    };
    let [scale, zero_point] = parameters(cx, x, &axes, &quant)?;
    let scale = cx.cast(scale, DType::F64)?;
    let zero_point = cx.cast(zero_point, DType::I64)?;
    let blocks = rows(cx, x);
    note(cx, x, scale, zero_point, &blocks, quant);
    Ok(vec![scale.into(), zero_point.into()])
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

/// How a call chooses parameters; the number of axes is that of a row.
fn block_quant(cx: &Importer<'_>, a: &Args<'_>, x: ValueId) -> Result<DynamicQuant, Problem> {
    let ((min, max), dtype) = (block_range(a)?, cx.dtype(x));
    let mapping = match a.text("mapping_type")? {
        "ASYMMETRIC" => Mapping::Asymmetric,
        "SYMMETRIC" => Mapping::Symmetric,
        "SYMMETRIC_NO_CLIPPING_ERR" => Mapping::SymmetricUnclipped,
        other => return Err(Problem::unsupported(format!("mapping_type={other:?}"))),
    };
    let scale = a.optional_dtype("scale_dtype")?.unwrap_or(dtype);
    Ok(DynamicQuant {
        axes: 1,
        mapping,
        min,
        max,
        eps: a.optional_float("eps")?.unwrap_or(smallest_normal(dtype)),
        scale: kept_scale(dtype, scale),
        zero_point_first: false,
    })
}

fn by_block(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (operand, blocks) = (a.tensor("input")?, a.dims("block_size")?);
    let (x, axes) = blocked(cx, a)?;
    let quant = block_quant(cx, a, x)?;
    let mut found = parameters(cx, x, &axes, &quant)?;
    for v in &mut found {
        *v = cx.squeeze(*v, &axes)?;
    }
    if a.bool("keepdim")? {
        let sizes = blocks.iter().enumerate();
        let counts: Vec<Dim> = sizes
            .map(|(i, b)| Ok(cx.size(operand, i)?.floor_div(b)))
            .collect::<Result<_, Problem>>()?;
        for v in &mut found {
            *v = cx.reshape(*v, &counts)?;
        }
    }
    let of_scale = a.optional_dtype("scale_dtype")?.unwrap_or(cx.dtype(x));
    let other = match quant.mapping {
        Mapping::Asymmetric => DType::I32,
        _ => of_scale,
    };
    let of_zero = a.optional_dtype("zero_point_dtype")?.unwrap_or(other);
    let scale = cx.cast(found[0], of_scale)?;
    let zero_point = cx.cast(found[1], of_zero)?;
    note(cx, operand, scale, zero_point, &blocks, quant);
    Ok(vec![scale.into(), zero_point.into()])
}
