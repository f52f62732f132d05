//! Folds a result that follows from constants through large intermediate values.
//!
//! [`super::fold`] keeps a node whose result is much larger than its operands. A small result of such a node would then
//! be computed in every run, and so would all nodes that lead to it. A node that only picks elements of a large value
//! stays, because there may be many of these. A large result, such as the mask of shifted windows, is folded if all of
//! these together take a small share of the program's constants. One that joins slices of a constant stays if a delegate makes it, since slices take little time: a
//! table of relative positions is many times smaller than the biases that it gives.
//!
//! ```kiln
//! clean
//! graph "through" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": i64[1]) {
//!     %1: i64[16384] = iota {len=16384, dtype=i64}
//!     %2: i64[1] = reduce %1 {f=max, axes=[0]}
//!     %3: i64[1] = binary %0, %2 {f=add}
//!     return %3
//!   }
//! }
//! ---
//! graph "through" {
//!   constant c0 "reduce" i64[1] = [16383]
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": i64[1]) {
//!     %1: i64[1] = constant {value=c0}
//!     %2: i64[1] = binary %0, %1 {f=add}
//!     return %2
//!   }
//! }
//! ```

use super::fold::SLICED_BYTES;
use crate::framework::folding;
use crate::framework::rewriting::{Applied, PassContext, nodes_in_use};
use crate::framework::target::Placement;
use kiln_ir::graph::Use;
use kiln_ir::{Graph, Id, NodeId, Op, ValueId};
use rustc_hash::FxHashSet;

/// The name of the rewrite in reports.
pub const NAME: &str = "fold_through";

/// Folds such results. `Some(true)` if anything was folded, `None` once the rewriter's limit is reached.
pub fn fold(cx: &mut PassContext<'_, '_>) -> Option<bool> {
    let (mut made, mut found) = (FxHashSet::default(), false);
    let mut sliced = FxHashSet::default();
    let mut left = folding::FoldBudget::default();
    for node in nodes_in_use(cx.graph()) {
        if cx.graph().try_node(node).is_none() || !is_made(cx.graph(), &made, node) {
            continue;
        }
        made.insert(cx.graph().node(node).result());
        if is_of_slices(cx, &sliced, node) {
            sliced.insert(cx.graph().node(node).result());
        }
        if sees_all_of_made(cx.graph(), node) {
            let most_bytes = match sliced.contains(&cx.graph().node(node).result()) {
                true => SLICED_BYTES,
                false => folding::ALWAYS_FOLDED_BYTES,
            };
            found |= fold_one(cx, node, most_bytes, &mut left)?;
        }
    }
    let mut free = folding::share_of_values(cx.graph());
    for (bytes, node) in last_of_made(cx.graph(), &made) {
        let is_sliced = sliced.contains(&cx.graph().node(node).result());
        if bytes <= free && !is_sliced && fold_one(cx, node, bytes, &mut left)? {
            (found, free) = (true, free - bytes);
        }
    }
    Some(found)
}

/// True if the node slices a constant inside a delegate, or slices, moves or joins such slices.
fn is_of_slices(cx: &PassContext<'_, '_>, sliced: &FxHashSet<ValueId>, node: NodeId) -> bool {
    let graph = cx.graph();
    let found = graph.node(node);
    match found.op {
        Op::Slice(_) => {
            let operand = found.operands[0];
            let is_source = sliced.contains(&operand) || graph.as_constant(operand).is_some();
            is_source && cx.target.placement(graph, node) == Placement::Delegate
        }
        Op::Move(_) | Op::Concat(_) => found.operands.iter().all(|v| sliced.contains(v)),
        _ => false,
    }
}

/// `Some(true)` if the node was folded, `None` once the rewriter's limit is reached.
fn fold_one(
    cx: &mut PassContext<'_, '_>,
    node: NodeId,
    most_bytes: u64,
    left: &mut folding::FoldBudget,
) -> Option<bool> {
    let Some(constant) = folding::fold_through(cx.graph(), node, most_bytes, left) else {
        return Some(false);
    };
    let mark = cx.mark();
    let value = cx.emit(node, |emitter| emitter.known_constant(constant));
    match cx.commit(NAME, node, &[Some(value)], mark) {
        Applied::Yes(_) => Some(true),
        Applied::No => Some(false),
        Applied::Stopped => None,
    }
}

/// The last nodes that compute with constants only, smallest first, with the bytes of their results. Nodes that repeat or
/// pick elements are not among them: those are cheap, and their results may be many times as large.
fn last_of_made(graph: &Graph, made: &FxHashSet<ValueId>) -> Vec<(u64, NodeId)> {
    let mut last: Vec<(u64, NodeId)> = nodes_in_use(graph)
        .into_iter()
        .filter(|&node| computes(graph, node))
        .filter_map(|node| {
            let result = graph
                .node(node)
                .results
                .first()
                .filter(|r| made.contains(r))?;
            let is_read = graph.value(*result).uses().iter().any(|u| match *u {
                Use::Operand(reader, _) => {
                    let results = &graph.node(reader).results;
                    !computes(graph, reader) || !results.iter().any(|r| made.contains(r))
                }
                _ => false,
            });
            is_read.then_some((folding::bytes_of(graph.ty(*result))?, node))
        })
        .collect();
    last.sort_unstable_by_key(|&(bytes, node)| (bytes, node.index()));
    last
}

fn computes(graph: &Graph, node: NodeId) -> bool {
    !matches!(
        graph.node(node).op,
        Op::Broadcast(_) | Op::Move(_) | Op::Iota(_) | Op::Slice(_) | Op::Index(_) | Op::Gather(_)
    )
}

/// True if the node can be folded and all its operands follow from constants. `made` has the values that do.
fn is_made(graph: &Graph, made: &FxHashSet<ValueId>, node: NodeId) -> bool {
    let node = graph.node(node);
    let is_known = |v: &ValueId| made.contains(v) || graph.as_constant(*v).is_some();
    let is_size = matches!(node.op, Op::DimValue(_));
    node.results.len() == 1
        && node.op.facts().folds
        && !is_size
        && graph.ty(node.result()).shape.as_static().is_some()
        && node.operands.iter().all(is_known)
}

/// True if an operand is no constant, and the node does not only pick elements.
fn sees_all_of_made(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    let picks = matches!(node.op, Op::Slice(_) | Op::Index(_) | Op::Gather(_));
    !picks
        && node
            .operands
            .iter()
            .any(|&v| graph.as_constant(v).is_none())
}
