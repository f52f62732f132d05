//! Expands a pool over one axis to one over two axes, the first of size 1.
//!
//! ```kiln
//! decompose none pool.1d
//! graph "pool1d" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6]) {
//!     %1: f32[1, 2, 3] = pool %0 {f=max, kernel=[2], stride=[2], pad_low=[0], pad_high=[0], dilation=[1], ceil=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "pool1d" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6]) {
//!     %1: f32[1, 2, 1, 6] = move %0 {movement=(c:1 a:2 b:6 -> c a 1 b)}
//!     %2: f32[1, 2, 1, 3] = pool %1 {f=max, kernel=[1, 2], stride=[1, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %3: f32[1, 2, 3] = move %2 {movement=(c:1 a:2 1 b:3 -> c a b)}
//!     return %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, operand};
use crate::framework::emitter::Emitter;
use kiln_ir::Builder;
use kiln_ir::NodeId;
use kiln_ir::ops::Pool;

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "pool1d",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Pool);
    let x = operand(emitter, node, 0);
    let x = emitter.unsqueeze(x, &[2])?;
    let flat = Pool {
        kernel: vec![1, op.kernel[0]],
        stride: vec![1, op.stride[0]],
        pad_low: vec![0, op.pad_low[0]],
        pad_high: vec![0, op.pad_high[0]],
        dilation: vec![1, op.dilation[0]],
        ..op
    };
    let results = emitter.results(flat, &[x])?;
    results
        .into_iter()
        .map(|v| emitter.squeeze(v, &[2]).map(Some))
        .collect()
}
