//! What reads a value as the weight of a layer or the table of a look-up.

use crate::analysis::constants::MAX_MOVEMENTS;
use kiln_ir::graph::Use;
use kiln_ir::{Graph, Op, ValueId};

/// True if only layers and look-ups read the value, as their weight or table, and products of matrices some movements away.
pub(super) fn is_read_as_weight(graph: &Graph, value: ValueId) -> bool {
    let passes = |op: &Op| matches!(op, Op::Move(_));
    let reads = |op: &Op, slot, is_direct| is_weight(op, slot) && (is_direct || is_product(op));
    leads_to_weights(graph, value, &passes, &reads, MAX_MOVEMENTS)
}

/// True if only layers and look-ups read the value, or a part of it, as their weight or table.
pub(super) fn becomes_weights(graph: &Graph, value: ValueId) -> bool {
    let passes = |op: &Op| matches!(op, Op::Move(_) | Op::Slice(_) | Op::Cast(_));
    let reads = |op: &Op, slot, _| is_weight(op, slot);
    leads_to_weights(graph, value, &passes, &reads, MAX_MOVEMENTS)
}

fn leads_to_weights(
    graph: &Graph,
    value: ValueId,
    passes: &impl Fn(&Op) -> bool,
    reads: &impl Fn(&Op, u32, bool) -> bool,
    left: usize,
) -> bool {
    let is_direct = left == MAX_MOVEMENTS;
    let uses = graph.value(value).uses();
    !uses.is_empty()
        && uses.iter().all(|reader| match *reader {
            Use::Operand(reader, slot) => {
                let node = graph.node(reader);
                match left.checked_sub(1).filter(|_| passes(&node.op)) {
                    Some(left) => leads_to_weights(graph, node.result(), passes, reads, left),
                    None => reads(&node.op, slot, is_direct),
                }
            }
            Use::BlockResult(..) | Use::Update(_) => false,
        })
}

/// True for the weight of a layer and the table of a look-up.
fn is_weight(op: &Op, slot: u32) -> bool {
    match op {
        Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) => slot == 1,
        Op::Index(_) => slot == 0,
        _ => false,
    }
}

fn is_product(op: &Op) -> bool {
    matches!(op, Op::MatMul(_))
}
