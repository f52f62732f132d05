//! Moves a concatenation behind a pool that makes it smaller, so that fewer bytes are copied.
//!
//! A pool works on each channel by itself, so a pool of concatenated channels equals the concatenation of pools. The
//! pass does this if the concatenation has no other reader, the pool's result is smaller, and the target runs the pools
//! at least as well as the single one.
//!
//! ```kiln
//! sink_concats
//! graph "sink_concats" {
//!   input tensor "x" [0, 1, 2, 3]
//!   input tensor "y" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4], %1 "y": f32[1, 3, 4, 4]) {
//!     %2: f32[1, 5, 4, 4] = concat %0, %1 {axis=1}
//!     %3: f32[1, 5, 2, 2] = pool %2 {f=max, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %3
//!   }
//! }
//! ---
//! graph "sink_concats" {
//!   input tensor "x" [0, 1, 2, 3]
//!   input tensor "y" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4], %1 "y": f32[1, 3, 4, 4]) {
//!     %2: f32[1, 2, 2, 2] = pool %0 {f=max, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %3: f32[1, 3, 2, 2] = pool %1 {f=max, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     %4: f32[1, 5, 2, 2] = concat %2, %3 {axis=1}
//!     return %4
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};

guards! {
    /// Windows do not extend along the axis of the concatenation.
    BESIDE_WINDOWS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "sink_concats",
    keeps_bits: true,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "pool_of_concat",
    rewrite,
}];

/// Moves concatenations; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// The operands and the axis of a concatenation that a pool with one result reads, if the pool's windows do not extend
/// along the axis.
fn joined(graph: &Graph, node: NodeId) -> Option<(ValueList, usize)> {
    let found = graph.node(node);
    if !matches!(found.op, Op::Pool(_) | Op::AdaptivePool(_)) {
        return None;
    }
    let [result] = found.results[..] else {
        return None;
    };
    let value = found.operands[0];
    let concat = graph.node(
        graph
            .producer(value)
            .filter(|_| is_read_once(graph, value))?,
    );
    match &concat.op {
        Op::Concat(op) if BESIDE_WINDOWS.holds(op.axis < 2) && shrinks(graph, value, result) => {
            Some((concat.operands.clone(), op.axis))
        }
        _ => None,
    }
}

fn shrinks(graph: &Graph, from: ValueId, to: ValueId) -> bool {
    let elements = |v: ValueId| graph.ty(v).shape.max_elements(&graph.symbols);
    matches!((elements(from), elements(to)), (Some(from), Some(to)) if to < from)
}

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let Some((parts, axis)) = joined(emitter.graph(), node) else {
        return Ok(None);
    };
    let op = emitter.graph().node(node).op.clone();
    for &part in &parts {
        if !emitter.is_no_worse(node, op.clone(), &[part]) {
            return Err(Reason::new(
                "the target runs a pool of each part at least as well as one of all parts",
                "that it runs a part worse",
            ));
        }
    }
    let pooled: Result<Vec<ValueId>, Reason> = parts
        .iter()
        .map(|&part| emitter.value(op.clone(), &[part]))
        .collect();
    emitter.concat(&pooled?, axis).map(Some)
}
