//! Splits a movement next to an input or output of the program into a view at the border and the rest inside.
//!
//! At the border of a program a view costs nothing. Inside a delegate the same view of the caller's memory would be a
//! copy. This pass must be the last, since `clean` merges movements.
//!
//! ```kiln
//! outer_views
//! graph "outer_views" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 5, 6]) {
//!     %1: f32[4, 5, 6] = unary %0 {f=exp}
//!     %2: f32[5, 24] = move %1 {movement=(a:4 b:5 c:6 -> b (a c))}
//!     return %2
//!   }
//! }
//! ---
//! graph "outer_views" {
//!   input tensor "x" [0, 1, 2]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 5, 6]) {
//!     %1: f32[4, 5, 6] = unary %0 {f=exp}
//!     %2: f32[5, 4, 6] = move %1 {movement=(a:4 b:5 c:6 -> b a c)}
//!     %3: f32[5, 24] = move %2 {movement=(a:5 b:4 c:6 -> a (b c))}
//!     return %3
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, names, run_pass};
use crate::framework::target::Target;
use kiln_ir::graph::{Def, Use};
use kiln_ir::ops::Move;
use kiln_ir::{Builder, Graph, Movement, NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "outer_views",
    run,
    keeps_bits: true,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[],
};

const RULES: &[Rule] = &[
    Rule {
        name: "merge_outside",
        rewrite: merge_outside,
    },
    Rule {
        name: "split_outside",
        rewrite: split_outside,
    },
];

/// Splits movements; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// A movement of known sizes that is no view, and its operand.
fn copying(graph: &Graph, node: NodeId) -> Option<(Movement, ValueId)> {
    let node = graph.node(node);
    let Op::Move(op) = &node.op else { return None };
    let is_known = op.movement.sizes().iter().all(|s| s.as_const().is_some());
    let movement = (is_known && !op.movement.is_view()).then(|| op.movement.clone())?;
    Some((movement, node.operands[0]))
}

fn merge_outside(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((movement, x)) = copying(graph, node) else {
        return Ok(None);
    };
    let leaves = |u: &Use| matches!(u, Use::BlockResult(..) | Use::Update(_));
    let result = graph.node(node).result();
    if !graph.value(result).uses().iter().all(leaves) || graph.producer(x).is_none() {
        return Ok(None);
    }
    let Some(merge) =
        split_of(&movement.inverse(), emitter.max_rank()).map(|split| split.inverse())
    else {
        return Ok(None);
    };
    let Some(inside) = movement.compose(&merge.inverse()).one() else {
        return Ok(None);
    };
    let moved = emitter.unfolded(Move { movement: inside }, &[x])?;
    emitter
        .unfolded(Move { movement: merge }, &[moved])
        .map(Some)
}

fn split_outside(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some((movement, x)) = copying(graph, node) else {
        return Ok(None);
    };
    if !matches!(graph.value(x).def, Def::Param(..)) {
        return Ok(None);
    }
    let Some(split) = split_of(&movement, emitter.max_rank()) else {
        return Ok(None);
    };
    let Some(inside) = split.inverse().compose(&movement).one() else {
        return Ok(None);
    };
    let seen = emitter.unfolded(Move { movement: split }, &[x])?;
    emitter
        .unfolded(Move { movement: inside }, &[seen])
        .map(Some)
}

/// The view that splits source axes as the movement does. `None` if the movement splits none, or if the view's rank
/// exceeds `max_rank`.
fn split_of(movement: &Movement, max_rank: usize) -> Option<Movement> {
    let parts = movement.source_parts();
    let axes: usize = parts.iter().map(|sizes| sizes.len().max(1)).sum();
    if axes > max_rank || parts.iter().all(|sizes| sizes.len() < 2) {
        return None;
    }
    Movement::split_each(&movement.source_shape(), &parts).ok()
}
