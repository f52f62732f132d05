//! Conversions: between floats and integers, and between quantisations.

use super::{Lowering, Problem, qparams};
use crate::payload::{BinaryOp, Datatype, UnaryOp, ValueId as Tensor, XnnOp};
use kiln_ir::graph::Node;
use kiln_ir::{DType, NodeId, TensorData, TensorType};
use kiln_quantised::xnnpack::pointwise::Product;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

use super::super::element::Elements;

/// How a tensor is requantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requantisation {
    /// By a product with 1, which is rounded once. The library's own conversion rounds the ratio of the scales to a
    /// 256th first.
    Product,
    /// By a table, between signed and unsigned integers.
    Table,
}

/// The form of a requantisation.
///
/// # Errors
/// If a scale does not fit the library's kernel.
pub(crate) fn requantisation(from: &TensorType, to: &TensorType) -> Result<Requantisation, Reason> {
    let (source, result) = (qparams(from)?, qparams(to)?);
    if from.dtype != to.dtype {
        return Ok(Requantisation::Table);
    }
    let mut one = source;
    (one.scale, one.zero_point) = (1.0, 0);
    match Product::new([source, one], result) {
        Some(_) => Ok(Requantisation::Product),
        None => Err(Reason::new(
            "XNNPACK's ratio of scales is at least 2^-16 and below 2^8",
            format!("{} to {}", source.scale, result.scale),
        )),
    }
}

impl Lowering<'_> {
    /// Floats to integers, or back.
    pub(in crate::lower) fn conversion(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let input = self.tensors.operand(node.operands[0], order)?;
        self.push_limited(id, order, |output| conversion(input, output));
        Ok(())
    }

    pub(in crate::lower) fn requantise(
        &mut self,
        id: NodeId,
        node: &Node,
        order: &Order,
    ) -> Result<(), Problem> {
        let [from, to] = [node.operands[0], node.result()].map(|v| self.graph.ty(v));
        let form = requantisation(from, to).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        match form {
            Requantisation::Table => {
                self.push_limited(id, order, |output| conversion(input, output))
            }
            Requantisation::Product => {
                let dims: &[usize] = if self.tensors.dims(input).is_empty() {
                    &[]
                } else {
                    &[1]
                };
                let one = self.tensors.ones(input, dims)?;
                self.push_limited(id, order, |output| XnnOp::Binary {
                    op: BinaryOp::Multiply,
                    inputs: [input, one],
                    output,
                    flags: 0,
                });
            }
        }
        Ok(())
    }

    /// A constant number as an integer that stands for it exactly, in f32.
    pub(super) fn exact_number(
        &mut self,
        value: f64,
        datatype: Datatype,
        sizes: &[usize],
    ) -> Result<Tensor, Problem> {
        let (elements, integer) = exact_number(value, datatype);
        let dtype = if datatype == Datatype::QInt8 {
            DType::I8
        } else {
            DType::U8
        };
        let data = TensorData::splat(dtype, sizes.to_vec(), kiln_ir::Scalar::Int(integer));
        self.tensors.constant_of(&data, elements)
    }
}

/// A quantisation in which an integer stands for the number exactly: one step from the zero point.
pub(super) fn exact_number(value: f64, datatype: Datatype) -> (Elements, i64) {
    let scale = if value == 0.0 { 1.0 } else { value.abs() };
    // Unsigned integers have room on both sides of 1.
    let zero_point = 1;
    let steps = if value == 0.0 {
        0
    } else {
        value.signum() as i64
    };
    (
        Elements::per_tensor(datatype, scale, zero_point),
        zero_point + steps,
    )
}

fn conversion(input: Tensor, output: Tensor) -> XnnOp {
    let (op, flags) = (UnaryOp::Convert, 0);
    XnnOp::Unary {
        op,
        input,
        output,
        flags,
    }
}
