//! Products of integers, and the dequantisation behind them.
//!
//! torchao's layers with activations and weights of 8 bits multiply integers, and multiply the sums by the scales of the rows, and by
//! the scales of the weight's rows. The sums times the scales of the rows are the product of the fake-quantised rows.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::chosen::Choice;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use crate::ops::matmul::matmul;
use kiln_ir::ops::FakeQuantize;
use kiln_ir::{Builder, DType, Movement, Op, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(product, &["aten._int_mm.default(self, mat2)"])];

/// The product of matrices of i8, in i32.
fn product(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let factors = [a.tensor("self")?, a.tensor("mat2")?];
    let [left, right] = factors.map(|factor| cx.cast(factor, DType::I32));
    let product = matmul(cx, left?, right?)?;
    cx.chosen.note_product(product, factors);
    one(product)
}

/// The product of a fake-quantised matrix, if `x` and `y` are its sums of integers and its scales, in either order.
///
/// # Errors
/// If the product cannot be built.
pub(super) fn scaled(
    cx: &mut Importer<'_>,
    x: ValueId,
    y: ValueId,
) -> Result<Option<ValueId>, Problem> {
    for (sums, scale) in [(x, y), (y, x)] {
        if let Some(made) = of_fake_quantised(cx, sums, scale)? {
            return Ok(Some(made));
        }
    }
    Ok(None)
}

fn of_fake_quantised(
    cx: &mut Importer<'_>,
    sums: ValueId,
    scale: ValueId,
) -> Result<Option<ValueId>, Problem> {
    let dtype = cx.dtype(sums);
    let Some([left, right]) = integers_of(cx, sums).and_then(|sums| cx.chosen.product(sums)) else {
        return Ok(None);
    };
    let Some((choice, views)) = choice_of(cx, left, scale) else {
        return Ok(None);
    };
    // Each row of the product has a scale, and no zero point.
    let is_by_row = choice.quant.axes == 1
        && cx.rank(left) == 2
        && cx.shape(left).last() == cx.shape(choice.x).last()
        && cx.shape(scale)[..] == [cx.shape(left)[0].clone(), 1.into()];
    if !is_by_row || !choice.quant.is_about_zero() || dtype != cx.dtype(scale) {
        return Ok(None);
    }
    let quant = choice.quant;
    let mut rows = cx.value(FakeQuantize { quant, dtype }, &[choice.x])?;
    for view in views.into_iter().rev() {
        rows = cx.movement(rows, view)?;
    }
    let weight = cx.cast(right, dtype)?;
    matmul(cx, rows, weight).map(Some)
}

/// The integers that were cast to these floats.
fn integers_of(cx: &Importer<'_>, floats: ValueId) -> Option<ValueId> {
    let node = cx.graph().node(cx.graph().producer(floats)?);
    let from = matches!(node.op, Op::Cast(_)).then(|| node.operands[0])?;
    (cx.dtype(floats).is_float() && cx.dtype(from).is_int()).then_some(from)
}

/// The choice by which the integers behind `left` were made, if `scale` is its scale; and the views in front of `left`, the last one first.
fn choice_of(cx: &Importer<'_>, left: ValueId, scale: ValueId) -> Option<(Choice, Vec<Movement>)> {
    let scales = behind_views(cx, scale);
    let made_with = |integers: ValueId| {
        let mut all = scales.iter();
        all.find_map(|&(scale, _)| cx.chosen.behind(integers, scale))
    };
    let sources = behind_views(cx, left);
    let (at, choice) =
        (sources.iter().enumerate()).find_map(|(i, &(v, _))| Some((i, made_with(v)?)))?;
    let views = sources[..at].iter().filter_map(|(_, view)| view.clone());
    Some((choice, views.collect()))
}

/// A value and the sources of the views in row-major order of which it is the last, each with the view that it is.
fn behind_views(cx: &Importer<'_>, mut value: ValueId) -> Vec<(ValueId, Option<Movement>)> {
    let mut sources = Vec::new();
    while let Some(Op::Move(op)) = cx.graph().producer_op(value)
        && op.movement.is_view()
        && let Some(producer) = cx.graph().producer(value)
    {
        sources.push((value, Some(op.movement.clone())));
        value = cx.graph().node(producer).operands[0];
    }
    sources.push((value, None));
    sources
}
