//! Expands a convolution over three axes to a sum over the taps of the first axis. Each summand is a convolution over
//! two axes, with the depth merged into the batch.
//!
//! ```kiln
//! decompose none conv.3d
//! graph "conv3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   input tensor "w" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 5, 6], %1 "w": f32[3, 2, 2, 3, 3]) {
//!     %2: f32[1, 3, 3, 3, 4] = conv %0, %1 {stride=[1, 1, 1], pad_low=[0, 0, 0], pad_high=[0, 0, 0], dilation=[1, 1, 1], groups=1, transposed=false, output_padding=[0, 0, 0]}
//!     return %2
//!   }
//! }
//! ---
//! graph "conv3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   input tensor "w" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 5, 6], %1 "w": f32[3, 2, 2, 3, 3]) {
//!     %2: f32[1, 4, 2, 5, 6] = move %0 {movement=(e:1 a:2 b:4 c:5 d:6 -> e b a c d)}
//!     %3: f32[1, 3, 2, 5, 6] = slice %2 {axis=1, start=0, len=3, step=1}
//!     %4: f32[3, 2, 1, 3, 3] = slice %1 {axis=2, start=0, len=1, step=1}
//!     %5: f32[3, 2, 3, 3] = move %4 {movement=(a:3 b:2 1 c:3 d:3 -> a b c d)}
//!     %6: f32[3, 2, 5, 6] = move %3 {movement=(1 a:3 b:2 c:5 d:6 -> a b c d)}
//!     %7: f32[3, 3, 3, 4] = conv %6, %5 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %8: f32[1, 3, 2, 5, 6] = slice %2 {axis=1, start=1, len=3, step=1}
//!     %9: f32[3, 2, 1, 3, 3] = slice %1 {axis=2, start=1, len=1, step=1}
//!     %10: f32[3, 2, 3, 3] = move %9 {movement=(a:3 b:2 1 c:3 d:3 -> a b c d)}
//!     %11: f32[3, 2, 5, 6] = move %8 {movement=(1 a:3 b:2 c:5 d:6 -> a b c d)}
//!     %12: f32[3, 3, 3, 4] = conv %11, %10 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %13: f32[3, 3, 3, 4] = binary %7, %12 {f=add}
//!     %14: f32[1, 3, 3, 3, 4] = move %13 {movement=(a:3 b:3 c:3 d:4 -> 1 a b c d)}
//!     %15: f32[1, 3, 3, 3, 4] = move %14 {movement=(e:1 a:3 b:3 c:3 d:4 -> e b a c d)}
//!     return %15
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use kiln_ir::ops::{BinaryFn, Conv};
use kiln_ir::{Builder, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "conv3d",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Conv);
    let operands = emitter.graph().node(node).operands.clone();
    let depth = emitter.shape(emitter.graph().node(node).result())[2].clone();
    let taps = emitter.known(
        &emitter.shape(operands[1])[2].clone(),
        "the kernel's depth is known",
    )?;
    let x = emitter.permute(operands[0], &[0, 2, 1, 3, 4])?;
    let x = emitter.pad_axis(x, 1, op.pad_low[0], op.pad_high[0], 0.0)?;
    let mut sum: Option<ValueId> = None;
    for tap in 0..taps {
        let part = emitter.slice(x, 1, tap * op.dilation[0], depth.clone(), op.stride[0])?;
        let weight = tap_of(emitter, operands[1], tap)?;
        let mut parts = vec![planes(emitter, part)?, weight];
        if sum.is_none() {
            parts.extend(operands.get(2));
        }
        let value = emitter.value(within_planes(&op), &parts)?;
        sum = Some(match sum {
            Some(sum) => emitter.binary(BinaryFn::Add, sum, value)?,
            None => value,
        });
    }
    let Some(sum) = sum else {
        return Err(crate::framework::target::Reason::new(
            "the kernel has at least one tap",
            "none",
        ));
    };
    let batch = emitter.shape(operands[0])[0].clone();
    let value = volumes(emitter, sum, batch, depth)?;
    only(emitter.permute(value, &[0, 2, 1, 3, 4]))
}

/// The convolution over the last two axes.
pub fn within_planes(op: &Conv) -> Conv {
    Conv {
        stride: op.stride[1..].to_vec(),
        pad_low: op.pad_low[1..].to_vec(),
        pad_high: op.pad_high[1..].to_vec(),
        dilation: op.dilation[1..].to_vec(),
        output_padding: op.output_padding[1..].to_vec(),
        ..op.clone()
    }
}

/// The part of the weight at one index of the kernel's first axis.
pub fn tap_of(emitter: &mut Emitter<'_, '_>, weight: ValueId, tap: i64) -> Emitted {
    let slice = emitter.slice(weight, 2, tap, 1, 1)?;
    emitter.squeeze(slice, &[2])
}

/// `[n, d, c, h, w]` as `[n * d, c, h, w]`.
pub fn planes(emitter: &mut Emitter<'_, '_>, x: ValueId) -> Emitted {
    let shape = emitter.shape(x);
    let merged: Vec<Dim> = std::iter::once(&shape[0] * &shape[1])
        .chain(shape[2..].iter().cloned())
        .collect();
    emitter.reshape(x, merged)
}

/// `[n * d, c, h, w]` as `[n, d, c, h, w]`.
pub fn volumes(emitter: &mut Emitter<'_, '_>, x: ValueId, batch: Dim, depth: Dim) -> Emitted {
    let shape = emitter.shape(x);
    let split: Vec<Dim> = [batch, depth]
        .into_iter()
        .chain(shape[1..].iter().cloned())
        .collect();
    emitter.reshape(x, split)
}
