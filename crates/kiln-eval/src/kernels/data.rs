//! `iota`, `dim_value`, `move`, `broadcast`, `slice`, `reverse`, `concat` and `slice_update`. All but the first two
//! copy bits.

use crate::dispatch::{with_number, with_word};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::{Nest, copied, strides};
use crate::tensor::Tensor;
use kiln_ir::ops::{Reverse, Slice, SliceUpdate};
use kiln_ir::{DType, Dim, Movement};

/// A size that must be known.
///
/// # Errors
/// If it is negative or unknown.
pub fn known(dim: &Dim) -> Result<usize, Cause> {
    match dim.as_const().map(usize::try_from) {
        Some(Ok(size)) => Ok(size),
        _ => misfit!("{dim:?} is no size"),
    }
}

/// `0, 1, .., len - 1`.
///
/// # Errors
/// If the dtype is bool.
pub fn iota(len: usize, dtype: DType) -> Result<Tensor, Cause> {
    with_number!(dtype, T, {
        let numbers = (0..len as i64).map(T::from_int).collect::<Vec<T>>();
        Ok(Tensor::new([len], numbers))
    })
}

/// The elements that a nest over a result of `sizes` visits.
fn gathered(x: &Tensor, sizes: &[usize], nest: &Nest<1>) -> Tensor {
    with_word!(x.dtype(), W, {
        let words = copied(nest, sizes.iter().product(), x.words::<W>());
        Tensor::from_words(x.dtype(), sizes.to_vec(), words)
    })
}

/// The elements after a movement.
///
/// # Errors
/// If the movement has another number of elements.
pub fn move_(movement: &Movement, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    let Some(factors) = movement.factor_sizes(&|_| None) else {
        misfit!("the movement has unknown sizes");
    };
    let plan = movement.copy_plan(&factors);
    if plan.len() != x.len() {
        misfit!(
            "the movement takes {} elements, found {}",
            plan.len(),
            x.len()
        );
    }
    if movement.is_view() {
        return x.reshaped(sizes.to_vec());
    }
    let steps: Vec<[isize; 1]> = plan.source_strides.iter().map(|&s| [s as isize]).collect();
    Ok(gathered(x, sizes, &Nest::new(&plan.sizes, &steps, [0])))
}

/// The operand broadcast along axes of size 1.
pub fn broadcast(x: &Tensor, sizes: &[usize]) -> Tensor {
    if x.sizes() == sizes {
        return x.clone();
    }
    gathered(x, sizes, &Nest::broadcast(sizes, [x.sizes()]))
}

/// The elements at equal distances along an axis.
///
/// # Errors
/// If they leave the axis.
pub fn slice(op: &Slice, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    let start = known(&op.start)?;
    let mut steps = strides(x.sizes());
    let axis_stride = steps[op.axis];
    check_window(start, sizes[op.axis], op.step, x.sizes()[op.axis])?;
    steps[op.axis] = axis_stride.saturating_mul(op.step as isize);
    let steps: Vec<[isize; 1]> = steps.into_iter().map(|s| [s]).collect();
    let nest = Nest::new(sizes, &steps, [start as isize * axis_stride]);
    Ok(gathered(x, sizes, &nest))
}

fn check_window(start: usize, len: usize, step: i64, size: usize) -> Result<(), Cause> {
    let last = i64::try_from(len).ok().and_then(|len| {
        len.checked_sub(1)?
            .checked_mul(step)?
            .checked_add(start as i64)
    });
    match last {
        _ if len == 0 => Ok(()),
        Some(last) if last < size as i64 => Ok(()),
        _ => misfit!("{len} elements from {start} in steps of {step} leave an axis of size {size}"),
    }
}

/// The elements in reverse order along some axes.
pub fn reverse(op: &Reverse, x: &Tensor) -> Tensor {
    let mut start = 0;
    let mut steps: Vec<[isize; 1]> = strides(x.sizes()).into_iter().map(|s| [s]).collect();
    for axis in (0..x.rank()).filter(|axis| op.axes.contains(axis)) {
        start += steps[axis][0] * (x.sizes()[axis] as isize - 1);
        steps[axis][0] = -steps[axis][0];
    }
    gathered(x, x.sizes(), &Nest::new(x.sizes(), &steps, [start]))
}

/// The concatenation of the operands along an axis. The shape rule has checked that their quantisations can be
/// concatenated.
pub fn concat(axis: usize, operands: &[Tensor], sizes: &[usize]) -> Tensor {
    let dtype = operands[0].dtype();
    let outer: usize = sizes[..axis].iter().product();
    let width = |t: &Tensor| t.sizes()[axis..].iter().product::<usize>();
    with_word!(dtype, W, {
        let mut words: Vec<W> = Vec::with_capacity(sizes.iter().product());
        for row in 0..outer {
            for operand in operands {
                let width = width(operand);
                words.extend_from_slice(&operand.words::<W>()[row * width..(row + 1) * width]);
            }
        }
        Tensor::from_words(dtype, sizes.to_vec(), words)
    })
}

/// `x` with elements at equal distances along an axis replaced.
///
/// # Errors
/// If they leave the axis.
pub fn slice_update(op: &SliceUpdate, x: &Tensor, source: &Tensor) -> Result<Tensor, Cause> {
    let start = known(&op.start)?;
    let len = source.sizes()[op.axis];
    check_window(start, len, op.step, x.sizes()[op.axis])?;
    let mut steps = strides(x.sizes());
    let axis_stride = steps[op.axis];
    steps[op.axis] = axis_stride.saturating_mul(op.step as isize);
    let steps: Vec<[isize; 1]> = steps.into_iter().map(|s| [s]).collect();
    let nest = Nest::new(source.sizes(), &steps, [start as isize * axis_stride]);
    with_word!(x.dtype(), W, {
        let (from, mut words) = (source.words::<W>(), x.words::<W>().to_vec());
        nest.rows(0, from.len(), |at, run, [place], [step]| {
            (0isize..)
                .zip(&from[at..at + run])
                .for_each(|(i, &w)| words[(place + i * step) as usize] = w);
        });
        Ok(Tensor::from_words(x.dtype(), x.sizes().to_vec(), words))
    })
}
