//! Rounds activations: puts a quantisation and a dequantisation behind each that an integer op reads or gives.
//!
//! What only moves or picks elements takes the integers as they are, so the value that it takes is rounded. A sum or a layer that
//! only a clamp reads is rounded behind the clamp, whose bounds then need no operator.

use crate::choice::{Choice, is_clamp, operands_of};
use crate::clipping::clipped;
use crate::grid::Grid;
use crate::ranges::{Range, Ranges};
use crate::{Ends, Scope, weights};
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, Dequantize, Quantize};
use kiln_ir::{DType, Graph, NodeId, Op, Place, Quant, QuantScheme, Rewriter, ValueId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Rounds activations, and constants that integer ops add to them or multiply with them. Gives the number of activations, and of
/// those whose range ends before numbers of the samples.
pub(crate) fn quantise(
    graph: &mut Graph,
    ranges: &Ranges,
    scope: Scope,
    (grid, ends): (Grid, Ends),
) -> (usize, usize) {
    let places = places(graph, scope);
    let (mut rounded, mut clamped) = (0, 0);
    // All ranges are those of the graph before anything is rounded.
    let sums = Sums {
        graph,
        ranges,
        choice: &places.choice,
    };
    let limits = places.pairs.iter();
    let limits: Vec<_> = limits
        .map(|&node| [0, 1].map(|slot| sums.useful(node, slot)))
        .collect();
    let found = places.values.iter().map(|&value| {
        let range = sums.range_of(value)?;
        let own = match ends {
            Ends::Extremes => range,
            Ends::LeastError => clipped(graph, ranges, (value, range), grid),
        };
        clamped += usize::from(own != range);
        Some(own)
    });
    let found: Vec<Option<Range>> = found.collect();
    let mut rewriter = Rewriter::new(graph);
    for (&node, limits) in places.pairs.iter().zip(limits) {
        weights::quantise_operands(&mut rewriter, node, limits, grid);
    }
    for (place, range) in places.values.iter().zip(found) {
        let Some(range) = range else {
            continue;
        };
        let (scale, zero_point) = grid.parameters(range);
        let quant = Arc::new(Quant {
            scheme: QuantScheme::PerTensor { scale, zero_point },
            min: grid.min,
            max: grid.max,
        });
        round(&mut rewriter, *place, (quant, grid.dtype), &places);
        rounded += 1;
    }
    (rounded, clamped)
}

/// Where activations are rounded.
struct Places {
    /// The values, in order.
    values: Vec<ValueId>,
    /// The nodes that compute in integers, and those that pass them on.
    choice: Choice,
    /// The nodes of pairs of operands that compute in integers, in order.
    pairs: Vec<NodeId>,
}

fn places(graph: &Graph, scope: Scope) -> Places {
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    let choice = Choice::of(graph, scope);
    // Others take floats beside integers.
    let is_pair = |id: &&NodeId| {
        let is_binary = matches!(graph.node(**id).op, Op::Binary(_));
        scope == Scope::All && is_binary && choice.integers.contains(id)
    };
    let pairs = nodes.iter().filter(is_pair).copied().collect();
    let mut places = Places {
        values: Vec::new(),
        choice,
        pairs,
    };
    let mut wanted: FxHashSet<ValueId> = FxHashSet::default();
    for &id in nodes
        .iter()
        .filter(|id| places.choice.integers.contains(id))
    {
        let node = graph.node(id);
        let read = node.operands.iter().take(operands_of(&node.op));
        for &value in read.chain(&node.results) {
            if let Some(origin) = places.origin(graph, value)
                && wanted.insert(origin)
            {
                places.values.push(origin);
            }
        }
    }
    places
}

impl Places {
    /// The value whose integers a value has. `None` for a constant.
    fn origin(&self, graph: &Graph, mut value: ValueId) -> Option<ValueId> {
        if let Some(clamp) = only_clamp(graph, value)
            && graph
                .producer(value)
                .is_some_and(|node| self.choice.integers.contains(&node))
        {
            value = graph.node(clamp).result();
        }
        loop {
            let Some(node) = graph.producer(value) else {
                return Some(value);
            };
            let data = graph.node(node);
            if matches!(data.op, Op::Constant(_)) {
                return None;
            }
            let is_passed = self.choice.carriers.contains(&node) && !self.ends_at(graph, data);
            if !is_passed {
                return Some(value);
            }
            value = data.operands[0];
        }
    }

    /// True for a clamp behind a node of integers that nothing else reads.
    fn ends_at(&self, graph: &Graph, node: &Node) -> bool {
        let maker = graph.producer(node.operands[0]);
        is_clamp(&node.op)
            && maker.is_some_and(|maker| self.choice.integers.contains(&maker))
            && graph.value(node.operands[0]).uses().len() == 1
    }
}

/// The clamp that alone reads a value.
fn only_clamp(graph: &Graph, value: ValueId) -> Option<NodeId> {
    match graph.value(value).uses() {
        [Use::Operand(node, 0)] if is_clamp(&graph.node(*node).op) => Some(*node),
        _ => None,
    }
}

/// The numbers of an operand for which the result of a sum or of an extreme does not saturate anyway. A mask of -1e9 needs no more of
/// them than the scores that it hides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Useful {
    pub(crate) least: Option<f64>,
    pub(crate) greatest: Option<f64>,
}

impl Useful {
    /// Takes in what another reader uses. False if that is unknown.
    fn admit(&mut self, other: Option<Useful>) -> bool {
        let Some(Useful {
            least: Some(least),
            greatest: Some(greatest),
        }) = other
        else {
            return false;
        };
        self.least = Some(self.least.map_or(least, |own| own.min(least)));
        self.greatest = Some(self.greatest.map_or(greatest, |own| own.max(greatest)));
        true
    }
}

/// What of its operands a graph's softmaxes, sums and extremes use.
struct Sums<'s> {
    graph: &'s Graph,
    ranges: &'s Ranges,
    choice: &'s Choice,
}

impl Sums<'_> {
    /// The range within which a value is rounded: what was seen, or the part of it that all readers use.
    fn range_of(&self, value: ValueId) -> Option<Range> {
        let seen = self.of_scores(value).or_else(|| self.ranges.get(value))?;
        let mut useful = Useful::default();
        let readers = readers(self.graph, value).unwrap_or_default();
        let is_used = !readers.is_empty()
            && readers
                .into_iter()
                .all(|(node, slot)| useful.admit(self.useful(node, slot)));
        Some(match (is_used, useful.least, useful.greatest) {
            (true, Some(least), Some(greatest)) => Range {
                min: match self.ranges.has_nothing(value) {
                    true => least.min(0.0),
                    false => seen.min.max(least).min(0.0),
                },
                max: seen.max.min(greatest).max(0.0),
            },
            _ => seen,
        })
    }

    /// The range of a value that softmaxes alone read.
    fn of_scores(&self, value: ValueId) -> Option<Range> {
        let mut range = self.ranges.get(value)?;
        let readers = readers(self.graph, value)?;
        let mut least = f64::INFINITY;
        for (node, slot) in readers {
            let node = self.graph.node(node);
            if !matches!(&node.op, Op::Softmax(op) if !op.log) {
                return None;
            }
            least = least.min(self.ranges.of_scores(node.operands[slot])?.min);
        }
        range.min = if least.is_finite() { least } else { range.min };
        Some(range)
    }

    /// What a node of integers uses of one of its operands; `None` if that is not known.
    fn useful(&self, id: NodeId, slot: usize) -> Option<Useful> {
        let node = self.graph.node(id);
        let Op::Binary(op) = &node.op else {
            return None;
        };
        if !self.choice.integers.contains(&id) {
            return None;
        }
        let result = node.result();
        let result = self.of_scores(result).or_else(|| self.ranges.get(result))?;
        let other = node.operands[1 - slot];
        let other = match self.graph.as_constant(other) {
            Some(constant) => Range::of(weights::finite(constant.data.bytes())?),
            None => self.ranges.get(other)?,
        };
        let (least, greatest) = match (op.f, slot) {
            (BinaryFn::Add, _) => (result.min - other.max, result.max - other.min),
            (BinaryFn::Sub, 0) => (result.min + other.min, result.max + other.max),
            (BinaryFn::Sub, _) => (other.min - result.max, other.max - result.min),
            (BinaryFn::Max | BinaryFn::Min, _) => (result.min, result.max),
            _ => return None,
        };
        Some(Useful {
            least: Some(least),
            greatest: Some(greatest),
        })
    }
}

/// The nodes that read a value, with the operand's slot, also behind ops that only move elements. `None` if the caller or state takes it.
pub(crate) fn readers(graph: &Graph, value: ValueId) -> Option<Vec<(NodeId, usize)>> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(value) = open.pop() {
        for use_ in graph.value(value).uses() {
            let Use::Operand(reader, slot) = *use_ else {
                return None;
            };
            match &graph.node(reader).op {
                Op::Move(_) | Op::Slice(_) | Op::Broadcast(_) => {
                    open.push(graph.node(reader).result());
                }
                _ => found.push((reader, slot as usize)),
            }
        }
    }
    Some(found)
}

/// Rounds a value for its readers: for all if it is computed from integers, else for those that compute in them.
fn round(
    rewriter: &mut Rewriter<'_>,
    value: ValueId,
    (quant, dtype): (Arc<Quant>, DType),
    places: &Places,
) {
    let graph = rewriter.graph();
    let producer = graph.producer(value);
    let is_made_of_integers = producer.is_some_and(|node| {
        places.choice.integers.contains(&node) || places.choice.carriers.contains(&node)
    });
    let reads_integers = |use_: &Use| match use_ {
        Use::Operand(node, _) => {
            places.choice.integers.contains(node) || places.choice.carriers.contains(node)
        }
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    let uses = graph.value(value).uses().iter().copied();
    let uses: Vec<Use> = uses
        .filter(|use_| is_made_of_integers || reads_integers(use_))
        .collect();
    if uses.is_empty() {
        return;
    }
    let place = match producer {
        Some(node) => Place::After(node),
        None => Place::Start(graph.root()),
    };
    match producer {
        Some(node) => rewriter.set_sources_of(&[node]),
        None => rewriter.set_sources([]),
    }
    let made = rewriter.insert(place, Quantize { quant, dtype }, &[value]);
    let Ok(quantize) = made else {
        return;
    };
    let integers = rewriter.graph().node(quantize).result();
    let dtype = DType::F32;
    let Ok(real) = rewriter.value(Place::After(quantize), Dequantize { dtype }, &[integers]) else {
        rewriter.erase(quantize);
        return;
    };
    for use_ in uses {
        rewriter.set_use(use_, real);
    }
}
