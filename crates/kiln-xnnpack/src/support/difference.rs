//! Results of a delegate that differ from PyTorch's. They concern NaN, infinities and empty images only.

use super::sign::is_bounded;
use crate::lower::depthwise;
use crate::lower::product::depthwise_windows;
use kiln_ir::ops::ResizeMode;
use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::framework::target::Reason;

/// For which operands a delegate's result differs from PyTorch's (NaN, infinities, empty tensors), if such operands may
/// arrive.
pub fn difference(graph: &Graph, node: NodeId) -> Option<Reason> {
    let node = graph.node(node);
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
