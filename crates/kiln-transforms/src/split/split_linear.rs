//! Splits a linear layer whose result is only read as slices.
//!
//! The parts of a fused projection (queries, keys and values) are then computed by separate layers with parts of the
//! weight, instead of being sliced and moved after one layer. There may be a movement between the layer and the slices,
//! as long as the features of a slice stay together in it. The pass does this if the saved copies cost more than the
//! additional operators, according to the target's cost model ([`Target::elements_per_operator`]).
//!
//! ```kiln
//! split_linear
//! graph "split_linear" {
//!   constant c0 "w" f32[4, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
//!   constant c1 "b" f32[4] = [1.0, 2.0, 3.0, 4.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[40, 3]) {
//!     %1: f32[4, 3] = constant {value=c0}
//!     %2: f32[4] = constant {value=c1}
//!     %3: f32[40, 4] = linear %0, %1, %2 {}
//!     %4: f32[2, 2, 40] = move %3 {movement=(a:40 (b:2 c:2) -> b c a)}
//!     %5: f32[1, 2, 40] = slice %4 {axis=0, start=0, len=1, step=1}
//!     %6: f32[1, 2, 40] = slice %4 {axis=0, start=1, len=1, step=1}
//!     return %5, %6
//!   }
//! }
//! ---
//! graph "split_linear" {
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "b" f32[2] = [1.0, 2.0]
//!   constant c2 "w" f32[2, 3] = [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
//!   constant c3 "b" f32[2] = [3.0, 4.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[40, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[40, 2] = linear %0, %1, %2 {}
//!     %4: f32[40, 1, 2] = move %3 {movement=(a:40 b:2 -> a 1 b)}
//!     %5: f32[1, 2, 40] = move %4 {movement=(a:40 c:1 b:2 -> c b a)}
//!     %6: f32[2, 3] = constant {value=c2}
//!     %7: f32[2] = constant {value=c3}
//!     %8: f32[40, 2] = linear %0, %6, %7 {}
//!     %9: f32[40, 1, 2] = move %8 {movement=(a:40 b:2 -> a 1 b)}
//!     %10: f32[1, 2, 40] = move %9 {movement=(a:40 c:1 b:2 -> c b a)}
//!     return %5, %10
//!   }
//! }
//! ```

use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::graph::{Graph, Use};
use kiln_ir::movement::Factor;
use kiln_ir::ops::{Linear, Slice};
use kiln_ir::{Builder, Dim, Movement, NodeId, Op, Rewriter, ValueId};

guards! {
    /// The sliced axis is the outermost factor of the features.
    OUTERMOST;
    /// A slice takes neighbours.
    NEIGHBOURS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "split_linear",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "part_of_linear",
    rewrite,
}];

/// A layer with more parts is not split.
const MAX_PARTS: usize = 16;

/// Splits layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// A slice of a layer's result, possibly through one movement.
struct Part {
    layer: NodeId,
    movement: Option<Movement>,
    /// The number of features for one position of the sliced axis.
    each: i64,
    start: i64,
    len: i64,
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Some(part) = part_of(emitter.graph(), id) else {
        return Ok(None);
    };
    let graph = emitter.graph();
    let layer = graph.node(part.layer);
    let shape = graph.ty(graph.node(id).result()).shape.clone();
    let (features, operands) = (
        graph.ty(layer.result()).shape.clone(),
        layer.operands.clone(),
    );
    let elements = features.max_elements(&graph.symbols).unwrap_or(0) as u64;
    if elements
        < emitter
            .elements_per_operator()
            .saturating_mul(MAX_PARTS as u64)
    {
        return Err(Reason::new(
            "the saved copies cost more than the additional operators",
            format!("{elements} elements"),
        ));
    }
    let (start, len) = (part.start * part.each, part.len * part.each);
    let mut parts = vec![operands[0]];
    for &weights in &operands[1..] {
        parts.push(emitter.slice(weights, 0, start, len, 1)?);
    }
    if parts[1..]
        .iter()
        .any(|&v| emitter.graph().as_constant(v).is_none())
    {
        return Ok(None);
    }
    let value = emitter.value(Linear {}, &parts)?;
    let Some(movement) = &part.movement else {
        return Ok(Some(value));
    };
    moved(emitter, value, movement, part.len, shape.to_vec()).map(Some)
}

/// The movement, applied to a value whose last axis has only `len` positions of its outermost factor.
fn moved(
    emitter: &mut Emitter<'_, '_>,
    value: ValueId,
    movement: &Movement,
    len: i64,
    shape: Vec<Dim>,
) -> crate::framework::emitter::Emitted {
    let order: Vec<Factor> = movement.source().iter().flatten().copied().collect();
    let outermost = movement.source().last().and_then(|f| f.first().copied());
    let size = |f: &Factor| match Some(*f) == outermost {
        true => Dim::constant(len),
        false => movement.sizes()[f.index()].clone(),
    };
    let split: Vec<Dim> = order.iter().map(size).collect();
    let place = |f: Factor| order.iter().position(|&o| o == f);
    let permutation: Option<Vec<usize>> = movement.result_order().map(place).collect();
    let permutation = permutation
        .ok_or_else(|| Reason::new("a movement loses no factor", format!("{movement}")))?;
    let value = emitter.reshape(value, split)?;
    let value = emitter.permute(value, &permutation)?;
    emitter.reshape(value, shape)
}

/// The part of a layer that a slice reads, if all readers of the layer are slices that do not overlap.
fn part_of(graph: &Graph, id: NodeId) -> Option<Part> {
    let Op::Slice(slice) = &graph.node(id).op else {
        return None;
    };
    let cut = graph.node(id).operands[0];
    let (movement, result) = match graph.producer_op(cut)? {
        Op::Move(op) => (
            Some(op.movement.clone()),
            graph.node(graph.producer(cut)?).operands[0],
        ),
        _ => (None, cut),
    };
    let layer = graph.producer(result)?;
    let is_known = |&v: &ValueId| graph.as_constant(v).is_some() && is_read_once(graph, v);
    let node = graph.node(layer);
    let is_layer = matches!(node.op, Op::Linear(_)) && node.operands[1..].iter().all(is_known);
    if !is_layer
        || (movement.is_some() && !is_read_once(graph, result))
        || !is_cut_up(graph, cut, slice.axis)
    {
        return None;
    }
    let features = graph.ty(result).shape.last()?.as_const()?;
    let places = graph.ty(cut).shape[slice.axis].as_const()?;
    let is_outermost = match &movement {
        None => slice.axis + 1 == graph.ty(cut).rank(),
        Some(movement) => {
            let outermost = movement.source().last()?.first().copied();
            let axis = &movement.result()[slice.axis];
            axis.len() == 1 && OUTERMOST.holds(axis.first().copied() == outermost)
        }
    };
    is_outermost.then_some(Part {
        layer,
        movement,
        each: features / places.max(1),
        start: slice.start.as_const()?,
        len: slice.len.as_const()?,
    })
}

/// True if all readers of the value are slices along the axis that do not overlap.
fn is_cut_up(graph: &Graph, value: ValueId, axis: usize) -> bool {
    let uses = graph.value(value).uses();
    let range = |u: &Use| match *u {
        Use::Operand(reader, _) => match &graph.node(reader).op {
            Op::Slice(Slice {
                axis: along,
                start,
                len,
                step,
            }) if *along == axis && NEIGHBOURS.holds(*step == 1) => {
                let start = start.as_const()?;
                Some((start, start + len.as_const()?))
            }
            _ => None,
        },
        Use::BlockResult(..) | Use::Update(_) => None,
    };
    let ranges: Option<Vec<(i64, i64)>> = uses.iter().take(MAX_PARTS + 1).map(range).collect();
    let Some(mut ranges) = ranges.filter(|r| r.len() <= MAX_PARTS) else {
        return false;
    };
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0)
}
