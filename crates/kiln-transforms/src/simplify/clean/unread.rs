//! Replaces a pool whose indices have no readers by a pool without indices.
//!
//! ```kiln
//! clean
//! graph "unread" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4]) {
//!     %1: f32[1, 2, 2, 2], %2: i64[1, 2, 2, 2] = pool %0 {f=max_with_indices, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %1
//!   }
//! }
//! ---
//! graph "unread" {
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 4, 4]) {
//!     %1: f32[1, 2, 2, 2] = pool %0 {f=max, kernel=[2, 2], stride=[2, 2], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}
//!     return %1
//!   }
//! }
//! ```

use crate::framework::rewriting::{Applied, PassContext, nodes_in_use};
use kiln_ir::graph::Graph;
use kiln_ir::ops::{AdaptivePool, Pool, PoolFn};
use kiln_ir::{NodeId, Op};

/// The name of the rewrite in reports.
pub const NAME: &str = "unread_indices";

/// Removes unread indices; `None` once the rewriter's limit is reached.
pub fn narrow(cx: &mut PassContext<'_, '_>) -> Option<()> {
    for node in nodes_in_use(cx.graph()) {
        let Some(op) = without_indices(cx.graph(), node) else {
            continue;
        };
        let (mark, operands) = (cx.mark(), cx.graph().node(node).operands.clone());
        let value = cx.emit(node, |emitter| emitter.unfolded(op, &operands));
        let Ok(value) = value else { continue };
        if let Applied::Stopped = cx.commit(NAME, node, &[Some(value), None], mark) {
            return None;
        }
    }
    Some(())
}

fn without_indices(graph: &Graph, node: NodeId) -> Option<Op> {
    let node = graph.node(node);
    let op = match &node.op {
        Op::Pool(op) if op.f == PoolFn::MaxWithIndices => Pool {
            f: PoolFn::Max,
            ..op.clone()
        }
        .into(),
        Op::AdaptivePool(op) if op.f == PoolFn::MaxWithIndices => AdaptivePool {
            f: PoolFn::Max,
            ..op.clone()
        }
        .into(),
        _ => return None,
    };
    graph.value(node.results[1]).uses().is_empty().then_some(op)
}
