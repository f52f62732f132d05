//! How imports emit nodes: [`kiln_ir::Builder`] at the end of the present block, and what ATen adds to it.
//!
//! Equal literals of a block are one node. A quantised operand becomes its integers where the op does not take quantised
//! tensors. Nodes of a call are counted, and a result whose sizes no tensor can have is refused.

use crate::call::error::Problem;
use crate::importer::Importer;
use kiln_ir::dim::DimNames;
use kiln_ir::graph::ValueList;
use kiln_ir::movement::Movement;
use kiln_ir::ops::{self, BinaryFn, Cast, Infer, Meaning, Op};
use kiln_ir::{BlockId, Builder, DType, Dim, NodeId, Scalar, Shape, ValueId};

type Built = Result<ValueId, Problem>;

/// The axis that PyTorch means by `dim` for a tensor of that rank. A scalar counts as rank 1.
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

/// The axes that PyTorch means by `dims`, ascending and without repeats. An empty `dims` means all axes.
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
    /// The size of an axis.
    ///
    /// # Errors
    /// If there is no such axis.
    pub(crate) fn size(&self, v: ValueId, axis: usize) -> Result<Dim, Problem> {
        let size = self.ty(v).shape.get(axis);
        size.cloned().ok_or_else(|| no_axis(axis, self.rank(v)))
    }

    /// Appends a node.
    ///
    /// # Errors
    /// If operands and attributes do not fit, if a result has a size that no tensor can have, or if the call has made
    /// too many nodes.
    pub(crate) fn insert(&mut self, op: Op, operands: &[ValueId]) -> Result<NodeId, Problem> {
        let operands = self.as_integers(&op, operands)?;
        self.count_node()?;
        let place = self.place();
        let node = self.rewriter().insert(place, op, &operands)?;
        for &result in &self.graph().node(node).results {
            self.check_sizes(&self.ty(result).shape)?;
        }
        Ok(node)
    }

    /// Checks the sizes of a result.
    ///
    /// # Errors
    /// If no tensor can have one of the sizes.
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

    /// A new block with a parameter for each operand. `fill` appends its nodes and gives its results.
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

    /// The operands as ATen sees them: to ATen, a quantised tensor is its integers. Quantised operands stay as they are
    /// if the op takes them and infers the quantisation of its result. Otherwise their bare integers are the operands.
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

    /// True if the op takes quantised operands with ATen's meaning, or infers the quantisation of its result.
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

    /// The stored integers of a quantised tensor, without its quantisation.
    ///
    /// # Errors
    /// If the cast cannot be built.
    pub fn integers(&mut self, v: ValueId) -> Built {
        let (place, to) = (self.place(), self.dtype(v));
        Ok(self.rewriter().value(place, Cast { to }, &[v])?)
    }

    /// The sum. For bools it is `or`.
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

    /// The product. For bools it is `and`.
    pub(crate) fn mul(&mut self, a: ValueId, b: ValueId) -> Built {
        let f = match self.dtype(a) {
            DType::Bool => BinaryFn::BitAnd,
            _ => BinaryFn::Mul,
        };
        self.binary(f, a, b)
    }

    /// `v` multiplied by a number, in the dtype of `v`.
    pub(crate) fn scale(&mut self, v: ValueId, by: Scalar) -> Built {
        if by.as_f64() == 1.0 {
            return Ok(v);
        }
        let by = self.scalar_like(by, v);
        self.mul(v, by)
    }

    /// The movements that reshape a tensor from shape `from` to shape `to`.
    pub(crate) fn reshape_steps(&self, from: &[Dim], to: &[Dim]) -> Result<Vec<Movement>, Problem> {
        let reshape = Movement::reshape(from, to, self.symbols())?;
        let steps = reshape.steps.steps().into_iter();
        Ok(steps.filter(|m| !m.is_identity()).cloned().collect())
    }

    /// The shape to which the values broadcast.
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
}
