//! Slices and joins that need no copy, because their elements are adjacent in memory.

use kiln_ir::graph::Use;
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// True for a cast that changes no byte: quantised integers become plain ones of their type.
pub(crate) fn keeps_bytes(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    matches!(&node.op, Op::Cast(op) if op.to == graph.ty(node.operands[0]).dtype)
}

/// True if the node cuts out adjacent elements, in a method without state updates. Where only delegates read the slice,
/// it is a view.
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

/// True if the node joins values along their outermost axis, and each value comes from a node that satisfies
/// `is_member`, or from another such join. These nodes can write the values at their places in the result. A value
/// belongs to one join only: the largest.
pub fn joins_in_place(graph: &Graph, id: NodeId, is_member: &dyn Fn(NodeId) -> bool) -> bool {
    joins_below(graph, id, is_member, MAX_NESTED)
}

/// The most nested joins and views that are looked through.
pub const MAX_NESTED: usize = 4;

fn joins_below(
    graph: &Graph,
    id: NodeId,
    is_member: &dyn Fn(NodeId) -> bool,
    depth: usize,
) -> bool {
    let node = graph.node(id);
    let Op::Concat(op) = &node.op else {
        return false;
    };
    let shape = &graph.ty(node.result()).shape;
    !is_member(id)
        && node.block == graph.root()
        && graph.updates().is_empty()
        && shape.as_static().is_some()
        && shape[..op.axis].iter().all(|d| d.is(1))
        && (node.operands.iter()).all(|&v| source_below(graph, id, v, is_member, depth).is_some())
}

/// The value that is written at an operand's place in a join: the operand itself, or the source of a view.
pub(crate) fn part_source(
    graph: &Graph,
    reader: NodeId,
    part: ValueId,
    is_member: &dyn Fn(NodeId) -> bool,
) -> Option<ValueId> {
    source_below(graph, reader, part, is_member, MAX_NESTED)
}

fn source_below(
    graph: &Graph,
    reader: NodeId,
    part: ValueId,
    is_member: &dyn Fn(NodeId) -> bool,
    depth: usize,
) -> Option<ValueId> {
    let inner = depth.checked_sub(1)?;
    let producer = graph.producer(part)?;
    let size_of = |n: NodeId| graph.ty(graph.node(n).result()).shape.as_static();
    let readers = graph.value(part).uses().iter().filter_map(|u| match *u {
        Use::Operand(n, _) if !is_member(n) && is_placing(graph, n) => Some(n),
        _ => None,
    });
    let elements = |n: &NodeId| size_of(*n).map(|s| s.iter().product::<usize>());
    let places: Vec<NodeId> = readers.collect();
    let largest = places
        .iter()
        .copied()
        .max_by_key(|n| (elements(n), std::cmp::Reverse(*n)));
    let is_once = places.iter().filter(|&&n| n == reader).count() == 1;
    if largest != Some(reader) || !is_once {
        return None;
    }
    match &graph.node(producer).op {
        _ if is_member(producer) => Some(part),
        Op::Concat(_) => joins_below(graph, producer, is_member, inner).then_some(part),
        Op::Move(op) if op.movement.is_view() => {
            let viewed = graph.node(producer).operands[0];
            source_below(graph, producer, viewed, is_member, inner)
        }
        _ => None,
    }
}

/// True for joins and views, through which a value may have a place in another.
fn is_placing(graph: &Graph, id: NodeId) -> bool {
    match &graph.node(id).op {
        Op::Concat(_) => true,
        Op::Move(op) => op.movement.is_view(),
        _ => false,
    }
}

/// Bytes of a value of known sizes.
pub(crate) fn part_bytes(graph: &Graph, value: ValueId) -> u64 {
    let ty = graph.ty(value);
    let sizes = ty.shape.as_static().unwrap_or_default();
    sizes.iter().map(|&s| s as u64).product::<u64>() * ty.dtype.size() as u64
}

/// True if only nodes that satisfy `is_member` read the value, directly or through views.
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
