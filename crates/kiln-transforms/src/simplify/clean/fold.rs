//! Folds nodes over constants; [`crate::framework::folding`] states the limits.
//!
//! A transposed weight stays for [`crate::simplify::linear_forms`], if its readers can take the constant without the
//! transpose. Overlapping slices of one constant stay if together they would take more bytes than the constant and the
//! limit: each slice is smaller than the constant, but all of them may be many times as large.
//!
//! ```kiln
//! clean
//! graph "fold" {
//!   constant c0 "a" f32[2] = [1.0, -2.0]
//!   constant c1 "b" f32[2] = [0.5, 4.0]
//!   output tensor
//!   block b0 () {
//!     %0: f32[2] = constant {value=c0}
//!     %1: f32[2] = constant {value=c1}
//!     %2: f32[2] = binary %0, %1 {f=add}
//!     %3: f32[2] = unary %2 {f=neg}
//!     return %3
//!   }
//! }
//! ---
//! graph "fold" {
//!   constant c0 "a+b" f32[2] = [-1.5, -2.0]
//!   output tensor
//!   block b0 () {
//!     %0: f32[2] = constant {value=c0}
//!     return %0
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::folding;
use crate::framework::rewriting::{Rewritten, Rule, nodes_in_use};
use crate::framework::target::{Placement, Reason};
use crate::simplify::{affine_index, linear_forms};
use kiln_ir::graph::Use;
use kiln_ir::{Builder, Graph, NodeId, Op};

/// The rule.
pub const RULE: Rule = Rule {
    name: "fold_constants",
    rewrite,
};

/// Overlapping slices of one constant that a delegate makes are folded up to this many bytes. Larger ones are made when the program runs, which
/// takes little time beside what reads them.
pub(super) const SLICED_BYTES: u64 = 16 << 10;

/// The most readers of one constant that are examined.
const MAX_READERS: usize = 256;

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    if linear_forms::takes_transposed(emitter, node) {
        return Ok(None);
    }
    if is_of_many_slices(emitter, node) {
        return Ok(None);
    }
    let graph = emitter.graph();
    let (op, operands) = (
        graph.node(node).op.clone(),
        graph.node(node).operands.clone(),
    );
    let free_bytes = free_bytes(emitter, node);
    match folding::fold(emitter.graph(), &op, &operands, free_bytes) {
        Ok(None) => Ok(None),
        Ok(Some(constants)) => Ok(constants
            .into_iter()
            .next()
            .map(|c| emitter.known_constant(c))),
        Err(cause) => Err(Reason::new(
            "the node over constants can be evaluated",
            cause.to_string(),
        )),
    }
}

/// The size up to which the result may be larger than the operands. A look-up outside of delegates would be a kernel
/// between two delegates. Its result may be larger, if all look-ups in constants together take only a small share of
/// the constants' bytes. A look-up that becomes slices in a delegate is not folded: a table of relative positions would make a program much
/// larger.
fn free_bytes(emitter: &mut Emitter<'_, '_>, node: NodeId) -> u64 {
    let bytes = look_up_bytes(emitter.graph(), node);
    if bytes.is_some_and(|n| n > SLICED_BYTES) && affine_index::becomes_slices(emitter, node) {
        return SLICED_BYTES;
    }
    let graph = emitter.graph();
    let Some(own) = look_up_bytes(graph, node).filter(|&n| n > folding::ALWAYS_FOLDED_BYTES) else {
        return folding::ALWAYS_FOLDED_BYTES;
    };
    if emitter.placement_of(node) == Placement::Delegate {
        return folding::ALWAYS_FOLDED_BYTES;
    }
    let all = nodes_in_use(graph)
        .into_iter()
        .filter_map(|n| look_up_bytes(graph, n));
    match all.fold(0, u64::saturating_add) <= folding::share_of_constants(graph) {
        true => own,
        false => folding::ALWAYS_FOLDED_BYTES,
    }
}

/// The bytes of the result, if the node looks up constant indices in a constant.
fn look_up_bytes(graph: &Graph, node: NodeId) -> Option<u64> {
    let node = graph.node(node);
    let is_known = |&v: &_| graph.as_constant(v).is_some();
    let looks_up = matches!(node.op, Op::Index(_) | Op::Gather(_));
    (looks_up && node.operands.iter().all(is_known))
        .then(|| folding::bytes_of(graph.ty(node.result())))
        .flatten()
}

/// True for a slice of a constant, if all slices of that constant together are larger than it.
fn is_of_many_slices(emitter: &Emitter<'_, '_>, node: NodeId) -> bool {
    let graph = emitter.graph();
    let found = graph.node(node);
    if !matches!(found.op, Op::Slice(_)) {
        return false;
    }
    let sliced = found.operands[0];
    let Some(constant) = graph.as_constant(sliced) else {
        return false;
    };
    let slice = |u: &Use| match *u {
        Use::Operand(reader, _) if matches!(graph.node(reader).op, Op::Slice(_)) => Some(reader),
        _ => None,
    };
    let bytes = |reader: NodeId| {
        let ty = graph.ty(graph.node(reader).result());
        let elements = ty.shape.max_elements(&graph.symbols);
        elements.map_or(u64::MAX, |n| {
            (n as u64).saturating_mul(ty.dtype.size() as u64)
        })
    };
    let readers = graph.value(sliced).uses().iter().take(MAX_READERS);
    let all = readers
        .filter_map(slice)
        .map(bytes)
        .fold(0, u64::saturating_add);
    let limit = match emitter.placement_of(node) {
        Placement::Delegate => SLICED_BYTES,
        Placement::Kernel(_) | Placement::None(_) => folding::ALWAYS_FOLDED_BYTES,
    };
    all > (constant.data.bytes().len() as u64).max(limit)
}
