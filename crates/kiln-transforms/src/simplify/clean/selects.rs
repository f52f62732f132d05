//! Replaces a select by one of its branches, if the condition is constant or both branches are the same value.
//!
//! ```kiln
//! clean
//! graph "selects" {
//!   constant c0 "" bool[1] = [true]
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[1], %1 "y": f32[3]) {
//!     %2: bool[1] = constant {value=c0}
//!     %3: f32[3] = select %2, %0, %1 {}
//!     return %3
//!   }
//! }
//! ---
//! graph "selects" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[1], %1 "y": f32[3]) {
//!     %2: f32[3] = broadcast %0 {shape=[3]}
//!     return %2
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::{Builder, NodeId, Op, Scalar};

guards! {
    /// Where the condition is not known, both choices are one value.
    ONE_CHOICE;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "known_select",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (Op::Select(_), &[condition, a, b]) = (&node.op, node.operands.as_slice()) else {
        return Ok(None);
    };
    let chosen = match graph.as_splat(condition) {
        Some(Scalar::Bool(true)) => a,
        Some(Scalar::Bool(false)) => b,
        _ if ONE_CHOICE.holds(a == b) => a,
        _ => return Ok(None),
    };
    let shape = graph.ty(node.result()).shape.clone();
    emitter.broadcast(chosen, shape).map(Some)
}
