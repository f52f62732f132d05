//! Conversions of elements.
//!
//! TOSA rounds floats to the nearest integer where PyTorch cuts off, and has no conversions of bools to floats: those
//! are choices and comparisons.

use super::{Lowering, dtype_of};
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_ir::DType;
use kiln_ir::graph::Node;
use kiln_ir::ops::{CompareFn, Simple};
use kiln_transforms::layout::Order;
use kiln_transforms::target::Reason;

impl Lowering<'_, '_> {
    pub(super) fn cast(
        &mut self,
        node: &Node,
        to: DType,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.graph.ty(node.operands[0]).dtype;
        if [from, to].contains(&DType::U8) && from != to {
            return Err(Reason::new(
                "TOSA's integers have signs",
                format!("{from} to {to}"),
            ));
        }
        let x = self.operand(node.operands[0], order)?;
        self.convert(x, dtype_of(to)?)
    }

    /// The elements in another type, as PyTorch converts them.
    pub(crate) fn convert(&mut self, x: TensorId, to: TosaDtype) -> Result<TensorId, Reason> {
        let from = self.parts.dtype(x);
        if from == to {
            return Ok(x);
        }
        if from == TosaDtype::Bool {
            let rank = self.parts.shape(x).len();
            let one = self.parts.number_of(to, rank, 1.0)?;
            let zero = self.parts.number_of(to, rank, 0.0)?;
            return self.parts.op(TosaOp::Select, &[x, one, zero]);
        }
        if to == TosaDtype::Bool {
            let zero = self.parts.number(x, 0.0)?;
            return self.relation(CompareFn::Ne, x, zero);
        }
        let whole = if from.is_float() && !to.is_float() {
            self.truncate(x)?
        } else {
            x
        };
        self.parts.op(TosaOp::Cast { to }, &[whole])
    }

    fn truncate(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        let up = self.simple(Simple::Ceil, x)?;
        let down = self.simple(Simple::Floor, x)?;
        let zero = self.parts.number(x, 0.0)?;
        let is_negative = self.relation(CompareFn::Lt, x, zero)?;
        self.parts.op(TosaOp::Select, &[is_negative, up, down])
    }
}
