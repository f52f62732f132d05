//! `normalize`. Statistics and result are computed in f64 and rounded once. Squares beyond the range of the type that PyTorch
//! computes in are infinite, as they are there, so that such a row becomes 0.

use crate::dispatch::with_float;
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::ops::{NormKind, Normalize};

/// The elements as f64.
///
/// # Errors
/// If the dtype is no float.
pub fn reals(x: &Tensor) -> Result<Vec<f64>, Cause> {
    with_float!(
        x.dtype(),
        T,
        Ok(x.of::<T>().iter().map(|e| e.term()).collect())
    )
}

/// The mean, and the mean square distance from it. Unless `centred`, the mean is taken as 0.
fn moments<T: Float>(row: &[T], centred: bool) -> (f64, f64) {
    let count = row.len() as f64;
    let sum: f64 = row.iter().map(|e| e.term()).sum();
    let mean = if centred { sum / count } else { 0.0 };
    let square = |e: &T| {
        let square = (e.term() - mean) * (e.term() - mean);
        let is_beyond = T::DTYPE != DType::F64 && square > f64::from(f32::MAX);
        if is_beyond { f64::INFINITY } else { square }
    };
    let squares: f64 = row.iter().map(square).sum();
    (mean, squares / count)
}

/// Weight and bias. Each of their elements applies to `run` consecutive elements.
struct Affine {
    weight: Option<Vec<f64>>,
    bias: Option<Vec<f64>>,
    run: usize,
}

impl Affine {
    /// Without a bias nothing is added: zero would make 0 of -0.
    fn apply(&self, at: usize, value: f64) -> f64 {
        let of = |list: &Vec<f64>| list[at / self.run % list.len()];
        let weighted = self.weight.as_ref().map_or(value, |w| value * of(w));
        self.bias.as_ref().map_or(weighted, |b| weighted + of(b))
    }
}

/// The normalised elements.
///
/// # Errors
/// If the dtype is no float, or the groups do not divide the channels.
pub fn normalize(op: &Normalize, operands: &[Tensor]) -> Result<Tensor, Cause> {
    let x = &operands[0];
    let (weight, bias) = op.affine_operands(operands.len());
    let list = |at: Option<usize>| at.map(|i| reals(&operands[i])).transpose();
    let inner = |from: usize| x.sizes()[from..].iter().product::<usize>();
    let affine = |run| -> Result<Affine, Cause> {
        Ok(Affine {
            weight: list(weight)?,
            bias: list(bias)?,
            run,
        })
    };
    match op.kind {
        NormKind::Layer { axes } | NormKind::Rms { axes } => {
            let centred = matches!(op.kind, NormKind::Layer { .. });
            let (width, affine) = (inner(x.rank() - axes), affine(1)?);
            with_float!(
                x.dtype(),
                T,
                Ok(rows::<T>(x, width, op.eps, centred, &affine))
            )
        }
        NormKind::Group { groups } => {
            if !x.sizes()[1].is_multiple_of(groups) {
                misfit!("{groups} groups do not divide {} channels", x.sizes()[1]);
            }
            let (width, affine) = (inner(1) / groups, affine(inner(2))?);
            with_float!(x.dtype(), T, Ok(rows::<T>(x, width, op.eps, true, &affine)))
        }
        NormKind::Batch => {
            let (mean, variance) = (reals(&operands[1])?, reals(&operands[2])?);
            let affine = affine(inner(2))?;
            with_float!(x.dtype(), T, {
                Ok(batch::<T>(x, &mean, &variance, op.eps, &affine))
            })
        }
    }
}

fn rows<T: Float>(x: &Tensor, width: usize, eps: f64, centred: bool, affine: &Affine) -> Tensor {
    let from = x.of::<T>();
    let elements = filled_rows(from.len() / width, width, |row, out| {
        let start = row * width;
        let row = &from[start..start + width];
        let (mean, variance) = moments(row, centred);
        let factor = 1.0 / (variance + eps).sqrt();
        for (i, (o, e)) in out.iter_mut().zip(row).enumerate() {
            *o = T::total(affine.apply(start + i, (e.term() - mean) * factor));
        }
    });
    Tensor::new(x.sizes(), elements)
}

fn batch<T: Float>(
    x: &Tensor,
    mean: &[f64],
    variance: &[f64],
    eps: f64,
    affine: &Affine,
) -> Tensor {
    let (from, run) = (x.of::<T>(), affine.run);
    let elements = filled_rows(from.len() / run, run, |row, out| {
        let channel = row % mean.len();
        let factor = 1.0 / (variance[channel] + eps).sqrt();
        for (o, e) in out.iter_mut().zip(&from[row * run..]) {
            *o = T::total(affine.apply(row * run, (e.term() - mean[channel]) * factor));
        }
    });
    Tensor::new(x.sizes(), elements)
}
