//! Gives channels of zeros the greatest scale of the channels beside them.
//!
//! A channel of zeros, as pruning and batch norms of factor 0 leave it, has any scale, and observers give it a tiny one. The bias of the
//! channel counts in steps of that scale, and would not fit its integers.
//!
//! ```kiln
//! live_scales
//! graph "dead_channel" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.000000000931322574615478515625] [0, 0] in [-127, 127]) = [1, -2, 3, 0, 0, 0]
//!   output tensor
//!   block b0 () {
//!     %0: i8[2, 3] as (per_channel 0 [0.5, 0.000000000931322574615478515625] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %1: f32[2, 3] = dequantize %0 {dtype=f32}
//!     return %1
//!   }
//! }
//! ---
//! graph "dead_channel" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.5] [0, 0] in [-127, 127]) = [1, -2, 3, 0, 0, 0]
//!   output tensor
//!   block b0 () {
//!     %0: i8[2, 3] as (per_channel 0 [0.5, 0.5] [0, 0] in [-127, 127]) = constant {value=c0}
//!     %1: f32[2, 3] = dequantize %0 {dtype=f32}
//!     return %1
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use crate::guards;
use kiln_ir::graph::Constant;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, NodeId, Op, Rewriter, TensorData};
use std::sync::Arc;

guards! {
    /// All integers of the channel stand for 0, whatever the scale is.
    DEAD;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "live_scales",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[GUARDS],
};

const RULE: Rule = Rule {
    name: "live_scales",
    rewrite,
};

/// Scales that are so far apart are looked at: less does not take the bits of a bias.
const APART: f64 = 1024.0;

/// Replaces scales; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    if !matches!(node.op, Op::Dequantize(_)) {
        return Ok(None);
    }
    let (op, weight) = (node.op.clone(), node.operands[0]);
    let Some(constant) = graph.as_constant(weight) else {
        return Ok(None);
    };
    let Some(quant) = constant
        .ty
        .quant
        .as_deref()
        .and_then(|quant| enlarged(quant, &constant.data))
    else {
        return Ok(None);
    };
    let mut ty = constant.ty.clone();
    ty.quant = Some(Arc::new(quant));
    let (name, data) = (constant.name.clone(), constant.data.clone());
    let weight = emitter.known_constant(Constant { name, ty, data });
    emitter.unfolded(op, &[weight]).map(Some)
}

/// The quantisation with other scales of channels of zeros; `None` if none changes.
fn enlarged(quant: &Quant, data: &TensorData) -> Option<Quant> {
    let QuantScheme::PerChannel {
        axis,
        scales,
        zero_points,
    } = &quant.scheme
    else {
        return None;
    };
    let greatest = scales.iter().copied().fold(0.0, f64::max);
    let least = scales.iter().copied().fold(f64::INFINITY, f64::min);
    if greatest <= least * APART {
        return None;
    }
    let inner: usize = data.sizes()[axis + 1..].iter().product();
    let mut is_live = vec![false; scales.len()];
    for (position, element) in data.scalars().enumerate() {
        let channel = position / inner.max(1) % scales.len();
        is_live[channel] |= element.as_i64() != zero_points[channel];
    }
    let channels = || scales.iter().zip(&is_live);
    let live = channels().filter(|(_, is_live)| **is_live);
    let most = live.map(|(&scale, _)| scale).reduce(f64::max)?;
    let changes = |scale: f64, is_live: bool| {
        let is_far = scale * APART < most || most * APART < scale;
        is_far && DEAD.holds(!is_live)
    };
    let dead = channels().any(|(&scale, &is_live)| changes(scale, is_live));
    let scales = channels().map(|(&scale, &is_live)| match changes(scale, is_live) {
        true => most,
        false => scale,
    });
    dead.then(|| Quant {
        scheme: QuantScheme::PerChannel {
            axis: *axis,
            scales: scales.collect(),
            zero_points: zero_points.clone(),
        },
        ..quant.clone()
    })
}
