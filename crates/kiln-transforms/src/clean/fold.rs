//! A node over constants becomes a constant; see [`crate::folding`] for the limits.
//!
//! A transposed weight whose readers take it as it lies is left to [`crate::linear_forms`].
//!
//! ```kiln
//! clean
//! graph "fold" {
//!   constant c0 "a" f32[2] = [1.0, -2.0]
//!   constant c1 "b" f32[2] = [0.5, 4.0]
//!   output tensor
//!   block b0 () {
//!     %0: f32[2] = constant {value=c0}
//!     %1: f32[2] = constant {value=c1}
//!     %2: f32[2] = binary %0, %1 {f=add}
//!     %3: f32[2] = unary %2 {f=neg}
//!     return %3
//!   }
//! }
//! ---
//! graph "fold" {
//!   constant c0 "a+b" f32[2] = [-1.5, -2.0]
//!   output tensor
//!   block b0 () {
//!     %0: f32[2] = constant {value=c0}
//!     return %0
//!   }
//! }
//! ```

use crate::emitter::Emitter;
use crate::folding;
use crate::linear_forms;
use crate::rewriting::{Rewritten, Rule};
use crate::target::Reason;
use kiln_ir::NodeId;

/// The rule.
pub const RULE: Rule = Rule {
    name: "fold_constants",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    if linear_forms::takes_transposed(emitter, node) {
        return Ok(None);
    }
    let graph = emitter.graph();
    let (op, operands) = (
        graph.node(node).op.clone(),
        graph.node(node).operands.clone(),
    );
    match folding::fold(graph, &op, &operands, folding::FREE_BYTES) {
        Ok(None) => Ok(None),
        Ok(Some(constants)) => Ok(constants
            .into_iter()
            .next()
            .map(|c| emitter.known_constant(c))),
        Err(cause) => Err(Reason::new("a constant has a value", cause.to_string())),
    }
}
