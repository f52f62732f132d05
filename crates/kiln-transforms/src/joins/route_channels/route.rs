//! The ranges of channels from which a layer behind a shuffle can read directly.

use super::wires::{Wire, Wires, wires_of};
use super::{CHANNELS, is_dense};
use crate::framework::rewriting::is_read_once;
use crate::framework::target::Reason;
use crate::guards;
use indexmap::IndexMap;
use kiln_ir::quant::QuantScheme;
use kiln_ir::{Graph, NodeId, Op, ValueId};

guards! {
    /// Each channel of the result comes from one channel, and is the only one that does.
    ONE_EACH;
}

/// The most ranges from which one layer reads.
const MAX_RANGES: usize = 16;

/// A dense layer whose channels come through a shuffle.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The dense layer.
    pub layer: NodeId,
    /// The depthwise layer in front of it, if there is one. It is then the one that reads the shuffled channels.
    pub by_channel: Option<NodeId>,
    /// The ranges to read instead.
    pub route: Route,
    /// The joins, slices and shuffles that the channels pass through.
    pub passed: Vec<NodeId>,
}

impl Candidate {
    /// The candidate at a dense layer. `None` if the layer does not read shuffled channels; an error if it cannot be
    /// routed.
    pub fn at(graph: &Graph, layer: NodeId) -> Option<Result<Candidate, Reason>> {
        let node = graph.node(layer);
        if !is_dense(graph, node) {
            return None;
        }
        let by_channel = layer_by_channel(graph, node.operands[0]);
        let read = by_channel.map_or(node.operands[0], |id| graph.node(id).operands[0]);
        let Wires { wires, passed } = wires_of(graph, read, CHANNELS)?;
        if !has_one_scale(graph, read) {
            return None;
        }
        let is_shuffle = |n: &NodeId| matches!(graph.node(*n).op, Op::Move(_));
        if !passed.iter().any(is_shuffle) {
            return None;
        }
        let route = Route::of(&wires).ok_or_else(|| {
            Reason::new(
                format!("the layer reads each channel once, in at most {MAX_RANGES} ranges"),
                "more ranges, or a channel that is read twice",
            )
        });
        Some(route.map(|route| Candidate {
            layer,
            by_channel,
            route,
            passed,
        }))
    }

    /// The node that reads the shuffled channels.
    pub fn reader(&self) -> NodeId {
        self.by_channel.unwrap_or(self.layer)
    }
}

/// A range of neighbouring channels of one source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Range {
    /// The value that holds the channels.
    pub source: ValueId,
    /// The first channel.
    pub start: i64,
    /// The number of channels.
    pub len: i64,
}

/// The ranges that a layer reads instead of shuffled channels.
#[derive(Clone, Debug)]
pub(super) struct Route {
    /// The ranges in the new order.
    pub ranges: Vec<Range>,
    /// For each channel in the new order, its index in the old order.
    pub channels: Vec<i64>,
}

impl Route {
    /// The route with sources in order of first use, and ascending channels of each source. `None` if a channel is read
    /// twice or there are too many ranges.
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
        (route.ranges.len() <= MAX_RANGES).then_some(route)
    }
}

/// The depthwise convolution with constant weights that computes a value, if the value is read once.
fn layer_by_channel(graph: &Graph, value: ValueId) -> Option<NodeId> {
    let id = graph
        .producer(value)
        .filter(|_| is_read_once(graph, value))?;
    let node = graph.node(id);
    let Op::Conv(op) = node.op.computing() else {
        return None;
    };
    let weight = &graph.ty(*node.operands.get(1)?).shape;
    let each = ONE_EACH.holds(weight[0].as_const() == Some(op.groups));
    let each = each && weight[1].is(1) && op.groups > 1;
    let known = node.operands[1..]
        .iter()
        .all(|&v| graph.as_constant(v).is_some());
    (each && known && !op.transposed && has_one_scale(graph, value)).then_some(id)
}

/// True unless the value has a scale for each channel, because such an op's attributes depend on the order of channels.
fn has_one_scale(graph: &Graph, value: ValueId) -> bool {
    let quant = graph.ty(value).quant.as_ref();
    quant.is_none_or(|q| matches!(q.scheme, QuantScheme::PerTensor { .. }))
}
