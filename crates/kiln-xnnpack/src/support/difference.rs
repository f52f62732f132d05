//! What a delegate computes otherwise than PyTorch, for NaN and infinities only.

use super::F32;
use crate::lower::pool::{self, Plan};
use crate::lower::window::{UNIT, image};
use crate::lower::window_sum::{Count, fit, is_tile, stages};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Conv, Pool, ResizeMode};
use kiln_ir::{DType, Graph, NodeId, Op, TensorType};
use kiln_transforms::target::Reason;

/// Where NaN or infinities of a node that a delegate takes are not PyTorch's, if they are not.
pub fn difference(graph: &Graph, node: NodeId) -> Option<Reason> {
    let node = graph.node(node);
    let ty = || graph.ty(node.operands[0]);
    match &node.op {
        Op::Conv(_) | Op::Linear(_) | Op::MatMul(_) if !is_f32(graph, node) => Some(half_product()),
        Op::Conv(op) => depthwise(graph, node, op),
        Op::Pool(op) => pooled(ty(), op),
        Op::AdaptivePool(op) => pooled(ty(), &pool::of_adaptive(&ty().shape, op).ok()?),
        Op::Resize(op) if op.mode == ResizeMode::Linear => Some(Reason::new(
            "XNNPACK interpolates between infinity and a number as NaN",
            "a linear resize",
        )),
        _ => None,
    }
}

/// True if the runtime's kernel of the node is no better: for a linear resize it spreads NaN.
pub(super) fn is_without_remedy(op: &Op) -> bool {
    matches!(op, Op::Resize(_))
}

/// The kernels of bf16 compute in f32.
fn is_f32(graph: &Graph, node: &Node) -> bool {
    let dtype = graph.ty(node.operands[0]).dtype;
    F32.contains(&dtype) || dtype == DType::BF16
}

fn half_product() -> Reason {
    let rule = "XNNPACK's f16 products give minus infinity, or a clamp's lower bound, for NaN";
    Reason::new(rule, "a product of f16")
}

fn spreads(found: String) -> Reason {
    let rule =
        "beside 3, 4, 9 or 25 taps XNNPACK multiplies neighbours by 0, so NaN and infinity spread";
    Reason::new(rule, found)
}

fn depthwise(graph: &Graph, node: &Node, op: &Conv) -> Option<Reason> {
    let weight = graph.ty(node.operands[1]).shape.as_static()?;
    let (outputs, inputs) = (*weight.first()? as i64, *weight.get(1)?);
    let taps: usize = weight.get(2..)?.iter().product();
    // With several outputs for each channel the library has no depthwise kernel.
    if op.transposed || op.groups < 2 || inputs != 1 || outputs != op.groups || is_tile(taps as u32)
    {
        return None;
    }
    Some(spreads(format!("a depthwise kernel of {taps} taps")))
}

fn pooled(ty: &TensorType, op: &Pool) -> Option<Reason> {
    let shape = &ty.shape;
    let windows = match pool::plan(shape, op).ok()? {
        Plan::Max(_) if op.kernel.iter().all(|&k| k == 1) => return None,
        Plan::Max(windows) => {
            pool::keeps_nan(ty, op, &windows).err()?;
            let rule = "XNNPACK's maximum over a window passes over a NaN at some of its places";
            return Some(Reason::new(rule, format!("a maximum over {:?}", op.kernel)));
        }
        Plan::Global => return None,
        Plan::Sum { windows, .. } | Plan::Counted { windows, .. } => windows,
    };
    let exact = stages(image(&windows, UNIT), Count::Once).filter(|stages| fit(stages, shape));
    exact
        .is_none()
        .then(|| spreads(format!("an average over {:?}", op.kernel)))
}
