//! Merges two movements into one, if they have a common refinement (see [`kiln_ir::movement`]).
//!
//! ```kiln
//! clean
//! graph "moves" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3, 4]) {
//!     %1: f32[3, 4, 2] = move %0 {movement=(a:2 b:3 c:4 -> b c a)}
//!     %2: f32[2, 3, 4] = move %1 {movement=(b:3 c:4 a:2 -> a b c)}
//!     %3: f32[12, 2] = move %1 {movement=(a:3 b:4 c:2 -> (a b) c)}
//!     return %2, %3
//!   }
//! }
//! ---
//! graph "moves" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3, 4]) {
//!     %1: f32[12, 2] = move %0 {movement=(a:2 b:3 c:4 -> (b c) a)}
//!     return %0, %1
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::ops::Move;
use kiln_ir::{Builder, NodeId, Op};

guards! {
    /// Both movements together move nothing.
    IDLE;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "compose_moves",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Move(second) = &node.op else {
        return Ok(None);
    };
    let Some(before) = graph.producer(node.operands[0]).map(|n| graph.node(n)) else {
        return Ok(None);
    };
    let Op::Move(first) = &before.op else {
        return Ok(None);
    };
    let x = before.operands[0];
    let Some(movement) = first.movement.compose(&second.movement).one() else {
        return Ok(None);
    };
    if IDLE.holds(movement.is_identity()) && graph.ty(x) == graph.ty(node.result()) {
        return Ok(Some(x));
    }
    emitter.unfolded(Move { movement }, &[x]).map(Some)
}
