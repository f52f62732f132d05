//! Element-wise operators on integers: sums, products and functions of one integer.

use super::super::elementwise::kernel;
use super::convert::exact_number;
use super::{Lowering, Problem, qparams};
use crate::payload::{BinaryOp, Datatype, Quant, UnaryOp, ValueId as Tensor, XnnOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, ValueId};
use kiln_quantised::xnnpack::pointwise::{Addition, Prelu, Product, Qparams};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The operator of a function of two operands on integers. Quotients, minima and maxima run on one integer at a time, sixteen times as long as
/// sums (measured); floats between conversions are faster.
pub(crate) fn pair(f: BinaryFn) -> Option<BinaryOp> {
    match f {
        BinaryFn::Add => Some(BinaryOp::Add),
        BinaryFn::Sub => Some(BinaryOp::Subtract),
        BinaryFn::Mul => Some(BinaryOp::Multiply),
        _ => None,
    }
}

/// Refuses pairs whose scales do not fit the library's kernel.
pub(crate) fn check_pair(graph: &Graph, node: &Node, f: BinaryFn) -> Result<(), Reason> {
    let refused = || match f {
        BinaryFn::Div | BinaryFn::Max | BinaryFn::Min => Reason::new(
            "XNNPACK's quotients and extremes of integers take longer than floats between conversions",
            f.text(),
        ),
        _ => Reason::new("XNNPACK has no such function of integers", f.text()),
    };
    let op = pair(f).ok_or_else(refused)?;
    let result = graph.ty(node.result());
    let to = qparams(result)?;
    let mut operands = [to; 2];
    for (slot, &operand) in operands.iter_mut().zip(&node.operands) {
        *slot = operand_params(graph, operand, result.dtype)?;
    }
    let fits = match op {
        BinaryOp::Add | BinaryOp::Subtract => Addition::new(operands, to, false).is_some(),
        BinaryOp::Multiply => Product::new(operands, to).is_some(),
        _ => false,
    };
    match fits {
        true => Ok(()),
        false => Err(Reason::new(
            "XNNPACK's sums of integers take ratios of scales from 2^-10 to 2^8, its products from 2^-16 to 2^8",
            format!(
                "{} and {} to {}",
                operands[0].scale, operands[1].scale, to.scale
            ),
        )),
    }
}

/// The quantisation of an operand; a number that is constant gets its own.
fn operand_params(graph: &Graph, operand: ValueId, dtype: DType) -> Result<Qparams, Reason> {
    let ty = graph.ty(operand);
    if ty.quant.is_some() {
        let found = qparams(ty)?;
        return match ty.dtype == dtype {
            true => Ok(found),
            false => Err(Reason::new(
                "XNNPACK's operands and result have one type",
                format!("{} and {dtype}", ty.dtype),
            )),
        };
    }
    let rule = "XNNPACK's operands are integers, or one number";
    let Some(number) = graph.as_splat(operand).map(|s| s.as_f64()) else {
        return Err(Reason::new(rule, format!("{ty:?}")));
    };
    let scale = number.abs() as f32;
    if number != 0.0 && !(scale.is_normal() && (1.0 / scale).is_normal()) {
        return Err(Reason::new(rule, number.to_string()));
    }
    let datatype = if dtype == DType::I8 {
        Datatype::QInt8
    } else {
        Datatype::QUInt8
    };
    match (exact_number(number, datatype).0.quant, dtype) {
        (Some(Quant::PerTensor { scale, zero_point }), DType::I8) => {
            Ok(Qparams::signed(scale, zero_point))
        }
        (Some(Quant::PerTensor { scale, zero_point }), _) => {
            Ok(Qparams::unsigned(scale, zero_point))
        }
        _ => Err(Reason::new(rule, number.to_string())),
    }
}

/// A function of one integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Function {
    /// An operator that the library runs as a table.
    Table(UnaryOp),
    Elu {
        alpha: f32,
    },
    /// A ReLU with a slope, whose factors are in f32. The library's own leaky ReLU rounds them to a 256th.
    Slope(f64),
}

/// The form of a function of one integer.
///
/// # Errors
/// If the library has none, or if scales do not fit its kernel.
pub(crate) fn function(graph: &Graph, node: &Node, f: UnaryFn) -> Result<Function, Reason> {
    let [from, to] = [node.operands[0], node.result()].map(|v| graph.ty(v));
    let (source, result) = (qparams(from)?, qparams(to)?);
    if from.dtype != to.dtype {
        let rule = "XNNPACK's functions keep the type of integers";
        return Err(Reason::new(rule, format!("{} to {}", from.dtype, to.dtype)));
    }
    let refused = || Reason::new("XNNPACK has no such function of integers", f.function());
    match f {
        UnaryFn::Simple(Simple::Exp) => Ok(Function::Table(UnaryOp::Exp)),
        UnaryFn::Simple(Simple::Sqrt) => Ok(Function::Table(UnaryOp::SquareRoot)),
        UnaryFn::Simple(Simple::Rsqrt) => Ok(Function::Table(UnaryOp::ReciprocalSquareRoot)),
        UnaryFn::Simple(f) => kernel(f).map(Function::Table).ok_or_else(refused),
        UnaryFn::Elu {
            alpha,
            scale: 1.0,
            input_scale: 1.0,
        } if alpha.is_finite() && alpha >= 0.0 => Ok(Function::Elu {
            alpha: alpha as f32,
        }),
        UnaryFn::LeakyRelu { slope } if (slope as f32).is_normal() => {
            let one = Qparams {
                scale: slope.abs() as f32,
                zero_point: 1,
                ..source
            };
            match Prelu::new([source, one], result) {
                Some(_) => Ok(Function::Slope(slope)),
                None => Err(refused()),
            }
        }
        UnaryFn::Elu { .. }
        | UnaryFn::LeakyRelu { .. }
        | UnaryFn::Softplus { .. }
        | UnaryFn::Clamp { .. } => Err(refused()),
    }
}

impl Lowering<'_> {
    pub(super) fn integer_pair(
        &mut self,
        id: NodeId,
        node: &Node,
        f: BinaryFn,
        order: &Order,
    ) -> Result<(), Problem> {
        let op = pair(f).ok_or("a pair that has no operator")?;
        let mut inputs = Vec::with_capacity(2);
        for &operand in &node.operands {
            inputs.push(self.integer_operand(operand, node, order)?);
        }
        let &[a, b] = inputs.as_slice() else {
            return Err("a pair of other operands than two".into());
        };
        let (inputs, flags) = ([a, b], 0);
        let (output, clamp) = (self.target(id, order), self.integer_range(id));
        let pair = XnnOp::Binary {
            op,
            inputs,
            output,
            flags,
        };
        self.push_clamped(pair, clamp);
        Ok(())
    }

    /// An operand of a pair; a number becomes a constant of the result's type.
    fn integer_operand(
        &mut self,
        operand: ValueId,
        node: &Node,
        order: &Order,
    ) -> Result<Tensor, Problem> {
        if self.graph.ty(operand).quant.is_some() {
            return self.tensors.operand(operand, order);
        }
        let number = self
            .graph
            .as_splat(operand)
            .ok_or("a float that is no number")?;
        let datatype = self.type_of(node.result())?.datatype;
        let sizes = vec![
            1;
            order
                .dims(&self.graph.ty(operand).shape, crate::orders::ROWS)
                .len()
        ];
        self.exact_number(number.as_f64(), datatype, &sizes)
    }

    pub(super) fn integer_function(
        &mut self,
        id: NodeId,
        node: &Node,
        f: UnaryFn,
        order: &Order,
    ) -> Result<(), Problem> {
        let form = function(self.graph, node, f).map_err(|reason| reason.to_string())?;
        let input = self.tensors.operand(node.operands[0], order)?;
        let (datatype, flags) = (self.tensors.datatype(input), 0);
        let sizes: &[usize] = if self.tensors.dims(input).is_empty() {
            &[]
        } else {
            &[1]
        };
        match form {
            Function::Table(op) => self.push_limited(id, order, |output| XnnOp::Unary {
                op,
                input,
                output,
                flags,
            }),
            Function::Elu { alpha } => {
                self.push_limited(id, order, |output| XnnOp::Elu {
                    alpha,
                    input,
                    output,
                    flags,
                });
            }
            Function::Slope(slope) => {
                let slope = self.exact_number(slope, datatype, sizes)?;
                let (op, inputs) = (BinaryOp::PRelu, [input, slope]);
                self.push_limited(id, order, |output| XnnOp::Binary {
                    op,
                    inputs,
                    output,
                    flags,
                });
            }
        }
        Ok(())
    }
}
