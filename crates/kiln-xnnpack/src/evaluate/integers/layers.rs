//! Fully connected layers, convolutions and matrix products.

use super::{integers_of, tensor, unsupported};
use crate::evaluate::operators::{batch_matmul, clamp_of, conv, fully_connected_exact};
use crate::evaluate::{ExecuteError, Result1, Run};
use crate::payload::{Datatype, ValueId, XnnNode, XnnOp};
use kiln_eval::Tensor;
use kiln_quantised::xnnpack::{requantization_scale, requantize};

impl Run<'_> {
    pub(super) fn layer(&self, node: &XnnNode) -> Result1 {
        let (sums, input, filter, output) = match &node.op {
            XnnOp::FullyConnected {
                input,
                filter,
                bias,
                output,
                flags,
            } => {
                let [x, w] = [self.centred(*input)?, self.centred(*filter)?];
                let sums = fully_connected_exact(&x, &w, self.exact_bias(*bias)?.as_ref(), *flags)?;
                (sums, *input, *filter, *output)
            }
            XnnOp::Conv {
                kind,
                params,
                input,
                filter,
                bias,
                output,
                flags: 0,
            } => {
                let [x, w] = [self.centred(*input)?, self.centred(*filter)?];
                let sums = conv(*kind, params, &x, &w, self.exact_bias(*bias)?.as_ref())?;
                (sums, *input, *filter, *output)
            }
            XnnOp::BatchMatMul {
                inputs: [a, b],
                output,
                flags,
            } => {
                let sums = batch_matmul(&self.centred(*a)?, &self.centred(*b)?, *flags)?;
                (sums, *a, *b, *output)
            }
            other => return Err(unsupported(other)),
        };
        self.requantised(node, &sums, [input, filter, output])
    }

    /// The reals of a tensor in units of its scales, as f64: sums of their products are exact.
    fn centred(&self, id: ValueId) -> Result1 {
        let zero_point = match self.datatype(id) {
            Datatype::QInt8 | Datatype::QUInt8 => self.qparams(id)?.zero_point,
            _ => 0,
        };
        let value = self.value(id)?;
        let steps = integers_of(value)?
            .into_iter()
            .map(|n| f64::from(n - zero_point));
        Ok(Tensor::new(value.sizes(), steps.collect()))
    }

    fn exact_bias(&self, id: Option<ValueId>) -> Result<Option<Tensor>, ExecuteError> {
        let Some(id) = id else { return Ok(None) };
        let value = self.value(id)?;
        let units = integers_of(value)?.into_iter().map(f64::from);
        Ok(Some(Tensor::new(value.sizes(), units.collect())))
    }

    /// Brings sums, whose channels are the last axis, to the result's scale.
    fn requantised(
        &self,
        node: &XnnNode,
        sums: &Tensor,
        [input, filter, output]: [ValueId; 3],
    ) -> Result1 {
        let (from, to) = (self.qparams(input)?, self.qparams(output)?);
        let (scales, _) = self.weight_scales(filter)?;
        let factors: Option<Vec<f32>> = scales
            .iter()
            .map(|&scale| requantization_scale(from.scale, scale, to.scale))
            .collect();
        let factors =
            factors.ok_or_else(|| ExecuteError::Unsupported("a factor of 256 or more".into()))?;
        let [low, high] = match clamp_of(node) {
            Some(clamp) => [to.bound(clamp.min), to.bound(clamp.max)],
            None => [to.min, to.max],
        };
        let elements = sums.elements::<f64>().unwrap_or_default();
        let rounded = elements.iter().enumerate().map(|(i, &sum)| {
            let factor = factors[i % factors.len()];
            requantize(sum as i64 as i32, factor, to.zero_point, low, high)
        });
        tensor(self.datatype(output), sums.sizes(), rounded.collect())
    }
}
