//! What imports build with: core ops by their parts, what changes nothing left out.

use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::dim::DimNames;
use kiln_ir::graph::ValueList;
use kiln_ir::movement::Movement;
use kiln_ir::ops::{
    self, BinaryFn, Cast, CompareFn, Infer, Meaning, Op, PadMode, ReduceFn, UnaryFn,
};
use kiln_ir::{
    BlockId, DType, Dim, NodeId, Scalar, Shape, Symbols, TensorData, TensorType, ValueId,
};

type Built = Result<ValueId, Problem>;

/// The axis that PyTorch means by `dim` of a tensor of that rank (a scalar counts as rank 1).
pub(crate) fn axis(dim: i64, rank: usize) -> Result<usize, Problem> {
    let count = rank.max(1) as i64;
    let axis = if dim < 0 { dim + count } else { dim };
    match usize::try_from(axis) {
        Ok(found) if axis < count => Ok(found),
        _ => Err(no_axis(dim, rank)),
    }
}

fn no_axis(axis: impl std::fmt::Display, rank: usize) -> Problem {
    Problem::unsupported(format!("axis {axis} of a tensor of rank {rank}"))
}

/// The axes that PyTorch means by `dims`, ascending and without repeats; all, if there are none.
pub(crate) fn axes(dims: &[i64], rank: usize) -> Result<Vec<usize>, Problem> {
    let mut found: Vec<usize> = dims
        .iter()
        .map(|&d| axis(d, rank))
        .collect::<Result<_, _>>()?;
    found.sort_unstable();
    found.dedup();
    Ok(if rank == 0 {
        Vec::new()
    } else if dims.is_empty() {
        (0..rank).collect()
    } else {
        found
    })
}

impl Importer<'_> {
    /// Ranges of the symbols.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.graph().symbols
    }

    pub(crate) fn ty(&self, v: ValueId) -> &TensorType {
        self.graph().ty(v)
    }

    pub(crate) fn dtype(&self, v: ValueId) -> DType {
        self.ty(v).dtype
    }

    pub(crate) fn rank(&self, v: ValueId) -> usize {
        self.ty(v).rank()
    }

    pub(crate) fn shape(&self, v: ValueId) -> Shape {
        self.ty(v).shape.clone()
    }

    /// The size of an axis.
    ///
    /// # Errors
    /// If there is no such axis.
    pub(crate) fn size(&self, v: ValueId, axis: usize) -> Result<Dim, Problem> {
        let size = self.ty(v).shape.get(axis);
        size.cloned().ok_or_else(|| no_axis(axis, self.rank(v)))
    }

    /// Appends a node of one result.
    pub(crate) fn value(&mut self, op: impl Into<Op>, operands: &[ValueId]) -> Built {
        let node = self.insert(op.into(), operands)?;
        Ok(self.graph().node(node).result())
    }

    /// Appends a node and gives its results.
    pub(crate) fn values(
        &mut self,
        op: impl Into<Op>,
        operands: &[ValueId],
    ) -> Result<ValueList, Problem> {
        let node = self.insert(op.into(), operands)?;
        Ok(self.graph().node(node).results.clone())
    }

    /// Appends a node.
    ///
    /// # Errors
    /// If operands and attributes do not fit, if a result has a size that none can have, or if the call has made too
    /// many nodes.
    fn insert(&mut self, op: Op, operands: &[ValueId]) -> Result<NodeId, Problem> {
        let operands = self.as_integers(&op, operands)?;
        self.count_node()?;
        let place = self.place();
        let node = self.rewriter().insert(place, op, &operands)?;
        for &result in &self.graph().node(node).results {
            self.check_sizes(&self.ty(result).shape)?;
        }
        Ok(node)
    }

    /// # Errors
    /// If one of the sizes is none.
    fn check_sizes(&self, shape: &Shape) -> Result<(), Problem> {
        let symbols = self.symbols();
        match shape.iter().find(|d| !symbols.can_be_size(d)) {
            None => Ok(()),
            Some(size) => Err(Problem::unsupported(format!(
                "would make a tensor of size {}; sizes are 0 or more and less than 2^63",
                DimNames(size, symbols)
            ))),
        }
    }

    /// A block with a parameter for each operand, and what `fill` puts into it.
    pub(crate) fn nested(
        &mut self,
        operands: &[ValueId],
        fill: impl FnOnce(&mut Self, &[ValueId]) -> Result<Vec<ValueId>, Problem>,
    ) -> Result<BlockId, Problem> {
        let types: Vec<_> = operands.iter().map(|&v| self.ty(v).clone()).collect();
        let block = self.rewriter().add_block();
        let params: Vec<ValueId> = types
            .into_iter()
            .map(|ty| self.rewriter().add_param(block, ty, None))
            .collect();
        self.enter(block);
        let results = fill(self, &params);
        self.leave();
        self.rewriter().set_results(block, results?);
        Ok(block)
    }

    /// The operands as ATen has them: quantised tensors are integers to it. They keep what they stand for through ops
    /// that take integers as they are and can say what the result stands for; all others get the bare integers.
    fn as_integers(&mut self, op: &Op, operands: &[ValueId]) -> Result<ValueList, Problem> {
        let mut bare = ValueList::from_slice(operands);
        if !operands.iter().any(|&v| self.ty(v).quant.is_some()) || self.keeps(op, operands) {
            return Ok(bare);
        }
        for v in &mut bare {
            if self.ty(*v).quant.is_some() {
                *v = self.integers(*v)?;
            }
        }
        Ok(bare)
    }

    /// True if the op takes quantised operands as ATen does, or says what it makes of them.
    fn keeps(&self, op: &Op, operands: &[ValueId]) -> bool {
        match op.on_quantised() {
            Meaning::Own | Meaning::Plain => true,
            Meaning::Carried | Meaning::Compared => {
                let graph = self.graph();
                op.infer(&Infer { graph }, &graph.types(operands)).is_ok()
            }
            Meaning::Computed | Meaning::Refused => false,
        }
    }

    /// What is stored of a quantised tensor, standing for nothing.
    ///
    /// # Errors
    /// If the cast cannot be built.
    pub fn integers(&mut self, v: ValueId) -> Built {
        let (place, to) = (self.place(), self.dtype(v));
        Ok(self.rewriter().value(place, Cast { to }, &[v])?)
    }

    /// The number in that dtype, of rank `rank` with all sizes 1.
    pub(crate) fn scalar(&mut self, value: Scalar, dtype: DType, rank: usize) -> ValueId {
        self.literal(TensorData::splat(dtype, vec![1; rank], value))
    }

    /// The float in that dtype, of rank `rank` with all sizes 1.
    pub(crate) fn float(&mut self, value: f64, dtype: DType, rank: usize) -> ValueId {
        self.scalar(Scalar::Float(value), dtype, rank)
    }

    /// The number as a constant that meets `v` in elementwise ops.
    pub(crate) fn scalar_like(&mut self, value: Scalar, v: ValueId) -> ValueId {
        let (dtype, rank) = (self.dtype(v), self.rank(v));
        self.scalar(value, dtype, rank)
    }

    /// A tensor of equal elements.
    pub(crate) fn full(&mut self, shape: &Shape, dtype: DType, value: Scalar) -> Built {
        let one = self.scalar(value, dtype, shape.rank());
        self.broadcast(one, shape.clone())
    }

    /// The size as an i64 scalar.
    pub(crate) fn dim_value(&mut self, dim: &Dim) -> Built {
        match dim.as_const() {
            Some(c) => Ok(self.scalar(Scalar::Int(c), DType::I64, 0)),
            None => self.value(ops::DimValue { dim: dim.clone() }, &[]),
        }
    }

    /// `0, 1, .., len - 1`.
    pub(crate) fn iota(&mut self, len: &Dim, dtype: DType) -> Built {
        let len = len.clone();
        self.value(ops::Iota { len, dtype }, &[])
    }

    pub(crate) fn cast(&mut self, v: ValueId, to: DType) -> Built {
        if self.dtype(v) == to {
            return Ok(v);
        }
        self.value(ops::Cast { to }, &[v])
    }

    pub(crate) fn unary(&mut self, f: impl Into<UnaryFn>, v: ValueId) -> Built {
        self.value(ops::Unary { f: f.into() }, &[v])
    }

    /// The operands with unit axes put in front until all have the greatest rank.
    pub(crate) fn align<const N: usize>(
        &mut self,
        operands: [ValueId; N],
    ) -> Result<[ValueId; N], Problem> {
        let rank = operands.iter().map(|&v| self.rank(v)).max().unwrap_or(0);
        let mut aligned = operands;
        for v in &mut aligned {
            *v = self.with_rank(*v, rank)?;
        }
        Ok(aligned)
    }

    /// Operands of one dtype and any ranks.
    pub(crate) fn binary(&mut self, f: BinaryFn, a: ValueId, b: ValueId) -> Built {
        let aligned = self.align([a, b])?;
        self.value(ops::Binary { f }, &aligned)
    }

    /// The sum; of bools, `or`.
    pub(crate) fn add(&mut self, a: ValueId, b: ValueId) -> Built {
        let f = match self.dtype(a) {
            DType::Bool => BinaryFn::BitOr,
            _ => BinaryFn::Add,
        };
        self.binary(f, a, b)
    }

    pub(crate) fn sub(&mut self, a: ValueId, b: ValueId) -> Built {
        self.binary(BinaryFn::Sub, a, b)
    }

    /// The product; of bools, `and`.
    pub(crate) fn mul(&mut self, a: ValueId, b: ValueId) -> Built {
        let f = match self.dtype(a) {
            DType::Bool => BinaryFn::BitAnd,
            _ => BinaryFn::Mul,
        };
        self.binary(f, a, b)
    }

    /// `v` times a number in the dtype of `v`.
    pub(crate) fn scale(&mut self, v: ValueId, by: Scalar) -> Built {
        if by.as_f64() == 1.0 {
            return Ok(v);
        }
        let by = self.scalar_like(by, v);
        self.mul(v, by)
    }

    /// Operands of one dtype and any ranks.
    pub(crate) fn compare(&mut self, f: CompareFn, a: ValueId, b: ValueId) -> Built {
        let aligned = self.align([a, b])?;
        self.value(ops::Compare { f }, &aligned)
    }

    /// `a` where the condition holds, else `b`; of any ranks.
    pub(crate) fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> Built {
        let aligned = self.align([condition, a, b])?;
        self.value(ops::Select {}, &aligned)
    }

    pub(crate) fn movement(&mut self, v: ValueId, movement: Movement) -> Built {
        if movement.is_identity() {
            return Ok(v);
        }
        self.value(ops::Move { movement }, &[v])
    }

    /// The movements that reshape `from` to `to`.
    pub(crate) fn reshape_steps(&self, from: &[Dim], to: &[Dim]) -> Result<Vec<Movement>, Problem> {
        let reshape = Movement::reshape(from, to, self.symbols())?;
        let steps = reshape.steps.steps().into_iter();
        Ok(steps.filter(|m| !m.is_identity()).cloned().collect())
    }

    pub(crate) fn reshape(&mut self, v: ValueId, to: &[Dim]) -> Built {
        let from = self.shape(v);
        let steps = self.reshape_steps(&from, to)?;
        steps.into_iter().try_fold(v, |v, m| self.movement(v, m))
    }

    /// One axis of all elements in row-major order.
    pub(crate) fn flatten(&mut self, v: ValueId) -> Built {
        let movement = Movement::merge(&self.shape(v), 0..self.rank(v))?;
        self.movement(v, movement)
    }

    /// Result axis `i` is axis `order[i]`.
    pub(crate) fn permute(&mut self, v: ValueId, order: &[usize]) -> Built {
        let movement = Movement::permute(&self.shape(v), order)?;
        self.movement(v, movement)
    }

    /// Swaps two axes.
    pub(crate) fn transpose(&mut self, v: ValueId, a: usize, b: usize) -> Built {
        let mut order: Vec<usize> = (0..self.rank(v)).collect();
        order.swap(a, b);
        self.permute(v, &order)
    }

    /// Inserts unit axes at these places of the result.
    pub(crate) fn unsqueeze(&mut self, v: ValueId, at: &[usize]) -> Built {
        let movement = Movement::unsqueeze(&self.shape(v), at)?;
        self.movement(v, movement)
    }

    /// Drops unit axes.
    pub(crate) fn squeeze(&mut self, v: ValueId, at: &[usize]) -> Built {
        let movement = Movement::squeeze(&self.shape(v), at)?;
        self.movement(v, movement)
    }

    /// Unit axes in front up to that rank.
    pub(crate) fn with_rank(&mut self, v: ValueId, rank: usize) -> Built {
        let missing = rank.saturating_sub(self.rank(v));
        let at: Vec<usize> = (0..missing).collect();
        self.unsqueeze(v, &at)
    }

    /// Repeats along unit axes; the rank stays.
    pub(crate) fn broadcast(&mut self, v: ValueId, shape: Shape) -> Built {
        if *self.ty(v).shape == *shape {
            return Ok(v);
        }
        self.value(ops::Broadcast { shape }, &[v])
    }

    /// Repeats along unit and missing axes in front.
    pub(crate) fn expand(&mut self, v: ValueId, shape: &Shape) -> Built {
        let v = self.with_rank(v, shape.rank())?;
        self.broadcast(v, shape.clone())
    }

    /// The shape in which tensors meet.
    pub(crate) fn common_shape(&self, values: &[ValueId]) -> Result<Shape, Problem> {
        let rank = values.iter().map(|&v| self.rank(v)).max().unwrap_or(0);
        let mut shape = Shape::from(vec![Dim::constant(1); rank]);
        for &v in values {
            let missing = rank - self.rank(v);
            for (at, size) in shape[missing..].iter_mut().zip(self.ty(v).shape.iter()) {
                *at = ops::broadcast_dim(at, size, self.symbols()).ok_or_else(|| {
                    Problem::unsupported(format!("sizes {at} and {size} do not meet"))
                })?;
            }
        }
        Ok(shape)
    }

    /// `len` elements along an axis.
    pub(crate) fn slice(
        &mut self,
        v: ValueId,
        axis: usize,
        start: &Dim,
        len: &Dim,
        step: i64,
    ) -> Built {
        if start.is(0) && step == 1 && self.ty(v).shape.get(axis) == Some(len) {
            return Ok(v);
        }
        let (start, len) = (start.clone(), len.clone());
        let op = ops::Slice {
            axis,
            start,
            len,
            step,
        };
        self.value(op, &[v])
    }

    /// More elements before and behind, by axis.
    pub(crate) fn pad(
        &mut self,
        v: ValueId,
        low: Vec<Dim>,
        high: Vec<Dim>,
        mode: PadMode,
    ) -> Built {
        if low.iter().chain(&high).all(|d| d.is(0)) {
            return Ok(v);
        }
        self.value(ops::Pad { low, high, mode }, &[v])
    }

    /// Operands of one dtype and rank, one behind the other.
    pub(crate) fn concat(&mut self, axis: usize, operands: &[ValueId]) -> Built {
        match operands {
            [only] => Ok(*only),
            _ => self.value(ops::Concat { axis }, operands),
        }
    }

    /// Folds ascending axes, which stay with size 1 or go.
    pub(crate) fn reduce(&mut self, f: ReduceFn, v: ValueId, axes: &[usize], keep: bool) -> Built {
        let op = ops::Reduce {
            f,
            axes: axes.to_vec(),
        };
        let folded = if axes.is_empty() {
            v
        } else {
            self.value(op, &[v])?
        };
        if keep {
            Ok(folded)
        } else {
            self.squeeze(folded, axes)
        }
    }

    /// The least of both, decided by the ranges of their symbols where possible.
    pub(crate) fn least(&self, a: &Dim, b: &Dim) -> Dim {
        match (
            self.symbols().less_equal(a, b),
            self.symbols().less_equal(b, a),
        ) {
            (Some(true), _) => a.clone(),
            (_, Some(true)) => b.clone(),
            _ => Dim::min([a.clone(), b.clone()]),
        }
    }

    /// The greatest of both, decided by the ranges of their symbols where possible.
    pub(crate) fn greatest(&self, a: &Dim, b: &Dim) -> Dim {
        match (
            self.symbols().less_equal(a, b),
            self.symbols().less_equal(b, a),
        ) {
            (Some(true), _) => b.clone(),
            (_, Some(true)) => a.clone(),
            _ => Dim::max([a.clone(), b.clone()]),
        }
    }
}
