//! Tensors without elements. No call reads or writes one. A node with such an operand is computed ahead of time if it depends on
//! nothing else.

use super::parts::TensorId;
use super::{Lowering, Order, order_of};
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::graph::Node;
use kiln_ir::{Dim, Op, TensorData, ValueId};
use kiln_transforms::analysis::constants::constant_of;
use kiln_transforms::framework::target::Reason;

/// The memory limit of what is computed ahead, in bytes.
const MAX_BYTES: u64 = 1 << 30;

impl Lowering<'_> {
    fn is_empty(&self, value: ValueId) -> bool {
        self.graph.ty(value).shape.iter().any(|dim| dim.is(0))
    }

    /// Gives the results of a node that has a tensor without elements. `None` if it has none, or if the node lowers all the same.
    pub(super) fn without_elements(
        &mut self,
        node: &Node,
        order: &Order,
    ) -> Option<Result<(), Reason>> {
        if matches!(node.op, Op::If(_) | Op::While(_) | Op::Concat(_)) {
            let gives_none = node.results.iter().all(|&value| self.is_empty(value));
            return (gives_none && matches!(node.op, Op::Concat(_)))
                .then(|| self.hold_empty(node, order));
        }
        if !node.results.is_empty() && node.results.iter().all(|&value| self.is_empty(value)) {
            return Some(self.hold_empty(node, order));
        }
        let has_empty = node.operands.iter().any(|&value| self.is_empty(value));
        has_empty.then(|| self.ahead(node, order))
    }

    fn hold_empty(&mut self, node: &Node, order: &Order) -> Result<(), Reason> {
        for &value in &node.results {
            let order = order_of(self.graph, value, order);
            let sizes = self.sizes(value, &order)?;
            let dtype = super::parts::dtype_of(self.graph.ty(value).dtype)?;
            let tensor = self.parts.temporary(dtype, &sizes);
            self.holdings.hold(value, &order, tensor);
        }
        Ok(())
    }

    /// Computes a node ahead of time, whose operands are constants or have no elements. An update with nothing gives its first
    /// operand.
    fn ahead(&mut self, node: &Node, order: &Order) -> Result<(), Reason> {
        if let Op::IndexPut(_) | Op::Scatter(_) = node.op
            && !self.is_empty(node.operands[0])
        {
            let same = self.operand(node.operands[0], order)?;
            self.holdings.hold(node.results[0], order, same);
            return Ok(());
        }
        let operands = node.operands.iter().map(|&value| self.known(value));
        let operands: Vec<Tensor> = operands.collect::<Result<_, Reason>>()?;
        let mut bindings = Bindings::new(&self.graph.symbols);
        let made = evaluate_op(&node.op, &operands, &mut bindings, MAX_BYTES);
        let made = made.map_err(|cause| {
            Reason::new(
                "an op without elements is computed ahead",
                cause.to_string(),
            )
        })?;
        for (&value, tensor) in node.results.iter().zip(made) {
            let data = TensorData::from(tensor);
            let tensor: TensorId = self.parts.data("value", &data)?;
            let plain = Order::plain(self.graph.ty(value).rank());
            self.holdings.hold(value, &plain, tensor);
        }
        Ok(())
    }

    fn known(&self, value: ValueId) -> Result<Tensor, Reason> {
        let ty = self.graph.ty(value);
        if let Some(data) = constant_of(self.graph, value) {
            return Ok(Tensor::from(data).with_quant(ty.quant.clone()));
        }
        let rule = "an op of a tensor without elements takes constants besides";
        let refused = || Reason::new(rule, self.graph.type_text(value));
        let sizes = ty.shape.iter().map(Dim::as_const);
        let sizes: Option<Vec<usize>> = sizes.map(|n| usize::try_from(n?).ok()).collect();
        let sizes = sizes.filter(|_| self.is_empty(value)).ok_or_else(refused)?;
        let data = TensorData::new(ty.dtype, sizes, Vec::new().into()).map_err(|_| refused())?;
        Ok(Tensor::from(data).with_quant(ty.quant.clone()))
    }
}
