//! Look-ups in tables of quantised rows, with the meaning of the runtime's kernels.
//!
//! Elements of 4 and 2 bits are packed along the last axis of a u8 table, with offsets of 8 and 2. The first 4-bit
//! element of a byte is in its upper half. The first 2-bit element is in its lowest bits.

use super::indexing::as_index;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Index};
use kiln_ir::{Builder, DType, Dim, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| embedding(cx, a, &[], 0),
        &[
            "quantized_decomposed.embedding_byte.default(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices)",
            "quantized_decomposed.embedding_byte.dtype(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices, *, dtype=None)",
        ],
    ),
    Row::new(
        |cx, a| embedding(cx, a, &[4, 0], 8),
        &[
            "quantized_decomposed.embedding_4bit.default(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices)",
            "quantized_decomposed.embedding_4bit.dtype(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices, *, dtype=None)",
        ],
    ),
    Row::new(
        |cx, a| embedding(cx, a, &[0, 2, 4, 6], 2),
        &[
            "quantized_decomposed.embedding_2bit.default(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices)",
            "quantized_decomposed.embedding_2bit.dtype(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max, indices, *, dtype=None)",
        ],
    ),
];

/// Unpacks integers along the last axis. Each byte holds one integer at each of the shifts.
fn unpacked(
    cx: &mut Importer<'_>,
    bytes: ValueId,
    shifts: &[i64],
    offset: i64,
) -> Result<ValueId, Problem> {
    if shifts.is_empty() {
        return Ok(bytes);
    }
    let count = shifts.len() as i64;
    let bytes = cx.cast(bytes, DType::I32)?;
    let mask = cx.scalar_like(Scalar::Int((1 << (8 / count)) - 1), bytes);
    let rank = cx.rank(bytes);
    let mut fields = Vec::with_capacity(shifts.len());
    for &shift in shifts {
        let moved = cx.with(BinaryFn::Shr, bytes, shift)?;
        let field = cx.binary(BinaryFn::BitAnd, moved, mask)?;
        fields.push(cx.unsqueeze(field, &[rank])?);
    }
    let joined = cx.concat(&fields, rank)?;
    let mut shape = cx.shape(bytes);
    shape[rank - 1] = shape[rank - 1].clone() * count;
    let whole = cx.reshape(joined, &shape)?;
    let offset = cx.scalar_like(Scalar::Int(offset), whole);
    cx.sub(whole, offset)
}

/// The rows of the table, less their zero points, times their scales. A row of scales has one scale for each group of
/// columns.
fn embedding(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    shifts: &[i64],
    offset: i64,
) -> Result<Returns, Problem> {
    let index = as_index(cx, a.tensor("indices")?)?;
    let rows = |cx: &mut Importer<'_>, table: ValueId| cx.value(Index { axis: 0 }, &[table, index]);
    let bytes = rows(cx, a.tensor("weight")?)?;
    if cx.rank(bytes) == 0 {
        return Err(Problem::unsupported("the table is no matrix"));
    }
    let whole = unpacked(cx, bytes, shifts, offset)?;
    let scale = rows(cx, a.tensor("weight_scales")?)?;
    let dtype = cx.dtype(scale);
    let mut values = cx.cast(whole, dtype)?;
    let shape = cx.shape(values);
    let (groups, grouped) = by_group(cx, scale, cx.rank(index));
    let columns = shape[shape.rank() - 1].floor_div(&groups);
    let split = [&shape[..shape.rank() - 1], &[groups, columns]].concat();
    values = cx.reshape(values, &split)?;
    if let Some(zero) = a.optional_tensor("weight_zero_points")? {
        let zero = rows(cx, zero)?;
        let zero = cx.cast(zero, dtype)?;
        let zero = cx.reshape(zero, &grouped)?;
        values = cx.sub(values, zero)?;
    }
    let scale = cx.reshape(scale, &grouped)?;
    let scaled = cx.mul(values, scale)?;
    let found = cx.reshape(scaled, &shape)?;
    let to = if a.has("dtype") {
        a.optional_dtype("dtype")?
    } else {
        None
    };
    one(cx.cast(found, to.unwrap_or(dtype))?)
}

/// The number of groups in a row, and the scales' shape with a unit axis for the columns of a group.
fn by_group(cx: &Importer<'_>, scale: ValueId, rows: usize) -> (Dim, Vec<Dim>) {
    let shape = cx.shape(scale);
    let groups = shape.get(rows).cloned().unwrap_or(Dim::constant(1));
    let front = &shape[..rows.min(shape.rank())];
    (groups.clone(), [front, &[groups, 1.into()]].concat())
}
