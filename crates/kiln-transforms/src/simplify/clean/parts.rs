//! Replaces a slice of a concatenation by a slice of the parts that it reaches.
//!
//! If the slice reaches one part, it becomes a slice of that part, or the part itself. If it reaches several and
//! nothing else reads the concatenation, it becomes a slice of a shorter concatenation. Parts that are not reached may
//! then be dead.
//!
//! A target may let a producer write its result at its place in a concatenation ([`Target::bytes_per_join`]). Then a
//! slice of a concatenation that has other readers stays: a part with a second reader would be copied.
//!
//! [`Target::bytes_per_join`]: crate::framework::target::Target::bytes_per_join
//!
//! ```kiln
//! clean
//! graph "parts" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   input tensor "z" [0, 1]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 4], %2 "z": f32[2, 5]) {
//!     %3: f32[2, 4] = unary %1 {f=exp}
//!     %4: f32[2, 12] = concat %0, %3, %2 {axis=1}
//!     %5: f32[2, 3] = slice %4 {axis=1, start=0, len=3, step=1}
//!     %6: f32[2, 2] = slice %4 {axis=1, start=8, len=2, step=2}
//!     %7: f32[2, 7] = concat %0, %1 {axis=1}
//!     %8: f32[2, 12] = concat %7, %2 {axis=1}
//!     %9: f32[2, 6] = slice %8 {axis=1, start=1, len=6, step=1}
//!     return %5, %6, %9
//!   }
//! }
//! ---
//! graph "parts" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   input tensor "z" [0, 1]
//!   output tensor
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 4], %2 "z": f32[2, 5]) {
//!     %3: f32[2, 2] = slice %2 {axis=1, start=1, len=2, step=2}
//!     %4: f32[2, 7] = concat %0, %1 {axis=1}
//!     %5: f32[2, 6] = slice %4 {axis=1, start=1, len=6, step=1}
//!     return %0, %3, %5
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::rewriting::{Rewritten, Rule, is_read_once};
use crate::framework::target::Reason;
use crate::joins::in_place_joins::is_written_in_place;
use kiln_ir::graph::Use;
use kiln_ir::{Builder, Graph, NodeId, Op, ValueId};

/// The rule.
pub const RULE: Rule = Rule {
    name: "slice_of_parts",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((parts, start)) = reached(graph, id) else {
        return Ok(None);
    };
    let node = graph.node(id);
    let Op::Slice(op) = node.op.clone() else {
        return Ok(None);
    };
    if parts.len() > 1 && !is_read_once(graph, node.operands[0]) {
        return Ok(None);
    }
    if emitter.bytes_per_join().is_some()
        && parts.iter().any(|&p| is_written_in_place(graph, p))
        && stays(graph, node.operands[0])
    {
        return Err(Reason::new(
            "no part of a concatenation that stays gets a second reader",
            "a part that its producer writes in place",
        ));
    }
    let x = emitter.concat(&parts, op.axis)?;
    emitter.slice(x, op.axis, start, op.len, op.step).map(Some)
}

/// True if the concatenation remains because it has readers other than slices of one part.
fn stays(graph: &Graph, join: ValueId) -> bool {
    let is_of_one = |node| reached(graph, node).is_some_and(|(parts, _)| parts.len() == 1);
    let uses = graph.value(join).uses().iter();
    uses.copied()
        .any(|used| !matches!(used, Use::Operand(node, _) if is_of_one(node)))
        && !is_read_once(graph, join)
}

/// The parts that a slice of a concatenation reaches, and the slice's start within them. `None` if it reaches all
/// parts, or if a size is unknown.
fn reached(graph: &Graph, id: NodeId) -> Option<(Vec<ValueId>, i64)> {
    let node = graph.node(id);
    let Op::Slice(slice) = &node.op else {
        return None;
    };
    let join = graph.node(graph.producer(node.operands[0])?);
    let Op::Concat(concat) = &join.op else {
        return None;
    };
    let (start, len) = (slice.start.as_const()?, slice.len.as_const()?);
    if concat.axis != slice.axis || len < 1 {
        return None;
    }
    let end = len
        .checked_sub(1)?
        .checked_mul(slice.step)?
        .checked_add(start)?;
    let (mut parts, mut first, mut offset) = (Vec::new(), 0, 0i64);
    for &part in &join.operands {
        let next = offset.checked_add(graph.ty(part).shape[slice.axis].as_const()?)?;
        if next > start {
            if parts.is_empty() {
                first = offset;
            }
            parts.push(part);
        }
        offset = next;
        if offset > end {
            break;
        }
    }
    (offset > end && parts.len() < join.operands.len()).then(|| (parts, start - first))
}
