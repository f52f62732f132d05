//! Reals that a program rounds twice in the same way.

use super::carry::{MOST_MOVED, Stored, carries, is_returned};
use super::put;
use crate::framework::rewriting::{PassContext, nodes_in_use};
use crate::guards;
use kiln_ir::graph::ValueList;
use kiln_ir::ops::{Meaning, PadMode};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashSet;

guards! {
    /// What is rounded again has been rounded with the same scale.
    SAME_REALS;
    /// All elements have one scale: those of channels are on another axis behind a movement.
    ONE_SCALE;
}

/// The rule's name.
pub(super) const NAME: &str = "drop_second_rounding";

/// Drops them; `None` once the rewriter's limit is reached.
pub(super) fn drop_all(cx: &mut PassContext<'_, '_>) -> Option<()> {
    for node in nodes_in_use(cx.graph()) {
        if let Some(real) = already_rounded(cx.graph(), node) {
            let mark = cx.mark();
            put(cx, NAME, node, ValueList::from_iter([real]), mark)?;
        }
    }
    Some(())
}

/// The reals that are quantised and dequantised again for the caller, if each is one that an integer of that quantisation stands for: where
/// a kernel takes floats, the second rounding would be a delegate of its own.
fn already_rounded(graph: &Graph, dequantize: NodeId) -> Option<ValueId> {
    let again = graph.node(dequantize);
    let result = *again.results.first()?;
    let integers = matches!(again.op, Op::Dequantize(_)).then(|| again.operands[0])?;
    let quantize = graph.node(graph.producer(integers)?);
    let real = matches!(quantize.op, Op::Quantize(_)).then(|| quantize.operands[0])?;
    let stored = Stored::of(graph, integers)?;
    if !ONE_SCALE.holds(stored.whole().is_some()) {
        return None;
    }
    let ends = [stored.quant.min, stored.quant.max];
    // Integers beyond that do not survive the way through f32.
    let are_kept = ends.iter().all(|end| end.unsigned_abs() < 1 << 19);
    let is_f32 = |v| graph.ty(v).dtype == DType::F32;
    let is_last = is_f32(real) && is_f32(result) && is_returned(graph, result);
    (are_kept && is_last && is_rounded(graph, real, &stored)).then_some(real)
}

/// True if all elements are reals of that quantisation, some movements away from their dequantisation.
fn is_rounded(graph: &Graph, real: ValueId, stored: &Stored) -> bool {
    let (mut open, mut seen) = (vec![real], FxHashSet::from_iter([real]));
    while let Some(value) = open.pop() {
        let Some(id) = graph.producer(value).filter(|_| seen.len() <= MOST_MOVED) else {
            return false;
        };
        let node = graph.node(id);
        let is_moved = match &node.op {
            Op::Dequantize(_) => {
                let own = Stored::of(graph, node.operands[0]);
                if !SAME_REALS.holds(own.as_ref() == Some(stored)) {
                    return false;
                }
                continue;
            }
            Op::Pad(op) => !matches!(op.mode, PadMode::Constant(_)),
            op => op.on_quantised() == Meaning::Carried && carries(graph, id),
        };
        let meeting = (0..node.operands.len()).filter(|&i| node.op.meets(i));
        let meeting: Vec<ValueId> = meeting.map(|i| node.operands[i]).collect();
        if !is_moved || meeting.is_empty() {
            return false;
        }
        open.extend(meeting.into_iter().filter(|&v| seen.insert(v)));
    }
    true
}
