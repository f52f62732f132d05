//! Products of rows with the matrices of their groups, as mixtures of experts have them. The rows are in the order of
//! their groups.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Index, ReduceFn};
use kiln_ir::{Builder, DType, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| grouped(cx, a, ["input", "weight"]),
        &["transformers.grouped_mm_fallback.default(input, weight, offs)"],
    ),
    Row::new(
        |cx, a| grouped(cx, a, ["self", "mat2"]),
        &["aten._grouped_mm.default(self, mat2, offs=None, bias=None, out_dtype=None)"],
    ),
];

/// `x[rows, k]` times `weight[groups, k, n]`. `offs[g]` is the number of rows up to and including group `g`.
fn grouped(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    [x, weight]: [&'static str; 2],
) -> Result<Returns, Problem> {
    let (x, weight) = (a.tensor(x)?, a.tensor(weight)?);
    let ends = a.optional_tensor("offs")?;
    let (2, 3, Some(ends)) = (cx.rank(x), cx.rank(weight), ends) else {
        return Err(Problem::unsupported(
            "takes rows [rows, k] and matrices [groups, k, n] with the groups' ends",
        ));
    };
    let is_given = a.has("bias") && a.optional_tensor("bias")?.is_some();
    if is_given {
        return Err(Problem::unsupported("takes no bias"));
    }
    // A row's group is the number of groups that end before it.
    let count = cx.size(x, 0)?;
    let rows = cx.iota(count, DType::I64)?;
    let rows = cx.unsqueeze(rows, &[1])?;
    let ends = cx.cast(ends, DType::I64)?;
    let ends = cx.unsqueeze(ends, &[0])?;
    let is_over = cx.compare(CompareFn::Le, ends, rows)?;
    let y = match reads_less(cx, x, weight)? {
        true => by_row(cx, x, weight, is_over)?,
        false => by_group(cx, x, weight, is_over)?,
    };
    let to = match a.has("out_dtype") {
        true => a.optional_dtype("out_dtype")?.unwrap_or(cx.dtype(x)),
        false => cx.dtype(x),
    };
    one(cx.cast(y, to)?)
}

/// Copying a matrix for each row reads and writes it some four times more than multiplying by it. So it pays where the
/// rows are few beside the groups.
const COPIES: i64 = 4;

fn reads_less(cx: &Importer<'_>, x: ValueId, weight: ValueId) -> Result<bool, Problem> {
    let [rows, groups] = [cx.size(x, 0)?, cx.size(weight, 0)?];
    let is_less = cx.symbols().less_equal(&(rows * COPIES), &groups);
    Ok(is_less == Some(true))
}

/// Each row times a copy of its group's matrix. Rows behind all groups give 0.
fn by_row(
    cx: &mut Importer<'_>,
    x: ValueId,
    weight: ValueId,
    is_over: ValueId,
) -> Result<ValueId, Problem> {
    let over = cx.cast(is_over, DType::I64)?;
    let group = cx.reduce(ReduceFn::Sum, over, [1], false)?;
    let last = cx.size(weight, 0)? - 1;
    let last = cx.dim(&last, DType::I64, 1)?;
    let is_in_group = cx.compare(CompareFn::Le, group, last)?;
    let group = cx.binary(BinaryFn::Min, group, last)?;
    let own = cx.value(Index::rows(), &[weight, group])?;
    let x = cx.unsqueeze(x, &[1])?;
    let y = cx.matmul(x, own)?;
    let y = cx.squeeze(y, &[1])?;
    let none = cx.scalar_like(0.0, y);
    let is_in_group = cx.unsqueeze(is_in_group, &[1])?;
    cx.select(is_in_group, y, none)
}

/// One product with all matrices below each other. A row has its elements at its group's and 0 elsewhere.
fn by_group(
    cx: &mut Importer<'_>,
    x: ValueId,
    weight: ValueId,
    is_over: ValueId,
) -> Result<ValueId, Problem> {
    let [rows, groups] = [cx.size(x, 0)?, cx.size(weight, 0)?];
    let [depth, wide] = [cx.size(weight, 1)?, cx.size(weight, 2)?];
    let over = cx.cast(is_over, cx.dtype(x))?;
    // The group before a row's is over, and the row's own is not. The first has none before it.
    let before = cx.slice(over, 1, 0, groups.clone() - 1, 1)?;
    let before = cx.pad_axis(before, 1, 1, 0, 1.0)?;
    let is_own = cx.sub(before, over)?;
    let is_own = cx.unsqueeze(is_own, &[2])?;
    let x = cx.unsqueeze(x, &[1])?;
    let spread = cx.mul(x, is_own)?;
    let all = groups * depth;
    let spread = cx.reshape(spread, &[rows, all.clone()])?;
    let weight = cx.reshape(weight, &[all, wide])?;
    cx.matmul(spread, weight)
}
