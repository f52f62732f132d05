//! Values that follow from constants alone: scales behind a view, a cast or a product, and integers that the model
//! unpacks. Quantisation can be a part of a type only if its parameters are known.

use crate::importer::Importer;
use kiln_eval::{Bindings, Tensor, evaluate_op};
use kiln_ir::ops::Growth;
use kiln_ir::{Builder, Graph, Op, TensorData, TensorType, ValueId};

/// The most nodes between constants and a value that is known.
const MAX_NODES: usize = 64;

/// The most bytes of a result on the way, or those of its operands if they are more.
const MAX_BYTES: u64 = 256 << 20;

impl Importer<'_> {
    /// The elements of a value that is a constant, or is computed from constants alone. `None` for all others, for values with a
    /// quantisation in their type, and where many nodes or much work lies between.
    pub(crate) fn known_value(&self, value: ValueId) -> Option<TensorData> {
        computed(self.graph(), value, &mut { MAX_NODES })
    }
}

fn computed(graph: &Graph, value: ValueId, nodes_left: &mut usize) -> Option<TensorData> {
    if graph.ty(value).quant.is_some() {
        return None;
    }
    if let Some(constant) = graph.as_constant(value) {
        return Some(constant.data.clone());
    }
    let node = graph.node(graph.producer(value)?);
    let facts = node.op.facts();
    let is_cheap = facts.folds && facts.work != Growth::PerPair;
    if !is_cheap || node.results.len() != 1 || node.operands.is_empty() {
        return None;
    }
    *nodes_left = nodes_left.checked_sub(1)?;
    let operands = node.operands.iter();
    let operands: Option<Vec<TensorData>> =
        operands.map(|&v| computed(graph, v, nodes_left)).collect();
    let operands = operands?;
    let bytes = |ty: &TensorType| {
        ty.shape.as_static().map(|sizes| {
            let elements = sizes
                .iter()
                .fold(1u64, |all, &n| all.saturating_mul(n as u64));
            elements.saturating_mul(ty.dtype.size() as u64)
        })
    };
    let given = node.operands.iter().filter_map(|&v| bytes(graph.ty(v)));
    let limit = given.fold(MAX_BYTES, u64::max);
    if bytes(graph.ty(value))? > limit {
        return None;
    }
    if let (Op::Move(op), [data]) = (&node.op, operands.as_slice()) {
        return data.moved(&op.movement);
    }
    let operands: Vec<Tensor> = operands.into_iter().map(Tensor::from).collect();
    let mut bindings = Bindings::new(&graph.symbols);
    let results = evaluate_op(&node.op, &operands, &mut bindings, limit).ok()?;
    results.into_iter().next().map(TensorData::from)
}
