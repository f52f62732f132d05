//! The first elements along an axis in sorted order: `top_k` and `sort`.

use crate::dialect::{Dtype, Function, TopK};
use crate::lower::parts::{TensorId, int};
use crate::lower::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::{DType, Op};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    /// The elements and their indices, for a node that has both as results.
    pub(in crate::lower) fn ordered(
        &mut self,
        node: &Node,
    ) -> Option<Result<[TensorId; 2], Reason>> {
        let (axis, largest) = match &node.op {
            Op::TopK(op) => (op.axis, op.largest),
            Op::Sort(op) => (op.axis, op.descending),
            _ => return None,
        };
        Some(self.first_ones(node, axis, largest))
    }

    fn first_ones(
        &mut self,
        node: &Node,
        axis: usize,
        largest: bool,
    ) -> Result<[TensorId; 2], Reason> {
        let plain = Order::plain(self.graph.ty(node.results[0]).rank());
        let x = self.operand(node.operands[0], &plain)?;
        if self.parts.dtype(x) != Dtype::F32 {
            return Err(self.no_kernel(node));
        }
        let sizes = self.parts.sizes(x).to_vec();
        let result = self.sizes(node.results[0], &plain)?;
        let top_k = TopK {
            outer: int(sizes[..axis].iter().product())?,
            n: int(sizes[axis])?,
            inner: int(sizes[axis + 1..].iter().product())?,
            k: int(result[axis])?,
            largest,
        };
        let values = self.parts.temporary(Dtype::F32, &result);
        let indices = self.parts.temporary(Dtype::I32, &result);
        let slots = [Some(x), Some(values), Some(indices)];
        self.parts.call(Function::KilnTopKF32, top_k, &slots)?;
        let wide = self.graph.ty(node.results[1]).dtype;
        Ok([values, self.as_type(indices, DType::I32, wide)?])
    }
}
