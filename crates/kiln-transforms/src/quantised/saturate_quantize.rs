//! Inserts a limit in front of a quantisation that the target does not saturate.
//!
//! Some kernels convert the quotient of a real and its scale to an integer of 32 or 64 bits. For `+inf`, and for quotients
//! that do not fit, they give the least integer ([`Target::quotients_below`]). If the operand's range does not exclude such
//! reals, the pass inserts an upper limit. All reals above the limit have the greatest integer anyway, so no result
//! changes, and NaN stays NaN. The limit goes in front of movements that are read once; there a delegate can fuse it
//! into the op that computes the operand.
//!
//! ```kiln
//! saturate_quantize kernel quantize
//! graph "limited" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[3, 2] = move %0 {movement=(a:2 b:3 -> b a)}
//!     %2: i8[3, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %1 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %3: f32[2, 3] = unary %0 {f=sigmoid}
//!     %4: i8[2, 3] as (per_tensor 0.5 3 in [-128, 127]) = quantize %3 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     return %2, %4
//!   }
//! }
//! ---
//! graph "limited" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: f32[2, 3] = unary %0 {f=clamp[none, 125.0]}
//!     %2: f32[3, 2] = move %1 {movement=(a:2 b:3 -> b a)}
//!     %3: i8[3, 2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %2 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %4: f32[2, 3] = unary %0 {f=sigmoid}
//!     %5: i8[2, 3] as (per_tensor 0.5 3 in [-128, 127]) = quantize %4 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     return %3, %5
//!   }
//! }
//! ```

use crate::analysis::ranges::{Floats, Ranges};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, run_pass};
use crate::framework::target::{Reason, Target};
use kiln_ir::ops::{BinaryFn, Quantize, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{
    Builder, DType, Graph, NodeId, Op, Rewriter, Scalar, TensorData, TensorType, ValueId,
};

/// The pass.
pub const PASS: Pass = Pass {
    name: "saturate_quantize",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[],
};

const RULE: Rule = Rule {
    name: "saturate_quantize",
    rewrite,
};

/// A limit is this many times the real of the greatest integer, so that rounding of the limit does not matter.
const BEYOND: f64 = 2.0;
/// Allowance for the rounding of ranges.
const MARGIN: f64 = 1.5;
/// The most elements of one weight that are read to determine a range.
const MAX_WEIGHT_ELEMENTS: usize = 1 << 24;
/// The most movements in a row in front of which a limit is put.
const MAX_MOVEMENTS: usize = 8;

/// Limits the operands of quantisations that would not saturate; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Op::Quantize(op) = &emitter.graph().node(id).op else {
        return Ok(None);
    };
    let (op, x) = (op.clone(), emitter.graph().node(id).operands[0]);
    let Some(quotient) = emitter.quotients_below(id) else {
        return Ok(None);
    };
    if !may_exceed(emitter.graph(), x, &op.quant, quotient) {
        return Ok(None);
    }
    let dtype = emitter.ty(x).dtype;
    let x = match limits(&op.quant, quotient, dtype) {
        // The kernels compute half types in f32 anyway.
        None if dtype == DType::F16 => emitter.cast(x, DType::F32)?,
        _ => x,
    };
    let limited = limited(emitter, x, &op, quotient)?;
    emitter.value(op, &[limited]).map(Some)
}

/// True if the quotient of an element of `x` by its scale may reach `quotient`, or be infinite.
fn may_exceed(graph: &Graph, x: ValueId, quant: &Quant, quotient: f64) -> bool {
    if is_limited_by_channel(graph, x, quant, quotient) {
        return false;
    }
    let mut ranges = Ranges::new(graph).reading(MAX_WEIGHT_ELEMENTS);
    let greatest = ranges.of(x).floats().unwrap_or(Floats::ANY).high;
    let least_scale = pairs(quant).into_iter().map(|(scale, _)| scale);
    let least_scale = least_scale.fold(f64::INFINITY, f64::min);
    greatest * MARGIN >= quotient * least_scale
}

/// True if `x` is the result of [`by_channel`]. The range analysis cannot see this, since it has one range for all
/// channels.
fn is_limited_by_channel(graph: &Graph, x: ValueId, quant: &Quant, quotient: f64) -> bool {
    let Some(id) = graph.producer(x) else {
        return false;
    };
    let node = graph.node(id);
    let is_min = matches!(&node.op, Op::Binary(op) if op.f == BinaryFn::Min);
    let bounds = node.operands.get(1).and_then(|&v| graph.as_constant(v));
    let (QuantScheme::PerChannel { axis, .. }, Some(bounds), true) =
        (&quant.scheme, bounds, is_min)
    else {
        return false;
    };
    limits(quant, quotient, graph.ty(x).dtype)
        .is_some_and(|limits| bounds.data == channel_limits(graph.ty(x), *axis, &limits))
}

fn channel_limits(ty: &TensorType, axis: usize, limits: &[f64]) -> TensorData {
    let mut sizes = vec![1; ty.rank()];
    sizes[axis] = limits.len();
    let scalars = limits.iter().map(|&limit| Scalar::Float(limit));
    TensorData::from_scalars(ty.dtype, sizes, scalars)
}

/// True if no limit can make the quantisation saturate, because the limit would exceed what the kernel or the dtype
/// holds.
pub fn cannot_saturate(graph: &Graph, node: NodeId, quotient: f64) -> bool {
    let node = graph.node(node);
    let Op::Quantize(op) = &node.op else {
        return false;
    };
    let x = node.operands[0];
    limits(&op.quant, quotient, DType::F32).is_none() && may_exceed(graph, x, &op.quant, quotient)
}

/// The limits, one for each scale: all reals above have the greatest integer. `None` if a limit exceeds what the kernel
/// converts or what `dtype` holds.
fn limits(quant: &Quant, quotient: f64, dtype: DType) -> Option<Vec<f64>> {
    let greatest = match dtype {
        DType::F16 => 65504.0,
        DType::F64 => f64::MAX,
        _ => 3.38e38,
    };
    let limit = |(scale, zero_point): (f64, i64)| {
        let steps = BEYOND * (quant.max as f64 - zero_point as f64 + 1.0);
        let limit = steps * scale;
        (steps * MARGIN < quotient && limit <= greatest).then_some(limit)
    };
    pairs(quant).into_iter().map(limit).collect()
}

/// The scales and zero points.
fn pairs(quant: &Quant) -> Vec<(f64, i64)> {
    match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => vec![(*scale, *zero_point)],
        QuantScheme::PerChannel {
            scales,
            zero_points,
            ..
        }
        | QuantScheme::PerGroup {
            scales,
            zero_points,
            ..
        } => scales
            .iter()
            .copied()
            .zip(zero_points.iter().copied())
            .collect(),
    }
}

fn limited(emitter: &mut Emitter<'_, '_>, x: ValueId, op: &Quantize, quotient: f64) -> Emitted {
    let dtype = emitter.ty(x).dtype;
    let Some(limits) = limits(&op.quant, quotient, dtype) else {
        let rule = "the dtype holds a limit that quantises to the greatest integer";
        return Err(Reason::new(rule, format!("{dtype} by {:?}", op.quant)));
    };
    let most = limits.iter().copied().fold(0.0, f64::max);
    // One limit serves all channels, unless a scale is so small that the kernel would not saturate at the limit.
    let is_one = pairs(&op.quant)
        .into_iter()
        .all(|(scale, _)| most * MARGIN < quotient * scale);
    match &op.quant.scheme {
        QuantScheme::PerChannel { axis, .. } if !is_one => by_channel(emitter, x, *axis, &limits),
        _ if is_one => everywhere(emitter, x, most, MAX_MOVEMENTS),
        _ => Err(Reason::new(
            "one limit serves all scales",
            format!("{:?}", op.quant.scheme),
        )),
    }
}

/// The minimum of `x` and the limit, inserted in front of at most `moves` movements that are read once.
fn everywhere(emitter: &mut Emitter<'_, '_>, x: ValueId, limit: f64, moves: usize) -> Emitted {
    let graph = emitter.graph();
    if let Some(id) = graph.producer(x)
        && let Op::Move(op) = &graph.node(id).op
        && moves > 0
        && is_read_once(graph, x)
    {
        let (movement, source) = (op.movement.clone(), graph.node(id).operands[0]);
        let inner = everywhere(emitter, source, limit, moves - 1)?;
        return emitter.movement(inner, movement);
    }
    let max = Some(Scalar::Float(f64::from(limit as f32)));
    emitter.unary(UnaryFn::Clamp { min: None, max }, x)
}

fn by_channel(emitter: &mut Emitter<'_, '_>, x: ValueId, axis: usize, limits: &[f64]) -> Emitted {
    let data = channel_limits(emitter.ty(x), axis, limits);
    let limits = emitter.constant("", data);
    emitter.binary(BinaryFn::Min, x, limits)
}
