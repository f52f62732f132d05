//! Removes a broadcast in front of an op that broadcasts implicitly.
//!
//! An elementwise op or a matrix product broadcasts its operands along axes of size 1. So an explicit broadcast is
//! redundant if another operand gives the result its size. Two broadcasts in a row become one.
//!
//! ```kiln
//! clean
//! graph "broadcasts" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 3], %1 "y": f32[1, 3]) {
//!     %2: f32[s0, 3] = broadcast %1 {shape=[s0, 3]}
//!     %3: f32[s0, 3] = binary %0, %2 {f=add}
//!     return %3
//!   }
//! }
//! ---
//! graph "broadcasts" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 3], %1 "y": f32[1, 3]) {
//!     %2: f32[s0, 3] = binary %0, %1 {f=add}
//!     return %2
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::graph::{Graph, ValueList};
use kiln_ir::ops::Infer;
use kiln_ir::{Builder, NodeId, Op, ValueId};

guards! {
    /// A product of matrices repeats batches, no axes of its matrices.
    MATRIX_AXES;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "idle_broadcast",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let op = node.op.clone();
    let repeats = matches!(
        op,
        Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::MatMul(_)
            | Op::Attention(_)
            | Op::Broadcast(_)
    );
    if !repeats {
        return Ok(None);
    }
    let Some(operands) = without_broadcast(graph, id) else {
        return Ok(None);
    };
    emitter.value(op, &operands).map(Some)
}

/// The operands without the broadcasts whose removal keeps the result's type; `None` if no broadcast can go.
fn without_broadcast(graph: &Graph, id: NodeId) -> Option<ValueList> {
    let node = graph.node(id);
    let mut operands = node.operands.clone();
    for slot in 0..operands.len() {
        let Some(source) = broadcast_source(graph, operands[slot]) else {
            continue;
        };
        let sources = [source, operands[slot]];
        if !MATRIX_AXES.holds(repeats_alone(graph, &node.op, slot, sources)) {
            continue;
        }
        let repeated = std::mem::replace(&mut operands[slot], source);
        let types = node.op.infer(&Infer { graph }, &graph.types(&operands));
        if types.ok().as_deref() != Some(std::slice::from_ref(graph.ty(node.result()))) {
            operands[slot] = repeated;
        }
    }
    (operands != node.operands).then_some(operands)
}

/// True if the op implicitly broadcasts along all axes along which the broadcast does. A matrix product does not
/// broadcast the axes of its matrices; unknown sizes of these may be equal only by chance.
fn repeats_alone(graph: &Graph, op: &Op, slot: usize, [source, repeated]: [ValueId; 2]) -> bool {
    const MASK: usize = 3;
    let is_matrix = match op {
        Op::MatMul(_) => true,
        Op::Attention(_) => slot < MASK,
        _ => false,
    };
    if !is_matrix {
        return true;
    }
    let (source, repeated) = (&graph.ty(source).shape, &graph.ty(repeated).shape);
    let matrix = repeated.rank().saturating_sub(2);
    source[matrix..] == repeated[matrix..]
}

fn broadcast_source(graph: &Graph, value: ValueId) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    matches!(node.op, Op::Broadcast(_)).then(|| node.operands[0])
}
