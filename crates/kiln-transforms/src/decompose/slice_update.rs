//! Expands a slice update to a concatenation of the elements before, the new elements, and the elements behind.
//!
//! ```kiln
//! decompose none slice_update
//! graph "slice_update" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[7], %1 "y": f32[2]) {
//!     %2: f32[7] = slice_update %0, %1 {axis=0, start=3, step=1}
//!     return %2
//!   }
//! }
//! ---
//! graph "slice_update" {
//!   input tensor "x" [0]
//!   input tensor "y" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[7], %1 "y": f32[2]) {
//!     %2: f32[3] = slice %0 {axis=0, start=0, len=3, step=1}
//!     %3: f32[2] = slice %0 {axis=0, start=5, len=2, step=1}
//!     %4: f32[7] = concat %2, %1, %3 {axis=0}
//!     return %4
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::Builder;
use kiln_ir::NodeId;

guards! {
    /// The elements lie side by side.
    NEIGHBOURS;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "slice_update",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, SliceUpdate);
    let (x, source) = (operand(emitter, node, 0), operand(emitter, node, 1));
    if !NEIGHBOURS.holds(op.step == 1) {
        return Err(Reason::new(
            "the updated elements are neighbours",
            format!("a step of {}", op.step),
        ));
    }
    let (all, new) = (
        emitter.shape(x)[op.axis].clone(),
        emitter.shape(source)[op.axis].clone(),
    );
    let end = &op.start + &new;
    let mut parts = vec![source];
    if !op.start.is(0) {
        parts.insert(0, emitter.slice(x, op.axis, 0, op.start, 1)?);
    }
    let behind = all - &end;
    if !behind.is(0) {
        parts.push(emitter.slice(x, op.axis, end, behind, 1)?);
    }
    only(emitter.concat(&parts, op.axis))
}
