//! Ops that join tensors along an axis.

use super::movement::missing_axes;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::{Args, Operand};
use crate::importer::build::axis;
use crate::importer::returns::{Return, Returns, one};
use crate::importer::row::Row;
use kiln_ir::Builder;
use kiln_ir::ValueId;

/// The rows.
pub(crate) const ROWS: &[Row] = &[
    Row::new(
        cat,
        &[
            "aten.cat.default(tensors, dim=0)",
            "aten.concat.default(tensors, dim=0)",
            "aten.concatenate.default(tensors, dim=0)",
        ],
    ),
    Row::new(stack, &["aten.stack.default(tensors, dim=0)"]),
    Row::new(|cx, a| layered(cx, a, 1), &["aten.hstack.default(tensors)"]),
    Row::new(
        |cx, a| layered(cx, a, 2),
        &[
            "aten.vstack.default(tensors)",
            "aten.row_stack.default(tensors)",
        ],
    ),
    Row::new(|cx, a| layered(cx, a, 3), &["aten.dstack.default(tensors)"]),
    Row::new(column_stack, &["aten.column_stack.default(tensors)"]),
    Row::new(
        broadcast_tensors,
        &["aten.broadcast_tensors.default(tensors)"],
    ),
];

/// The tensors, cast to their common dtype.
pub(crate) fn promoted(
    cx: &mut Importer<'_>,
    tensors: &[ValueId],
) -> Result<Vec<ValueId>, Problem> {
    let operands: Vec<Operand> = tensors.iter().map(|&v| Operand::Tensor(v)).collect();
    let dtype = cx.result_type(&operands.iter().collect::<Vec<_>>());
    tensors.iter().map(|&v| cx.cast(v, dtype)).collect()
}

/// PyTorch skips vectors of size 0, whatever the rank of the others.
fn cat(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let tensors = promoted(cx, &a.tensors("tensors")?)?;
    let Some(&first) = tensors.first() else {
        return Err(Problem::unsupported("joins no tensors"));
    };
    let is_nothing = |&v: &ValueId| matches!(&**cx.shape(v), [size] if size.is(0));
    let kept: Vec<ValueId> = tensors.iter().copied().filter(|v| !is_nothing(v)).collect();
    let Some(rank) = kept.first().map(|&v| cx.rank(v)) else {
        return one(first);
    };
    let along = axis(a.int("dim")?, rank)?;
    one(cx.concat(&kept, along)?)
}

fn stack(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let tensors = promoted(cx, &a.tensors("tensors")?)?;
    let Some(rank) = tensors.first().map(|&v| cx.rank(v)) else {
        return Err(Problem::unsupported("stacks no tensors"));
    };
    let along = axis(a.int("dim")?, rank + 1)?;
    let layers: Vec<ValueId> = tensors
        .into_iter()
        .map(|v| cx.unsqueeze(v, &[along]))
        .collect::<Result<_, _>>()?;
    one(cx.concat(&layers, along)?)
}

/// Joins tensors of at least that rank along the second axis (vectors along their only axis), the first, or the third.
fn layered(cx: &mut Importer<'_>, a: &Args<'_>, rank: usize) -> Result<Returns, Problem> {
    let mut tensors = promoted(cx, &a.tensors("tensors")?)?;
    for v in &mut tensors {
        let at = missing_axes(cx.rank(*v), rank);
        *v = cx.unsqueeze(*v, &at)?;
    }
    let Some(&first) = tensors.first() else {
        return Err(Problem::unsupported("stacks no tensors"));
    };
    let along = match rank {
        1 => usize::from(cx.rank(first) > 1),
        2 => 0,
        _ => 2,
    };
    one(cx.concat(&tensors, along)?)
}

/// Joins vectors as columns.
fn column_stack(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let mut tensors = promoted(cx, &a.tensors("tensors")?)?;
    for v in &mut tensors {
        *v = match cx.rank(*v) {
            0 => cx.unsqueeze(*v, &[0, 1])?,
            1 => cx.unsqueeze(*v, &[1])?,
            _ => *v,
        };
    }
    one(cx.concat(&tensors, 1)?)
}

/// The tensors, broadcast to their common shape. PyTorch's results are views that cannot be written to, so copies do.
fn broadcast_tensors(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let tensors = a.tensors("tensors")?;
    let shape = cx.common_shape(&tensors)?;
    let repeated: Result<Vec<ValueId>, Problem> =
        tensors.iter().map(|&v| cx.expand(v, &shape)).collect();
    Ok(vec![Return::Values(repeated?)])
}
