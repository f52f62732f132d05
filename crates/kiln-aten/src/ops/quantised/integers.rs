//! From reals to integers and back: by a type where it holds the parameters, else by arithmetic.

use super::parameters::{Parameters, trailing};
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Operand;
use crate::importer::chosen::Choice;
use crate::importer::returns::{Returns, one};
use kiln_ir::graph::Constant;
use kiln_ir::ops::{self, BinaryFn, Dequantize, FakeQuantize, Quantize, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Mapping, Quant, Scalar, ValueId};
use std::sync::Arc;

/// The choice of these parameters from `x`, if they share them as the call's blocks do.
fn choice_of(cx: &Importer<'_>, x: ValueId, p: &Parameters) -> Option<(ValueId, Choice)> {
    let Operand::Tensor(scale) = p.scale else {
        return None;
    };
    let zero_point = match p.zero_point {
        Some(Operand::Tensor(v)) => Some(v),
        Some(_) => return None,
        None => None,
    };
    let mut choice = cx.chosen.choice(scale, zero_point)?;
    let quant = &mut choice.quant;
    if quant.mapping == Mapping::SymmetricByEnd {
        quant.min = p.min;
    }
    quant.zero_point_first = p.zero_point_first;
    let is_same = choice.x == x
        && (p.min, p.max) == (quant.min, quant.max)
        && trailing(&cx.shape(x), &p.blocks) == Some(quant.axes);
    is_same.then_some((scale, choice))
}

/// Quantises, and notes integers whose parameters were chosen from the operand.
pub(super) fn quantised(
    cx: &mut Importer<'_>,
    x: ValueId,
    p: &Parameters,
    dtype: DType,
) -> Result<Returns, Problem> {
    let choice = choice_of(cx, x, p);
    let integers = integers_of(cx, x, p, dtype)?;
    if let Some((scale, choice)) = choice {
        cx.chosen.note_integers(integers, scale, choice);
    }
    one(integers)
}

/// Whole numbers up to this one are numbers of f32.
const EXACT_IN_F32: i64 = 1 << 24;

fn integers_of(
    cx: &mut Importer<'_>,
    x: ValueId,
    p: &Parameters,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let x = match cx.dtype(x) {
        DType::F16 | DType::BF16 => cx.cast(x, DType::F32)?,
        _ => x,
    };
    if let Some(quant) = p.quant(cx, x).filter(|_| !p.zero_point_first) {
        let quant = Arc::new(quant);
        let own = p.meeting(cx, cx.dtype(x));
        let x = cx.cast(x, own)?;
        return cx.value(Quantize { quant, dtype }, &[x]);
    }
    let own = p.meeting(cx, cx.dtype(x));
    let x = cx.cast(x, own)?;
    let shape = cx.shape(x);
    let (whole, shared) = p.spread(cx, x);
    let wide = match &p.scale {
        Operand::Tensor(v) => cx.dtype(*v),
        _ => DType::F64,
    };
    let scale = p.value(cx, &p.scale, wide, &shared)?;
    let unit = cx.scalar_like(Scalar::Float(1.0), scale);
    let inverse = cx.binary(BinaryFn::Div, unit, scale)?;
    let inverse = cx.cast(inverse, own)?;
    let x = cx.reshape(x, &whole)?;
    let mut steps = cx.mul(x, inverse)?;
    if !p.zero_point_first {
        steps = cx.unary(Simple::Round, steps)?;
    }
    if let Some(zero_point) = &p.zero_point {
        let zero_point = p.value(cx, zero_point, own, &shared)?;
        steps = cx.add(steps, zero_point)?;
    }
    if p.zero_point_first {
        steps = cx.unary(Simple::Round, steps)?;
    }
    // Delegates clamp in f32. All numbers that are not clamped stay what they are.
    let is_narrow = [p.min, p.max].iter().all(|end| end.abs() <= EXACT_IN_F32);
    if p.zero_point_first && own == DType::F64 && is_narrow {
        steps = cx.cast(steps, DType::F32)?;
    }
    let (min, max) = (Some(Scalar::Int(p.min)), Some(Scalar::Int(p.max)));
    let limited = cx.unary(UnaryFn::Clamp { min, max }, steps)?;
    let stored = cx.cast(limited, dtype)?;
    cx.reshape(stored, &shape)
}

/// The integers with the quantisation `quant` in their type: their type has it already, or they are a constant.
pub(crate) fn typed(cx: &mut Importer<'_>, x: ValueId, quant: Quant) -> Option<ValueId> {
    if let Some(has) = &cx.ty(x).quant {
        return (has.scheme == quant.scheme).then_some(x);
    }
    let (least, greatest) = cx.dtype(x).int_range()?;
    if quant.min < least || quant.max > greatest {
        return None;
    }
    let mut typed = known_constant(cx, x)?;
    typed.ty.quant = Some(Arc::new(quant));
    let value = cx.rewriter().add_typed_constant(typed);
    cx.value(ops::Constant { value }, &[]).ok()
}

/// The constant that a value is, with the name of the first constant that it is computed from. Weights have movements if
/// their memory order is not the order of their axes, and some models unpack them.
fn known_constant(cx: &Importer<'_>, x: ValueId) -> Option<Constant> {
    let data = cx.known_value(x)?;
    let graph = cx.graph();
    let mut source = x;
    while graph.as_constant(source).is_none() {
        source = *graph.node(graph.producer(source)?).operands.first()?;
    }
    let name = graph.as_constant(source)?.name.clone();
    let ty = data.tensor_type();
    Some(Constant { name, ty, data })
}

/// The choice by which the integers were made, if the call dequantises them alike.
fn rounded_of(cx: &Importer<'_>, integers: ValueId, p: &Parameters) -> Option<Choice> {
    let Operand::Tensor(scale) = p.scale else {
        return None;
    };
    let choice = cx.chosen.behind(integers, scale)?;
    let is_zero_point = match p.zero_point {
        Some(Operand::Tensor(v)) => v == choice.zero_point,
        Some(_) => false,
        None => true,
    };
    let is_same = trailing(&cx.shape(integers), &p.blocks) == Some(choice.quant.axes);
    (is_zero_point && is_same).then_some(choice)
}

/// Dequantises, in the chosen parameters' own op where the integers were made by it.
pub(super) fn dequantised(
    cx: &mut Importer<'_>,
    x: ValueId,
    p: &Parameters,
    dtype: DType,
) -> Result<Returns, Problem> {
    if let Some(quant) = p.quant(cx, x)
        && let Some(x) = typed(cx, x, quant)
    {
        return one(cx.value(Dequantize { dtype }, &[x])?);
    }
    if let Some(choice) = rounded_of(cx, x, p) {
        let quant = choice.quant;
        return one(cx.value(FakeQuantize { quant, dtype }, &[choice.x])?);
    }
    let shape = cx.shape(x);
    let (whole, shared) = p.spread(cx, x);
    let meeting = p.meeting(cx, dtype);
    // A zero point of floats is subtracted in its own dtype.
    let first = match p.zero_point {
        Some(Operand::Tensor(v)) if !p.by_item && cx.dtype(v).is_float() => cx.dtype(v),
        _ => meeting,
    };
    let x = cx.cast(x, first)?;
    let mut steps = cx.reshape(x, &whole)?;
    if let Some(zero_point) = &p.zero_point {
        let zero_point = p.value(cx, zero_point, first, &shared)?;
        steps = cx.sub(steps, zero_point)?;
    }
    let steps = cx.cast(steps, meeting)?;
    let scale = p.value(cx, &p.scale, meeting, &shared)?;
    let real = cx.mul(steps, scale)?;
    let real = cx.cast(real, dtype)?;
    one(cx.reshape(real, &shape)?)
}

/// A fake quantisation: where its integers lie, and its parameters, one pair for all elements or for each index of an axis.
pub(crate) struct Rounding {
    pub(crate) scale: Operand,
    pub(crate) zero_point: Operand,
    pub(crate) range: [i64; 2],
    pub(crate) axis: Option<usize>,
}

/// Floats of f32 rounded by way of integers of 8 bits. `None` if no type holds the parameters, or if they are not known.
pub(crate) fn rounded(
    cx: &mut Importer<'_>,
    x: ValueId,
    rounding: &Rounding,
) -> Result<Option<ValueId>, Problem> {
    let [min, max] = rounding.range;
    let holds = |dtype: &DType| {
        let range = dtype.int_range();
        range.is_some_and(|(least, greatest)| least <= min && max <= greatest)
    };
    let Some(dtype) = [DType::I8, DType::U8].into_iter().find(holds) else {
        return Ok(None);
    };
    let mut blocks = cx.shape(x).to_vec();
    // A scalar has no block along its axis 0.
    if let Some(block) = rounding.axis.and_then(|axis| blocks.get_mut(axis)) {
        *block = 1.into();
    }
    let p = Parameters {
        // PyTorch's kernels take a scale in f32.
        scale: match &rounding.scale {
            Operand::Known(scale) => Operand::Known(Scalar::Float((scale.as_f64() as f32).into())),
            other => other.clone(),
        },
        zero_point: Some(rounding.zero_point.clone()),
        min,
        max,
        blocks,
        zero_point_first: false,
        by_item: true,
    };
    // Activations have one scale in layers of integers.
    let is_kept = rounding.axis.is_none() || cx.known_value(x).is_some();
    if min > max || !is_kept || p.quant(cx, x).is_none() {
        return Ok(None);
    }
    let integers = integers_of(cx, x, &p, dtype)?;
    let to = DType::F32;
    cx.value(Dequantize { dtype: to }, &[integers]).map(Some)
}
