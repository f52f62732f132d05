//! Quantised integers of 32 bits about 0: numbers of steps, which the library holds as plain integers. It only converts and moves them.

use super::super::element::Elements;
use super::{Lowering, Problem};
use crate::payload::{BinaryOp, Clamp, Datatype, UnaryOp, ValueId as Tensor, XnnOp};
use kiln_ir::graph::Node;
use kiln_ir::types::QuantScheme;
use kiln_ir::{DType, NodeId, TensorType};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The greatest number of f32 that an integer of 32 bits holds.
const MOST: f32 = 2_147_483_520.0;

/// The scale of such integers.
///
/// # Errors
/// If the type is none of these.
pub(crate) fn scale(ty: &TensorType) -> Result<f64, Reason> {
    let rule = "XNNPACK converts to integers of 32 bits about 0, with one scale that is a normal number of f32, as is its reciprocal";
    let refused = || Reason::new(rule, format!("{ty:?}"));
    let quant = ty.quant.as_ref().ok_or_else(refused)?;
    let QuantScheme::PerTensor {
        scale,
        zero_point: 0,
    } = quant.scheme
    else {
        return Err(refused());
    };
    let single = scale as f32;
    let is_normal = single.is_normal() && (1.0 / single).is_normal();
    (ty.dtype == DType::I32 && is_normal && quant.min < quant.max)
        .then_some(scale)
        .ok_or_else(refused)
}

/// Refuses ranges that end beside the numbers of f32: what saturates there would be another integer.
pub(crate) fn check_ends(ty: &TensorType) -> Result<(), Reason> {
    let ends = ty.quant.as_ref().map(|quant| [quant.min, quant.max]);
    match ends
        .into_iter()
        .flatten()
        .find(|&end| (end as f32) as i64 != end)
    {
        None => Ok(()),
        Some(end) => Err(Reason::new(
            "XNNPACK's clamps have bounds that are numbers of f32",
            end.to_string(),
        )),
    }
}

/// The least and the greatest integer. Where f32 does not hold them, its next number.
fn ends(ty: &TensorType) -> Result<[f32; 2], Problem> {
    let quant = ty.quant.as_ref().ok_or("integers without a scale")?;
    Ok([quant.min, quant.max].map(|end| (end as f32).min(MOST)))
}

impl Lowering<'_> {
    /// The number of steps in floats, within the range, then in integers: the library rounds half to even as it converts.
    pub(in crate::lower) fn quantise_wide(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let ty = self.graph.ty(node.result());
        let scale = scale(ty).map_err(|reason| reason.to_string())?;
        let [min, max] = ends(ty)?;
        let input = self.tensors.operand(node.operands[0], order)?;
        let (inverse, steps) = (self.number(input, 1.0 / scale)?, self.like(input));
        self.push_clamped(product([input, inverse], steps), Some(Clamp { min, max }));
        let output = self.target(id, order);
        self.push_unary(UnaryOp::Convert, steps, output);
        Ok(())
    }

    /// The range keeps a NaN, which the library converts to the least integer of 32 bits, within the type's reals.
    pub(in crate::lower) fn dequantise_wide(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let ty = self.graph.ty(node.operands[0]);
        let scale = scale(ty).map_err(|reason| reason.to_string())?;
        let [min, max] = ends(ty)?.map(|end| end * scale as f32);
        let input = self.tensors.operand(node.operands[0], order)?;
        let dims = self.tensors.dims(input).to_vec();
        let steps = self.tensors.add(Elements::from(Datatype::Fp32), dims);
        self.push_unary(UnaryOp::Convert, input, steps);
        let scale = self.number(steps, scale)?;
        let output = self.target(id, order);
        self.push_clamped(product([steps, scale], output), Some(Clamp { min, max }));
        Ok(())
    }
}

fn product(inputs: [Tensor; 2], output: Tensor) -> XnnOp {
    XnnOp::Binary {
        op: BinaryOp::Multiply,
        inputs,
        output,
        flags: 0,
    }
}
