//! Expands an op on quantised operands to a dequantisation, the op in f32, and a quantisation.
//!
//! Ops that move, pick or compare elements keep their bits. For computed results, f32 may round to the other side of a
//! tie than exact reals would. If the f32 result errs by less than a step, the integers differ by at most one. A layer's weights stay whole
//! numbers where programs become smaller, and its result is multiplied by their scales (`crate::quantised::whole_weights`).
//!
//! ```kiln
//! decompose none quantised
//! graph "unfold" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: i8[4] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %2: i8[4] as (per_tensor 0.25 0 in [-128, 127]) = quantised %1 {op=unary {f=tanh}, quant=per_tensor 0.25 0 in [-128, 127], dtype=i8}
//!     %3: f32[4] = dequantize %2 {dtype=f32}
//!     return %3
//!   }
//! }
//! ---
//! graph "unfold" {
//!   input tensor "x" [0]
//!   output tensor
//!   block b0 (%0 "x": f32[4]) {
//!     %1: i8[4] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %2: f32[4] = dequantize %1 {dtype=f32}
//!     %3: f32[4] = unary %2 {f=tanh}
//!     %4: i8[4] as (per_tensor 0.25 0 in [-128, 127]) = quantize %3 {quant=per_tensor 0.25 0 in [-128, 127], dtype=i8}
//!     %5: f32[4] = dequantize %4 {dtype=f32}
//!     return %5
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only};
use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::folding;
use crate::framework::target::Reason;
use crate::quantised::whole_weights::WholeWeights;
use kiln_ir::ops::{Dequantize, Meaning, Quantize};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, ValueId};
use smallvec::smallvec;

/// The rule. Each node of this kind is computed on the reals of its operands.
pub const RULE: Expansion = Expansion {
    name: "quantised",
    rounds: Rounds::AsTheOp,
    expand: of_reals,
};

/// The variant of [`RULE`] for a node with quantised operands or results, if there is one.
pub fn rule(graph: &Graph, node: NodeId) -> Option<Expansion> {
    let op = &graph.node(node).op;
    let expand = match op.on_quantised() {
        _ if matches!(op, Op::Quantised(_)) => rounded_once,
        _ if matches!(op, Op::Requantize(_)) => requantised,
        Meaning::Carried | Meaning::Compared | Meaning::Computed => of_reals,
        Meaning::Plain | Meaning::Own | Meaning::Refused => return None,
    };
    Some(Expansion { expand, ..RULE })
}

/// The rule for the dequantisation of a constant, which is folded. A target without that op would otherwise run it over
/// all weights in each call.
pub const OF_CONSTANT: Expansion = Expansion {
    name: "dequantised_constant",
    rounds: Rounds::AsTheOp,
    expand: dequantised,
};

fn dequantised(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Dequantize);
    let found = emitter.graph().node(node);
    let (operand, result) = (found.operands[0], found.result());
    if emitter.graph().as_constant(operand).is_none() {
        return Err(Reason::new(
            "only the dequantisation of a constant can be done at compile time",
            "a computed value",
        ));
    }
    let bytes = folding::bytes_of(emitter.ty(result)).unwrap_or(0);
    emitter.allow_bytes(bytes as usize);
    only(emitter.value(op, &[operand]))
}

/// An operand as f32: quantised integers are dequantised, floats are cast, other integers stay.
fn real(emitter: &mut Emitter<'_, '_>, operand: ValueId) -> Emitted {
    let dtype = DType::F32;
    let ty = emitter.ty(operand);
    match (ty.quant.is_some(), ty.dtype.is_float()) {
        (true, _) => emitter.value(Dequantize { dtype }, &[operand]),
        (false, true) => emitter.cast(operand, dtype),
        (false, false) => Ok(operand),
    }
}

fn reals(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Result<Vec<ValueId>, Reason> {
    let operands = emitter.graph().node(node).operands.clone();
    operands.into_iter().map(|v| real(emitter, v)).collect()
}

fn rounded_once(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Quantised);
    let operands = emitter.graph().node(node).operands.clone();
    let weights = operands.get(1);
    let whole = weights.and_then(|&weight| WholeWeights::of(emitter, &op.op, weight));
    let real = match whole {
        Some(weights) => {
            let x = real(emitter, operands[0])?;
            let bias = operands.get(2).map(|&bias| real(emitter, bias));
            weights.layer(emitter, *op.op, x, bias.transpose()?)?
        }
        None => {
            let reals = reals(emitter, node)?;
            emitter.value(*op.op, &reals)?
        }
    };
    let (quant, dtype) = (op.quant, op.dtype);
    only(emitter.value(Quantize { quant, dtype }, &[real]))
}

fn requantised(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Requantize);
    let reals = reals(emitter, node)?;
    let (quant, dtype) = (op.quant, op.dtype);
    only(emitter.value(Quantize { quant, dtype }, &reals))
}

/// Expands an op that carries, compares or computes quantised elements.
fn of_reals(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = emitter.graph().node(node).op.clone();
    let first = emitter.graph().node(node).results[0];
    let (quant, dtype) = (emitter.ty(first).quant.clone(), emitter.ty(first).dtype);
    let reals = reals(emitter, node)?;
    let mut results = emitter.results(op, &reals)?;
    if let Some(quant) = quant {
        results[0] = emitter.value(Quantize { quant, dtype }, &[results[0]])?;
    }
    match results.as_slice() {
        &[only] => Ok(smallvec![Some(only)]),
        all => Ok(all.iter().copied().map(Some).collect()),
    }
}
