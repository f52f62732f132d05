//! Reductions along any axes, in any memory order. Axes that are neighbours in memory are reduced as one.

use super::Lowering;
use crate::dialect::{ArgMax, NanMode, TensorId, TosaDtype, TosaOp};
use crate::orders::ROWS;
use kiln_ir::DType;
use kiln_ir::graph::Node;
use kiln_ir::ops::{ArgFn, ArgReduce, Reduce, ReduceFn, Simple};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    pub(super) fn reduce(
        &mut self,
        node: &Node,
        op: &Reduce,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let x = self.operand(node.operands[0], order)?;
        let mut positions: Vec<usize> = op
            .axes
            .iter()
            .map(|&axis| order.position(axis, ROWS))
            .collect();
        positions.sort_unstable();
        self.fold(x, op.f, &positions)
    }

    /// Reduces the tensor along axes, which are ascending and keep the size 1.
    pub(crate) fn fold(
        &mut self,
        x: TensorId,
        f: ReduceFn,
        axes: &[usize],
    ) -> Result<TensorId, Reason> {
        let mut folded = x;
        let mut rest = axes;
        while let Some(&last) = rest.last() {
            let run = rest
                .iter()
                .rev()
                .enumerate()
                .take_while(|&(i, &axis)| axis + i == last)
                .count();
            rest = &rest[..rest.len() - run];
            folded = self.fold_run(folded, f, last + 1 - run..last + 1)?;
        }
        if f != ReduceFn::Mean {
            return Ok(folded);
        }
        let count: usize = axes.iter().map(|&axis| self.parts.shape(x)[axis]).product();
        let factor = self.parts.number(folded, 1.0 / count as f64)?;
        self.parts.op(TosaOp::Mul { shift: 0 }, &[folded, factor])
    }

    fn fold_run(
        &mut self,
        x: TensorId,
        f: ReduceFn,
        run: std::ops::Range<usize>,
    ) -> Result<TensorId, Reason> {
        let nan_mode = NanMode::Propagate;
        let mut shape = self.parts.shape(x).to_vec();
        let (axis, count): (usize, usize) = (run.start, shape[run.clone()].iter().product());
        if count == 1 {
            return Ok(x);
        }
        let is_float = self.parts.dtype(x).is_float();
        let op = match f {
            ReduceFn::Mean if !is_float => {
                return Err(Reason::new(
                    "means are of floats",
                    self.parts.dtype(x).name(),
                ));
            }
            ReduceFn::Sum | ReduceFn::Mean => TosaOp::ReduceSum { axis },
            ReduceFn::Prod => TosaOp::ReduceProduct { axis },
            ReduceFn::Max => TosaOp::ReduceMax { axis, nan_mode },
            ReduceFn::Min => TosaOp::ReduceMin { axis, nan_mode },
            ReduceFn::Any => TosaOp::ReduceAny { axis },
            ReduceFn::All => TosaOp::ReduceAll { axis },
        };
        shape[run].fill(1);
        shape[axis] = count;
        let x = self.parts.reshape(x, &shape)?;
        self.parts.op(op, &[x])
    }

    /// The index of the greatest element. The index of the least is that of the greatest negation; integers are negated
    /// bit by bit.
    pub(super) fn arg_reduce(
        &mut self,
        node: &Node,
        op: &ArgReduce,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let mut x = self.operand(node.operands[0], order)?;
        let axis = order.position(op.axis, ROWS);
        if self.graph.ty(node.operands[0]).dtype == DType::U8 {
            // With the high bit turned, unsigned 8-bit integers compare as signed ones.
            let high = self.parts.number(x, -128.0)?;
            x = self.parts.op(TosaOp::BitwiseXor, &[x, high])?;
        }
        if op.f == ArgFn::Min {
            let turn = if self.parts.dtype(x).is_float() {
                Simple::Neg
            } else {
                Simple::BitNot
            };
            x = self.simple(turn, x)?;
        }
        if self.parts.dtype(x) == TosaDtype::I32 {
            return Err(Reason::new(
                "positions are of floats or narrow integers",
                "32-bit integers",
            ));
        }
        let mut shape = self.parts.shape(x).to_vec();
        let found = self.parts.op(
            TosaOp::ArgMax(ArgMax {
                axis,
                nan_mode: NanMode::Propagate,
            }),
            &[x],
        )?;
        shape[axis] = 1;
        self.parts.reshape(found, &shape)
    }
}
