//! Expands a reversal to a look-up with descending indices, axis by axis.
//!
//! ```kiln
//! decompose none reverse
//! graph "reverse" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 3]) {
//!     %1: f32[s0, 3] = reverse %0 {axes=[0, 1]}
//!     return %1
//!   }
//! }
//! ---
//! graph "reverse" {
//!   symbol s0 in 1..=9
//!   constant c0 "iota" i64[3] = [2, 1, 0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 3]) {
//!     %1: i64[s0] = iota {len=s0, dtype=i64}
//!     %2: i64[] = dim_value {dim=s0 - 1}
//!     %3: i64[1] = move %2 {movement=(-> 1)}
//!     %4: i64[s0] = binary %3, %1 {f=sub}
//!     %5: f32[s0, 3] = index %0, %4 {axis=0, from_start=false}
//!     %6: i64[3] = constant {value=c0}
//!     %7: f32[s0, 3] = index %5, %6 {axis=1, from_start=false}
//!     return %7
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use kiln_ir::ops::{BinaryFn, Index};
use kiln_ir::{Builder, DType, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "reverse",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Reverse);
    let x = operand(emitter, node, 0);
    only(
        op.axes
            .iter()
            .try_fold(x, |x, &axis| along_axis(emitter, x, axis)),
    )
}

fn along_axis(emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize) -> Emitted {
    let size = emitter.shape(x)[axis].clone();
    let rising = emitter.iota(size.clone(), DType::I64)?;
    let last = emitter.dim(&(size - 1), DType::I64, 1)?;
    let falling = emitter.binary(BinaryFn::Sub, last, rising)?;
    emitter.value(Index::new(axis), &[x, falling])
}
