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

use super::retype::{self, Integers, Retype};
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{DType, NodeId, Rewriter, TensorType};
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

const WIDEN: Retype = Retype {
    wanted: wide,
    constant: None,
    changes_inputs: false,
};

/// The most steps from 0 that floats hold exactly.
const MOST: i64 = 1 << 24;

/// Widens; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[MADE, READ]);
}

/// The quantisation in 32 bits of the same reals, for types that the target does not hold.
fn wide(emitter: &Emitter<'_, '_>, ty: &TensorType) -> Option<Integers> {
    let quant = ty.quant.as_ref().filter(|_| !emitter.holds(ty))?;
    let QuantScheme::PerTensor { scale, zero_point } = quant.scheme else {
        return None;
    };
    let (min, max) = (quant.min - zero_point, quant.max - zero_point);
    let zero_point = 0;
    let scheme = QuantScheme::PerTensor { scale, zero_point };
    let fits = ty.dtype != DType::I32 && min >= -MOST && max <= MOST;
    fits.then(|| (DType::I32, Arc::new(Quant { scheme, min, max })))
}

fn made(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    retype::made(emitter, id, WIDEN)
}

fn read(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    retype::read(emitter, id, WIDEN)
}
