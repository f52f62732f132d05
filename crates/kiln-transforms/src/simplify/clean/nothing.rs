//! Removes ops that change nothing.
//!
//! These are identity movements, casts to the same dtype, broadcasts to the same shape, slices of a whole axis,
//! paddings by nothing, concatenations of one value, exact reductions and scans along axes of size 1, and similar.
//!
//! ```kiln
//! clean
//! graph "nothing" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 1]) {
//!     %1: f32[s0, 1] = cast %0 {to=f32}
//!     %2: f32[s0, 1] = broadcast %1 {shape=[s0, 1]}
//!     %3: f32[s0, 1] = slice %2 {axis=0, start=0, len=s0, step=1}
//!     %4: f32[s0, 1] = pad %3 {low=[0, 0], high=[0, 0], mode=constant 1.0}
//!     %5: f32[s0, 1] = concat %4 {axis=1}
//!     %6: f32[s0, 1] = reduce %5 {f=max, axes=[1]}
//!     %7: f32[s0, 1] = reverse %6 {axes=[1]}
//!     return %7
//!   }
//! }
//! ---
//! graph "nothing" {
//!   symbol s0 in 1..=9
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[s0, 1]) {
//!     return %0
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule};
use crate::guards;
use kiln_ir::graph::{Graph, Node};
use kiln_ir::ops::{Concat, PoolFn, Reduce, ReduceFn, ResizeMode, Reverse, ScanFn, UnaryFn};
use kiln_ir::{Builder, NodeId, Op, ValueId};

guards! {
    /// Backwards, one element is as it was; several are not.
    UNIT_AXES;
    /// A float sum of one element turns `-0.0` into `0.0`.
    KEEPS_BITS;
    /// Of one element along the axis all scans are that element.
    SCAN_OF_ONE;
    /// A maximum of one element is the element; an average may divide by another number.
    MAXIMUM;
    /// A movement keeps all elements at their places.
    IDENTITY;
    /// Each element has a window of its own.
    WINDOW_OF_ONE;
    /// An average of one element turns `-0.0` into `0.0`.
    ADAPTIVE_MAXIMUM;
    /// A blend multiplies neighbours by zero, and infinity times zero is NaN.
    NEAREST;
}

/// The rule.
pub const RULE: Rule = Rule {
    name: "remove_nothing",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    if let Some(same) = unchanged(graph, node) {
        return Ok((graph.ty(same) == graph.ty(node.result())).then_some(same));
    }
    let (op, operands) = (node.op.clone(), node.operands.clone());
    match op {
        Op::Concat(op) => without_empty(emitter, &op, &operands),
        Op::Reduce(op) => without_unit_axes(emitter, &op, operands[0]),
        Op::Reverse(op) => {
            let shape = emitter.shape(operands[0]);
            let axes: Vec<usize> = op
                .axes
                .iter()
                .copied()
                .filter(|&a| !shape[a].is(1))
                .collect();
            if axes.len() == op.axes.len() {
                return Ok(None);
            }
            emitter.value(Reverse { axes }, &operands).map(Some)
        }
        _ => Ok(None),
    }
}

/// The operand that equals the result, provided that their types agree.
fn unchanged(graph: &Graph, node: &Node) -> Option<ValueId> {
    let x = *node.operands.first()?;
    let ty = graph.ty(x);
    let is_unchanged = match &node.op {
        Op::Move(op) => IDENTITY.holds(op.movement.is_identity()),
        Op::Cast(_) | Op::Broadcast(_) => true,
        Op::Slice(op) => op.start.is(0) && (op.step == 1 || op.len.is(1)),
        Op::Pad(op) => op.low.iter().chain(&op.high).all(|d| d.is(0)),
        Op::Concat(_) => node.operands.len() == 1,
        Op::Reverse(op) => UNIT_AXES.holds(op.axes.iter().all(|&a| ty.shape[a].is(1))),
        Op::Reduce(op) => {
            op.axes.is_empty()
                || op.axes.iter().all(|&a| ty.shape[a].is(1))
                    && KEEPS_BITS.holds(keeps_bits(op.f, ty.dtype.is_float()))
        }
        Op::Scan(op) => {
            let keeps_bits = op.f != ScanFn::Sum || !ty.dtype.is_float();
            SCAN_OF_ONE.holds(ty.shape[op.axis].is(1)) && keeps_bits
        }
        Op::Unary(op) => {
            op.f == UnaryFn::Clamp {
                min: None,
                max: None,
            }
        }
        Op::Pool(op) => {
            let is_one = |l: &[i64]| l.iter().all(|&v| v == 1);
            let is_none = |l: &[i64]| l.iter().all(|&v| v == 0);
            let is_unit = is_one(&op.kernel)
                && is_one(&op.stride)
                && is_none(&op.pad_low)
                && is_none(&op.pad_high);
            MAXIMUM.holds(op.f == PoolFn::Max) && WINDOW_OF_ONE.holds(is_unit)
        }
        Op::AdaptivePool(op) => {
            ADAPTIVE_MAXIMUM.holds(op.f == PoolFn::Max) && op.output[..] == ty.shape[2..]
        }
        Op::Resize(op) => {
            NEAREST.holds(op.mode == ResizeMode::Nearest)
                && op.scales.iter().all(Option::is_none)
                && op.output[..] == ty.shape[2..]
        }
        Op::SliceUpdate(op) => {
            let source = node.operands[1];
            let is_whole = op.start.is(0) && op.step == 1 && graph.ty(source) == ty;
            return is_whole.then_some(source);
        }
        _ => false,
    };
    is_unchanged.then_some(x)
}

/// True if reducing one element keeps its bits. A float sum does not, as it turns `-0.0` into `0.0`.
fn keeps_bits(f: ReduceFn, is_float: bool) -> bool {
    match f {
        ReduceFn::Max | ReduceFn::Min | ReduceFn::Any | ReduceFn::All => true,
        ReduceFn::Prod => true,
        ReduceFn::Sum | ReduceFn::Mean => !is_float,
    }
}

fn without_empty(emitter: &mut Emitter<'_, '_>, op: &Concat, operands: &[ValueId]) -> Rewritten {
    let is_empty = |v: &ValueId| emitter.ty(*v).shape[op.axis].is(0);
    let mut kept: Vec<ValueId> = operands.iter().copied().filter(|v| !is_empty(v)).collect();
    if kept.len() == operands.len() {
        return Ok(None);
    }
    if kept.is_empty() {
        kept.push(operands[0]);
    }
    if kept.len() == operands.len() {
        return Ok(None);
    }
    emitter.concat(&kept, op.axis).map(Some)
}

fn without_unit_axes(emitter: &mut Emitter<'_, '_>, op: &Reduce, x: ValueId) -> Rewritten {
    let shape = emitter.shape(x);
    let axes: Vec<usize> = op
        .axes
        .iter()
        .copied()
        .filter(|&a| !shape[a].is(1))
        .collect();
    if axes.is_empty() || axes.len() == op.axes.len() {
        return Ok(None);
    }
    emitter.reduce(op.f, x, axes, true).map(Some)
}
