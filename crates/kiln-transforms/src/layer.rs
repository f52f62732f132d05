//! A convolution or linear layer with known weights, and weights made of them.

use crate::emitter::{Emitted, Emitter};
use crate::rewriting::is_read_once;
use crate::target::Reason;
use kiln_ir::graph::Graph;
use kiln_ir::ops::{BinaryFn, Conv};
use kiln_ir::tensor::TensorData;
use kiln_ir::types::Shape;
use kiln_ir::{DType, Dim, NodeId, Op, Scalar, ValueId};

/// A convolution or linear layer whose weight, and bias if any, are float constants.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The node.
    pub node: NodeId,
    /// What it takes.
    pub x: ValueId,
    /// The weight.
    pub weight: ValueId,
    /// The bias.
    pub bias: Option<ValueId>,
    /// The axis of the result that holds the output channels.
    pub channel_axis: usize,
    /// The number of output channels.
    pub channels: usize,
    conv: Option<Conv>,
}

impl Layer {
    /// The layer that makes a value, if nobody else reads it.
    pub fn of(graph: &Graph, value: ValueId) -> Option<Layer> {
        let node = graph
            .producer(value)
            .filter(|_| is_read_once(graph, value))?;
        Layer::at(graph, node)
    }

    /// The layer that a node is.
    pub fn at(graph: &Graph, node: NodeId) -> Option<Layer> {
        let found = graph.node(node);
        let conv = match &found.op {
            Op::Conv(op) => Some(op.clone()),
            Op::Linear(_) => None,
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
        let channel_axis = if conv.is_some() { 1 } else { ty.rank() - 1 };
        Some(Layer {
            node,
            x: found.operands[0],
            weight: found.operands[1],
            bias: found.operands.get(2).copied(),
            channel_axis,
            channels: usize::try_from(ty.shape[channel_axis].as_const()?).ok()?,
            conv,
        })
    }

    /// The same layer on another operand.
    pub fn on(self, x: ValueId) -> Layer {
        Layer { x, ..self }
    }

    /// True for a convolution.
    pub fn is_conv(&self) -> bool {
        self.conv.is_some()
    }

    /// True if every element of the result is made of as many taps: no zeros come in from outside.
    pub fn sees_same_taps_everywhere(&self) -> bool {
        self.conv.as_ref().is_none_or(|op| {
            !op.transposed && op.pad_low.iter().chain(&op.pad_high).all(|&p| p == 0)
        })
    }

    /// True if a value that meets the result has one element, or one for each output channel.
    pub fn is_per_channel(&self, graph: &Graph, value: ValueId) -> bool {
        let shape = &graph.ty(value).shape;
        let fits = |(axis, size): (usize, &Dim)| {
            size.is(1) || (axis == self.channel_axis && size.is(self.channels as i64))
        };
        shape.iter().enumerate().all(fits)
    }

    /// The bias in f32 at least.
    ///
    /// # Errors
    /// As [`Emitter::cast`].
    pub fn wide_bias(&self, emitter: &mut Emitter<'_, '_>) -> Result<Option<ValueId>, Reason> {
        self.bias.map(|bias| wide(emitter, bias)).transpose()
    }

    /// Zeros in place of a bias.
    ///
    /// # Errors
    /// As [`Emitter::cast`].
    pub fn zero_bias(&self, emitter: &mut Emitter<'_, '_>) -> Emitted {
        let dtype = emitter.ty(self.weight).dtype;
        let data = TensorData::splat(dtype, vec![self.channels], Scalar::Float(-0.0));
        let zeros = emitter.constant("", data);
        wide(emitter, zeros)
    }

    /// `f(weight, factor)` with a factor for all or for each of the output channels, in f32 at least. The factors are one
    /// axis, `[1]` or `[channels]`, in the order of the outputs: group by group where the layer has groups.
    ///
    /// # Errors
    /// If the shapes do not fit.
    pub fn scaled_weight(
        &self,
        emitter: &mut Emitter<'_, '_>,
        f: BinaryFn,
        factor: ValueId,
    ) -> Emitted {
        let weight = self.wide_weight(emitter)?;
        let shape = emitter.shape(weight);
        let is_one = emitter.ty(factor).shape[0].is(1);
        match &self.conv {
            Some(op) if op.transposed && !is_one => {
                let grouped = self.grouped(&shape, op.groups)?;
                let weight = emitter.reshape(weight, grouped.clone())?;
                let mut sizes = vec![Dim::constant(1); grouped.rank()];
                (sizes[0], sizes[2]) = (grouped[0].clone(), grouped[2].clone());
                let factor = emitter.reshape(factor, sizes)?;
                let value = emitter.binary(f, weight, factor)?;
                emitter.reshape(value, shape)
            }
            _ => {
                let axes: Vec<usize> = (1..shape.rank()).collect();
                let factor = emitter.unsqueeze(factor, &axes)?;
                emitter.binary(f, weight, factor)
            }
        }
    }

    /// The weight by a factor for each of the input channels, of a layer that is not transposed, in f32 at least. The
    /// factors are one axis in the order of the operand's channels: group by group where the layer has groups.
    ///
    /// # Errors
    /// If the shapes do not fit.
    pub fn weight_of_inputs(&self, emitter: &mut Emitter<'_, '_>, factor: ValueId) -> Emitted {
        let weight = self.wide_weight(emitter)?;
        let shape = emitter.shape(weight);
        let groups = self.conv.as_ref().map_or(1, |op| op.groups);
        let grouped = self.grouped(&shape, groups)?;
        let weight = emitter.reshape(weight, grouped.clone())?;
        let mut sizes = vec![Dim::constant(1); grouped.rank()];
        (sizes[0], sizes[2]) = (grouped[0].clone(), grouped[2].clone());
        let factor = emitter.reshape(factor, sizes)?;
        let value = emitter.binary(BinaryFn::Mul, weight, factor)?;
        emitter.reshape(value, shape)
    }

    /// `[groups, a / groups, b, ..]` of `[a, b, ..]`.
    fn grouped(&self, shape: &Shape, groups: i64) -> Result<Shape, Reason> {
        let groups = Dim::constant(groups);
        let each = shape[0]
            .exact_div(&groups)
            .ok_or_else(|| Reason::new("the groups divide the channels", format!("{shape:?}")))?;
        Ok([groups, each]
            .into_iter()
            .chain(shape[1..].iter().cloned())
            .collect())
    }

    fn wide_weight(&self, emitter: &mut Emitter<'_, '_>) -> Emitted {
        let bytes = emitter
            .graph()
            .as_constant(self.weight)
            .map_or(0, |c| c.data.bytes().len());
        emitter.allow_bytes(bytes.saturating_mul(2));
        wide(emitter, self.weight)
    }

    /// The layer with other weights, which are rounded to its dtype and named after the old ones and
    /// `name`.
    ///
    /// # Errors
    /// If the weights are not known.
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
                    "new weights are computed ahead",
                    "weights that are not",
                ));
            }
            operands.push(if Some(narrow) == old {
                narrow
            } else {
                self.named(emitter, narrow, old, name)
            });
        }
        let op = emitter.graph().node(self.node).op.clone();
        emitter.node(op, &operands)
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

/// A half type as f32; other floats as they are.
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
