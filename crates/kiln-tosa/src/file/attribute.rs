//! The writer of attribute tables.

use super::code;
use super::encode::{Field, Table};
use crate::dialect::{Conv, NanMode, Region, TosaDtype, TosaOp};

/// The table of an operator's attributes, without those that are operands in files.
///
/// # Errors
/// If the format has no place for a value.
pub(super) fn table(op: &TosaOp, operand: TosaDtype, regions: &[Region]) -> Result<Table, String> {
    let t = Table::default;
    let axis = |axis: usize| t().number(0, u32::try_from(axis).unwrap_or(u32::MAX));
    let nan = |mode: NanMode| code::of_nan_mode(mode);
    Ok(match op {
        TosaOp::ArgMax(a) => axis(a.axis).number(1, nan(a.nan_mode)),
        TosaOp::AvgPool2d(a) => t()
            .with(0, words(a.kernel))
            .with(1, words(a.stride))
            .with(2, words(a.pad.into_iter().flatten()))
            .number(3, code::of_dtype(a.acc)),
        TosaOp::MaxPool2d(a) => t()
            .with(0, words(a.kernel))
            .with(1, words(a.stride))
            .with(2, words(a.pad.into_iter().flatten()))
            .number(3, nan(a.nan_mode)),
        TosaOp::Conv2d(a) | TosaOp::DepthwiseConv2d(a) => conv(a),
        TosaOp::Conv3d(a) => conv(a),
        TosaOp::TransposeConv2d(a) => t()
            .with(
                0,
                Field::Words(a.out_pad.iter().flatten().map(|&p| p as u32).collect()),
            )
            .with(1, words(a.stride))
            .flag(2, a.local_bound)
            .number(3, code::of_dtype(a.acc)),
        TosaOp::Fft2d {
            inverse,
            local_bound,
        } => t().flag(0, *inverse).flag(1, *local_bound),
        TosaOp::Rfft2d { local_bound } => t().flag(0, *local_bound),
        TosaOp::Clamp(a) => t()
            .with(0, scalar(operand, a.min)?)
            .with(1, scalar(operand, a.max)?)
            .number(2, nan(a.nan_mode)),
        TosaOp::ArithmeticRightShift { round } => t().flag(0, *round),
        TosaOp::Maximum { nan_mode } | TosaOp::Minimum { nan_mode } => {
            t().number(0, nan(*nan_mode))
        }
        TosaOp::ReduceMax { axis: a, nan_mode } | TosaOp::ReduceMin { axis: a, nan_mode } => {
            axis(*a).number(1, nan(*nan_mode))
        }
        TosaOp::ReduceAll { axis: a }
        | TosaOp::ReduceAny { axis: a }
        | TosaOp::ReduceProduct { axis: a }
        | TosaOp::ReduceSum { axis: a }
        | TosaOp::Concat { axis: a }
        | TosaOp::Reverse { axis: a } => axis(*a),
        TosaOp::Transpose { perms } => t().with(0, words(perms.iter().copied())),
        TosaOp::Resize(a) => t().number(0, code::of_resize_mode(a.mode)),
        TosaOp::Rescale(a) => t()
            .flag(0, a.scale32)
            .number(1, code::of_rounding(a.rounding))
            .flag(2, a.per_channel)
            .flag(3, a.input_unsigned)
            .flag(4, a.output_unsigned),
        TosaOp::Custom(a) => t()
            .with(0, Field::String(a.operator.clone()))
            .with(1, Field::String(a.domain.clone()))
            .with(2, Field::Bytes(a.attributes.clone())),
        TosaOp::CondIf(a) => graphs([a.then, a.otherwise].map(|id| id.index()), regions)?,
        TosaOp::WhileLoop(a) => graphs([a.cond, a.body].map(|id| id.index()), regions)?,
        _ => t(),
    })
}

fn words(numbers: impl IntoIterator<Item = usize>) -> Field {
    // A number of more than 31 bits is refused when it is read.
    let word = |n| u32::try_from(n).unwrap_or(u32::MAX);
    Field::Words(numbers.into_iter().map(word).collect())
}

fn conv<const N: usize>(conv: &Conv<N>) -> Table {
    Table::default()
        .with(0, words(conv.pad.into_iter().flatten()))
        .with(1, words(conv.stride))
        .with(2, words(conv.dilation))
        .flag(3, conv.local_bound)
        .number(4, code::of_dtype(conv.acc))
}

fn scalar(dtype: TosaDtype, scalar: kiln_ir::Scalar) -> Result<Field, String> {
    let mut bytes = Vec::new();
    dtype
        .put(scalar, &mut bytes)
        .ok_or_else(|| format!("{scalar:?} is no {dtype}"))?;
    Ok(Field::Bytes(bytes))
}

fn graphs(ids: [usize; 2], regions: &[Region]) -> Result<Table, String> {
    let mut table = Table::default();
    for (slot, id) in ids.into_iter().enumerate() {
        let region = regions
            .get(id)
            .ok_or_else(|| format!("there is no region {id}"))?;
        table = table.with(slot, Field::String(region.name.clone()));
    }
    Ok(table)
}
