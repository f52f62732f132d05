//! Constants as operands, directly or through movements.

use kiln_ir::{Graph, Op, TensorData, ValueId};
use std::sync::Arc;

/// The most movements in a row that are followed to a value's origin. A clean graph has only a few in a row.
pub const MAX_MOVEMENTS: usize = 64;

/// True if the value is a constant, or results from movements of a constant.
pub fn is_constant(graph: &Graph, value: ValueId) -> bool {
    let mut value = value;
    for _ in 0..MAX_MOVEMENTS {
        let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
            return false;
        };
        match &node.op {
            Op::Constant(_) => return true,
            Op::Move(op) if op.movement.sizes().iter().all(|s| s.as_const().is_some()) => {
                value = node.operands[0];
            }
            _ => return false,
        }
    }
    false
}

/// The elements of a value for which [`is_constant`] holds.
pub fn constant_of(graph: &Graph, value: ValueId) -> Option<TensorData> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Constant(op) => Some(graph.constant(op.value).data.clone()),
        Op::Move(op) => {
            let data = constant_of(graph, node.operands[0])?;
            data.moved(&op.movement)
        }
        _ => None,
    }
}

/// The name of the constant behind movements.
pub fn name_of(graph: &Graph, mut value: ValueId) -> Arc<str> {
    loop {
        if let Some(constant) = graph.as_constant(value) {
            return constant.name.clone();
        }
        let from = graph.producer(value).map(|id| &graph.node(id).operands);
        match from.and_then(|operands| operands.first()) {
            Some(&operand) => value = operand,
            None => return "".into(),
        }
    }
}
