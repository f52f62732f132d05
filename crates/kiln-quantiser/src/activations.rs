//! Rounds activations: puts a quantisation and a dequantisation behind each that an integer op reads or gives.
//!
//! What only moves or picks elements takes the integers as they are, so the value that it takes is rounded. A sum or a layer that
//! only a clamp reads is rounded behind the clamp, whose bounds then need no operator.

use crate::ranges::Ranges;
use crate::{Scope, layers, weights};
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{
    BinaryFn, Dequantize, Facts, Meaning, PoolFn, Quantize, ReduceFn, Rounding, Simple, UnaryFn,
};
use kiln_ir::{DType, Graph, NodeId, Op, Place, Quant, QuantScheme, Rewriter, ValueId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The integers of activations.
const MIN: i64 = -128;
const MAX: i64 = 127;

/// Rounds activations, and constants that integer ops add to them or multiply with them. Gives the number of activations.
pub(crate) fn quantise(graph: &mut Graph, ranges: &Ranges, scope: Scope) -> usize {
    let places = places(graph, scope);
    let mut rounded = 0;
    let mut rewriter = Rewriter::new(graph);
    for &node in &places.pairs {
        weights::quantise_operands(&mut rewriter, node);
    }
    for place in &places.values {
        let Some(range) = ranges.get(*place) else {
            continue;
        };
        let (scale, zero_point) = range.parameters(MIN, MAX);
        let quant = Arc::new(Quant {
            scheme: QuantScheme::PerTensor { scale, zero_point },
            min: MIN,
            max: MAX,
        });
        round(&mut rewriter, *place, quant, &places);
        rounded += 1;
    }
    rounded
}

/// Where activations are rounded.
struct Places {
    /// The values, in order.
    values: Vec<ValueId>,
    /// The nodes that compute in integers.
    integers: FxHashSet<NodeId>,
    /// The nodes that pass integers on.
    carriers: FxHashSet<NodeId>,
    /// The nodes of pairs of operands that compute in integers, in order.
    pairs: Vec<NodeId>,
}

fn places(graph: &Graph, scope: Scope) -> Places {
    let mut places = Places {
        values: Vec::new(),
        integers: FxHashSet::default(),
        carriers: FxHashSet::default(),
        pairs: Vec::new(),
    };
    let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
    for &id in &nodes {
        let node = graph.node(id);
        if !is_of_floats(graph, node) {
            continue;
        }
        if carries(&node.op) {
            places.carriers.insert(id);
        } else if computes_integers(graph, node, scope) {
            places.integers.insert(id);
            // Others take floats beside integers.
            if scope == Scope::All && matches!(node.op, Op::Binary(_)) {
                places.pairs.push(id);
            }
        }
    }
    let mut wanted: FxHashSet<ValueId> = FxHashSet::default();
    for &id in nodes.iter().filter(|id| places.integers.contains(id)) {
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
                .is_some_and(|node| self.integers.contains(&node))
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
            let is_passed = self.carriers.contains(&node) && !self.ends_at(graph, data);
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
            && maker.is_some_and(|maker| self.integers.contains(&maker))
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

fn is_clamp(op: &Op) -> bool {
    matches!(op, Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }))
}

/// The operands that are activations: a layer's weight and bias are not.
fn operands_of(op: &Op) -> usize {
    match op {
        Op::Conv(_) | Op::Linear(_) => 1,
        _ => usize::MAX,
    }
}

fn is_of_floats(graph: &Graph, node: &Node) -> bool {
    let is_single = |&v: &ValueId| {
        let ty = graph.ty(v);
        ty.dtype == DType::F32 && ty.quant.is_none()
    };
    node.results.iter().all(is_single) && node.operands.first().is_some_and(is_single)
}

/// True for an op that gives elements of its first operand, or clamps them.
fn carries(op: &Op) -> bool {
    match op {
        Op::Move(_) | Op::Slice(_) | Op::Reverse(_) | Op::Broadcast(_) => true,
        Op::Pool(pool) => matches!(pool.f, PoolFn::Max),
        op => is_clamp(op),
    }
}

fn computes_integers(graph: &Graph, node: &Node, scope: Scope) -> bool {
    match &node.op {
        Op::Conv(_) | Op::Linear(_) => layers::weight(graph, node).is_some(),
        Op::Binary(op) => match scope {
            Scope::Layers => {
                let is_simple = matches!(op.f, BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul);
                is_simple && !is_normalised(graph, node)
            }
            Scope::All => op.f != BinaryFn::Pow,
        },
        Op::Pool(_) | Op::AdaptivePool(_) | Op::Concat(_) | Op::Resize(_) => true,
        Op::Reduce(op) => op.f == ReduceFn::Mean || scope == Scope::All && op.f == ReduceFn::Sum,
        Op::Unary(op) => is_activation(&op.f) || scope == Scope::All && !is_steep(node),
        Op::MatMul(_) | Op::Softmax(_) => scope == Scope::All,
        _ => false,
    }
}

/// True for a value that a norm reads: the sum that a transformer carries through all its layers, whose few large numbers leave coarse steps for
/// all others. The norm computes in floats anyway.
fn is_normalised(graph: &Graph, node: &Node) -> bool {
    let reads = |use_: &Use| match use_ {
        Use::Operand(reader, _) => matches!(graph.node(*reader).op, Op::Normalize(_)),
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    graph.value(node.result()).uses().iter().any(reads)
}

fn is_steep(node: &Node) -> bool {
    let Facts {
        is_steep,
        rounding,
        quantised,
        ..
    } = node.op.facts();
    is_steep || rounding != Rounding::Function || quantised == Meaning::Refused
}

/// The activation functions of layers.
fn is_activation(f: &UnaryFn) -> bool {
    match f {
        UnaryFn::Clamp { .. } | UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } => true,
        UnaryFn::Softplus { .. } => false,
        UnaryFn::Simple(f) => matches!(
            f,
            Simple::Sigmoid
                | Simple::Tanh
                | Simple::Hardswish
                | Simple::Hardsigmoid
                | Simple::Silu
                | Simple::Gelu
                | Simple::GeluTanh
        ),
    }
}

/// Rounds a value for its readers: for all if it is computed from integers, else for those that compute in them.
fn round(rewriter: &mut Rewriter<'_>, value: ValueId, quant: Arc<Quant>, places: &Places) {
    let graph = rewriter.graph();
    let producer = graph.producer(value);
    let is_made_of_integers = producer
        .is_some_and(|node| places.integers.contains(&node) || places.carriers.contains(&node));
    let reads_integers = |use_: &Use| match use_ {
        Use::Operand(node, _) => places.integers.contains(node) || places.carriers.contains(node),
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
    let dtype = DType::I8;
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
