//! Expands normalisations into arithmetic. The variance takes two passes. A batch normalisation becomes a factor and a
//! summand for each channel, which are constants if its statistics are.
//!
//! ```kiln
//! decompose none normalize
//! graph "normalize" {
//!   constant c0 "bn.mean" f32[2] = [0.5, -1.0]
//!   constant c1 "bn.var" f32[2] = [4.0, 0.25]
//!   input tensor "x" [0, 1, 2]
//!   input tensor "w" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3], %1 "w": f32[3]) {
//!     %2: f32[2] = constant {value=c0}
//!     %3: f32[2] = constant {value=c1}
//!     %4: f32[1, 2, 3] = normalize %0, %2, %3 {kind=batch, eps=0.0}
//!     %5: f32[1, 2, 3] = normalize %0, %1 {kind=layer 1, eps=1e-5}
//!     return %4, %5
//!   }
//! }
//! ---
//! graph "normalize" {
//!   constant c0 "bn.mean" f32[2] = [0.5, -1.0]
//!   constant c1 "bn.var" f32[2] = [4.0, 0.25]
//!   constant c2 "bn.var" f32[1, 2, 1] = [0.5, 2.0]
//!   constant c3 "bn.mean+bn.var" f32[1, 2, 1] = [-0.25, 2.0]
//!   constant c4 "" f32[1, 1, 1] = [9.999999747378752e-6]
//!   input tensor "x" [0, 1, 2]
//!   input tensor "w" [0]
//!   output tensor
//!   output tensor
//!   block b0 (%0 "x": f32[1, 2, 3], %1 "w": f32[3]) {
//!     %2: f32[2] = constant {value=c0}
//!     %3: f32[2] = constant {value=c1}
//!     %4: f32[1, 2, 1] = constant {value=c2}
//!     %5: f32[1, 2, 3] = binary %0, %4 {f=mul}
//!     %6: f32[1, 2, 1] = constant {value=c3}
//!     %7: f32[1, 2, 3] = binary %5, %6 {f=add}
//!     %8: f32[1, 2, 1] = reduce %0 {f=mean, axes=[2]}
//!     %9: f32[1, 2, 3] = binary %0, %8 {f=sub}
//!     %10: f32[1, 2, 3] = binary %9, %9 {f=mul}
//!     %11: f32[1, 2, 1] = reduce %10 {f=mean, axes=[2]}
//!     %12: f32[1, 1, 1] = constant {value=c4}
//!     %13: f32[1, 2, 1] = binary %11, %12 {f=add}
//!     %14: f32[1, 2, 1] = unary %13 {f=rsqrt}
//!     %15: f32[1, 2, 3] = binary %9, %14 {f=mul}
//!     %16: f32[1, 1, 3] = move %1 {movement=(a:3 -> 1 1 a)}
//!     %17: f32[1, 2, 3] = binary %15, %16 {f=mul}
//!     return %7, %17
//!   }
//! }
//! ```

use super::{Expanded, Expansion, Rounds, only, operand};
use crate::framework::emitter::{Emitted, Emitter};
use kiln_ir::ops::{BinaryFn, NormKind, Normalize, ReduceFn, Simple};
use kiln_ir::{Builder, Dim, NodeId, ValueId};

/// The rule.
pub const RULE: Expansion = Expansion {
    name: "normalize",
    rounds: Rounds::Often,
    expand,
};

fn expand(emitter: &mut Emitter<'_, '_>, node: NodeId) -> Expanded {
    let op = attributes!(emitter, node, Normalize);
    let x = operand(emitter, node, 0);
    let rank = emitter.rank(x);
    only(match op.kind {
        NormKind::Batch => batch(emitter, node, &op),
        NormKind::Layer { axes } => {
            let axes: Vec<usize> = (rank - axes..rank).collect();
            let centred = centre(emitter, x, &axes)?;
            let value = to_unit(emitter, centred, &axes, op.eps)?;
            affine(emitter, node, &op, value, axes[0])
        }
        NormKind::Rms { axes } => {
            let axes: Vec<usize> = (rank - axes..rank).collect();
            let value = to_unit(emitter, x, &axes, op.eps)?;
            affine(emitter, node, &op, value, axes[0])
        }
        NormKind::Group { groups } => group(emitter, node, &op, groups),
    })
}

/// `x` minus its mean.
fn centre(emitter: &mut Emitter<'_, '_>, x: ValueId, axes: &[usize]) -> Emitted {
    let mean = emitter.reduce(ReduceFn::Mean, x, axes, true)?;
    emitter.binary(BinaryFn::Sub, x, mean)
}

/// `x` divided by the root of its mean square.
fn to_unit(emitter: &mut Emitter<'_, '_>, x: ValueId, axes: &[usize], eps: f64) -> Emitted {
    let squares = emitter.binary(BinaryFn::Mul, x, x)?;
    let variance = emitter.reduce(ReduceFn::Mean, squares, axes, true)?;
    let sum = emitter.with(BinaryFn::Add, variance, eps)?;
    let factor = emitter.unary(Simple::Rsqrt, sum)?;
    emitter.binary(BinaryFn::Mul, x, factor)
}

/// Applies weight and bias, if present. Their first axis corresponds to axis `from` of `x`.
fn affine(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    op: &Normalize,
    x: ValueId,
    from: usize,
) -> Emitted {
    let operands = emitter.graph().node(node).operands.clone();
    let (weight, bias) = op.affine_operands(operands.len());
    let mut value = x;
    for (slot, f) in [(weight, BinaryFn::Mul), (bias, BinaryFn::Add)] {
        let Some(slot) = slot else { continue };
        let parameter = along(emitter, operands[slot], x, from)?;
        value = emitter.binary(f, value, parameter)?;
    }
    Ok(value)
}

/// A parameter in the rank of `x`, with its first axis at `from`.
fn along(emitter: &mut Emitter<'_, '_>, parameter: ValueId, x: ValueId, from: usize) -> Emitted {
    let (own, rank) = (emitter.rank(parameter), emitter.rank(x));
    let axes: Vec<usize> = (0..from).chain(from + own..rank).collect();
    emitter.unsqueeze(parameter, &axes)
}

fn group(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Normalize, groups: usize) -> Emitted {
    let x = operand(emitter, node, 0);
    let shape = emitter.shape(x);
    let groups = Dim::constant(groups as i64);
    let members = shape[1].floor_div(&groups) * shape[2..].iter().cloned().product::<Dim>();
    let grouped = emitter.reshape(x, vec![shape[0].clone(), groups, members])?;
    let centred = centre(emitter, grouped, &[2])?;
    let value = to_unit(emitter, centred, &[2], op.eps)?;
    let value = emitter.reshape(value, shape)?;
    affine(emitter, node, op, value, 1)
}

/// `x * factor + summand`, both by channel.
fn batch(emitter: &mut Emitter<'_, '_>, node: NodeId, op: &Normalize) -> Emitted {
    let x = operand(emitter, node, 0);
    let (factor, summand) = channel_affine(emitter, node, op)?;
    let factor = along(emitter, factor, x, 1)?;
    let scaled = emitter.binary(BinaryFn::Mul, x, factor)?;
    let summand = along(emitter, summand, x, 1)?;
    emitter.binary(BinaryFn::Add, scaled, summand)
}

/// The factor and the summand of a batch normalisation for each channel, as vectors.
pub fn channel_affine(
    emitter: &mut Emitter<'_, '_>,
    node: NodeId,
    op: &Normalize,
) -> Result<(ValueId, ValueId), crate::framework::target::Reason> {
    let operands = emitter.graph().node(node).operands.clone();
    let (mean, variance) = (operands[1], operands[2]);
    let sum = emitter.with(BinaryFn::Add, variance, op.eps)?;
    let mut factor = emitter.unary(Simple::Rsqrt, sum)?;
    let (weight, bias) = op.affine_operands(operands.len());
    if let Some(weight) = weight {
        factor = emitter.binary(BinaryFn::Mul, factor, operands[weight])?;
    }
    let moved = emitter.binary(BinaryFn::Mul, mean, factor)?;
    let summand = match bias {
        Some(bias) => emitter.binary(BinaryFn::Sub, operands[bias], moved)?,
        None => emitter.unary(Simple::Neg, moved)?,
    };
    Ok((factor, summand))
}
