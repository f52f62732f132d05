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

/// The elements folded along axes.
///
/// # Errors
/// If the extreme of nothing is asked for, or the function does not take the dtype.
pub fn reduce(op: &Reduce, x: &Tensor, sizes: &[usize]) -> Result<Tensor, Cause> {
    let extreme = matches!(op.f, ReduceFn::Max | ReduceFn::Min);
    if extreme && op.axes.iter().any(|&a| x.sizes()[a] == 0) {
        return Err(Cause::ExtremeOfNothing {
            axes: op.axes.clone(),
            sizes: x.sizes().to_vec(),
        });
    }
    let (f, trailing) = (op.f, is_trailing(&op.axes, x));
    match (f, x.dtype()) {
        (ReduceFn::Any | ReduceFn::All, _) | (ReduceFn::Max | ReduceFn::Min, DType::Bool) => {
            let any = matches!(f, ReduceFn::Any | ReduceFn::Max);
            Ok(fold(op, x, sizes, |row: &[bool]| {
                if any {
                    row.contains(&true)
                } else {
                    !row.contains(&false)
                }
            }))
        }
        (_, dtype) => with_number!(
            dtype,
            T,
            Ok(fold(op, x, sizes, |row| folded::<T>(f, row, trailing)))
        ),
    }
}

fn fold<T: Element>(
    op: &Reduce,
    x: &Tensor,
    sizes: &[usize],
    f: impl Fn(&[T]) -> T + Sync,
) -> Tensor {
    let rows = Rows::along(x, &op.axes);
    let elements = filled_rows(rows.count, 1, |row, out| out[0] = f(rows.row(row)));
    Tensor::new(sizes, elements)
}

/// True where the folded elements lie in memory one behind the other.
fn is_trailing(axes: &[usize], x: &Tensor) -> bool {
    let first = axes.first().map_or(x.rank(), |&a| a);
    (first..x.rank()).all(|a| axes.contains(&a) || x.sizes()[a] == 1)
}

fn folded<T: Number>(f: ReduceFn, row: &[T], trailing: bool) -> T {
    let terms = row.iter().map(|e| e.term());
    match f {
        ReduceFn::Sum => T::down(sum_of(row, trailing)),
        ReduceFn::Mean => T::down(sum_of(row, trailing).over(row.len() as i64)),
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

/// The sum, over as many lanes as PyTorch has vectors' elements for the type.
fn sum_of<T: Number>(row: &[T], trailing: bool) -> T::Compute {
    let row: Vec<T::Compute> = row.iter().map(|e| e.up()).collect();
    match T::Compute::DTYPE.size() {
        _ if !trailing => cascade::sum::<T::Compute, 1>(&row),
        8 => cascade::sum::<T::Compute, 4>(&row),
        _ => cascade::sum::<T::Compute, 8>(&row),
    }
}

/// The index of the extreme element along an axis.
///
/// # Errors
/// If there are no elements along it.
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

/// The fold of all elements up to each.
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

// The new element comes first: of equals (0 and -0) the later stays, as in torch.
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
