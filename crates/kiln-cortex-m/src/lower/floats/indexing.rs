//! Elements and blocks that are chosen by indices. Indices have 32 bits in the kernels.

use crate::dialect::{Dtype, Function, Gather, GatherElements, IntegerFunction};
use crate::lower::parts::{TensorId, int};
use crate::lower::strided::{Walk, steps_of};
use crate::lower::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::{DType, ValueId, ops};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    /// The indices as integers of 32 bits, in plain order.
    fn indices(&mut self, value: ValueId) -> Result<TensorId, Reason> {
        if let Some(data) = constant_of(self.graph, value) {
            let all: Vec<i32> = data.scalars().map(|s| s.as_i64() as i32).collect();
            let tensor = self.parts.words("indices", &all);
            return Ok(self.parts.view(tensor, data.sizes()));
        }
        let ty = self.graph.ty(value);
        let (rank, dtype) = (ty.rank(), ty.dtype);
        let x = self.operand(value, &Order::plain(rank))?;
        match dtype {
            DType::I32 | DType::I64 => self.as_type(x, dtype, DType::I32),
            other => Err(Reason::new("indices are integers", other.name())),
        }
    }

    /// Blocks by the indices of one axis, or of several.
    pub(super) fn index(&mut self, node: &Node, op: &ops::Index) -> Result<TensorId, Reason> {
        let x = node.operands[0];
        let x = self.operand(x, &Order::plain(self.graph.ty(x).rank()))?;
        let sizes = self.parts.sizes(x).to_vec();
        let own = &sizes[op.axis..op.axis + node.operands.len() - 1];
        let indices = match node.operands[1..] {
            [only] => self.indices(only)?,
            _ => self.joined_indices(&node.operands[1..], own)?,
        };
        let behind: usize = sizes[op.axis + own.len()..].iter().product();
        let dtype = self.parts.dtype(x);
        let count = self.parts.elements(indices);
        let gather = Gather {
            outer: int(sizes[..op.axis].iter().product())?,
            n: int(own.iter().product())?,
            inner_bytes: int(dtype.bytes(behind))?,
            count: int(count)?,
        };
        let rank = self.graph.ty(node.result()).rank();
        let result = self.sizes(node.result(), &Order::plain(rank))?;
        let outer: usize = sizes[..op.axis].iter().product();
        if result.iter().product::<usize>() != outer * count * behind {
            return Err(self.no_kernel(node));
        }
        let y = self.parts.temporary(dtype, &result);
        let slots = [Some(x), Some(indices), Some(y)];
        self.parts.call(Function::KilnGather, gather, &slots)?;
        Ok(y)
    }

    /// The indices of neighbouring axes as those of one: each in range, the former times the sizes of the latter.
    fn joined_indices(&mut self, values: &[ValueId], sizes: &[usize]) -> Result<TensorId, Reason> {
        let mut all: Option<TensorId> = None;
        for (&value, &size) in values.iter().zip(sizes) {
            let own = self.indices(value)?;
            // Negative indices count from the end of their own axis.
            let own = self.with_number(own, IntegerFunction::Remainder, size as i64, true)?;
            all = Some(match all {
                None => own,
                Some(all) => {
                    let all = self.with_number(all, IntegerFunction::Mul, size as i64, true)?;
                    self.integers(IntegerFunction::Add, [all, own])?
                }
            });
        }
        all.ok_or_else(|| Reason::new("there are indices", "none"))
    }

    /// Elements, each by an index along an axis.
    pub(super) fn gather(&mut self, node: &Node, axis: usize) -> Result<TensorId, Reason> {
        let x = node.operands[0];
        let x = self.operand(x, &Order::plain(self.graph.ty(x).rank()))?;
        let indices = self.indices(node.operands[1])?;
        let (of_x, of_indices) = (
            self.parts.sizes(x).to_vec(),
            self.parts.sizes(indices).to_vec(),
        );
        let mut steps = steps_of(&of_x);
        let axis_stride = steps[axis];
        steps[axis] = 0;
        let dtype: Dtype = self.parts.dtype(x);
        let gather = GatherElements {
            strides: Walk::new(&of_indices, [&steps, &steps_of(&of_indices)]).strides()?,
            axis_size: int(of_x[axis])?,
            axis_stride: int(axis_stride as usize)?,
            element_size: dtype.bytes(1) as i32,
        };
        let y = self.parts.temporary(dtype, &of_indices);
        let slots = [Some(x), Some(indices), Some(y)];
        self.parts
            .call(Function::KilnGatherElements, gather, &slots)?;
        Ok(y)
    }
}
