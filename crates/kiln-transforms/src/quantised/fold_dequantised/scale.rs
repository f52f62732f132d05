//! Moves a constant factor of each channel from behind a layer with integer weights into the scales of the weights.
//!
//! torchao's `Int8WeightOnlyConfig` and `Int8DynamicActivationInt8WeightConfig` multiply by the scales of the weights behind the product.
//!
//! ```kiln
//! fold_dequantised
//! graph "factor_behind" {
//!   constant c0 "w" i8[3, 2] = [1, 2, 3, 4, 5, 6]
//!   constant c1 "s" f32[1, 2] = [0.5, 0.25]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 3]) {
//!     %1: i8[3, 2] = constant {value=c0}
//!     %2: f32[3, 2] = cast %1 {to=f32}
//!     %3: f32[4, 2] = matmul %0, %2 {}
//!     %4: f32[1, 2] = constant {value=c1}
//!     %5: f32[4, 2] = binary %3, %4 {f=mul}
//!     return %5
//!   }
//! }
//! ---
//! graph "factor_behind" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = [1, 3, 5, 2, 4, 6]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 3]) {
//!     %1: i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = constant {value=c0}
//!     %2: f32[4, 2] = dequantised %0, %1 {op=linear {}, dtype=f32, activation=none}
//!     return %2
//!   }
//! }
//! ```

use super::folded;
use crate::analysis::constants::{constant_of, is_constant, name_of};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::rewriting::{Rewritten, Rule, is_read_once};
use crate::framework::target::Reason;
use crate::guards;
use kiln_ir::graph::{Constant, Node, ValueList};
use kiln_ir::ops::BinaryFn;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, Graph, NodeId, Op, Scalar, TensorData, ValueId};
use smallvec::smallvec;

guards! {
    /// The factor is one number for all, or one for each channel.
    BY_CHANNEL;
}

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "scale_dequantised",
    rewrite,
};

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let node = emitter.graph().node(id);
    let (Op::Binary(op), &[a, b]) = (&node.op, node.operands.as_slice()) else {
        return Ok(None);
    };
    if op.f != BinaryFn::Mul {
        return Ok(None);
    }
    for (layer, factor) in [(a, b), (b, a)] {
        if is_constant(emitter.graph(), factor)
            && let Some((layer, axis)) = layer_of(emitter.graph(), layer)
        {
            return scaled(emitter, &layer, axis, factor);
        }
    }
    Ok(None)
}

/// A layer with integer weights whose output channels are their first axis, if the value is read once; and the axis of the result that
/// holds the channels.
fn layer_of(graph: &Graph, value: ValueId) -> Option<(Node, usize)> {
    let node = graph.node(graph.producer(value)?);
    let Op::Dequantised(op) = &node.op else {
        return None;
    };
    let axis = match &*op.op {
        Op::Linear(_) => graph.ty(value).rank() - 1,
        Op::Conv(op) if !op.transposed => 1,
        _ => return None,
    };
    is_read_once(graph, value).then(|| (node.clone(), axis))
}

/// The layer with scales and bias times the factors, if the target runs it.
fn scaled(emitter: &mut Emitter<'_, '_>, layer: &Node, axis: usize, factor: ValueId) -> Rewritten {
    let factors = factors_of(emitter.graph(), layer, axis, factor)?;
    let Some(weight) = scaled_weight(emitter.graph(), layer.operands[1], &factors) else {
        return Err(Reason::new(
            "scales of a weight are those of its output channels",
            emitter.graph().type_text(layer.operands[1]),
        ));
    };
    let mut operands: ValueList = smallvec![layer.operands[0], emitter.known_constant(weight)];
    if let Some(&bias) = layer.operands.get(2) {
        operands.push(scaled_bias(emitter, bias, &factors)?);
    }
    match &layer.op {
        Op::Dequantised(op) => folded(emitter, op.clone(), &operands),
        _ => Ok(None),
    }
}

/// The bias times the factors of its channels.
fn scaled_bias(emitter: &mut Emitter<'_, '_>, bias: ValueId, factors: &[f64]) -> Emitted {
    let graph = emitter.graph();
    let known = constant_of(graph, bias).filter(|_| graph.ty(bias).quant.is_none());
    let Some(own) = known else {
        let rule = "the bias of a scaled layer is a constant of floats";
        return Err(Reason::new(rule, graph.type_text(bias)));
    };
    let name = name_of(graph, bias);
    let products = own.scalars().zip(factors).map(|(b, f)| b.as_f64() * f);
    let products = products.map(Scalar::Float);
    let data = TensorData::from_scalars(own.dtype(), vec![factors.len()], products);
    Ok(emitter.constant(&name, data))
}

/// The factor of each output channel.
fn factors_of(
    graph: &Graph,
    layer: &Node,
    axis: usize,
    factor: ValueId,
) -> Result<Vec<f64>, Reason> {
    let (ty, own) = (graph.ty(layer.result()), graph.ty(factor));
    let channels = ty.shape[axis].as_const();
    let is_fit = |(i, size): (usize, &kiln_ir::Dim)| {
        size.is(1) || (i == axis && size.as_const() == channels)
    };
    let fits = own.rank() == ty.rank() && own.shape.iter().enumerate().all(is_fit);
    let by_channel = channels.filter(|_| BY_CHANNEL.holds(fits));
    let numbers = constant_of(graph, factor);
    let (Some(channels), Some(numbers)) = (by_channel, numbers) else {
        let rule = format!("a factor is one number, or one for each channel (axis {axis})");
        return Err(Reason::new(rule, graph.type_text(factor)));
    };
    let numbers: Vec<f64> = numbers.scalars().map(Scalar::as_f64).collect();
    // Scales of a type are.
    if !numbers.iter().all(|&f| f > 0.0 && f.is_finite()) {
        let rule = "factors that become scales are positive";
        return Err(Reason::new(rule, "another number"));
    }
    let channels = usize::try_from(channels).unwrap_or(0);
    Ok((0..channels).map(|i| numbers[i % numbers.len()]).collect())
}

/// The weight with scales times the factors of its output channels; `None` if its scales are of another axis.
fn scaled_weight(graph: &Graph, weight: ValueId, factors: &[f64]) -> Option<Constant> {
    let ty = graph.ty(weight).clone();
    let quant = ty.quant.clone()?;
    let scheme = match &quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => QuantScheme::PerChannel {
            axis: 0,
            scales: factors.iter().map(|f| f * scale).collect(),
            zero_points: vec![*zero_point; factors.len()].into(),
        },
        QuantScheme::PerChannel {
            axis: 0,
            scales,
            zero_points,
        } => QuantScheme::PerChannel {
            axis: 0,
            scales: scales.iter().zip(factors).map(|(s, f)| s * f).collect(),
            zero_points: zero_points.clone(),
        },
        QuantScheme::PerGroup {
            group,
            scales,
            zero_points,
        } => {
            let runs = scales.len() / factors.len().max(1);
            QuantScheme::PerGroup {
                group: *group,
                scales: (scales.iter().enumerate())
                    .map(|(i, s)| s * factors[i / runs.max(1)])
                    .collect(),
                zero_points: zero_points.clone(),
            }
        }
        QuantScheme::PerChannel { .. } => return None,
    };
    let (min, max) = (quant.min, quant.max);
    let data = constant_of(graph, weight)?;
    let mut ty = ty;
    ty.quant = Some(Quant { scheme, min, max }.into());
    let name = name_of(graph, weight);
    Some(Constant { name, ty, data })
}
