//! A dense layer takes the channels that it reads from where they are made.
//!
//! Channel shuffles between joins and splits (ShuffleNet) move every channel at each of them, although a layer that
//! multiplies all channels by a known weight takes them in any order: the columns of its weight follow. Its operand
//! becomes the join of ranges of what earlier layers made, through any number of joins, slices and shuffles; a layer by
//! channel in between follows too. Done where all that reads those channels is such a layer: then the shuffles are gone,
//! and the ranges are made by themselves ([`crate::split_conv`]).
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

use crate::emitter::Emitter;
use crate::pass::{Pass, Report};
use crate::rewriting::{Rewritten, Rule, is_read_once, run_pass};
use crate::target::{Reason, Target};
use crate::wires::{Wire, passes_channels, wires_of};
use indexmap::IndexMap;
use kiln_ir::graph::{Node, Use};
use kiln_ir::{Graph, NodeId, Op, Rewriter, ValueId};
use rustc_hash::FxHashSet;

/// The pass.
pub const PASS: Pass = Pass {
    name: "route_channels",
    keeps_bits: false,
    run,
};

const RULES: &[Rule] = &[Rule {
    name: "layer_of_shuffle",
    rewrite,
}];

/// The axis of channels.
const CHANNELS: usize = 1;
/// A layer takes its channels from so many ranges at most.
const MOST_RANGES: usize = 16;
/// So many readers of one source are looked at.
const MOST_READERS: usize = 256;

/// Routes the operands of layers; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    if !is_dense(graph, node) {
        return Ok(None);
    }
    let by_channel = layer_by_channel(graph, node.operands[0]);
    let read = by_channel.map_or(node.operands[0], |id| graph.node(id).operands[0]);
    let Some(found) = wires_of(graph, read, CHANNELS).filter(|found| found.is_shuffled) else {
        return Ok(None);
    };
    let Some(route) = Route::of(&found.wires) else {
        return Err(Reason::new(
            format!("each channel is read once, from at most {MOST_RANGES} ranges"),
            "more, or one twice",
        ));
    };
    let each = emitter.elements_per_range();
    let (ranges, channels) = (route.ranges.len() as u64, route.channels.len() as u64);
    if ranges.saturating_mul(each) > channels {
        return Err(Reason::new(
            format!("ranges have {each} channels on average, else copies cost more than shuffles"),
            format!("{ranges} ranges of {channels} channels"),
        ));
    }
    let in_place = emitter.bytes_per_join().is_some();
    let sources: FxHashSet<ValueId> = route.ranges.iter().map(|range| range.source).collect();
    if in_place && !sources.iter().all(|&source| is_made_densely(graph, source)) {
        return Err(Reason::new(
            "the channels are made by dense layers",
            "another maker",
        ));
    }
    if !sources
        .iter()
        .all(|&source| only_layers_read(graph, source, in_place))
    {
        return Err(Reason::new(
            "shuffled channels are read by dense layers alone",
            "another reader",
        ));
    }
    routed(emitter, id, by_channel, &route).map(Some)
}

/// Neighbouring channels of one source.
struct Range {
    source: ValueId,
    start: i64,
    len: i64,
}

/// What a layer reads instead: ranges, and which channel each of theirs was.
struct Route {
    ranges: Vec<Range>,
    channels: Vec<i64>,
}

impl Route {
    /// The sources in the order in which they come, and of each its channels ascending.
    fn of(wires: &[Wire]) -> Option<Route> {
        let mut sources: IndexMap<ValueId, Vec<(i64, i64)>> = IndexMap::new();
        for (channel, wire) in wires.iter().enumerate() {
            sources
                .entry(wire.source)
                .or_default()
                .push((wire.index, channel as i64));
        }
        let mut route = Route {
            ranges: Vec::new(),
            channels: Vec::new(),
        };
        for (source, mut places) in sources {
            places.sort_unstable();
            for (i, &(index, channel)) in places.iter().enumerate() {
                let previous = i.checked_sub(1).map(|i| places[i].0);
                match route.ranges.last_mut() {
                    _ if previous == Some(index) => return None,
                    Some(range) if previous == Some(index - 1) => range.len += 1,
                    _ => route.ranges.push(Range {
                        source,
                        start: index,
                        len: 1,
                    }),
                }
                route.channels.push(channel);
            }
        }
        (route.ranges.len() <= MOST_RANGES).then_some(route)
    }
}

/// True for a convolution of all channels with known weights.
pub(crate) fn is_dense(graph: &Graph, node: &Node) -> bool {
    let is_known = |&v: &ValueId| graph.as_constant(v).is_some();
    let is_dense = matches!(node.op.computing(), Op::Conv(op) if op.groups == 1 && !op.transposed);
    is_dense && node.operands[1..].iter().all(is_known)
}

/// The convolution of each channel by itself, with known weights, that makes a value for one reader.
fn layer_by_channel(graph: &Graph, value: ValueId) -> Option<NodeId> {
    let id = graph
        .producer(value)
        .filter(|_| is_read_once(graph, value))?;
    let node = graph.node(id);
    let Op::Conv(op) = node.op.computing() else {
        return None;
    };
    let weight = &graph.ty(*node.operands.get(1)?).shape;
    let each = weight[0].as_const() == Some(op.groups) && weight[1].is(1) && op.groups > 1;
    let known = node.operands[1..]
        .iter()
        .all(|&v| graph.as_constant(v).is_some());
    (each && known && !op.transposed).then_some(id)
}

fn is_made_densely(graph: &Graph, source: ValueId) -> bool {
    graph
        .producer(source)
        .is_some_and(|id| is_dense(graph, graph.node(id)))
}

/// True if dense layers alone read what of the source's channels is shuffled, or `all` of them.
fn only_layers_read(graph: &Graph, source: ValueId, all: bool) -> bool {
    let (mut open, mut seen) = (vec![(source, all)], FxHashSet::default());
    while let Some((value, counts)) = open.pop() {
        for read in graph.value(value).uses() {
            let Use::Operand(reader, slot) = *read else {
                if counts {
                    return false;
                }
                continue;
            };
            let node = graph.node(reader);
            if passes_channels(&node.op, CHANNELS) {
                let counts = counts || matches!(node.op, Op::Move(_));
                if seen.insert((reader, counts)) {
                    open.push((node.result(), counts));
                }
            } else if counts && (slot != 0 || !takes_any_order(graph, node)) {
                return false;
            }
            if seen.len() > MOST_READERS {
                return false;
            }
        }
    }
    true
}

/// True for a dense layer, and for one by channel that a dense one reads.
fn takes_any_order(graph: &Graph, node: &Node) -> bool {
    let [result] = node.results[..] else {
        return false;
    };
    if is_dense(graph, node) {
        return true;
    }
    let reads_it = |read: &Use| matches!(*read, Use::Operand(reader, 0) if is_dense(graph, graph.node(reader)));
    layer_by_channel(graph, result).is_some() && graph.value(result).uses().iter().all(reads_it)
}

fn routed(
    emitter: &mut Emitter<'_, '_>,
    id: NodeId,
    by_channel: Option<NodeId>,
    route: &Route,
) -> Result<ValueId, Reason> {
    let mut parts = Vec::with_capacity(route.ranges.len());
    for range in &route.ranges {
        parts.push(emitter.slice(range.source, CHANNELS, range.start, range.len, 1)?);
    }
    let mut x = emitter.concat(&parts, CHANNELS)?;
    if let Some(layer) = by_channel {
        let node = emitter.graph().node(layer).clone();
        let mut operands = vec![x];
        for &weight in &node.operands[1..] {
            operands.push(taken(emitter, weight, 0, &route.channels)?);
        }
        x = emitter.node(node.op, &operands)?;
    }
    let node = emitter.graph().node(id).clone();
    let mut operands = node.operands.to_vec();
    operands[0] = x;
    operands[1] = taken(emitter, operands[1], CHANNELS, &route.channels)?;
    emitter.node(node.op, &operands)
}

/// A constant's elements along an axis in another order: those at steady distances at once.
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
    emitter.concat(&parts, axis)
}
