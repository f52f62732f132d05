//! Sampling at places that a grid gives.

use super::context::Lower;
use super::dtypes::DTypes;
use kiln_ir::graph::Node;
use kiln_ir::ops::{GridSample, Outside, SampleMode};
use kiln_ir::{DType, Graph, NodeId};
use kiln_transforms::framework::target::Reason;

const KERNEL: &str = "aten::grid_sampler_2d.out";

/// Where it blends two by two, the kernel computes half types in f32, and PyTorch rounds at every step: as the parts of
/// f16 do. Those of bf16 do not inside a delegate, so they are no better than the kernel.
const OF_LINEAR: DTypes = DTypes::FLOATS.but(DType::F16);

pub(super) fn check(graph: &Graph, node: &Node, op: &GridSample) -> Result<(), Reason> {
    let x = graph.ty(node.operands[0]);
    let dtypes = match op.mode {
        SampleMode::Linear => OF_LINEAR,
        SampleMode::Nearest | SampleMode::Cubic => DTypes::FLOATS,
    };
    dtypes.check(KERNEL, x.dtype)?;
    if x.rank() != 4 {
        let rule = format!("kernel {KERNEL} takes images of rank 4");
        return Err(Reason::new(rule, x.rank().to_string()));
    }
    Ok(())
}

pub(super) fn lower(cx: &mut Lower<'_, '_>, id: NodeId, op: &GridSample) -> Result<(), Reason> {
    let operands = cx.graph.node(id).operands.clone();
    let (x, grid) = (cx.tensor(operands[0])?, cx.tensor(operands[1])?);
    let mode = cx.draft.int(match op.mode {
        SampleMode::Linear => 0,
        SampleMode::Nearest => 1,
        SampleMode::Cubic => 2,
    });
    let outside = cx.draft.int(match op.outside {
        Outside::Zeros => 0,
        Outside::Border => 1,
        Outside::Reflection => 2,
    });
    let corners = cx.draft.bool(op.align_corners);
    let out = cx.result(id, 0)?;
    cx.draft
        .call(KERNEL, &[x, grid, mode, outside, corners], &[out]);
    Ok(())
}
