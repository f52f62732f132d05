//! Pieces of a float tensor that are quantised apart.

use super::carry::Stored;
use kiln_ir::graph::Use;
use kiln_ir::{Dim, Graph, Op, ValueId};

/// True if one quantisation of `whole` serves pieces that have as many elements together, or a reader of the whole. Otherwise the pieces
/// are quantised behind the slices that cut them, where there is less to convert.
pub(super) fn share_quantisation(graph: &Graph, whole: ValueId, stored: &Stored) -> bool {
    let mut elements = Dim::constant(0);
    for use_ in graph.value(whole).uses() {
        let &Use::Operand(reader, _) = use_ else {
            continue;
        };
        let node = graph.node(reader);
        match node.op {
            Op::Quantize(_) if Stored::of(graph, node.result()).as_ref() == Some(stored) => {
                return true;
            }
            Op::Slice(_) if is_quantised_so(graph, node.result(), stored) => {
                elements = elements + graph.ty(node.result()).shape.elements();
            }
            _ => {}
        }
    }
    let all = graph.ty(whole).shape.elements();
    match (elements.as_const(), all.as_const()) {
        (Some(elements), Some(all)) => elements >= all,
        _ => elements == all,
    }
}

/// True if something quantises the value in this way.
fn is_quantised_so(graph: &Graph, value: ValueId, stored: &Stored) -> bool {
    graph.value(value).uses().iter().any(|use_| match *use_ {
        Use::Operand(reader, _) => {
            let node = graph.node(reader);
            let is_quantised = matches!(node.op, Op::Quantize(_));
            is_quantised && Stored::of(graph, node.result()).as_ref() == Some(stored)
        }
        Use::BlockResult(..) | Use::Update(_) => false,
    })
}
