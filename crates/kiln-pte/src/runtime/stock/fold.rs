//! Sums, means and products along axes.

use super::super::error::Fault;
use super::Arguments;
use super::rounding::{reals, single, step, stored, tensor};
use kiln_eval::Tensor;
use kiln_ir::DType;

type Results = Result<Option<Vec<Tensor>>, Fault>;

/// Elements of which the sum along the last axis adds as many at once: the lanes of a vector of f32 on x86.
const LANES: usize = 8;

/// A sum along one axis, without a change of type, adds up in f32 whatever the type is. All others add in the result's type, the
/// half types in f32.
pub(super) fn sum(call: &Arguments<'_, '_>) -> Results {
    let x = call.tensor(0)?;
    let Some(axes) = call.axes(1, x.rank())? else {
        return Ok(None);
    };
    if x.is_empty() {
        return Ok(None);
    }
    match axes[..] {
        [axis] if x.dtype() == call.dtype && x.dtype() != DType::Bool => {
            let sums = sums_of_singles(&x, axis)?;
            let sums = sums.into_iter().map(f64::from).collect();
            Ok(Some(vec![tensor(call.dtype, &call.sizes[0], sums)?]))
        }
        _ if !call.dtype.is_float() => Ok(None),
        _ => {
            let sums = folded(&x, &axes, |sum, x| step(call.dtype, sum + x))?;
            let sums = sums.into_iter().map(|sum| stored(call.dtype, sum));
            Ok(Some(vec![tensor(
                call.dtype,
                &call.sizes[0],
                sums.collect(),
            )?]))
        }
    }
}

/// Sums of f32 along an axis, in the order of the vectorised kernel.
fn sums_of_singles(x: &Tensor, axis: usize) -> Result<Vec<f32>, Fault> {
    let numbers = singles(x)?;
    let (count, inner) = (
        x.sizes()[axis],
        x.sizes()[axis + 1..].iter().product::<usize>(),
    );
    if inner == 1 {
        return Ok(numbers.chunks(count).map(row_sum).collect());
    }
    let mut sums = vec![0.0f32; numbers.len() / count];
    for (i, number) in numbers.iter().enumerate() {
        sums[i / (count * inner) * inner + i % inner] += number;
    }
    Ok(sums)
}

/// Each element converted to f32 at once.
fn singles(x: &Tensor) -> Result<Vec<f32>, Fault> {
    let narrow = super::super::kernel::as_dtype(x, DType::F32)?;
    let elements = narrow.elements::<f32>().map(<[f32]>::to_vec);
    elements.ok_or_else(|| Fault("a cast gives its dtype".into()))
}

fn row_sum(row: &[f32]) -> f32 {
    let whole = row.len() / LANES * LANES;
    let mut lanes = [0.0f32; LANES];
    for part in row[..whole].chunks(LANES) {
        lanes.iter_mut().zip(part).for_each(|(lane, x)| *lane += x);
    }
    let vector = lanes[1..].iter().fold(lanes[0], |sum, lane| sum + lane);
    row[whole..].iter().fold(vector, |sum, x| sum + x)
}

/// Sums in the result's type, the half types in f32, divided by the count.
pub(super) fn mean(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let Some(axes) = call.axes(1, x.rank())? else {
        return Ok(None);
    };
    if x.is_empty() || !x.dtype().is_float() {
        return Ok(None);
    }
    let count: usize = axes.iter().map(|&axis| x.sizes()[axis]).product();
    let sums = folded(&x, &axes, |sum, x| step(dtype, sum + x))?;
    let mean = |sum| stored(dtype, step(dtype, sum / single(count as f64)));
    let means = sums.into_iter().map(mean).collect();
    Ok(Some(vec![tensor(dtype, &call.sizes[0], means)?]))
}

/// Products that are rounded to the result's type at each step.
pub(super) fn product(call: &Arguments<'_, '_>) -> Results {
    let x = call.tensor(0)?;
    let Some(axes) = call.axes(1, x.rank())? else {
        return Ok(None);
    };
    if x.is_empty() || !call.dtype.is_float() {
        return Ok(None);
    }
    let products = folded(&x, &axes, |product, x| stored(call.dtype, product * x))?;
    Ok(Some(vec![tensor(call.dtype, &call.sizes[0], products)?]))
}

/// Sums so far, rounded to the result's type at each step.
pub(super) fn running_sum(call: &Arguments<'_, '_>) -> Results {
    let (dtype, x) = (call.dtype, call.tensor(0)?);
    let Some(axes) = call.axes(1, x.rank())? else {
        return Ok(None);
    };
    if x.is_empty() || !dtype.is_float() {
        return Ok(None);
    }
    let (count, inner) = (
        x.sizes()[axes[0]],
        x.sizes()[axes[0] + 1..].iter().product::<usize>(),
    );
    let mut sums = reals(&x)?;
    for i in (0..sums.len()).filter(|i| i / inner % count > 0) {
        sums[i] = stored(dtype, sums[i] + sums[i - inner]);
    }
    Ok(Some(vec![tensor(dtype, x.sizes(), sums)?]))
}

/// Folds the elements along the axes in row-major order, beginning with the first of each result.
fn folded(x: &Tensor, axes: &[usize], f: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, Fault> {
    let sizes = x.sizes();
    let kept = |axis: usize| if axes.contains(&axis) { 1 } else { sizes[axis] };
    let count = (0..sizes.len()).map(kept).product();
    let mut folds: Vec<Option<f64>> = vec![None; count];
    for (place, x) in reals(x)?.into_iter().enumerate() {
        let (mut rest, mut at, mut stride) = (place, 0, 1);
        for axis in (0..sizes.len()).rev() {
            at += rest % sizes[axis] % kept(axis) * stride;
            rest /= sizes[axis];
            stride *= kept(axis);
        }
        folds[at] = Some(folds[at].map_or(x, |fold| f(fold, x)));
    }
    Ok(folds.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_24_bits_lose_units_along_one_axis() {
        let x = Tensor::new([2, 2], vec![16_777_216i64, 1, 1, 1]);
        assert_eq!(sums_of_singles(&x, 1).ok(), Some(vec![16_777_216.0, 2.0]));
        assert_eq!(sums_of_singles(&x, 0).ok(), Some(vec![16_777_216.0, 2.0]));
    }

    #[test]
    fn a_fold_goes_along_its_axes_in_order() {
        let x = Tensor::new([2, 2, 2], (1..9).map(f64::from).collect::<Vec<_>>());
        let digits = |axes: &[usize]| folded(&x, axes, |fold, x| fold * 10.0 + x).ok();
        assert_eq!(digits(&[0, 2]), Some(vec![1256.0, 3478.0]));
        assert_eq!(digits(&[1]), Some(vec![13.0, 24.0, 57.0, 68.0]));
    }
}
