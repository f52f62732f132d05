//! Lets a dense layer read its channels from where they are computed, instead of through channel shuffles.
//!
//! In ShuffleNet, channel shuffles between joins and splits move every channel. But a dense layer, which multiplies all
//! channels by a known weight, can take them in any order if the columns of its weight are permuted. So its operand
//! becomes a concatenation of ranges of the channels that earlier layers computed, found through any number of joins,
//! slices and shuffles. A depthwise layer in between is permuted too. The pass does this if all readers of those
//! channels are such layers: then the shuffles are dead, and earlier layers can compute the ranges separately
//! ([`crate::split::split_conv`]).
//!
//! ```kiln
//! route_channels
//! graph "shuffled" {
//!   constant c0 "u" f32[4, 1, 1, 1] = [1.0, 2.0, 3.0, 4.0]
//!   constant c1 "v" f32[4, 1, 1, 1] = [5.0, 6.0, 7.0, 8.0]
//!   constant c2 "w" f32[1, 4, 1, 1] = [1.0, 2.0, 3.0, 4.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 2, 2]) {
//!     %1: f32[4, 1, 1, 1] = constant {value=c0}
//!     %2: f32[1, 4, 2, 2] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %3: f32[4, 1, 1, 1] = constant {value=c1}
//!     %4: f32[1, 4, 2, 2] = conv %0, %3 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %5: f32[1, 8, 2, 2] = concat %2, %4 {axis=1}
//!     %6: f32[1, 8, 2, 2] = move %5 {movement=(e:1 (a:2 b:4) c:2 d:2 -> e (b a) c d)}
//!     %7: f32[1, 4, 2, 2] = slice %6 {axis=1, start=4, len=4, step=1}
//!     %8: f32[1, 4, 1, 1] = constant {value=c2}
//!     %9: f32[1, 1, 2, 2] = conv %7, %8 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     return %9
//!   }
//! }
//! ---
//! graph "shuffled" {
//!   constant c0 "u" f32[4, 1, 1, 1] = [1.0, 2.0, 3.0, 4.0]
//!   constant c1 "v" f32[4, 1, 1, 1] = [5.0, 6.0, 7.0, 8.0]
//!   constant c2 "w" f32[1, 4, 1, 1] = [1.0, 3.0, 2.0, 4.0]
//!   input tensor "x" [0, 1, 2, 3]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 1, 2, 2]) {
//!     %1: f32[4, 1, 1, 1] = constant {value=c0}
//!     %2: f32[1, 4, 2, 2] = conv %0, %1 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %3: f32[4, 1, 1, 1] = constant {value=c1}
//!     %4: f32[1, 4, 2, 2] = conv %0, %3 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     %5: f32[1, 2, 2, 2] = slice %2 {axis=1, start=2, len=2, step=1}
//!     %6: f32[1, 2, 2, 2] = slice %4 {axis=1, start=2, len=2, step=1}
//!     %7: f32[1, 4, 2, 2] = concat %5, %6 {axis=1}
//!     %8: f32[1, 4, 1, 1] = constant {value=c2}
//!     %9: f32[1, 1, 2, 2] = conv %7, %8 {stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], groups=1, transposed=false, output_padding=[0, 0]}
//!     return %9
//!   }
//! }
//! ```

mod plan;
mod route;
mod wires;

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Applied, PassContext, Rewritten, Rule};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::content::Then;
use kiln_ir::graph::Node;
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};
use route::Candidate;

guards! {
    /// Each output reads all inputs.
    DENSE;
    /// The second axis of the weight is that of the inputs, as it is unless the convolution is transposed.
    INPUTS_SECOND;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "route_channels",
    keeps_bits: false,
    run,
    rules: &[RULE.name],
    guards: &[GUARDS, route::GUARDS, wires::GUARDS],
};

const RULE: Rule = Rule {
    name: "layer_of_shuffle",
    rewrite,
};

/// The axis of channels.
const CHANNELS: usize = 1;

/// Unused parts of weights are removed once the routed weights exceed this many bytes.
const MAX_UNUSED_BYTES: u64 = 1 << 20;

/// Routes layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    let plan = plan::of(rewriter.graph(), target);
    for (node, reason) in plan.declined {
        report.declined(RULE.name, node, reason);
    }
    let mut cx = PassContext {
        rewriter,
        target,
        report,
    };
    let mut left = 0;
    for node in plan.routed {
        left += bytes_of_weight(cx.graph(), node);
        if matches!(cx.try_rule(&RULE, node), Applied::Stopped) {
            break;
        }
        if left > MAX_UNUSED_BYTES {
            cx.rewriter.remove_unused_constants();
            left = 0;
        }
    }
    rewriter.remove_unused_constants();
}

fn bytes_of_weight(graph: &Graph, layer: NodeId) -> u64 {
    let weight = graph.node(layer).operands.get(1);
    let bytes = weight.and_then(|&v| graph.ty(v).max_bytes(&graph.symbols));
    bytes.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

/// Routes one layer. The candidate is found again, because layers before it may have been routed meanwhile.
fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let candidate = Candidate::at(emitter.graph(), id).transpose()?;
    candidate.map(|found| routed(emitter, &found)).transpose()
}

/// True for a convolution without groups whose weights are constants.
pub(crate) fn is_dense(graph: &Graph, node: &Node) -> bool {
    let is_known = |&v: &ValueId| graph.as_constant(v).is_some();
    let is_dense = matches!(node.op.computing(), Op::Conv(op)
        if DENSE.holds(op.groups == 1) && INPUTS_SECOND.holds(!op.transposed));
    is_dense && node.operands[1..].iter().all(is_known)
}

fn routed(emitter: &mut Emitter<'_, '_>, found: &Candidate) -> Result<ValueId, Reason> {
    let route = &found.route;
    let mut parts = Vec::with_capacity(route.ranges.len());
    for range in &route.ranges {
        parts.push(emitter.slice(range.source, CHANNELS, range.start, range.len, 1)?);
    }
    let mut x = emitter.concat(&parts, CHANNELS)?;
    if let Some(layer) = found.by_channel {
        let node = emitter.graph().node(layer).clone();
        let mut operands = vec![x];
        for &weight in &node.operands[1..] {
            operands.push(taken(emitter, weight, 0, &route.channels)?);
        }
        x = emitter.value(node.op, &operands)?;
    }
    let node = emitter.graph().node(found.layer).clone();
    let mut operands = node.operands.to_vec();
    operands[0] = x;
    operands[1] = taken(emitter, operands[1], CHANNELS, &route.channels)?;
    emitter.value(node.op, &operands)
}

/// A constant with its elements along an axis permuted. Elements at equal distances are taken by one slice. The old
/// constant need not stay in memory, because it has no other readers.
fn taken(
    emitter: &mut Emitter<'_, '_>,
    weight: ValueId,
    axis: usize,
    places: &[i64],
) -> Result<ValueId, Reason> {
    let bytes = emitter.ty(weight).max_bytes(&emitter.graph().symbols);
    emitter.allow_bytes(bytes.and_then(|n| usize::try_from(n).ok()).unwrap_or(0));
    let (mut parts, mut rest) = (Vec::new(), places);
    while let [first, ..] = rest {
        let step = rest.get(1).map_or(1, |next| next - first).max(1);
        let steady = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step);
        let count = 1 + steady.count();
        parts.push(emitter.slice(weight, axis, *first, count as i64, step)?);
        rest = &rest[count..];
    }
    if let Some(old) = emitter.graph().as_constant(weight) {
        old.data.content().passed(Then::Nothing);
    }
    emitter.concat(&parts, axis)
}
