//! Turns a constant that is added to each channel of a layer's result into the layer's bias, through movements too.
//!
//! The channels are tracked as an axis through the movements, not by their number. A movement that splits the axis or
//! merges it with another ends the search, and so does a value with several readers. For layers between movements that
//! are no pointwise maps, the reason is reported (see [`crate::analysis::pointwise`]).
//!
//! ```kiln
//! separate_bias
//! graph "separate_bias" {
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "b" f32[2, 1] = [0.5, -0.5]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[5, 2] = linear %0, %1 {}
//!     %3: f32[2, 5] = move %2 {movement=(a:5 b:2 -> b a)}
//!     %4: f32[2, 1] = constant {value=c1}
//!     %5: f32[2, 5] = binary %3, %4 {f=add}
//!     return %5
//!   }
//! }
//! ---
//! graph "separate_bias" {
//!   constant c0 "w" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "b" f32[2] = [0.5, -0.5]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[5, 2] = linear %0, %1, %2 {}
//!     %4: f32[2, 5] = move %3 {movement=(a:5 b:2 -> b a)}
//!     return %4
//!   }
//! }
//! ```

use crate::analysis::constants::is_constant;
use crate::analysis::pointwise;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once, names, run_pass};
use crate::framework::target::{Reason, Target};
use crate::guards;
use kiln_ir::movement::Movement;
use kiln_ir::ops::BinaryFn;
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, Shape, ValueId};

guards! {
    /// The constant is added.
    SUM;
    /// The constant has one element, or one for each channel.
    BY_CHANNEL;
    /// The layer has no bias, which the summand would replace.
    NO_BIAS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "separate_bias",
    keeps_bits: false,
    run,
    rules: &names::<{ RULES.len() }>(RULES, &[]),
    guards: &[GUARDS],
};

const RULES: &[Rule] = &[Rule {
    name: "bias_behind_movements",
    rewrite,
}];

/// The most movements in a row that are followed. A clean graph has only a few in a row.
const MAX_MOVEMENTS: usize = 16;

/// Turns summands into biases; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
    pointwise::report(rewriter.graph(), report);
}

/// Tells the weights of the layers that get a bias.
type IsWeight = fn(&Graph, ValueId) -> bool;

/// A convolution or linear layer with such a weight and no bias, which is read once.
#[derive(Clone, Copy)]
struct Layer {
    node: NodeId,
    /// The axis of the result that holds the output channels.
    channel_axis: usize,
    channels: i64,
}

impl Layer {
    fn of(graph: &Graph, value: ValueId, is_weight: IsWeight) -> Option<Layer> {
        let read_once = graph.producer(value).filter(|_| is_read_once(graph, value));
        let node = graph.node(read_once?);
        let ty = graph.ty(value);
        let channel_axis = match node.op.computing() {
            Op::Conv(_) => 1,
            Op::Linear(_) => ty.rank() - 1,
            _ => return None,
        };
        let is_free = NO_BIAS.holds(node.operands.len() == 2);
        let is_plain = ty.quant.is_none() && ty.dtype.is_float();
        if !is_free || !is_plain || !is_weight(graph, node.operands[1]) {
            return None;
        }
        Some(Layer {
            node: read_once?,
            channel_axis,
            channels: ty.shape[channel_axis].as_const()?,
        })
    }
}

/// A layer, and the movements after it in order.
struct Moved {
    layer: Layer,
    movements: Vec<Movement>,
}

impl Moved {
    /// The layer from which a value results by movements alone, all of which are read once.
    fn of(graph: &Graph, value: ValueId, is_weight: IsWeight) -> Option<Moved> {
        let (mut value, mut movements) = (value, Vec::new());
        while movements.len() <= MAX_MOVEMENTS {
            if let Some(layer) = Layer::of(graph, value, is_weight) {
                movements.reverse();
                return Some(Moved { layer, movements });
            }
            let node = graph.node(
                graph
                    .producer(value)
                    .filter(|_| is_read_once(graph, value))?,
            );
            let Op::Move(op) = &node.op else { return None };
            movements.push(op.movement.clone());
            value = node.operands[0];
        }
        None
    }

    /// The axis of the last movement's result that equals the axis of the layer's channels.
    fn channel_axis(&self) -> Option<usize> {
        let axis = self.layer.channel_axis;
        let mut movements = self.movements.iter();
        movements.try_fold(axis, |axis, movement| movement.is_axis_kept(axis))
    }
}

fn rewrite(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    with_bias(emitter, node, is_constant)
}

/// A layer whose weight is such a value, with the summand of the node as its bias.
pub(crate) fn with_bias(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    is_weight: IsWeight,
) -> Rewritten {
    let graph = emitter.graph();
    let found = graph.node(node);
    let (Op::Binary(op), &[a, b]) = (&found.op, found.operands.as_slice()) else {
        return Ok(None);
    };
    if !SUM.holds(op.f == BinaryFn::Add) {
        return Ok(None);
    }
    let (x, summand) = if graph.as_constant(a).is_some() {
        (b, a)
    } else {
        (a, b)
    };
    let Some(moved) = Moved::of(graph, x, is_weight) else {
        return Ok(None);
    };
    if graph.as_constant(summand).is_none() {
        return Err(Reason::new(
            "the summand that becomes a layer's bias is a constant",
            "a value that is computed at run time",
        ));
    }
    let Some(axis) = moved.channel_axis() else {
        return Err(Reason::new(
            "the layer's channels are an axis of their own where the constant is added",
            "a movement in between that splits or merges them",
        ));
    };
    let (own, channels) = (&graph.ty(summand).shape, moved.layer.channels);
    if own.rank() != graph.ty(x).rank() || !BY_CHANNEL.holds(is_per_channel(own, axis, channels)) {
        let rule = format!("a bias has one element, or one for each channel (axis {axis})");
        return Err(Reason::new(rule, format!("{own:?}")));
    }
    biased(emitter, &moved, summand)
}

fn is_per_channel(shape: &Shape, axis: usize, channels: i64) -> bool {
    let fits = |(i, size): (usize, &kiln_ir::Dim)| size.is(1) || (i == axis && size.is(channels));
    shape.iter().enumerate().all(fits)
}

/// The layer with the summand as its bias, followed by the same movements.
fn biased(emitter: &mut Emitter<'_, '_>, moved: &Moved, summand: ValueId) -> Rewritten {
    let layer = moved.layer;
    let node = emitter.graph().node(layer.node).clone();
    let bias = bias_of(emitter, layer, summand)?;
    let operands = [node.operands[0], node.operands[1], bias];
    if !emitter.is_no_worse(layer.node, node.op.clone(), &operands) {
        return Err(Reason::new(
            "the target runs the layer with this bias at least as well as without it",
            "that it runs the layer worse",
        ));
    }
    let made = emitter.value(node.op, &operands)?;
    let mut movements = moved.movements.iter().cloned();
    let value = movements.try_fold(made, |value, m| emitter.movement(value, m));
    value.map(Some)
}

/// The summand as a vector of the layer's channels, in the layer's dtype.
fn bias_of(emitter: &mut Emitter<'_, '_>, layer: Layer, summand: ValueId) -> Emitted {
    let name = emitter.graph().as_constant(summand);
    let name = name.map_or(String::new(), |c| c.name.to_string());
    let elements = emitter.ty(summand).shape.elements();
    let vector = emitter.reshape(summand, vec![elements])?;
    let channels = Shape::from(vec![kiln_ir::Dim::from(layer.channels)]);
    let vector = emitter.broadcast(vector, channels)?;
    let dtype = emitter.ty(emitter.graph().node(layer.node).result()).dtype;
    let vector = emitter.cast(vector, dtype)?;
    Ok(match name.is_empty() {
        true => vector,
        false => emitter.renamed(vector, &name),
    })
}
