//! Expands paddings to concatenations: with parts of the tensor (reflected, repeated or circular), or with constants.
//!
//! ```kiln
//! decompose none pad.reflect
//! graph "pad" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: f32[7] = pad %0 {low=[2], high=[1], mode=reflect}
//!     return %1
//!   }
//! }
//! ---
//! graph "pad" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: f32[2] = slice %0 {axis=0, start=1, len=2, step=1}
//!     %2: f32[2] = reverse %1 {axes=[0]}
//!     %3: f32[1] = slice %0 {axis=0, start=2, len=1, step=1}
//!     %4: f32[7] = concat %2, %0, %3 {axis=0}
//!     return %4
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::ops::{PadMode, Reverse};
use kiln_ir::{Builder, Dim, NodeId, ValueId};

guards! {
    /// Backwards, one element is as it was.
    ONE_ELEMENT;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "pad",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Pad);
    let mut x = operand(emitter, node, 0);
    if let PadMode::Constant(_) = op.mode {
        return constant(emitter, node);
    }
    for axis in 0..emitter.rank(x) {
        let (low, high) = (&op.low[axis], &op.high[axis]);
        let before = part(emitter, x, axis, low, op.mode, true)?;
        let behind = part(emitter, x, axis, high, op.mode, false)?;
        let parts: Vec<ValueId> = before.into_iter().chain([x]).chain(behind).collect();
        x = emitter.concat(&parts, axis)?;
    }
    only(Ok(x))
}

/// Concatenates constants axis by axis.
fn constant(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Pad);
    let PadMode::Constant(value) = op.mode else {
        return Err(Reason::new(
            "the padding is a constant",
            format!("{:?}", op.mode),
        ));
    };
    let mut x = operand(emitter, node, 0);
    for axis in 0..emitter.rank(x) {
        let mut parts = vec![x];
        for (size, place) in [(&op.low[axis], 0), (&op.high[axis], 2)] {
            if size.is(0) {
                continue;
            }
            let mut shape = emitter.shape(x);
            shape[axis] = size.clone();
            let one = emitter.scalar_like(value, x);
            let filled = emitter.broadcast(one, shape)?;
            parts.insert(if place == 0 { 0 } else { parts.len() }, filled);
        }
        x = emitter.concat(&parts, axis)?;
    }
    only(Ok(x))
}

/// The part before or after the elements of an axis.
fn part(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    size: &Dim,
    mode: PadMode,
    is_before: bool,
) -> Result<Option<ValueId>, Reason> {
    if size.is(0) {
        return Ok(None);
    }
    let all = emitter.shape(x)[axis].clone();
    let start = match (mode, is_before) {
        (PadMode::Reflect, true) => Dim::constant(1),
        (PadMode::Reflect, false) => &all - size - 1,
        (PadMode::Replicate, true) | (PadMode::Circular, false) => Dim::constant(0),
        (PadMode::Replicate, false) => &all - 1,
        (PadMode::Circular, true) => &all - size,
        (PadMode::Constant(_), _) => {
            return Err(Reason::new(
                "the padding repeats or reflects the tensor",
                "a constant",
            ));
        }
    };
    repeated_or_turned(emitter, x, axis, start, size, mode).map(Some)
}

fn repeated_or_turned(
    emitter: &mut Emitter<'_, '_>,
    x: ValueId,
    axis: usize,
    start: Dim,
    size: &Dim,
    mode: PadMode,
) -> Emitted {
    if mode == PadMode::Replicate {
        let border = emitter.slice(x, axis, start, 1, 1)?;
        let mut shape = emitter.shape(border);
        shape[axis] = size.clone();
        return emitter.broadcast(border, shape);
    }
    let piece = emitter.slice(x, axis, start, size.clone(), 1)?;
    if mode == PadMode::Reflect && !ONE_ELEMENT.holds(size.is(1)) {
        return emitter.value(Reverse { axes: vec![axis] }, &[piece]);
    }
    Ok(piece)
}
