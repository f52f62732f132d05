//! What computes reals and rounds them to integers, as a dequantisation of its operands, the op in f32, and a quantisation.
//!
//! An f32 computation may fall to the other side of a tie than the exact one: the integers differ by at most one where
//! the f32 result errs by less than a step.
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

use super::{Expanded, Expansion, only};
use crate::emitter::Emitter;
use kiln_ir::ops::{Dequantize, Quantize};
use kiln_ir::{DType, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "quantised",
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Quantised);
    let operands = emitter.graph().node(node).operands.clone();
    let mut reals: Vec<ValueId> = Vec::with_capacity(operands.len());
    for operand in operands {
        let ty = emitter.ty(operand);
        let (is_quantised, is_float) = (ty.quant.is_some(), ty.dtype.is_float());
        reals.push(match (is_quantised, is_float) {
            (true, _) => {
                let dtype = DType::F32;
                emitter.node(Dequantize { dtype }, &[operand])?
            }
            (false, true) => emitter.cast(operand, DType::F32)?,
            (false, false) => operand,
        });
    }
    let real = emitter.node(*op.op, &reals)?;
    let (quant, dtype) = (op.quant, op.dtype);
    only(emitter.node(Quantize { quant, dtype }, &[real]))
}
