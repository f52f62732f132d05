//! What the families do with quantised operands: one rule for all of them, by [`Meaning`].
//!
//! - *Carried*: an op that moves, repeats, picks or joins elements takes the integers as they are. The result has the
//!   quantisation of the operand. Parameters by channel follow the channels' axis through movements, slices, reversals
//!   and concatenations. Operands whose elements meet in the result need the same quantisation; otherwise they have to
//!   be requantised first.
//! - *Compared*: comparisons and indices of extremes are the same for the integers as for the reals, since scales are
//!   positive. Both sides need the same quantisation.
//! - *Computed*: the op computes on the reals, in f64. The result is quantised as the operand, rounded half to even and
//!   saturated. Numbers among the attributes (the bounds of a clamp, the constant of a padding) are reals.
//! - *Plain*: the op takes the integers; a cast to the same dtype removes the quantisation.
//! - *Refused*: the operands have to be dequantised first.
//!
//! An operand with parameters by channel is refused if its channels would lose their axis, or if elements of several
//! channels would be reduced to one.

use super::*;
use crate::dim::Dim;
use crate::types::{Quant, QuantScheme};
use std::sync::Arc;

/// Adds the quantisation to result types that a family's shape rule gave.
///
/// # Errors
/// If the family does not take operands with this quantisation.
pub(super) fn settle(
    op: &Op,
    cx: &Infer<'_>,
    operands: &[&TensorType],
    mut results: Types,
) -> Result<Types, Misfit> {
    let meaning = op.on_quantised();
    if matches!(meaning, Meaning::Own | Meaning::Plain) {
        return Ok(results);
    }
    if meaning == Meaning::Refused {
        misfit!("{} takes no quantised tensors; dequantize first", op.name());
    }
    let (meeting, others): (Vec<usize>, Vec<usize>) =
        (0..operands.len()).partition(|&i| op.meets(i));
    if others.iter().any(|&i| operands[i].quant.is_some()) {
        misfit!("{} takes a plain tensor where one is quantised", op.name());
    }
    let quant = met(op, cx, operands, &meeting, &results)?;
    for (i, result) in results.iter_mut().enumerate() {
        result.quant = (i == 0 && meaning != Meaning::Compared).then(|| quant.clone());
    }
    Ok(results)
}

/// The common quantisation of the operands whose elements meet, in terms of the result's axes.
fn met(
    op: &Op,
    cx: &Infer<'_>,
    operands: &[&TensorType],
    meeting: &[usize],
    results: &Types,
) -> Result<Arc<Quant>, Misfit> {
    let shape = &results[0].shape;
    let mut carried = Vec::with_capacity(meeting.len());
    for &i in meeting {
        let Some(quant) = &operands[i].quant else {
            misfit!("a plain tensor meets a quantised one; quantize it alike first");
        };
        match follow(op, cx, operands, i, shape) {
            Some(quant) => carried.push(quant),
            None => misfit!(
                "{} of {:?}, whose {} it does not keep apart; dequantize first",
                op.name(),
                operands[i],
                described(&quant.scheme)
            ),
        }
    }
    if let Op::Concat(op) = op
        && let Some(joined) = joined_channels(op, &carried)
    {
        return joined.map(Arc::new).ok_or_else(unlike);
    }
    let first = carried.swap_remove(0);
    if carried.iter().any(|other| **other != *first) {
        return Err(unlike());
    }
    Ok(first)
}

fn unlike() -> Misfit {
    Misfit("operands that meet are quantised differently; requantize them alike first".into())
}

fn described(scheme: &QuantScheme) -> String {
    match scheme {
        QuantScheme::PerTensor { .. } => "elements".into(),
        QuantScheme::PerChannel { axis, .. } => format!("channels along axis {axis}"),
        QuantScheme::PerGroup { group, .. } => format!("groups of {group}"),
    }
}

/// The quantisation of operand `i` after the op has moved its elements. For a concatenation along the channels, this is
/// the part of this operand. `None` if the op does not keep channels or groups apart.
fn follow(
    op: &Op,
    cx: &Infer<'_>,
    operands: &[&TensorType],
    i: usize,
    result: &crate::types::Shape,
) -> Option<Arc<Quant>> {
    let (ty, quant) = (operands[i], operands[i].quant.as_ref()?);
    let same_size = |a: &Dim, b: &Dim| cx.graph.symbols.equal(a, b) != Some(false);
    let roles = || op.axes(operands, i);
    match &quant.scheme {
        QuantScheme::PerTensor { .. } => Some(quant.clone()),
        QuantScheme::PerGroup { .. } => {
            let stays = |(i, role): (usize, AxisRole)| {
                role == AxisRole::Parallel(i) && same_size(&ty.shape[i], &result[i])
            };
            let all = result.rank() == 2 && roles().into_iter().enumerate().all(stays);
            all.then(|| quant.clone())
        }
        QuantScheme::PerChannel { axis, scales, .. } => {
            let kept = roles().get(*axis).copied();
            let scheme = match (op, kept) {
                (_, Some(AxisRole::Parallel(to))) if same_size(&ty.shape[*axis], &result[to]) => {
                    quant.scheme.channels(to, 0..scales.len())
                }
                (Op::Concat(_), _) => quant.scheme.clone(),
                (Op::Reverse(_), _) => quant.scheme.channels(*axis, (0..scales.len()).rev()),
                (_, _) if scales.len() == 1 => QuantScheme::PerTensor {
                    scale: scales[0],
                    zero_point: quant.scheme.zero_points()[0],
                },
                (Op::Slice(op), _) => quant.scheme.channels(*axis, taken(op, scales.len())?),
                _ => return None,
            };
            Some(Arc::new(quant.with_scheme(scheme)))
        }
    }
}

/// The indices that a slice takes of an axis of `size` channels, if they are known.
fn taken(op: &Slice, size: usize) -> Option<impl Iterator<Item = usize>> {
    let known = |dim: &Dim| usize::try_from(dim.as_const()?).ok();
    let (start, len) = (known(&op.start)?, known(&op.len)?);
    let step = usize::try_from(op.step).ok()?;
    let end = step.checked_mul(len.checked_sub(1)?)?.checked_add(start)?;
    (end < size).then(|| (start..=end).step_by(step))
}

/// For a concatenation along the channels' axis: the parameters of all operands together, or `Some(None)` if they
/// cannot be concatenated. `None` for any other concatenation.
fn joined_channels(op: &Concat, parts: &[Arc<Quant>]) -> Option<Option<Quant>> {
    let first = &parts[0];
    let along = |quant: &Quant| matches!(&quant.scheme, QuantScheme::PerChannel { axis, .. } if *axis == op.axis);
    if !parts.iter().any(|part| along(part)) {
        return None;
    }
    let alike = |part: &Quant| along(part) && (part.min, part.max) == (first.min, first.max);
    if !parts.iter().all(|part| alike(part)) {
        return Some(None);
    }
    let scales = parts.iter().flat_map(|p| p.scheme.scales().to_vec());
    let zero_points = parts.iter().flat_map(|p| p.scheme.zero_points().to_vec());
    Some(Some(first.with_scheme(QuantScheme::PerChannel {
        axis: op.axis,
        scales: scales.collect(),
        zero_points: zero_points.collect(),
    })))
}
