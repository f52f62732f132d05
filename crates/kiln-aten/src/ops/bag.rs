//! Ops that compare indices: bags of embeddings, one-hot codes, and searches in sorted boundaries.

use crate::call::Arg;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{BinaryFn, CompareFn, Gather, Index, MatMul, ReduceFn, Simple};
use kiln_ir::{Builder, DType, Scalar, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        embedding_bag,
        &[
            "aten.embedding_bag.padding_idx(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)",
            "aten.embedding_bag.default(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False)",
            "aten._embedding_bag.default(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1)",
            "aten._embedding_bag_forward_only.default(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1)",
        ],
    ),
    Row::new(one_hot, &["aten.one_hot.default(self, num_classes=-1)"]),
    Row::new(
        bucketize,
        &[
            "aten.bucketize.Tensor(self, boundaries, *, out_int32=False, right=False)",
            "aten.bucketize.Scalar(self, boundaries, *, out_int32=False, right=False)",
        ],
    ),
    Row::new(
        search_sorted,
        &[
            "aten.searchsorted.Tensor(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None)",
            "aten.searchsorted.Scalar(sorted_sequence, self, *, out_int32=False, right=False, side=None, sorter=None)",
        ],
    ),
];

/// The membership mask: true at `[bag, position]` if the position is in the bag and its index is not the padding index.
fn membership(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<ValueId, Problem> {
    let indices = a.tensor("indices")?;
    let offsets = cx.cast(a.tensor("offsets")?, DType::I64)?;
    if cx.rank(indices) != 1 || cx.rank(offsets) != 1 || cx.rank(a.tensor("weight")?) != 2 {
        return Err(Problem::unsupported(
            "takes a matrix, and indices and offsets of rank 1",
        ));
    }
    let (len, given) = (cx.size(indices, 0)?, cx.size(offsets, 0)?);
    let (starts, ends) = if a.bool("include_last_offset")? {
        let count = &given - 1;
        (
            cx.slice(offsets, 0, 0, &count, 1)?,
            cx.slice(offsets, 0, 1, &count, 1)?,
        )
    } else {
        let end = cx.dim(&len, DType::I64, 0)?;
        let end = cx.unsqueeze(end, &[0])?;
        let later = cx.slice(offsets, 0, 1, &(&given - 1), 1)?;
        (offsets, cx.concat(&[later, end], 0)?)
    };
    let (starts, ends) = (cx.unsqueeze(starts, &[1])?, cx.unsqueeze(ends, &[1])?);
    let position = cx.iota(&len, DType::I64)?;
    let from = cx.compare(CompareFn::Ge, position, starts)?;
    let to = cx.compare(CompareFn::Lt, position, ends)?;
    let inside = cx.binary(BinaryFn::BitAnd, from, to)?;
    without_padding(cx, a, inside)
}

fn without_padding(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    inside: ValueId,
) -> Result<ValueId, Problem> {
    let padding = if a.has("padding_idx") {
        a.optional_int("padding_idx")?
    } else {
        None
    };
    let Some(mut padding) = padding else {
        return Ok(inside);
    };
    if padding < 0 {
        // The internal ops write "no padding index" as -1. The public ops count negative indices from the end.
        if !a.target().starts_with("aten.embedding_bag.") {
            return Ok(inside);
        }
        let rows = cx.size(a.tensor("weight")?, 0)?;
        let rows = rows.as_const().ok_or_else(|| {
            Problem::unsupported("a padding index from the end of a table of symbolic size")
        })?;
        padding += rows;
    }
    let indices = a.tensor("indices")?;
    let real = cx.compare_with(CompareFn::Ne, indices, padding)?;
    cx.binary(BinaryFn::BitAnd, inside, real)
}

/// The first result and the sizes of the bags. The other two results, which only gradients need, are not given.
fn embedding_bag(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let inside = membership(cx, a)?;
    let (weight, indices) = (a.tensor("weight")?, a.tensor("indices")?);
    let rows = cx.value(Index::rows(), &[weight, indices])?;
    let counted = cx.cast(inside, DType::I64)?;
    let counts = cx.reduce(ReduceFn::Sum, counted, [1], true)?;
    let bags = match a.int("mode")? {
        0 => sum_of_bags(cx, a, inside, rows)?,
        1 => {
            let sum = sum_of_bags(cx, a, inside, rows)?;
            let divisor = cx.with(BinaryFn::Max, counts, 1i64)?;
            let dtype = cx.dtype(sum);
            let divisor = cx.cast(divisor, dtype)?;
            cx.binary(BinaryFn::Div, sum, divisor)?
        }
        2 => greatest_of_bags(cx, inside, rows, counts)?,
        other => return Err(Problem::unsupported(format!("mode {other}"))),
    };
    let sizes = cx.squeeze(counts, &[1])?;
    let none = || Return::Arg(Arg::None);
    Ok(vec![bags.into(), none(), sizes.into(), none()])
}

/// The product of the membership mask `[bag, position]`, as weights, and the rows `[position, column]`.
fn sum_of_bags(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    inside: ValueId,
    rows: ValueId,
) -> Result<ValueId, Problem> {
    let dtype = cx.dtype(rows);
    let mut share = cx.cast(inside, dtype)?;
    if let Some(weights) = a.optional_tensor("per_sample_weights")? {
        let weights = cx.cast(weights, dtype)?;
        share = cx.mul(share, weights)?;
    }
    cx.value(MatMul {}, &[share, rows])
}

/// Replaces the results of empty bags by zeros.
fn greatest_of_bags(
    cx: &mut Importer<'_>,
    inside: ValueId,
    rows: ValueId,
    counts: ValueId,
) -> Result<ValueId, Problem> {
    let rows = cx.unsqueeze(rows, &[0])?;
    let member = cx.unsqueeze(inside, &[2])?;
    let least = cx.scalar_like(Scalar::Float(f64::NEG_INFINITY), rows);
    let masked = cx.select(member, rows, least)?;
    let greatest = cx.reduce(ReduceFn::Max, masked, [1], false)?;
    let empty = cx.compare_with(CompareFn::Eq, counts, 0i64)?;
    let zero = cx.scalar_like(Scalar::Int(0), greatest);
    cx.select(empty, zero, greatest)
}

fn one_hot(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (x, classes) = (a.tensor("self")?, a.dim("num_classes")?);
    if classes.as_const().is_some_and(|c| c < 0) {
        return Err(Problem::unsupported(
            "the number of classes is the greatest index and one, which is data; give `num_classes`",
        ));
    }
    let x = cx.cast(x, DType::I64)?;
    let x = cx.unsqueeze(x, &[cx.rank(x)])?;
    let class = cx.iota(&classes, DType::I64)?;
    let hot = cx.compare(CompareFn::Eq, x, class)?;
    one(cx.cast(hot, DType::I64)?)
}

/// The number of boundaries, along the last axis, that are before each value. A NaN is behind all boundaries.
fn places(
    cx: &mut Importer<'_>,
    a: &Args<'_>,
    boundaries: ValueId,
    values: &Operand,
    right: bool,
) -> Result<Returns, Problem> {
    let known = Operand::Tensor(boundaries);
    let dtype = cx.result_type(&[&known, values]);
    let boundaries = cx.cast(boundaries, dtype)?;
    let mut x = cx.materialise(values, dtype, 0)?;
    let lone = cx.rank(boundaries) == 1;
    if cx.rank(boundaries) == 0 || !lone && cx.rank(x) != cx.rank(boundaries) {
        return Err(Problem::unsupported(
            "boundaries have one axis, or all those of the values",
        ));
    }
    let last = cx.rank(x);
    x = cx.unsqueeze(x, &[last])?;
    // Boundaries become `[.., 1, boundary]`, values `[.., value, 1]`.
    let boundaries = if lone {
        boundaries
    } else {
        cx.unsqueeze(boundaries, &[last - 1])?
    };
    let f = if right { CompareFn::Gt } else { CompareFn::Ge };
    let behind = cx.compare(f, boundaries, x)?;
    let before = cx.unary(Simple::BitNot, behind)?;
    let before = cx.cast(before, DType::I64)?;
    let count = cx.reduce(ReduceFn::Sum, before, [last], false)?;
    let narrow = a.bool("out_int32")?;
    one(cx.cast(count, if narrow { DType::I32 } else { DType::I64 })?)
}

fn bucketize(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let boundaries = a.tensor("boundaries")?;
    places(cx, a, boundaries, &a.operand("self")?, a.bool("right")?)
}

fn search_sorted(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut boundaries = a.tensor("sorted_sequence")?;
    if let Some(sorter) = a.optional_tensor("sorter")? {
        let axis = cx.rank(boundaries).saturating_sub(1);
        boundaries = cx.value(Gather { axis }, &[boundaries, sorter])?;
    }
    let right = match a.optional_text("side")? {
        Some("right") => true,
        Some("left") => false,
        Some(other) => return Err(Problem::unsupported(format!("side={other:?}"))),
        None => a.bool("right")?,
    };
    places(cx, a, boundaries, &a.operand("self")?, right)
}
