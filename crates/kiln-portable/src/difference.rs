//! What the kernels compute otherwise than PyTorch, for NaN and infinities only.

use kiln_ir::ops::{Outside, SampleMode};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_transforms::framework::target::Reason;

/// Where NaN or infinities of a node that kernels run are not PyTorch's, if they are not and may arrive.
pub fn difference(graph: &Graph, node: NodeId) -> Option<Reason> {
    let node = graph.node(node);
    let Op::GridSample(op) = &node.op else {
        return None;
    };
    let found = format!("{} with {}", op.mode.text(), op.outside.text());
    if op.mode == SampleMode::Linear && op.outside != Outside::Zeros {
        let rule = "aten::grid_sampler_2d.out multiplies elements beside the border by 0, so NaN and infinity spread";
        return Some(Reason::new(rule, found));
    }
    let takes_any = op.mode == SampleMode::Nearest && op.outside == Outside::Zeros;
    if takes_any || is_finite(graph, node.operands[1]) {
        return None;
    }
    let rule =
        "aten::grid_sampler_2d.out samples elsewhere where a place of the grid is no finite number";
    Some(Reason::new(rule, found))
}

/// True for a constant of finite numbers.
fn is_finite(graph: &Graph, value: ValueId) -> bool {
    let constant = graph.as_constant(value);
    constant.is_some_and(|c| c.data.scalars().all(|s| s.as_f64().is_finite()))
}
