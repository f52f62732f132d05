//! Functions of rows: reductions, running sums, softmaxes, norms.

use crate::dialect::{AxisReduce, Dtype, Function, Norm};
use crate::lower::parts::{TensorId, int};
use crate::lower::{Lowering, Order};
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::ops::{self, NormKind, ReduceFn, ScanFn};
use kiln_transforms::framework::target::Reason;

impl Lowering<'_> {
    pub(super) fn plain_reduce(
        &mut self,
        node: &Node,
        op: &ops::Reduce,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, parts, sizes) = self.gathered(node, &op.axes, order)?;
        let dtype = self.parts.dtype(x);
        let function = match (op.f, dtype) {
            (ReduceFn::Sum, Dtype::F32) => Function::KilnSumF32,
            (ReduceFn::Mean, Dtype::F32) => Function::KilnMeanF32,
            (ReduceFn::Prod, Dtype::F32) => Function::KilnProdF32,
            (ReduceFn::Max, Dtype::F32) => Function::KilnMaxF32,
            (ReduceFn::Min, Dtype::F32) => Function::KilnMinF32,
            (ReduceFn::Sum, Dtype::I32) => Function::KilnSumS32,
            (ReduceFn::Sum, Dtype::I64) => Function::KilnSumS64,
            (ReduceFn::Max | ReduceFn::Any, Dtype::U8) => Function::KilnMaxU8,
            (ReduceFn::Max, Dtype::I8) => Function::KilnMaxS8,
            (ReduceFn::Max, Dtype::I16) => Function::KilnMaxS16,
            (ReduceFn::Max, Dtype::I32) => Function::KilnMaxS32,
            (ReduceFn::Max, Dtype::I64) => Function::KilnMaxS64,
            (ReduceFn::Min | ReduceFn::All, Dtype::U8) => Function::KilnMinU8,
            (ReduceFn::Min, Dtype::I8) => Function::KilnMinS8,
            (ReduceFn::Min, Dtype::I16) => Function::KilnMinS16,
            (ReduceFn::Min, Dtype::I32) => Function::KilnMinS32,
            (ReduceFn::Min, Dtype::I64) => Function::KilnMinS64,
            _ => return Err(self.no_kernel(node)),
        };
        if self.parts.dtype(x) != crate::lower::dtype_of(self.graph.ty(node.result()).dtype)? {
            return Err(self.no_kernel(node));
        }
        self.along_rows(function, x, parts, &sizes)
    }

    fn along_rows(
        &mut self,
        function: Function,
        x: TensorId,
        [outer, n, inner]: [usize; 3],
        sizes: &[usize],
    ) -> Result<TensorId, Reason> {
        let rows = AxisReduce {
            outer: int(outer)?,
            n: int(n)?,
            inner: int(inner)?,
        };
        let y = self.parts.temporary(self.parts.dtype(x), sizes);
        self.parts.call(function, rows, &[Some(x), Some(y)])?;
        Ok(y)
    }

    /// The operand, and its sizes in front of an axis, along it, and behind it.
    fn rows_along(
        &mut self,
        node: &Node,
        axis: usize,
        order: &Order,
    ) -> Result<(TensorId, [usize; 3]), Reason> {
        let x = self.operand(node.operands[0], order)?;
        let (axis, sizes) = (order.position(axis, ROWS), self.parts.sizes(x));
        let parts = [
            sizes[..axis].iter().product(),
            sizes[axis],
            sizes[axis + 1..].iter().product(),
        ];
        Ok((x, parts))
    }

    pub(super) fn float_softmax(
        &mut self,
        node: &Node,
        op: &ops::Softmax,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, parts) = self.rows_along(node, op.axis, order)?;
        self.check_float(x)?;
        let function = match op.log {
            true => Function::KilnLogSoftmaxF32,
            false => Function::KilnSoftmaxF32,
        };
        let sizes = self.parts.sizes(x).to_vec();
        self.along_rows(function, x, parts, &sizes)
    }

    pub(super) fn scan(
        &mut self,
        node: &Node,
        op: &ops::Scan,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (x, parts) = self.rows_along(node, op.axis, order)?;
        let function = match (op.f, self.parts.dtype(x)) {
            (ScanFn::Sum, Dtype::F32) => Function::KilnCumsumF32,
            (ScanFn::Sum, Dtype::I32) => Function::KilnCumsumS32,
            (ScanFn::Sum, Dtype::I64) => Function::KilnCumsumS64,
            (ScanFn::Prod, Dtype::F32) => Function::KilnCumprodF32,
            (ScanFn::Prod, Dtype::I32) => Function::KilnCumprodS32,
            (ScanFn::Prod, Dtype::I64) => Function::KilnCumprodS64,
            (ScanFn::Max, Dtype::F32) => Function::KilnCummaxF32,
            (ScanFn::Max, Dtype::I32) => Function::KilnCummaxS32,
            (ScanFn::Max, Dtype::I64) => Function::KilnCummaxS64,
            (ScanFn::Min, Dtype::F32) => Function::KilnCumminF32,
            (ScanFn::Min, Dtype::I32) => Function::KilnCumminS32,
            (ScanFn::Min, Dtype::I64) => Function::KilnCumminS64,
            _ => return Err(self.no_kernel(node)),
        };
        let sizes = self.parts.sizes(x).to_vec();
        self.along_rows(function, x, parts, &sizes)
    }

    /// A normalisation of the last axes. Any other is decomposed.
    pub(super) fn normalize(
        &mut self,
        node: &Node,
        op: &ops::Normalize,
    ) -> Result<TensorId, Reason> {
        let (axes, centred) = match op.kind {
            NormKind::Layer { axes } => (axes, true),
            NormKind::Rms { axes } => (axes, false),
            NormKind::Group { .. } | NormKind::Batch => return Err(self.no_kernel(node)),
        };
        let order = Order::plain(self.graph.ty(node.result()).rank());
        let x = self.operand(node.operands[0], &order)?;
        self.check_float(x)?;
        let sizes = self.parts.sizes(x).to_vec();
        let split = sizes.len() - axes;
        let mut affine = |slot: Option<usize>| {
            slot.map(|slot| {
                let value = node.operands[slot];
                self.operand(value, &Order::plain(self.graph.ty(value).rank()))
            })
            .transpose()
        };
        let (weight, bias) = op.affine_operands(node.operands.len());
        let (weight, bias) = (affine(weight)?, affine(bias)?);
        let norm = Norm {
            rows: int(sizes[..split].iter().product())?,
            n: int(sizes[split..].iter().product())?,
            eps: op.eps as f32,
            centred,
        };
        let y = self.parts.temporary(Dtype::F32, &sizes);
        let slots = [Some(x), weight, bias, Some(y)];
        self.parts.call(Function::KilnNormF32, norm, &slots)?;
        Ok(y)
    }
}
