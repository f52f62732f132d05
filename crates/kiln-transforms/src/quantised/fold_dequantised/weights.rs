//! Constants of integers whose floats an op reads: dequantised ones, and plain ones that are cast.

use crate::analysis::constants::{MAX_MOVEMENTS, constant_of, is_constant, name_of};
use crate::framework::emitter::Emitter;
use crate::quantised::weight_readers::is_read_as_weight;
use crate::simplify::linear_forms;
use kiln_ir::graph::Constant;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, Movement, NodeId, Op, ValueId};

/// The integers under a constant of floats, and the dtype of its reals.
pub(super) fn weight_of(graph: &Graph, value: ValueId) -> Option<(ValueId, DType)> {
    let node = graph.node(graph.producer(value)?);
    let integers = node.operands.first().copied();
    let integers = integers.filter(|&v| is_constant(graph, v))?;
    let ty = graph.ty(integers);
    match &node.op {
        Op::Dequantize(op) => Some((integers, op.dtype)),
        Op::Cast(op) if op.to.is_float() && ty.dtype == DType::I8 && ty.quant.is_none() => {
            Some((integers, op.to))
        }
        _ => None,
    }
}

/// The integers under a matrix `[1.., k, n]` of a product, the dtype of its reals, and the movement that makes a layer's weight `[n, k]`
/// of the integers. Scales of groups are those of rows, so a weight that lies transposed is taken from in front of its movements.
pub(super) fn matrix_of(graph: &Graph, value: ValueId) -> Option<(ValueId, DType, Movement)> {
    let mut movement = linear_forms::to_weight(&graph.ty(value).shape)?;
    let mut source = value;
    for _ in 0..MAX_MOVEMENTS {
        if let Some((integers, dtype)) = weight_of(graph, source) {
            return Some((integers, dtype, movement));
        }
        let node = graph.node(graph.producer(source)?);
        let Op::Move(op) = &node.op else { return None };
        movement = op.movement.compose(&movement).one()?;
        source = node.operands[0];
    }
    None
}

/// True for a cast of bytes to floats that only layers and look-ups read, as their weights or table.
pub(in crate::quantised) fn is_cast_weight(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let [result] = node.results.as_slice() else {
        return false;
    };
    matches!(node.op, Op::Cast(_))
        && weight_of(graph, *result).is_some()
        && is_read_as_weight(graph, *result)
}

/// Integers with their quantisation: plain ones stand for themselves, and have a scale of 1 for each element of the first axis, their
/// output channels.
pub(super) fn quantised(emitter: &mut Emitter<'_, '_>, integers: ValueId) -> Option<ValueId> {
    if emitter.ty(integers).quant.is_some() {
        return Some(integers);
    }
    let data = constant_of(emitter.graph(), integers)?;
    let channels = *data.sizes().first()?;
    let scheme = QuantScheme::PerChannel {
        axis: 0,
        scales: vec![1.0; channels].into(),
        zero_points: vec![0; channels].into(),
    };
    let (min, max) = data.dtype().int_range()?;
    let mut ty = data.tensor_type();
    ty.quant = Some(Quant { scheme, min, max }.into());
    let name = name_of(emitter.graph(), integers);
    Some(emitter.known_constant(Constant { name, ty, data }))
}
