//! Which nodes compute in integers.
//!
//! Integers pay, and lose little, on the way from one layer to the next: between layers numbers have a scale of their own, which
//! samples show. Numbers that no layer made (coordinates, times, counters of state, what an exponential gives) and numbers that go to
//! no layer (boxes, scores behind a mask, sums of state) are few, and eight bits may say nothing about them. So for [`Scope::Layers`]
//! a node between layers is computed in integers, and any other is not.

use crate::{Scope, layers};
use kiln_ir::graph::{Node, Use};
use kiln_ir::ops::{BinaryFn, PoolFn, ReduceFn, Simple, UnaryFn};
use kiln_ir::{DType, Graph, NodeId, Op, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nodes of the outermost block that take part in integers.
#[derive(Default)]
pub(crate) struct Choice {
    /// The nodes that compute in integers.
    pub integers: FxHashSet<NodeId>,
    /// The nodes that pass integers on.
    pub carriers: FxHashSet<NodeId>,
}

impl Choice {
    /// The nodes for a scope.
    pub(crate) fn of(graph: &Graph, scope: Scope) -> Choice {
        let mut choice = Choice::default();
        let nodes: Vec<NodeId> = graph.nodes_in(graph.root()).map(|(id, _)| id).collect();
        for &id in &nodes {
            let node = graph.node(id);
            if !is_of_floats(graph, node) {
                continue;
            }
            if carries(&node.op) {
                choice.carriers.insert(id);
            } else if computes_integers(graph, node, scope) {
                choice.integers.insert(id);
            }
        }
        if scope == Scope::Layers {
            choice.keep_between_layers(graph, &nodes);
        }
        choice
    }

    /// Takes nodes out that do not stand between layers.
    fn keep_between_layers(&mut self, graph: &Graph, nodes: &[NodeId]) {
        let mut origins = Origins::default();
        for &id in nodes {
            let node = graph.node(id);
            let read = origins.of_operands(graph, node);
            let origin = match &node.op {
                op if is_settled(op) => Origin::Layer,
                _ if self.carriers.contains(&id) => read,
                op if self.integers.contains(&id) => {
                    let is_taken = read == Origin::Layer || read == Origin::Input && resamples(op);
                    if !is_taken {
                        self.integers.remove(&id);
                    }
                    read
                }
                _ => Origin::Other,
            };
            origins.set(node, origin);
        }
        let mut leading: FxHashSet<ValueId> = FxHashSet::default();
        for &id in nodes.iter().rev() {
            let node = graph.node(id);
            let is_integer = self.integers.contains(&id);
            let ends = is_integer && (is_layer(&node.op) || resamples(&node.op));
            let leads = node.results.iter().any(|result| leading.contains(result));
            if is_integer && !ends && !leads {
                self.integers.remove(&id);
            } else if ends || leads && (is_integer || self.carriers.contains(&id)) {
                leading.extend(node.operands.iter().take(operands_of(&node.op)));
            }
        }
    }
}

/// Where a value's numbers are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// Constants alone.
    Constant,
    /// Inputs, and what is computed from them alone.
    Input,
    /// A layer, a norm or a product, and what stands behind it.
    Layer,
    /// Another computation, or state.
    Other,
}

#[derive(Default)]
struct Origins {
    of: FxHashMap<ValueId, Origin>,
}

impl Origins {
    /// The highest of all operands that are activations.
    fn of_operands(&self, graph: &Graph, node: &Node) -> Origin {
        let read = node.operands.iter().take(operands_of(&node.op));
        let origins = read.map(|&value| match graph.producer(value) {
            None => Origin::Input,
            Some(_) => self.of.get(&value).copied().unwrap_or(Origin::Other),
        });
        origins.max().unwrap_or(Origin::Other)
    }

    fn set(&mut self, node: &Node, origin: Origin) {
        let origin = match &node.op {
            Op::Constant(_) => Origin::Constant,
            _ => origin,
        };
        self.of.extend(node.results.iter().map(|&v| (v, origin)));
    }
}

fn is_layer(op: &Op) -> bool {
    matches!(op, Op::Conv(_) | Op::Linear(_))
}

/// True for an op whose results have a scale of their own, whatever its operands are.
fn is_settled(op: &Op) -> bool {
    is_layer(op) || matches!(op, Op::Normalize(_) | Op::MatMul(_) | Op::Softmax(_))
}

/// True for an op whose results lie between the elements that it reads.
fn resamples(op: &Op) -> bool {
    matches!(op, Op::Pool(_) | Op::AdaptivePool(_) | Op::Resize(_))
}

/// The operands that are activations: a layer's weight and bias are not.
pub(crate) fn operands_of(op: &Op) -> usize {
    match op {
        op if is_layer(op) => 1,
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
pub(crate) fn carries(op: &Op) -> bool {
    match op {
        Op::Move(_) | Op::Slice(_) | Op::Reverse(_) | Op::Broadcast(_) => true,
        Op::Pool(pool) => matches!(pool.f, PoolFn::Max),
        op => is_clamp(op),
    }
}

/// True for a clamp, whose bounds may need no operator.
pub(crate) fn is_clamp(op: &Op) -> bool {
    matches!(op, Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }))
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
        Op::Unary(op) => is_activation(&op.f) || scope == Scope::All && is_gentle(&op.f),
        Op::MatMul(_) | Op::Softmax(_) => scope == Scope::All,
        _ => false,
    }
}

/// True for a value that a norm reads: the sum that a transformer carries through all its layers, whose few large numbers leave coarse
/// steps for all others. The norm computes in floats anyway.
fn is_normalised(graph: &Graph, node: &Node) -> bool {
    let reads = |use_: &Use| match use_ {
        Use::Operand(reader, _) => matches!(graph.node(*reader).op, Op::Normalize(_)),
        Use::BlockResult(..) | Use::Update(_) => false,
    };
    graph.value(node.result()).uses().iter().any(reads)
}

/// Functions with neither jumps nor poles, so that close operands have close results, as 8 bits need it. An exponential is none: its small
/// results, which 8 bits would lose, often become divisors.
fn is_gentle(f: &UnaryFn) -> bool {
    match f {
        UnaryFn::Simple(f) => matches!(
            f,
            Simple::Neg
                | Simple::Abs
                | Simple::Square
                | Simple::Sin
                | Simple::Cos
                | Simple::Atan
                | Simple::Asinh
                | Simple::Erf
                | Simple::Mish
                | Simple::LogSigmoid
        ),
        UnaryFn::Softplus { .. } => true,
        UnaryFn::Clamp { .. } | UnaryFn::Elu { .. } | UnaryFn::LeakyRelu { .. } => false,
    }
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
