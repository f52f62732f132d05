//! `matmul` and `linear`.

use super::matrix::{Matrix, lowered, multiply, raised};
use crate::element::*;
use crate::nest::{Nest, filled_rows};
use crate::tensor::Tensor;

/// `[.., m, k]` by `[.., k, n]`; the leading axes repeat.
pub fn matmul<T: Number>(a: &Tensor, b: &Tensor, sizes: &[usize]) -> Tensor {
    let outer = sizes.len() - 2;
    let (m, n) = (sizes[outer], sizes[outer + 1]);
    let k = a.sizes()[outer + 1];
    let nest = Nest::broadcast(&sizes[..outer], [&a.sizes()[..outer], &b.sizes()[..outer]]);
    let batches: usize = sizes[..outer].iter().product();
    let mut places = Vec::with_capacity(batches);
    nest.rows(0, batches, |_, run, [i, j], [si, sj]| {
        places.extend((0..run as isize).map(|r| ((i + r * si) as usize, (j + r * sj) as usize)));
    });
    let (left, right) = (raised::<T>(a), raised::<T>(b));
    let elements = filled_rows(batches, m * n, |batch, out| {
        let (i, j) = places[batch];
        let a = Matrix::dense(&left[i * m * k..(i + 1) * m * k], m, k);
        let b = Matrix::dense(&right[j * k * n..(j + 1) * k * n], k, n);
        multiply(a, b, out, n);
    });
    lowered::<T>(sizes, elements)
}

/// `x[.., i]` by `weight[o, i]`, plus `bias[o]`.
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
