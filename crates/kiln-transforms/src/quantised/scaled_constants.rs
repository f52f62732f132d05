//! Makes a scale of the constant factor of integers, where layers and look-ups read the product.
//!
//! Models that quantise weights by hand multiply the integers by their scales: `F.linear(x, weight.float() * scale)`.
//!
//! ```kiln
//! scaled_constants
//! graph "weight_by_hand" {
//!   constant c0 "w" i8[2, 3] = [1, 2, 3, 4, 5, 6]
//!   constant c1 "s" f32[2, 1] = [0.5, 0.25]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 3]) {
//!     %1: i8[2, 3] = constant {value=c0}
//!     %2: f32[2, 3] = cast %1 {to=f32}
//!     %3: f32[2, 1] = constant {value=c1}
//!     %4: f32[2, 3] = binary %2, %3 {f=mul}
//!     %5: f32[4, 2] = linear %0, %4 {}
//!     return %5
//!   }
//! }
//! ---
//! graph "weight_by_hand" {
//!   constant c0 "w" i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = [1, 2, 3, 4, 5, 6]
//!   input tensor "x" [0, 1]
//!   output tensor
//!   block b0 (%0 "x": f32[4, 3]) {
//!     %1: i8[2, 3] as (per_channel 0 [0.5, 0.25] [0, 0] in [-128, 127]) = constant {value=c0}
//!     %2: f32[2, 3] = dequantize %1 {dtype=f32}
//!     %3: f32[4, 2] = linear %0, %2 {}
//!     return %3
//!   }
//! }
//! ```

use super::fold_dequantised::is_weight;
use crate::analysis::constants::{constant_of, is_constant, name_of};
use crate::framework::emitter::Emitter;
use crate::framework::pass::{Pass, Report};
use crate::framework::rewriting::{Rewritten, Rule, run_pass};
use crate::framework::target::Target;
use crate::guards;
use kiln_ir::graph::{Constant, Use};
use kiln_ir::ops::{BinaryFn, Dequantize};
use kiln_ir::types::{Quant, QuantScheme};
use kiln_ir::{Builder, DType, Graph, NodeId, Op, Rewriter, Scalar, ValueId};

guards! {
    /// The factor is one number, or varies along one axis of the integers and enlarges none.
    ONE_AXIS;
}

/// The pass.
pub const PASS: Pass = Pass {
    name: "scaled_constants",
    keeps_bits: true,
    run,
    rules: &[RULE.name],
    guards: &[GUARDS],
};

const RULE: Rule = Rule {
    name: "scaled_constants",
    rewrite,
};

/// Replaces products; see the module.
pub fn run(rewriter: &mut Rewriter<'_>, target: &dyn Target, report: &mut Report) {
    run_pass(rewriter, target, report, &[RULE]);
}

fn rewrite(emitter: &mut Emitter<'_, '_>, id: NodeId) -> Rewritten {
    let graph = emitter.graph();
    let node = graph.node(id);
    let (Op::Binary(op), &[a, b]) = (&node.op, node.operands.as_slice()) else {
        return Ok(None);
    };
    if op.f != BinaryFn::Mul || !are_weights(graph, node.result()) {
        return Ok(None);
    }
    for (integers, factor) in [(a, b), (b, a)] {
        let Some((integers, dtype)) = cast_of(graph, integers) else {
            continue;
        };
        let Some(constant) = scaled(graph, integers, factor) else {
            return Ok(None);
        };
        let weight = emitter.known_constant(constant);
        return emitter.unfolded(Dequantize { dtype }, &[weight]).map(Some);
    }
    Ok(None)
}

/// True if all that reads a value, perhaps behind movements, are layers and look-ups, as their weights or table.
fn are_weights(graph: &Graph, value: ValueId) -> bool {
    let mut uses = graph.value(value).uses().iter();
    uses.len() > 0
        && uses.all(|reader| match *reader {
            Use::Operand(node, _) if matches!(graph.node(node).op, Op::Move(_)) => {
                are_weights(graph, graph.node(node).result())
            }
            Use::Operand(node, slot) => is_weight(&graph.node(node).op, slot),
            Use::BlockResult(..) | Use::Update(_) => false,
        })
}

/// The constant bytes that are cast to floats, all of which are numbers of any float type.
fn cast_of(graph: &Graph, value: ValueId) -> Option<(ValueId, DType)> {
    let node = graph.node(graph.producer(value)?);
    let Op::Cast(op) = &node.op else {
        return None;
    };
    let integers = node.operands[0];
    let ty = graph.ty(integers);
    let are_bytes = ty.dtype == DType::I8 && ty.quant.is_none();
    let is_it = are_bytes && op.to.is_float() && is_constant(graph, integers);
    is_it.then_some((integers, op.to))
}

/// The integers with the factor as their scale; `None` if a type cannot have it.
fn scaled(graph: &Graph, integers: ValueId, factor: ValueId) -> Option<Constant> {
    let (of, by) = (graph.ty(integers), graph.ty(factor));
    let numbers = constant_of(graph, factor)?;
    let numbers: Vec<f64> = numbers.scalars().map(Scalar::as_f64).collect();
    // Scales of a type are.
    if !numbers
        .iter()
        .all(|&scale| scale > 0.0 && scale.is_finite())
    {
        return None;
    }
    let pairs = || by.shape.iter().zip(of.shape.iter());
    let axis = pairs().position(|(by, _)| !by.is(1));
    let varied = pairs().filter(|(by, _)| !by.is(1)).count();
    let fits = pairs().all(|(by, of)| by.is(1) || by == of);
    if by.rank() != of.rank() || !ONE_AXIS.holds(fits && varied <= 1) {
        return None;
    }
    let scheme = match axis {
        Some(axis) => QuantScheme::PerChannel {
            axis,
            zero_points: vec![0; numbers.len()].into(),
            scales: numbers.into(),
        },
        None => QuantScheme::PerTensor {
            scale: *numbers.first()?,
            zero_point: 0,
        },
    };
    let data = constant_of(graph, integers)?;
    let (min, max) = data.dtype().int_range()?;
    let mut ty = data.tensor_type();
    ty.quant = Some(Quant { scheme, min, max }.into());
    let name = name_of(graph, integers);
    Some(Constant { name, ty, data })
}
