//! Expands a maximum pool whose windows have one element to slices with the pool's strides.
//!
//! ```kiln
//! decompose none pool slice.strided
//! graph "pool_of_one" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6, 5]) {
//!     %1: f32[1, 2, 3, 5] = pool %0 {f=max, kernel=[1, 1], stride=[2, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "pool_of_one" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 6, 5]) {
//!     %1: f32[1, 2, 3, 2, 5] = move %0 {movement=(e:1 a:2 (b:3 c:2) d:5 -> e a b c d)}
//!     %2: f32[1, 2, 3, 1, 5] = slice %1 {axis=3, start=0, len=1, step=1}
//!     %3: f32[1, 2, 3, 5] = move %2 {movement=(d:1 a:2 b:3 1 c:5 -> d a b c)}
//!     return %3
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{Pool, PoolFn};
use kiln_ir::{Builder, NodeId};

guards! {
    /// All windows have one element.
    ONE_ELEMENT;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "pool_of_one",
    rounds: Rounds::AsTheOp,
    expand,
};

/// True for a maximum over windows of one element, which lie inside of the input.
pub fn is_of_one(op: &Pool) -> bool {
    let is_padded = op.pad_low.iter().chain(&op.pad_high).any(|&n| n != 0);
    op.f == PoolFn::Max && !is_padded && ONE_ELEMENT.holds(op.kernel.iter().all(|&n| n == 1))
}

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Pool);
    let mut value = operand(emitter, node, 0);
    if !is_of_one(&op) {
        return Err(Reason::new(
            "windows have one element",
            format!("{:?}", op.kernel),
        ));
    }
    let sizes = emitter.shape(value);
    for (i, &stride) in op
        .stride
        .iter()
        .enumerate()
        .filter(|&(_, &stride)| stride != 1)
    {
        let axis = i + 2;
        let len = op.spatial_size(i, &sizes[axis]);
        value = emitter.slice(value, axis, 0, len, stride)?;
    }
    only(Ok(value))
}
