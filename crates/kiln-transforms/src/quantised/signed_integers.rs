//! Gives quantised values of unsigned bytes signed ones: each integer and the zero point less 128, which stand for the same reals.
//!
//! Targets have layers of signed integers, and few of unsigned ones. Integers that only move to the caller stay as they are. Runs before
//! `fold_quantised`, so that quantisations and constants are all that makes such values.
//!
//! ```kiln
//! signed_integers
//! graph "signed" {
//!   constant c0 "w" u8[2] as (per_tensor 0.5 128 in [0, 255]) = [0, 130]
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: u8[2] as (per_tensor 0.5 128 in [0, 255]) = constant {value=c0}
//!     %2: u8[2] as (per_tensor 0.5 3 in [0, 255]) = quantize %0 {quant=per_tensor 0.5 3 in [0, 255], dtype=u8}
//!     %3: f32[2] = dequantize %2 {dtype=f32}
//!     %4: f32[2] = dequantize %1 {dtype=f32}
//!     %5: f32[2] = binary %3, %4 {f=mul}
//!     return %5, %2
//!   }
//! }
//! ---
//! graph "signed" {
//!   constant c0 "w" i8[2] as (per_tensor 0.5 0 in [-128, 127]) = [-128, 2]
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: i8[2] as (per_tensor 0.5 -125 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 -125 in [-128, 127], dtype=i8}
//!     %2: u8[2] as (per_tensor 0.5 3 in [0, 255]) = quantize %0 {quant=per_tensor 0.5 3 in [0, 255], dtype=u8}
//!     %3: f32[2] = dequantize %1 {dtype=f32}
//!     %4: i8[2] as (per_tensor 0.5 0 in [-128, 127]) = constant {value=c0}
//!     %5: f32[2] = dequantize %4 {dtype=f32}
//!     %6: f32[2] = binary %3, %5 {f=mul}
//!     return %6, %2
//!   }
//! }
//! ```

use super::retype::{self, Integers, Retype};
use crate::analysis::constants::MAX_MOVEMENTS;
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use kiln_ir::graph::Use;
use kiln_ir::ops::{Meaning, Quantize};
use kiln_ir::types::Quant;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, TensorData, TensorType, ValueId};
use std::sync::Arc;

/// The pass.
pub const PASS: Pass = Pass {
    name: "signed_integers",
    // Only NaN may become another integer, which depends on the machine anyway.
    keeps_bits: false,
    run,
    rules: &[MADE.name, READ.name, BORDER.name],
    guards: &[],
};

/// What makes unsigned integers makes signed ones instead.
const MADE: Rule = Rule {
    name: "sign_result",
    rewrite: made,
};

/// What reads unsigned integers reads the signed ones.
const READ: Rule = Rule {
    name: "sign_operands",
    rewrite: read,
};

/// What the caller reads is quantised to its own integers at once.
const BORDER: Rule = Rule {
    name: "unsigned_border",
    rewrite: border,
};

const SIGN: Retype = Retype {
    wanted: signed,
    constant: Some(signed_bytes),
    changes_inputs: true,
};

/// The distance of both kinds of integers.
const HALF: i64 = 128;

/// Makes integers signed; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[MADE, READ]);
    // What only the caller reads is known then.
    run_pass(rewriter, target, report, &[BORDER]);
}

/// Each byte less 128.
fn signed_bytes(data: &TensorData) -> TensorData {
    let bytes: Vec<u8> = data.bytes().iter().map(|byte| byte ^ 0x80).collect();
    TensorData::new(DType::I8, data.sizes().to_vec(), bytes.into())
        .expect("as many bytes as before")
}

/// The signed integers of the same reals.
fn signed(_: &Emitter<'_, '_>, ty: &TensorType) -> Option<Integers> {
    let quant = ty.quant.as_ref().filter(|_| ty.dtype == DType::U8)?;
    let scheme = quant.scheme.map_zero_points(|point| point - HALF);
    let (min, max) = (quant.min - HALF, quant.max - HALF);
    Some((DType::I8, Arc::new(Quant { scheme, min, max })))
}

fn made(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    match graph.node(id).results.as_slice() {
        &[result] if is_layer(graph, id) || !only_moves_to_caller(graph, result) => {
            retype::made(emitter, id, SIGN)
        }
        _ => Ok(None),
    }
}

fn read(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    retype::read(emitter, id, SIGN)
}

fn border(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let Op::Requantize(own) = &node.op else {
        return Ok(None);
    };
    let Some(made) = graph.producer(node.operands[0]) else {
        return Ok(None);
    };
    let is_layer = is_layer(graph, made);
    let made = graph.node(made);
    if !matches!(made.op, Op::Quantize(_)) || is_layer {
        return Ok(None);
    }
    let wanted = signed(emitter, graph.ty(node.result()));
    let is_same =
        wanted.is_some_and(|(_, quant)| graph.ty(node.operands[0]).quant.as_ref() == Some(&quant));
    if !is_same || !is_callers(graph, node.result()) {
        return Ok(None);
    }
    let (quant, dtype, real) = (own.quant.clone(), own.dtype, made.operands[0]);
    emitter.value(Quantize { quant, dtype }, &[real]).map(Some)
}

/// The most functions and movements behind a layer.
const MAX_BEHIND: usize = 8;

/// True for a quantisation of what a layer makes of quantised values, which `fold_quantised` computes in integers.
fn is_layer(graph: &Graph, id: NodeId) -> bool {
    let mut node = graph.node(id);
    if !matches!(node.op, Op::Quantize(_)) {
        return false;
    }
    for _ in 0..MAX_BEHIND {
        let Some(before) = graph.producer(node.operands[0]).map(|id| graph.node(id)) else {
            return false;
        };
        let is_dequantised =
            |&value: &ValueId| matches!(graph.producer_op(value), Some(Op::Dequantize(_)));
        if !matches!(before.op, Op::Move(_)) && before.operands.iter().any(is_dequantised) {
            return true;
        }
        if before.operands.len() != 1 {
            return false;
        }
        node = before;
    }
    false
}

/// True for a value that nothing reads but the caller.
fn is_callers(graph: &Graph, value: ValueId) -> bool {
    let mut uses = graph.value(value).uses().iter();
    uses.all(|use_| !matches!(use_, Use::Operand(..)))
}

/// True for integers that nothing computes with: all that is done with them moves them to the caller.
fn only_moves_to_caller(graph: &Graph, integers: ValueId) -> bool {
    let quant = &graph.ty(integers).quant;
    let mut waiting = vec![integers];
    for _ in 0..MAX_MOVEMENTS {
        let Some(value) = waiting.pop() else {
            return true;
        };
        let is_real = graph.ty(value).quant.is_none();
        for use_ in graph.value(value).uses() {
            let Use::Operand(reader, _) = *use_ else {
                // The caller reads reals, of which integers of any type can be made.
                if is_real {
                    return false;
                }
                continue;
            };
            let node = graph.node(reader);
            let moves = match &node.op {
                Op::Dequantize(_) => true,
                Op::Quantize(_) => graph.ty(node.result()).quant == *quant,
                op => op.on_quantised() == Meaning::Carried && node.results.len() == 1,
            };
            if !moves {
                return false;
            }
            waiting.push(node.result());
        }
    }
    false
}
