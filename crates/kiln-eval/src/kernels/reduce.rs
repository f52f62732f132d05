//! `reduce`, `arg_reduce` and `scan`.

use super::cascade;
use super::rows::{Rows, from_rows};
use crate::dispatch::{with_element, with_number};
use crate::element::*;
use crate::error::Cause;
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::DType;
use kiln_ir::ops::{ArgFn, Reduce, ReduceFn, ScanFn};

/// The reduction of elements along axes.
///
/// # Errors
/// For the maximum or minimum of no elements, or if the function does not take the dtype.
pub fn reduce(op: &Reduce, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    let extreme = matches!(op.f, ReduceFn::Max | ReduceFn::Min);
    if extreme && op.axes.iter().any(|&a| x.sizes()[a] == 0) {
        return Err(Cause::ExtremeOfNothing {
            axes: op.axes.clone(),
            sizes: x.sizes().to_vec(),
        });
    }
    let f = op.f;
    let last = op.axes.iter().rfind(|&&a| x.sizes()[a] > 1);
    let inner: usize = last.map_or(1, |&last| sizes[last + 1..].iter().product());
    match (f, x.dtype()) {
        (ReduceFn::Any | ReduceFn::All, _) | (ReduceFn::Max | ReduceFn::Min, DType::Bool) => {
            let any = matches!(f, ReduceFn::Any | ReduceFn::Max);
            Ok(fold(op, x, sizes, |_, row: &[bool]| {
                if any {
                    row.contains(&true)
                } else {
                    !row.contains(&false)
                }
            }))
        }
        (_, dtype) => with_number!(dtype, T, Ok(numbers::<T>(op, x, sizes, inner))),
    }
}

fn fold<T: Element>(
    op: &Reduce,
    x: &Tensor,
    sizes: &[usize],
    f: impl Fn(usize, &[T]) -> T + Sync,
) -> Tensor {
    let rows = Rows::along(x, &op.axes);
    let elements = filled_rows(rows.count, 1, |row, out| out[0] = f(row, rows.row(row)));
    Tensor::new(sizes, elements)
}

/// Reduces numbers. `inner` results are neighbours in memory.
fn numbers<T: Number>(op: &Reduce, x: &Tensor, sizes: &[usize], inner: usize) -> Tensor {
    let vector = cascade::vector::<T::Compute>();
    fold(op, x, sizes, |row, elements: &[T]| {
        folded(op.f, elements, lie_of(row, inner, vector))
    })
}

fn folded<T: Number>(f: ReduceFn, row: &[T], lie: Lie) -> T {
    let terms = row.iter().map(|e| e.term());
    match f {
        ReduceFn::Sum => T::down(sum_of(row, lie)),
        ReduceFn::Mean => T::down(sum_of(row, lie).over(row.len() as i64)),
        ReduceFn::Prod => T::total(terms.fold(Arithmetic::ONE, Arithmetic::mul)),
        ReduceFn::Max => T::total(
            terms
                .reduce(Arithmetic::greater)
                .unwrap_or(Arithmetic::LEAST),
        ),
        ReduceFn::Min => T::total(
            terms
                .reduce(Arithmetic::less)
                .unwrap_or(Arithmetic::GREATEST),
        ),
        ReduceFn::Any | ReduceFn::All => {
            unreachable!("numbers are no truths: the shape rule says so")
        }
    }
}

/// The memory layout of the elements of a sum.
#[derive(Clone, Copy)]
enum Lie {
    SideBySide,
    Apart,
    Abreast,
}

/// The layout of the elements of result `row`, if `inner` results are neighbours.
fn lie_of(row: usize, inner: usize, vector: usize) -> Lie {
    // Four vectors of neighbours are summed at once, or four neighbours if they do not fill a vector.
    let abreast = if inner >= vector { 4 * vector } else { 4 };
    match row % inner {
        _ if inner == 1 => Lie::SideBySide,
        column if column < inner / abreast * abreast => Lie::Abreast,
        _ => Lie::Apart,
    }
}

fn sum_of<T: Number>(row: &[T], lie: Lie) -> T::Compute {
    let row: Vec<T::Compute> = row.iter().map(|e| e.up()).collect();
    match lie {
        Lie::SideBySide => cascade::side_by_side(&row),
        Lie::Apart => cascade::apart(&row),
        Lie::Abreast => cascade::abreast(&row),
    }
}

/// The index of the extreme element along an axis.
///
/// # Errors
/// If there are no elements along the axis.
pub fn arg_reduce(f: ArgFn, axis: usize, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    if x.sizes()[axis] == 0 {
        return Err(Cause::ExtremeOfNothing {
            axes: vec![axis],
            sizes: x.sizes().to_vec(),
        });
    }
    Ok(with_element!(x.dtype(), T, {
        let rows = Rows::<T>::along(x, &[axis]);
        let indices = filled_rows(rows.count, 1, |row, out| {
            out[0] = extreme_index(f, rows.row(row)) as i64;
        });
        Tensor::new(sizes, indices)
    }))
}

fn extreme_index<T: Element>(f: ArgFn, row: &[T]) -> usize {
    let mut best = 0;
    for (i, &e) in row.iter().enumerate() {
        let beats = match f {
            ArgFn::Max => e > row[best],
            ArgFn::Min => e < row[best],
        };
        if !row[best].is_nan() && (beats || e.is_nan()) {
            best = i;
        }
    }
    best
}

/// The reduction of all elements up to each one.
///
/// # Errors
/// If the dtype is bool.
pub fn scan(f: ScanFn, axis: usize, x: &Tensor) -> Result<Tensor, Cause> {
    with_number!(x.dtype(), T, {
        let rows = Rows::<T>::along(x, &[axis]);
        let elements = filled_rows(rows.count, rows.width, |row, out| {
            accumulate(f, rows.row(row), out);
        });
        Ok(from_rows(elements, x.sizes(), axis))
    })
}

// The new element is the first operand: of equal elements (0 and -0) the later one stays, as in PyTorch.
fn accumulate<T: Number>(f: ScanFn, row: &[T], out: &mut [T]) {
    let join = match f {
        ScanFn::Sum => <T::Sum as Arithmetic>::add,
        ScanFn::Prod => Arithmetic::mul,
        ScanFn::Max => Arithmetic::greater,
        ScanFn::Min => Arithmetic::less,
    };
    let mut so_far: Option<T::Sum> = None;
    for (o, e) in out.iter_mut().zip(row) {
        let next = so_far.map_or(e.term(), |sum| join(e.term(), sum));
        *o = T::total(next);
        so_far = Some(next);
    }
}
