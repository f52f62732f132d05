//! Support rules for quantised integers. The forms are the lowering's own, in [`crate::lower::integers`].

use super::Query;
use crate::lower::integers::{check_bounds, convert, layer, mean, pointwise, qparams, wide};
use crate::lower::pool;
use kiln_ir::ops::{PoolFn, Quantised, ReduceFn, ResizeMode, UnaryFn};
use kiln_ir::{DType, Op, TensorType};
use kiln_transforms::framework::target::Reason;

impl Query<'_> {
    /// Refuses quantised types that no tensor of a delegate has. Those of a layer's constants are checked with the layer.
    pub(super) fn check_quantised(&self, ty: &TensorType) -> Result<(), Reason> {
        let is_layer = match &self.node.op {
            Op::Quantised(op) => matches!(*op.op, Op::Linear(_) | Op::Conv(_)),
            Op::Dequantised(_) => true,
            _ => false,
        };
        let constants = self.node.operands.iter().skip(1);
        let mut constants = constants.map(|&v| self.graph.ty(v));
        match is_layer && constants.any(|own| std::ptr::eq(own, ty)) {
            true => Ok(()),
            false if ty.dtype == DType::I32 && self.only_moves() => wide::scale(ty).map(drop),
            false => qparams(ty).map(drop),
        }
    }

    /// True for the ops on quantised integers of 32 bits.
    fn only_moves(&self) -> bool {
        matches!(
            self.node.op,
            Op::Quantize(_)
                | Op::Dequantize(_)
                | Op::Move(_)
                | Op::Broadcast(_)
                | Op::Slice(_)
                | Op::Concat(_)
                | Op::Select(_)
        )
    }

    /// True if the first operand holds quantised integers, which move and compare as they are.
    pub(super) fn is_quantised(&self) -> bool {
        let first = self.node.operands.first();
        first.is_some_and(|&v| self.graph.ty(v).quant.is_some())
    }

    /// An op that takes the integers as they are.
    pub(super) fn carried(&self) -> Result<(), Reason> {
        match &self.node.op {
            Op::Move(op) => self.movement(&op.movement),
            Op::Broadcast(op) => self.broadcast(&op.shape),
            Op::Slice(op) => self.slice(op),
            Op::Pad(op) => self.pad(op),
            Op::Concat(_) => Ok(()),
            Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }) => {
                check_bounds(self.ty(0), op.f)
            }
            Op::Reduce(op) if op.f == ReduceFn::Max => self.reduce(op),
            Op::Pool(op) if op.f == PoolFn::Max => self.pool(op),
            Op::AdaptivePool(op) if op.f == PoolFn::Max => self.adaptive_pool(op),
            Op::Resize(op) if op.mode == ResizeMode::Nearest => self.resize(op),
            op => Err(Reason::new(
                "XNNPACK moves integers of 8 bits, and takes their maxima",
                op.name(),
            )),
        }
    }

    pub(super) fn quantised(&self, op: &Quantised) -> Result<(), Reason> {
        match &*op.op {
            own @ Op::Linear(_) => layer::layer(self.graph, self.node, own).map(drop),
            own @ Op::Conv(op) => {
                self.windows(op)?;
                layer::layer(self.graph, self.node, own).map(drop)
            }
            Op::MatMul(_) => layer::check_product(self.graph, self.node),
            Op::Binary(op) => pointwise::check_pair(self.graph, self.node, op.f),
            Op::Unary(op) => pointwise::function(self.graph, self.node, op.f).map(drop),
            Op::Reduce(_) => mean::plan(self.graph, self.node).map(drop),
            Op::Pool(op) => {
                self.spatial(op.spatial())?;
                self.rows_reshape()?;
                mean::plan(self.graph, self.node).map(drop)
            }
            Op::AdaptivePool(op) => {
                self.spatial(op.output.len())?;
                self.rows_reshape()?;
                pool::of_adaptive(&self.ty(0).shape, op)?;
                mean::plan(self.graph, self.node).map(drop)
            }
            Op::Resize(op) if op.mode == ResizeMode::Linear => Err(Reason::new(
                "linear resizes are taken in floats, whose rounding is nearer to PyTorch's than that of XNNPACK's integers",
                "resize",
            )),
            other => Err(Reason::new(
                "XNNPACK computes layers, pairs, functions and means of integers",
                other.name(),
            )),
        }
    }

    pub(super) fn quantize(&self) -> Result<(), Reason> {
        let to = self.graph.ty(self.node.result());
        if to.dtype == DType::I32 {
            wide::check_ends(to)?;
        }
        self.dtype_in(&[DType::F32])
    }

    pub(super) fn dequantize(&self) -> Result<(), Reason> {
        let to = self.graph.ty(self.node.result()).dtype;
        match to {
            DType::F32 | DType::F16 | DType::BF16 => Ok(()),
            _ => Err(Reason::new("XNNPACK dequantises to f32", to.name())),
        }
    }

    pub(super) fn requantize(&self) -> Result<(), Reason> {
        convert::requantisation(self.ty(0), self.graph.ty(self.node.result())).map(drop)
    }
}
