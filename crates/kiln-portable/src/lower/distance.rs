//! Distances between rows.

use super::context::Lower;
use super::dtypes::DTypes;
use kiln_ir::graph::Node;
use kiln_ir::ops::Distances;
use kiln_ir::{DType, Graph, NodeId};
use kiln_transforms::framework::target::Reason;

const KERNEL: &str = "aten::_cdist_forward.out";

/// The kernel's compute mode. The kernel computes each norm from differences in every mode; this one says so.
const BY_DIFFERENCES: i64 = 2;

pub(super) fn check(graph: &Graph, node: &Node, op: &Distances) -> Result<(), Reason> {
    let (a, b) = (graph.ty(node.operands[0]), graph.ty(node.operands[1]));
    DTypes::FLOATS
        .but(DType::F16)
        .but(DType::BF16)
        .check(KERNEL, a.dtype)?;
    if op.p.is_infinite() {
        let rule = format!("kernel {KERNEL} loses NaN in the greatest difference");
        return Err(Reason::new(rule, "an infinite p"));
    }
    let batch = a.rank() - 2;
    if a.shape[..batch] != b.shape[..batch] {
        let rule = format!("kernel {KERNEL} takes equal batches");
        return Err(Reason::new(rule, format!("{a:?} and {b:?}")));
    }
    Ok(())
}

pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId, op: &Distances) -> Result<(), Reason> {
    let operands = cx.graph.node(id).operands.clone();
    let (a, b) = (cx.tensor(operands[0])?, cx.tensor(operands[1])?);
    let (p, mode) = (cx.draft.double(op.p), cx.draft.int(BY_DIFFERENCES));
    let out = cx.result(id, 0)?;
    cx.draft.call(KERNEL, &[a, b, p, mode], &[out]);
    Ok(())
}
