//! Instruction selection: the kernels that run a node, and their calls. Each file covers an area of the op table. For
//! each family, a file has `check`, which says whether a node can be lowered, and `lower`, which relies on `check`.

mod block;
mod calls;
mod context;
mod contraction;
mod control;
mod data;
mod distance;
mod division;
mod dtypes;
mod elementwise;
mod embedding;
mod empty;
mod extreme_pair;
mod foreign;
mod grid_sample;
mod indexing;
mod join;
mod normalise;
mod pad;
mod quantise;
mod reduce;
mod region;
mod sizes;
mod slot;
mod source;
mod window;

pub(crate) use block::lower_root;
pub(crate) use context::Lower;

use block::Failure;
use kiln_ir::ops::Meaning;
use kiln_ir::{Graph, NodeId, Op};
use kiln_transforms::framework::target::Reason;

/// The greatest rank of the runtime.
const MAX_RANK: usize = 16;

/// Checks that kernels can run the node.
pub(crate) fn check(graph: &Graph, id: NodeId) -> Result<(), Reason> {
    let node = graph.node(id);
    for &value in node.operands.iter().chain(&node.results) {
        let rank = graph.ty(value).rank();
        if rank > MAX_RANK {
            let rule = format!("tensors have at most {MAX_RANK} axes");
            return Err(Reason::new(rule, rank.to_string()));
        }
    }
    if let Some(name) = computes(&node.op) {
        quantise::refuse_quantised(graph, node, name)?;
    }
    match &node.op {
        Op::Constant(_) | Op::ReadState(_) | Op::DimValue(_) | Op::BindSymbol(_) => Ok(()),
        Op::Iota(_) => Ok(()),
        Op::Unary(op) => elementwise::check_unary(graph, node, op),
        Op::Binary(op) => elementwise::check_binary(graph, node, op),
        Op::Compare(_) | Op::Select(_) | Op::Cast(_) => Ok(()),
        Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Reverse(_) => Ok(()),
        Op::Concat(_) | Op::SliceUpdate(_) => Ok(()),
        Op::Pad(op) => pad::check(graph, node, op),
        Op::Reduce(op) => reduce::check_reduce(graph, node, op),
        Op::ArgReduce(op) => reduce::check_arg_reduce(graph, node, op),
        Op::Scan(op) => reduce::check_scan(graph, node, op),
        Op::Sort(_) => reduce::check_sort(graph, node),
        Op::TopK(_) => reduce::check_top_k(graph, node),
        Op::NonZero(_) => Ok(()),
        Op::MatMul(_) => contraction::check_matmul(graph, node),
        Op::Linear(_) => contraction::check_linear(graph, node),
        Op::Conv(op) => contraction::check_conv(graph, node, op),
        Op::Distances(op) => distance::check(graph, node, op),
        Op::Pool(op) => window::check_pool(graph, node, op),
        Op::AdaptivePool(op) => window::check_adaptive(graph, node, op),
        Op::Resize(op) => window::check_resize(graph, node, op),
        Op::GridSample(op) => grid_sample::check(graph, node, op),
        Op::Gather(_) | Op::Index(_) | Op::IndexPut(_) => Ok(()),
        Op::Scatter(op) => indexing::check_scatter(graph, node, op),
        Op::Softmax(op) => normalise::check_softmax(graph, node, op),
        Op::Normalize(op) => normalise::check_normalize(graph, node, op),
        Op::Attention(_) => Err(Reason::new(
            "no kernel computes attention as a whole",
            "an attention node",
        )),
        Op::Quantize(_) | Op::Dequantize(_) | Op::Requantize(_) => quantise::check(graph, node),
        Op::Quantised(op) => quantise::refuse_quantised(graph, node, op.op.name()),
        Op::FakeQuantize(_) => Err(Reason::new(
            "no kernel quantises and dequantises at once",
            "a fake quantisation",
        )),
        Op::Dequantised(op) => embedding::check(graph, node, op),
        Op::Foreign(_) => Ok(()),
        Op::If(_) | Op::While(_) => Ok(()),
    }
}

/// The family's name, if it computes with the real numbers of quantised operands: its kernels do not.
fn computes(op: &Op) -> Option<&'static str> {
    match (op, op.on_quantised()) {
        (Op::Constant(_) | Op::ReadState(_) | Op::Quantize(_), _) => None,
        (_, Meaning::Computed | Meaning::Refused) => Some(op.name()),
        (_, Meaning::Carried | Meaning::Compared | Meaning::Plain | Meaning::Own) => None,
    }
}

/// Emits the calls that compute the node's results, and binds the results.
fn lower(cx: &mut Lower<'_, '_>, id: NodeId) -> Result<(), Failure> {
    check(cx.graph, id)?;
    let node = cx.graph.node(id);
    let lowered = match &node.op {
        // A constant is bound at its first read, and before the block's first task.
        Op::Constant(_) | Op::ReadState(_) => Ok(()),
        Op::DimValue(op) => source::dim_value(cx, id, op),
        Op::BindSymbol(op) => source::bind_symbol(cx, id, op),
        Op::Iota(op) => source::iota(cx, id, op),
        Op::Unary(op) => elementwise::unary(cx, id, op),
        Op::Binary(op) => elementwise::binary(cx, id, op),
        Op::Compare(op) => elementwise::compare(cx, id, op),
        Op::Select(_) => elementwise::select(cx, id),
        Op::Cast(_) => elementwise::cast(cx, id),
        Op::Move(op) => data::movement(cx, id, op),
        Op::Broadcast(_) => data::broadcast(cx, id),
        Op::Slice(op) => data::slice(cx, id, op),
        Op::Reverse(op) => data::reverse(cx, id, op),
        Op::Pad(op) => pad::lower(cx, id, op),
        Op::Concat(op) => data::concat(cx, id, op),
        Op::SliceUpdate(op) => data::slice_update(cx, id, op),
        Op::Reduce(op) => reduce::reduce(cx, id, op),
        Op::ArgReduce(op) => reduce::arg_reduce(cx, id, op),
        Op::Scan(op) => reduce::scan(cx, id, op),
        Op::Sort(op) => reduce::sort(cx, id, op),
        Op::TopK(op) => reduce::top_k(cx, id, op),
        Op::NonZero(_) => reduce::non_zero(cx, id),
        Op::MatMul(_) => contraction::matmul(cx, id),
        Op::Linear(_) => contraction::linear(cx, id),
        Op::Conv(op) => contraction::conv(cx, id, op),
        Op::Distances(op) => distance::lower(cx, id, op),
        Op::Pool(op) => window::pool(cx, id, op),
        Op::AdaptivePool(op) => window::adaptive(cx, id, op),
        Op::Resize(op) => window::resize(cx, id, op),
        Op::GridSample(op) => grid_sample::lower(cx, id, op),
        Op::Gather(op) => indexing::gather(cx, id, op),
        Op::Index(op) => indexing::index(cx, id, op),
        Op::Scatter(op) => indexing::scatter(cx, id, op),
        Op::IndexPut(op) => indexing::index_put(cx, id, op),
        Op::Softmax(op) => normalise::softmax(cx, id, op),
        Op::Normalize(op) => normalise::normalize(cx, id, op),
        Op::Attention(_) => unreachable_after_check(),
        Op::Quantize(op) => quantise::quantize(cx, id, op),
        Op::Dequantize(op) => quantise::dequantize(cx, id, op),
        Op::Requantize(op) => quantise::requantize(cx, id, op),
        Op::Dequantised(_) => embedding::lower(cx, id),
        Op::Foreign(op) => foreign::lower(cx, id, op),
        Op::Quantised(_) | Op::FakeQuantize(_) => unreachable_after_check(),
        Op::If(op) => return control::branch(cx, id, op),
        Op::While(op) => return control::repeat(cx, id, op),
    };
    Ok(lowered?)
}

/// The error for a node that `check` declines.
fn unreachable_after_check() -> Result<(), Reason> {
    Err(Reason::new(
        "the kernels run the node",
        "a node that they do not run",
    ))
}
