//! Simplification of the whole graph: removes computation that is not needed.
//!
//! Nodes are visited in program order, so the operands of a node are already simple. Exact rules simplify the node;
//! then it is merged with an earlier node that computes the same. Dead nodes are removed at the end. Every result keeps
//! its bits, including NaN and `-0.0`.
//!
//! ```kiln
//! clean
//! graph "clean" {
//!   constant c0 "one" f32[1] = [1.0]
//!   constant c1 "two" f32[1] = [2.0]
//!   constant c2 "deux" f32[1] = [2.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[1] = constant {value=c1}
//!     %3: f32[1] = constant {value=c2}
//!     %4: f32[3] = binary %0, %1 {f=mul}
//!     %5: f32[3] = binary %4, %2 {f=add}
//!     %6: f32[3] = binary %0, %3 {f=add}
//!     %7: f32[3] = unary %6 {f=exp}
//!     %8: f32[3] = binary %5, %6 {f=mul}
//!     return %8
//!   }
//! }
//! ---
//! graph "clean" {
//!   constant c0 "two" f32[1] = [2.0]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[3]) {
//!     %1: f32[1] = constant {value=c0}
//!     %2: f32[3] = binary %0, %1 {f=add}
//!     %3: f32[3] = binary %2, %2 {f=mul}
//!     return %3
//!   }
//! }
//! ```

mod algebra;
mod broadcasts;
mod casts;
mod clamps;
mod dead;
mod duplicates;
mod empty;
mod fold;
mod moves;
mod narrow;
mod nothing;
mod parts;
mod rows;
mod selects;
mod slices;
mod stacks;
mod through;
mod unread;

use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{PassContext, Rule, blocks_in_use, names, settle};
use crate::framework::target::Target;
use duplicates::{Contents, Known};
use kiln_ir::{BlockId, NodeId, Rewriter};

/// The pass.
pub const PASS: Pass = Pass {
    name: "clean",
    keeps_bits: true,
    run,
    rules: &names::<{ RULES.len() + OTHERS.len() }>(RULES, OTHERS),
    guards: &[
        algebra::GUARDS,
        broadcasts::GUARDS,
        casts::GUARDS,
        clamps::GUARDS,
        duplicates::GUARDS,
        empty::GUARDS,
        moves::GUARDS,
        narrow::GUARDS,
        nothing::GUARDS,
        selects::GUARDS,
        stacks::GUARDS,
    ],
};

const RULES: &[Rule] = &[
    empty::RULE,
    nothing::RULE,
    moves::RULE,
    slices::RULE,
    parts::RULE,
    stacks::STACK,
    stacks::UNSTACK,
    stacks::PICK,
    casts::RULE,
    narrow::RULE,
    clamps::FIT,
    clamps::RULE,
    selects::RULE,
    algebra::RULE,
    broadcasts::RULE,
    rows::RULE,
    fold::RULE,
];

/// The names of rewrites that are no rules for single nodes.
const OTHERS: &[&str] = &[dead::NAME, unread::NAME, duplicates::NAME, through::NAME];

/// Simplifies every block.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    // `None` only means that the rewriter's limit is reached.
    let _ = steps(&mut cx);
    cx.rewriter.remove_unused_constants();
}

fn steps(cx: &mut PassContext<'_, '_>) -> Option<()> {
    dead::sweep(cx)?;
    unread::narrow(cx)?;
    simplify_all(cx)?;
    if through::fold(cx)? {
        simplify_all(cx)?;
    }
    dead::sweep(cx)
}

fn simplify_all(cx: &mut PassContext<'_, '_>) -> Option<()> {
    let mut contents = Contents::default();
    for block in blocks_in_use(cx.graph()) {
        simplify(cx, &mut contents, block)?;
    }
    Some(())
}

/// Simplifies one block. The block may have been erased together with a node of an outer block.
fn simplify(cx: &mut PassContext<'_, '_>, contents: &mut Contents, block: BlockId) -> Option<()> {
    if cx.graph().try_block(block).is_none() {
        return Some(());
    }
    let nodes: Vec<NodeId> = cx.graph().nodes_in(block).map(|(id, _)| id).collect();
    let (mut known, mut go_on) = (Known::default(), Some(()));
    for node in nodes {
        settle(cx, RULES, node, &mut |cx, node| {
            if go_on.is_some() {
                go_on = known.meet(cx, contents, node);
            }
        })?;
        go_on?;
    }
    Some(())
}
