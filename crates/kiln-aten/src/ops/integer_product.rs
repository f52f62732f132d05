//! Products of integers, and the dequantisation behind them.
//!
//! torchao's layers with activations and weights of 8 bits multiply integers, and multiply the sums by the scales of the rows, and by
//! the scales of the weight's rows. If the scales of the rows were chosen from the rows, the sums times these scales are the product of
//! the fake-quantised rows; if they are constants, module `integer_layer` has the layer.

use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::chosen::Choice;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use crate::ops::behind::{behind_casts, behind_views, factors, integers_of};
use crate::ops::integer_layer;
use crate::ops::matmul::matmul;
use kiln_ir::ops::{BinaryFn, FakeQuantize};
use kiln_ir::{Builder, DType, Movement, Op, ValueId};

/// The number that torchao adds to an i8 to make it a u8.
const SHIFT: f64 = 128.0;

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(product, &["aten._int_mm.default(self, mat2)"])];

/// The product of matrices of integers, in i32.
fn product(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    one(product_of(cx, [a.tensor("self")?, a.tensor("mat2")?])?)
}

fn product_of(cx: &mut Importer<'_>, factors: [ValueId; 2]) -> Result<ValueId, Problem> {
    let [left, right] = factors.map(|factor| cx.cast(factor, DType::I32));
    let product = matmul(cx, left?, right?)?;
    cx.chosen.note_product(product, factors);
    Ok(product)
}

/// The product of which `x` less `y` is: of matrices of i8, or of a fake-quantised matrix.
///
/// # Errors
/// If the product cannot be built.
pub(super) fn difference(
    cx: &mut Importer<'_>,
    x: ValueId,
    y: ValueId,
) -> Result<Option<ValueId>, Problem> {
    match less_shift(cx, x, y)? {
        None => less_zero_points(cx, x, y),
        found => Ok(found),
    }
}

/// The product of matrices of i8, if `x` less `y` is that of a left factor which is [`SHIFT`] greater, less what the shift adds: the
/// sums of the right factor's columns, times the shift. torchao writes products so if the machine that exports has instructions for u8
/// by i8 (`torchao/kernel/intmm.py`, `_int_scaled_matmul_cpu`).
fn less_shift(cx: &mut Importer<'_>, x: ValueId, y: ValueId) -> Result<Option<ValueId>, Problem> {
    let Some([left, right]) = cx.chosen.product(x) else {
        return Ok(None);
    };
    match unshifted(cx, left) {
        Some(left) if is_sum_of_columns(cx, right, y, SHIFT) => {
            product_of(cx, [left, right]).map(Some)
        }
        _ => Ok(None),
    }
}

/// The i8 that were shifted to these u8.
fn unshifted(cx: &Importer<'_>, bytes: ValueId) -> Option<ValueId> {
    let behind_cast = |value: ValueId| {
        let node = cx.graph().node(cx.graph().producer(value)?);
        matches!(node.op, Op::Cast(_)).then(|| node.operands[0])
    };
    let shifted = behind_cast(bytes)?;
    let node = cx.graph().node(cx.graph().producer(shifted)?);
    let is_sum = matches!(&node.op, Op::Binary(op) if op.f == BinaryFn::Add);
    let &[a, b] = &node.operands[..] else {
        return None;
    };
    let is_shift = |value| {
        let known = cx.known_value(value);
        known.is_some_and(|data| data.as_splat().is_some_and(|s| s.as_f64() == SHIFT))
    };
    let integers = behind_cast(if is_shift(b) { a } else { b })?;
    let is_shifted = is_sum && (is_shift(a) || is_shift(b));
    let types = [bytes, shifted, integers].map(|value| cx.dtype(value));
    (is_shifted && types == [DType::U8, DType::I32, DType::I8]).then_some(integers)
}

/// True if these are the sums of a matrix's columns, times a factor, as a row or a vector.
fn is_sum_of_columns(cx: &Importer<'_>, matrix: ValueId, sums: ValueId, factor: f64) -> bool {
    let (Some(sums), Some(matrix)) = (cx.known_value(sums), cx.known_value(matrix)) else {
        return false;
    };
    let &[_, columns] = matrix.sizes() else {
        return false;
    };
    let is_row = sums.sizes() == [columns] || sums.sizes() == [1, columns];
    let mut found = vec![0.0; columns];
    for (position, number) in matrix.scalars().enumerate() {
        found[position % columns] += number.as_f64() * factor;
    }
    is_row && sums.scalars().map(|sum| sum.as_f64()).eq(found)
}

/// The product of a fake-quantised or dequantised matrix, if `x` and `y` are its sums of integers and its scales, in either order.
///
/// # Errors
/// If the product cannot be built.
pub(super) fn scaled(
    cx: &mut Importer<'_>,
    x: ValueId,
    y: ValueId,
) -> Result<Option<ValueId>, Problem> {
    for (sums, scale) in [(x, y), (y, x)] {
        let made = match Scaled::of(cx, sums, scale) {
            Some(scaled) if scaled.choice.quant.is_about_zero() => Some(scaled.build(cx)?),
            Some(_) => None,
            None => match integer_layer::product(cx, sums, scale)? {
                None => integer_layer::scaled(cx, sums, scale)?,
                made => made,
            },
        };
        if made.is_some() {
            return Ok(made);
        }
    }
    Ok(None)
}

/// The product of a fake-quantised matrix, if `x` less `y` is its scaled sums of integers less what the zero points add to them: the
/// rows' zero points times the rows' scales, times the sums of the weight's columns. Where the terms are rounded to halves, and both are
/// infinite, the product is a number.
fn less_zero_points(
    cx: &mut Importer<'_>,
    x: ValueId,
    y: ValueId,
) -> Result<Option<ValueId>, Problem> {
    // Layers of halves round both terms to halves.
    let terms = [x, y].map(|term| factors(cx, behind_casts(cx, term)));
    let [Some(scaled), Some(offset)] = terms else {
        return integer_layer::less_zero_points(cx, x, y);
    };
    let orders = |[a, b]: [ValueId; 2]| [(a, b), (b, a)];
    let found = orders(scaled)
        .into_iter()
        .find_map(|(sums, scale)| Scaled::of(cx, sums, scale));
    let Some(scaled) = found else {
        return integer_layer::less_zero_points(cx, x, y);
    };
    let is_of_rows = |rows: ValueId| cx.shape(rows) == cx.shape(scaled.scale);
    let is_offset = orders(offset).into_iter().any(|(rows, columns)| {
        is_of_rows(rows)
            && is_sum_of_columns(cx, scaled.right, columns, 1.0)
            && factors(cx, rows).is_some_and(|rows| {
                let mut rows = orders(rows).into_iter();
                rows.any(|(zero_point, scale)| scaled.has(cx, zero_point, scale))
            })
    });
    if !is_offset {
        return Ok(None);
    }
    let product = scaled.build(cx)?;
    cx.cast(product, cx.dtype(x)).map(Some)
}

/// Sums of products of integers, times the scales of the left factor's rows.
struct Scaled {
    /// How the left factor's integers were chosen, and the views behind them, the last one first.
    choice: Choice,
    views: Vec<Movement>,
    right: ValueId,
    scale: ValueId,
    dtype: DType,
}

impl Scaled {
    fn of(cx: &Importer<'_>, sums: ValueId, scale: ValueId) -> Option<Scaled> {
        let dtype = cx.dtype(sums);
        let [left, right] = cx.chosen.product(integers_of(cx, sums)?)?;
        let (choice, views) = choice_of(cx, left, scale)?;
        // Each row of the product has a scale, or all have one.
        let is_by_row = choice.quant.axes == 1
            && cx.rank(left) == 2
            && cx.shape(left).last() == cx.shape(choice.x).last()
            && cx.shape(scale)[..] == [cx.shape(left)[0].clone(), 1.into()];
        let is_whole =
            choice.quant.axes == cx.rank(choice.x) && cx.shape(scale).iter().all(|size| size.is(1));
        let fits = (is_by_row || is_whole) && dtype == cx.dtype(scale);
        fits.then_some(Scaled {
            choice,
            views,
            right,
            scale,
            dtype,
        })
    }

    /// The product of the fake-quantised rows.
    fn build(self, cx: &mut Importer<'_>) -> Result<ValueId, Problem> {
        let (quant, dtype) = (self.choice.quant, self.dtype);
        let mut rows = cx.value(FakeQuantize { quant, dtype }, &[self.choice.x])?;
        for view in self.views.into_iter().rev() {
            rows = cx.movement(rows, view)?;
        }
        let weight = cx.cast(self.right, dtype)?;
        matmul(cx, rows, weight)
    }

    /// True if these are the rows' zero points and scales.
    fn has(&self, cx: &Importer<'_>, zero_point: ValueId, scale: ValueId) -> bool {
        let last = |sources: Vec<(ValueId, _)>| sources.last().map(|&(source, _)| source);
        origin(cx, zero_point) == origin(cx, self.choice.zero_point)
            && last(behind_views(cx, scale)) == last(behind_views(cx, self.scale))
    }
}

/// What lies behind the views and casts of a zero point, which is a small integer in every dtype.
fn origin(cx: &Importer<'_>, mut value: ValueId) -> ValueId {
    while let Some(id) = cx.graph().producer(value) {
        let node = cx.graph().node(id);
        match &node.op {
            Op::Move(op) if op.movement.is_view() => value = node.operands[0],
            Op::Cast(_) => value = node.operands[0],
            _ => break,
        }
    }
    value
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
