//! Lowering of operators on integers of 8 bits, and of conversions to those of 32 bits.
//!
//! Each file has the form of a kind of operator, which support rules ask for as well: scales in f32 and within the range of
//! the library's kernel, constants as integers. An operator rounds once, as [`kiln_quantised::xnnpack`] says.

pub(crate) mod convert;
pub(crate) mod layer;
pub(crate) mod mean;
pub(crate) mod pointwise;
mod tap_channels;
pub(crate) mod wide;

use super::element::Elements;
use super::{Lowering, Problem};
use crate::payload::{Clamp, UnaryOp, ValueId as Tensor, XnnOp};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Quantised, UnaryFn};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, NodeId, Op, Scalar, TensorType, ValueId};
use kiln_quantised::xnnpack::pointwise::Qparams;
use kiln_transforms::framework::target::Reason;
use kiln_transforms::layout::Order;

/// The rule for integers that the library computes with.
pub(crate) const FORM: &str =
    "XNNPACK computes with integers of 8 bits that have one scale and zero point";

/// The quantisation of a tensor of 8 bits with one scale.
///
/// # Errors
/// If the tensor is none, or if its scale is not a normal f32.
pub(crate) fn qparams(ty: &TensorType) -> Result<Qparams, Reason> {
    let rule = FORM;
    let Some(quant) = &ty.quant else {
        return Err(Reason::new(rule, format!("{ty:?}")));
    };
    let QuantScheme::PerTensor { scale, zero_point } = quant.scheme else {
        return Err(Reason::new(rule, "a scale for each channel"));
    };
    let single = scale as f32;
    if !single.is_normal() || !(1.0 / single).is_normal() {
        let rule = "XNNPACK's scales and their reciprocals are normal numbers of f32";
        return Err(Reason::new(rule, scale.to_string()));
    }
    match ty.dtype {
        DType::I8 => Ok(Qparams::signed(single, zero_point as i32)),
        DType::U8 => Ok(Qparams::unsigned(single, zero_point as i32)),
        _ => Err(too_wide(rule, quant)),
    }
}

/// Refuses the integers of more than 8 bits that the model has, whatever they are kept in.
fn too_wide(rule: &str, quant: &Quant) -> Reason {
    let last = quant.max.abs_diff(quant.min);
    let bits = (u64::BITS - last.leading_zeros()).next_multiple_of(8);
    let advice = format!(
        "it computes in floats instead, and rounds them to the model's integers; XNNPACK has no kernels of {bits} bits: quantise the \
         activations to 8 bits"
    );
    Reason::new(rule, format!("integers of {bits} bits")).advise(advice)
}

/// The range of integers in use, as reals that the library rounds to these integers; `None` for the whole type.
pub(crate) fn narrow_range(ty: &TensorType) -> Option<Clamp> {
    let (quant, params) = (ty.quant.as_ref()?, qparams(ty).ok()?);
    let (min, max) = (quant.min as i32, quant.max as i32);
    let is_whole = (min, max) == (params.min, params.max);
    (!is_whole).then(|| Clamp {
        min: params.real(min),
        max: params.real(max),
    })
}

/// Refuses clamps of integers that the library does not have.
///
/// # Errors
/// If the type is none of the library's, or if the bounds leave no two integers.
pub(crate) fn check_bounds(ty: &TensorType, f: UnaryFn) -> Result<(), Reason> {
    let rule = "XNNPACK clamps to a range of more than one number";
    let found = || Reason::new(rule, clamp_in_words(f));
    let range = bounds(ty, f).ok_or_else(found)?;
    (range.min < range.max).then_some(()).ok_or_else(found)
}

fn clamp_in_words(f: UnaryFn) -> String {
    let UnaryFn::Clamp { min, max } = f else {
        return f.function().into();
    };
    let end = |bound: Option<Scalar>| bound.map_or("no end".into(), |b| b.as_f64().to_string());
    format!("one from {} to {}", end(min), end(max))
}

/// The range of a clamp of integers, as reals that the library rounds to these integers; `None` if the op is no such clamp.
pub(crate) fn bounds(ty: &TensorType, f: UnaryFn) -> Option<Clamp> {
    let UnaryFn::Clamp { min, max } = f else {
        return None;
    };
    let of = |bound: Option<Scalar>, none: f32| match bound {
        Some(bound) => nearest(ty, bound),
        None => Some(none),
    };
    Some(Clamp {
        min: of(min, f32::NEG_INFINITY)?,
        max: of(max, f32::INFINITY)?,
    })
}

/// The real of the integer to which a number is rounded; `None` if the type is none of the library's.
pub(crate) fn nearest(ty: &TensorType, number: Scalar) -> Option<f32> {
    let (quant, params) = (ty.quant.as_ref()?, qparams(ty).ok()?);
    let QuantScheme::PerTensor { scale, zero_point } = quant.scheme else {
        return None;
    };
    if number.as_f64().is_nan() {
        return None;
    }
    let integer = (number.as_f64() / scale).round_ties_even() + zero_point as f64;
    let (least, greatest) = (quant.min as f64, quant.max as f64);
    Some(params.real(integer.clamp(least, greatest) as i32))
}

impl Lowering<'_> {
    pub(super) fn quantised(
        &mut self,
        id: NodeId,
        node: &Node,
        op: &Quantised,
        order: &Order,
    ) -> Result<(), Problem> {
        match &*op.op {
            Op::Linear(_) => self.integer_linear(id, node, order),
            Op::Conv(op) => self.integer_conv(id, node, op, order),
            Op::MatMul(_) => self.integer_product(id, node, order),
            Op::Binary(op) => self.integer_pair(id, node, op.f, order),
            Op::Unary(op) => self.integer_function(id, node, op.f, order),
            Op::Reduce(_) | Op::AdaptivePool(_) | Op::Pool(_) => self.integer_mean(id, node, order),
            other => Err(format!(
                "there is no lowering of {} to integers",
                other.name()
            )),
        }
    }

    /// The range of a node's result: of its own type, and of the clamp that is fused into it.
    fn integer_range(&self, id: NodeId) -> Option<Clamp> {
        let own = narrow_range(self.graph.ty(self.graph.node(id).result()));
        match (self.clamp(id), own) {
            (Some(a), Some(b)) => Some(Clamp {
                min: a.min.max(b.min),
                max: a.max.min(b.max),
            }),
            (a, b) => a.or(b),
        }
    }

    /// Adds an operator that takes no range, and a clamp if the result has one.
    fn push_limited(&mut self, id: NodeId, order: &Order, op: impl FnOnce(Tensor) -> XnnOp) {
        let output = self.target(id, order);
        let Some(clamp) = self.integer_range(id) else {
            return self.push(op(output));
        };
        let whole = self.like(output);
        self.push(op(whole));
        self.clamp_integers(whole, output, clamp);
    }

    /// Limits integers to a range.
    pub(super) fn clamp_integers(&mut self, input: Tensor, output: Tensor, clamp: Clamp) {
        let (op, flags) = (UnaryOp::Clamp, 0);
        let clamped = XnnOp::Unary {
            op,
            input,
            output,
            flags,
        };
        self.push_clamped(clamped, Some(clamp));
    }

    fn type_of(&self, value: ValueId) -> Result<Elements, Problem> {
        Elements::of(self.graph.ty(value))
    }
}
