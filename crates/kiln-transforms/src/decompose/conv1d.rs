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
use crate::framework::target::Reason;
use kiln_ir::dynamic_quant::DynamicQuant;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Conv, Dequantised, Quantised};
use kiln_ir::{Builder, NodeId, Op, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "conv1d",
    rounds: Rounds::AsTheOp,
    expand,
};

/// The rule for a convolution of quantised integers.
pub const QUANTISED: Expansion = Expansion {
    name: "conv1d_of_integers",
    rounds: Rounds::AsTheOp,
    expand: of_integers,
};

/// The rule for a convolution of floats by quantised weights.
pub const DEQUANTISED: Expansion = Expansion {
    name: "conv1d_by_integers",
    rounds: Rounds::AsTheOp,
    expand: by_integers,
};

/// True for a convolution over one axis.
pub fn is_of_row(op: &Op) -> bool {
    matches!(op, Op::Conv(op) if op.spatial() == 1)
}

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Conv);
    of_image(emitter, node, over_two_axes(op))
}

fn of_integers(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let Quantised { op, quant, dtype } = attributes!(emitter, node, Quantised);
    let op = Box::new(over_two_axes(convolution(*op)?).into());
    of_image(emitter, node, Quantised { op, quant, dtype })
}

fn by_integers(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let whole = attributes!(emitter, node, Dequantised);
    of_image(emitter, node, over_images(whole)?)
}

/// A convolution over one axis by quantised weights, as one over two axes.
///
/// # Errors
/// If the op is no convolution.
pub(crate) fn over_images(whole: Dequantised) -> Result<Dequantised, Reason> {
    let op = Box::new(over_two_axes(convolution(*whole.op)?).into());
    // Elements that share parameters share them with an axis more, which is in front of the last one.
    let activation = whole.activation.map(|quant| DynamicQuant {
        axes: quant.axes + usize::from(quant.axes > 1),
        ..quant
    });
    Ok(Dequantised {
        op,
        activation,
        ..whole
    })
}

fn convolution(op: Op) -> Result<Conv, Reason> {
    match op {
        Op::Conv(op) => Ok(op),
        other => Err(Reason::new("the op is a convolution", other.name())),
    }
}

/// The convolution with an axis of size 1 in front of its axis.
fn over_two_axes(op: Conv) -> Conv {
    Conv {
        stride: vec![1, op.stride[0]],
        pad_low: vec![0, op.pad_low[0]],
        pad_high: vec![0, op.pad_high[0]],
        dilation: vec![1, op.dilation[0]],
        output_padding: vec![0, op.output_padding[0]],
        ..op
    }
}

/// The node's operands as images through an op over two axes, and its result as rows again.
fn of_image(emitter: &mut Emitter<'_, '_>, node: NodeId, op: impl Into<Op>) -> Expanded {
    let operands = emitter.graph().node(node).operands.clone();
    let operands = images(emitter, &operands)?;
    let value = emitter.value(op, &operands)?;
    only(emitter.squeeze(value, &[2]))
}

/// A convolution's operands with an axis of size 1 in front of the last one; a bias as it is.
///
/// # Errors
/// If an operand cannot have it.
pub(crate) fn images(
    emitter: &mut Emitter<'_, '_>,
    operands: &[ValueId],
) -> Result<ValueList, Reason> {
    let mut operands = ValueList::from_slice(operands);
    for operand in operands.iter_mut().take(2) {
        *operand = emitter.unsqueeze(*operand, &[2])?;
    }
    Ok(operands)
}
