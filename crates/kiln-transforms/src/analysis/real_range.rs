//! Between which numbers the floats of a value lie, NaN aside, by interval arithmetic over the graph.
//!
//! Intervals are in f64 and ignore rounding: sums of many products in f32 may exceed them by some parts in a thousand. Who
//! asks leaves a margin for that.

use kiln_ir::graph::{Def, Node};
use kiln_ir::ops::{BinaryFn, Conv, PadMode, PoolFn, ReduceFn, ResizeMode, Simple, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme, Shape};
use kiln_ir::{Graph, Op, ValueId};
use rustc_hash::FxHashMap;

/// The least and the greatest number.
pub type Interval = (f64, f64);

/// What is not known: any number, and both infinities.
const ANY: Interval = (f64::NEG_INFINITY, f64::INFINITY);

/// Values that one question looks at, so that a question of each node takes no longer than the graph is long.
const REACH: usize = 128;

/// Results beyond this count as unknown: f32 may overflow on the way to them.
const MOST: f64 = 1e37;

/// Between which numbers the elements of `value` lie, NaN aside; both infinities where that is not known.
pub fn real_range(graph: &Graph, value: ValueId) -> Interval {
    let mut known = FxHashMap::default();
    let mut open = vec![value];
    while let Some(&next) = open.last() {
        if known.contains_key(&next) {
            open.pop();
            continue;
        }
        let look = Look {
            graph,
            known: &known,
        };
        match look.first_missing(next) {
            Some(operand) if known.len() + open.len() < REACH => open.push(operand),
            Some(operand) => {
                known.insert(operand, ANY);
            }
            None => {
                let found = look.found(next);
                known.insert(next, found);
            }
        }
    }
    known[&value]
}

struct Look<'a> {
    graph: &'a Graph,
    known: &'a FxHashMap<ValueId, Interval>,
}

impl Look<'_> {
    fn first_missing(&self, value: ValueId) -> Option<ValueId> {
        let node = self.graph.node(self.graph.producer(value)?);
        let is_missing = |v: &ValueId| self.is_real(*v) && !self.known.contains_key(v);
        node.operands.iter().copied().find(is_missing)
    }

    fn is_real(&self, value: ValueId) -> bool {
        let ty = self.graph.ty(value);
        ty.dtype.is_float() && ty.quant.is_none()
    }

    fn found(&self, value: ValueId) -> Interval {
        let Def::Result(id, 0) = self.graph.value(value).def else {
            return ANY;
        };
        match self.made(self.graph.node(id)) {
            Some((low, high)) if low >= -MOST && high <= MOST => (low, high),
            // One side may be known although the other is not.
            Some((low, high)) if !low.is_nan() && !high.is_nan() => (
                if low >= -MOST { low } else { f64::NEG_INFINITY },
                if high <= MOST { high } else { f64::INFINITY },
            ),
            _ => ANY,
        }
    }

    fn of(&self, node: &Node, operand: usize) -> Option<Interval> {
        self.known.get(node.operands.get(operand)?).copied()
    }

    fn shape(&self, node: &Node, operand: usize) -> Option<&Shape> {
        Some(&self.graph.ty(*node.operands.get(operand)?).shape)
    }

    fn size(&self, node: &Node, operand: usize, axis: usize) -> Option<f64> {
        let dim = self.shape(node, operand)?.get(axis)?;
        self.graph.symbols.max(dim).map(|n| n as f64)
    }

    fn made(&self, node: &Node) -> Option<Interval> {
        let of = |i: usize| self.of(node, i);
        match &node.op {
            Op::Constant(op) => {
                let scalars = self.graph.constant(op.value).data.scalars();
                let numbers = scalars.map(|s| s.as_f64()).filter(|n| !n.is_nan());
                numbers
                    .map(|n| (n, n))
                    .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            }
            Op::Dequantize(_) => {
                let ty = self.graph.ty(node.operands[0]);
                ty.quant.as_deref().and_then(reals_of)
            }
            Op::Move(_) | Op::Broadcast(_) | Op::Slice(_) | Op::Reverse(_) | Op::Gather(_) => of(0),
            Op::Index(_) | Op::Sort(_) | Op::TopK(_) => of(0),
            Op::Cast(_) if self.is_real(node.operands[0]) => of(0),
            Op::Concat(_) | Op::SliceUpdate(_) => {
                let parts = (0..node.operands.len()).map(of);
                parts.reduce(|a, b| Some(joined(a?, b?))).flatten()
            }
            Op::Select(_) => Some(joined(of(1)?, of(2)?)),
            Op::Pad(op) => match &op.mode {
                PadMode::Constant(number) => {
                    Some(joined(of(0)?, (number.as_f64(), number.as_f64())))
                }
                PadMode::Reflect | PadMode::Replicate | PadMode::Circular => of(0),
            },
            Op::Unary(op) => unary(op.f, of(0)?),
            Op::Binary(op) => binary(op.f, of(0)?, of(1)?),
            Op::Pool(op) => self.pool(node, op.f),
            Op::AdaptivePool(_) => of(0),
            Op::Resize(op) if op.mode != ResizeMode::Cubic => of(0),
            Op::Softmax(op) if !op.log => Some((0.0, 1.0)),
            Op::Reduce(op) => self.reduce(node, op.f, &op.axes),
            Op::MatMul(_) => {
                let inner = self.shape(node, 0)?.rank().checked_sub(1)?;
                self.products(node, self.size(node, 0, inner)?)
            }
            Op::Linear(_) => self.products(node, self.size(node, 1, 1)?),
            Op::Conv(op) => self.products(node, self.taps(node, op)?),
            _ => None,
        }
    }

    fn pool(&self, node: &Node, f: PoolFn) -> Option<Interval> {
        let x = self.of(node, 0)?;
        match f {
            PoolFn::Max | PoolFn::MaxWithIndices => Some(x),
            // What pads counts as 0.
            PoolFn::Avg { divisor: None, .. } => Some(joined(x, (0.0, 0.0))),
            PoolFn::Avg { .. } => None,
        }
    }

    fn reduce(&self, node: &Node, f: ReduceFn, axes: &[usize]) -> Option<Interval> {
        let (low, high) = self.of(node, 0)?;
        match f {
            ReduceFn::Max | ReduceFn::Min | ReduceFn::Mean => Some((low, high)),
            ReduceFn::Sum => {
                let mut sizes = axes.iter().map(|&axis| self.size(node, 0, axis));
                let count = sizes.try_fold(1.0, |n, size| Some(n * size?))?;
                Some((times(low.min(0.0), count), times(high.max(0.0), count)))
            }
            ReduceFn::Prod | ReduceFn::Any | ReduceFn::All => None,
        }
    }

    /// Products that are summed for each element of a convolution, at most.
    fn taps(&self, node: &Node, op: &Conv) -> Option<f64> {
        let outer = usize::from(op.transposed);
        let axes = 0..self.shape(node, 1)?.rank();
        let mut sizes = axes
            .filter(|&axis| axis != outer)
            .map(|axis| self.size(node, 1, axis));
        sizes.try_fold(1.0, |n, size| Some(n * size?))
    }

    /// The sum of so many products of both operands, and a bias.
    fn products(&self, node: &Node, count: f64) -> Option<Interval> {
        let most = |i: usize| self.of(node, i).map(magnitude);
        let bias = match node.operands.len() {
            0..=2 => 0.0,
            _ => most(2)?,
        };
        let sum = times(times(most(0)?, most(1)?), count) + bias;
        Some((-sum, sum))
    }
}

/// The reals that the integers of a type stand for.
fn reals_of(quant: &Quant) -> Option<Interval> {
    let of = |scale: f64, zero_point: i64| {
        let real = |n: i64| (n as f64 - zero_point as f64) * scale;
        (real(quant.min), real(quant.max))
    };
    match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => Some(of(*scale, *zero_point)),
        QuantScheme::PerChannel {
            scales,
            zero_points,
            ..
        }
        | QuantScheme::PerGroup {
            scales,
            zero_points,
            ..
        } => {
            let pairs = scales.iter().zip(zero_points.iter());
            pairs.map(|(&s, &z)| of(s, z)).reduce(joined)
        }
    }
}

fn joined(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

fn magnitude(x: Interval) -> f64 {
    x.0.abs().max(x.1.abs())
}

/// A product of bounds: nothing of what may be infinite is nothing.
fn times(a: f64, b: f64) -> f64 {
    match a == 0.0 || b == 0.0 {
        true => 0.0,
        false => a * b,
    }
}

fn unary(f: UnaryFn, (low, high): Interval) -> Option<Interval> {
    let most = magnitude((low, high));
    match f {
        UnaryFn::Simple(f) => simple(f, (low, high)),
        UnaryFn::Clamp { min, max } => {
            let least = min.map_or(f64::NEG_INFINITY, |m| m.as_f64());
            let greatest = max.map_or(f64::INFINITY, |m| m.as_f64());
            // An upper bound below the lower one is what such a clamp gives.
            Some((low.max(least).min(greatest), high.max(least).min(greatest)))
        }
        UnaryFn::LeakyRelu { slope } => {
            let steepest = slope.abs().max(1.0);
            Some((-times(most, steepest), times(most, steepest)))
        }
        UnaryFn::Elu {
            alpha,
            scale,
            input_scale,
        } if alpha >= 0.0 && scale >= 0.0 && input_scale >= 0.0 => {
            Some((-scale * alpha, times(scale, high.max(0.0))))
        }
        // At 0 it is log(2) / beta, and nowhere further from the line.
        UnaryFn::Softplus { beta, .. } if beta > 0.0 => Some((0.0, high.max(0.0) + 1.0 / beta)),
        UnaryFn::Elu { .. } | UnaryFn::Softplus { .. } => None,
    }
}

fn simple(f: Simple, (low, high): Interval) -> Option<Interval> {
    use Simple::*;
    let most = magnitude((low, high));
    match f {
        Neg => Some((-high, -low)),
        Abs => Some((0.0, most)),
        Square => Some((0.0, most * most)),
        Sign | Sin | Cos | Tanh | Erf => Some((-1.0, 1.0)),
        Sigmoid | Hardsigmoid => Some((0.0, 1.0)),
        Atan => Some((-2.0, 2.0)),
        // They lie between the line and 0, and less than 1 below 0.
        Gelu | GeluTanh | Silu | Mish | Hardswish => Some((-1.0, high.max(0.0))),
        LogSigmoid => Some((f64::NEG_INFINITY, 0.0)),
        Floor | Round | Ceil | Trunc => Some((low - 1.0, high + 1.0)),
        Exp => Some((0.0, 1.01 * high.exp())),
        Sqrt => Some((0.0, 1.01 * high.max(0.0).sqrt())),
        Rsqrt if low > 0.0 => Some((0.0, 1.01 / low.sqrt())),
        Reciprocal if low > 0.0 => Some((0.0, 1.01 / low)),
        _ => None,
    }
}

fn binary(f: BinaryFn, a: Interval, b: Interval) -> Option<Interval> {
    match f {
        BinaryFn::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinaryFn::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryFn::Mul => {
            let products = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
            let products = products.map(|(a, b)| times(a, b));
            let least = products.iter().copied().reduce(f64::min)?;
            Some((least, products.iter().copied().reduce(f64::max)?))
        }
        BinaryFn::Div if b.0 > 0.0 || b.1 < 0.0 => {
            let most = magnitude(a) / b.0.abs().min(b.1.abs());
            Some((-most, most))
        }
        BinaryFn::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinaryFn::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_eval::{Options, State, Tensor, evaluate};

    const EDGES: [f32; 8] = [
        0.0,
        -0.5,
        1.0,
        -3.0,
        7.0,
        1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];

    /// Each makes `%5` of `%0`, any number, `%1`, a number between 0.5 and 6, and `%3`, the reals of bytes.
    const LINES: &[&str] = &[
        "%5: f32[2, 8] = unary %0 {f=sigmoid}",
        "%5: f32[2, 8] = unary %0 {f=clamp[none, 3.0]}",
        "%5: f32[2, 8] = unary %1 {f=rsqrt}",
        "%5: f32[2, 8] = unary %1 {f=exp}",
        "%5: f32[2, 8] = unary %3 {f=gelu}",
        "%5: f32[2, 8] = unary %3 {f=elu[1.5, 1.0, 1.0]}",
        "%5: f32[2, 8] = unary %3 {f=softplus[2.0, 20.0]}",
        "%5: f32[2, 8] = unary %3 {f=leaky_relu[-2.0]}",
        "%5: f32[2, 8] = unary %3 {f=square}",
        "%5: f32[2, 8] = binary %3, %1 {f=div}",
        "%5: f32[2, 8] = binary %3, %1 {f=mul}",
        "%5: f32[2, 8] = binary %3, %1 {f=sub}",
        "%5: f32[2, 8] = binary %0, %1 {f=min}",
        "%5: f32[2, 8] = softmax %3 {axis=1, log=false}",
        "%5: f32[2, 1] = reduce %3 {f=sum, axes=[1]}",
        "%5: f32[2, 1] = reduce %3 {f=mean, axes=[1]}",
        "%5: f32[2, 2] = linear %3, %4 {}",
    ];

    fn graph(line: &str) -> Graph {
        let text = format!(
            "graph \"g\" {{
  constant c0 \"\" f32[2, 8] = [1, -2, 3, 4, -5, 6, 7, 8, 1, 1, 1, -1, 1, 1, 1, 1]
  input tensor \"x\" [0, 1]
  output tensor
  block b0 (%0 \"x\": f32[2, 8]) {{
    %1: f32[2, 8] = unary %0 {{f=clamp[0.5, 6.0]}}
    %2: i8[2, 8] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {{quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}}
    %3: f32[2, 8] = dequantize %2 {{dtype=f32}}
    %4: f32[2, 8] = constant {{value=c0}}
    {line}
    return %5
  }}
}}
"
        );
        kiln_ir::text::parse(&text).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    #[test]
    fn results_lie_where_it_says() {
        let mut bounded = 0;
        for line in LINES {
            let graph = graph(line);
            let (low, high) = real_range(&graph, graph.block(graph.root()).results[0]);
            bounded += usize::from(low.is_finite()) + usize::from(high.is_finite());
            assert!(high.is_finite(), "{line}");
            for turn in 0..EDGES.len() {
                let mut numbers = [EDGES, EDGES].concat();
                numbers.rotate_left(turn);
                numbers[turn] = 0.7;
                let x = Tensor::new([2, 8], numbers);
                let mut state = State::new(&graph);
                let found =
                    evaluate(&graph, &[x], &mut state, &Options::default()).expect("it runs");
                for number in found.outputs[0].scalars().iter().map(|s| s.as_f64()) {
                    let slack = 1e-3 * number.abs();
                    let lies = low - slack <= number && number <= high + slack;
                    assert!(
                        lies || number.is_nan(),
                        "{line}: {number} in {low}..={high}"
                    );
                }
            }
        }
        assert!(bounded >= 2 * LINES.len() - 2, "{bounded}");
    }
}
