//! Expands a batched matrix product to one of rank 3, or to a product of two matrices.
//!
//! If only the left operand has a batch, its rows become one matrix. Otherwise the operands are broadcast to a common
//! batch, whose axes are merged.
//!
//! ```kiln
//! decompose none matmul.4d
//! graph "matmul" {
//!   input tensor "a" [0, 1, 2, 3]
//!   input tensor "b" [0, 1, 2, 3]
//!   input tensor "c" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "a": f32[2, 3, 4, 5], %1 "b": f32[2, 3, 5, 6], %2 "c": f32[1, 1, 5, 6]) {
//!     %3: f32[2, 3, 4, 6] = matmul %0, %1 {}
//!     %4: f32[2, 3, 4, 6] = matmul %0, %2 {}
//!     return %3, %4
//!   }
//! }
//! ---
//! graph "matmul" {
//!   input tensor "a" [0, 1, 2, 3]
//!   input tensor "b" [0, 1, 2, 3]
//!   input tensor "c" [0, 1, 2, 3]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "a": f32[2, 3, 4, 5], %1 "b": f32[2, 3, 5, 6], %2 "c": f32[1, 1, 5, 6]) {
//!     %3: f32[6, 4, 5] = move %0 {movement=(a:2 b:3 c:4 d:5 -> (a b) c d)}
//!     %4: f32[6, 5, 6] = move %1 {movement=(a:2 b:3 c:5 d:6 -> (a b) c d)}
//!     %5: f32[6, 4, 6] = matmul %3, %4 {}
//!     %6: f32[2, 3, 4, 6] = move %5 {movement=((a:2 b:3) c:4 d:6 -> a b c d)}
//!     %7: f32[24, 5] = move %0 {movement=(a:2 b:3 c:4 d:5 -> (a b c) d)}
//!     %8: f32[5, 6] = move %2 {movement=(1 1 a:5 b:6 -> a b)}
//!     %9: f32[24, 6] = matmul %7, %8 {}
//!     %10: f32[2, 3, 4, 6] = move %9 {movement=((a:2 b:3 c:4) d:6 -> a b c d)}
//!     return %6, %10
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use kiln_ir::types::Shape;
use kiln_ir::{Builder, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "matmul",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let (a, b) = (operand(emitter, node, 0), operand(emitter, node, 1));
    let rank = emitter.rank(a);
    let result = emitter.shape(emitter.graph().node(node).result());
    let (left, right) = (emitter.shape(a), emitter.shape(b));
    if rank < 3 || (rank == 3 && left[0] == right[0]) {
        return Err(Reason::new(
            "the product has batch axes that can be merged",
            format!("rank {rank}"),
        ));
    }
    if right[..rank - 2].iter().all(|d| d.is(1)) {
        let rows: Dim = left[..rank - 1].iter().cloned().product();
        let a = emitter.reshape(a, vec![rows, left[rank - 1].clone()])?;
        let b = emitter.reshape(b, Shape::from(&right[rank - 2..]))?;
        let value = emitter.matmul(a, b)?;
        return only(emitter.reshape(value, result));
    }
    let batch = &result[..rank - 2];
    let a = stacked(emitter, a, batch)?;
    let b = stacked(emitter, b, batch)?;
    let value = emitter.matmul(a, b)?;
    only(emitter.reshape(value, result.clone()))
}

/// `x` broadcast to the batch, with the batch axes merged.
fn stacked(emitter: &mut Emitter<'_, '_>, x: ValueId, batch: &[Dim]) -> Result<ValueId, Reason> {
    let own = emitter.shape(x);
    let matrix = &own[batch.len()..];
    let repeated: Shape = batch.iter().chain(matrix).cloned().collect();
    let x = emitter.broadcast(x, repeated)?;
    let count: Dim = batch.iter().cloned().product();
    let merged: Shape = std::iter::once(&count).chain(matrix).cloned().collect();
    emitter.reshape(x, merged)
}
