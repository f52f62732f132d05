//! Tensors one behind the other.

use crate::arguments::{Args, Operand};
use crate::build::axis;
use crate::error::Problem;
use crate::importer::Importer;
use crate::table::Row;
use crate::variable::{Returns, one};
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
];

/// The tensors in the dtype in which they meet.
pub(crate) fn promoted(
    cx: &mut Importer<'_>,
    tensors: &[ValueId],
) -> Result<Vec<ValueId>, Problem> {
    let operands: Vec<Operand> = tensors.iter().map(|&v| Operand::Tensor(v)).collect();
    let dtype = cx.result_type(&operands.iter().collect::<Vec<_>>());
    tensors.iter().map(|&v| cx.cast(v, dtype)).collect()
}

/// Vectors of size 0 join anything: PyTorch skips them.
fn cat(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let tensors = promoted(cx, &a.tensors("tensors")?)?;
    let Some(&first) = tensors.first() else {
        return Err(Problem::unsupported("joins no tensors"));
    };
    let is_nothing = |&v: &ValueId| cx.rank(v) == 1 && cx.size(v, 0).is(0);
    let kept: Vec<ValueId> = tensors.iter().copied().filter(|v| !is_nothing(v)).collect();
    let Some(rank) = kept.first().map(|&v| cx.rank(v)) else {
        return one(first);
    };
    let along = axis(a.int("dim")?, rank)?;
    one(cx.concat(along, &kept)?)
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
    one(cx.concat(along, &layers)?)
}
