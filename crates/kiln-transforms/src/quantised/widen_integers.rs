//! Keeps quantised values in 32 bits where the target has no tensors of their type ([`Target::holds`]).
//!
//! The integers of 32 bits stand for the same reals: the scale is the same, and the zero point becomes 0. So a target that has no operators
//! on such integers may still round to them between floats, and move them. A value that something else reads, as the caller does, is requantised to
//! its own type behind the computation. Only NaN may become another integer, which depends on the machine anyway.
//!
//! ```kiln
//! widen_integers narrow i16
//! graph "widened" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: i16[2, 3] as (per_tensor 0.5 3 in [-32768, 32767]) = quantize %0 {quant=per_tensor 0.5 3 in [-32768, 32767], dtype=i16}
//!     %2: i16[3, 2] as (per_tensor 0.5 3 in [-32768, 32767]) = move %1 {movement=(a:2 b:3 -> b a)}
//!     %3: i16[3, 2] as (per_tensor 0.25 0 in [-32768, 32767]) = quantised %2 {op=unary {f=tanh}, quant=per_tensor 0.25 0 in [-32768, 32767], dtype=i16}
//!     %4: f32[3, 2] = dequantize %3 {dtype=f32}
//!     return %4, %2
//!   }
//! }
//! ---
//! graph "widened" {
//!   input tensor "x" [0, 1]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2, 3]) {
//!     %1: i32[2, 3] as (per_tensor 0.5 0 in [-32771, 32764]) = quantize %0 {quant=per_tensor 0.5 0 in [-32771, 32764], dtype=i32}
//!     %2: i32[3, 2] as (per_tensor 0.5 0 in [-32771, 32764]) = move %1 {movement=(a:2 b:3 -> b a)}
//!     %3: i16[3, 2] as (per_tensor 0.5 3 in [-32768, 32767]) = requantize %2 {quant=per_tensor 0.5 3 in [-32768, 32767], dtype=i16}
//!     %4: i32[3, 2] as (per_tensor 0.25 0 in [-32768, 32767]) = quantised %2 {op=unary {f=tanh}, quant=per_tensor 0.25 0 in [-32768, 32767], dtype=i32}
//!     %5: f32[3, 2] = dequantize %4 {dtype=f32}
//!     return %5, %3
//!   }
//! }
//! ```

use crate::framework::emitter::{Emitted, Emitter};
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::{Reason, Target};
use kiln_ir::graph::Node;
use kiln_ir::ops::{Meaning, Quantised, Quantize, Requantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, TensorType, ValueId};
use std::sync::Arc;

/// The pass.
pub const PASS: Pass = Pass {
    name: "widen_integers",
    keeps_bits: false,
    run,
    rules: &[MADE.name, READ.name],
    guards: &[],
};

/// What makes narrow integers makes wide ones instead.
const MADE: Rule = Rule {
    name: "widen_result",
    rewrite: made,
};

/// What reads narrow integers reads the wide ones.
const READ: Rule = Rule {
    name: "widen_operands",
    rewrite: read,
};

/// The most steps from 0 that floats hold exactly.
const MOST: i64 = 1 << 24;

/// Widens; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[MADE, READ]);
}

/// The quantisation in 32 bits of the same reals, for types that the target does not hold.
fn wide(emitter: &Emitter<'_, '_>, ty: &TensorType) -> Option<Arc<Quant>> {
    let quant = ty.quant.as_ref().filter(|_| !emitter.holds(ty))?;
    let QuantScheme::PerTensor { scale, zero_point } = quant.scheme else {
        return None;
    };
    let (min, max) = (quant.min - zero_point, quant.max - zero_point);
    let zero_point = 0;
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    let fits = ty.dtype != DType::I32 && min >= -MOST && max <= MOST;
    fits.then(|| Arc::new(Quant { scheme, min, max }))
}

/// The op that gives wide integers; `None` for an op that gives no integers, or gives those that it takes.
fn widened(op: &Op, quant: &Arc<Quant>) -> Option<Op> {
    let (quant, dtype) = (quant.clone(), DType::I32);
    match op {
        Op::Quantize(_) => Some(Quantize { quant, dtype }.into()),
        Op::Requantize(_) => Some(Requantize { quant, dtype }.into()),
        Op::Quantised(own) => {
            let op = own.op.clone();
            Some(Quantised { op, quant, dtype }.into())
        }
        _ => None,
    }
}

fn made(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id).clone();
    let ty = graph.ty(node.result()).clone();
    let Some(quant) = wide(emitter, &ty) else {
        return Ok(None);
    };
    if is_narrowed(graph, &node, &quant) {
        return Ok(None);
    }
    let meets = (0..node.operands.len()).any(|i| node.op.meets(i));
    let keeps_quant = matches!(node.op.on_quantised(), Meaning::Carried | Meaning::Computed);
    let op = match widened(&node.op, &quant) {
        Some(op) => op,
        None if meets && keeps_quant => node.op.clone(),
        None => return Ok(None),
    };
    let operands = operands(emitter, &node)?;
    let found = emitter.value(op, &operands)?;
    let (quant, dtype) = (own_quant(&ty), ty.dtype);
    emitter
        .unfolded(Requantize { quant, dtype }, &[found])
        .map(Some)
}

fn own_quant(ty: &TensorType) -> Arc<Quant> {
    ty.quant.clone().expect("the type is quantised")
}

/// True for a requantisation of wide integers to their own type.
fn is_narrowed(graph: &Graph, node: &Node, wide: &Arc<Quant>) -> bool {
    let from = node.operands.first().map(|&v| graph.ty(v));
    matches!(node.op, Op::Requantize(_))
        && from.is_some_and(|ty| ty.dtype == DType::I32 && ty.quant.as_ref() == Some(wide))
}

fn read(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id).clone();
    let reads = matches!(
        node.op,
        Op::Dequantize(_) | Op::Requantize(_) | Op::Quantised(_)
    ) || node.op.on_quantised() == Meaning::Compared;
    let result = graph.ty(node.result());
    if !reads || wide(emitter, result).is_some() {
        return Ok(None);
    }
    if !node
        .operands
        .iter()
        .any(|&v| narrowed(emitter, v).is_some())
    {
        return Ok(None);
    }
    let operands = operands(emitter, &node)?;
    emitter.value(node.op, &operands).map(Some)
}

/// The operands of a node, narrow integers as wide ones.
fn operands(emitter: &mut Emitter<'_, '_>, node: &Node) -> Result<Vec<ValueId>, Reason> {
    let operands = node.operands.iter();
    operands.map(|&v| in_wide(emitter, v)).collect()
}

/// The wide integers that were requantised to these.
fn narrowed(emitter: &Emitter<'_, '_>, value: ValueId) -> Option<ValueId> {
    let graph = emitter.graph();
    let quant = wide(emitter, graph.ty(value))?;
    let node = graph.node(graph.producer(value)?);
    is_narrowed(graph, node, &quant).then(|| node.operands[0])
}

fn in_wide(emitter: &mut Emitter<'_, '_>, value: ValueId) -> Emitted {
    if let Some(found) = narrowed(emitter, value) {
        return Ok(found);
    }
    let Some(quant) = wide(emitter, emitter.graph().ty(value)) else {
        return Ok(value);
    };
    let dtype = DType::I32;
    emitter.value(Requantize { quant, dtype }, &[value])
}
