//! Results of kernels that differ from PyTorch's. They concern only NaN, infinities, and numbers beyond the range of
//! integers.

use crate::quotients_below;
use kiln_ir::ops::{GridSample, Outside, SampleMode};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_transforms::framework::target::Reason;
use kiln_transforms::passes::saturate_quantize::cannot_saturate;

/// The difference for NaN or infinities of a node that kernels run; `None` if there is none, or if such operands cannot
/// occur.
pub fn difference(graph: &Graph, node: NodeId) -> Option<Reason> {
    match &graph.node(node).op {
        Op::GridSample(op) => of_grid_sample(graph, node, op),
        Op::Quantize(_) => of_quantize(graph, node),
        _ => None,
    }
}

/// For other quantisations, `saturate_quantize` puts a limit in front.
fn of_quantize(graph: &Graph, node: NodeId) -> Option<Reason> {
    let below = quotients_below(graph, node)?;
    let rule = format!(
        "quantized_decomposed::quantize_* may give the least integer for quotients of {below} and more"
    );
    let found = || Reason::new(rule, graph.type_text(graph.node(node).result()));
    cannot_saturate(graph, node, below).then(found)
}

fn of_grid_sample(graph: &Graph, node: NodeId, op: &GridSample) -> Option<Reason> {
    let node = graph.node(node);
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
