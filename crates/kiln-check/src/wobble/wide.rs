//! Floats that hold what passes their range.
//!
//! An op that takes what another has made may compute on it before it is rounded to their type, or in another order: the
//! sums of a convolution beyond 65504 are infinite in f16, and finite where the normalisation behind is part of the weights;
//! products beyond f32 are finite where a scale comes first. So what overflows is kept in the next wider type beside
//! the infinity, and whatever reads it computes from that. The result is rounded as ever; if it overflows too, it is
//! kept as well.

use crate::numbers::Numbers;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::{DType, Graph, NodeId, TensorData, ValueId};
use rustc_hash::FxHashMap;

/// In a wider type, what did not fit in f16 or f32.
#[derive(Default)]
pub(super) struct Wide {
    values: FxHashMap<ValueId, Tensor>,
}

impl Wide {
    /// True if one of the values is kept.
    pub(super) fn holds_any(&self, values: &[ValueId]) -> bool {
        values.iter().any(|v| self.values.contains_key(v))
    }

    /// What a node gives from operands that are kept wide, if that is something else.
    pub(super) fn result(
        &mut self,
        graph: &Graph,
        node: NodeId,
        operands: &[Tensor],
        result: &Tensor,
    ) -> Option<Tensor> {
        let node = graph.node(node);
        let &[own] = &node.results[..] else {
            return None;
        };
        self.values.remove(&own);
        let dtype = result.dtype();
        let is_new = || has_range(dtype) && is_beyond(result) && !operands.iter().any(is_beyond);
        if !self.holds_any(&node.operands) && !is_new() {
            return None;
        }
        let wider = if dtype == DType::F16 {
            DType::F32
        } else {
            DType::F64
        };
        let each = node.operands.iter().zip(operands);
        let operands: Vec<Tensor> = each
            .map(|(v, own)| self.values.get(v).unwrap_or(own))
            .map(|t| {
                if t.dtype().is_float() {
                    of_type(wider, t)
                } else {
                    t.clone()
                }
            })
            .collect();
        let mut bindings = Bindings::new(&graph.symbols);
        let found = evaluate_op(&node.op, &operands, &mut bindings, 4 << 30).ok()?;
        let found = found.into_iter().next()?;
        if found.sizes() != result.sizes() {
            return None;
        }
        if found.dtype() == wider && has_range(dtype) {
            let rounded = of_type(dtype, &found);
            if is_beyond(&rounded) {
                self.values.insert(own, found);
            }
            return Some(rounded);
        }
        (found.dtype() == dtype).then_some(found)
    }
}

fn has_range(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::F32)
}

/// True if something is no finite number.
fn is_beyond(tensor: &Tensor) -> bool {
    tensor.dtype().is_float() && Numbers::of(tensor).iter().any(|v| !v.is_finite())
}

fn of_type(dtype: DType, tensor: &Tensor) -> Tensor {
    if tensor.dtype() == dtype {
        return tensor.clone();
    }
    let sizes = tensor.sizes().to_vec();
    Tensor::from(TensorData::from_scalars(dtype, sizes, tensor.scalars()))
}
