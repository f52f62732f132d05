//! Non-maximum suppression, as torchvision defines it (`torchvision/csrc/ops/cpu/nms_kernel.cpp`).
//!
//! The boxes are put in the order of their scores. A loop keeps the first box that is left, and removes it and all boxes
//! that overlap it. So the loop takes one step for each kept box, and memory for the boxes alone, where a table of all
//! overlaps would take the square of the greatest number of boxes.

use super::indexing::positions;
use crate::call::error::Problem;
use crate::importer::Importer;
use crate::importer::arguments::Args;
use crate::importer::returns::{Returns, one};
use crate::importer::row::Row;
use kiln_ir::ops::{ArgFn, ArgReduce, BinaryFn, CompareFn, Index, ReduceFn, Simple, Sort, While};
use kiln_ir::{Builder, DType, Scalar, SymbolId, TensorData, ValueId};

/// The rows.
pub(crate) const ROWS: &[Row] = &[Row::new(
    nms,
    &["torchvision.nms.default(dets, scores, iou_threshold)"],
)];

/// The indices of the kept boxes, best score first. A box is `x1, y1, x2, y2`.
fn nms(cx: &mut Importer<'_>, a: &Args<'_>) -> Result<Returns, Problem> {
    let (boxes, scores) = (a.tensor("dets")?, a.tensor("scores")?);
    let fits = cx.rank(boxes) == 2 && cx.rank(scores) == 1 && cx.size(boxes, 1)?.is(4);
    if !fits || !cx.dtype(boxes).is_float() {
        return Err(Problem::unsupported(
            "takes boxes of floats [n, 4] and scores [n]",
        ));
    }
    let by_score = Sort {
        axis: 0,
        descending: true,
    };
    let order = cx.results(by_score, &[scores])?[1];
    // Areas leave the range of halves early.
    let dtype = match cx.dtype(boxes) {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    let boxes = cx.cast(boxes, dtype)?;
    let boxes = cx.value(Index::rows(), &[boxes, order])?;
    let threshold = not_above(cx.dtype(boxes), a.float("iou_threshold")?);
    let boxes = Boxes::new(cx, boxes)?;
    let kept = kept(cx, &boxes, threshold)?;
    let declared = a.declared_shape().and_then(|shape| shape.first());
    if let Some(count) = declared.and_then(|count| cx.as_unbound(count)) {
        widen(cx, count, kept)?;
    }
    let at = positions(cx, kept, declared)?;
    let count = cx.size(at, 0)?;
    let at = cx.reshape(at, &[count])?;
    one(cx.value(Index::rows(), &[order, at])?)
}

/// Gives the number of kept boxes the range that it has. The exporter knows no bound, and writes that a size that it does
/// not know is at least 2.
fn widen(cx: &mut Importer<'_>, count: SymbolId, kept: ValueId) -> Result<(), Problem> {
    let boxes = cx.size(kept, 0)?;
    let most = cx.symbols().max(&boxes);
    let symbol = cx.rewriter().symbols().get_mut(count);
    symbol.min = 0;
    symbol.max = [symbol.max, most].into_iter().flatten().min();
    Ok(())
}

/// An axis of the boxes: the two edges, `[n]` of all boxes or `[1]` of one.
type Span = [ValueId; 2];

/// The boxes as the loop reads them.
struct Boxes {
    /// Edges and area of each box by row, `[n, 5]`.
    rows: ValueId,
    /// The same by column, each `[n]`.
    columns: [ValueId; 5],
    /// `0, 1, ..`: i64 `[n]`.
    numbers: ValueId,
}

impl Boxes {
    fn new(cx: &mut Importer<'_>, boxes: ValueId) -> Result<Boxes, Problem> {
        let [x1, y1, x2, y2] = columns(cx, boxes)?;
        // A product of all elements stays in f32 where the rest of the model is converted to halves.
        let [low, high] = [cx.slice(boxes, 1, 0, 2, 1)?, cx.slice(boxes, 1, 2, 2, 1)?];
        let sides = cx.sub(high, low)?;
        let column = cx.reduce(ReduceFn::Prod, sides, [1], true)?;
        let area = cx.squeeze(column, &[1])?;
        let count = cx.size(boxes, 0)?;
        Ok(Boxes {
            rows: cx.concat(&[boxes, column], 1)?,
            columns: [x1, y1, x2, y2, area],
            numbers: cx.iota(count, DType::I64)?,
        })
    }

    fn values(&self) -> Vec<ValueId> {
        let mut values = vec![self.rows, self.numbers];
        values.extend(self.columns);
        values
    }

    /// The boxes in the loop's body, from its parameters.
    fn within(&self, params: &[ValueId]) -> Boxes {
        let mut columns = self.columns;
        columns.copy_from_slice(&params[2..]);
        Boxes {
            rows: params[0],
            numbers: params[1],
            columns,
        }
    }
}

/// The first columns of `[n, ..]`, each `[n]`.
fn columns<const N: usize>(cx: &mut Importer<'_>, rows: ValueId) -> Result<[ValueId; N], Problem> {
    let mut columns = [rows; N];
    for (i, column) in columns.iter_mut().enumerate() {
        let one = cx.slice(rows, 1, i as i64, 1, 1)?;
        *column = cx.squeeze(one, &[1])?;
    }
    Ok(columns)
}

/// Whether each box and the one of number `at` overlap: their intersection over union exceeds the threshold.
fn overlaps(
    cx: &mut Importer<'_>,
    boxes: &Boxes,
    at: ValueId,
    threshold: f64,
) -> Result<ValueId, Problem> {
    let own = cx.value(Index::rows(), &[boxes.rows, at])?;
    let own: [ValueId; 5] = columns(cx, own)?;
    let all = boxes.columns;
    let wide = shared(cx, [own[0], own[2]], [all[0], all[2]])?;
    let high = shared(cx, [own[1], own[3]], [all[1], all[3]])?;
    let both = cx.mul(wide, high)?;
    let sum = cx.add(own[4], all[4])?;
    let union = cx.sub(sum, both)?;
    let ratio = cx.binary(BinaryFn::Div, both, union)?;
    cx.compare_with(CompareFn::Gt, ratio, threshold)
}

/// The length that two spans share.
fn shared(cx: &mut Importer<'_>, a: Span, b: Span) -> Result<ValueId, Problem> {
    let low = cx.binary(BinaryFn::Max, a[0], b[0])?;
    let high = cx.binary(BinaryFn::Min, a[1], b[1])?;
    let length = cx.sub(high, low)?;
    cx.with(BinaryFn::Max, length, 0.0)
}

/// The greatest number of the dtype that is not above the threshold: a ratio in the dtype exceeds both or neither.
fn not_above(dtype: DType, threshold: f64) -> f64 {
    if dtype == DType::F64 {
        return threshold;
    }
    let nearest = threshold as f32;
    match f64::from(nearest) > threshold {
        true => nearest.next_down().into(),
        false => nearest.into(),
    }
}

/// `[n]`, true for the boxes that are kept.
fn kept(cx: &mut Importer<'_>, boxes: &Boxes, threshold: f64) -> Result<ValueId, Problem> {
    let shape = cx.shape(boxes.numbers);
    let [left, kept] = [true, false].map(|b| cx.full(&shape, DType::Bool, b));
    let (left, kept) = (left?, kept?);
    let first = cx.literal(TensorData::from_scalars(
        DType::I64,
        vec![1],
        [Scalar::Int(0)],
    ));
    let is_open = cx.reduce(ReduceFn::Any, left, [0], false)?;
    let carried = [left, kept, first, is_open];
    let mut operands = carried.to_vec();
    operands.extend(boxes.values());
    let condition = cx.nested(&operands, |_, now| Ok(vec![now[3]]))?;
    let body = cx.nested(&operands, |cx, now| {
        let (carried, rest) = now.split_at(carried.len());
        step(cx, carried, &boxes.within(rest), threshold)
    })?;
    let op = While {
        condition,
        body,
        carried: carried.len(),
    };
    Ok(cx.results(op, &operands)?[1])
}

/// Keeps the box of number `at`. The next is the first of those that it leaves.
fn step(
    cx: &mut Importer<'_>,
    now: &[ValueId],
    boxes: &Boxes,
    threshold: f64,
) -> Result<Vec<ValueId>, Problem> {
    let [left, kept, at] = [now[0], now[1], now[2]];
    let is_this = cx.compare(CompareFn::Eq, boxes.numbers, at)?;
    let overlaps = overlaps(cx, boxes, at, threshold)?;
    let gone = cx.binary(BinaryFn::BitOr, overlaps, is_this)?;
    let stays = cx.unary(Simple::BitNot, gone)?;
    let left = cx.binary(BinaryFn::BitAnd, left, stays)?;
    let kept = cx.binary(BinaryFn::BitOr, kept, is_this)?;
    let order = cx.cast(left, DType::U8)?;
    let next = cx.value(
        ArgReduce {
            f: ArgFn::Max,
            axis: 0,
        },
        &[order],
    )?;
    let is_open = cx.reduce(ReduceFn::Any, left, [0], false)?;
    Ok(vec![left, kept, next, is_open])
}
