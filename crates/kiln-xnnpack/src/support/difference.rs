//! Results of a delegate that differ from PyTorch's. They concern NaN, infinities, empty images and angles of millions of turns only.

use super::Options;
use super::sign::{is_bounded, is_number, is_positive, range};
use crate::halves::{self, ASSUMED, Sums};
use crate::lower::image_guard::image_guard;
use crate::lower::nan_witnesses::witnesses;
use crate::lower::pool::{self, Plan};
use crate::lower::product::depthwise_windows;
use crate::lower::softmax_shift::is_softmax_shift;
use crate::lower::window::{UNIT, image};
use crate::lower::{depthwise, fuses_into, masked};
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Pool, PoolFn, ReduceFn, ResizeMode, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use kiln_target::Half;
use kiln_transforms::analysis::constants::is_constant;
use kiln_transforms::framework::target::Reason;

/// The library reduces angles in f32. Up to this one, sines are within 1e-5 (measured on x86-64 with AVX-512).
const FARTHEST_ANGLE: f64 = 5e6;

/// For which operands a delegate's result differs from PyTorch's (NaN, infinities, empty tensors, large angles), if such operands may
/// arrive.
pub fn difference(graph: &Graph, id: NodeId, options: &Options) -> Option<Reason> {
    let node = graph.node(id);
    if drops_nan(&node.op) && is_native(graph, node, options.half()) {
        let rule = of_halves(halves::sums(graph, node));
        return Some(Reason::new(rule, node.op.name()));
    }
    if options.fast_nan
        && let Some(rule) = guarded(graph, id)
    {
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
        Op::Dequantised(op) if op.activation.is_some() => {
            let x = node.operands[0];
            let is_known = is_number(graph, x) && is_bounded(graph, x);
            let rule = "XNNPACK quantises NaN and infinity in a row as if they were numbers";
            (!is_known).then(|| Reason::new(rule, op.op.name()))
        }
        Op::Select(_) => {
            let x = node.operands[masked::computed(graph, node).ok()?];
            let rule = "a NaN that a constant mask hides stays NaN in XNNPACK";
            (!is_number(graph, x)).then(|| Reason::new(rule, "where"))
        }
        Op::Unary(op) if matches!(op.f, UnaryFn::Simple(Simple::Sin | Simple::Cos)) => {
            let x = node.operands[0];
            let is_near = graph.ty(x).dtype == DType::F16
                || range(graph, x).is_some_and(|r| r.low.abs().max(r.high.abs()) <= FARTHEST_ANGLE);
            let rule = "XNNPACK's sine and cosine are wrong for operands beyond 5e6, and beyond 2e8 no numbers between -1 and 1";
            (!is_near).then(|| Reason::new(rule, node.op.function()))
        }
        Op::Pool(op) if !options.strict_nan => passes_over(graph, node.operands[0], op),
        Op::AdaptivePool(op) if !options.strict_nan => {
            let x = node.operands[0];
            passes_over(graph, x, &pool::of_adaptive(&graph.ty(x).shape, op).ok()?)
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

/// Which NaN a maximum pool may pass over although it is guarded. With `--strict-nan` the guard reads every element.
fn passes_over(graph: &Graph, x: ValueId, op: &Pool) -> Option<Reason> {
    let Plan::Max(windows) = pool::plan(&graph.ty(x).shape, op).ok()? else {
        return None;
    };
    let windows = image(&windows, UNIT);
    let few = witnesses(graph, x, windows).filter(|few| !few.show_all)?;
    let [height, width] = few.windows.map(|w| w.kernel);
    let rule = "the guard of a maximum pool misses NaN that the convolution in front of it makes of infinities";
    let by_result = format!("a guard that reads {height}x{width} elements of each window");
    let found = match image_guard(graph, x, windows) {
        None => by_result,
        Some(_) => format!(
            "{by_result}, or the convolution's image, whose plus and minus infinity in one place make NaN in all channels"
        ),
    };
    Some(Reason::new(rule, found))
}

/// How the library's operator differs from PyTorch, for a node on floats whose lowering has a guard against it.
fn guarded(graph: &Graph, id: NodeId) -> Option<&'static str> {
    const SKIPS: &str = "XNNPACK's extremes may pass over a NaN";
    let node = graph.node(id);
    let x = *node.operands.first()?;
    if graph.ty(x).quant.is_some() || !graph.ty(x).dtype.is_float() {
        return None;
    }
    let is_finite = || is_number(graph, x) && is_bounded(graph, x);
    match &node.op {
        Op::Unary(op) => match op.f {
            UnaryFn::Simple(Simple::Exp) => Some("XNNPACK's exp(NaN) is 0"),
            UnaryFn::Simple(Simple::Log) if !is_finite() => {
                Some("XNNPACK's logarithm of infinity or NaN may be a number")
            }
            UnaryFn::Simple(Simple::Sqrt) => Some("XNNPACK's root of infinity is NaN"),
            UnaryFn::Simple(Simple::Rsqrt) if !is_positive(graph, x) => {
                Some("XNNPACK's root of infinity is NaN")
            }
            _ => None,
        },
        Op::Binary(op) if matches!(op.f, BinaryFn::Max | BinaryFn::Min) => {
            let is_known = |&v: &ValueId| is_constant(graph, v);
            let is_guarded = !node.operands.iter().any(is_known)
                && !node.operands.iter().all(|&v| is_number(graph, v));
            is_guarded.then_some(SKIPS)
        }
        Op::Pool(op) => (op.f == PoolFn::Max).then_some(SKIPS),
        Op::AdaptivePool(op) => (op.f == PoolFn::Max).then_some(SKIPS),
        Op::Reduce(op) if matches!(op.f, ReduceFn::Max | ReduceFn::Min) => {
            (!is_softmax_shift(graph, id)).then_some(SKIPS)
        }
        _ => None,
    }
}

/// How kernels of f16 differ.
fn of_halves(sums: Sums) -> String {
    let rule = "XNNPACK's kernels of f16 may answer NaN with a number";
    let sums = match sums {
        Sums::Fit => return rule.to_owned(),
        Sums::FitAssumed => {
            format!("which operands of at most {ASSUMED} do not reach")
        }
        Sums::MayOverflow => "which these weights and operands may reach".to_owned(),
    };
    format!(
        "{rule}, and sums beyond 65504 with infinity, {sums}; --half f32 computes it in f32, in about twice the time where the \
         processor has f16 arithmetic"
    )
}

/// True for a node that is computed in f16. A clamp is computed in its producer's floats if it is part of that.
fn is_native(graph: &Graph, node: &Node, half: Half) -> bool {
    let producer = fuses_into(graph, node);
    halves::is_native(graph, node, half)
        && producer.is_none_or(|id| halves::is_native(graph, graph.node(id), half))
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
