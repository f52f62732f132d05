//! Conversions of elements.
//!
//! TOSA rounds a float to the nearest integer, where PyTorch truncates it. TOSA has no conversion from bool to float or
//! from float to bool: these become a SELECT and a comparison.

use super::{Lowering, dtype_of};
use crate::dialect::{TensorId, TosaDtype, TosaOp};
use kiln_ir::DType;
use kiln_ir::graph::Node;
use kiln_ir::ops::{CompareFn, Simple};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    pub(super) fn cast(
        &mut self,
        node: &Node,
        to: DType,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let from = self.graph.ty(node.operands[0]).dtype;
        let x = self.operand(node.operands[0], order)?;
        match (from, to) {
            (DType::U8, DType::U8 | DType::I8 | DType::Bool) => self.convert(x, dtype_of(to)?),
            (DType::U8, _) => {
                let words = self.bytes_as_words(x)?;
                self.convert(words, dtype_of(to)?)
            }
            // A number that does not fit 8 bits wraps, so it is converted to 32 bits first.
            (_, DType::U8) if from.is_float() => {
                let words = self.convert(x, TosaDtype::I32)?;
                self.convert(words, TosaDtype::I8)
            }
            _ => self.convert(x, dtype_of(to)?),
        }
    }

    /// The value of unsigned 8-bit integers, which TOSA holds as signed ones.
    fn bytes_as_words(&mut self, x: TensorId) -> Result<TensorId, Reason> {
        let signed = self.convert(x, TosaDtype::I32)?;
        let low = self.parts.number(signed, 255.0)?;
        self.parts.op(TosaOp::BitwiseAnd, &[signed, low])
    }

    /// Converts the elements to another dtype, as PyTorch does.
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
