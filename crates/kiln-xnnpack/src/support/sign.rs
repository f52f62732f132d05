//! What is known of the signs and sizes of values, NaN aside.

use kiln_ir::ops::{BinaryFn, PadMode, ReduceFn, ResizeMode, Simple, UnaryFn};
use kiln_ir::{Graph, NodeId, Op, ValueId};

/// The most nodes that one question looks at.
const MOST_NODES: usize = 64;

/// True if the value is greater than some normal number above 0 wherever it is not NaN.
pub(crate) fn is_positive(graph: &Graph, value: ValueId) -> bool {
    let mut look = Look::new(graph);
    look.is_positive(value)
}

/// True if the value is nowhere below 0.
pub(crate) fn is_not_negative(graph: &Graph, value: ValueId) -> bool {
    let mut look = Look::new(graph);
    look.is_not_negative(value)
}

/// True if the value is nowhere infinite, nor so great that neighbours differ by infinity.
pub(crate) fn is_bounded(graph: &Graph, value: ValueId) -> bool {
    let mut look = Look::new(graph);
    look.is_bounded(value)
}

struct Look<'g> {
    graph: &'g Graph,
    left: usize,
}

impl<'g> Look<'g> {
    fn new(graph: &'g Graph) -> Look<'g> {
        Look {
            graph,
            left: MOST_NODES,
        }
    }

    fn producer(&mut self, value: ValueId) -> Option<NodeId> {
        self.left = self.left.checked_sub(1)?;
        self.graph.producer(value)
    }

    /// The number that all elements of a constant are, if it is at least `least`.
    fn is_at_least(&self, value: ValueId, least: f64) -> bool {
        let splat = self.graph.as_splat(value).map(|s| s.as_f64());
        splat.is_some_and(|s| s >= least)
    }

    fn is_positive(&mut self, value: ValueId) -> bool {
        const TINY: f64 = 1e-30;
        let Some(id) = self.producer(value) else {
            return false;
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::Binary(op) if op.f == BinaryFn::Add => {
                let (a, b) = (node.operands[0], node.operands[1]);
                (self.is_at_least(a, TINY) && self.is_not_negative(b))
                    || (self.is_at_least(b, TINY) && self.is_not_negative(a))
            }
            Op::Unary(op) => {
                matches!(op.f, UnaryFn::Clamp { min: Some(min), .. } if min.as_f64() >= TINY)
            }
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) => self.is_positive(node.operands[0]),
            _ => false,
        }
    }

    fn is_not_negative(&mut self, value: ValueId) -> bool {
        let Some(id) = self.producer(value) else {
            return false;
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::Constant(_) => self.is_at_least(value, 0.0),
            Op::Unary(op) => is_not_negative_function(op.f),
            Op::Binary(op) => self.is_not_negative_pair(op.f, node.operands[0], node.operands[1]),
            Op::Softmax(op) => !op.log,
            Op::Reduce(op) => {
                use ReduceFn::{Max, Mean, Min, Sum};
                matches!(op.f, Mean | Sum | Max | Min) && self.is_not_negative(node.operands[0])
            }
            Op::Pad(op) => {
                let fills = match &op.mode {
                    PadMode::Constant(value) => value.as_f64() >= 0.0,
                    _ => true,
                };
                fills && self.is_not_negative(node.operands[0])
            }
            Op::Resize(op) => {
                op.mode != ResizeMode::Cubic && self.is_not_negative(node.operands[0])
            }
            Op::Move(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Concat(_)
            | Op::Pool(_)
            | Op::AdaptivePool(_) => node.operands.iter().all(|&v| self.is_not_negative(v)),
            Op::Linear(_) => {
                node.operands.len() == 2
                    && self.is_at_least(node.operands[1], 0.0)
                    && self.is_not_negative(node.operands[0])
            }
            _ => false,
        }
    }

    fn is_bounded(&mut self, value: ValueId) -> bool {
        let Some(id) = self.producer(value) else {
            return false;
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::Unary(op) => is_bounded_function(op.f),
            Op::Softmax(op) => !op.log,
            Op::Cast(_)
            | Op::Move(_)
            | Op::Broadcast(_)
            | Op::Slice(_)
            | Op::Concat(_)
            | Op::Pool(_)
            | Op::AdaptivePool(_) => node.operands.iter().all(|&v| self.is_bounded(v)),
            Op::Resize(op) => op.mode != ResizeMode::Cubic && self.is_bounded(node.operands[0]),
            _ => false,
        }
    }

    fn is_not_negative_pair(&mut self, f: BinaryFn, a: ValueId, b: ValueId) -> bool {
        match f {
            BinaryFn::Mul if a == b => true,
            BinaryFn::Pow => self.graph.as_splat(b).is_some_and(|s| s.as_f64() == 2.0),
            BinaryFn::Max => self.is_not_negative(a) || self.is_not_negative(b),
            BinaryFn::Add | BinaryFn::Mul | BinaryFn::Min => {
                self.is_not_negative(a) && self.is_not_negative(b)
            }
            _ => false,
        }
    }
}

fn is_bounded_function(f: UnaryFn) -> bool {
    use Simple::{Cos, Hardsigmoid, Sigmoid, Sin, Tanh};
    const MOST: f64 = 1e4;
    match f {
        UnaryFn::Simple(Sigmoid | Tanh | Hardsigmoid | Sin | Cos) => true,
        UnaryFn::Clamp {
            min: Some(min),
            max: Some(max),
        } => min.as_f64() >= -MOST && max.as_f64() <= MOST,
        _ => false,
    }
}

fn is_not_negative_function(f: UnaryFn) -> bool {
    use Simple::{Abs, Exp, Hardsigmoid, Sigmoid, Sqrt, Square};
    match f {
        UnaryFn::Simple(Square | Abs | Exp | Sigmoid | Hardsigmoid | Sqrt) => true,
        UnaryFn::Clamp { min: Some(min), .. } => min.as_f64() >= 0.0,
        _ => false,
    }
}
