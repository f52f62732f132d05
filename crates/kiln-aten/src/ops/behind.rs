//! What lies behind a value: the nodes of which calls built it.

use crate::importer::Importer;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Builder, Movement, Op, ValueId};

/// The factors of an element-wise product.
pub(super) fn factors(cx: &Importer<'_>, product: ValueId) -> Option<[ValueId; 2]> {
    let node = cx.graph().node(cx.graph().producer(product)?);
    let is_product = matches!(&node.op, Op::Binary(op) if op.f == BinaryFn::Mul);
    is_product.then(|| [node.operands[0], node.operands[1]])
}

/// The integers that were cast to these floats.
pub(super) fn integers_of(cx: &Importer<'_>, floats: ValueId) -> Option<ValueId> {
    let node = cx.graph().node(cx.graph().producer(floats)?);
    let from = matches!(node.op, Op::Cast(_)).then(|| node.operands[0])?;
    (cx.dtype(floats).is_float() && cx.dtype(from).is_int()).then_some(from)
}

/// What lies behind casts from floats to floats.
pub(super) fn behind_casts(cx: &Importer<'_>, mut value: ValueId) -> ValueId {
    let graph = cx.graph();
    while let Some(node) = graph.producer(value).map(|id| graph.node(id))
        && let Op::Cast(op) = &node.op
        && op.to.is_float()
        && cx.dtype(node.operands[0]).is_float()
    {
        value = node.operands[0];
    }
    value
}

/// A value and the sources of the views in row-major order of which it is the last, each with the view that it is.
pub(super) fn behind_views(
    cx: &Importer<'_>,
    mut value: ValueId,
) -> Vec<(ValueId, Option<Movement>)> {
    let mut sources = Vec::new();
    while let Some(Op::Move(op)) = cx.graph().producer_op(value)
        && op.movement.is_view()
        && let Some(producer) = cx.graph().producer(value)
    {
        sources.push((value, Some(op.movement.clone())));
        value = cx.graph().node(producer).operands[0];
    }
    sources.push((value, None));
    sources
}
