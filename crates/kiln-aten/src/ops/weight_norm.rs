//! Weight normalisation: a weight as a direction and a length.

use super::norm::norm_along;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::build::axis;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::Builder;
use kiln_ir::ValueId;
use kiln_ir::ops::BinaryFn;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        |cx, a| Ok(weight_norm(cx, a)?.into_iter().take(1).collect()),
        &["aten._weight_norm.default(v, g, dim=0)"],
    ),
    Row::new(
        weight_norm,
        &["aten._weight_norm_interface.default(v, g, dim=0)"],
    ),
    Row::new(
        norm_except,
        &["aten.norm_except_dim.default(v, pow=2, dim=0)"],
    ),
];

/// The `p`-norm over all axes but one, which stays. Dim -1 means all axes.
fn length(cx: &mut Importer<'_>, v: ValueId, p: f64, dim: i64) -> Result<ValueId, Problem> {
    let rank = cx.rank(v);
    if dim == -1 {
        let all: Vec<usize> = (0..rank).collect();
        return norm_along(cx, v, p, &all, false);
    }
    let kept = axis(dim, rank)?;
    let others: Vec<usize> = (0..rank).filter(|&i| i != kept).collect();
    norm_along(cx, v, p, &others, true)
}

/// `v * (g / |v|)`, and the norm `|v|`.
fn weight_norm(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (v, g) = (a.tensor("v")?, a.tensor("g")?);
    let length = length(cx, v, 2.0, a.int("dim")?)?;
    let factor = cx.binary(BinaryFn::Div, g, length)?;
    let weight = cx.mul(v, factor)?;
    Ok(vec![weight.into(), length.into()])
}

fn norm_except(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let v = a.tensor("v")?;
    one(length(cx, v, a.float("pow")?, a.int("dim")?)?)
}
