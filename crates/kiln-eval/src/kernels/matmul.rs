//! `matmul` and `linear`.

use super::matrix::{Matrix, batches, lowered, multiply, raised};
use crate::element::*;
use crate::nest::filled_rows;
use crate::tensor::Tensor;

/// `[.., m, k]` times `[.., k, n]`. Leading axes of size 1 are broadcast.
pub fn matmul<T: Number>(a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    let outer = sizes.len() - 2;
    let (m, n) = (sizes[outer], sizes[outer + 1]);
    let k = a.sizes()[outer + 1];
    let places = batches(&sizes[..outer], a, b);
    let (left, right) = (raised::<T>(a), raised::<T>(b));
    let elements = filled_rows(places.len(), m * n, |batch, out| {
        let (i, j) = places[batch];
        let a = Matrix::dense(&left[i * m * k..(i + 1) * m * k], m, k);
        let b = Matrix::dense(&right[j * k * n..(j + 1) * k * n], k, n);
        multiply(a, b, out, n);
    });
    lowered::<T>(sizes, elements)
}

/// `x[.., i]` times `weight[o, i]`, plus `bias[o]`.
pub fn linear<T: Number>(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Tensor {
    let (features, outputs) = (weight.sizes()[1], weight.sizes()[0]);
    let rows = sizes[..sizes.len() - 1].iter().product();
    let mut out = vec![T::Compute::ZERO; rows * outputs];
    let (from, by) = (raised::<T>(x), raised::<T>(weight));
    multiply(
        Matrix::dense(&from, rows, features),
        Matrix::dense(&by, outputs, features).transposed(),
        &mut out,
        outputs,
    );
    if let Some(bias) = bias {
        let bias = raised::<T>(bias);
        for row in out.chunks_mut(outputs) {
            row.iter_mut()
                .zip(bias.iter())
                .for_each(|(o, &b)| *o = o.add(b));
        }
    }
    lowered::<T>(sizes, out)
}
