//! Makes a gather that takes whole rows a look-up: its index is one vector, repeated along all other axes.
//!
//! This is how the boxes of the best scores are picked: `boxes.gather(1, at[..., None].expand(-1, -1, 4))`. A look-up copies
//! rows, and needs no index for each element.
//!
//! ```kiln
//! clean
//! graph "rows" {
//!   input tensor "x" [0, 1, 2]
//!   input tensor "at" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 9, 4], %1 "at": i64[1, 3, 1]) {
//!     %2: i64[1, 3, 4] = broadcast %1 {shape=[1, 3, 4]}
//!     %3: f32[1, 3, 4] = gather %0, %2 {axis=1}
//!     return %3
//!   }
//! }
//! ---
//! graph "rows" {
//!   input tensor "x" [0, 1, 2]
//!   input tensor "at" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 9, 4], %1 "at": i64[1, 3, 1]) {
//!     %2: i64[3] = move %1 {movement=(1 a:3 1 -> a)}
//!     %3: f32[1, 3, 4] = index %0, %2 {axis=1, from_start=false}
//!     return %3
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use kiln_ir::graph::Graph;
use kiln_ir::ops::Index;
use kiln_ir::{Builder, Dim, NodeId, Op, ValueId};

/// The rule.
pub const RULE: Rule = Rule {
    name: "gather_is_look_up",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (Op::Gather(op), &[x, repeated]) = (&node.op, node.operands.as_slice()) else {
        return Ok(None);
    };
    let axis = op.axis;
    let Some(index) = vector_of(graph, repeated, axis) else {
        return Ok(None);
    };
    // A gather may take the first elements of rows; a look-up takes whole rows.
    let (rows, taken) = (&graph.ty(x).shape, &graph.ty(repeated).shape);
    let are_whole = (0..rows.rank()).all(|i| i == axis || rows[i] == taken[i]);
    if !are_whole {
        return Ok(None);
    }
    let count = taken[axis].clone();
    let vector = emitter.reshape(index, vec![count])?;
    emitter.value(Index::new(axis), &[x, vector]).map(Some)
}

/// The value whose repetition is the index, if all of its axes but the gathered one have size 1.
fn vector_of(graph: &Graph, repeated: ValueId, axis: usize) -> Option<ValueId> {
    let node = graph.node(graph.producer(repeated)?);
    let (Op::Broadcast(_), &[index]) = (&node.op, node.operands.as_slice()) else {
        return None;
    };
    let (own, all) = (&graph.ty(index).shape, &graph.ty(repeated).shape);
    let one = Dim::constant(1);
    let is_vector = (0..own.rank()).all(|i| i == axis || own[i] == one);
    (is_vector && own[axis] == all[axis]).then_some(index)
}
