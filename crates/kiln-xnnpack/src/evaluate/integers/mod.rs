//! The evaluation of operators on quantised tensors, in the library's own arithmetic.
//!
//! Results equal the library's to the bit: sums of products are exact integers, and `kiln_quantised::xnnpack` rounds them as the
//! library's kernels do. Operators that only move elements are evaluated as those of floats are.

mod dynamic;
mod layers;
mod pointwise;
mod windows;

use super::operators::clamp_of;
use super::{ExecuteError, Result1, Run};
use crate::payload::{Datatype, Quant, Scales, ValueId, XnnNode, XnnOp, XnnValue};
use kiln_eval::{Element, Tensor};
use kiln_quantised::xnnpack::pointwise::Qparams;

impl Run<'_> {
    /// The result of a node that computes with integers or quantises; `None` for any other node.
    pub(super) fn integers(&self, node: &XnnNode) -> Result<Option<Tensor>, ExecuteError> {
        let ids = [node.op.inputs(), node.op.outputs()].concat();
        if !ids.iter().any(|&id| self.quantised(id).is_some()) {
            return Ok(None);
        }
        if self.is_dynamic(node) {
            return self.dynamic_layer(node).map(Some);
        }
        let made = match &node.op {
            XnnOp::Unary { input, output, .. } if self.datatype(*output) == Datatype::QdInt8 => {
                return self.quantised_rows(*input, *output).map(Some);
            }
            XnnOp::Unary {
                op, input, output, ..
            } => self.pointwise(*op, node, [*input, *output])?,
            XnnOp::Binary {
                op, inputs, output, ..
            } => self.pairwise(*op, *inputs, *output)?,
            XnnOp::Elu {
                alpha,
                input,
                output,
                ..
            } => self.elu_table(*alpha, *input, *output)?,
            XnnOp::LeakyRelu {
                negative_slope,
                input,
                output,
                ..
            } => self.leaky(*negative_slope, *input, *output)?,
            XnnOp::FullyConnected { .. } | XnnOp::Conv { .. } | XnnOp::BatchMatMul { .. } => {
                return self.layer(node).map(Some);
            }
            XnnOp::Pool {
                kind,
                params,
                input,
                ..
            } => self.max_pool(*kind, params, *input)?,
            XnnOp::GlobalAveragePool {
                input,
                output,
                flags,
            } => self.mean(*input, *output, *flags)?,
            XnnOp::ResizeBilinear {
                size, input, flags, ..
            } => self.resize_fixed(*input, *size, *flags)?,
            XnnOp::ConstantPad {
                before,
                after,
                value,
                input,
                output,
                ..
            } => self.pad_quantised([before, after], *value, *input, *output)?,
            XnnOp::Reshape { .. }
            | XnnOp::Transpose { .. }
            | XnnOp::Slice { .. }
            | XnnOp::Concat { .. } => return Ok(None),
            other => return Err(unsupported(other)),
        };
        self.clamped_integers(node, made).map(Some)
    }

    /// The value, if it is quantised.
    fn quantised(&self, id: ValueId) -> Option<&XnnValue> {
        let value = self.graph.value(id)?;
        value.quant.is_some().then_some(value)
    }

    fn datatype(&self, id: ValueId) -> Datatype {
        self.graph.values[id.index()].datatype
    }

    /// The quantisation of a tensor with one scale.
    fn qparams(&self, id: ValueId) -> Result<Qparams, ExecuteError> {
        let value = &self.graph.values[id.index()];
        match (&value.quant, value.datatype) {
            (Some(Quant::PerTensor { scale, zero_point }), Datatype::QInt8) => {
                Ok(Qparams::signed(*scale, *zero_point))
            }
            (Some(Quant::PerTensor { scale, zero_point }), Datatype::QUInt8) => {
                Ok(Qparams::unsigned(*scale, *zero_point))
            }
            _ => Err(ExecuteError::Unsupported(format!(
                "{id} of {} beside quantised tensors",
                value.datatype
            ))),
        }
    }

    /// The scales and the zero point of a layer's weights.
    fn weight_scales(&self, id: ValueId) -> Result<(Vec<f32>, i32), ExecuteError> {
        match self.quantised(id).and_then(|value| value.quant.as_ref()) {
            Some(Quant::PerTensor { scale, zero_point }) => Ok((vec![*scale], *zero_point)),
            Some(Quant::PerChannel {
                scales: Scales::Inline(scales),
                ..
            }) => Ok((scales.clone(), 0)),
            Some(Quant::PerChannel {
                scales: Scales::Constant { data, count },
                ..
            }) => {
                let bytes = self.loaded.bytes_of(*data)?;
                let floats = bytes.chunks_exact(4).take(*count as usize);
                let scales = floats.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                Ok((scales.collect(), 0))
            }
            _ => Err(ExecuteError::Unsupported(format!(
                "weights of {}",
                self.datatype(id)
            ))),
        }
    }

    /// Applies the range that is fused with an operator.
    fn clamped_integers(&self, node: &XnnNode, made: Tensor) -> Result1 {
        let (Some(clamp), Some(&output)) = (clamp_of(node), node.op.outputs().first()) else {
            return Ok(made);
        };
        let Ok(params) = self.qparams(output) else {
            return Ok(made);
        };
        let [low, high] = [clamp.min, clamp.max].map(|bound| params.bound(bound));
        let limited = integers_of(&made)?
            .into_iter()
            .map(|n| n.max(low).min(high));
        tensor(self.datatype(output), made.sizes(), limited.collect())
    }
}

fn unsupported(op: &XnnOp) -> ExecuteError {
    ExecuteError::Unsupported(format!("{} of quantised tensors", op.name()))
}

/// The elements of an integer tensor.
fn integers_of(tensor: &Tensor) -> Result<Vec<i32>, ExecuteError> {
    fn widened<T: Element + Into<i32>>(tensor: &Tensor) -> Option<Vec<i32>> {
        let elements = tensor.elements::<T>()?;
        Some(elements.iter().map(|&n| n.into()).collect())
    }
    let found = widened::<i8>(tensor)
        .or_else(|| widened::<u8>(tensor))
        .or_else(|| widened::<i32>(tensor));
    found.ok_or_else(|| {
        ExecuteError::Unsupported(format!("a quantised tensor of {}", tensor.dtype()))
    })
}

/// The tensor of these integers, which are in the range of the type.
fn tensor(datatype: Datatype, sizes: &[usize], integers: Vec<i32>) -> Result1 {
    match datatype {
        Datatype::QInt8 => Ok(Tensor::new(
            sizes,
            integers.into_iter().map(|n| n as i8).collect(),
        )),
        Datatype::QUInt8 => Ok(Tensor::new(
            sizes,
            integers.into_iter().map(|n| n as u8).collect(),
        )),
        other => Err(ExecuteError::Unsupported(format!("a result of {other}"))),
    }
}
