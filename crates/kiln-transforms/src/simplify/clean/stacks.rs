//! Replaces a stack of values along a new axis by a concatenation along the next axis and one view that splits it.
//!
//! The stack had one view for each value. A slice of one place of the new axis becomes the value that was stacked
//! there. Conversely, a slice of one place along an axis of a matrix product becomes a slice of that axis merged with
//! the next one. The next axis must have a known size: a slice whose start or size is known only at run time costs more
//! than a view.
//!
//! ```kiln
//! clean
//! graph "stacks" {
//!   constant c0 "w" f32[6, 4] = splat 0.5
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   input tensor "z" [0, 1, 2]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 3], %2 "z": f32[2, 5, 4]) {
//!     %3: f32[2, 1, 3] = move %0 {movement=(a:2 b:3 -> a 1 b)}
//!     %4: f32[2, 1, 3] = move %1 {movement=(a:2 b:3 -> a 1 b)}
//!     %5: f32[2, 2, 3] = concat %3, %4 {axis=1}
//!     %6: f32[6, 4] = constant {value=c0}
//!     %7: f32[2, 5, 6] = linear %2, %6 {}
//!     %8: f32[2, 1, 6] = slice %7 {axis=1, start=3, len=1, step=1}
//!     %9: f32[2, 6] = move %8 {movement=(a:2 1 b:6 -> a b)}
//!     %10: f32[2, 1, 3] = slice %5 {axis=1, start=1, len=1, step=1}
//!     return %5, %9, %10
//!   }
//! }
//! ---
//! graph "stacks" {
//!   constant c0 "w" f32[6, 4] = splat 0.5
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   input tensor "z" [0, 1, 2]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 3], %2 "z": f32[2, 5, 4]) {
//!     %3: f32[2, 6] = concat %0, %1 {axis=1}
//!     %4: f32[2, 2, 3] = move %3 {movement=(a:2 (b:2 c:3) -> a b c)}
//!     %5: f32[6, 4] = constant {value=c0}
//!     %6: f32[2, 5, 6] = linear %2, %5 {}
//!     %7: f32[2, 30] = move %6 {movement=(a:2 b:5 c:6 -> a (b c))}
//!     %8: f32[2, 6] = slice %7 {axis=1, start=18, len=6, step=1}
//!     %9: f32[2, 1, 3] = move %1 {movement=(a:2 b:3 -> a 1 b)}
//!     return %4, %8, %9
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule, is_read_once};
use crate::guards;
use kiln_ir::types::Shape;
use kiln_ir::{Builder, Dim, Graph, Movement, NodeId, Op, ValueId};

guards! {
    /// All values got the new axis at one place.
    NEW_AXIS;
    /// The joined axis was split, and nothing else moved.
    SPLIT;
    /// All parts have the size into which the axis was split.
    EQUAL_PARTS;
    /// The movement drops the sliced axis and does nothing else.
    SQUEEZED;
}

/// The rule for stacks.
pub const STACK: Rule = Rule {
    name: "stack_is_concat",
    rewrite: stack,
};

/// The rule for a slice of one place of a stack.
pub const UNSTACK: Rule = Rule {
    name: "place_of_stack",
    rewrite: unstack,
};

/// The rule for a slice of one place of a matrix product.
pub const PICK: Rule = Rule {
    name: "pick_is_slice",
    rewrite: pick,
};

fn stack(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Concat(op) = &node.op else {
        return Ok(None);
    };
    let (axis, rank) = (op.axis, graph.ty(node.result()).rank());
    if axis + 1 == rank || node.operands.len() < 2 {
        return Ok(None);
    }
    let under = |&v: &ValueId| unsqueezed(graph, v, axis);
    let Some(values) = node.operands.iter().map(under).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let shape = graph.ty(node.result()).shape.clone();
    if shape[axis + 1].as_const().is_none() {
        return Ok(None);
    }
    let joined = emitter.concat(&values, axis)?;
    emitter.reshape(joined, shape).map(Some)
}

/// The operand of a movement that inserts an axis of size 1 at `axis`.
fn unsqueezed(graph: &Graph, value: ValueId, axis: usize) -> Option<ValueId> {
    let node = graph.node(graph.producer(value)?);
    let Op::Move(op) = &node.op else {
        return None;
    };
    let x = node.operands[0];
    let inserted = Movement::unsqueeze(&graph.ty(x).shape, &[axis]).ok()?;
    NEW_AXIS.holds(inserted == op.movement).then_some(x)
}

/// Replaces a slice of one place by the value that was stacked there.
fn unstack(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Slice(op) = &node.op else {
        return Ok(None);
    };
    let one = op.len.is(1).then(|| op.start.as_const()).flatten();
    let (Some(place), axis) = (one, op.axis) else {
        return Ok(None);
    };
    let Some(value) = stacked(graph, node.operands[0], axis, place) else {
        return Ok(None);
    };
    emitter.unsqueeze(value, &[axis]).map(Some)
}

/// The value that was stacked at `place`: `axis` and the next axis result from splitting the axis of a concatenation.
fn stacked(graph: &Graph, value: ValueId, axis: usize, place: i64) -> Option<ValueId> {
    let split = graph.node(graph.producer(value)?);
    let (Op::Move(op), joined) = (&split.op, *split.operands.first()?) else {
        return None;
    };
    let concat = graph.node(graph.producer(joined)?);
    let (to, from) = (&graph.ty(value).shape, &graph.ty(joined).shape);
    let is_concat = matches!(&concat.op, Op::Concat(op) if op.axis == axis);
    let is_split = SPLIT.holds(op.movement.is_view())
        && to.rank() == from.rank() + 1
        && axis < from.rank()
        && to[..axis] == from[..axis]
        && to[axis + 2..] == from[axis + 1..];
    let each = |&v: &ValueId| graph.ty(v).shape[axis] == to[axis + 1];
    if !is_concat || !is_split || !EQUAL_PARTS.holds(concat.operands.iter().all(each)) {
        return None;
    }
    concat.operands.get(usize::try_from(place).ok()?).copied()
}

fn pick(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Move(op) = &node.op else {
        return Ok(None);
    };
    let Some((axis, start, x)) = picked(graph, node.operands[0], &op.movement) else {
        return Ok(None);
    };
    let mut shape = graph.ty(x).shape.to_vec();
    let each = shape.remove(axis + 1);
    shape[axis] = &shape[axis] * &each;
    let joined = emitter.reshape(x, Shape::from(shape))?;
    emitter
        .slice(joined, axis, &start * &each, each, 1)
        .map(Some)
}

/// The axis, start and source of a slice of one place of a matrix product, if `movement` removes the axis.
fn picked(graph: &Graph, slice: ValueId, movement: &Movement) -> Option<(usize, Dim, ValueId)> {
    let node = graph.node(
        graph
            .producer(slice)
            .filter(|_| is_read_once(graph, slice))?,
    );
    let Op::Slice(op) = &node.op else {
        return None;
    };
    let x = node.operands[0];
    let is_product = matches!(graph.producer_op(x)?, Op::Linear(_) | Op::MatMul(_));
    let dropped = Movement::squeeze(&graph.ty(slice).shape, &[op.axis]).ok()?;
    let next = graph.ty(x).shape.get(op.axis + 1)?.as_const();
    let fits = op.len.is(1) && next.is_some() && SQUEEZED.holds(&dropped == movement);
    (is_product && fits).then(|| (op.axis, op.start.clone(), x))
}
