//! `distances`.

use super::matrix::{batches, lowered, raised};
use crate::element::*;
use crate::nest::filled_rows;
use crate::tensor::Tensor;
use kiln_ir::ops::Distances;

/// The norms of the differences between each row of `a` and each row of `b`. Leading axes of size 1 are broadcast.
pub fn distances<T: Float>(op: &Distances, a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    let outer = sizes.len() - 2;
    let (rows, columns, width) = (sizes[outer], sizes[outer + 1], a.sizes()[outer + 1]);
    let places = batches(&sizes[..outer], a, b);
    let (left, right) = (raised::<T>(a), raised::<T>(b));
    let elements = filled_rows(places.len(), rows * columns, |batch, out| {
        let (i, j) = places[batch];
        for (at, o) in out.iter_mut().enumerate() {
            let (row, column) = (i * rows + at / columns, j * columns + at % columns);
            let x = &left[row * width..][..width];
            let y = &right[column * width..][..width];
            *o = norm(op.p, x, y);
        }
    });
    lowered::<T>(sizes, elements)
}

/// The norm of the difference of two rows. Terms are computed in the compute type, and added in f64.
fn norm<R: Real>(p: f64, x: &[R], y: &[R]) -> R {
    let differences = x.iter().zip(y).map(|(&x, &y)| x.sub(y).abs());
    let sum =
        |term: &dyn Fn(R) -> R| R::from_f64(differences.clone().map(|d| term(d).to_f64()).sum());
    if p == 0.0 {
        sum(&|d| if d == R::ZERO { R::ZERO } else { R::ONE })
    } else if p == 1.0 {
        sum(&|d| d)
    } else if p == 2.0 {
        sum(&|d| d.mul(d)).via(f64::sqrt)
    } else if p.is_infinite() {
        differences.fold(R::ZERO, R::greater)
    } else {
        sum(&|d| d.pow(R::from_f64(p))).pow(R::from_f64(1.0 / p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_ir::TensorData;

    #[test]
    fn norms_of_every_order() {
        let x = Tensor::from(&TensorData::from_f32(
            vec![1, 2, 2],
            &[0.0, 0.0, 3.0, f32::NAN],
        ));
        let y = Tensor::from(&TensorData::from_f32(vec![2, 1, 2], &[3.0, 4.0, 0.0, -2.0]));
        let of = |p: f64| {
            let found = distances::<f32>(&Distances { p }, &x, &y, &[2, 2, 1]);
            found.elements::<f32>().unwrap().to_vec()
        };
        let cube = (27.0f64 + 64.0).powf(1.0 / 3.0) as f32;
        for (p, first, third, with_nan) in [
            (0.0, 2.0, 1.0, 1.0),
            (1.0, 7.0, 2.0, f32::NAN),
            (2.0, 5.0, 2.0, f32::NAN),
            (3.0, cube, 2.0, f32::NAN),
            (f64::INFINITY, 4.0, 2.0, f32::NAN),
        ] {
            let found = of(p);
            // Powers of other orders and their roots are rounded; all others are exact.
            let unit = if p == 3.0 { f32::EPSILON } else { 0.0 };
            for (found, expected) in [(found[0], first), (found[2], third)] {
                assert!((found - expected).abs() <= unit * expected, "{p}: {found}");
            }
            let is_same = found[1] == with_nan || with_nan.is_nan() && found[1].is_nan();
            assert!(is_same, "{p}: {found:?}");
        }
    }
}
