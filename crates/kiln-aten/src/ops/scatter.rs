//! Reads and writes along one axis, by an index tensor of the same rank.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, Gather, Scatter, ScatterFn};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        gather,
        &["aten.gather.default(self, dim, index, *, sparse_grad=False)"],
    ),
    Row::new(
        |cx, a| scatter(cx, a, ScatterFn::Set),
        &[
            "aten.scatter.src(self, dim, index, src)",
            "aten.scatter.value(self, dim, index, value)",
        ],
    ),
    Row::new(
        |cx, a| scatter(cx, a, ScatterFn::Add),
        &["aten.scatter_add.default(self, dim, index, src)"],
    ),
    Row::new(
        scatter_by_name,
        &[
            "aten.scatter.reduce(self, dim, index, src, *, reduce)",
            "aten.scatter.value_reduce(self, dim, index, value, *, reduce)",
        ],
    ),
    Row::new(
        scatter_reduce,
        &["aten.scatter_reduce.two(self, dim, index, src, reduce, *, include_self=True)"],
    ),
];

/// `self`, the axis, the index and the source. Scalars become vectors of one element.
struct Call {
    x: ValueId,
    axis: usize,
    index: ValueId,
    source: ValueId,
}

fn as_vector(cx: &mut Importer<'_>, v: ValueId) -> Result<ValueId, Problem> {
    if cx.rank(v) == 0 {
        cx.unsqueeze(v, &[0])
    } else {
        Ok(v)
    }
}

fn gather(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, index) = (a.tensor("self")?, a.tensor("index")?);
    let axis = axis(a.int("dim")?, cx.rank(x))?;
    let scalar = cx.rank(index) == 0;
    if cx.shape(index).elements().is(0) {
        // An index without elements may have any rank.
        let (shape, dtype) = (cx.shape(index), cx.dtype(x));
        return one(cx.full(&shape, dtype, Scalar::Int(0))?);
    }
    let x = as_vector(cx, x)?;
    let index = super::indexing::as_index(cx, index)?;
    let index = as_vector(cx, index)?;
    let y = cx.value(Gather { axis }, &[x, index])?;
    one(if scalar { cx.reshape(y, &[])? } else { y })
}

impl Call {
    fn new(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Call, Problem> {
        let x = a.tensor("self")?;
        let axis = axis(a.int("dim")?, cx.rank(x))?;
        let x = as_vector(cx, x)?;
        let index = super::indexing::as_index(cx, a.tensor("index")?)?;
        let index = as_vector(cx, index)?;
        let source = Call::source(cx, a, x, index)?;
        Ok(Call {
            x,
            axis,
            index,
            source,
        })
    }

    /// The source cut to the index's shape, or the number broadcast to it.
    fn source(
        cx: &mut Importer<'_>,
        a: &Args<'_>,
        x: ValueId,
        index: ValueId,
    ) -> Result<ValueId, Problem> {
        let (dtype, shape) = (cx.dtype(x), cx.shape(index));
        if a.has("value") {
            let value: Operand = a.operand("value")?;
            let value = cx.materialise(&value, dtype, shape.rank())?;
            return cx.expand(value, &shape);
        }
        let source = cx.cast(a.tensor("src")?, dtype)?;
        let mut source = as_vector(cx, source)?;
        for (i, len) in shape.iter().enumerate().take(cx.rank(source)) {
            source = cx.slice(source, i, 0, len, 1)?;
        }
        Ok(source)
    }

    fn apply(&self, cx: &mut Importer<'_>, x: ValueId, f: ScatterFn) -> Result<ValueId, Problem> {
        let axis = self.axis;
        cx.value(Scatter { axis, f }, &[x, self.index, self.source])
    }

    /// `x` with every indexed position set to a number.
    fn filled(&self, cx: &mut Importer<'_>, x: ValueId, value: Scalar) -> Result<ValueId, Problem> {
        let (shape, dtype) = (cx.shape(self.index), cx.dtype(x));
        let source = cx.full(&shape, dtype, value)?;
        let (axis, f) = (self.axis, ScatterFn::Set);
        cx.value(Scatter { axis, f }, &[x, self.index, source])
    }

    /// The number of elements that fall on each position of `x`.
    fn counts(&self, cx: &mut Importer<'_>, with_self: bool) -> Result<ValueId, Problem> {
        let (shape, dtype) = (cx.shape(self.x), cx.dtype(self.x));
        let base = cx.full(&shape, dtype, Scalar::Int(i64::from(with_self)))?;
        let index_shape = cx.shape(self.index);
        let ones = cx.full(&index_shape, dtype, Scalar::Int(1))?;
        let (axis, f) = (self.axis, ScatterFn::Add);
        let counts = cx.value(Scatter { axis, f }, &[base, self.index, ones])?;
        cx.with(BinaryFn::Max, counts, 1i64)
    }
}

fn as_self(cx: &mut Importer<'_>, a: &Args<'_>, y: ValueId) -> Result<Returns, Problem> {
    one(if cx.rank(a.tensor("self")?) == 0 {
        cx.reshape(y, &[])?
    } else {
        y
    })
}

fn scatter(cx: &mut Importer<'_>, a: &Args<'_>, f: ScatterFn) -> Result<Returns, Problem> {
    let call = Call::new(cx, a)?;
    let y = call.apply(cx, call.x, f)?;
    as_self(cx, a, y)
}

fn scatter_by_name(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    match a.text("reduce")? {
        "add" => scatter(cx, a, ScatterFn::Add),
        "multiply" => scatter(cx, a, ScatterFn::Mul),
        other => Err(Problem::unsupported(format!("reduce={other:?}"))),
    }
}

/// The neutral number of a reduction.
fn neutral(f: ScatterFn, dtype: DType) -> Scalar {
    let (least, greatest) = match dtype.int_range() {
        Some((least, greatest)) => (Scalar::Int(least), Scalar::Int(greatest)),
        None if dtype == DType::Bool => (Scalar::Bool(false), Scalar::Bool(true)),
        None => (
            Scalar::Float(f64::NEG_INFINITY),
            Scalar::Float(f64::INFINITY),
        ),
    };
    match f {
        ScatterFn::Mul => Scalar::Int(1),
        ScatterFn::Max => least,
        ScatterFn::Min => greatest,
        ScatterFn::Set | ScatterFn::Add => Scalar::Int(0),
    }
}

/// Without `include_self`, indexed positions start from the neutral number.
fn scatter_reduce(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (f, mean) = match a.text("reduce")? {
        "sum" => (ScatterFn::Add, false),
        "mean" => (ScatterFn::Add, true),
        "prod" => (ScatterFn::Mul, false),
        "amax" => (ScatterFn::Max, false),
        "amin" => (ScatterFn::Min, false),
        other => return Err(Problem::unsupported(format!("reduce={other:?}"))),
    };
    let (call, with_self) = (Call::new(cx, a)?, a.bool("include_self")?);
    let dtype = cx.dtype(call.x);
    let base = if with_self {
        call.x
    } else {
        call.filled(cx, call.x, neutral(f, dtype))?
    };
    let mut y = call.apply(cx, base, f)?;
    if mean {
        let counts = call.counts(cx, with_self)?;
        let f = if dtype.is_float() {
            BinaryFn::Div
        } else {
            BinaryFn::FloorDiv
        };
        y = cx.binary(f, y, counts)?;
    }
    as_self(cx, a, y)
}
