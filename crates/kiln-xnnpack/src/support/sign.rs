//! What is known of the signs and sizes of values, NaN aside.

use kiln_ir::ops::{BinaryFn, PadMode, PoolFn, ReduceFn, ResizeMode, Simple, UnaryFn};
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

    /// What makes a float: integers wrap, and have no sign that holds.
    fn float_producer(&mut self, value: ValueId) -> Option<NodeId> {
        let is_float = self.graph.ty(value).dtype.is_float();
        self.producer(value).filter(|_| is_float)
    }

    /// The number that all elements of a constant are, if it is at least `least`.
    fn is_at_least(&self, value: ValueId, least: f64) -> bool {
        let splat = self.graph.as_splat(value).map(|s| s.as_f64());
        splat.is_some_and(|s| s >= least)
    }

    fn is_positive(&mut self, value: ValueId) -> bool {
        const TINY: f64 = 1e-30;
        let Some(id) = self.float_producer(value) else {
            return false;
        };
        let node = self.graph.node(id);
        match &node.op {
            Op::Binary(op) if op.f == BinaryFn::Add => {
                let (a, b) = (node.operands[0], node.operands[1]);
                (self.is_at_least(a, TINY) && self.is_not_negative(b))
                    || (self.is_at_least(b, TINY) && self.is_not_negative(a))
            }
            Op::Unary(op) => is_clamped_to(op.f, TINY),
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) => self.is_positive(node.operands[0]),
            _ => false,
        }
    }

    fn is_not_negative(&mut self, value: ValueId) -> bool {
        let Some(id) = self.float_producer(value) else {
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
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Concat(_) | Op::AdaptivePool(_) => {
                node.operands.iter().all(|&v| self.is_not_negative(v))
            }
            Op::Pool(op) => {
                let PoolFn::Avg { divisor, .. } = op.f else {
                    return self.is_not_negative(node.operands[0]);
                };
                divisor.is_none_or(|n| n > 0) && self.is_not_negative(node.operands[0])
            }
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
            | Op::AdaptivePool(_) => node.operands.iter().all(|&v| self.is_bounded(v)),
            Op::Pool(op) => {
                let divides_by_none = matches!(
                    op.f,
                    PoolFn::Avg {
                        divisor: Some(0),
                        ..
                    }
                );
                !divides_by_none && self.is_bounded(node.operands[0])
            }
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
        } => [min, max].iter().all(|bound| bound.as_f64().abs() <= MOST),
        _ => false,
    }
}

fn is_not_negative_function(f: UnaryFn) -> bool {
    use Simple::{Abs, Exp, Hardsigmoid, Sigmoid, Sqrt, Square};
    match f {
        UnaryFn::Simple(Square | Abs | Exp | Sigmoid | Hardsigmoid | Sqrt) => true,
        f => is_clamped_to(f, 0.0),
    }
}

/// True if a clamp gives nothing below `least`. An upper bound below the lower one is what it gives.
fn is_clamped_to(f: UnaryFn, least: f64) -> bool {
    let UnaryFn::Clamp {
        min: Some(min),
        max,
    } = f
    else {
        return false;
    };
    min.as_f64() >= least && max.is_none_or(|max| max.as_f64() >= least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::{Options, State, Tensor, evaluate};

    const EDGES: [f32; 16] = [
        0.0,
        -0.0,
        1e-38,
        -1e-38,
        1.0,
        -1.0,
        0.5,
        -2.5,
        6.0,
        -7.0,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        3.0,
    ];

    /// Lines that make `%3` of `%0`, any number, and `%2`, which is not negative.
    const LINES: &[&str] = &[
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.5, 2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.5, -2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.0, -0.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[0.0, -inf]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[none, 2.0]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=clamp[-1.0, none]}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=abs}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=exp}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=square}",
        "%3: f32[1, 1, 4, 4] = unary %0 {f=sqrt}",
        "%3: f32[1, 1, 4, 4] = unary %2 {f=neg}",
        "%3: f32[1, 1, 4, 4] = unary %2 {f=log}",
        "%3: f32[1, 1, 4, 4] = binary %0, %0 {f=mul}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=mul}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=max}",
        "%3: f32[1, 1, 4, 4] = binary %0, %2 {f=min}",
        "%3: f32[1, 1, 4, 4] = binary %2, %2 {f=sub}",
        "%3: f32[1, 1, 4, 4] = binary %2, %1 {f=add}",
        "%3: f32[1, 1, 4, 4] = binary %0, %1 {f=add}",
        "%3: f32[1, 1, 4, 4] = binary %2, %0 {f=div}",
        "%3: f32[1, 1, 4, 4] = softmax %0 {axis=3, log=false}",
        "%3: f32[1, 1, 4, 4] = softmax %2 {axis=3, log=true}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=mean, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=sum, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %2 {f=min, axes=[3]}",
        "%3: f32[1, 1, 4, 1] = reduce %0 {f=max, axes=[3]}",
        "%3: f32[1, 1, 5, 4] = pad %2 {low=[0, 0, 1, 0], high=[0, 0, 0, 0], mode=constant -1.0}",
        "%3: f32[1, 1, 5, 4] = pad %2 {low=[0, 0, 1, 0], high=[0, 0, 0, 0], mode=constant 1.0}",
        "%3: f32[1, 1, 4, 4] = pool %2 {f=avg -1, kernel=[1, 1], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 4, 4] = pool %2 {f=avg none, kernel=[1, 1], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 5, 5] = pool %2 {f=avg_of_padded 3, kernel=[2, 2], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 5, 5] = pool %2 {f=max, kernel=[2, 2], stride=[1, 1], pad_low=[1, 1], pad_high=[1, 1], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 3, 3] = pool %0 {f=max, kernel=[2, 2], stride=[1, 1], pad_low=[0, 0], pad_high=[0, 0], dilation=[1, 1], ceil=false}",
        "%3: f32[1, 1, 7, 9] = resize %2 {mode=linear, align_corners=false, output=[7, 9], scales=[none, none]}",
        "%3: f32[1, 1, 7, 9] = resize %2 {mode=cubic, align_corners=false, output=[7, 9], scales=[none, none]}",
        "%3: f32[1, 1, 4, 4] = slice_update %2, %0 {axis=2, start=0, step=1}",
    ];

    fn graph(line: &str) -> Graph {
        let result = line.split(" = ").next().and_then(|l| l.split(": ").nth(1));
        let result = result.expect("a line with a type");
        let text = format!(
            "graph \"signs\" {{\n  constant c0 \"tiny\" f32[1, 1, 1, 1] = splat 1e-20\n  input tensor \"x\" [0, 1, 2, 3]\n  output tensor\n  block b0 (%0 \"x\": f32[1, 1, 4, 4]) {{\n    %1: f32[1, 1, 1, 1] = constant {{value=c0}}\n    %2: f32[1, 1, 4, 4] = unary %0 {{f=clamp[0, none]}}\n    {line}\n    %4: {result} = unary %3 {{f=abs}}\n    return %3\n  }}\n}}\n"
        );
        kiln_ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    fn elements(graph: &Graph, numbers: &[f32]) -> Vec<f32> {
        let x = Tensor::new(vec![1, 1, 4, 4], numbers.to_vec());
        let mut state = State::new(graph);
        let found = evaluate(graph, &[x], &mut state, &Options::default()).expect("it runs");
        found.outputs[0].elements::<f32>().expect("f32").to_vec()
    }

    #[test]
    fn nothing_is_below_what_is_claimed() {
        let mut claimed = [0; 2];
        for line in LINES {
            let graph = graph(line);
            let result = graph.block(graph.root()).results[0];
            let is_positive = is_positive(&graph, result);
            let is_not_negative = is_not_negative(&graph, result);
            let is_bounded = is_bounded(&graph, result);
            for turn in 0..EDGES.len() {
                let mut numbers = EDGES;
                numbers.rotate_left(turn);
                let scattered: Vec<f32> = (0..16).map(|i| numbers[i * 7 % 16]).collect();
                for numbers in [&numbers[..], &scattered, &[numbers[0]; 16]] {
                    let found = elements(&graph, numbers);
                    let least = found.iter().copied().fold(f32::INFINITY, f32::min);
                    let is_infinite = found.iter().any(|n| n.is_infinite());
                    assert!(!is_positive || least > 0.0, "{line}: {least}");
                    assert!(!is_not_negative || least >= 0.0, "{line}: {least}");
                    assert!(!is_bounded || !is_infinite, "{line}");
                }
            }
            claimed[0] += usize::from(is_positive);
            claimed[1] += usize::from(is_not_negative);
        }
        assert!(claimed[0] >= 2 && claimed[1] >= 12, "{claimed:?}");
    }
}
