//! Gathers, scatters and look-ups.
//!
//! TOSA gathers rows of `[N, K, C]` by indices `[N, W]`, which count from 0. If an index of the model may be negative,
//! the size of the axis is added to the negative ones.

use super::Lowering;
use super::parts::check_written;
use crate::dialect::{Slice, TensorId, TosaDtype, TosaOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{CompareFn, Index, IndexPut};
use kiln_ir::{DType, Scalar, TensorData};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

fn numbers(
    sizes: Vec<usize>,
    values: impl IntoIterator<Item = usize>,
) -> Result<TensorData, Reason> {
    check_written("indices", &sizes)?;
    let own = |v: usize| i32::try_from(v).map(|v| Scalar::Int(v.into()));
    let values: Result<Vec<Scalar>, _> = values.into_iter().map(own).collect();
    let values = values.map_err(|_| Reason::new("indices are below 2^31", "more"))?;
    Ok(TensorData::from_scalars(DType::I32, sizes, values))
}

/// What a GATHER picks: `count` of the `k` rows for each of `n`.
struct Rows {
    /// The rows, `[n, k, c]`.
    sizes: [usize; 3],
    /// The indices, `[n, count]`.
    place: TensorId,
    /// The number of rows that are picked.
    count: usize,
    /// The shape of the result in the graph.
    picked: Vec<usize>,
}

impl Lowering<'_, '_> {
    pub(super) fn index(&mut self, node: &Node, op: &Index) -> Result<TensorId, Reason> {
        let operands = self.plain_operands(node)?;
        let (&x, indices) = operands
            .split_first()
            .ok_or_else(|| Reason::new("something is picked", "nothing"))?;
        let rows = self.rows(x, op.axis, indices)?;
        let made = self.rows_at(x, rows.sizes, rows.place)?;
        self.parts.reshape(made, &rows.picked)
    }

    /// The rows that an indexing op picks, with its indices along axes from `first` on.
    fn rows(&mut self, x: TensorId, axis: usize, indices: &[TensorId]) -> Result<Rows, Reason> {
        let sizes = self.parts.shape(x).to_vec();
        let (outer, others) = sizes.split_at(axis);
        let (indexed, inner) = others.split_at(indices.len());
        let (place, at) = self.place(indices, indexed)?;
        let (n, w): (usize, usize) = (outer.iter().product(), at.iter().product());
        let place = self.parts.reshape(place, &[1, w])?;
        Ok(Rows {
            sizes: [n, indexed.iter().product(), inner.iter().product()],
            place: self.tile_to(place, &[n, w])?,
            count: w,
            picked: [outer, &at, inner].concat(),
        })
    }

    /// Combines the indices of neighbouring axes into one index of rows, and returns the sizes of these axes. Axes
    /// without an index get one.
    fn place(
        &mut self,
        indices: &[TensorId],
        sizes: &[usize],
    ) -> Result<(TensorId, Vec<usize>), Reason> {
        let mut place: Option<TensorId> = None;
        let is_scalar = indices.iter().all(|&i| self.parts.shape(i).is_empty());
        for (&index, &size) in indices.iter().zip(sizes) {
            let index = match self.parts.shape(index) {
                [] => self.parts.reshape(index, &[1])?,
                _ => index,
            };
            let index = self.counted_from_start(index, size)?;
            place = Some(match place {
                None => index,
                Some(outer) => {
                    let size = self.parts.number(outer, size as f64)?;
                    let outer = self.parts.op(TosaOp::Mul { shift: 0 }, &[outer, size])?;
                    self.parts.op(TosaOp::Add, &[outer, index])?
                }
            });
        }
        let place = place.ok_or_else(|| Reason::new("an index is given", "none"))?;
        let at = match is_scalar {
            true => Vec::new(),
            false => self.parts.shape(place).to_vec(),
        };
        Ok((place, at))
    }

    /// If two indices are equal, PyTorch leaves open which value stays. TOSA requires that no two are.
    pub(super) fn index_put(&mut self, node: &Node, op: &IndexPut) -> Result<TensorId, Reason> {
        self.no_number(node, 1)?;
        let operands = self.plain_operands(node)?;
        let [x, values, ref indices @ ..] = operands[..] else {
            return Err(Reason::new(
                "values and indices are given",
                operands.len().to_string(),
            ));
        };
        let sizes = self.parts.shape(x).to_vec();
        let rows = self.rows(x, op.axis, indices)?;
        let values = self.widened(values, &rows.picked)?;
        let [n, _, c] = rows.sizes;
        let values = self.parts.reshape(values, &[n, rows.count, c])?;
        let made = self.rows_put(x, rows.sizes, rows.place, values)?;
        self.parts.reshape(made, &sizes)
    }

    /// A place that occurs twice is no error if every place gets the same number. TOSA's SCATTER refuses it, so the
    /// places are found by comparisons.
    fn no_number(&self, node: &Node, values: usize) -> Result<(), Reason> {
        match self.graph.as_number(node.operands[values]) {
            None => Ok(()),
            Some(number) => Err(Reason::new(
                "no place is given twice, as may be where one number goes to all",
                format!("{number:?}"),
            )),
        }
    }

    /// Repeats the tensor to these sizes. It may lack the outermost axes.
    fn widened(&mut self, x: TensorId, to: &[usize]) -> Result<TensorId, Reason> {
        let own = self.parts.shape(x);
        let missing = to.len().saturating_sub(own.len());
        let padded: Vec<usize> = std::iter::repeat_n(1, missing)
            .chain(own.iter().copied())
            .collect();
        let x = self.parts.reshape(x, &padded)?;
        self.tile_to(x, to)
    }

    pub(super) fn scatter(&mut self, node: &Node, axis: usize) -> Result<TensorId, Reason> {
        self.no_number(node, 2)?;
        let [x, index, source] = self.plain_operands(node)?[..] else {
            return Err(Reason::new(
                "a scatter has three operands",
                node.operands.len().to_string(),
            ));
        };
        let (into, from) = (
            self.parts.shape(x).to_vec(),
            self.parts.shape(index).to_vec(),
        );
        let (total, count): (usize, usize) = (into.iter().product(), from.iter().product());
        let place = self.flat_place(index, axis, &into)?;
        let starts = vec![0; from.len()];
        let size = from.clone();
        let source = match self.parts.shape(source) == from {
            true => source,
            false => self.parts.op(
                TosaOp::Slice(Slice {
                    start: starts,
                    size,
                }),
                &[source],
            )?,
        };
        let source = self.parts.reshape(source, &[1, count, 1])?;
        let made = self.rows_put(x, [1, total, 1], place, source)?;
        self.parts.reshape(made, &into)
    }

    fn rows_put(
        &mut self,
        x: TensorId,
        rows: [usize; 3],
        place: TensorId,
        values: TensorId,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let rows = self.parts.reshape(x, &rows)?;
        if dtype != TosaDtype::Bool {
            return self.parts.op(TosaOp::Scatter, &[rows, place, values]);
        }
        let rows = self.convert(rows, TosaDtype::I32)?;
        let values = self.convert(values, TosaDtype::I32)?;
        let made = self.parts.op(TosaOp::Scatter, &[rows, place, values])?;
        self.convert(made, TosaDtype::Bool)
    }

    pub(super) fn gather(&mut self, node: &Node, axis: usize) -> Result<TensorId, Reason> {
        let operands = self.plain_operands(node)?;
        let [x, index] = operands[..] else {
            return Err(Reason::new(
                "a gather has two operands",
                operands.len().to_string(),
            ));
        };
        let (from, to) = (
            self.parts.shape(x).to_vec(),
            self.parts.shape(index).to_vec(),
        );
        let total: usize = from.iter().product();
        let place = self.flat_place(index, axis, &from)?;
        let made = self.rows_at(x, [1, total, 1], place)?;
        self.parts.reshape(made, &to)
    }

    /// The flat position of each element that indices along one axis pick from a tensor of these sizes: `[1, count]`.
    fn flat_place(
        &mut self,
        index: TensorId,
        axis: usize,
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let to = self.parts.shape(index).to_vec();
        let stride = |axis: usize| sizes[axis + 1..].iter().product::<usize>();
        let index = self.counted_from_start(index, sizes[axis])?;
        let by = self.parts.number(index, stride(axis) as f64)?;
        let along = self.parts.op(TosaOp::Mul { shift: 0 }, &[index, by])?;
        let count: usize = to.iter().product();
        let others = (0..count).map(|flat| {
            let (mut rest, mut place) = (flat, 0);
            for other in (0..to.len()).rev() {
                let at = rest % to[other];
                rest /= to[other];
                place += if other == axis { 0 } else { at * stride(other) };
            }
            place
        });
        let others = self.parts.data(&numbers(to.clone(), others)?)?;
        let place = self.parts.op(TosaOp::Add, &[along, others])?;
        self.parts.reshape(place, &[1, count])
    }

    /// `count` elements along an axis, which stand at these indices.
    pub(crate) fn pick(
        &mut self,
        x: TensorId,
        axis: usize,
        count: usize,
        index: impl Fn(usize) -> usize,
    ) -> Result<TensorId, Reason> {
        let sizes = self.parts.shape(x).to_vec();
        if count == sizes[axis] && (0..count).all(|i| index(i) == i) {
            return Ok(x);
        }
        let (n, c) = (
            sizes[..axis].iter().product(),
            sizes[axis + 1..].iter().product(),
        );
        let all = (0..n).flat_map(|_: usize| (0..count).map(&index));
        let place = self.parts.data(&numbers(vec![n, count], all)?)?;
        let made = self.rows_at(x, [n, sizes[axis], c], place)?;
        let mut to = sizes;
        to[axis] = count;
        self.parts.reshape(made, &to)
    }

    fn rows_at(
        &mut self,
        x: TensorId,
        rows: [usize; 3],
        place: TensorId,
    ) -> Result<TensorId, Reason> {
        let dtype = self.parts.dtype(x);
        let rows = self.parts.reshape(x, &rows)?;
        if dtype != TosaDtype::Bool {
            return self.parts.op(TosaOp::Gather, &[rows, place]);
        }
        let numbers = self.convert(rows, TosaDtype::I32)?;
        let made = self.parts.op(TosaOp::Gather, &[numbers, place])?;
        self.convert(made, TosaDtype::Bool)
    }

    /// The indices, with the size of the axis added to the negative ones.
    fn counted_from_start(&mut self, index: TensorId, size: usize) -> Result<TensorId, Reason> {
        if self.parts.is_constant_at_least_zero(index) {
            return Ok(index);
        }
        let index = self.convert(index, TosaDtype::I32)?;
        let zero = self.parts.number(index, 0.0)?;
        let size = self.parts.number(index, size as f64)?;
        let is_negative = self.relation(CompareFn::Lt, index, zero)?;
        let moved = self.parts.op(TosaOp::Add, &[index, size])?;
        self.parts.op(TosaOp::Select, &[is_negative, moved, index])
    }

    pub(super) fn plain_operands(&mut self, node: &Node) -> Result<Vec<TensorId>, Reason> {
        let own = node
            .operands
            .iter()
            .map(|&v| (v, Order::plain(self.graph.ty(v).rank())));
        let own: Vec<_> = own.collect();
        own.iter()
            .map(|(v, order)| self.operand(*v, order))
            .collect()
    }
}
