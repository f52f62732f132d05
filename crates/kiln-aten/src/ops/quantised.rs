//! Quantisation and dequantisation, in the vocabularies of PT2E (`quantized_decomposed`) and torchao.
//!
//! Known parameters become part of a type: `quantize`, `dequantize`, typed constants. Parameters that are known only at
//! run time, or that no type can hold, become arithmetic: multiply, round, add, clamp, cast.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::chosen::Choice;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::graph::Constant;
use kiln_ir::ops::{self, BinaryFn, Dequantize, FakeQuantize, Quantize, Simple, UnaryFn};
use kiln_ir::{Builder, DType, Dim, Mapping, Quant, QuantScheme, Scalar, ValueId};
use std::sync::Arc;

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

/// The block size along each axis. The elements of a block share their parameters.
type Blocks = Vec<Dim>;

/// The parameters of a call.
#[derive(Clone)]
struct Parameters {
    scale: Operand,
    zero_point: Option<Operand>,
    min: i64,
    max: i64,
    blocks: Blocks,
    /// True if the zero point is added before rounding, as in the ops by token and by group.
    zero_point_first: bool,
    /// True if the parameters count as Python numbers, which do not promote the dtype, even if they are tensors.
    by_item: bool,
}

/// The numbers of an operand that is a known number, or a tensor that follows from constants.
fn known(cx: &Importer<'_>, operand: &Operand) -> Option<Vec<f64>> {
    match operand {
        Operand::Known(s) => Some(vec![s.as_f64()]),
        Operand::Tensor(v) => {
            let data = cx.known_value(*v)?;
            Some(data.scalars().map(Scalar::as_f64).collect())
        }
        Operand::Symbolic(_) | Operand::Running(_) => None,
    }
}

/// The zero points, if all are whole: types hold integers, while the ops compute with what tensors of floats hold.
fn whole(numbers: Vec<f64>) -> Option<Vec<i64>> {
    let is_whole = |z: &f64| z.fract() == 0.0;
    let all = numbers.iter().all(is_whole);
    all.then(|| numbers.into_iter().map(|z| z as i64).collect())
}

/// The integer that an operand is known to be.
pub(super) fn known_integer(cx: &Importer<'_>, operand: &Operand) -> Option<i64> {
    match whole(known(cx, operand)?)?.as_slice() {
        &[integer] => Some(integer),
        _ => None,
    }
}

impl Parameters {
    /// The dtype in which an operand of dtype `own` is computed with the scales.
    fn meeting(&self, cx: &Importer<'_>, own: DType) -> DType {
        match self.scale {
            Operand::Tensor(v) if !self.by_item => own.promote(cx.dtype(v)),
            _ => own,
        }
    }

    /// The kind of the block along an axis of that size.
    fn block(&self, size: &Dim, block: &Dim) -> Block {
        match block.as_const() {
            _ if block == size => Block::All,
            Some(1) => Block::One,
            Some(n) => Block::Some(n),
            None => Block::All,
        }
    }

    fn layout(&self, cx: &Importer<'_>, x: ValueId) -> Vec<Block> {
        let sizes = cx.shape(x);
        let axes = sizes.iter().zip(&self.blocks);
        axes.map(|(size, block)| self.block(size, block)).collect()
    }

    /// The quantisation as a part of a type, if a type can hold it and all parameters are known.
    fn quant(&self, cx: &mut Importer<'_>, x: ValueId) -> Option<Quant> {
        let scales = known(cx, &self.scale)?;
        let zero_points = match &self.zero_point {
            Some(z) => whole(known(cx, z)?)?,
            None => vec![0; scales.len()],
        };
        let good = |s: &f64| s.is_finite() && *s > 0.0;
        let within = |z: &i64| (self.min..=self.max).contains(z);
        if !scales.iter().all(good)
            || !zero_points.iter().all(within)
            || scales.len() != zero_points.len()
        {
            return None;
        }
        let zero_points = cx.zero_points.shared(zero_points);
        Some(Quant {
            scheme: self.scheme(cx, x, scales, zero_points)?,
            min: self.min,
            max: self.max,
        })
    }

    fn scheme(
        &self,
        cx: &Importer<'_>,
        x: ValueId,
        scales: Vec<f64>,
        zero_points: Arc<[i64]>,
    ) -> Option<QuantScheme> {
        let layout = self.layout(cx, x);
        let split: Vec<usize> = (0..layout.len())
            .filter(|&i| layout[i] != Block::All)
            .collect();
        let count = scales.len() as i64;
        match (split.as_slice(), layout.as_slice()) {
            ([], _) => Some(QuantScheme::PerTensor {
                scale: *scales.first().filter(|_| count == 1)?,
                zero_point: zero_points[0],
            }),
            (&[axis], _) if layout[axis] == Block::One && cx.shape(x)[axis].is(count) => {
                Some(QuantScheme::PerChannel {
                    axis,
                    scales: scales.into(),
                    zero_points,
                })
            }
            (_, &[rows, Block::Some(group)]) => {
                let is_by_row = rows == Block::One || cx.shape(x)[0].is(1);
                let height = cx.size(x, 0).ok()?.as_const().filter(|_| is_by_row)?;
                let runs = cx.size(x, 1).ok()?.as_const()? / group;
                (height.checked_mul(runs) == Some(count)).then(|| QuantScheme::PerGroup {
                    group: group as usize,
                    scales: scales.into(),
                    zero_points,
                })
            }
            _ => None,
        }
    }

    /// The operand with each block as an axis of its own, and the shape in which the parameters broadcast to it.
    fn spread(&self, cx: &Importer<'_>, x: ValueId) -> (Vec<Dim>, Vec<Dim>) {
        let (mut whole, mut shared) = (Vec::new(), Vec::new());
        for (size, block) in cx.shape(x).iter().zip(self.layout(cx, x)) {
            let size = size.clone();
            match block {
                Block::One => {
                    whole.push(size.clone());
                    shared.push(size);
                }
                Block::All => {
                    whole.push(size);
                    shared.push(1.into());
                }
                Block::Some(n) => {
                    let count = size.floor_div(&n.into());
                    whole.extend([count.clone(), n.into()]);
                    shared.extend([count, 1.into()]);
                }
            }
        }
        (whole, shared)
    }

    /// A parameter, in the dtype and shape in which it broadcasts to the operand.
    fn value(
        &self,
        cx: &mut Importer<'_>,
        operand: &Operand,
        dtype: DType,
        shape: &[Dim],
    ) -> Result<ValueId, Problem> {
        let v = cx.materialise(operand, dtype, shape.len())?;
        let lone = cx.shape(v).elements().is(1);
        if lone {
            let units = vec![Dim::constant(1); shape.len()];
            return cx.reshape(v, &units);
        }
        cx.reshape(v, shape)
    }
}

/// The size of a block along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    One,
    All,
    Some(i64),
}

/// The number of trailing axes whose elements share parameters; `None` if blocks are no whole rows.
pub(super) fn trailing(sizes: &[Dim], blocks: &[Dim]) -> Option<usize> {
    let rank = sizes.len();
    let is_whole = |axes: usize| {
        let (front, row) = blocks.split_at(rank - axes);
        front.iter().all(|b| b.is(1)) && row == &sizes[rank - axes..]
    };
    (blocks.len() == rank).then(|| (1..=rank).find(|&axes| is_whole(axes)))?
}

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
fn quantised(
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
pub(super) fn typed(cx: &mut Importer<'_>, x: ValueId, quant: Quant) -> Option<ValueId> {
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

fn dequantised(
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
pub(super) struct Rounding {
    pub(super) scale: Operand,
    pub(super) zero_point: Operand,
    pub(super) range: [i64; 2],
    pub(super) axis: Option<usize>,
}

/// Floats of f32 rounded by way of integers of 8 bits. `None` if no type holds the parameters, or if they are not known.
pub(super) fn rounded(
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
