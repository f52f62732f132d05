//! A factor or summand of each channel goes into the weights of the convolution or linear layer in front of
//! it, and a batch normalisation with constant statistics into those of the layer behind it.
//!
//! Weights are computed in f32 at least and rounded once. What comes in front of a layer goes into it only
//! where every output sees the same taps: no padding, not transposed. (A batch normalisation behind a layer:
//! see [`crate::fold_batch_norm`].)
//!
//! ```kiln
//! fold_affine
//! graph "fold_affine" {
//!   constant c0 "fc.weight" f32[2, 3] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
//!   constant c1 "fc.bias" f32[2] = [1.0, -1.0]
//!   constant c2 "gamma" f32[1, 2] = [0.5, 2.0]
//!   constant c3 "beta" f32[1, 2] = [1.0, 2.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[1, 2] = constant {value=c2}
//!     %4: f32[1, 2] = constant {value=c3}
//!     %5: f32[5, 2] = linear %0, %1, %2 {}
//!     %6: f32[5, 2] = binary %5, %3 {f=mul}
//!     %7: f32[5, 2] = binary %6, %4 {f=add}
//!     return %7
//!   }
//! }
//! ---
//! graph "fold_affine" {
//!   constant c0 "fc.weight+gamma" f32[2, 3] = [0.5, 1.0, 1.5, 8.0, 10.0, 12.0]
//!   constant c1 "fc.bias+gamma+beta" f32[2] = [1.5, 0.0]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[5, 3]) {
//!     %1: f32[2, 3] = constant {value=c0}
//!     %2: f32[2] = constant {value=c1}
//!     %3: f32[5, 2] = linear %0, %1, %2 {}
//!     return %3
//!   }
//! }
//! ```

use crate::decompose::channel_affine;
use crate::emitter::Emitter;
use crate::layer::{Layer, wide};
use crate::pass::{Pass, Report};
use crate::rewriting::{Rewritten, Rule, is_read_once, run_pass};
use crate::target::{Reason, Target};
use kiln_ir::graph::Graph;
use kiln_ir::ops::{BinaryFn, NormKind, Normalize, ReduceFn};
use kiln_ir::{DType, NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "fold_affine",
    keeps_bits: false,
    run,
};

const RULES: &[Rule] = &[
    Rule {
        name: "scale_after_layer",
        rewrite: scale_after,
    },
    Rule {
        name: "shift_after_layer",
        rewrite: shift_after,
    },
    Rule {
        name: "normalize_before_layer",
        rewrite: normalize_before,
    },
];

/// Folds; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, RULES);
}

/// The batch normalisation that a node is, if all its parameters are constants.
fn known_batch_norm(graph: &Graph, node: NodeId) -> Option<Normalize> {
    let node = graph.node(node);
    let Op::Normalize(op) = &node.op else {
        return None;
    };
    let is_known = node.operands[1..]
        .iter()
        .all(|&v| graph.as_constant(v).is_some());
    (op.kind == NormKind::Batch && is_known).then(|| op.clone())
}

/// Factor and summand of each channel, in f32 at least.
fn wide_affine(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    op: &Normalize,
) -> Result<(ValueId, ValueId), Reason> {
    let (factor, summand) = channel_affine(emitter, node, op)?;
    let is_known = |v| emitter.graph().as_constant(v).is_some();
    if !is_known(factor) || !is_known(summand) {
        return Err(Reason::new(
            "the statistics are computed ahead",
            "statistics that are not",
        ));
    }
    Ok((wide(emitter, factor)?, wide(emitter, summand)?))
}

fn name_of(graph: &Graph, constant: ValueId) -> String {
    graph
        .as_constant(constant)
        .map(|c| c.name.to_string())
        .unwrap_or_default()
}

/// The layer, function and constant per channel of a binary node behind a layer. The constant is a
/// vector of one element or of one per channel.
fn binary_after(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    functions: &[BinaryFn],
) -> Result<Option<(Layer, BinaryFn, ValueId, String)>, Reason> {
    let graph = emitter.graph();
    let found = graph.node(node);
    let Op::Binary(op) = &found.op else {
        return Ok(None);
    };
    let (mut x, mut constant) = (found.operands[0], found.operands[1]);
    if op.f.commutes() && graph.as_constant(x).is_some() {
        std::mem::swap(&mut x, &mut constant);
    }
    let f = op.f;
    let Some(layer) = Layer::of(graph, x).filter(|_| functions.contains(&f)) else {
        return Ok(None);
    };
    if graph.as_constant(constant).is_none() || !layer.is_per_channel(graph, constant) {
        return Ok(None);
    }
    let name = name_of(graph, constant);
    let elements = emitter.ty(constant).shape.elements();
    let vector = emitter.reshape(constant, vec![elements])?;
    let vector = wide(emitter, vector)?;
    Ok(Some((layer, f, vector, name)))
}

fn scale_after(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let Some((layer, f, factor, name)) =
        binary_after(emitter, node, &[BinaryFn::Mul, BinaryFn::Div])?
    else {
        return Ok(None);
    };
    check_factor(emitter.graph(), f, factor)?;
    check_range(emitter.graph(), &layer, f, factor)?;
    let weight = layer.scaled_weight(emitter, f, factor)?;
    let bias = match layer.wide_bias(emitter)? {
        Some(bias) => Some(emitter.binary(f, bias, factor)?),
        None => None,
    };
    layer.with(emitter, weight, bias, &name).map(Some)
}

/// An infinite weight times a zero is NaN, where the layer's finite sum times infinity is not.
fn check_factor(graph: &Graph, f: BinaryFn, factor: ValueId) -> Result<(), Reason> {
    let Some(constant) = graph.as_constant(factor) else {
        return Ok(());
    };
    let is_bad = |v: f64| !v.is_finite() || (f == BinaryFn::Div && v == 0.0);
    match constant
        .data
        .scalars()
        .map(|s| s.as_f64())
        .find(|&v| is_bad(v))
    {
        None => Ok(()),
        Some(found) => Err(Reason::new(
            "the factors of a layer's outputs are finite",
            format!("{} by {found}", f.text()),
        )),
    }
}

/// What f16 cannot hold before it is scaled down would be held after.
fn check_range(graph: &Graph, layer: &Layer, f: BinaryFn, factor: ValueId) -> Result<(), Reason> {
    let is_half = graph.ty(layer.weight).dtype == DType::F16;
    let Some(constant) = graph.as_constant(factor).filter(|_| is_half) else {
        return Ok(());
    };
    let scales_down = |v: f64| match f {
        BinaryFn::Div => v.abs() > 1.0,
        _ => v.abs() < 1.0,
    };
    match constant
        .data
        .scalars()
        .map(|s| s.as_f64())
        .find(|&v| scales_down(v))
    {
        None => Ok(()),
        Some(found) => Err(Reason::new(
            "the factors of an f16 layer's outputs do not scale down",
            format!("{} by {found}", f.text()),
        )),
    }
}

fn shift_after(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let Some((layer, f, summand, name)) =
        binary_after(emitter, node, &[BinaryFn::Add, BinaryFn::Sub])?
    else {
        return Ok(None);
    };
    let bias = match layer.wide_bias(emitter)? {
        Some(bias) => bias,
        None => layer.zero_bias(emitter)?,
    };
    let bias = emitter.binary(f, bias, summand)?;
    layer
        .with(emitter, layer.weight, Some(bias), &name)
        .map(Some)
}

/// A batch normalisation in front of a layer.
fn normalize_before(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let Some(layer) = Layer::at(graph, node) else {
        return Ok(None);
    };
    let Some(before) = graph.producer(layer.x) else {
        return Ok(None);
    };
    let Some(op) = known_batch_norm(graph, before).filter(|_| is_read_once(graph, layer.x)) else {
        return Ok(None);
    };
    if !layer.sees_same_taps_everywhere() || (!layer.is_conv() && graph.ty(layer.x).rank() != 2) {
        return Ok(None);
    }
    let x = graph.node(before).operands[0];
    let name = name_of(graph, graph.node(before).operands[1]);
    let (factor, summand) = wide_affine(emitter, before, &op)?;
    let weight = layer.weight_of_inputs(emitter, factor)?;
    let moved = layer.weight_of_inputs(emitter, summand)?;
    let axes: Vec<usize> = (1..emitter.rank(moved)).collect();
    let sum = emitter.reduce(ReduceFn::Sum, moved, axes)?;
    let outputs = emitter.ty(sum).shape[0].clone();
    let sum = emitter.reshape(sum, vec![outputs])?;
    let bias = match layer.wide_bias(emitter)? {
        Some(bias) => emitter.binary(BinaryFn::Add, bias, sum)?,
        None => sum,
    };
    let layer = layer.on(x);
    let made = layer.with(emitter, weight, Some(bias), &name)?;
    let (op, operands) = match emitter.graph().producer(made) {
        Some(n) => (
            emitter.graph().node(n).op.clone(),
            emitter.graph().node(n).operands.clone(),
        ),
        None => return Ok(None),
    };
    Ok(emitter.is_no_worse(node, op, &operands).then_some(made))
}
