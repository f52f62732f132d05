//! In which floats a delegate computes on f16 and bf16.
//!
//! In f32 unless something else is said here: values become f32 where they enter the delegate, and are rounded where they leave it. So chains of ops round
//! once. Weights stay halves in the file. The library has some kernels of f16, which take half the memory traffic; they answer NaN otherwise
//! than PyTorch. On processors with arithmetic of f16 they add up in f16 too, so a sum may overflow although its result would not.

use half::f16;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, PoolFn, ResizeMode, Simple, UnaryFn};
use kiln_ir::{DType, Graph, Op, TensorData, ValueId};
use kiln_target::Half;
use kiln_transforms::analysis::constants::{constant_of, is_constant};
use kiln_transforms::analysis::ranges::Ranges;
use std::cell::Cell;

/// The floats in which a node's lowering holds halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// As f32.
    Single,
    /// As they are.
    Stored,
    /// As their source is held: the node only moves elements.
    AsSource,
}

/// How the lowering of a node holds halves.
pub(crate) fn held(graph: &Graph, node: &Node, half: Half) -> Held {
    match &node.op {
        Op::Slice(_) | Op::Broadcast(_) | Op::Concat(_) => Held::AsSource,
        // The rounding that the model asks for.
        Op::Cast(_) => Held::Stored,
        _ if is_native(graph, node, half) => Held::Stored,
        _ => Held::Single,
    }
}

/// True for a node that kernels of f16 compute.
pub(crate) fn is_native(graph: &Graph, node: &Node, half: Half) -> bool {
    may_be_native(graph, node, half) && (half == Half::Native || fits(graph, node))
}

/// True for a node that is computed in f32 only because sums in f16 may overflow.
pub(crate) fn overflows(graph: &Graph, node: &Node, half: Half) -> bool {
    half == Half::Fitting && may_be_native(graph, node, half) && !fits(graph, node)
}

/// True for an op on f16 that has a kernel of f16, which the user does not refuse.
fn may_be_native(graph: &Graph, node: &Node, half: Half) -> bool {
    let is_f16 = |&v: &ValueId| graph.ty(v).dtype == DType::F16;
    half != Half::Single
        && node.operands.iter().all(is_f16)
        && has_kernel(&node.op)
        && has_packed_weights(graph, node)
}

/// False for layers whose weights or biases are computed, which the library multiplies in f32 only.
fn has_packed_weights(graph: &Graph, node: &Node) -> bool {
    let is_layer = matches!(node.op, Op::Linear(_) | Op::Conv(_));
    let mut packed = node.operands.iter().skip(1);
    !is_layer || packed.all(|&v| is_constant(graph, v))
}

/// Functions for which the library has no kernel of f16 but a slow one are not among these, nor are those that it
/// computes in several steps (`silu`, `hardsigmoid`), each of which would round. Its kernel of `hardswish` rounds several
/// times too: 67 dB from the exact function, and 74 dB in f32 (a MobileNetV3 is 4 dB nearer to PyTorch).
fn has_kernel(op: &Op) -> bool {
    match op {
        Op::Linear(_) | Op::MatMul(_) => true,
        Op::Conv(op) => !op.transposed,
        Op::Pool(op) => op.f == PoolFn::Max,
        Op::Resize(op) => op.mode == ResizeMode::Linear,
        Op::Binary(op) => matches!(
            op.f,
            BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul | BinaryFn::Div
        ),
        Op::Unary(op) => match op.f {
            UnaryFn::Clamp { .. } | UnaryFn::LeakyRelu { .. } => true,
            UnaryFn::Simple(f) => matches!(
                f,
                Simple::Neg | Simple::Abs | Simple::Square | Simple::Sigmoid
            ),
            _ => false,
        },
        _ => false,
    }
}

/// The magnitude that is assumed of values whose range is not known. Norms keep values far below it, and a sum of many values of this
/// size and one sign is rarer than a few larger ones of both signs.
pub(crate) const ASSUMED: f64 = 16.0;
const MAX: f64 = 65504.0;

/// What is known of the greatest partial sum of a node's products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// It is a number of f16.
    Fit,
    /// It is one for operands up to [`ASSUMED`]; the range of some is not known.
    FitAssumed,
    /// It may not be one.
    MayOverflow,
}

/// True if no partial sum of the node's products overflows f16, for operands in their known ranges, or of the assumed magnitude.
fn fits(graph: &Graph, node: &Node) -> bool {
    sums(graph, node) != Sums::MayOverflow
}

/// Whether partial sums of the node's products are numbers of f16.
pub(crate) fn sums(graph: &Graph, node: &Node) -> Sums {
    let is_assumed = Cell::new(false);
    let largest = |operand: usize| {
        let range = Ranges::new(graph).of(node.operands[operand]).floats();
        let known = range.map_or(f64::INFINITY, |range| range.magnitude());
        let is_known = known < MAX;
        is_assumed.set(is_assumed.get() || !is_known);
        if is_known { known } else { ASSUMED }
    };
    match &node.op {
        Op::MatMul(_) | Op::Linear(_) | Op::Conv(_) => {}
        _ => return Sums::Fit,
    }
    let weight = match &node.op {
        Op::MatMul(_) => None,
        _ => constant_of(graph, node.operands[1]),
    };
    let bias = node.operands.get(2).map_or(0.0, |_| largest(2));
    let sum = match weight {
        Some(weight) => greatest_row(&weight) * largest(0),
        None => {
            let terms = graph.ty(node.operands[0]).shape.last();
            let terms = terms.and_then(|n| graph.symbols.bounds(n).hi);
            terms.map_or(f64::INFINITY, |n| n as f64) * largest(0) * largest(1)
        }
    };
    // A NaN is not below the limit.
    match sum + bias <= MAX {
        true if is_assumed.get() => Sums::FitAssumed,
        true => Sums::Fit,
        false => Sums::MayOverflow,
    }
}

/// The greatest sum of the magnitudes of one output's weights, of f16; NaN if one is NaN.
fn greatest_row(weight: &TensorData) -> f64 {
    let rows = weight.sizes().first().copied().unwrap_or(1).max(1);
    let row = (weight.elements() / rows).max(1);
    let (mut most, mut sum, mut left) = (0.0f64, 0.0f32, row);
    let mut pieces = weight.content().pieces();
    while let Some(piece) = pieces.next() {
        for half in piece.as_chunks().0 {
            sum += f16::from_le_bytes(*half).to_f32_const().abs();
            left -= 1;
            if left == 0 {
                let whole = f64::from(sum);
                // A NaN is not below any limit.
                most = if whole > most || whole.is_nan() {
                    whole
                } else {
                    most
                };
                (sum, left) = (0.0, row);
            }
        }
    }
    most
}
