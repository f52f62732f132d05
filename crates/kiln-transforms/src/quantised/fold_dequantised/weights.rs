//! Constants of integers whose floats an op reads: dequantised ones, and plain ones that are cast.

use crate::analysis::constants::{constant_of, is_constant, name_of};
use crate::framework::emitter::Emitter;
use kiln_ir::graph::{Constant, Use};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, ValueId};

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

/// As [`weight_of`] for a value that is the transposed floats: scales of groups are those of rows, so the floats cannot be dequantised
/// behind the transposition.
pub(super) fn turned_weight_of(graph: &Graph, value: ValueId) -> Option<(ValueId, DType)> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Move(op) if op.movement.as_permutation().as_deref() == Some(&[1, 0]) => {
            weight_of(graph, node.operands[0])
        }
        _ => None,
    }
}

/// True for a cast of bytes to floats that only layers and look-ups read, as their weights or table.
pub(in crate::quantised) fn is_cast_weight(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let [result] = node.results.as_slice() else {
        return false;
    };
    let is_read_as_one = |reader: &Use| match *reader {
        Use::Operand(reader, slot) => is_weight(&graph.node(reader).op, slot),
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    matches!(node.op, Op::Cast(_))
        && weight_of(graph, *result).is_some()
        && graph.value(*result).uses().iter().all(is_read_as_one)
}

/// True for the weight of a layer and the table of a look-up.
fn is_weight(op: &Op, slot: u32) -> bool {
    match op {
        Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) => slot == 1,
        Op::Index(_) => slot == 0,
        _ => false,
    }
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
