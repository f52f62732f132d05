//! Preparations before dequantisations sink: folding of constants, products that become scales, clamps of integers.

use super::carry::{Stored, clamped, integers_of, is_clamp, is_float};
use crate::analysis::constants::is_constant;
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::target::Reason;
use crate::guards;
use crate::quantised::fold_dequantised::is_cast_weight;
use kiln_ir::graph::{Use, ValueList};
use kiln_ir::ops::{BinaryFn, Dequantize, Quantised, Simple, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use std::sync::Arc;

guards! {
    /// The scales of the product and their reciprocals are normal numbers of f32, since quantisations multiply by reciprocals. The product
    /// of a scale and an integer is finite.
    SCALES;
    /// Integers stand for the bounds of a clamp that is read as float.
    EXACT_BOUNDS;
}

/// True for a node whose operands are all unquantised constants, and which can be folded. Slices stay, because all
/// slices of a constant together may be larger than it, but for biases of layers; and weights of bytes that are cast to
/// floats, which `fold_dequantised` may keep as integers.
pub(super) fn is_of_constants(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let is_plain = |&v: &ValueId| graph.ty(v).quant.is_none() && graph.as_constant(v).is_some();
    let stays = matches!(
        node.op,
        Op::Constant(_)
            | Op::ReadState(_)
            | Op::BindSymbol(_)
            | Op::NonZero(_)
            | Op::If(_)
            | Op::While(_)
    ) || matches!(node.op, Op::Slice(_)) && !is_bias(graph, node.result(), MOST_VIEWS);
    !stays && !is_cast_weight(graph, id) && node.operands.iter().all(is_plain)
}

/// The most views in a row between a part of a constant and the layers that it is a bias of.
const MOST_VIEWS: usize = 4;

/// True for a value that is read only as the bias of layers, or as what is added to their results, behind at most so many views.
fn is_bias(graph: &Graph, value: ValueId, views: usize) -> bool {
    let is_layer = |v: &ValueId| {
        let made = graph.producer(*v).map(|id| &graph.node(id).op);
        matches!(made, Some(Op::Linear(_) | Op::Conv(_) | Op::MatMul(_)))
    };
    let mut uses = graph.value(value).uses().iter();
    uses.all(|use_| {
        let &Use::Operand(reader, slot) = use_ else {
            return false;
        };
        let node = graph.node(reader);
        match &node.op {
            Op::Linear(_) | Op::Conv(_) => slot == 2,
            Op::Binary(op) => op.f == BinaryFn::Add && node.operands.iter().any(is_layer),
            Op::Move(_) => views > 0 && is_bias(graph, node.result(), views - 1),
            _ => false,
        }
    })
}

/// The constants to which such a node folds; `None` if they are too large.
pub(super) fn constants(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Option<ValueList> {
    let node = emitter.graph().node(id);
    let (op, operands) = (node.op.clone(), node.operands.clone());
    let results = emitter.results(op, &operands).ok()?;
    let is_known = |&v: &ValueId| emitter.graph().as_constant(v).is_some();
    results.iter().all(is_known).then_some(results)
}

/// A product of a dequantisation and a number.
struct Product {
    real: ValueId,
    factor: f64,
}

impl Product {
    fn of(graph: &Graph, id: NodeId) -> Option<Product> {
        let node = graph.node(id);
        let &first = node.operands.first()?;
        let (real, factor) = match &node.op {
            Op::Unary(op) if op.f == UnaryFn::Simple(Simple::Neg) => (first, -1.0),
            Op::Binary(op) if matches!(op.f, BinaryFn::Mul | BinaryFn::Div) => {
                let second = node.operands[1];
                let number = |v: ValueId| graph.as_splat(v).map(Scalar::as_f64);
                match (op.f, number(first), number(second)) {
                    (BinaryFn::Mul, Some(factor), None) => (second, factor),
                    (BinaryFn::Mul, None, Some(factor)) => (first, factor),
                    (BinaryFn::Div, None, Some(divisor)) => (first, 1.0 / divisor),
                    _ => return None,
                }
            }
            _ => return None,
        };
        integers_of(graph, real)?;
        let (from, to) = (&graph.ty(real).shape, &graph.ty(node.result()).shape);
        let is_same = from.equal(to, &graph.symbols) == Some(true);
        is_same.then_some(Product { real, factor })
    }

    /// The quantisation of the product: the scale is multiplied, and for a negative number the zero point is mirrored.
    fn scaled(&self, stored: &Stored) -> Option<Stored> {
        let quant = &stored.quant;
        let scales: Vec<f64> = scaled_all(quant.scheme.scales(), self.factor.abs());
        let is_good = |s: &f64| (*s as f32).is_normal() && *s < 1e30;
        if !SCALES.holds(scales.iter().all(is_good)) {
            return None;
        }
        let mirrored = |zero: i64| match self.factor > 0.0 {
            true => zero,
            false => quant.min + quant.max - zero,
        };
        let zero_points = quant.scheme.zero_points().iter();
        let zero_points: Vec<i64> = zero_points.map(|&z| mirrored(z)).collect();
        let scheme = match &quant.scheme {
            QuantScheme::PerTensor { .. } => QuantScheme::PerTensor {
                scale: scales[0],
                zero_point: zero_points[0],
            },
            QuantScheme::PerChannel { axis, .. } => QuantScheme::PerChannel {
                axis: *axis,
                scales: scales.into(),
                zero_points: zero_points.into(),
            },
            QuantScheme::PerGroup { .. } => return None,
        };
        Some(Stored {
            quant: Arc::new(Quant { scheme, ..**quant }),
            dtype: stored.dtype,
        })
    }
}

fn scaled_all(scales: &[f64], factor: f64) -> Vec<f64> {
    scales.iter().map(|s| s * factor).collect()
}

/// True if the only result is a float that something other than a quantisation reads.
fn is_read_as_float(graph: &Graph, id: NodeId) -> bool {
    let [result] = graph.node(id).results.as_slice() else {
        return false;
    };
    let by_others = |use_: &Use| match *use_ {
        Use::Operand(reader, _) => !matches!(graph.node(reader).op, Op::Quantize(_)),
        Use::BlockResult(..) | Use::Update(_) => true,
    };
    is_float(graph, *result) && graph.value(*result).uses().iter().any(by_others)
}

/// True for a clamp of a dequantisation that is read as float, and whose bounds the integers represent exactly.
pub(super) fn is_limited(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let Op::Unary(op) = &node.op else {
        return false;
    };
    let (UnaryFn::Clamp { min, max }, true) = (op.f, is_clamp(&node.op)) else {
        return false;
    };
    let dtype = graph.ty(node.operands[0]).dtype;
    let Some(stored) = integers_of(graph, node.operands[0]).and_then(|v| Stored::of(graph, v))
    else {
        return false;
    };
    let element = |s: Scalar| TensorData::scalar(dtype, s).get(0);
    let is_exact = |bound: &Scalar| {
        let code = stored.code(graph, *bound, dtype);
        code.is_some_and(|(_, real)| element(Scalar::Float(real)) == element(*bound))
    };
    is_read_as_float(graph, id) && EXACT_BOUNDS.holds(min.iter().chain(&max).all(is_exact))
}

/// The clamp on integers, followed by a dequantisation.
pub(super) fn limited(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Emitted {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (op, real) = (node.op.clone(), node.operands[0]);
    let gone = || Reason::new("the operand of the clamp is dequantised", "none");
    let integers = integers_of(graph, real).ok_or_else(gone)?;
    let dtype = graph.ty(real).dtype;
    let integers = clamped(emitter, &op, integers, dtype)?;
    emitter.unfolded(Dequantize { dtype }, &[integers])
}

/// True for a product of a dequantisation and a number that is read as float. Its integers stay the same under another
/// scale, or are mirrored.
pub(super) fn is_product(graph: &Graph, id: NodeId) -> bool {
    is_read_as_float(graph, id) && Product::of(graph, id).is_some()
}

/// The product on integers, followed by a dequantisation.
pub(super) fn rescaled(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Emitted {
    let graph = emitter.graph();
    let gone = || Reason::new("the operand of the product is dequantised", "none");
    let product = Product::of(graph, id).ok_or_else(gone)?;
    let integers = integers_of(graph, product.real).ok_or_else(gone)?;
    let stored = Stored::of(graph, integers).ok_or_else(gone)?;
    let scaled = product.scaled(&stored).ok_or_else(gone)?;
    let node = graph.node(id);
    let (op, mut operands) = (Box::new(node.op.clone()), node.operands.clone());
    let real = operands.iter_mut().find(|v| **v == product.real);
    *real.ok_or_else(gone)? = integers;
    let dtype: DType = graph.ty(node.result()).dtype;
    let op = Quantised {
        op,
        quant: scaled.quant,
        dtype: scaled.dtype,
    };
    let has_one_scale = matches!(op.quant.scheme, QuantScheme::PerTensor { .. });
    if !has_one_scale && !is_constant(graph, integers) && !emitter.runs(op.clone(), &operands) {
        let rule = "the target computes with integers of several scales";
        return Err(Reason::new(rule, "floats only"));
    }
    let integers = emitter.value(op, &operands)?;
    emitter.unfolded(Dequantize { dtype }, &[integers])
}
