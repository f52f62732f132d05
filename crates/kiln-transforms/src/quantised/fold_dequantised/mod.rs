//! Turns float ops on dequantised weights into ops that keep the integers.
//!
//! # Contract
//! - A layer (linear, convolution, product with a matrix) whose weight is a dequantised constant becomes `dequantised(layer)`, and one
//!   whose weight is a constant of i8, cast to floats. If its input is fake-quantised with parameters of its own, that becomes part
//!   of the op; if the target does not run such an op, the input stays as it is.
//! - A constant factor of each channel of such a layer's result becomes part of the weight's scales (module `scale`).
//! - A look-up in a dequantised table becomes `dequantised(index)`.
//! - All of this happens only if the target runs the new op. A product with a matrix becomes a linear layer, with the weight transposed.
//! - A movement between a fake quantisation and its layer goes in front, if it keeps the elements of each block together.
//! - All results keep their bits, but those of a product with a matrix, whose terms may be added in another order, and those of a factor.
//!
//! ```kiln
//! fold_dequantised
//! graph "fold_dequantised" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: f32[2, 2] = dequantize %1 {dtype=f32}
//!     %3: f32[1, 3, 2] = fake_quantize %0 {quant=asymmetric over 1 in [-128, 127] eps 1e-5 scale f32, dtype=f32}
//!     %4: f32[3, 2] = move %3 {movement=(1 b:3 c:2 -> b c)}
//!     %5: f32[3, 2] = linear %4, %2 {}
//!     return %5
//!   }
//! }
//! ---
//! graph "fold_dequantised" {
//!   constant c0 "w" i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = [1, 2, 3, 4]
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3, 2]) {
//!     %1: i8[2, 2] as (per_channel 0 [0.5, 0.25] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %2: f32[3, 2] = move %0 {movement=(1 a:3 b:2 -> a b)}
//!     %3: f32[3, 2] = dequantised %2, %1 {op=linear {}, dtype=f32, activation=asymmetric over 1 in [-128, 127] eps 1e-5 scale f32}
//!     return %3
//!   }
//! }
//! ```

mod scale;
mod weights;

use crate::decompose::{images, is_of_row, over_images};
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{PassContext, Rewritten, Rule, run_pass};
use crate::framework::target::{Placement, Reason, Target};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Dequantised, FakeQuantize, Linear};
use kiln_ir::{Builder, DType, Dim, DynamicQuant, Movement, NodeId, Op, Rewriter, ValueId};
use smallvec::smallvec;
pub(super) use weights::is_cast_weight;
use weights::{matrix_of, quantised, weight_of};

guards! {
    /// A movement in front of a fake quantisation keeps the elements of each block together.
    KEEPS_BLOCKS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "fold_dequantised",
    keeps_bits: false,
    run,
    rules: &[RULE.name, scale::RULE.name],
    guards: &[GUARDS, scale::GUARDS],
};

const RULE: Rule = Rule {
    name: "fold_dequantised",
    rewrite,
};

/// Folds; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE, scale::RULE]);
}

/// True if the target runs the node with integers in place of dequantised reals.
pub(super) fn is_taken(cx: &mut PassContext<'_, '_>, id: NodeId) -> bool {
    let mark = cx.mark();
    let made = cx.emit(id, |emitter| rewrite(emitter, id));
    cx.take_back(mark);
    matches!(made, Ok(Some(_)))
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    match emitter.graph().node(id).op {
        Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) => layer(emitter, id),
        Op::Index(_) => lookup(emitter, id),
        _ => Ok(None),
    }
}

fn layer(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let node = emitter.graph().node(id).clone();
    let found = match &node.op {
        Op::MatMul(_) => layer_of_product(emitter, node.operands[1])?,
        other => weight_of(emitter.graph(), node.operands[1])
            .map(|(weight, dtype)| (other.clone(), weight, dtype)),
    };
    let Some((op, weight, dtype)) = found else {
        return Ok(None);
    };
    let Some(weight) = quantised(emitter, weight) else {
        return Ok(None);
    };
    let mut operands: ValueList = smallvec![node.operands[0], weight];
    operands.extend(node.operands.iter().skip(2).copied());
    let on_reals = Dequantised {
        op: Box::new(op),
        dtype,
        activation: None,
    };
    let Some((x, quant)) = unrounded(emitter, node.operands[0], dtype)? else {
        return folded(emitter, on_reals, &operands);
    };
    let axes = image_axes(&on_reals.op, &emitter.shape(x), quant.axes);
    let on_integers = Dequantised {
        activation: Some(DynamicQuant { axes, ..quant }),
        ..on_reals.clone()
    };
    let mut rounded = operands.clone();
    rounded[0] = x;
    match folded(emitter, on_integers, &rounded) {
        // The rounding stays in front.
        Err(reason) => folded(emitter, on_reals, &operands).map_err(|_| reason),
        made => made,
    }
}

/// The trailing axes of a layer's operand whose elements share parameters. An image of one channel has the parameters of the whole image.
fn image_axes(op: &Op, shape: &[Dim], axes: usize) -> usize {
    let image = shape.len().saturating_sub(1);
    let between = shape.len().saturating_sub(axes);
    let is_image = matches!(op, Op::Conv(_)) && axes < image;
    match is_image && shape[1..between].iter().all(|size| size.is(1)) {
        true => image,
        false => axes,
    }
}

fn lookup(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let node = emitter.graph().node(id).clone();
    let Some((table, dtype)) = weight_of(emitter.graph(), node.operands[0]) else {
        return Ok(None);
    };
    let Some(table) = quantised(emitter, table) else {
        return Ok(None);
    };
    let mut operands = node.operands.clone();
    operands[0] = table;
    let op = Dequantised {
        op: Box::new(node.op),
        dtype,
        activation: None,
    };
    folded(emitter, op, &operands)
}

/// The op, if the target runs it.
fn folded(emitter: &mut Emitter<'_, '_>, op: Dequantised, operands: &[ValueId]) -> Rewritten {
    match emitter.placement(op.clone(), operands)? {
        Placement::Delegate | Placement::Kernel(_) => emitter.unfolded(op, operands).map(Some),
        Placement::None(reason) => match on_images(emitter, op, operands)? {
            None => Err(reason),
            made => Ok(made),
        },
    }
}

const TURNED: &str = "integers of a matrix have scales that stay with them in a transposed matrix";

/// A convolution over rows as one over images, if a delegate takes only that; `None` if it takes neither.
fn on_images(emitter: &mut Emitter<'_, '_>, op: Dequantised, operands: &[ValueId]) -> Rewritten {
    if !is_of_row(&op.op) {
        return Ok(None);
    }
    let op = over_images(op)?;
    let operands = images(emitter, operands)?;
    if !matches!(
        emitter.placement(op.clone(), &operands)?,
        Placement::Delegate
    ) {
        return Ok(None);
    }
    let made = emitter.unfolded(op, &operands)?;
    emitter.squeeze(made, &[2]).map(Some)
}

/// The layer that a product with this matrix becomes: the op, its weight of integers, and the dtype of the reals.
fn layer_of_product(
    emitter: &mut Emitter<'_, '_>,
    matrix: ValueId,
) -> Result<Option<(Op, ValueId, DType)>, Reason> {
    let Some((integers, dtype, movement)) = matrix_of(emitter.graph(), matrix) else {
        return Ok(None);
    };
    let weight = match movement.is_identity() {
        true => integers,
        false => {
            let turned = emitter.unfolded(kiln_ir::ops::Move { movement }, &[integers]);
            turned.map_err(|_| Reason::new(TURNED, "scales of groups"))?
        }
    };
    Ok(Some((Linear {}.into(), weight, dtype)))
}

/// The operand of a fake quantisation to this dtype behind a value, with the movement between them, and the parameters there.
fn unrounded(
    emitter: &mut Emitter<'_, '_>,
    value: ValueId,
    dtype: DType,
) -> Result<Option<(ValueId, DynamicQuant)>, Reason> {
    let graph = emitter.graph();
    let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
        return Ok(None);
    };
    match &node.op {
        Op::FakeQuantize(FakeQuantize { quant, dtype: own }) if *own == dtype => {
            Ok(Some((node.operands[0], *quant)))
        }
        Op::Move(op) => {
            let (movement, from) = (op.movement.clone(), node.operands[0]);
            let Some((x, quant)) = unrounded(emitter, from, dtype)? else {
                return Ok(None);
            };
            let Some(axes) = moved_axes(&movement, quant.axes) else {
                return Ok(None);
            };
            let x = emitter.movement(x, movement)?;
            Ok(Some((x, DynamicQuant { axes, ..quant })))
        }
        _ => Ok(None),
    }
}

/// The trailing axes of a moved tensor whose elements share parameters, where the last `axes` axes did before. `None` if the elements of
/// a block part.
fn moved_axes(movement: &Movement, axes: usize) -> Option<usize> {
    let (from, to) = (movement.source_shape().len(), movement.result_shape().len());
    if axes == from {
        return (to > 0).then_some(to);
    }
    let is_kept = axes == 1 && to > 0 && movement.is_axis_kept(from - 1) == Some(to - 1);
    KEEPS_BLOCKS.holds(is_kept).then_some(axes)
}
