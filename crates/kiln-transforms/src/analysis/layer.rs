//! Convolutions and linear layers with known weights, and their copies with new weights.

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::rewriting::is_read_once;
use crate::framework::target::Reason;
use kiln_ir::graph::Graph;
use kiln_ir::{Builder, DType, NodeId, Op, ValueId};

/// A convolution or linear layer whose weight, and bias if any, are float constants.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The node of the layer.
    pub node: NodeId,
    /// The input.
    pub x: ValueId,
    /// The weight.
    pub weight: ValueId,
    /// The bias.
    pub bias: Option<ValueId>,
    /// The axis of the result that holds the output channels.
    pub channel_axis: usize,
    /// The number of output channels.
    pub channels: usize,
}

impl Layer {
    /// The layer that computes a value, if the value is read exactly once.
    pub fn of(graph: &Graph, value: ValueId) -> Option<Layer> {
        let node = graph
            .producer(value)
            .filter(|_| is_read_once(graph, value))?;
        Layer::at(graph, node)
    }

    /// The layer that a node computes.
    pub fn at(graph: &Graph, node: NodeId) -> Option<Layer> {
        let found = graph.node(node);
        let channel_axis = match &found.op {
            Op::Conv(_) => 1,
            Op::Linear(_) => graph.ty(found.result()).rank() - 1,
            _ => return None,
        };
        let is_known = |&v: &ValueId| {
            let ty = graph.ty(v);
            graph.as_constant(v).is_some() && ty.quant.is_none() && ty.dtype.is_float()
        };
        if !found.operands[1..].iter().all(is_known) {
            return None;
        }
        let ty = graph.ty(found.result());
        Some(Layer {
            node,
            x: found.operands[0],
            weight: found.operands[1],
            bias: found.operands.get(2).copied(),
            channel_axis,
            channels: usize::try_from(ty.shape[channel_axis].as_const()?).ok()?,
        })
    }

    /// Emits the layer with other weights. They are rounded to the dtype of the old weights, and `name` is appended to
    /// the old weights' names.
    ///
    /// # Errors
    /// If the new weights are no constants.
    pub fn with(
        &self,
        emitter: &mut Emitter<'_, '_>,
        weight: ValueId,
        bias: Option<ValueId>,
        name: &str,
    ) -> Emitted {
        let dtype = emitter.ty(self.weight).dtype;
        let mut operands = vec![self.x];
        for (new, old) in [(Some(weight), Some(self.weight)), (bias, self.bias)] {
            let Some(new) = new else { continue };
            let narrow = emitter.cast(new, dtype)?;
            if emitter.graph().as_constant(narrow).is_none() {
                return Err(Reason::new(
                    "the layer's new weights are known at compile time",
                    "weights that depend on inputs",
                ));
            }
            operands.push(if Some(narrow) == old {
                narrow
            } else {
                self.named(emitter, narrow, old, name)
            });
        }
        let op = emitter.graph().node(self.node).op.clone();
        emitter.value(op, &operands)
    }

    fn named(
        &self,
        emitter: &mut Emitter<'_, '_>,
        value: ValueId,
        old: Option<ValueId>,
        name: &str,
    ) -> ValueId {
        let graph = emitter.graph();
        let old = old
            .and_then(|v| graph.as_constant(v))
            .map(|c| c.name.to_string());
        let parts: Vec<String> = old
            .into_iter()
            .chain([name.to_string()])
            .filter(|n| !n.is_empty())
            .collect();
        emitter.renamed(value, &parts.join("+"))
    }
}

/// Casts a half type to f32, and leaves other floats as they are.
///
/// # Errors
/// As [`Emitter::cast`].
pub fn wide(emitter: &mut Emitter<'_, '_>, value: ValueId) -> Emitted {
    let dtype = emitter.ty(value).dtype;
    emitter.cast(
        value,
        if dtype == DType::F64 {
            dtype
        } else {
            DType::F32
        },
    )
}
