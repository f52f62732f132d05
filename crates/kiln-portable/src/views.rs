//! What needs no copy because its elements lie together in memory.

use crate::order::origin;
use kiln_ir::graph::{Def, Use};
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// True if the node cuts out elements that lie together, of a value that nothing overwrites: where only delegates
/// read it, it is a view.
pub fn lies_together(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let Op::Slice(op) = &node.op else {
        return false;
    };
    let shape = &graph.ty(node.result()).shape;
    let is_known = op.start.as_const().is_some() && shape.as_static().is_some();
    op.step == 1
        && is_known
        && node.block == graph.root()
        && graph.updates().is_empty()
        && shape[..op.axis].iter().all(|d| d.is(1))
}

/// True if nodes that satisfy `is_member` alone read the value, be it behind views.
pub fn is_read_by(graph: &Graph, value: ValueId, is_member: &dyn Fn(NodeId) -> bool) -> bool {
    graph.value(value).uses().iter().all(|u| match *u {
        Use::Operand(reader, _) if is_member(reader) => true,
        Use::Operand(reader, _) => match &graph.node(reader).op {
            Op::Move(op) if op.movement.is_view() => {
                is_read_by(graph, graph.node(reader).result(), is_member)
            }
            _ => false,
        },
        Use::BlockResult(..) | Use::Update(_) => false,
    })
}

/// True if the value is an input of the method, or behind views of one.
pub(crate) fn is_of_input(graph: &Graph, value: ValueId) -> bool {
    matches!(graph.value(origin(graph, value)).def, Def::Param(block, _) if block == graph.root())
}
