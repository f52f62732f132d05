//! Puts a number in place of the NaN that a function makes of numbers, in front of a quantisation that gives NaN another integer than PyTorch.
//!
//! PyTorch quantises NaN to the integer 0, or to the nearest one in the range ([`kiln_ir::ops::Quantize`]). The pass is about functions
//! that have no value for some numbers which their finite operand may hold, as `acosh` of reals below 1: there NaN is no accident of the
//! data.
//!
//! ```kiln
//! quantize_nan kernel quantize
//! graph "number" {
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: i8[2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %2: f32[2] = dequantize %1 {dtype=f32}
//!     %3: f32[2] = unary %2 {f=acosh}
//!     %4: i8[2] as (per_tensor 0.25 -8 in [-128, 127]) = quantize %3 {quant=per_tensor 0.25 -8 in [-128, 127], dtype=i8}
//!     %5: f32[2] = unary %2 {f=tanh}
//!     %6: i8[2] as (per_tensor 0.25 -8 in [-128, 127]) = quantize %5 {quant=per_tensor 0.25 -8 in [-128, 127], dtype=i8}
//!     return %4, %6
//!   }
//! }
//! ---
//! graph "number" {
//!   constant c0 "broadcast" f32[2] = [2.0, 2.0]
//!   input tensor "x" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[2]) {
//!     %1: i8[2] as (per_tensor 0.5 3 in [-128, 127]) = quantize %0 {quant=per_tensor 0.5 3 in [-128, 127], dtype=i8}
//!     %2: f32[2] = dequantize %1 {dtype=f32}
//!     %3: f32[2] = unary %2 {f=acosh}
//!     %4: bool[2] = compare %3, %3 {f=eq}
//!     %5: f32[2] = constant {value=c0}
//!     %6: f32[2] = select %4, %3, %5 {}
//!     %7: i8[2] as (per_tensor 0.25 -8 in [-128, 127]) = quantize %6 {quant=per_tensor 0.25 -8 in [-128, 127], dtype=i8}
//!     %8: f32[2] = unary %2 {f=tanh}
//!     %9: i8[2] as (per_tensor 0.25 -8 in [-128, 127]) = quantize %8 {quant=per_tensor 0.25 -8 in [-128, 127], dtype=i8}
//!     return %7, %9
//!   }
//! }
//! ```

use crate::analysis::ranges::{Floats, Ranges};
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use kiln_ir::ops::{Binary, BinaryFn, CompareFn, Quantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, Graph, NodeId, Op, Rewriter, ValueId};

/// The pass.
pub const PASS: Pass = Pass {
    name: "quantize_nan",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[],
};

const RULE: Rule = Rule {
    name: "quantize_nan",
    rewrite,
};

/// Replaces NaN in front of quantisations; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let Op::Quantize(op) = &emitter.graph().node(id).op else {
        return Ok(None);
    };
    let (op, x): (Quantize, ValueId) = (op.clone(), emitter.graph().node(id).operands[0]);
    let Some(number) = real_of_nan(&op.quant) else {
        return Ok(None);
    };
    if emitter.quantises_nan_to_zero(id) || !leaves_domain(emitter.graph(), x) {
        return Ok(None);
    }
    let is_number = emitter.compare(CompareFn::Eq, x, x)?;
    let number = emitter.scalar_like(number, x);
    let shape = emitter.shape(x);
    let number = emitter.broadcast(number, shape)?;
    let x = emitter.select(is_number, x, number)?;
    emitter.value(op, &[x]).map(Some)
}

/// The real of the integer that NaN becomes, if all elements have one scale.
fn real_of_nan(quant: &Quant) -> Option<f64> {
    match quant.scheme {
        QuantScheme::PerTensor { scale, zero_point } => {
            Some((0i64.clamp(quant.min, quant.max) - zero_point) as f64 * scale)
        }
        QuantScheme::PerChannel { .. } | QuantScheme::PerGroup { .. } => None,
    }
}

/// True if a function makes NaN of numbers: its operand holds finite numbers only, and the function has no value for some of them.
fn leaves_domain(graph: &Graph, value: ValueId) -> bool {
    let Some(node) = graph.producer(value).map(|id| graph.node(id)) else {
        return false;
    };
    let range = |v: ValueId| Ranges::new(graph).of(v).floats();
    let is_finite = |r: Floats| !r.nan && r.low.is_finite() && r.high.is_finite();
    match &node.op {
        Op::Move(_) => leaves_domain(graph, node.operands[0]),
        Op::Unary(_) | Op::Binary(Binary { f: BinaryFn::Pow }) => {
            let mut operands = node.operands.iter();
            operands.all(|&v| range(v).is_some_and(is_finite))
                && range(value).is_some_and(|r| r.nan)
        }
        _ => false,
    }
}
