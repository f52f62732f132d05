//! `index`, `index_put`, `gather` and `scatter`.

use crate::dispatch::{with_number, with_word};
use crate::element::*;
use crate::error::{Cause, misfit};
use crate::nest::{Nest, filled_rows, strides};
use crate::tensor::Tensor;
use kiln_ir::ops::{Gather, Index, IndexPut, Scatter, ScatterFn};
use kiln_ir::{DType, Scalar};

/// The indices along an axis. Negative ones are counted from its end.
///
/// # Errors
/// If one is out of range.
fn places(index: &Tensor, axis: usize, size: usize) -> Result<Vec<usize>, Cause> {
    let place = |index: i64| {
        let from_start = if index < 0 {
            index.saturating_add(size as i64)
        } else {
            index
        };
        match usize::try_from(from_start) {
            Ok(place) if place < size => Ok(place),
            _ => Err(Cause::IndexOutOfRange { index, axis, size }),
        }
    };
    if index.dtype() == DType::I32 {
        return index.of::<i32>().iter().map(|&i| place(i.into())).collect();
    }
    index.of::<i64>().iter().map(|&i| place(i)).collect()
}

/// Refuses negative indices.
fn check_from_start(x: &Tensor, axis: usize, indices: &[Tensor]) -> Result<(), Cause> {
    let negative = |index: &Tensor| {
        index
            .scalars()
            .into_iter()
            .map(Scalar::as_i64)
            .find(|&i| i < 0)
    };
    let found = indices.iter().enumerate();
    match found
        .clone()
        .find_map(|(i, index)| Some((i, negative(index)?)))
    {
        Some((i, index)) => Err(Cause::IndexOutOfRange {
            index,
            axis: axis + i,
            size: x.sizes()[axis + i],
        }),
        None => Ok(()),
    }
}

/// For each element of the indices, the row-major index over the consecutive axes from `axis` on.
fn joint_places(x: &Tensor, axis: usize, indices: &[Tensor]) -> Result<Vec<usize>, Cause> {
    let mut joint = vec![0; indices[0].len()];
    for (i, index) in indices.iter().enumerate() {
        let size = x.sizes()[axis + i];
        if index.sizes() != indices[0].sizes() {
            misfit!(
                "indices have different sizes, {:?} and {:?}",
                indices[0].sizes(),
                index.sizes()
            );
        }
        let places = places(index, axis + i, size)?;
        joint
            .iter_mut()
            .zip(places)
            .for_each(|(j, p)| *j = *j * size + p);
    }
    Ok(joint)
}

/// The elements at the indices.
///
/// # Errors
/// If an index is out of range.
pub fn index(op: &Index, operands: &[Tensor], sizes: &[usize]) -> Result<Tensor, Cause> {
    let (x, indices) = (&operands[0], &operands[1..]);
    if op.from_start {
        check_from_start(x, op.axis, indices)?;
    }
    let joint = joint_places(x, op.axis, indices)?;
    let (indexed, inner) = extents(x, op.axis, indices.len());
    with_word!(x.dtype(), W, {
        let from = x.words::<W>();
        let rows = sizes.iter().product::<usize>() / inner;
        let words = filled_rows(rows, inner, |row, out| {
            let at = row / joint.len() * indexed + joint[row % joint.len()];
            out.copy_from_slice(&from[at * inner..(at + 1) * inner]);
        });
        Ok(Tensor::from_words(x.dtype(), sizes.to_vec(), words))
    })
}

/// The product of `count` indexed sizes from `axis` on, and the product of the sizes behind.
fn extents(x: &Tensor, axis: usize, count: usize) -> (usize, usize) {
    let product = |sizes: &[usize]| sizes.iter().product();
    (
        product(&x.sizes()[axis..axis + count]),
        product(&x.sizes()[axis + count..]),
    )
}

/// `x` with the values at the indices.
///
/// # Errors
/// If an index is out of range.
pub fn index_put(op: &IndexPut, operands: &[Tensor]) -> Result<Tensor, Cause> {
    let (x, values, indices) = (&operands[0], &operands[1], &operands[2..]);
    let joint = joint_places(x, op.axis, indices)?;
    let (indexed, inner) = extents(x, op.axis, indices.len());
    let f = if op.accumulate {
        ScatterFn::Add
    } else {
        ScatterFn::Set
    };
    let targets = (0..values.len()).map(|i| {
        let (row, column) = (i / inner, i % inner);
        (row / joint.len() * indexed + joint[row % joint.len()]) * inner + column
    });
    merged(f, x, values, targets.zip(0..))
}

/// `x` with `source[from]` merged into `x[to]`, for each pair `(to, from)` in order.
fn merged(
    f: ScatterFn,
    x: &Tensor,
    source: &Tensor,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Result<Tensor, Cause> {
    if f == ScatterFn::Set {
        return Ok(with_word!(x.dtype(), W, {
            let (mut words, from) = (x.words::<W>().to_vec(), source.words::<W>());
            pairs.for_each(|(to, at)| words[to] = from[at]);
            Tensor::from_words(x.dtype(), x.sizes().to_vec(), words)
        }));
    }
    if x.dtype() == DType::Bool {
        let any = matches!(f, ScatterFn::Add | ScatterFn::Max);
        return Ok(joined(
            x,
            source,
            pairs,
            |a: bool, b| if any { a | b } else { a & b },
        ));
    }
    let join = f;
    with_number!(x.dtype(), T, {
        let f: fn(<T as Number>::Compute, <T as Number>::Compute) -> <T as Number>::Compute =
            match join {
                ScatterFn::Mul => Arithmetic::mul,
                ScatterFn::Max => Arithmetic::greater,
                ScatterFn::Min => Arithmetic::less,
                ScatterFn::Add | ScatterFn::Set => Arithmetic::add,
            };
        Ok(joined(x, source, pairs, |a: T, b: T| {
            T::down(f(a.up(), b.up()))
        }))
    })
}

fn joined<T: Element>(
    x: &Tensor,
    source: &Tensor,
    pairs: impl Iterator<Item = (usize, usize)>,
    f: impl Fn(T, T) -> T,
) -> Tensor {
    let (mut elements, from) = (x.of::<T>().to_vec(), source.of::<T>());
    pairs.for_each(|(to, at)| elements[to] = f(elements[to], from[at]));
    Tensor::new(x.sizes(), elements)
}

/// For each element of `index`, its position in a tensor of `sizes`, with the index as the coordinate along `axis`.
fn indexed_places(index: &Tensor, axis: usize, sizes: &[usize]) -> Result<Vec<usize>, Cause> {
    let larger = |a: &usize| *a != axis && index.sizes()[*a] > sizes[*a];
    if let Some(a) = (0..sizes.len()).find(larger) {
        misfit!(
            "the index has size {} along axis {a}, the operand {}",
            index.sizes()[a],
            sizes[a]
        );
    }
    let picks = places(index, axis, sizes[axis])?;
    let mut steps = strides(sizes);
    let step = std::mem::take(&mut steps[axis]) as usize;
    let steps: Vec<[isize; 1]> = steps.into_iter().map(|s| [s]).collect();
    let mut out = Vec::with_capacity(picks.len());
    Nest::new(index.sizes(), &steps, [0]).rows(0, picks.len(), |at, run, [place], [s]| {
        out.extend((0..run).map(|i| place as usize + i * s as usize + picks[at + i] * step));
    });
    Ok(out)
}

/// The elements at the indices along one axis.
///
/// # Errors
/// If an index is out of range, or `index` is larger than `x` along another axis.
pub fn gather(op: &Gather, x: &Tensor, index: &Tensor) -> Result<Tensor, Cause> {
    let places = indexed_places(index, op.axis, x.sizes())?;
    with_word!(x.dtype(), W, {
        let from = x.words::<W>();
        let words: Vec<W> = places.iter().map(|&p| from[p]).collect();
        Ok(Tensor::from_words(x.dtype(), index.sizes().to_vec(), words))
    })
}

/// `x` with the source at the indices along one axis.
///
/// # Errors
/// If an index is out of range, or `index` is larger than `x` along another axis, or larger than the source.
pub fn scatter(op: &Scatter, x: &Tensor, index: &Tensor, source: &Tensor) -> Result<Tensor, Cause> {
    if index.is_empty() {
        return Ok(x.clone());
    }
    if index.sizes().iter().zip(source.sizes()).any(|(i, s)| i > s) {
        misfit!(
            "an index of {:?} for a source of {:?}",
            index.sizes(),
            source.sizes()
        );
    }
    let targets = indexed_places(index, op.axis, x.sizes())?;
    let steps: Vec<[isize; 1]> = strides(source.sizes()).into_iter().map(|s| [s]).collect();
    let mut from = Vec::with_capacity(targets.len());
    Nest::new(index.sizes(), &steps, [0]).rows(0, targets.len(), |_, run, [place], [s]| {
        from.extend((0..run).map(|i| place as usize + i * s as usize));
    });
    merged(op.f, x, source, targets.into_iter().zip(from))
}
