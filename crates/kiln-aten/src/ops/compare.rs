//! Comparisons, selections and clamps.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, UnaryFn};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows of a comparison, which has two names.
macro_rules! comparison {
    ($f:ident $name:literal $long:literal) => {
        Row::new(
            |cx, a| compare(cx, a, CompareFn::$f),
            &[
                concat!("aten.", $name, ".Tensor(self, other)"),
                concat!("aten.", $name, ".Scalar(self, other)"),
                concat!("aten.", $long, ".Tensor(self, other)"),
                concat!("aten.", $long, ".Scalar(self, other)"),
            ],
        )
    };
}

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| compare(cx, a, CompareFn::Eq),
        &["aten.eq.Tensor(self, other)", "aten.eq.Scalar(self, other)"],
    ),
    comparison!(Ne "ne" "not_equal"),
    comparison!(Lt "lt" "less"),
    comparison!(Le "le" "less_equal"),
    comparison!(Gt "gt" "greater"),
    comparison!(Ge "ge" "greater_equal"),
    Row::new(
        choose,
        &[
            "aten.where.self(condition, self, other)",
            "aten.where.ScalarSelf(condition, self, other)",
            "aten.where.ScalarOther(condition, self, other)",
            "aten.where.Scalar(condition, self, other)",
        ],
    ),
    Row::new(
        masked_fill,
        &[
            "aten.masked_fill.Scalar(self, mask, value)",
            "aten.masked_fill.Tensor(self, mask, value)",
        ],
    ),
    Row::new(
        |cx, a| clamp(cx, a, Some("min"), Some("max")),
        &[
            "aten.clamp.default(self, min=None, max=None)",
            "aten.clamp.Tensor(self, min=None, max=None)",
            "aten.clip.default(self, min=None, max=None)",
            "aten.clip.Tensor(self, min=None, max=None)",
        ],
    ),
    Row::new(
        |cx, a| clamp(cx, a, Some("min"), None),
        &[
            "aten.clamp_min.default(self, min)",
            "aten.clamp_min.Tensor(self, min)",
        ],
    ),
    Row::new(
        |cx, a| clamp(cx, a, None, Some("max")),
        &[
            "aten.clamp_max.default(self, max)",
            "aten.clamp_max.Tensor(self, max)",
        ],
    ),
];

fn compare(cx: &mut Importer<'_>, a: &Args<'_>, f: CompareFn) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let dtype = cx.result_type(&[&x, &y]);
    let [x, y] = cx.meet([&x, &y], dtype)?;
    one(cx.compare(f, x, y)?)
}

fn choose(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, y) = (a.operand("self")?, a.operand("other")?);
    let condition = cx.cast(a.tensor("condition")?, DType::Bool)?;
    let dtype = cx.result_type(&[&x, &y]);
    let [x, y] = cx.meet([&x, &y], dtype)?;
    one(cx.select(condition, x, y)?)
}

fn masked_fill(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, value) = (a.tensor("self")?, a.operand("value")?);
    let mask = cx.cast(a.tensor("mask")?, DType::Bool)?;
    let dtype = cx.dtype(x);
    let value = cx.materialise(&value, dtype, 0)?;
    one(cx.select(mask, value, x)?)
}

fn bound(a: &Args<'_>, name: Option<&'static str>) -> Result<Option<Operand>, Problem> {
    name.map_or(Ok(None), |name| a.optional_operand(name))
}

fn known(operand: &Option<Operand>) -> Option<Option<Scalar>> {
    match operand {
        None => Some(None),
        Some(Operand::Known(s)) => Some(Some(*s)),
        Some(_) => None,
    }
}

/// Clamps to limits that are tensors or numbers. Where the lower limit exceeds the upper one, the upper one wins.
fn clamp(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    min: Option<&'static str>,
    max: Option<&'static str>,
) -> Result<Returns, Problem> {
    let x = a.operand("self")?;
    let (min, max) = (bound(a, min)?, bound(a, max)?);
    let all: Vec<&Operand> = [Some(&x), min.as_ref(), max.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let dtype = cx.result_type(&all);
    let value = cx.materialise(&x, dtype, 0)?;
    if let (Some(min), Some(max)) = (known(&min), known(&max)) {
        return one(cx.unary(UnaryFn::Clamp { min, max }, value)?);
    }
    let value = limit(cx, BinaryFn::Max, value, min, dtype)?;
    one(limit(cx, BinaryFn::Min, value, max, dtype)?)
}

fn limit(
    cx: &mut Importer<'_>,
    f: BinaryFn,
    value: ValueId,
    bound: Option<Operand>,
    dtype: DType,
) -> Result<ValueId, Problem> {
    let Some(bound) = bound else { return Ok(value) };
    let rank = cx.rank(value);
    let bound = cx.materialise(&bound, dtype, rank)?;
    cx.binary(f, value, bound)
}
