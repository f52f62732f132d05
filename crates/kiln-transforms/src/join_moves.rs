//! Equal moves in front of all operands of an elementwise op become one behind it.
//!
//! Each is read by this op alone, so fewer bytes move. A view is free in front of the op, and behind it only where nobody
//! outside of the delegate is given the result: there it is a copy, so views stay.
//!
//! ```kiln
//! join_moves
//! graph "join_moves" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 3]) {
//!     %2: f32[3, 2] = move %0 {movement=(a:2 b:3 -> b a)}
//!     %3: f32[3, 2] = move %1 {movement=(a:2 b:3 -> b a)}
//!     %4: f32[3, 2] = binary %2, %3 {f=add}
//!     return %4
//!   }
//! }
//! ---
//! graph "join_moves" {
//!   input tensor "x" [0, 1]
//!   input tensor "y" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3], %1 "y": f32[2, 3]) {
//!     %2: f32[2, 3] = binary %0, %1 {f=add}
//!     %3: f32[3, 2] = move %2 {movement=(a:2 b:3 -> b a)}
//!     return %3
//!   }
//! }
//! ```

use crate::constants::MAX_MOVEMENTS;
use crate::emitter::Emitter;
use crate::pass::{Pass, Report};
use crate::rewriting::{Rewritten, Rule, is_read_once, run_pass};
use crate::target::{Placement, Target};
use kiln_ir::graph::{Graph, Use, ValueList};
use kiln_ir::ops::Move;
use kiln_ir::{Movement, NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "join_moves",
    keeps_bits: true,
    run,
};

const RULE: Rule = Rule {
    name: "join_moves",
    rewrite,
};

/// Joins; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn as_move(graph: &Graph, value: ValueId) -> Option<(&Movement, ValueId)> {
    let node = graph.node(graph.producer(value)?);
    match &node.op {
        Op::Move(op) => Some((&op.movement, node.operands[0])),
        _ => None,
    }
}

/// True if delegates alone read the value, be it moved.
fn stays_inside(emitter: &Emitter<'_, '_>, value: ValueId, depth: usize) -> bool {
    let graph = emitter.graph();
    let mut uses = graph.value(value).uses().iter();
    uses.all(|u| match *u {
        Use::Operand(reader, _) if matches!(graph.node(reader).op, Op::Move(_)) => {
            depth > 0 && stays_inside(emitter, graph.node(reader).result(), depth - 1)
        }
        Use::Operand(reader, _) => matches!(emitter.placement_of(reader), Placement::Delegate),
        Use::BlockResult(..) | Use::Update(_) => false,
    })
}

/// The same move in front of every operand of a binary op, each for this op alone.
fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let found = graph.node(node);
    if !matches!(found.op, Op::Binary(_) | Op::Compare(_) | Op::Select(_)) {
        return Ok(None);
    }
    let mut movement: Option<&Movement> = None;
    let mut sources = ValueList::new();
    for &operand in &found.operands {
        let Some((own, source)) = as_move(graph, operand).filter(|_| is_read_once(graph, operand))
        else {
            return Ok(None);
        };
        let is_equal = movement.is_none_or(|m| m == own && m.source_shape() == own.source_shape());
        if !is_equal {
            return Ok(None);
        }
        movement = Some(own);
        sources.push(source);
    }
    let shapes_agree = sources
        .windows(2)
        .all(|w| graph.ty(w[0]).shape == graph.ty(w[1]).shape);
    let (Some(movement), true) = (movement.cloned(), shapes_agree) else {
        return Ok(None);
    };
    if movement.is_view() && !stays_inside(emitter, found.result(), MAX_MOVEMENTS) {
        return Ok(None);
    }
    let op = found.op.clone();
    let value = emitter.node(op, &sources)?;
    emitter.unfolded(Move { movement }, &[value]).map(Some)
}
