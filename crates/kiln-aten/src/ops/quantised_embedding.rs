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
use kiln_ir::content::LowHalf;
use kiln_ir::graph::Constant;
use kiln_ir::ops::{self, BinaryFn, Dequantize, Index};
use kiln_ir::{Builder, DType, Dim, Quant, QuantScheme, Scalar, TensorData, ValueId};
use std::sync::Arc;

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
    if let Some(found) = of_known_table(cx, a, shifts, offset, index)? {
        return one(found);
    }
    let rows = |cx: &mut Importer<'_>, table: ValueId| cx.value(Index::rows(), &[table, index]);
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

/// The look-up in a constant table with constant parameters: its integers get a quantised type.
fn of_known_table(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    shifts: &[i64],
    offset: i64,
    index: ValueId,
) -> Result<Option<ValueId>, Problem> {
    let (weight, scale) = (a.tensor("weight")?, a.tensor("weight_scales")?);
    let zero_point = a.optional_tensor("weight_zero_points")?;
    let Some(table) = known_table(cx, weight, shifts, offset) else {
        return Ok(None);
    };
    let dtype = cx.dtype(scale);
    let Some(quant) = known_quant(cx, &table, scale, zero_point, shifts.len()) else {
        return Ok(None);
    };
    let mut ty = table.tensor_type();
    ty.quant = Some(Arc::new(quant));
    let name = cx.graph().as_constant(weight).map(|c| c.name.clone());
    let constant = Constant {
        name: name.unwrap_or_else(|| "table".into()),
        ty,
        data: table,
    };
    let value = cx.rewriter().add_typed_constant(constant);
    let table = cx.value(ops::Constant { value }, &[])?;
    let reals = cx.value(Dequantize { dtype }, &[table])?;
    let found = cx.value(Index::rows(), &[reals, index])?;
    let to = if a.has("dtype") {
        a.optional_dtype("dtype")?
    } else {
        None
    };
    cx.cast(found, to.unwrap_or(dtype)).map(Some)
}

/// The integers of a constant matrix, one to a byte.
fn known_table(
    cx: &Importer<'_>,
    weight: ValueId,
    shifts: &[i64],
    offset: i64,
) -> Option<TensorData> {
    let data = constant_of(cx, weight)?;
    let &[rows, bytes] = data.sizes() else {
        return None;
    };
    match shifts.len() {
        0 => return Some(data),
        2 => return data.unpacked(LowHalf::Second),
        _ => {}
    }
    let mask = (1i64 << (8 / shifts.len())) - 1;
    let integers = data.bytes().iter().flat_map(|&byte| {
        let field = move |shift: &i64| (i64::from(byte) >> shift & mask) - offset;
        shifts.iter().map(field).map(|n| n as i8 as u8)
    });
    let integers: Vec<u8> = integers.collect();
    let sizes = vec![rows, bytes * shifts.len()];
    TensorData::new(DType::I8, sizes, integers.into()).ok()
}

fn constant_of(cx: &Importer<'_>, value: ValueId) -> Option<TensorData> {
    let constant = cx.graph().as_constant(value)?;
    constant.ty.quant.is_none().then(|| constant.data.clone())
}

/// The quantisation of a table whose rows have one pair of parameters, or one for each group.
fn known_quant(
    cx: &mut Importer<'_>,
    table: &TensorData,
    scale: ValueId,
    zero_point: Option<ValueId>,
    fields: usize,
) -> Option<Quant> {
    let (rows, columns) = (*table.sizes().first()?, *table.sizes().get(1)?);
    let scales: Vec<f64> = constant_of(cx, scale)?
        .scalars()
        .map(|s| s.as_f64())
        .collect();
    let zero_points: Vec<i64> = match zero_point {
        None => vec![0; scales.len()],
        Some(v) => {
            let reals = constant_of(cx, v)?;
            let whole = reals.scalars().all(|z| z.as_f64().fract() == 0.0);
            whole.then(|| reals.scalars().map(|z| z.as_f64() as i64).collect())?
        }
    };
    let (least, greatest) = match fields {
        0 => table.dtype().int_range()?,
        n => (-(1 << (8 / n - 1)), (1 << (8 / n - 1)) - 1),
    };
    let is_good = |s: &f64| s.is_finite() && *s > 0.0;
    let is_within = |z: &i64| (least..=greatest).contains(z);
    let groups = scales.len().checked_div(rows)?;
    if !scales.iter().all(is_good)
        || !zero_points.iter().all(is_within)
        || zero_points.len() != scales.len()
        || groups == 0
        || groups * rows != scales.len()
        || columns % groups != 0
    {
        return None;
    }
    let (scales, zero_points) = (scales.into(), cx.zero_points.shared(zero_points));
    let scheme = match groups {
        1 => QuantScheme::PerChannel {
            axis: 0,
            scales,
            zero_points,
        },
        groups => QuantScheme::PerGroup {
            group: columns / groups,
            scales,
            zero_points,
        },
    };
    Some(Quant {
        scheme,
        min: least,
        max: greatest,
    })
}

/// The number of groups in a row, and the scales' shape with a unit axis for the columns of a group.
fn by_group(cx: &Importer<'_>, scale: ValueId, rows: usize) -> (Dim, Vec<Dim>) {
    let shape = cx.shape(scale);
    let groups = shape.get(rows).cloned().unwrap_or(Dim::constant(1));
    let front = &shape[..rows.min(shape.rank())];
    (groups.clone(), [front, &[groups, 1.into()]].concat())
}
