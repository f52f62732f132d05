//! Expands a transposed convolution over three axes to a sum over the taps of the first axis. Each summand is a
//! transposed convolution over two axes, whose planes are placed `stride` apart and shifted by the tap.
//!
//! ```kiln
//! decompose none conv.3d
//! graph "conv_transpose3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   input tensor "w" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3, 4, 4], %1 "w": f32[2, 3, 2, 3, 3]) {
//!     %2: f32[1, 3, 6, 6, 6] = conv %0, %1 {stride=[2, 1, 1], pad_low=[0, 0, 0], pad_high=[0, 0, 0], dilation=[1, 1, 1], groups=1, transposed=true, output_padding=[0, 0, 0]}
//!     return %2
//!   }
//! }
//! ---
//! graph "conv_transpose3d" {
//!   input tensor "x" [0, 1, 2, 3, 4]
//!   input tensor "w" [0, 1, 2, 3, 4]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3, 4, 4], %1 "w": f32[2, 3, 2, 3, 3]) {
//!     %2: f32[1, 3, 2, 4, 4] = move %0 {movement=(e:1 a:2 b:3 c:4 d:4 -> e b a c d)}
//!     %3: f32[3, 2, 4, 4] = move %2 {movement=(1 a:3 b:2 c:4 d:4 -> a b c d)}
//!     %4: f32[2, 3, 1, 3, 3] = slice %1 {axis=2, start=0, len=1, step=1}
//!     %5: f32[2, 3, 3, 3] = move %4 {movement=(a:2 b:3 1 c:3 d:3 -> a b c d)}
//!     %6: f32[3, 3, 6, 6] = conv %3, %5 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=true, output_padding=[0, 0]}
//!     %7: f32[1, 3, 3, 6, 6] = move %6 {movement=(a:3 b:3 c:6 d:6 -> 1 a b c d)}
//!     %8: f32[1, 3, 1, 3, 6, 6] = move %7 {movement=(e:1 a:3 b:3 c:6 d:6 -> e a 1 b c d)}
//!     %9: f32[1, 3, 2, 3, 6, 6] = pad %8 {low=[0, 0, 0, 0, 0, 0], high=[0, 0, 1, 0, 0, 0], mode=constant 0.0}
//!     %10: f32[1, 6, 3, 6, 6] = move %9 {movement=(f:1 a:3 b:2 c:3 d:6 e:6 -> f (a b) c d e)}
//!     %11: f32[1, 7, 3, 6, 6] = pad %10 {low=[0, 0, 0, 0, 0], high=[0, 1, 0, 0, 0], mode=constant 0.0}
//!     %12: f32[2, 3, 1, 3, 3] = slice %1 {axis=2, start=1, len=1, step=1}
//!     %13: f32[2, 3, 3, 3] = move %12 {movement=(a:2 b:3 1 c:3 d:3 -> a b c d)}
//!     %14: f32[3, 3, 6, 6] = conv %3, %13 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=true, output_padding=[0, 0]}
//!     %15: f32[1, 3, 3, 6, 6] = move %14 {movement=(a:3 b:3 c:6 d:6 -> 1 a b c d)}
//!     %16: f32[1, 3, 1, 3, 6, 6] = move %15 {movement=(e:1 a:3 b:3 c:6 d:6 -> e a 1 b c d)}
//!     %17: f32[1, 3, 2, 3, 6, 6] = pad %16 {low=[0, 0, 0, 0, 0, 0], high=[0, 0, 1, 0, 0, 0], mode=constant 0.0}
//!     %18: f32[1, 6, 3, 6, 6] = move %17 {movement=(f:1 a:3 b:2 c:3 d:6 e:6 -> f (a b) c d e)}
//!     %19: f32[1, 7, 3, 6, 6] = pad %18 {low=[0, 1, 0, 0, 0], high=[0, 0, 0, 0, 0], mode=constant 0.0}
//!     %20: f32[1, 7, 3, 6, 6] = binary %11, %19 {f=add}
//!     %21: f32[1, 6, 3, 6, 6] = slice %20 {axis=1, start=0, len=6, step=1}
//!     %22: f32[1, 3, 6, 6, 6] = move %21 {movement=(e:1 a:6 b:3 c:6 d:6 -> e b a c d)}
//!     return %22
//!   }
//! }
//! ```

use super::conv3d::{planes, tap_of, volumes, within_planes};
use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use kiln_ir::ops::{BinaryFn, Conv};
use kiln_ir::{Builder, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "conv_transpose3d",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Conv);
    let operands = emitter.graph().node(node).operands.clone();
    let result = emitter.shape(emitter.graph().node(node).result());
    let taps = emitter.known(
        &emitter.shape(operands[1])[2].clone(),
        "the kernel's depth is known",
    )?;
    let shape = emitter.shape(operands[0]);
    let x = emitter.permute(operands[0], &[0, 2, 1, 3, 4])?;
    let x = planes(emitter, x)?;
    let mut sum: Option<ValueId> = None;
    for tap in 0..taps {
        let weight = tap_of(emitter, operands[1], tap)?;
        let value = emitter.value(within_planes(&op), &[x, weight])?;
        let value = volumes(emitter, value, shape[0].clone(), shape[2].clone())?;
        let spread = spread(emitter, value, &op, tap, taps)?;
        sum = Some(match sum {
            Some(sum) => emitter.binary(BinaryFn::Add, sum, spread)?,
            None => spread,
        });
    }
    let sum = sum.ok_or_else(|| Reason::new("the kernel has at least one tap", "none"))?;
    let cropped = emitter.slice(sum, 1, op.pad_low[0], result[2].clone(), 1)?;
    let mut value = emitter.permute(cropped, &[0, 2, 1, 3, 4])?;
    if let Some(&bias) = operands.get(2) {
        let bias = emitter.unsqueeze(bias, &[0, 2, 3, 4])?;
        value = emitter.binary(BinaryFn::Add, value, bias)?;
    }
    only(Ok(value))
}

/// Places the planes `[n, d, ..]` at depths `stride * i + dilation * tap`, in a depth that holds the planes of all
/// taps.
fn spread(emitter: &mut Emitter<'_, '_>, x: ValueId, op: &Conv, tap: i64, taps: i64) -> Emitted {
    let (stride, dilation) = (op.stride[0], op.dilation[0]);
    let mut shape = emitter.shape(x);
    let x = emitter.unsqueeze(x, &[2])?;
    let x = emitter.pad_axis(x, 2, 0, stride - 1, 0.0)?;
    shape[1] = &shape[1] * stride;
    let x = emitter.reshape(x, shape)?;
    let beyond = (op.output_padding[0] - (stride - 1) - op.pad_high[0]).max(0);
    let low = tap * dilation;
    let high: Dim = ((taps - 1 - tap) * dilation + beyond).into();
    emitter.pad_axis(x, 1, low, high, 0.0)
}
