//! About how long each node takes, as a share of its method.
//!
//! The rates are the target's. They tell where to look first. What a device needs, only the device tells.

use crate::arithmetic::packed_bytes;
use crate::compiler::CompiledMethod;
use kiln_ir::graph::Node;
use kiln_ir::ops::{BinaryFn, Conv, Simple, UnaryFn};
use kiln_ir::{Graph, NodeId, Op, ValueId};
use kiln_target::{Place, Placed, Rates};
use rustc_hash::FxHashMap;

/// A node's work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Multiply-adds.
    pub products: u64,
    /// The estimated share of the method's time, from 0 to 1.
    pub share: f64,
}

/// The work of each placed node, at the greatest sizes.
pub fn work(method: &CompiledMethod) -> Vec<Work> {
    let places = method.placements.iter().map(|p| (p.node, p.place));
    let places: FxHashMap<NodeId, Place> = places.collect();
    let costs = method.placements.iter().map(|placed| match placed.place {
        Place::Free => (0.0, 0.0),
        _ if is_fused(method, &places, placed) => (0.0, 0.0),
        _ => cost(&method.graph, placed, method.rates),
    });
    let costs: Vec<(f64, f64)> = costs.collect();
    let all: f64 = costs.iter().map(|(_, time)| time).sum();
    let work = costs.iter().map(|(products, time)| Work {
        products: *products as u64,
        share: if all > 0.0 { time / all } else { 0.0 },
    });
    work.collect()
}

/// True for a clamp that the operator of the node before computes as the limits of its own results: the clamp alone reads these, both are in
/// one place, and no call of the program is the clamp's.
fn is_fused(method: &CompiledMethod, places: &FxHashMap<NodeId, Place>, placed: &Placed) -> bool {
    let graph = &method.graph;
    let node = graph.node(placed.node);
    let is_clamp =
        matches!(node.op.computing(), Op::Unary(op) if matches!(op.f, UnaryFn::Clamp { .. }));
    let maker = node.operands.first().and_then(|&v| graph.producer(v));
    let Some(maker) = maker.filter(|_| is_clamp) else {
        return false;
    };
    let is_only = graph.value(node.operands[0]).uses().len() == 1;
    let is_called = method.figures.callers.contains_key(&Some(placed.node));
    is_only
        && !is_called
        && has_limits(graph.node(maker).op.computing())
        && places.get(&maker) == Some(&placed.place)
}

/// True for an op whose operators on all targets limit their results on the way.
fn has_limits(op: &Op) -> bool {
    match op {
        Op::Linear(_) | Op::Conv(_) => true,
        Op::Binary(op) => matches!(
            op.f,
            BinaryFn::Add | BinaryFn::Sub | BinaryFn::Mul | BinaryFn::Div
        ),
        _ => false,
    }
}

/// Multiply-adds and nanoseconds.
fn cost(graph: &Graph, placed: &Placed, rates: &Rates) -> (f64, f64) {
    let node = graph.node(placed.node);
    let op = node.op.computing();
    let products = products(graph, node, op);
    let is_kernel = placed.place == Place::Kernel && placed.reason.is_some();
    let time = match products {
        Some(products) => {
            let rate = match is_kernel {
                true => rates.kernel_product,
                false => product_rate(graph, node, op, rates),
            };
            (products * rate).max(weight_bytes(graph, node) as f64 * rates.weight_byte)
        }
        None => {
            let time = elements_time(graph, node, op, rates);
            time * if is_kernel { rates.kernel } else { 1.0 }
        }
    };
    (products.unwrap_or(0.0), time)
}

/// The number of multiply-adds; `None` for an op that is no sum of products.
fn products(graph: &Graph, node: &Node, op: &Op) -> Option<f64> {
    let operand = |i: usize| node.operands.get(i).copied();
    let first = operand(0)?;
    Some(match op {
        Op::Linear(_) | Op::MatMul(_) => result_elements(graph, node) * size(graph, first, -1),
        Op::Conv(conv) => {
            let weight = operand(1)?;
            let of_place = elements(graph, weight) / size(graph, weight, 0).max(1.0);
            let places = match conv.transposed {
                true => elements(graph, first),
                false => result_elements(graph, node),
            };
            places * of_place
        }
        // Scores, and values weighted by them.
        Op::Attention(_) => 2.0 * elements(graph, first) * size(graph, operand(1)?, -2),
        _ => return None,
    })
}

fn product_rate(graph: &Graph, node: &Node, op: &Op, rates: &Rates) -> f64 {
    let product = match is_float(graph, node) {
        true => rates.product,
        false => rates.integer_product,
    };
    match op {
        Op::Conv(conv) => product.max(conv_rate(graph, node, conv, rates)),
        _ => product,
    }
}

/// True if both factors of a product are floats.
fn is_float(graph: &Graph, node: &Node) -> bool {
    let mut factors = node.operands.iter().take(2);
    factors.all(|&v| graph.ty(v).dtype.is_float())
}

/// Zero for a convolution that is as fast as a product.
fn conv_rate(graph: &Graph, node: &Node, conv: &Conv, rates: &Rates) -> f64 {
    let weight = node.operands[1];
    let of_place = elements(graph, weight) / size(graph, weight, 0).max(1.0);
    match (conv.transposed, conv.groups > 1) {
        (true, _) if makes_blocks(graph, node, weight, conv) => 0.0,
        (true, _) => rates.transposed,
        (false, true) if size(graph, weight, 1) > 1.0 => 0.0,
        (false, true) if of_place > rates.few_taps => match is_float(graph, node) {
            true => rates.large_depthwise,
            false => rates.large_integer_depthwise,
        },
        (false, true) => rates.depthwise,
        (false, false) => 0.0,
    }
}

/// True if places of a transposed convolution make blocks of outputs, as large as the stride: XNNPACK has it as convolutions. The estimate
/// leaves out what may forbid that beside its attributes: infinite weights, groups beside a number of images that is not known, and few
/// channels or places.
fn makes_blocks(graph: &Graph, node: &Node, weight: ValueId, conv: &Conv) -> bool {
    let kernel = graph.ty(weight).shape.iter().skip(2);
    let mut axes = kernel.zip(conv.stride.iter().zip(&conv.dilation));
    let fits = |k: i64, stride: i64| k >= stride && (conv.groups == 1 || k % stride == 0);
    let is_whole = axes.all(|(k, (&stride, &dilation))| {
        let is_dense = dilation == 1 || k.is(1);
        is_dense && k.as_const().is_some_and(|k| fits(k, stride))
    });
    let mut image = graph.ty(node.operands[0]).shape.iter().skip(2);
    is_whole && conv.stride.iter().any(|&s| s > 1) && image.all(|size| size.as_const().is_some())
}

/// Nanoseconds of an op that is no sum of products.
fn elements_time(graph: &Graph, node: &Node, op: &Op, rates: &Rates) -> f64 {
    let results = result_elements(graph, node);
    let operands = node.operands.iter().map(|&v| elements(graph, v));
    let largest = operands.fold(results, f64::max);
    match op {
        Op::Softmax(_) => results * rates.softmax,
        Op::Normalize(_) => results * rates.norm,
        Op::Unary(op) if is_function(&op.f) => results * rates.function,
        Op::Pool(pool) => {
            let taps: i64 = pool.kernel.iter().product();
            results * taps as f64 * rates.tap
        }
        // What is picked from may be far larger than what is read of it.
        Op::Index(_) | Op::Gather(_) | Op::Slice(_) => results * rates.element,
        _ => largest * rates.element,
    }
}

/// True for a function that is more than a few instructions.
fn is_function(f: &UnaryFn) -> bool {
    !matches!(
        f,
        UnaryFn::Clamp { .. }
            | UnaryFn::LeakyRelu { .. }
            | UnaryFn::Simple(
                Simple::Neg
                    | Simple::Abs
                    | Simple::Sign
                    | Simple::Floor
                    | Simple::Ceil
                    | Simple::Round
            )
    )
}

/// Bytes of constant operands.
fn weight_bytes(graph: &Graph, node: &Node) -> u64 {
    let constants = node.operands.iter().filter_map(|&v| graph.as_constant(v));
    constants.map(packed_bytes).sum()
}

fn result_elements(graph: &Graph, node: &Node) -> f64 {
    node.results.iter().map(|&v| elements(graph, v)).sum()
}

/// The elements at the greatest sizes, or one for each unbounded size.
fn elements(graph: &Graph, value: ValueId) -> f64 {
    let rank = graph.ty(value).shape.rank();
    (0..rank)
        .map(|axis| size(graph, value, axis as isize))
        .product()
}

/// The greatest size of an axis, which counts from the last if it is negative. One if there is none.
fn size(graph: &Graph, value: ValueId, axis: isize) -> f64 {
    let shape = &graph.ty(value).shape;
    let axis = match usize::try_from(axis) {
        Ok(axis) => Some(axis),
        Err(_) => shape.rank().checked_sub(axis.unsigned_abs()),
    };
    let dim = axis.and_then(|axis| shape.get(axis));
    dim.and_then(|dim| graph.symbols.max(dim))
        .map_or(1.0, |n| n.max(0) as f64)
}
