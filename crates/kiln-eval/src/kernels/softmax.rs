//! `softmax`.

use super::rows::{Rows, from_rows};
use crate::dispatch::with_float;
use crate::element::*;
use crate::error::Cause;
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::Softmax;

/// Replaces a row by `exp(x) / sum(exp(x))`, or its logarithm.
pub fn softmax_row<R: Real>(row: &mut [R], log: bool) {
    let most = row.iter().copied().fold(R::LEAST, R::greater);
    let mut sum = 0.0;
    for e in row.iter_mut() {
        let shifted = e.sub(most);
        let power = shifted.via(libm::exp);
        sum += power.to_f64();
        *e = if log { shifted } else { power };
    }
    let sum = R::from_f64(if log { libm::log(sum) } else { sum });
    for e in row.iter_mut() {
        *e = if log { e.sub(sum) } else { e.div(sum) };
    }
}

/// The softmax along an axis, or its logarithm.
///
/// # Errors
/// If the dtype is no float.
pub fn softmax(op: &Softmax, x: &Tensor) -> Result<Tensor, Cause> {
    with_float!(x.dtype(), T, {
        let rows = Rows::<T>::along(x, &[op.axis]);
        let elements = filled_rows(rows.count, rows.width, |row, out| {
            let mut row: Vec<_> = rows.row(row).iter().map(|e| e.up()).collect();
            softmax_row(&mut row, op.log);
            out.iter_mut().zip(row).for_each(|(o, e)| *o = T::down(e));
        });
        Ok(from_rows(elements, x.sizes(), op.axis))
    })
}
