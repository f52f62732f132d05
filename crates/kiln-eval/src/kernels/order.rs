//! `sort` and `top_k`.

use super::rows::{Rows, from_rows};
use crate::dispatch::with_element;
use crate::element::*;
use crate::tensor::Tensor;
use rayon::prelude::*;

/// The first `sizes[axis]` elements in order along an axis, and their indices. Equal elements keep their order.
pub fn ordered(axis: usize, descending: bool, x: &Tensor, sizes: &[usize]) -> [Tensor; 2] {
    with_element!(x.dtype(), T, {
        let rows = Rows::<T>::along(x, &[axis]);
        let orders: Vec<Vec<usize>> = (0..rows.count)
            .into_par_iter()
            .map(|row| order(rows.row(row), descending, sizes[axis]))
            .collect();
        let picked = (0..).zip(&orders).flat_map(|(row, order)| {
            let from = rows.row(row);
            order.iter().map(|&i| from[i])
        });
        let values: Vec<T> = picked.collect();
        let indices = orders.iter().flatten().map(|&i| i as i64).collect();
        [
            from_rows(values, sizes, axis),
            from_rows::<i64>(indices, sizes, axis),
        ]
    })
}

fn order<T: Element>(row: &[T], descending: bool, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..row.len()).collect();
    if descending {
        order.sort_by(|&i, &j| row[j].order(row[i]));
    } else {
        order.sort_by(|&i, &j| row[i].order(row[j]));
    }
    order.truncate(count);
    order
}
