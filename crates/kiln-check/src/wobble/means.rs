//! The error of a norm's mean. All elements of a row share it, so it adds up where errors of single elements cancel.

use crate::numbers::{numbers, with_numbers};
use crate::random::Random;
use kiln_eval::Tensor;
use kiln_ir::Op;
use kiln_ir::ops::{NormKind, Normalize};

/// The rows of a norm that subtracts a mean, each of which is consecutive in memory.
struct Rows {
    /// The elements of a row.
    width: usize,
    /// The consecutive elements that one element of the weight applies to.
    run: usize,
}

/// The rows of a norm; `None` for one that subtracts no mean, or the mean of an operand.
fn rows(op: &Normalize, x: &Tensor) -> Option<Rows> {
    let inner = |from: usize| x.sizes()[from..].iter().product::<usize>();
    let (width, run) = match op.kind {
        NormKind::Layer { axes } => (inner(x.rank() - axes), 1),
        NormKind::Group { groups } => (inner(1) / groups, inner(2)),
        NormKind::Rms { .. } | NormKind::Batch => return None,
    };
    (width > 0 && run > 0).then_some(Rows { width, run })
}

/// The results of a norm whose means are moved by up to `relative` of the greatest magnitude of their row, each by its own
/// amount. `None` for another op, and for rows without elements.
///
/// A norm gives `(x - mean) * factor * weight + bias` with `factor = 1 / sqrt(variance + eps)`. A mean that is off by `d`
/// therefore moves each result of the row by `-d * factor * weight`.
pub(super) fn with_moved_means(
    random: &mut Random,
    op: &Op,
    operands: &[Tensor],
    result: &Tensor,
    relative: f64,
) -> Option<Tensor> {
    let Op::Normalize(op) = op else {
        return None;
    };
    let x = operands.first()?;
    let Rows { width, run } = rows(op, x)?;
    let (weight, _) = op.affine_operands(operands.len());
    let weight = weight.map(|at| numbers(&operands[at]));
    let mut results = numbers(result);
    for (row, (x, out)) in numbers(x)
        .chunks_exact(width)
        .zip(results.chunks_exact_mut(width))
        .enumerate()
    {
        let share = *random.pick(&[-1.0, -0.25, 0.0, 0.25, 1.0]);
        let off = share * relative * moved_by(x, op.eps);
        if !off.is_finite() {
            continue;
        }
        for (i, value) in out.iter_mut().enumerate() {
            let at = (row * width + i) / run;
            *value += weight.as_ref().map_or(off, |w| off * w[at % w.len()]);
        }
    }
    Some(with_numbers(result, results.into_iter()))
}

/// How far a normalised element moves if the mean is off by the greatest magnitude of the row.
fn moved_by(row: &[f64], eps: f64) -> f64 {
    let count = row.len() as f64;
    let mean = row.iter().sum::<f64>() / count;
    let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    let greatest = row.iter().fold(0f64, |m, x| m.max(x.abs()));
    greatest / (variance + eps).sqrt()
}
