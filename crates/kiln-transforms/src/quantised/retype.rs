//! Gives quantised values integers of another type that stand for the same reals.
//!
//! What makes such a value makes the other integers, and a requantisation behind it gives its own again. What reads the requantised value
//! reads the other integers.

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::rewriting::Rewritten;
use crate::framework::target::Reason;
use kiln_ir::graph::{Constant, Node};
use kiln_ir::ops::{Meaning, Quantised, Quantize, Requantize};
use kiln_ir::types::Quant;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, TensorData, TensorType, ValueId};
use std::sync::Arc;

/// The type of a value's integers, and what they stand for.
pub(super) type Integers = (DType, Arc<Quant>);

/// A change of types.
#[derive(Clone, Copy)]
pub(super) struct Retype {
    /// The type and the parameters that a value is to have; `None` if it keeps its own.
    pub wanted: fn(&Emitter<'_, '_>, &TensorType) -> Option<Integers>,
    /// The other integers of a constant, which changes its type where it is read; `None` if constants keep theirs.
    pub constant: Option<fn(&TensorData) -> TensorData>,
    /// True if the integers that the caller gives change where they are read.
    pub changes_inputs: bool,
}

impl Retype {
    fn of(self, emitter: &Emitter<'_, '_>, value: ValueId) -> Option<Integers> {
        (self.wanted)(emitter, emitter.graph().ty(value))
    }

    /// The other integers that were requantised to these.
    fn other(self, emitter: &Emitter<'_, '_>, value: ValueId) -> Option<ValueId> {
        let graph = emitter.graph();
        let wanted = self.of(emitter, value)?;
        let node = graph.node(graph.producer(value)?);
        is_from(graph, node, &wanted).then(|| node.operands[0])
    }

    /// The operands of a node with their other integers.
    fn operands(self, emitter: &mut Emitter<'_, '_>, node: &Node) -> Result<Vec<ValueId>, Reason> {
        let operands = node.operands.iter();
        operands.map(|&v| self.operand(emitter, v)).collect()
    }

    fn operand(self, emitter: &mut Emitter<'_, '_>, value: ValueId) -> Emitted {
        if let Some(found) = self.other(emitter, value) {
            return Ok(found);
        }
        let Some((dtype, quant)) = self.of(emitter, value) else {
            return Ok(value);
        };
        if let (Some(change), Some(constant)) = (self.constant, emitter.graph().as_constant(value))
        {
            let (name, data) = (constant.name.clone(), change(&constant.data));
            let ty = TensorType {
                quant: Some(quant),
                ..data.tensor_type()
            };
            return Ok(emitter.known_constant(Constant { name, ty, data }));
        }
        emitter.value(Requantize { quant, dtype }, &[value])
    }
}

/// Makes the other integers in place of a node's own, with a requantisation behind.
pub(super) fn made(emitter: &mut Emitter<'_, '_>, id: NodeId, retype: Retype) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id).clone();
    let ty = graph.ty(node.result()).clone();
    let Some(wanted) = (retype.wanted)(emitter, &ty) else {
        return Ok(None);
    };
    if is_from(graph, &node, &wanted) {
        return Ok(None);
    }
    let meets = (0..node.operands.len()).any(|i| node.op.meets(i));
    let keeps_quant = matches!(node.op.on_quantised(), Meaning::Carried | Meaning::Computed);
    let op = match with_result(&node.op, wanted) {
        Some(op) => op,
        None if meets && keeps_quant => node.op.clone(),
        None => return Ok(None),
    };
    let operands = retype.operands(emitter, &node)?;
    let found = emitter.value(op, &operands)?;
    let (quant, dtype) = (own_quant(&ty), ty.dtype);
    emitter
        .unfolded(Requantize { quant, dtype }, &[found])
        .map(Some)
}

/// Reads the other integers in place of those that they were requantised to.
pub(super) fn read(emitter: &mut Emitter<'_, '_>, id: NodeId, retype: Retype) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id).clone();
    let reads = matches!(
        node.op,
        Op::Dequantize(_) | Op::Requantize(_) | Op::Quantised(_)
    ) || node.op.on_quantised() == Meaning::Compared;
    if !reads || retype.of(emitter, node.result()).is_some() {
        return Ok(None);
    }
    let changes = |&value: &ValueId| {
        let graph = emitter.graph();
        let is_constant = retype.constant.is_some() && graph.as_constant(value).is_some();
        let is_input = retype.changes_inputs && graph.block(graph.root()).params.contains(&value);
        let wanted = retype.of(emitter, value);
        let changes_itself = wanted.as_ref().is_some_and(|(dtype, quant)| {
            let ty = graph.ty(node.result());
            matches!(node.op, Op::Requantize(_))
                && ty.dtype == *dtype
                && ty.quant.as_ref() == Some(quant)
        });
        retype.other(emitter, value).is_some()
            || (is_constant || is_input) && wanted.is_some() && !changes_itself
    };
    if !node.operands.iter().any(changes) {
        return Ok(None);
    }
    let operands = retype.operands(emitter, &node)?;
    // Folded, quantised weights would be floats.
    emitter.unfolded(node.op, &operands).map(Some)
}

/// The op that gives the other integers; `None` for an op that gives no integers, or gives those that it takes.
fn with_result(op: &Op, (dtype, quant): Integers) -> Option<Op> {
    match op {
        Op::Quantize(_) => Some(Quantize { quant, dtype }.into()),
        Op::Requantize(_) => Some(Requantize { quant, dtype }.into()),
        Op::Quantised(own) => {
            let op = own.op.clone();
            Some(Quantised { op, quant, dtype }.into())
        }
        _ => None,
    }
}

fn own_quant(ty: &TensorType) -> Arc<Quant> {
    ty.quant.clone().expect("the type is quantised")
}

/// True for a requantisation of the other integers to a value's own type.
fn is_from(graph: &Graph, node: &Node, (dtype, quant): &Integers) -> bool {
    let from = node.operands.first().map(|&v| graph.ty(v));
    matches!(node.op, Op::Requantize(_))
        && from.is_some_and(|ty| ty.dtype == *dtype && ty.quant.as_ref() == Some(quant))
}
