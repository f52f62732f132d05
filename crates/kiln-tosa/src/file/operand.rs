//! Compile-time operands: the attributes that files have as the values of a `CONST` or `CONST_SHAPE`.

use crate::dialect::{Rescale, TensorType, TosaDtype, TosaOp};
use bytes::Bytes;
use kiln_ir::{Content, Scalar};

/// The value of a compile-time operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// The elements of a tensor.
    Tensor(TensorType, Content),
    /// Sizes or positions, of type shape.
    Shape(Vec<i64>),
}

/// The compile-time operands of an operator, in the order of its row. Their dtypes are those of the operands and of the
/// result.
///
/// # Errors
/// If a value does not fit its dtype.
pub(super) fn values(
    op: &TosaOp,
    operands: &[TosaDtype],
    result: TosaDtype,
) -> Result<Vec<Value>, String> {
    let zero = |i: usize, zp: i32| zero_point(operands[i], zp);
    Ok(match op {
        TosaOp::AvgPool2d(a) => vec![zero(0, a.input_zp)?, zero_point(result, a.output_zp)?],
        TosaOp::Conv2d(a) | TosaOp::DepthwiseConv2d(a) => {
            vec![zero(0, a.input_zp)?, zero(1, a.weight_zp)?]
        }
        TosaOp::Conv3d(a) => vec![zero(0, a.input_zp)?, zero(1, a.weight_zp)?],
        TosaOp::TransposeConv2d(a) => vec![zero(0, a.input_zp)?, zero(1, a.weight_zp)?],
        TosaOp::MatMul(a) => vec![zero(0, a.a_zp)?, zero(1, a.b_zp)?],
        TosaOp::Negate(a) => vec![zero(0, a.input_zp)?, zero_point(result, a.output_zp)?],
        TosaOp::Mul { shift } => vec![tensor(TosaDtype::I8, vec![1], vec![*shift])],
        TosaOp::Table { table } => vec![Value::Tensor(
            table_type(operands[0]).ok_or_else(|| format!("no table for {}", operands[0]))?,
            table.clone(),
        )],
        TosaOp::Pad(pad) => vec![
            sizes(pad.padding.iter().flatten()),
            scalar(operands[0], pad.value)?,
        ],
        TosaOp::Reshape { shape } => vec![sizes(shape)],
        TosaOp::Slice(slice) => vec![sizes(&slice.start), sizes(&slice.size)],
        TosaOp::Tile { multiples } => vec![sizes(multiples)],
        TosaOp::Resize(r) => {
            let scale = [r.scale_n[0], r.scale_d[0], r.scale_n[1], r.scale_d[1]];
            let shape = |numbers: &[i32]| Value::Shape(numbers.iter().map(|&n| n.into()).collect());
            vec![shape(&scale), shape(&r.offset), shape(&r.border)]
        }
        TosaOp::Rescale(rescale) => rescaled(rescale, operands[0])?,
        _ => Vec::new(),
    })
}

fn rescaled(rescale: &Rescale, from: TosaDtype) -> Result<Vec<Value>, String> {
    let multipliers = if rescale.scale32 {
        let bytes = rescale.multiplier.iter().flat_map(|m| m.to_le_bytes());
        tensor(
            TosaDtype::I32,
            vec![rescale.multiplier.len()],
            bytes.collect(),
        )
    } else {
        let narrow = rescale.multiplier.iter().map(|&m| i16::try_from(m));
        let bytes: Result<Vec<_>, _> = narrow.map(|m| m.map(i16::to_le_bytes)).collect();
        let bytes = bytes.map_err(|_| {
            format!(
                "multipliers {:?} have more than 15 bits",
                rescale.multiplier
            )
        })?;
        tensor(TosaDtype::I16, vec![bytes.len()], bytes.concat())
    };
    let shifts = rescale.shift.iter().map(|&s| s as u8).collect();
    Ok(vec![
        multipliers,
        tensor(TosaDtype::I8, vec![rescale.shift.len()], shifts),
        zero_point(from, rescale.input_zp)?,
        zero_point(rescale.to, rescale.output_zp)?,
    ])
}

/// The dtype of the table for an operand's dtype.
pub(super) fn table_type(dtype: TosaDtype) -> Option<TensorType> {
    match dtype {
        TosaDtype::I8 => Some(TensorType::new(TosaDtype::I8, [256])),
        TosaDtype::I16 => Some(TensorType::new(TosaDtype::I16, [513])),
        _ => None,
    }
}

fn tensor(dtype: TosaDtype, shape: Vec<usize>, bytes: Vec<u8>) -> Value {
    Value::Tensor(TensorType { dtype, shape }, Bytes::from(bytes).into())
}

fn sizes<'a>(numbers: impl IntoIterator<Item = &'a usize>) -> Value {
    Value::Shape(numbers.into_iter().map(|&n| n as i64).collect())
}

fn scalar(dtype: TosaDtype, value: Scalar) -> Result<Value, String> {
    let mut bytes = Vec::new();
    if dtype.bits() == 8 && value.as_f64() == 0.0 {
        bytes.push(0);
    } else {
        dtype
            .put(value, &mut bytes)
            .ok_or_else(|| format!("{value:?} is no {dtype}"))?;
    }
    Ok(tensor(dtype, vec![1], bytes))
}

/// A zero point as the bits of a type, signed or unsigned.
fn zero_point(dtype: TosaDtype, zp: i32) -> Result<Value, String> {
    if !dtype.is_int() {
        return scalar(dtype, Scalar::Int(zp.into()));
    }
    let bits = dtype.bits();
    let (low, high) = (-(1i64 << (bits - 1)), (1i64 << bits) - 1);
    if !(low..=high).contains(&i64::from(zp)) {
        return Err(format!(
            "the zero point {zp} is out of the range of {dtype}"
        ));
    }
    let mask = if bits == 4 { 15 } else { -1 };
    let bytes = (i64::from(zp) & mask).to_le_bytes();
    Ok(tensor(dtype, vec![1], bytes[..bits.div_ceil(8)].to_vec()))
}
