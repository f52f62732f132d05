//! Gives weights with zero points integers that stand for their reals about 0.
//!
//! Libraries multiply by weights about 0. A weight of few bits with zero points, as asymmetric quantisers make it, still fits bytes when
//! its zero points are subtracted: `scale * (q - z) = scale * ((q - z) - 0)`. Weights that would not fit stay.
//!
//! # Contract
//! Only constants that layers alone read, as their weights, change. Those of 4 bits mostly become bytes. All results keep their bits.
//!
//! ```kiln
//! centred_weights
//! graph "centred_weights" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.25] [3, -8] in [-8, 7]) = [1, -8, 7, 0, -8, 7]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3]) {
//!     %1: i8[2, 3] as (per_channel 0 [0.5, 0.25] [3, -8] in [-8, 7]) = constant {value=c0}
//!     %2: f32[2, 3] = dequantize %1 {dtype=f32}
//!     %3: f32[1, 2] = linear %0, %2 {}
//!     return %3
//!   }
//! }
//! ---
//! graph "centred_weights" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = [-2, -11, 4, 8, 0, 15]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[1, 3]) {
//!     %1: i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = constant {value=c0}
//!     %2: f32[2, 3] = dequantize %1 {dtype=f32}
//!     %3: f32[1, 2] = linear %0, %2 {}
//!     return %3
//!   }
//! }
//! ```

use crate::analysis::constants::MAX_MOVEMENTS;
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use kiln_ir::graph::{Constant, Use};
use kiln_ir::types::Quant;
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, Scalar, TensorData, ValueId};
use kiln_quantised::parameters::Parameters;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The pass.
pub const PASS: Pass = Pass {
    name: "centred_weights",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[],
};

const RULE: Rule = Rule {
    name: "centred_weights",
    rewrite,
};

/// The integers of nibbles and of bytes.
const RANGES: [RangeInclusive<i64>; 2] = [-8..=7, -128..=127];

/// Subtracts zero points; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    if !matches!(node.op, Op::Dequantize(_)) || !is_weight(graph, node.result(), MAX_MOVEMENTS) {
        return Ok(None);
    }
    let Some(constant) = graph.as_constant(node.operands[0]) else {
        return Ok(None);
    };
    let quant = constant.ty.quant.as_deref();
    let Some((data, quant)) = quant.and_then(|quant| centred(&constant.data, quant)) else {
        return Ok(None);
    };
    let (op, name) = (node.op.clone(), constant.name.clone());
    let mut ty = data.tensor_type();
    ty.quant = Some(Arc::new(quant));
    let weight = emitter.known_constant(Constant { name, ty, data });
    emitter.unfolded(op, &[weight]).map(Some)
}

/// True if layers alone read the value, as their weight, or as their weight when its axes are permuted.
fn is_weight(graph: &Graph, value: ValueId, movements: usize) -> bool {
    let is_read_so = |reader: &Use| {
        let &Use::Operand(reader, slot) = reader else {
            return false;
        };
        let node = graph.node(reader);
        match &node.op {
            Op::Linear(_) | Op::Conv(_) | Op::MatMul(_) => slot == 1,
            Op::Move(op) => {
                movements > 0
                    && op.movement.as_permutation().is_some()
                    && is_weight(graph, node.result(), movements - 1)
            }
            _ => false,
        }
    };
    let uses = graph.value(value).uses();
    !uses.is_empty() && uses.iter().all(is_read_so)
}

/// The integers without their zero points; `None` if there are none, or if a byte is too small.
fn centred(data: &TensorData, quant: &Quant) -> Option<(TensorData, Quant)> {
    let scheme = &quant.scheme;
    if scheme.zero_points().iter().all(|&z| z == 0) {
        return None;
    }
    let parameters = Parameters::of(quant, data.sizes()).ok()?;
    let less = |(i, q): (usize, Scalar)| q.as_i64() - parameters.at(i).1;
    let integers = || data.scalars().enumerate().map(less);
    // Only looked at first: most weights of 8 bits do not fit.
    let fits = |range: &&RangeInclusive<i64>| integers().all(|q| range.contains(&q));
    let range = RANGES.iter().find(fits)?;
    let bytes: Vec<u8> = integers().map(|q| q as i8 as u8).collect();
    let data = TensorData::new(DType::I8, data.sizes().to_vec(), bytes.into()).ok()?;
    let quant = Quant {
        scheme: scheme.map_zero_points(|_| 0),
        min: *range.start(),
        max: *range.end(),
    };
    Some((data, quant))
}
