//! Nodes whose results nobody reads go.
//!
//! A node that binds a symbol stays: types may mention the symbol, and binding checks its range.
//!
//! ```kiln
//! clean
//! graph "dead" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=exp}
//!     %2: f32[3] = unary %1 {f=sin}
//!     %3: f32[3] = unary %0 {f=cos}
//!     return %3
//!   }
//! }
//! ---
//! graph "dead" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[3] = unary %0 {f=cos}
//!     return %1
//!   }
//! }
//! ```

use crate::rewriting::{Course, is_unread};
use kiln_ir::{NodeId, Op};

const NAME: &str = "dead_code";

/// Erases what nobody reads, in all blocks; `None` once no more may be applied.
pub fn sweep(course: &mut Course<'_, '_>) -> Option<()> {
    let mut blocks = vec![course.graph().root()];
    while let Some(block) = blocks.pop() {
        let mut nodes: Vec<NodeId> = course.graph().nodes_in(block).map(|(id, _)| id).collect();
        while let Some(node) = nodes.pop() {
            if !is_unread(course.graph(), node) || has_effect(&course.graph().node(node).op) {
                blocks.extend(course.graph().node(node).op.bodies());
                continue;
            }
            if !course.rewriter.may_apply() {
                return None;
            }
            if !matches!(course.graph().node(node).op, Op::Constant(_)) {
                course.report.applied(NAME, course.rewriter.graph(), node);
            }
            course.rewriter.erase(node);
        }
    }
    Some(())
}

fn has_effect(op: &Op) -> bool {
    matches!(op, Op::BindSymbol(_) | Op::NonZero(_))
}
