//! Merges two slices along the same axis into one.
//!
//! ```kiln
//! clean
//! graph "slices" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[20]) {
//!     %1: f32[8] = slice %0 {axis=0, start=3, len=8, step=2}
//!     %2: f32[3] = slice %1 {axis=0, start=1, len=3, step=2}
//!     return %2
//!   }
//! }
//! ---
//! graph "slices" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[20]) {
//!     %1: f32[3] = slice %0 {axis=0, start=5, len=3, step=4}
//!     return %1
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use kiln_ir::{Builder, NodeId, Op};

/// The rule.
pub const RULE: Rule = Rule {
    name: "join_slices",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Slice(outer) = node.op.clone() else {
        return Ok(None);
    };
    let Some(before) = graph.producer(node.operands[0]).map(|n| graph.node(n)) else {
        return Ok(None);
    };
    let Op::Slice(inner) = before.op.clone() else {
        return Ok(None);
    };
    let x = before.operands[0];
    let Some(step) = inner
        .step
        .checked_mul(outer.step)
        .filter(|_| inner.axis == outer.axis)
    else {
        return Ok(None);
    };
    let start = inner.start + outer.start * inner.step;
    emitter
        .slice(x, inner.axis, start, outer.len, step)
        .map(Some)
}
