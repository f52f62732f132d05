//! Expands a slice with a step: splits the axis into groups of `step` elements, and takes the first of each.
//!
//! ```kiln
//! decompose none slice.strided
//! graph "slice" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[7]) {
//!     %1: f32[3] = slice %0 {axis=0, start=1, len=3, step=2}
//!     return %1
//!   }
//! }
//! ---
//! graph "slice" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[7]) {
//!     %1: f32[6] = slice %0 {axis=0, start=1, len=6, step=1}
//!     %2: f32[3, 2] = move %1 {movement=((a:3 b:2) -> a b)}
//!     %3: f32[3, 1] = slice %2 {axis=1, start=0, len=1, step=1}
//!     %4: f32[3] = move %3 {movement=(a:3 1 -> a)}
//!     return %4
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::Emitter;
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::{Builder, Dim, NodeId};

guards! {
    /// The runs end inside of the axis.
    FITS;
}

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "strided_slice",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Slice);
    let x = operand(emitter, node, 0);
    if op.step == 1 {
        return Err(Reason::new("the slice has a step", "1"));
    }
    let size = emitter.shape(x)[op.axis].clone();
    let whole = &op.len * op.step;
    let end = &op.start + &whole;
    let fits = emitter.graph().symbols.less_equal(&end, &size) == Some(true);
    let x = if FITS.holds(fits) {
        x
    } else {
        emitter.pad_axis(x, op.axis, 0, op.step - 1, 0)?
    };
    let runs = emitter.slice(x, op.axis, op.start, whole, 1)?;
    let mut split = emitter.shape(runs);
    split[op.axis] = op.len.clone();
    split.insert(op.axis + 1, Dim::constant(op.step));
    let split = emitter.reshape(runs, split)?;
    let first = emitter.slice(split, op.axis + 1, 0, 1, 1)?;
    only(emitter.squeeze(first, &[op.axis + 1]))
}
