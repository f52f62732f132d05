//! The graph builder: emits nodes from core ops.
//!
//! [`Builder`] is the only place that says how an op is emitted: how ranks of operands are aligned, which calls change
//! nothing and return their operand, and how sizes and numbers become values. An implementor provides three methods, in
//! which builders differ: where nodes are inserted and how they are checked or folded ([`Builder::results`]), whether
//! equal constants are shared ([`Builder::literal`]), and the type of errors ([`Builder::Error`]).
//!
//! ```
//! use kiln_ir::ops::{BinaryFn, Misfit};
//! use kiln_ir::movement::MovementError;
//! use kiln_ir::graph::ValueList;
//! use kiln_ir::{Builder, DType, Graph, Op, Place, Rewriter, TensorData, TensorType, ValueId};
//!
//! struct AtEnd<'g>(Rewriter<'g>);
//!
//! impl Builder for AtEnd<'_> {
//!     type Error = Box<dyn std::error::Error>;
//!
//!     fn graph(&self) -> &Graph {
//!         self.0.graph()
//!     }
//!
//!     fn results(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Result<ValueList, Self::Error> {
//!         let place = Place::End(self.graph().root());
//!         let node = self.0.insert(place, op, operands)?;
//!         Ok(self.graph().node(node).results.clone())
//!     }
//!
//!     fn literal(&mut self, data: TensorData) -> ValueId {
//!         let place = Place::End(self.graph().root());
//!         self.0.constant_value(place, "", data)
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut graph = Graph::new("halved");
//! let root = graph.root();
//! let mut builder = AtEnd(Rewriter::new(&mut graph));
//! let x = builder.0.add_param(root, TensorType::new(DType::F32, [2, 3]), None);
//! let halves = builder.with(BinaryFn::Mul, x, 0.5)?;
//! let halves = builder.transpose(halves, 0, 1)?;
//! assert_eq!(builder.shape(halves), [3, 2].into());
//! assert_eq!(builder.reshape(halves, [3, 2])?, halves);
//! # Ok(())
//! # }
//! ```

use crate::ValueId;
use crate::dim::{Dim, Symbols};
use crate::dtype::{DType, Scalar};
use crate::graph::{Graph, ValueList};
use crate::movement::{Movement, MovementError};
use crate::ops::{
    Binary, BinaryFn, Broadcast, Cast, Compare, CompareFn, Concat, DimValue, Iota, MatMul, Misfit,
    Move, Op, Pad, PadMode, Reduce, ReduceFn, Select, Slice, Unary, UnaryFn,
};
use crate::tensor::TensorData;
use crate::types::{Shape, TensorType};

/// An emitted value, or the builder's error.
type Built<B> = Result<ValueId, <B as Builder>::Error>;

/// Emits nodes; see the [module](self).
///
/// Elementwise operands may have different ranks. Axes of size 1 are added in front of those with lower rank.
pub trait Builder {
    /// Why a node cannot be emitted.
    type Error: From<Misfit> + From<MovementError>;

    /// The graph.
    fn graph(&self) -> &Graph;

    /// Emits an op. Returns its results, one for each result of the family.
    ///
    /// # Errors
    /// If operands and attributes do not match the family.
    fn results(
        &mut self,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<ValueList, Self::Error>;

    /// A constant with these elements.
    fn literal(&mut self, data: TensorData) -> ValueId;

    /// The symbols of the graph, with their ranges.
    fn symbols(&self) -> &Symbols {
        &self.graph().symbols
    }

    /// The type of a value.
    fn ty(&self, x: ValueId) -> &TensorType {
        self.graph().ty(x)
    }

    /// The dtype of a value; of a quantised value, that of its integers.
    fn dtype(&self, x: ValueId) -> DType {
        self.ty(x).dtype
    }

    /// The rank of a value.
    fn rank(&self, x: ValueId) -> usize {
        self.ty(x).rank()
    }

    /// The shape of a value.
    fn shape(&self, x: ValueId) -> Shape {
        self.ty(x).shape.clone()
    }

    /// Emits an op with one result.
    ///
    /// # Errors
    /// If operands and attributes do not match the family, or it has no result.
    fn value(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Built<Self> {
        let results = self.results(op, operands)?;
        let first = results.into_iter().next();
        Ok(first.ok_or_else(|| Misfit("the op has no result".into()))?)
    }

    /// A constant of one element, with this dtype and rank, all sizes 1.
    fn scalar(&mut self, value: impl Into<Scalar>, dtype: DType, rank: usize) -> ValueId {
        self.literal(TensorData::splat(dtype, vec![1; rank], value.into()))
    }

    /// A constant of one element with the dtype and the rank of `like`, all sizes 1.
    fn scalar_like(&mut self, value: impl Into<Scalar>, like: ValueId) -> ValueId {
        let (dtype, rank) = (self.dtype(like), self.rank(like));
        self.scalar(value, dtype, rank)
    }

    /// A tensor whose elements all equal `value`.
    ///
    /// # Errors
    /// If the shape has an invalid size.
    fn full(&mut self, shape: &Shape, dtype: DType, value: impl Into<Scalar>) -> Built<Self> {
        let one = self.scalar(value, dtype, shape.rank());
        self.broadcast(one, shape.clone())
    }

    /// A dim as a value of this dtype and rank, with all sizes 1. It is a constant if the dim is known.
    ///
    /// # Errors
    /// If a symbol of the dim has no value in this graph.
    fn dim(&mut self, dim: &Dim, dtype: DType, rank: usize) -> Built<Self> {
        if let Some(known) = dim.as_const() {
            return Ok(self.scalar(known, dtype, rank));
        }
        let value = self.value(DimValue { dim: dim.clone() }, &[])?;
        let value = self.cast(value, dtype)?;
        self.with_rank(value, rank)
    }

    /// `0, 1, .., len - 1`.
    ///
    /// # Errors
    /// If the dtype is bool.
    fn iota(&mut self, len: impl Into<Dim>, dtype: DType) -> Built<Self> {
        let len = len.into();
        self.value(Iota { len, dtype }, &[])
    }

    /// `x` converted to the dtype `to`; `x` itself if it has that dtype.
    ///
    /// # Errors
    /// If `x` is quantised and `to` cannot stand for its reals.
    fn cast(&mut self, x: ValueId, to: DType) -> Built<Self> {
        if self.dtype(x) == to {
            return Ok(x);
        }
        self.value(Cast { to }, &[x])
    }

    /// `f(x)`.
    ///
    /// # Errors
    /// If `f` does not take the dtype.
    fn unary(&mut self, f: impl Into<UnaryFn>, x: ValueId) -> Built<Self> {
        self.value(Unary { f: f.into() }, &[x])
    }

    /// The operands with axes of size 1 added in front, so that all have the greatest rank.
    ///
    /// # Errors
    /// As [`Builder::with_rank`].
    fn align<const N: usize>(
        &mut self,
        operands: [ValueId; N],
    ) -> Result<[ValueId; N], Self::Error> {
        let rank = operands.iter().map(|&x| self.rank(x)).max().unwrap_or(0);
        let mut aligned = operands;
        for x in &mut aligned {
            *x = self.with_rank(*x, rank)?;
        }
        Ok(aligned)
    }

    /// `f(a, b)`, for operands of one dtype.
    ///
    /// # Errors
    /// If the dtypes differ, or the sizes are incompatible.
    fn binary(&mut self, f: BinaryFn, a: ValueId, b: ValueId) -> Built<Self> {
        let aligned = self.align([a, b])?;
        self.value(Binary { f }, &aligned)
    }

    /// `f(a, b)`, where `b` is a number in the dtype of `a`.
    ///
    /// # Errors
    /// If `f` does not take the dtype.
    fn with(&mut self, f: BinaryFn, a: ValueId, b: impl Into<Scalar>) -> Built<Self> {
        let b = self.scalar_like(b, a);
        self.binary(f, a, b)
    }

    /// The polynomial `coefficients[0] + coefficients[1] x + ..` by Horner's scheme. A coefficient of 0 is not added.
    ///
    /// # Errors
    /// If `x` is not a number.
    fn polynomial(&mut self, x: ValueId, coefficients: &[f64]) -> Built<Self> {
        let (last, others) = coefficients.split_last().unwrap_or((&0.0, &[]));
        let mut sum = self.scalar_like(*last, x);
        for &coefficient in others.iter().rev() {
            sum = self.binary(BinaryFn::Mul, sum, x)?;
            if coefficient != 0.0 {
                sum = self.with(BinaryFn::Add, sum, coefficient)?;
            }
        }
        Ok(sum)
    }

    /// The comparison of `a` and `b`, for operands of one dtype.
    ///
    /// # Errors
    /// If the dtypes differ, or the sizes are incompatible.
    fn compare(&mut self, f: CompareFn, a: ValueId, b: ValueId) -> Built<Self> {
        let aligned = self.align([a, b])?;
        self.value(Compare { f }, &aligned)
    }

    /// The comparison of `a` with a number in the dtype of `a`.
    ///
    /// # Errors
    /// If the comparison does not take the dtype.
    fn compare_with(&mut self, f: CompareFn, a: ValueId, b: impl Into<Scalar>) -> Built<Self> {
        let b = self.scalar_like(b, a);
        self.compare(f, a, b)
    }

    /// `a` where the condition is true, else `b`.
    ///
    /// # Errors
    /// If the condition is not bool, the dtypes of `a` and `b` differ, or the sizes are incompatible.
    fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> Built<Self> {
        let aligned = self.align([condition, a, b])?;
        self.value(Select {}, &aligned)
    }

    /// The matrix product over the last two axes.
    ///
    /// # Errors
    /// If dtypes, ranks or sizes are incompatible.
    fn matmul(&mut self, a: ValueId, b: ValueId) -> Built<Self> {
        self.value(MatMul {}, &[a, b])
    }

    /// Reduces ascending axes, which stay with size 1 if `keep`, and are removed otherwise. Without axes, returns `x`.
    ///
    /// # Errors
    /// If an axis does not exist, or `f` does not take the dtype.
    fn reduce(
        &mut self,
        f: ReduceFn,
        x: ValueId,
        axes: impl AsRef<[usize]>,
        keep: bool,
    ) -> Built<Self> {
        let axes = axes.as_ref();
        if axes.is_empty() {
            return Ok(x);
        }
        let op = Reduce {
            f,
            axes: axes.to_vec(),
        };
        let folded = self.value(op, &[x])?;
        match keep {
            true => Ok(folded),
            false => self.squeeze(folded, axes),
        }
    }

    /// `x` moved; `x` itself if the movement is the identity of its shape.
    ///
    /// # Errors
    /// If the movement starts at another shape.
    fn movement(&mut self, x: ValueId, movement: Movement) -> Built<Self> {
        if movement.is_identity() && movement.source_shape() == self.ty(x).shape[..] {
            return Ok(x);
        }
        self.value(Move { movement }, &[x])
    }

    /// `x` in another shape.
    ///
    /// # Errors
    /// If the numbers of elements are provably different.
    fn reshape(&mut self, x: ValueId, to: impl Into<Shape>) -> Built<Self> {
        let reshape = Movement::reshape(&self.ty(x).shape, &to.into(), self.symbols())?;
        let steps: Vec<Movement> = reshape.steps.steps().into_iter().cloned().collect();
        steps.into_iter().try_fold(x, |x, m| self.movement(x, m))
    }

    /// All elements on one axis, in row-major order.
    ///
    /// # Errors
    /// If the number of elements is too large.
    fn flatten(&mut self, x: ValueId) -> Built<Self> {
        let movement = Movement::merge(&self.ty(x).shape, 0..self.rank(x))?;
        self.movement(x, movement)
    }

    /// Result axis `i` is axis `order[i]` of `x`.
    ///
    /// # Errors
    /// If `order` is no permutation of the axes.
    fn permute(&mut self, x: ValueId, order: &[usize]) -> Built<Self> {
        let movement = Movement::permute(&self.ty(x).shape, order)?;
        self.movement(x, movement)
    }

    /// `x` with axes `a` and `b` exchanged.
    ///
    /// # Errors
    /// If there are no such axes.
    fn transpose(&mut self, x: ValueId, a: usize, b: usize) -> Built<Self> {
        let mut order: Vec<usize> = (0..self.rank(x)).collect();
        if let Some(missing) = [a, b].into_iter().find(|&axis| axis >= order.len()) {
            let rank = order.len();
            return Err(Misfit(format!("axis {missing} of a tensor of rank {rank}")).into());
        }
        order.swap(a, b);
        self.permute(x, &order)
    }

    /// `x` with additional axes of size 1 at these positions of the result.
    ///
    /// # Errors
    /// If a position is out of range.
    fn unsqueeze(&mut self, x: ValueId, at: &[usize]) -> Built<Self> {
        let movement = Movement::unsqueeze(&self.ty(x).shape, at)?;
        self.movement(x, movement)
    }

    /// `x` without these axes, which must have size 1.
    ///
    /// # Errors
    /// If an axis has a size other than 1.
    fn squeeze(&mut self, x: ValueId, axes: &[usize]) -> Built<Self> {
        let movement = Movement::squeeze(&self.ty(x).shape, axes)?;
        self.movement(x, movement)
    }

    /// `x` with axes of size 1 added in front up to this rank; `x` itself if it has that rank or more.
    ///
    /// # Errors
    /// If the node cannot be emitted.
    fn with_rank(&mut self, x: ValueId, rank: usize) -> Built<Self> {
        let missing = rank.saturating_sub(self.rank(x));
        let at: Vec<usize> = (0..missing).collect();
        self.unsqueeze(x, &at)
    }

    /// `x` broadcast along axes of size 1 to a shape of the same rank; `x` itself if it has that shape.
    ///
    /// # Errors
    /// If an axis to be broadcast has a size other than 1.
    fn broadcast(&mut self, x: ValueId, shape: Shape) -> Built<Self> {
        if self.ty(x).shape == shape {
            return Ok(x);
        }
        self.value(Broadcast { shape }, &[x])
    }

    /// `x` broadcast along axes of size 1, and along additional axes in front.
    ///
    /// # Errors
    /// As [`Builder::broadcast`].
    fn expand(&mut self, x: ValueId, shape: &Shape) -> Built<Self> {
        let x = self.with_rank(x, shape.rank())?;
        self.broadcast(x, shape.clone())
    }

    /// `len` elements of an axis from `start` on, every `step`-th; `x` itself if these are all elements.
    ///
    /// # Errors
    /// If an element is provably out of range.
    fn slice(
        &mut self,
        x: ValueId,
        axis: usize,
        start: impl Into<Dim>,
        len: impl Into<Dim>,
        step: i64,
    ) -> Built<Self> {
        let (start, len) = (start.into(), len.into());
        if start.is(0) && step == 1 && self.ty(x).shape.get(axis) == Some(&len) {
            return Ok(x);
        }
        let op = Slice {
            axis,
            start,
            len,
            step,
        };
        self.value(op, &[x])
    }

    /// The concatenation of operands of one dtype and rank along an axis; a single operand as it is.
    ///
    /// # Errors
    /// If there are no operands, or their types do not match.
    fn concat(&mut self, operands: &[ValueId], axis: usize) -> Built<Self> {
        match operands {
            [only] => Ok(*only),
            _ => self.value(Concat { axis }, operands),
        }
    }

    /// `x` with `low` elements before and `high` elements after, by axis; `x` itself if there are none.
    ///
    /// # Errors
    /// If a number is negative, or `mode` does not allow so many elements.
    fn pad(&mut self, x: ValueId, low: Vec<Dim>, high: Vec<Dim>, mode: PadMode) -> Built<Self> {
        if low.iter().chain(&high).all(|d| d.is(0)) {
            return Ok(x);
        }
        self.value(Pad { low, high, mode }, &[x])
    }

    /// `x` with `low` elements before and `high` elements after an axis, all equal to `value`; `x` itself if there are
    /// none.
    ///
    /// # Errors
    /// If a number is negative.
    fn pad_axis(
        &mut self,
        x: ValueId,
        axis: usize,
        low: impl Into<Dim>,
        high: impl Into<Dim>,
        value: impl Into<Scalar>,
    ) -> Built<Self> {
        let mut lows = vec![Dim::constant(0); self.rank(x)];
        let mut highs = lows.clone();
        (lows[axis], highs[axis]) = (low.into(), high.into());
        self.pad(x, lows, highs, PadMode::Constant(value.into()))
    }
}
