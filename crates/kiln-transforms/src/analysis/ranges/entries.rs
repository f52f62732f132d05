//! Ranges of the parameters of branches and loops.

use super::{Integers, Overflow, Range};
use kiln_ir::graph::Def;
use kiln_ir::ops::{BinaryFn, CompareFn, While};
use kiln_ir::{BlockId, Graph, NodeId, Op, ValueId};
use rustc_hash::FxHashMap;

/// What a parameter of a block holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// This value, at every run of the block.
    Same(ValueId),
    /// A number that starts with this value and never becomes less.
    Counter(ValueId, Limit),
}

/// The greatest number that a counter reaches.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// None that the loop's condition says.
    Unknown,
    /// This number: the body runs only below its successor.
    Body(i128),
    /// This number, or the first value: the condition also sees the number at which the loop ends.
    Condition(i128),
}

impl Entry {
    /// The value from whose range the parameter's range follows.
    pub(super) fn source(self) -> ValueId {
        let (Entry::Same(value) | Entry::Counter(value, _)) = self;
        value
    }

    /// The range, given that of the source. `limits` is the range of the dtype.
    pub(super) fn range(self, source: Range, limits: Range, overflow: Overflow) -> Option<Range> {
        let Entry::Counter(_, limit) = self else {
            return Some(source);
        };
        let (first, limits) = (source.integers()?, limits.integers()?);
        let high = match limit {
            Limit::Unknown if overflow == Overflow::Wraps => return None,
            Limit::Unknown => limits.high,
            Limit::Body(high) => high.max(first.low),
            Limit::Condition(high) => high.max(first.high),
        };
        Some(Integers::between(first.low, high).into())
    }
}

/// The node of each nested block.
#[derive(Default)]
pub(super) struct Owners(FxHashMap<BlockId, NodeId>);

impl Owners {
    pub(super) fn of(graph: &Graph) -> Owners {
        let nodes = graph.blocks().flat_map(|(block, _)| graph.nodes_in(block));
        let bodies = nodes.flat_map(|(id, node)| {
            let bodies = node.op.bodies();
            bodies.into_iter().map(move |body| (body, id))
        });
        Owners(bodies.collect())
    }

    /// What the value holds, if it is a parameter of a nested block and something is known of it.
    pub(super) fn entry(&self, graph: &Graph, value: ValueId) -> Option<Entry> {
        let Def::Param(block, index) = graph.value(value).def else {
            return None;
        };
        let (node, index) = (graph.node(*self.0.get(&block)?), index as usize);
        match &node.op {
            Op::If(_) => node.operands.get(index + 1).copied().map(Entry::Same),
            Op::While(op) if index < op.carried => {
                counter(graph, op, block, index, node.operands[index])
            }
            Op::While(_) => node.operands.get(index).copied().map(Entry::Same),
            _ => None,
        }
    }
}

/// A carried integer to which each iteration adds a number that is not negative.
fn counter(
    graph: &Graph,
    op: &While,
    block: BlockId,
    index: usize,
    first: ValueId,
) -> Option<Entry> {
    let body = graph.block(op.body);
    let next = graph.node(graph.producer(body.results[index])?);
    let (ty, param) = (graph.ty(first), body.params[index]);
    let other = match &next.op {
        Op::Binary(op) if op.f == BinaryFn::Add && ty.quant.is_none() => {
            next.operands.iter().find(|&&v| v != param)?
        }
        _ => return None,
    };
    let step = graph.as_number(*other)?.as_i64();
    if step < 0 || !next.operands.contains(&param) {
        return None;
    }
    // A sum beyond the dtype would wrap to a lesser number.
    let (_, greatest) = ty.dtype.int_range()?;
    let bound = bound(graph, op, index).map(|bound| i128::from(bound) - 1);
    let last = bound.map(|most| most + i128::from(step));
    let limit = match (bound, last) {
        (Some(most), Some(last)) if last <= greatest.into() => match block == op.body {
            true => Limit::Body(most),
            false => Limit::Condition(last),
        },
        _ => Limit::Unknown,
    };
    Some(Entry::Counter(first, limit))
}

/// The number below which a loop's condition wants the carried value, which is one element.
fn bound(graph: &Graph, op: &While, index: usize) -> Option<i64> {
    let condition = graph.block(op.condition);
    let mut node = graph.node(graph.producer(condition.results[0])?);
    while let Op::Move(_) = node.op {
        node = graph.node(graph.producer(node.operands[0])?);
    }
    let Op::Compare(compare) = &node.op else {
        return None;
    };
    let is_counter = compare.f == CompareFn::Lt && node.operands[0] == condition.params[index];
    let is_one = graph.ty(node.operands[0]).shape.elements().is(1);
    let number = graph
        .as_number(node.operands[1])
        .filter(|_| is_counter && is_one);
    Some(number?.as_i64())
}
