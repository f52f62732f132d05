//! Expands a convolution over one axis to one over two axes, the first of size 1.
//!
//! ```kiln
//! decompose none conv.1d
//! graph "conv1d" {
//!   input tensor "x" [0, 1, 2]
//!   input tensor "w" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 5], %1 "w": f32[3, 2, 3]) {
//!     %2: f32[1, 3, 5] = conv %0, %1 {stride=[1], pad_low=[1], pad_high=[1], dilation=[1], groups=1, transposed=false, output_padding=[0]}
//!     return %2
//!   }
//! }
//! ---
//! graph "conv1d" {
//!   input tensor "x" [0, 1, 2]
//!   input tensor "w" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 5], %1 "w": f32[3, 2, 3]) {
//!     %2: f32[1, 2, 1, 5] = move %0 {movement=(c:1 a:2 b:5 -> c a 1 b)}
//!     %3: f32[3, 2, 1, 3] = move %1 {movement=(a:3 b:2 c:3 -> a b 1 c)}
//!     %4: f32[1, 3, 1, 5] = conv %2, %3 {stride=[1, 1], pad_low=[0, 1], pad_high=[0, 1], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %5: f32[1, 3, 5] = move %4 {movement=(c:1 a:3 1 b:5 -> c a b)}
//!     return %5
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::Emitter;
use kiln_ir::Builder;
use kiln_ir::NodeId;
use kiln_ir::ops::Conv;

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "conv1d",
    rounds: Rounds::AsTheOp,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Conv);
    let mut operands = emitter.graph().node(node).operands.clone();
    for slot in 0..2 {
        operands[slot] = emitter.unsqueeze(operands[slot], &[2])?;
    }
    let flat = Conv {
        stride: vec![1, op.stride[0]],
        pad_low: vec![0, op.pad_low[0]],
        pad_high: vec![0, op.pad_high[0]],
        dilation: vec![1, op.dilation[0]],
        output_padding: vec![0, op.output_padding[0]],
        ..op
    };
    let value = emitter.value(flat, &operands)?;
    only(emitter.squeeze(value, &[2]))
}
