//! Quantisation and dequantisation in files that also compute in floats.

use super::quantised::signed;
use super::rescale::To;
use super::step::Goal;
use super::{Lowering, dtype_of};
use crate::dialect::{NanMode, TensorId, TosaDtype, TosaOp};
use crate::orders::ROWS;
use kiln_ir::graph::Node;
use kiln_ir::ops::Simple;
use kiln_ir::{DType, Quant, Scalar, TensorData};
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

impl Lowering<'_, '_> {
    /// Dequantises integers.
    pub(super) fn dequantize(&mut self, node: &Node, order: &Order) -> Result<TensorId, Reason> {
        let value = node.operands[0];
        if is_constant(self.graph, value)
            && let Ok(reals) = self.reals(value)
            && let Some(sizes) = self.graph.ty(value).shape.as_static()
        {
            let reals = reals.into_iter().map(Scalar::Float);
            let data = TensorData::from_scalars(DType::F32, sizes, reals);
            let to = order.to_memory(&self.graph.ty(value).shape, ROWS);
            let moved = data.moved(&to);
            let moved =
                moved.ok_or_else(|| Reason::new("a constant can be moved", "other sizes"))?;
            return self.parts.data(&moved);
        }
        let (x, step) = self.signed_operand(value, order)?;
        let words = self.rescale(x, step.zero_point, &[1.0], To::WORDS)?;
        let floats = self
            .parts
            .op(TosaOp::Cast { to: TosaDtype::F32 }, &[words])?;
        let scale = self.parts.number(floats, step.scale)?;
        self.parts.op(TosaOp::Mul { shift: 0 }, &[floats, scale])
    }

    /// Quantises floats, with PyTorch's results.
    pub(super) fn quantize(
        &mut self,
        node: &Node,
        quant: &Quant,
        dtype: DType,
        order: &Order,
    ) -> Result<TensorId, Reason> {
        let (own, quant) = signed(dtype, quant);
        let to = Goal::new(&quant, own)?;
        let x = self.operand(node.operands[0], order)?;
        let inverse = self
            .parts
            .number(x, f64::from((1.0 / to.step.scale) as f32))?;
        let steps = self.parts.op(TosaOp::Mul { shift: 0 }, &[x, inverse])?;
        let whole = self.simple(Simple::Round, steps)?;
        let zero = self.parts.number(whole, f64::from(to.step.zero_point))?;
        let moved = self.parts.op(TosaOp::Add, &[whole, zero])?;
        let (least, greatest) = floats_around(&quant);
        let (min, max) = (Scalar::Float(least), Scalar::Float(greatest));
        let limited = self.parts.clamp(moved, min, max)?;
        let to = dtype_of(own)?;
        let mut made = self.parts.op(TosaOp::Cast { to }, &[limited])?;
        let ends = own.int_range();
        let nan_mode = NanMode::Propagate;
        if least != quant.min as f64 && ends.is_none_or(|(end, _)| end != quant.min) {
            let least = self.parts.number(made, quant.min as f64)?;
            made = self
                .parts
                .op(TosaOp::Maximum { nan_mode }, &[made, least])?;
        }
        if greatest != quant.max as f64 && ends.is_none_or(|(_, end)| end != quant.max) {
            let greatest = self.parts.number(made, quant.max as f64)?;
            made = self
                .parts
                .op(TosaOp::Minimum { nan_mode }, &[made, greatest])?;
        }
        self.in_type(made, dtype)
    }
}

/// The nearest numbers of f32 that the range lies between. A cast limits those beyond the integers' type to it.
fn floats_around(quant: &Quant) -> (f64, f64) {
    let (min, max) = (quant.min as f64, quant.max as f64);
    let (low, high) = (min as f32, max as f32);
    let low = match f64::from(low) > min {
        true => low.next_down(),
        false => low,
    };
    let high = match f64::from(high) < max {
        true => high.next_up(),
        false => high,
    };
    (f64::from(low), f64::from(high))
}
