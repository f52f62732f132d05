//! Values that are written to places which indices choose.

use super::super::strided::{Walk, steps_of};
use crate::dialect::{Dtype, Function, Scatter, ScatterFunction};
use crate::lower::parts::{TensorId, int};
use crate::lower::{Lowering, Order};
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, ScatterFn};
use kiln_transforms::framework::target::Reason;

/// The places that indices choose: the sizes of indices and source with their strides, the strides of the result (0 along the
/// indexed axis), and that axis.
struct Places<'p> {
    sizes: &'p [usize],
    indices: &'p [i64],
    source: &'p [i64],
    result: &'p [i64],
    axis_size: usize,
    axis_step: i64,
}

impl Lowering<'_> {
    /// Writes elements, each at an index along an axis.
    pub(super) fn scatter(&mut self, node: &Node, op: &ops::Scatter) -> Result<TensorId, Reason> {
        let [x, index, source] = node.operands[..] else {
            return Err(self.no_kernel(node));
        };
        let plain = Order::plain(self.graph.ty(x).rank());
        let (x, source) = (self.operand(x, &plain)?, self.operand(source, &plain)?);
        let index = self.indices(index)?;
        let [of_x, of_index, of_source] =
            [x, index, source].map(|tensor| self.parts.sizes(tensor).to_vec());
        let mut steps = steps_of(&of_x);
        let axis_step = std::mem::take(&mut steps[op.axis]);
        let function = match op.f {
            ScatterFn::Set => ScatterFunction::Set,
            ScatterFn::Add => ScatterFunction::Add,
            ScatterFn::Mul => ScatterFunction::Mul,
            ScatterFn::Max => ScatterFunction::Max,
            ScatterFn::Min => ScatterFunction::Min,
        };
        let places = Places {
            sizes: &of_index,
            indices: &steps_of(&of_index),
            source: &steps_of(&of_source),
            result: &steps,
            axis_size: of_x[op.axis],
            axis_step,
        };
        self.scattered([x, source, index], function, &places)
    }

    /// Writes blocks at the indices of one axis, or of several.
    pub(super) fn index_put_by_indices(
        &mut self,
        node: &Node,
        op: &ops::IndexPut,
    ) -> Result<TensorId, Reason> {
        let [x, values] = [node.operands[0], node.operands[1]];
        let [x, values] = [x, values].map(|v| (v, Order::plain(self.graph.ty(v).rank())));
        let (x, values) = (self.operand(x.0, &x.1)?, self.operand(values.0, &values.1)?);
        let sizes = self.parts.sizes(x).to_vec();
        let end = op.axis + node.operands.len() - 2;
        let own = &sizes[op.axis..end];
        let indices = self.indices_of(&node.operands[2..], own)?;
        let count = self.parts.elements(indices);
        let outer: usize = sizes[..op.axis].iter().product();
        let inner: usize = sizes[end..].iter().product();
        if self.parts.elements(values) != outer * count * inner {
            return Err(self.no_kernel(node));
        }
        let function = match op.accumulate {
            true => ScatterFunction::Add,
            false => ScatterFunction::Set,
        };
        let n: usize = own.iter().product();
        let places = Places {
            sizes: &[outer, count, inner],
            indices: &[0, 1, 0],
            source: &steps_of(&[outer, count, inner]),
            result: &[(n * inner) as i64, 0, 1],
            axis_size: n,
            axis_step: inner as i64,
        };
        self.scattered([x, values, indices], function, &places)
    }

    /// A copy of the first tensor, changed by the source at the indices.
    fn scattered(
        &mut self,
        [x, source, indices]: [TensorId; 3],
        function: ScatterFunction,
        places: &Places<'_>,
    ) -> Result<TensorId, Reason> {
        // Values that only go to their places are bits.
        let kernel = match self.parts.dtype(x) {
            Dtype::F32 => Function::KilnScatterF32,
            Dtype::I8 => Function::KilnScatterS8,
            Dtype::U8 => Function::KilnScatterU8,
            Dtype::I16 => Function::KilnScatterS16,
            Dtype::I32 => Function::KilnScatterS32,
            Dtype::I64 => Function::KilnScatterS64,
            other => return Err(Reason::new("a kernel puts the type", other.name())),
        };
        let scatter = Scatter {
            strides: Walk::apart(places.sizes, [places.result, places.indices]).strides()?,
            source_strides: Walk::apart(places.sizes, [places.source, places.source]).strides()?,
            function,
            axis_size: int(places.axis_size)?,
            axis_stride: int(places.axis_step as usize)?,
        };
        let sizes = self.parts.sizes(x).to_vec();
        let y = self.parts.temporary(self.parts.dtype(x), &sizes);
        self.parts.copy(x, y, &Walk::dense(&sizes))?;
        let slots = [Some(source), Some(indices), Some(y)];
        self.parts.call(kernel, scatter, &slots)?;
        Ok(y)
    }
}
