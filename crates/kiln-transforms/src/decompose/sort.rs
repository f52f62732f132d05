//! Sorting is the extreme `n` of `n`. Of equals, the indices may come in another order.
//!
//! ```kiln
//! decompose none sort
//! graph "sort" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[s0]) {
//!     %1: f32[s0], %2: i64[s0] = sort %0 {axis=0, descending=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "sort" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[s0]) {
//!     %1: f32[s0], %2: i64[s0] = top_k %0 {axis=0, k=s0, largest=false}
//!     return %1
//!   }
//! }
//! ```

use super::{Expanded, Expansion, operand};
use crate::emitter::Emitter;
use kiln_ir::NodeId;
use kiln_ir::ops::TopK;

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "sort",
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Sort);
    let x = operand(emitter, node, 0);
    let k = emitter.shape(x)[op.axis].clone();
    let all = TopK {
        axis: op.axis,
        k,
        largest: op.descending,
    };
    let results = emitter.results(all, &[x])?;
    Ok(results.into_iter().map(Some).collect())
}
