//! Insertion of a rewrite's nodes, all at one place in the graph.
//!
//! Nodes over constants are folded at once where that is allowed (see [`crate::framework::folding`]). So a rule has the
//! same code for weights that are known and for weights that are not.

use crate::framework::folding;
use crate::framework::target::{Placement, Reason, Target};
use kiln_ir::movement::{Movement, MovementError};
use kiln_ir::ops::{
    Binary, BinaryFn, Broadcast, Cast, Compare, CompareFn, Concat, DimValue, Iota, MatMul, Misfit,
    Move, Pad, PadMode, Reduce, ReduceFn, Select, Slice, Unary, UnaryFn,
};
use kiln_ir::tensor::TensorData;
use kiln_ir::types::{Shape, TensorType};
use kiln_ir::{DType, Dim, Graph, NodeId, Op, Place, Rewriter, Scalar, ValueId};

/// An emitted value, or the reason why it cannot be emitted.
pub type Emitted = Result<ValueId, Reason>;

impl From<Misfit> for Reason {
    fn from(misfit: Misfit) -> Reason {
        Reason::new("the rewritten op accepts its operands", misfit.0)
    }
}

impl From<MovementError> for Reason {
    fn from(error: MovementError) -> Reason {
        Reason::new("the rewritten form is a valid movement", error.to_string())
    }
}

/// Inserts nodes at one place.
pub struct Emitter<'r, 'g> {
    rewriter: &'r mut Rewriter<'g>,
    target: &'r dyn Target,
    place: Place,
    free_bytes: u64,
}

impl<'r, 'g> Emitter<'r, 'g> {
    /// An emitter at `place`. New nodes get the rewriter's current provenance.
    pub fn new(
        rewriter: &'r mut Rewriter<'g>,
        target: &'r dyn Target,
        place: Place,
    ) -> Emitter<'r, 'g> {
        Emitter {
            rewriter,
            target,
            place,
            free_bytes: folding::ALWAYS_FOLDED_BYTES,
        }
    }

    /// From now on, folds results of up to this many bytes, however small the operands are. For intermediate values
    /// between old weights and new ones.
    pub fn allow_bytes(&mut self, bytes: usize) {
        self.free_bytes = self.free_bytes.max(bytes as u64);
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        self.rewriter.graph()
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &TensorType {
        self.graph().ty(value)
    }

    /// The shape of a value.
    pub fn shape(&self, value: ValueId) -> Shape {
        self.ty(value).shape.clone()
    }

    /// The rank of a value.
    pub fn rank(&self, value: ValueId) -> usize {
        self.ty(value).rank()
    }

    /// How the target would run the op on these operands. The node is inserted for the question and erased afterwards.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn placement(
        &mut self,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<Placement, Reason> {
        let node = self.rewriter.insert(self.place, op, operands)?;
        let placement = self.target.placement(self.rewriter.graph(), node);
        self.rewriter.erase(node);
        Ok(placement)
    }

    /// See [`Target::quotients_below`].
    pub fn quotients_below(&self, node: NodeId) -> Option<f64> {
        self.target.quotients_below(self.graph(), node)
    }

    /// See [`Target::elements_per_operator`].
    pub fn elements_per_operator(&self) -> u64 {
        self.target.elements_per_operator()
    }

    /// See [`Target::bytes_per_join`].
    pub fn bytes_per_join(&self) -> Option<u64> {
        self.target.bytes_per_join()
    }

    /// See [`Target::elements_per_range`].
    pub fn elements_per_range(&self) -> u64 {
        self.target.elements_per_range()
    }

    /// See [`Target::max_rank`].
    pub fn max_rank(&self) -> usize {
        self.target.max_rank()
    }

    /// How the target runs an existing node.
    pub fn placement_of(&self, node: NodeId) -> Placement {
        self.target.placement(self.graph(), node)
    }

    /// True if the target would run the op on these operands, in a delegate or as a kernel.
    pub fn runs(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        matches!(
            self.placement(op, operands),
            Ok(Placement::Delegate | Placement::Kernel(_))
        )
    }

    /// True if the target would run the op on these operands inside a delegate.
    pub fn delegates(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        matches!(self.placement(op, operands), Ok(Placement::Delegate))
    }

    /// True if the target would run the op on these operands at least as well as it runs `node`.
    pub fn is_no_worse(&mut self, node: NodeId, op: impl Into<Op>, operands: &[ValueId]) -> bool {
        let now = self.placement_of(node);
        self.placement(op, operands)
            .is_ok_and(|then| then.is_no_worse_than(&now))
    }

    /// Emits a node, or the constants to which it folds; all its results.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn results(
        &mut self,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<Vec<ValueId>, Reason> {
        let op = op.into();
        if let Ok(Some(constants)) = folding::fold(self.graph(), &op, operands, self.free_bytes) {
            return Ok(constants
                .into_iter()
                .map(|c| self.known_constant(c))
                .collect());
        }
        let node = self.rewriter.insert(self.place, op, operands)?;
        Ok(self.graph().node(node).results.to_vec())
    }

    /// As [`Emitter::results`], for an op with one result.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn node(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Emitted {
        let results = self.results(op, operands)?;
        results
            .into_iter()
            .next()
            .ok_or_else(|| Reason::new("an op has a result", "none"))
    }

    /// Emits a node without folding it.
    ///
    /// # Errors
    /// If operands and attributes do not fit.
    pub fn unfolded(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Emitted {
        Ok(self.rewriter.value(self.place, op, operands)?)
    }

    /// Adds a constant with its type.
    pub fn known_constant(&mut self, constant: kiln_ir::graph::Constant) -> ValueId {
        let value = self.rewriter.add_typed_constant(constant);
        self.rewriter
            .value(self.place, kiln_ir::ops::Constant { value }, &[])
            .expect("a constant that was just added exists")
    }

    /// A new constant.
    pub fn constant(&mut self, name: &str, data: TensorData) -> ValueId {
        self.rewriter.constant_value(self.place, name, data)
    }

    /// A copy of the constant `value` under another name; any other value as it is.
    pub fn renamed(&mut self, value: ValueId, name: &str) -> ValueId {
        let Some(constant) = self.graph().as_constant(value) else {
            return value;
        };
        let renamed = kiln_ir::graph::Constant {
            name: name.into(),
            ..constant.clone()
        };
        self.known_constant(renamed)
    }

    /// A constant of one element with the dtype and the rank of `like`, all sizes 1.
    pub fn scalar(&mut self, like: ValueId, value: impl Into<Number>) -> ValueId {
        let (dtype, rank) = (self.ty(like).dtype, self.rank(like));
        self.scalar_of(dtype, rank, value)
    }

    /// A constant of one element with that dtype and rank.
    pub fn scalar_of(&mut self, dtype: DType, rank: usize, value: impl Into<Number>) -> ValueId {
        let data = TensorData::splat(dtype, vec![1; rank], value.into().0);
        self.constant("", data)
    }

    /// `f(x)`.
    ///
    /// # Errors
    /// If the dtype does not fit.
    pub fn unary(&mut self, f: impl Into<UnaryFn>, x: ValueId) -> Emitted {
        self.node(Unary { f: f.into() }, &[x])
    }

    /// `f(a, b)`.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn binary(&mut self, f: BinaryFn, a: ValueId, b: ValueId) -> Emitted {
        self.node(Binary { f }, &[a, b])
    }

    /// `f(a, b)`, where `b` is a number.
    ///
    /// # Errors
    /// If the dtype does not fit.
    pub fn with(&mut self, f: BinaryFn, a: ValueId, b: impl Into<Number>) -> Emitted {
        let b = self.scalar(a, b);
        self.binary(f, a, b)
    }

    /// The comparison of `a` with a number.
    ///
    /// # Errors
    /// If the dtype does not fit.
    pub fn compare_with(&mut self, f: CompareFn, a: ValueId, b: impl Into<Number>) -> Emitted {
        let b = self.scalar(a, b);
        self.node(Compare { f }, &[a, b])
    }

    /// `a` where the condition holds, else `b`.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> Emitted {
        self.node(Select {}, &[condition, a, b])
    }

    /// `x` converted to the dtype `to`; `x` itself if it has that dtype.
    ///
    /// # Errors
    /// If `x` is quantised and `to` cannot stand for its reals.
    pub fn cast(&mut self, x: ValueId, to: DType) -> Emitted {
        if self.ty(x).dtype == to {
            return Ok(x);
        }
        self.node(Cast { to }, &[x])
    }

    /// Reduces these axes, which stay with size 1.
    ///
    /// # Errors
    /// If the operand does not fit.
    pub fn reduce(&mut self, f: ReduceFn, x: ValueId, axes: impl Into<Vec<usize>>) -> Emitted {
        let axes = axes.into();
        self.node(Reduce { f, axes }, &[x])
    }

    /// `x` moved; `x` itself if the movement is the identity.
    ///
    /// # Errors
    /// If the shape does not fit.
    pub fn movement(&mut self, x: ValueId, movement: Movement) -> Emitted {
        if movement.is_identity() && movement.source_shape() == self.shape(x).to_vec() {
            return Ok(x);
        }
        self.node(Move { movement }, &[x])
    }

    /// `x` in another shape.
    ///
    /// # Errors
    /// If the numbers of elements are provably different.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Emitted {
        let (from, to) = (self.shape(x), shape.into());
        let reshape = Movement::reshape(&from, &to, &self.graph().symbols)?;
        let steps: Vec<Movement> = reshape.steps.steps().into_iter().cloned().collect();
        steps
            .into_iter()
            .try_fold(x, |x, step| self.movement(x, step))
    }

    /// Result axis `i` is axis `permutation[i]` of `x`.
    ///
    /// # Errors
    /// If it is no permutation of the axes.
    pub fn permute(&mut self, x: ValueId, permutation: &[usize]) -> Emitted {
        let movement = Movement::permute(&self.shape(x), permutation)?;
        self.movement(x, movement)
    }

    /// `x` with axes `a` and `b` exchanged.
    ///
    /// # Errors
    /// If there are no such axes.
    pub fn swap_axes(&mut self, x: ValueId, a: usize, b: usize) -> Emitted {
        let mut permutation: Vec<usize> = (0..self.rank(x)).collect();
        permutation.swap(a, b);
        self.permute(x, &permutation)
    }

    /// `x` with additional axes of size 1 at these positions of the result.
    ///
    /// # Errors
    /// If a position is out of range.
    pub fn unsqueeze(&mut self, x: ValueId, axes: &[usize]) -> Emitted {
        let movement = Movement::unsqueeze(&self.shape(x), axes)?;
        self.movement(x, movement)
    }

    /// `x` without these axes, which must have size 1.
    ///
    /// # Errors
    /// If an axis has another size.
    pub fn squeeze(&mut self, x: ValueId, axes: &[usize]) -> Emitted {
        let movement = Movement::squeeze(&self.shape(x), axes)?;
        self.movement(x, movement)
    }

    /// `x` repeated to a shape of the same rank; `x` itself if it has that shape.
    ///
    /// # Errors
    /// If an axis to be repeated has a size other than 1.
    pub fn broadcast(&mut self, x: ValueId, shape: Shape) -> Emitted {
        if self.shape(x) == shape {
            return Ok(x);
        }
        self.node(Broadcast { shape }, &[x])
    }

    /// `len` elements of an axis from `start` on, every `step`-th; `x` itself if these are all elements.
    ///
    /// # Errors
    /// If an element is provably out of range.
    pub fn slice(
        &mut self,
        x: ValueId,
        axis: usize,
        start: impl Into<Dim>,
        len: impl Into<Dim>,
        step: i64,
    ) -> Emitted {
        let (start, len) = (start.into(), len.into());
        if start.is(0) && step == 1 && len == self.ty(x).shape[axis] {
            return Ok(x);
        }
        self.node(
            Slice {
                axis,
                start,
                len,
                step,
            },
            &[x],
        )
    }

    /// The concatenation of the values; a single value as it is.
    ///
    /// # Errors
    /// If there are no values, or their types do not match.
    pub fn concat(&mut self, values: &[ValueId], axis: usize) -> Emitted {
        match values {
            [only] => Ok(*only),
            _ => self.node(Concat { axis }, values),
        }
    }

    /// `x` with `low` elements before and `high` elements after an axis, all equal to `value`; `x` itself if there are
    /// none.
    ///
    /// # Errors
    /// If `low` or `high` is negative.
    pub fn pad(
        &mut self,
        x: ValueId,
        axis: usize,
        low: impl Into<Dim>,
        high: impl Into<Dim>,
        value: impl Into<Number>,
    ) -> Emitted {
        let (low_here, high_here) = (low.into(), high.into());
        if low_here.is(0) && high_here.is(0) {
            return Ok(x);
        }
        let mut low = vec![Dim::constant(0); self.rank(x)];
        let mut high = low.clone();
        (low[axis], high[axis]) = (low_here, high_here);
        let mode = PadMode::Constant(value.into().0);
        self.node(Pad { low, high, mode }, &[x])
    }

    /// The matrix product.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn matmul(&mut self, a: ValueId, b: ValueId) -> Emitted {
        self.node(MatMul {}, &[a, b])
    }

    /// `0, 1, .., len - 1`.
    ///
    /// # Errors
    /// If the dtype is bool.
    pub fn iota(&mut self, len: Dim, dtype: DType) -> Emitted {
        self.node(Iota { len, dtype }, &[])
    }

    /// A dim as a value of that dtype and rank, with all sizes 1.
    ///
    /// # Errors
    /// As [`Emitter::results`].
    pub fn dim(&mut self, dim: &Dim, dtype: DType, rank: usize) -> Emitted {
        if let Some(known) = dim.as_const() {
            return Ok(self.scalar_of(dtype, rank, known));
        }
        let value = self.node(DimValue { dim: dim.clone() }, &[])?;
        let value = self.cast(value, dtype)?;
        self.unsqueeze(value, &(0..rank).collect::<Vec<_>>())
    }

    /// The size of an axis, which must be known.
    ///
    /// # Errors
    /// If the size is unknown.
    pub fn known(&self, dim: &Dim, rule: &str) -> Result<i64, Reason> {
        dim.as_const().ok_or_else(|| {
            let found = kiln_ir::dim::DimNames(dim, &self.graph().symbols).to_string();
            Reason::new(rule, format!("the size {found}"))
        })
    }

    /// True if the dim is at least 1 for all values of its symbols.
    pub fn is_positive(&self, dim: &Dim) -> bool {
        self.graph().symbols.less_equal(&Dim::constant(1), dim) == Some(true)
    }
}

/// A number that converts to an element of any dtype.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub Scalar);

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number(Scalar::Float(value))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(Scalar::Int(value))
    }
}

impl From<Scalar> for Number {
    fn from(value: Scalar) -> Number {
        Number(value)
    }
}
