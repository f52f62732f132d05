//! Quantisation and dequantisation, in the vocabularies of PT2E (`quantized_decomposed`) and torchao.
//!
//! Known parameters become part of a type: `quantize`, `dequantize`, typed constants. Parameters that are known only at
//! run time, or that no type can hold, become arithmetic: multiply, round, add, clamp, cast ([`integers`]).

mod integers;
mod parameters;

pub(super) use self::integers::{Rounding, rounded, typed};
pub(super) use self::parameters::{known_integer, trailing};

use self::integers::{dequantised, quantised};
use self::parameters::{Blocks, Parameters};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::{Builder, DType, Dim};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        quantize_per_tensor,
        &[
            "quantized_decomposed.quantize_per_tensor.default(input, scale, zero_point, quant_min, quant_max, dtype)",
            "quantized_decomposed.quantize_per_tensor.tensor(input, scale, zero_point, quant_min, quant_max, dtype)",
            "quantized_decomposed.quantize_per_tensor.tensor2(input, scale, zero_point, quant_min, quant_max, dtype)",
        ],
    ),
    Row::new(
        dequantize_per_tensor,
        &[
            "quantized_decomposed.dequantize_per_tensor.default(input, scale, zero_point, quant_min, quant_max, dtype, *, out_dtype=None)",
            "quantized_decomposed.dequantize_per_tensor.tensor(input, scale, zero_point, quant_min, quant_max, dtype, *, out_dtype=None)",
            "quantized_decomposed.dequantize_per_tensor.tensor2(input, scale, zero_point, quant_min, quant_max, dtype, *, out_dtype=None)",
        ],
    ),
    Row::new(
        quantize_per_channel,
        &[
            "quantized_decomposed.quantize_per_channel.default(input, scales, zero_points, axis, quant_min, quant_max, dtype)",
        ],
    ),
    Row::new(
        dequantize_per_channel,
        &[
            "quantized_decomposed.dequantize_per_channel.default(input, scales, zero_points, axis, quant_min, quant_max, dtype, *, out_dtype=None)",
        ],
    ),
    Row::new(
        quantize_per_token,
        &[
            "quantized_decomposed.quantize_per_token.default(input, scales, zero_points, quant_min, quant_max, dtype)",
        ],
    ),
    Row::new(
        dequantize_per_token,
        &[
            "quantized_decomposed.dequantize_per_token.default(input, scales, zero_points, quant_min, quant_max, dtype, output_dtype)",
        ],
    ),
    Row::new(
        quantize_groups,
        &[
            "quantized_decomposed.quantize_per_channel_group.default(input, scales, zero_points, quant_min, quant_max, dtype, group_size=128)",
        ],
    ),
    Row::new(
        dequantize_groups,
        &[
            "quantized_decomposed.dequantize_per_channel_group.default(input, scales, zero_points, quant_min, quant_max, dtype, group_size=128, output_dtype=None)",
        ],
    ),
    Row::new(
        quantize_affine,
        &[
            "torchao.quantize_affine.default(input, block_size, scale, zero_point, output_dtype, quant_min=None, quant_max=None)",
        ],
    ),
    Row::new(
        dequantize_affine,
        &[
            "torchao.dequantize_affine.default(input, block_size, scale, zero_point, input_dtype, quant_min=None, quant_max=None, output_dtype=None)",
        ],
    ),
    Row::new(
        convert,
        &["quantized_decomposed.convert_element_type.no_fuse(input, dtype)"],
    ),
];

/// The range of the stored integers: the given one, or that of the dtype.
fn range(cx: &Importer<'_>, a: &Args<'_>, dtype: DType) -> Result<(i64, i64), Problem> {
    let whole = dtype
        .int_range()
        .ok_or_else(|| Problem::unsupported(format!("stores {dtype}; integers are known")))?;
    let min = bound(cx, a, "quant_min")?.unwrap_or(whole.0);
    let max = bound(cx, a, "quant_max")?.unwrap_or(whole.1);
    if min > max {
        return Err(Problem::unsupported(format!("the range {min}..={max}")));
    }
    Ok((min, max))
}

/// A number, or a tensor of one element that follows from constants; `None` if it is absent.
fn bound(cx: &Importer<'_>, a: &Args<'_>, name: &'static str) -> Result<Option<i64>, Problem> {
    let Some(operand) = a.optional_operand(name)? else {
        return Ok(None);
    };
    match known_integer(cx, &operand) {
        Some(bound) => Ok(Some(bound)),
        None => Err(Problem::unsupported(format!(
            "takes a {name} that is one known integer"
        ))),
    }
}

fn float_dtype(a: &Args<'_>, name: &'static str) -> Result<DType, Problem> {
    Ok(a.optional_dtype(name)?.unwrap_or(DType::F32))
}

/// The parameters, under the names that PT2E gives them. `blocks` says which elements share parameters.
fn parameters(
    cx: &Importer<'_>,
    a: &Args<'_>,
    names: [&'static str; 2],
    stored: DType,
    blocks: Blocks,
) -> Result<Parameters, Problem> {
    let (min, max) = range(cx, a, stored)?;
    Ok(Parameters {
        scale: a.operand(names[0])?,
        zero_point: a.optional_operand(names[1])?,
        min,
        max,
        blocks,
        zero_point_first: false,
        by_item: false,
    })
}

fn per_tensor(cx: &Importer<'_>, a: &Args<'_>) -> Result<Parameters, Problem> {
    let blocks = cx.shape(a.tensor("input")?).to_vec();
    let p = parameters(cx, a, ["scale", "zero_point"], a.dtype("dtype")?, blocks)?;
    Ok(Parameters { by_item: true, ..p })
}

fn quantize_per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_tensor(cx, a)?;
    quantised(cx, a.tensor("input")?, &p, a.dtype("dtype")?)
}

fn dequantize_per_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_tensor(cx, a)?;
    dequantised(cx, a.tensor("input")?, &p, float_dtype(a, "out_dtype")?)
}

fn per_channel(cx: &Importer<'_>, a: &Args<'_>) -> Result<Parameters, Problem> {
    let x = a.tensor("input")?;
    let mut blocks = cx.shape(x).to_vec();
    let channels = axis(a.int("axis")?, cx.rank(x))?;
    match blocks.get_mut(channels) {
        Some(block) => *block = 1.into(),
        None => return Err(Problem::unsupported("a scalar has no channels")),
    }
    parameters(cx, a, ["scales", "zero_points"], a.dtype("dtype")?, blocks)
}

fn quantize_per_channel(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_channel(cx, a)?;
    quantised(cx, a.tensor("input")?, &p, a.dtype("dtype")?)
}

fn dequantize_per_channel(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_channel(cx, a)?;
    dequantised(cx, a.tensor("input")?, &p, float_dtype(a, "out_dtype")?)
}

/// Parameters by token: each row along the last axis has its own.
fn per_token(cx: &Importer<'_>, a: &Args<'_>) -> Result<Parameters, Problem> {
    let x = a.tensor("input")?;
    let mut blocks = vec![Dim::constant(1); cx.rank(x)];
    if let Some(last) = blocks.last_mut() {
        *last = cx.size(x, cx.rank(x) - 1)?;
    }
    let p = parameters(cx, a, ["scales", "zero_points"], a.dtype("dtype")?, blocks)?;
    Ok(Parameters {
        zero_point_first: true,
        ..p
    })
}

fn quantize_per_token(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_token(cx, a)?;
    quantised(cx, a.tensor("input")?, &p, a.dtype("dtype")?)
}

fn dequantize_per_token(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = per_token(cx, a)?;
    dequantised(cx, a.tensor("input")?, &p, float_dtype(a, "output_dtype")?)
}

/// Parameters by group: each run of `group_size` elements along the last axis of a matrix has its own. A shorter axis
/// is one group.
fn by_group(cx: &Importer<'_>, a: &Args<'_>) -> Result<Parameters, Problem> {
    let x = a.tensor("input")?;
    if cx.rank(x) != 2 {
        return Err(Problem::unsupported("groups are of matrices"));
    }
    let (width, group) = (cx.size(x, 1)?, a.int("group_size")?);
    let whole = width.as_const().is_some_and(|w| group > w);
    if group < 1 || !whole && !width.modulo(&group.into()).is(0) {
        return Err(Problem::unsupported(format!(
            "groups of {group} in rows of {width}"
        )));
    }
    let run = if whole { width } else { group.into() };
    let p = parameters(
        cx,
        a,
        ["scales", "zero_points"],
        a.dtype("dtype")?,
        vec![1.into(), run],
    )?;
    Ok(Parameters {
        zero_point_first: true,
        ..p
    })
}

fn quantize_groups(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = by_group(cx, a)?;
    quantised(cx, a.tensor("input")?, &p, a.dtype("dtype")?)
}

fn dequantize_groups(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = by_group(cx, a)?;
    dequantised(cx, a.tensor("input")?, &p, float_dtype(a, "output_dtype")?)
}

/// The parameters, under the names that torchao gives them. A zero point without elements counts as absent.
fn by_block(cx: &Importer<'_>, a: &Args<'_>, dtype: &'static str) -> Result<Parameters, Problem> {
    let (x, blocks) = (a.tensor("input")?, a.dims("block_size")?);
    let sizes = cx.shape(x);
    let fits = |(size, block): (&Dim, &Dim)| size.modulo(block).is(0);
    if blocks.len() != cx.rank(x)
        || blocks.iter().any(|b| b.as_const().is_some_and(|b| b < 1))
        || !sizes.iter().zip(&blocks).all(fits)
    {
        return Err(Problem::unsupported(format!(
            "blocks {blocks:?} of {:?}",
            cx.shape(x)
        )));
    }
    let mut p = parameters(cx, a, ["scale", "zero_point"], a.dtype(dtype)?, blocks)?;
    if let Some(Operand::Tensor(v)) = &p.zero_point
        && cx.shape(*v).elements().is(0)
    {
        p.zero_point = None;
    }
    Ok(p)
}

fn quantize_affine(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = by_block(cx, a, "output_dtype")?;
    quantised(cx, a.tensor("input")?, &p, a.dtype("output_dtype")?)
}

fn dequantize_affine(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let p = by_block(cx, a, "input_dtype")?;
    dequantised(cx, a.tensor("input")?, &p, float_dtype(a, "output_dtype")?)
}

fn convert(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(cx.cast(a.tensor("input")?, a.dtype("dtype")?)?)
}
