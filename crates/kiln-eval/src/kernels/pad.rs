//! `pad`.

use super::data::known;
use crate::dispatch::with_word;
use crate::error::{Cause, misfit};
use crate::nest::{filled_rows, strides};
use crate::tensor::Tensor;
use kiln_ir::ops::{Pad, PadMode};

/// For each index of the result along one axis, the index in the source; `None` for the constant.
type AxisMap = Vec<Option<usize>>;

fn axis_map(mode: PadMode, size: usize, low: usize, high: usize) -> Result<AxisMap, Cause> {
    let (n, most) = (size as i64, low.max(high));
    let fits = match mode {
        PadMode::Constant(_) => true,
        PadMode::Reflect => most < size || most == 0,
        PadMode::Circular => most <= size,
        PadMode::Replicate => size > 0 || most == 0,
    };
    if !fits {
        misfit!("padding of {low} and {high} for an axis of size {size} ({mode:?})");
    }
    let source = |i: i64| match mode {
        _ if (0..n).contains(&i) => Some(i),
        PadMode::Constant(_) => None,
        PadMode::Reflect if i < 0 => Some(-i),
        PadMode::Reflect => Some(2 * (n - 1) - i),
        PadMode::Replicate => Some(i.clamp(0, n - 1)),
        PadMode::Circular => Some(i.rem_euclid(n)),
    };
    let indices = -(low as i64)..n + high as i64;
    Ok(indices.map(|i| source(i).map(|i| i as usize)).collect())
}

/// Adds elements before and behind.
///
/// # Errors
/// If there is more padding than the mode allows.
pub fn pad(op: &Pad, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    let mut maps = Vec::with_capacity(x.rank());
    for (axis, &size) in x.sizes().iter().enumerate() {
        let (low, high) = (known(&op.low[axis])?, known(&op.high[axis])?);
        maps.push(axis_map(op.mode, size, low, high)?);
    }
    let fill = match op.mode {
        PadMode::Constant(value) => Tensor::splat(x.dtype(), [], value),
        PadMode::Reflect | PadMode::Replicate | PadMode::Circular => {
            Tensor::splat(x.dtype(), [], kiln_ir::Scalar::Int(0))
        }
    };
    let Some((inner, outer)) = maps.split_last() else {
        return Ok(x.clone());
    };
    let steps = strides(x.sizes());
    with_word!(x.dtype(), W, {
        let (from, fill) = (x.words::<W>(), fill.words::<W>()[0]);
        let rows = outer.iter().map(Vec::len).product();
        let words = filled_rows(rows, inner.len(), |row, part: &mut [W]| {
            match row_start(row, outer, &steps) {
                None => part.fill(fill),
                Some(start) => part
                    .iter_mut()
                    .zip(inner)
                    .for_each(|(o, i)| *o = i.map_or(fill, |i| from[start + i])),
            }
        });
        Ok(Tensor::from_words(x.dtype(), sizes.to_vec(), words))
    })
}

/// The start of the source row for a row of the result; `None` for a row of padding.
fn row_start(mut row: usize, maps: &[AxisMap], steps: &[isize]) -> Option<usize> {
    let mut start = 0;
    for (map, &step) in maps.iter().zip(steps).rev() {
        start += map[row % map.len()]? * step as usize;
        row /= map.len();
    }
    Some(start)
}
