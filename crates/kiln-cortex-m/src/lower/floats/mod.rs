//! Ops that compute in floats or in plain integers, by kernels in plain C.
//!
//! They are what a model leaves unquantised: a head, an edge, or all of it. Kernels compute in `float`; an op with another float
//! type is refused.

mod convert;
mod dense;
mod elementwise;
mod indexing;
mod ordered;
mod pool;
mod rows;
mod scatter;

use super::parts::TensorId;
use super::{Lowering, Order};
use crate::dialect::Dtype;
use kiln_ir::Op;
use kiln_ir::graph::Node;
use kiln_ir::ops::UnaryFn;
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    /// The result of a node that takes no quantised operands, or only gathers and compares them.
    pub(super) fn plain(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        match &node.op {
            Op::Unary(op) => match op.f {
                UnaryFn::Clamp { min, max } => self.plain_clamp(node, [min, max], order),
                f => self.plain_unary(node, f, order),
            },
            Op::Binary(op) => self.plain_binary(node, op.f, order),
            Op::Compare(op) => self.compare(node, op.f, order),
            Op::Select(_) => self.select(node, order),
            Op::Cast(op) => self.cast(node, op.to, order),
            Op::Quantize(op) => self.quantize(node, (&op.quant, op.dtype), order),
            Op::Dequantize(_) => self.dequantize(node, order),
            Op::Conv(op) => self.float_conv(node, op, order),
            Op::Linear(_) => self.float_linear(node, order),
            Op::MatMul(_) => self.float_matmul(node),
            Op::Pool(op) if node.results.len() == 1 => self.float_pool(node, op, order),
            Op::Reduce(op) => self.plain_reduce(node, op, order),
            Op::Scan(op) => self.scan(node, op, order),
            Op::Softmax(op) => self.float_softmax(node, op, order),
            Op::Normalize(op) => self.normalize(node, op),
            Op::Index(op) => self.index(node, op),
            Op::Gather(op) => self.gather(node, op.axis),
            Op::IndexPut(op) => self.index_put(node, op),
            Op::Scatter(op) => self.scatter(node, op),
            Op::Iota(op) => self.iota(node, op.dtype),
            _ => Err(self.no_kernel(node)),
        }
    }

    /// Checks that the tensor has the type `float`.
    pub(super) fn check_float(&self, x: TensorId) -> Result<(), Reason> {
        match self.parts.dtype(x) {
            Dtype::F32 => Ok(()),
            other => Err(Reason::new("the kernel computes in floats", other.name())),
        }
    }
}
