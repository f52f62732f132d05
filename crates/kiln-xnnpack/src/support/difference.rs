//! Results of a delegate that differ from PyTorch's. They concern NaN, infinities and empty images only.

use super::Options;
use super::sign::is_bounded;
use crate::halves::may_be_native;
use crate::lower::product::depthwise_windows;
use crate::lower::{depthwise, fuses_into};
use kiln_ir::graph::Node;
use kiln_ir::ops::{ResizeMode, Simple, UnaryFn};
use kiln_ir::{Graph, NodeId, Op};
use kiln_target::Half;
use kiln_transforms::framework::target::Reason;

/// For which operands a delegate's result differs from PyTorch's (NaN, infinities, empty tensors), if such operands may
/// arrive.
pub fn difference(graph: &Graph, node: NodeId, options: &Options) -> Option<Reason> {
    let node = graph.node(node);
    if drops_nan(&node.op) && is_native(graph, node, options.half()) {
        let rule = "XNNPACK's kernels of f16 may answer NaN with a number, and sums beyond 65504 with infinity";
        return Some(Reason::new(rule, node.op.name()));
    }
    if let Some(reason) = super::empty::fails_on_nothing(graph, node) {
        return Some(reason);
    }
    match &node.op {
        Op::Resize(op) if op.mode == ResizeMode::Linear => {
            let rule = "XNNPACK interpolates between infinity and a number as NaN";
            let is_known = is_bounded(graph, node.operands[0]);
            (!is_known).then(|| Reason::new(rule, "a linear resize"))
        }
        Op::Conv(op) => {
            let weight = graph.ty(node.operands[1]).shape.as_static()?;
            let windows = depthwise_windows(op, &weight)?;
            let reason = depthwise::plan(windows, &graph.ty(node.operands[0]).shape).err()?;
            let rule = format!(
                "XNNPACK multiplies neighbours of a depthwise window by 0, so NaN and infinity spread, where {}",
                reason.rule
            );
            Some(Reason::new(rule, reason.found))
        }
        _ => None,
    }
}

/// True for a node that may be computed in f16. A clamp is computed in its producer's floats if it is part of that.
fn is_native(graph: &Graph, node: &Node, half: Half) -> bool {
    let producer = fuses_into(graph, node);
    may_be_native(graph, node, half)
        && producer.is_none_or(|id| may_be_native(graph, graph.node(id), half))
}

/// True for ops whose kernels of f16 may answer NaN with a number: they limit their results.
fn drops_nan(op: &Op) -> bool {
    match op {
        Op::Conv(_) | Op::Linear(_) | Op::MatMul(_) | Op::Pool(_) => true,
        Op::Unary(op) => matches!(
            op.f,
            UnaryFn::Clamp { .. } | UnaryFn::Simple(Simple::Hardsigmoid)
        ),
        _ => false,
    }
}
