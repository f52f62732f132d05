//! Ops that make tensors of sizes and numbers.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::promotion::{DEFAULT_FLOAT, kind_dtype};
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Simple};
use kiln_ir::{Builder, DType, Dim, Scalar, Shape, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        full,
        &[
            "aten.full.default(size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.new_full.default(self, size, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        |cx, a| filled(cx, a, Scalar::Int(0)),
        &[
            "aten.zeros.default(size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.new_zeros.default(self, size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.empty.memory_format(size, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
            "aten.new_empty.default(self, size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.empty_permuted.default(size, physical_layout, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.empty_strided.default(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.new_empty_strided.default(self, size, stride, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "dim_order_ops._empty_dim_order.default(size, *, dtype=None, layout=None, device=None, pin_memory=None, dim_order=None)",
        ],
    ),
    Row::new(
        |cx, a| filled(cx, a, Scalar::Int(1)),
        &[
            "aten.ones.default(size, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.new_ones.default(self, size, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        |cx, a| like(cx, a, Scalar::Int(0)),
        &[
            "aten.zeros_like.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
            "aten.empty_like.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
        ],
    ),
    Row::new(
        |cx, a| like(cx, a, Scalar::Int(1)),
        &[
            "aten.ones_like.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
        ],
    ),
    Row::new(
        full_like,
        &[
            "aten.full_like.default(self, fill_value, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None)",
        ],
    ),
    Row::new(
        scalar_tensor,
        &[
            "aten.scalar_tensor.default(s, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "prims.scalar_tensor.default(s, *, dtype=None, device=None, requires_grad=None)",
        ],
    ),
    Row::new(
        arange,
        &[
            "aten.arange.default(end, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.arange.start(start, end, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.arange.start_step(start, end, step=1, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        linspace,
        &[
            "aten.linspace.default(start, end, steps, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
    Row::new(
        eye,
        &[
            "aten.eye.default(n, *, dtype=None, layout=None, device=None, pin_memory=None)",
            "aten.eye.m(n, m, *, dtype=None, layout=None, device=None, pin_memory=None)",
        ],
    ),
];

fn default_dtype(operand: &Operand) -> DType {
    match operand {
        Operand::Known(s) => s.default_dtype(),
        Operand::Symbolic(_) => DType::I64,
        Operand::Running(n) => kind_dtype(n.kind),
        Operand::Tensor(_) => DEFAULT_FLOAT,
    }
}

/// The dtype that the argument `dtype` names, else the dtype of `self`, else `otherwise`.
fn dtype_or(cx: &Importer<'_>, a: &Args<'_>, otherwise: DType) -> Result<DType, Problem> {
    let own = if a.has("self") {
        cx.dtype(a.tensor("self")?)
    } else {
        otherwise
    };
    Ok(a.optional_dtype("dtype")?.unwrap_or(own))
}

fn full(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let value = a.operand("fill_value")?;
    let dtype = dtype_or(cx, a, default_dtype(&value))?;
    one(expanded(cx, &value, dtype, &Shape::from(a.dims("size")?))?)
}

fn expanded(
    cx: &mut Importer<'_>,
    value: &Operand,
    dtype: DType,
    shape: &Shape,
) -> Result<ValueId, Problem> {
    let value = cx.materialise(value, dtype, shape.rank())?;
    cx.expand(value, shape)
}

fn filled(cx: &mut Importer<'_>, a: &Args<'_>, value: Scalar) -> Result<Returns, Problem> {
    let dtype = dtype_or(cx, a, DEFAULT_FLOAT)?;
    one(cx.full(&Shape::from(a.dims("size")?), dtype, value)?)
}

fn like(cx: &mut Importer<'_>, a: &Args<'_>, value: Scalar) -> Result<Returns, Problem> {
    let dtype = dtype_or(cx, a, DEFAULT_FLOAT)?;
    let shape = cx.shape(a.tensor("self")?);
    one(cx.full(&shape, dtype, value)?)
}

fn full_like(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let dtype = dtype_or(cx, a, DEFAULT_FLOAT)?;
    let shape = cx.shape(a.tensor("self")?);
    one(expanded(cx, &a.operand("fill_value")?, dtype, &shape)?)
}

fn scalar_tensor(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DEFAULT_FLOAT);
    one(cx.materialise(&a.operand("s")?, dtype, 0)?)
}

/// The bounds and step of an `arange`.
struct Range {
    start: Operand,
    end: Operand,
    step: Operand,
}

impl Range {
    fn new(a: &Args<'_>) -> Result<Range, Problem> {
        let optional = |name, default| {
            if a.has(name) {
                a.operand(name)
            } else {
                Ok(Operand::Known(Scalar::Int(default)))
            }
        };
        Ok(Range {
            start: optional("start", 0)?,
            end: a.operand("end")?,
            step: optional("step", 1)?,
        })
    }

    fn operands(&self) -> [&Operand; 3] {
        [&self.start, &self.end, &self.step]
    }

    /// The number of elements, if start, end and step are ints.
    fn int_len(&self, cx: &Importer<'_>) -> Option<Dim> {
        let (start, end) = (int(&self.start)?, int(&self.end)?);
        let step = int(&self.step)?.as_const().filter(|&s| s != 0)?;
        let span = if step > 0 { end - start } else { start - end };
        let by = Dim::constant(step.checked_abs()?);
        let len = (span + &by - 1).floor_div(&by);
        Some(cx.symbols().greater(&len, &0.into()))
    }

    /// The number of elements, if start, end and step are known.
    fn known_len(&self) -> Option<Dim> {
        let [start, end, step] = self.operands().map(|o| match o {
            Operand::Known(s) => Some(s.as_f64()),
            _ => None,
        });
        let len = ((end? - start?) / step?).ceil();
        (len.is_finite() && len < 2f64.powi(53)).then(|| Dim::constant(len.max(0.0) as i64))
    }
}

fn int(operand: &Operand) -> Option<Dim> {
    match operand {
        Operand::Known(Scalar::Int(i)) => Some(Dim::constant(*i)),
        Operand::Known(Scalar::Bool(b)) => Some(Dim::constant(i64::from(*b))),
        Operand::Symbolic(d) => Some(d.clone()),
        _ => None,
    }
}

fn is_number(operand: &Operand, value: f64) -> bool {
    matches!(operand, Operand::Known(s) if s.as_f64() == value)
}

fn arange(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let range = Range::new(a)?;
    let dtypes = range.operands().map(default_dtype);
    let otherwise = if dtypes.iter().any(|d| d.is_float()) {
        DEFAULT_FLOAT
    } else {
        DType::I64
    };
    let dtype = a.optional_dtype("dtype")?.unwrap_or(otherwise);
    let len = match range.int_len(cx).or_else(|| range.known_len()) {
        Some(len) => len,
        None => counted(cx, &range, a.declared_shape().and_then(|s| s.first()))?,
    };
    one(steps(cx, &range, &len, dtype)?)
}

/// The number of elements, `ceil((end - start) / step)`, computed at run time.
fn counted(cx: &mut Importer<'_>, range: &Range, declared: Option<&Dim>) -> Result<Dim, Problem> {
    let [start, end, step] = cx.meet(range.operands(), DType::F64)?;
    let span = cx.sub(end, start)?;
    let count = cx.binary(BinaryFn::Div, span, step)?;
    let count = cx.unary(Simple::Ceil, count)?;
    cx.int_of(count, declared)
}

/// `start + step * i`, computed in the widest dtype of its category and then rounded, as PyTorch's kernel does.
fn steps(
    cx: &mut Importer<'_>,
    range: &Range,
    len: &Dim,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let (from_zero, by_one) = (is_number(&range.start, 0.0), is_number(&range.step, 1.0));
    if from_zero && by_one {
        return cx.iota(len, dtype);
    }
    let wide = if dtype.is_float() {
        DType::F64
    } else {
        DType::I64
    };
    let mut value = cx.iota(len, wide)?;
    if !by_one {
        let step = cx.materialise(&range.step, wide, 1)?;
        value = cx.mul(value, step)?;
    }
    if !from_zero {
        let start = cx.materialise(&range.start, wide, 1)?;
        value = cx.add(value, start)?;
    }
    cx.cast(value, dtype)
}

/// Evenly spaced values: the first half is counted up from the start, the second half down from the end, as PyTorch's
/// kernel does.
fn linspace(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DEFAULT_FLOAT);
    if !dtype.is_float() {
        return Err(Problem::unsupported(
            "linspace of integers; make it of floats",
        ));
    }
    let (start, end, len) = (a.float("start")?, a.float("end")?, a.dim("steps")?);
    let index = cx.iota(&len, dtype)?;
    let last = cx.dim(&(&len - 1), DType::I64, 0)?;
    let last = cx.cast(last, dtype)?;
    let last = cx.with_rank(last, 1)?;
    let unit = cx.scalar(1.0, dtype, 1);
    let count = cx.binary(BinaryFn::Max, last, unit)?;
    let way = match dtype {
        DType::F64 => end - start,
        _ => f64::from(end as f32 - start as f32),
    };
    let way = cx.scalar(way, dtype, 1);
    let step = cx.binary(BinaryFn::Div, way, count)?;
    let (start, end) = (cx.scalar(start, dtype, 1), cx.scalar(end, dtype, 1));
    let up = cx.mul(step, index)?;
    let up = cx.add(start, up)?;
    let rest = cx.sub(last, index)?;
    let down = cx.mul(step, rest)?;
    let down = cx.sub(end, down)?;
    let half = cx.dim(&len.floor_div(&2.into()), DType::I64, 0)?;
    let half = cx.cast(half, dtype)?;
    let first = cx.compare(CompareFn::Lt, index, half)?;
    let line = cx.select(first, up, down)?;
    if len.is(1) {
        return one(start);
    }
    one(line)
}

fn eye(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let rows = a.dim("n")?;
    let columns = if a.has("m") {
        a.dim("m")?
    } else {
        rows.clone()
    };
    let dtype = a.optional_dtype("dtype")?.unwrap_or(DEFAULT_FLOAT);
    let row = cx.iota(&rows, DType::I64)?;
    let row = cx.unsqueeze(row, &[1])?;
    let column = cx.iota(&columns, DType::I64)?;
    let equal = cx.compare(CompareFn::Eq, row, column)?;
    one(cx.cast(equal, dtype)?)
}
