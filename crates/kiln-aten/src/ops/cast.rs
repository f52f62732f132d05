//! Changes of dtype, and ops that change nothing but the memory order.

use crate::call::error::Problem;
use crate::call::{Arg, MemoryFormat};
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Return, Returns, one, view};
use crate::importer::row::Row;
use kiln_ir::{Builder, DType, Scalar};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        to,
        &[
            "aten.to.dtype(self, dtype, non_blocking=False, copy=False, memory_format=None)",
            "aten.to.device(self, device, dtype, non_blocking=False, copy=False, memory_format=None)",
            "aten.to.dtype_layout(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, copy=False, memory_format=None)",
            "aten.to.prim_Device(self, device, dtype=None, non_blocking=False, copy=False)",
            "aten.to.prim_dtype(self, dtype=None, non_blocking=False, copy=False)",
        ],
    ),
    Row::new(
        to_other,
        &[
            "aten.to.other(self, other, non_blocking=False, copy=False, memory_format=None)",
            "aten.type_as.default(self, other)",
        ],
    ),
    Row::new(
        to_copy,
        &[
            "aten._to_copy.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None)",
            "dim_order_ops._to_dim_order_copy.default(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, dim_order=None)",
        ],
    ),
    Row::new(
        clone,
        &[
            "aten.clone.default(self, *, memory_format=None)",
            "aten.conj_physical.default(self)",
            "aten._conj_physical.default(self)",
            "dim_order_ops._clone_dim_order.default(self, *, non_blocking=False, dim_order=None)",
        ],
    ),
    Row::new(
        contiguous,
        &["aten.contiguous.default(self, *, memory_format=None)"],
    ),
    Row::new(
        same,
        &[
            "aten.alias.default(self)",
            "aten.detach.default(self)",
            "aten.lift.default(self)",
            "aten.lift_fresh.default(self)",
            "aten.positive.default(self)",
            "aten.conj.default(self)",
            "aten._conj.default(self)",
            "aten.resolve_conj.default(self)",
            "aten.resolve_neg.default(self)",
            "aten.requires_grad.default(self, requires_grad=True)",
        ],
    ),
    Row::new(copy, &["aten.copy.default(self, src, non_blocking=False)"]),
    Row::new(
        fill,
        &[
            "aten.fill.Scalar(self, value)",
            "aten.fill.Tensor(self, value)",
        ],
    ),
    Row::new(zero, &["aten.zero.default(self)"]),
];

fn wants_format(a: &Args<'_>) -> Result<bool, Problem> {
    Ok(
        a.has("memory_format")
            && !matches!(a.memory_format()?, None | Some(MemoryFormat::Preserve)),
    )
}

fn converted(cx: &mut Importer<'_>, a: &Args<'_>, dtype: DType) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let copy = a.has("copy") && a.bool("copy")?;
    if copy || cx.dtype(x) != dtype {
        return one(cx.cast(x, dtype)?);
    }
    if wants_format(a)? {
        return Ok(vec![Return::MaybeView(a.variable("self")?, Vec::new())]);
    }
    same(cx, a)
}

fn to(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    let dtype = a.optional_dtype("dtype")?.unwrap_or(cx.dtype(x));
    converted(cx, a, dtype)
}

fn to_other(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let dtype = cx.dtype(a.tensor("other")?);
    converted(cx, a, dtype)
}

fn to_copy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.tensor("self")?;
    match a.optional_dtype("dtype")? {
        Some(dtype) => one(cx.cast(x, dtype)?),
        None => one(x),
    }
}

fn clone(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(a.tensor("self")?)
}

fn contiguous(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let x = a.variable("self")?;
    let row_major = matches!(a.memory_format()?, None | Some(MemoryFormat::Contiguous));
    Ok(vec![match cx.is_contiguous(x) {
        Some(true) if row_major => Return::View(x, Vec::new()),
        Some(false) if row_major => Return::Value(a.tensor("self")?),
        _ => Return::MaybeView(x, Vec::new()),
    }])
}

fn same(_: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    view(a.variable("self")?, Vec::new())
}

fn copy(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, source) = (a.tensor("self")?, a.tensor("src")?);
    let ty = cx.ty(x).clone();
    let source = cx.cast(source, ty.dtype)?;
    one(cx.expand(source, &ty.shape)?)
}

fn fill(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, value) = (a.tensor("self")?, a.operand("value")?);
    let ty = cx.ty(x).clone();
    let value = cx.materialise(&value, ty.dtype, ty.rank())?;
    one(cx.expand(value, &ty.shape)?)
}

fn zero(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let ty = cx.ty(a.tensor("self")?).clone();
    one(cx.full(&ty.shape, ty.dtype, Scalar::Int(0))?)
}

impl Args<'_> {
    /// The argument `memory_format`.
    fn memory_format(&self) -> Result<Option<MemoryFormat>, Problem> {
        Ok(match self.arg("memory_format")? {
            Arg::MemoryFormat(m) => Some(*m),
            _ => None,
        })
    }
}
